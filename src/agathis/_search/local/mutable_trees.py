"""Convert trees to mutable trees and back.

A mutable tree splits at positions in the sorted order of a column. Conversions translate
thresholds into positions, and positions into thresholds half-way between the rows on either side,
as in greedy growth.
"""

from __future__ import annotations

import numpy as np

from agathis._core.search.mutable_tree import CONDITION_BYTES, MutableTree
from agathis._growth.limits import WEIGHT_ROUNDING, Limits
from agathis._search.rows import SearchRows, split_between
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import MISSING_GOES, Tree

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
        cluster = int(tree.cluster[node])
        number.setdefault(cluster, len(number))
        if number[cluster] >= max_clusters:
            raise ValueError(f"start has more clusters than n_clusters={max_clusters}.")
        return number[cluster]

    waiting = [(0, 0)]
    while waiting:
        node, leaf = waiting.pop()
        if tree.children_left[node] < 0:
            mutable_tree.assign(leaf, cluster_of(node))
            continue
        condition = condition_of(tree, node, rows)
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        sides = mutable_tree.sides(leaf, condition)
        if sides[0] == 0 or sides[1] == 0:
            waiting.append((right if sides[0] == 0 else left, leaf))
            continue
        if mutable_tree.n_leaves == max_leaves:
            raise ValueError(f"start has more leaves than max_leaf_nodes={max_leaves}.")
        first, second = mutable_tree.cut(leaf, condition, 0, 0)
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
    condition = np.zeros((), CONDITION)
    condition["missing_left"] = tree.missing_left[node]
    terms = tree.terms(node) or ((int(tree.feature[node]), 1.0),)
    threshold = float(tree.threshold[node])
    place_of = {int(column): index for index, column in enumerate(rows.columns)}
    source_of: dict[int, tuple[int, int]] = {}
    if rows.sources is not None:
        source_of = {
            int(column): (source, code)
            for source, group in enumerate(rows.sources.columns)
            for code, column in enumerate(group)
        }
    columns = [column for column, _ in terms]
    if all(column in source_of for column in columns):
        condition["kind"], condition["column"] = SOURCE, source_of[columns[0]][0]
        if np.isfinite(threshold):
            for column in columns:
                _, code = source_of[column]
                condition["right"][code >> 6] |= np.uint64(1) << np.uint64(code & 63)
        return condition.tobytes()
    unknown = [column for column in columns if column not in place_of]
    if unknown:
        raise ValueError(
            f"start splits node {node} on column {unknown[0]}, which is not in split_features."
        )
    if len(terms) == 1:
        column = place_of[columns[0]]
        present = int(rows.present[column])
        ordered = rows.values[column, rows.order[column, :present]]
        condition["kind"], condition["column"] = COLUMN, column
        condition["cut"] = int(np.searchsorted(ordered, threshold, side="right")) - 1
    else:
        (first, a), (second, b) = terms
        condition["kind"], condition["column"], condition["other"] = (
            PAIR,
            place_of[first],
            place_of[second],
        )
        condition["a"], condition["b"], condition["threshold"] = a, b, threshold
    return condition.tobytes()


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
        condition = np.frombuffer(mutable_tree.condition_of(at), CONDITION)[0]
        ids = mutable_tree.leaf_rows(at)
        left, right = mutable_tree.children(at)
        if condition["kind"] == COLUMN:
            column, missing_left = condition["column"], condition["missing_left"]
            positions, values = rows.place[column, ids], rows.values[column, ids]
            is_left = np.where(positions < 0, missing_left, positions <= condition["cut"])
            parts = values[is_left.astype(bool)], values[~is_left.astype(bool)]
            children = split_between(builder, node, int(rows.columns[column]), *parts)
        else:
            children = _split_on_terms(builder, node, condition, ids, rows)
        # Clusters are numbered in the order of the leaves of the new tree.
        sides = [(left, children[0]), (right, children[1])]
        waiting += sorted(sides, key=lambda side: side[1], reverse=True)
    return builder


def _split_on_terms(
    builder: TreeBuilder, node: int, condition: np.void, ids: np.ndarray, rows: SearchRows
) -> tuple[int, int]:
    """Split a node on categories or on two columns; return its children."""
    column, other = int(condition["column"]), int(condition["other"])
    if condition["kind"] == SOURCE:
        assert rows.sources is not None
        columns = rows.sources.columns[column]
        misses = rows.category[column, ids] < 0
        codes = [code for code in range(len(columns)) if _has(condition["right"], code)]
        terms = tuple((int(columns[code]), 1.0) for code in codes)
        feature = terms[0][0] if terms else int(columns[0])
        threshold = float(rows.sources.on[column] / 2) if terms else np.inf
    else:
        feature, a, b = int(rows.columns[column]), float(condition["a"]), float(condition["b"])
        misses = np.isnan(a * rows.values[column, ids] + b * rows.values[other, ids])
        terms = ((feature, a), (int(rows.columns[other]), b))
        threshold = float(condition["threshold"])
    missing = 0
    if misses.any():
        missing = MISSING_GOES.index("left" if condition["missing_left"] else "right")
    return builder.cut(node, feature, threshold, missing=missing, terms=terms)


def _has(codes: np.ndarray, code: int) -> bool:
    return bool(int(codes[code >> 6]) >> (code & 63) & 1)
