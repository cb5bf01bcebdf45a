"""Convert trees to mutable trees and back.

A mutable tree splits at positions in the sorted order of a column. Conversions translate
thresholds into positions, and positions into thresholds half-way between the rows on either side,
as in greedy growth.
"""

from __future__ import annotations

import numpy as np

from agathis._core.search.mutable_tree import CONDITION_BYTES, MutableTree
from agathis._growth.limits import WEIGHT_ROUNDING, Limits
from agathis._search.rows import SearchRows
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import MISSING_GOES, Tree
from agathis._utils.numbers import threshold_between

NONE, COLUMN, SOURCE, PAIR = range(4)
#: ``search_condition`` of ``_core/search/rows.h``, which has ``CONDITION_BYTES``.
CONDITION = np.dtype(
    [
        ("kind", np.int32),
        ("column", np.int32),
        ("other", np.int32),
        ("cut", np.int32),
        ("missing_left", np.int32),
        ("unused", np.int32),
        ("a", np.float64),
        ("b", np.float64),
        ("threshold", np.float64),
        ("right", np.uint64, 4),
    ]
)
if CONDITION.itemsize != CONDITION_BYTES:
    raise ImportError(
        f"compiled modules take conditions of {CONDITION_BYTES} bytes, not {CONDITION.itemsize}: "
        "they were built from other sources."
    )


def mutable_tree_of(
    tree: Tree, rows: SearchRows, max_leaves: int, max_clusters: int, threads: int = 1
) -> MutableTree:
    """The mutable tree with the splits of a tree, except those with all rows on one side.

    Clusters are numbered consecutively.

    Raises
    ------
    ValueError
        If the tree splits on a column outside ``split_features``, or exceeds a limit.
    """
    mutable_tree = MutableTree(rows, max_leaves, max_clusters, threads)
    number: dict[int, int] = {}

    def cluster_of(node: int) -> int:
        own = int(tree.cluster[node])
        number.setdefault(own, len(number))
        if number[own] >= max_clusters:
            raise ValueError(f"start has more clusters than n_clusters={max_clusters}.")
        return number[own]

    waiting = [(0, 0)]
    while waiting:
        node, leaf = waiting.pop()
        if tree.children_left[node] < 0:
            mutable_tree.assign(leaf, cluster_of(node))
            continue
        asks = condition_of(tree, node, rows)
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        sides = mutable_tree.sides(leaf, asks)
        if sides[0] == 0 or sides[1] == 0:
            waiting.append((right if sides[0] == 0 else left, leaf))
            continue
        if mutable_tree.n_leaves == max_leaves:
            raise ValueError(f"start has more leaves than max_leaf_nodes={max_leaves}.")
        first, second = mutable_tree.cut(leaf, asks, 0, 0)
        waiting += [(right, second), (left, first)]
    return mutable_tree


def repair(mutable_tree: MutableTree, limits: Limits) -> None:
    """Collapse nodes that are too light or too deep for the limits, and prune light leaves."""
    for node in mutable_tree.nodes():
        if not mutable_tree.is_used(node) or mutable_tree.is_leaf(node):
            continue
        if not limits.allows_split(mutable_tree.depth_of(node), mutable_tree.weight_under(node)):
            mutable_tree.collapse(node, mutable_tree.main_cluster(node))
    light = True
    while light and mutable_tree.n_leaves > 1:
        light = False
        for leaf in mutable_tree.leaves():
            if mutable_tree.size_of(leaf)[1] < limits.min_leaf * (1 - WEIGHT_ROUNDING):
                mutable_tree.prune(leaf)
                light = True
                break


def condition_of(tree: Tree, node: int, rows: SearchRows) -> bytes:
    """The split condition of a node, in the binary form of mutable trees."""
    asks = np.zeros((), CONDITION)
    asks["missing_left"] = tree.missing_left[node]
    terms = tree.terms(node) or ((int(tree.feature[node]), 1.0),)
    threshold = float(tree.threshold[node])
    place_of = {int(column): place for place, column in enumerate(rows.columns)}
    source_of: dict[int, tuple[int, int]] = {}
    if rows.sources is not None:
        source_of = {
            int(column): (source, code)
            for source, own in enumerate(rows.sources.columns)
            for code, column in enumerate(own)
        }
    asked = [column for column, _ in terms]
    if all(column in source_of for column in asked):
        asks["kind"], asks["column"] = SOURCE, source_of[asked[0]][0]
        if np.isfinite(threshold):
            for column in asked:
                _, code = source_of[column]
                asks["right"][code >> 6] |= np.uint64(1) << np.uint64(code & 63)
        return asks.tobytes()
    unknown = [column for column in asked if column not in place_of]
    if unknown:
        raise ValueError(
            f"start splits node {node} on column {unknown[0]}, which is not in split_features."
        )
    if len(terms) == 1:
        column = place_of[asked[0]]
        present = int(rows.present[column])
        ordered = rows.values[column, rows.order[column, :present]]
        asks["kind"], asks["column"] = COLUMN, column
        asks["cut"] = int(np.searchsorted(ordered, threshold, side="right")) - 1
    else:
        (first, a), (second, b) = terms
        asks["kind"], asks["column"], asks["other"] = PAIR, place_of[first], place_of[second]
        asks["a"], asks["b"], asks["threshold"] = a, b, threshold
    return asks.tobytes()


def tree_of(mutable_tree: MutableTree) -> TreeBuilder:
    """The splits of a mutable tree, with clusters numbered in the order of the leaves."""
    rows: SearchRows = mutable_tree.rows
    builder = TreeBuilder()
    number: dict[int, int] = {}
    waiting = [(0, 0)]
    while waiting:
        at, node = waiting.pop()
        if mutable_tree.is_leaf(at):
            builder.cluster[node] = number.setdefault(mutable_tree.cluster_of(at), len(number))
            continue
        asks = np.frombuffer(mutable_tree.condition_of(at), CONDITION)[0]
        ids = mutable_tree.leaf_rows(at)
        feature, threshold, terms, misses = _split_of(asks, ids, rows)
        missing = 0
        if misses:
            missing = MISSING_GOES.index("left" if asks["missing_left"] else "right")
        left, right = mutable_tree.children(at)
        if threshold == -np.inf:
            # If one side has only missing values it is the right one, as in greedy trees.
            threshold, missing = np.inf, MISSING_GOES.index("right")
            left, right = right, left
        children = builder.cut(node, feature, threshold, missing=missing, terms=terms)
        waiting += [(right, children[1]), (left, children[0])]
    return builder


def _split_of(
    asks: np.void, ids: np.ndarray, rows: SearchRows
) -> tuple[int, float, tuple[tuple[int, float], ...], bool]:
    """Feature, threshold and terms of a split, and whether some of its rows have no value."""
    column = int(asks["column"])
    if asks["kind"] == SOURCE:
        assert rows.sources is not None
        own = rows.sources.columns[column]
        misses = bool((rows.category[column, ids] < 0).any())
        codes = [code for code in range(len(own)) if _has(asks["right"], code)]
        if not codes:
            return int(own[0]), np.inf, (), misses
        terms = tuple((int(own[code]), 1.0) for code in codes)
        return terms[0][0], float(rows.sources.on[column] / 2), terms, misses
    if asks["kind"] == PAIR:
        first, second = int(rows.columns[column]), int(rows.columns[asks["other"]])
        sums = asks["a"] * rows.values[column, ids] + asks["b"] * rows.values[asks["other"], ids]
        terms = ((first, float(asks["a"])), (second, float(asks["b"])))
        return first, float(asks["threshold"]), terms, bool(np.isnan(sums).any())
    values, places = rows.values[column, ids], rows.place[column, ids]
    is_left, misses = (places >= 0) & (places <= asks["cut"]), bool((places < 0).any())
    is_right = places > asks["cut"]
    feature = int(rows.columns[column])
    if not is_right.any():
        return feature, np.inf, (), misses
    if not is_left.any():
        return feature, -np.inf, (), misses
    low = float(values[is_left].max())
    return feature, threshold_between(low, float(values[is_right].min())), (), misses


def _has(codes: np.ndarray, code: int) -> bool:
    return bool(int(codes[code >> 6]) >> (code & 63) & 1)
