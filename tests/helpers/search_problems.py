"""Rows and limits for a search, drafts drawn at random, and what is said of a draft from nothing.

The twin walks a draft row by row in plain NumPy and adds up what it finds; of the draft's own
numbers it reads only the shape and what each node asks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from agathis._core.search.mutable_tree import MutableTree
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from agathis._dataset.features import CategoryGroups
from agathis._growth.limits import Limits
from agathis._search.local.mutable_trees import COLUMN, CONDITION, PAIR, SOURCE, repair
from agathis._search.rows import SearchRows

#: What `MutableTree.arrays` has, in its order.
ARRAYS = [
    "left",
    "right",
    "parent",
    "cluster",
    "depth",
    "count",
    "version",
    "weight",
    "sum",
    "asks",
    "leaf",
    "cluster_sum",
    "mean",
    "size",
    "kernel_sum",
    "share",
    "square",
    "leaves_in",
    "cluster_version",
]


@dataclass
class SearchProblem:
    """Rows with their columns, and the limits of a tree."""

    X: np.ndarray
    rows: SearchRows
    limits: Limits
    random: np.random.RandomState

    @property
    def tolerance(self) -> float:
        return 1e-9 * max(1.0, self.rows.inertia)

    def mutable_tree(self, threads: int = 1) -> MutableTree:
        return MutableTree(self.rows, self.limits.max_leaves, self.limits.n_clusters, threads)


def category_columns(
    random: np.random.RandomState, n: int, categories: int, missing: bool
) -> np.ndarray:
    """One-hot columns of which some rows have none, and some miss all."""
    code = random.randint(0, categories + 1, n)
    out = (code[:, None] == np.arange(categories)).astype(np.float64)
    if missing:
        out[random.uniform(size=n) < 0.2] = np.nan
    # Each category is there, else it is no column of a source.
    out[: min(n, categories)] = np.eye(categories)[: min(n, categories)]
    return out


@st.composite
def search_problems(
    draw, max_n: int = 24, sources: bool = True, missing: bool = True, limited: bool = True
) -> SearchProblem:
    """Rows from a seed: with ties, missing values, categories and weights."""
    random = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    # Most are large: small ones test little, and hypothesis likes what comes first.
    n = draw(st.sampled_from([max_n, max_n - 3, max_n // 2, max_n * 2 // 3, 5, 3, 2]))
    d = draw(st.sampled_from([2, 3, 1]))
    n_category_groups = draw(st.sampled_from([0, 0, 1, 2])) if sources else 0
    values = random.normal(size=(n, d))
    if draw(st.booleans()):
        values = random.randint(0, 4, (n, d)).astype(np.float64)
    if missing and draw(st.booleans()):
        values[random.uniform(size=(n, d)) < 0.25] = np.nan
    parts = [values]
    groups, at = [], d
    for _ in range(n_category_groups):
        own = category_columns(random, n, random.randint(2, 6), missing and random.rand() < 0.5)
        parts.append(own)
        groups.append(np.arange(at, at + own.shape[1]))
        at += own.shape[1]
    points = random.normal(size=(n, draw(st.integers(1, 4))))
    if draw(st.booleans()):
        points = np.nan_to_num(values)
    weight = np.ones(n)
    if draw(st.booleans()):
        weight = random.choice([0.25, 1.0, 2.0, 3.5], n)
    X = np.hstack(parts)
    found = CategoryGroups(tuple(groups), np.ones(len(groups))) if groups else None
    rows = SearchRows.of(X, points, weight, np.arange(d), found)
    clusters = draw(st.sampled_from([3, 5, 4, 2, 1]))
    leaves = draw(st.sampled_from([6, 8, 7, 5, 4, 3, 2, 1]))
    limits = Limits(clusters, leaves)
    if limited:
        limits = Limits(
            clusters,
            leaves,
            max_depth=draw(st.sampled_from([None, None, 1, 2, 3])),
            min_split=draw(st.sampled_from([0.0, 0.0, 3.0, 6.0])),
            min_leaf=draw(st.sampled_from([0.0, 0.0, 1.5, 3.0])),
        )
    return SearchProblem(X, rows, limits, random)


def random_condition(problem: SearchProblem) -> bytes:
    """Any question, whatever it gains."""
    rows, random = problem.rows, problem.random
    asks = np.zeros((), CONDITION)
    asks["missing_left"] = random.randint(2)
    kind = random.choice([COLUMN, COLUMN, SOURCE, PAIR])
    if kind == SOURCE and rows.n_category_groups:
        source = random.randint(rows.n_category_groups)
        asks["kind"], asks["column"] = SOURCE, source
        # Rows in which no column is on always go left: no tree can send them right.
        for code in range(int(rows.n_categories[source]) - 1):
            if random.rand() < 0.5:
                asks["right"][0] |= np.uint64(1 << code)
        return asks.tobytes()
    column = random.randint(rows.n_columns)
    if kind == PAIR and rows.n_columns > 1:
        first, second = np.sort(random.choice(rows.n_columns, 2, replace=False))
        asks["kind"], asks["column"], asks["other"] = PAIR, first, second
        asks["a"], asks["b"] = random.choice([1.0, 2.0]), random.choice([-1.0, 3.0])
        asks["threshold"] = random.normal() + 0.123
        return asks.tobytes()
    asks["kind"], asks["column"], asks["cut"] = COLUMN, column, -1
    present = int(rows.present[column])
    if present:
        place = random.randint(present)
        ends = np.flatnonzero(np.diff(rows.rank[column, :present], append=np.int32(-1)))
        asks["cut"] = ends[np.searchsorted(ends, place)]
    return asks.tobytes()


def grow_at_random(problem: SearchProblem, mutable_tree: MutableTree) -> None:
    """Cut leaves anyhow, their clusters too, as long as both sides have rows."""
    random = problem.random
    for _ in range(2 * mutable_tree.max_leaves):
        if mutable_tree.n_leaves == mutable_tree.max_leaves:
            break
        leaves = mutable_tree.leaves()
        leaf, asks = leaves[random.randint(len(leaves))], random_condition(problem)
        if min(mutable_tree.sides(leaf, asks)) > 0:
            mutable_tree.cut(leaf, asks, *map(int, random.randint(0, mutable_tree.max_clusters, 2)))


def random_mutable_tree(problem: SearchProblem) -> MutableTree:
    """A draft of anything that the limits allow."""
    mutable_tree = problem.mutable_tree()
    grow_at_random(problem, mutable_tree)
    repair(mutable_tree, problem.limits)
    return mutable_tree


def goes_left(asks: bytes, rows: SearchRows) -> np.ndarray:
    """Which rows a question sends left, by their values."""
    (one,) = np.frombuffer(asks, CONDITION)
    column = int(one["column"])
    if one["kind"] == SOURCE:
        code = rows.category[column]
        right = [bool(int(one["right"][c >> 6]) >> (c & 63) & 1) for c in np.maximum(code, 0)]
        return np.where(code < 0, bool(one["missing_left"]), ~np.array(right))
    values = rows.values[column]
    if one["kind"] == PAIR:
        asked, threshold = (
            one["a"] * values + one["b"] * rows.values[one["other"]],
            one["threshold"],
        )
    else:
        known = np.sort(values[~np.isnan(values)])
        asked, threshold = values, known[one["cut"]] if one["cut"] >= 0 else -np.inf
    return np.where(np.isnan(asked), bool(one["missing_left"]), asked <= threshold)


def leaf_of_rows(mutable_tree: MutableTree) -> np.ndarray:
    """The leaf that each row comes to."""
    out = np.zeros(mutable_tree.rows.n, dtype=int)
    for node in mutable_tree.nodes():
        if not mutable_tree.is_leaf(node):
            left, right = mutable_tree.children(node)
            here, side = out == node, goes_left(mutable_tree.condition_of(node), mutable_tree.rows)
            out[here & side], out[here & ~side] = left, right
    return out


def labels_of(mutable_tree: MutableTree) -> np.ndarray:
    """The cluster of each row, by walking."""
    return np.array([mutable_tree.cluster_of(leaf) for leaf in leaf_of_rows(mutable_tree)])


def objective_of(rows: SearchRows, labels: np.ndarray) -> float:
    """Squared length of each cluster's sum over its weight, summed."""
    total = 0.0
    for cluster in np.unique(labels):
        own = labels == cluster
        summed = (rows.weight[own, None] * rows.points[own]).sum(axis=0)
        total += summed @ summed / rows.weight[own].sum()
    return float(total)


def within(mutable_tree: MutableTree, limits: Limits) -> bool:
    """Whether a draft keeps its limits."""
    leaf, weight = leaf_of_rows(mutable_tree), mutable_tree.rows.weight
    below = {node: np.isin(leaf, mutable_tree.leaves_under(node)) for node in mutable_tree.nodes()}
    inner = [node for node in mutable_tree.nodes() if not mutable_tree.is_leaf(node)]
    depth = max(mutable_tree.depth_of(node) for node in mutable_tree.nodes())
    return bool(
        mutable_tree.n_leaves <= limits.max_leaves
        and len(set(labels_of(mutable_tree))) <= limits.n_clusters
        and (limits.max_depth is None or depth <= limits.max_depth)
        and all(weight[below[node]].sum() >= limits.min_split - 1e-9 for node in inner)
        and (
            not inner
            or all(
                weight[leaf == one].sum() >= limits.min_leaf - 1e-9 for one in mutable_tree.leaves()
            )
        )
    )


def check_mutable_tree(mutable_tree: MutableTree, empty_leaves: bool = False) -> None:
    """Assert that a draft is a tree, and that all its numbers are those of its rows."""
    own = dict(zip(ARRAYS, mutable_tree.arrays, strict=True))
    rows, nodes, leaves = mutable_tree.rows, mutable_tree.nodes(), mutable_tree.leaves()
    assert len(nodes) == len(set(nodes)) == 2 * len(leaves) - 1
    assert len(leaves) == mutable_tree.n_leaves <= mutable_tree.max_leaves
    assert own["parent"][0] == -1
    assert own["depth"][0] == 0
    for node in nodes:
        assert mutable_tree.is_used(node)
        if not mutable_tree.is_leaf(node):
            for child in mutable_tree.children(node):
                assert own["parent"][child] == node
                assert mutable_tree.depth_of(child) == mutable_tree.depth_of(node) + 1
    free = np.setdiff1d(np.arange(mutable_tree.capacity), nodes)
    for name in ("left", "right", "parent"):
        assert np.all(own[name][free] == -1), name
    leaf = leaf_of_rows(mutable_tree)
    assert_array_equal(own["leaf"], leaf)
    assert_array_equal(mutable_tree.labels(), labels_of(mutable_tree))
    mass = rows.weight[:, None] * rows.points
    for one in leaves:
        here = leaf == one
        assert here.any() or empty_leaves
        assert own["count"][one] == here.sum()
        assert_allclose(own["weight"][one], rows.weight[here].sum(), rtol=1e-12)
        assert_allclose(own["sum"][one], mass[here].sum(axis=0), rtol=1e-9, atol=1e-9)
        assert_array_equal(mutable_tree.leaf_rows(one), np.flatnonzero(here))
    labels = labels_of(mutable_tree)
    for cluster in range(mutable_tree.max_clusters):
        here = labels == cluster
        size, summed = rows.weight[here].sum(), mass[here].sum(axis=0)
        mean = summed / size if size > 0 else np.zeros_like(summed)
        assert own["leaves_in"][cluster] == sum(
            mutable_tree.cluster_of(one) == cluster for one in leaves
        )
        for name, value in {
            "size": size,
            "cluster_sum": summed,
            "mean": mean,
            "kernel_sum": summed @ summed,
            "square": mean @ mean,
            "share": summed @ mean,
        }.items():
            assert_allclose(own[name][cluster], value, rtol=1e-9, atol=1e-9, err_msg=name)
    assert mutable_tree.n_clusters == len(np.unique(labels))
    assert_allclose(mutable_tree.objective, objective_of(rows, labels), rtol=1e-9, atol=1e-9)


def same_arrays(mutable_tree: MutableTree, saved: tuple) -> None:
    """Assert that a draft is what was saved, bit by bit."""
    arrays, n_leaves, _ = saved
    for name, now, then in zip(ARRAYS, mutable_tree.arrays, arrays, strict=True):
        assert now.tobytes() == then.tobytes(), name
    assert mutable_tree.n_leaves == n_leaves
