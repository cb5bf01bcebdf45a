"""Growth from a tree that is there already: Kauri's own, and any other's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import reference
from helpers.examples import examples, mostly_slow
from helpers.invariants import route, valid_tree
from helpers.models import SEEDS, blobs_of, filled
from helpers.plot_trees import random_tree
from helpers.strategies import table, weights
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels

import agathis._dataset.row_stores
from agathis import Kauri, Tree
from agathis._checks.data import column_means
from agathis._dataset.features import Features
from agathis._dataset.memory import InMemory
from agathis._growth.approximation import Approximation
from agathis._growth.engines.choice import build
from agathis._growth.grower import Grower
from agathis._growth.limits import Limits
from agathis._growth.warm_start import split_order, tells_growth
from agathis._kernels.kernel import Kernel
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import DTYPES, TERM_DTYPES
from agathis._utils.progress import Clocks, Progress
from agathis.baselines import ICOT, IMM, RDM, ExKMC, KMeansTree

ENGINES = ("gram", "blocks", "features", "binned", "mapped")
PAIRS = ("gram", "blocks")


class Growth:
    """Trees of some rows by one engine, from the beginning or from another tree."""

    def __init__(self, engine, X, weight=None, kernel="linear", folder=None, **approximation):
        self.engine, self.X, self.weight = engine, X, weight
        self.kernel = Kernel(kernel, {"gamma": 0.3} if kernel in ("rbf", "laplacian") else {})
        self.approximation = Approximation(**approximation)
        if engine == "mapped":
            path = folder / "rows.bin"
            X.tofile(path)
            self.X = np.memmap(path, dtype=X.dtype, mode="r", shape=X.shape)
        ids = None
        if weight is not None and (weight == 0).any():
            ids = np.flatnonzero(weight).astype(np.int32)
        self.data = InMemory(
            self.X,
            Features.plain(X.shape[1]),
            self.kernel,
            weight=weight,
            ids=ids,
            mapped=engine == "mapped",
            fill=column_means(X, weight) if np.isnan(X).any() else None,
        )

    def grow(self, n_clusters, max_leaves=None, start=None, **limits) -> tuple[Tree, object]:
        """The tree and its stocks; with ``max_leaves=0`` no cut is added to ``start``."""
        n = self.data.n_counted
        most = min(n, max_leaves or n)
        limits = Limits(n_clusters, start.n_leaves if max_leaves == 0 else most, **limits)
        chosen = "binned" if self.engine == "mapped" else self.engine
        progress = Progress(0, None, n_clusters)
        gain_engine = build(chosen, self.data, limits, self.approximation, progress, 0).gain_engine
        return Grower(gain_engine, limits, progress, Clocks(), start=start).grow(), gain_engine

    def gram(self) -> np.ndarray:
        rows = filled(self.X, self.weight) if np.isnan(self.X).any() else np.asarray(self.X)
        return pairwise_kernels(
            rows, metric=self.kernel.metric, filter_params=True, **self.kernel.params
        )


def same_to_the_bit(a: Tree, b: Tree) -> None:
    for name in (*DTYPES, *TERM_DTYPES):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def goes_on_alike(growth: Growth, n_clusters: int, few: int, many: int, **limits) -> None:
    start, _ = growth.grow(n_clusters, few, **limits)
    whole, gain_engine = growth.grow(n_clusters, many, **limits)
    resumed, again = growth.grow(n_clusters, many, start=start, **limits)
    same_to_the_bit(resumed, whole)
    assert again.objective == gain_engine.objective
    assert again.trace == gain_engine.trace
    # All of it again: nothing is added.
    same_to_the_bit(growth.grow(n_clusters, many, start=whole, **limits)[0], whole)


def is_the_state_of(growth: Growth, gain_engine, tree: Tree) -> None:
    """Objective, sizes and counts of the stocks are those of the tree's partition of the rows."""
    labels = tree.predict(growth.X)
    gram = growth.gram()
    weight = np.ones(len(growth.X)) if growth.weight is None else growth.weight
    expected = reference.objective(gram, labels, weight)
    scale = 1 + weight @ np.abs(np.diag(gram))
    assert gain_engine.trace + gain_engine.objective == pytest.approx(expected, abs=1e-10 * scale)
    assert gain_engine.n_clusters == tree.n_clusters
    centres = gain_engine.centres(labels, keep=True)
    sizes = [weight[labels == k].sum() for k in range(tree.n_clusters)]
    own = np.array(
        [
            np.sum(gram[np.ix_(labels == k, labels == k)] * np.outer(w, w)) / size**2
            for k, size in enumerate(sizes)
            for w in [weight[labels == k]]
        ]
    )
    if hasattr(centres, "points"):
        found = np.sum((centres.points + centres.origin) ** 2, axis=1)
    else:
        found = centres.samples.means
    np.testing.assert_allclose(found, own, rtol=1e-9, atol=1e-10 * np.abs(np.diag(gram)).max())


@pytest.mark.parametrize(
    "kernel", mostly_slow(["linear", "cosine", "rbf", "laplacian"], "linear", "rbf")
)
@pytest.mark.parametrize("weighted", mostly_slow([False, True], True))
@pytest.mark.parametrize("engine", ENGINES)
def test_five_leaves_then_twelve(engine, weighted, kernel, tmp_path):
    X = blobs_of(150, 3)
    random = np.random.default_rng(0)
    weight = random.choice([0.0, 0.5, 1.0, 2.5], 150) if weighted else None
    components = 40 if kernel in ("rbf", "laplacian") and engine not in PAIRS else None
    growth = Growth(engine, X, weight, kernel, tmp_path, n_components=components)
    goes_on_alike(growth, 4, 5, 12)
    goes_on_alike(growth, 9, 3, 12)
    goes_on_alike(growth, 4, 5, 12, max_depth=4, min_split=6.0, min_leaf=4.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("engine", ["binned", "mapped"])
def test_with_missing_values_and_few_bins(engine, dtype, tmp_path, monkeypatch):
    monkeypatch.setattr(agathis._dataset.row_stores, "STREAM_ROWS", 37)
    X = blobs_of(400, 3).astype(dtype)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    for max_bins in (255, 9, 3):
        growth = Growth(engine, X, None, "linear", tmp_path, max_bins=max_bins, subsample=120)
        goes_on_alike(growth, 4, 5, 12)
        goes_on_alike(growth, 4, 7, None)


@given(SEEDS, st.sampled_from(ENGINES[:4]), st.sampled_from([None, "whole", "with zeros"]))
@examples(150)
def test_going_on_is_not_having_stopped(seed, engine, kind):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 40))
    X = table(random, n, int(random.integers(1, 4)), random.choice(["normal", "integer"]))
    if engine == "binned" and random.random() < 0.5:
        X[random.random(X.shape) < 0.2] = np.nan
    kernel = str(random.choice(["linear", "cosine"] if engine not in PAIRS else ["linear", "rbf"]))
    growth = Growth(
        engine, X, weights(random, n, kind), kernel, max_bins=int(random.choice([5, 255]))
    )
    n_clusters = int(random.integers(1, min(6, growth.data.n_counted) + 1))
    whole, _ = growth.grow(n_clusters)
    goes_on_alike(growth, n_clusters, int(random.integers(1, whole.n_leaves + 1)), None)


BASELINES = [
    KMeansTree(4, random_state=0, max_leaf_nodes=None),
    KMeansTree(3, max_leaf_nodes=9, random_state=0),
    IMM(5, random_state=0),
    ExKMC(3, max_leaf_nodes=8, random_state=0),
    RDM(4, random_state=0),
    ICOT(3, random_state=0),
]


# Features of a map are another kernel.
WITH_KERNEL = [(e, k) for e in ENGINES for k in ("linear", "cosine", "rbf")]
WITH_KERNEL = [(e, k) for e, k in WITH_KERNEL if e in PAIRS or k != "rbf"]


@pytest.mark.parametrize(("engine", "kernel"), WITH_KERNEL)
@pytest.mark.parametrize(
    "rival", mostly_slow(BASELINES, *BASELINES[:3]), ids=lambda model: type(model).__name__
)
def test_from_the_tree_of_a_rival(rival, engine, kernel, tmp_path):
    X = blobs_of(60, 3) + 20
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(X))
    start = rival.fit(X, sample_weight=weight).tree_
    growth = Growth(engine, X, weight, kernel, tmp_path)
    tree, gain_engine = growth.grow(6, 0, start=start)
    assert tree.n_leaves == start.n_leaves
    np.testing.assert_array_equal(tree.predict(X), start.predict(X))
    np.testing.assert_array_equal(np.sort(tree.gain), np.sort(start.gain))
    valid_tree(tree, X, None, weight, 6, midpoints=False, kauri=False)
    is_the_state_of(growth, gain_engine, tree)
    # Each cut that comes after adds the gain that it says.
    more, after = growth.grow(6, start.n_leaves + 4, start=start)
    added = (
        more.gain[tree.node_count :].sum()
        + (more.gain - np.pad(tree.gain, (0, more.node_count - tree.node_count)))[
            : tree.node_count
        ].sum()
    )
    assert after.objective - gain_engine.objective == pytest.approx(added, rel=1e-9)
    is_the_state_of(growth, after, more)


def in_any_order(random: np.random.Generator, tree: Tree) -> Tree:
    """The same tree with its nodes numbered otherwise, children after their parents."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop(int(random.integers(len(waiting))))
        order.append(node)
        if tree.children_left[node] >= 0:
            waiting += [int(tree.children_left[node]), int(tree.children_right[node])]
    number = np.empty(len(order) + 1, dtype=np.int32)
    number[order], number[-1] = np.arange(len(order)), -1
    arrays = {name: getattr(tree, name)[order] for name in DTYPES}
    for name in ("children_left", "children_right"):
        arrays[name] = number[arrays[name]]
    return Tree(**arrays, n_features=tree.n_features)


@given(SEEDS, st.sampled_from(ENGINES[:4]), st.booleans())
@examples(150)
def test_from_any_tree(seed, engine, chain):
    """Random cuts anywhere between two values, random clusters, nodes in any order."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 12, (int(random.integers(2, 40)), 2)).astype(np.float64)
    drawn = random_tree(random, X, int(random.integers(1, 12)), chain)
    inner = ~drawn.is_leaf
    moved = drawn.threshold + random.uniform(-0.4, 0.4, drawn.node_count)
    start = in_any_order(random, replace(drawn, threshold=np.where(inner, moved, -2.0)))
    np.testing.assert_array_equal(start.predict(X), drawn.predict(X))
    weight = weights(random, len(X), str(random.choice(["whole", "fractions"])))
    growth = Growth(engine, X, weight)
    n_clusters = start.n_clusters + int(random.integers(3))
    tree, gain_engine = growth.grow(n_clusters, 0, start=start)
    np.testing.assert_array_equal(tree.predict(X), start.predict(X))
    valid_tree(tree, X, None, weight, midpoints=False, kauri=False)
    is_the_state_of(growth, gain_engine, tree)
    more, after = growth.grow(n_clusters, start=start)
    is_the_state_of(growth, after, more)
    # What every engine has to find: no single cut is left that gains.
    if engine == "gram":
        gram = growth.gram()
        passes = route(more, X)
        leaves = np.flatnonzero(more.is_leaf)
        found = reference.candidates(
            X,
            gram,
            leaves[np.argmax(passes[:, leaves], axis=1)],
            more.cluster,
            weight,
            n_clusters,
        )
        best = max((candidate.gain for candidate in found), default=0.0)
        assert best <= 4 * reference.tolerance(gram, weight)


def test_clusters_of_kauri_tell_its_growth():
    tree = Kauri(4, max_leaf_nodes=12).fit(blobs_of(150)).tree_
    order = split_order(tree)
    assert tells_growth(tree, order)
    # Clusters of leaves alone do not.
    cluster = np.where(tree.is_leaf, tree.cluster, 1).astype(np.int32)
    assert not tells_growth(replace(tree, cluster=cluster), order)


def tree_of(cuts, clusters, n_features=2) -> Tree:
    builder = TreeBuilder()
    for node, feature, threshold in cuts:
        builder.cut(node, feature, threshold)
    for leaf, cluster in clusters.items():
        builder.cluster[leaf] = cluster
    return builder.build(n_features)


LINE = np.column_stack([np.arange(8.0), np.zeros(8)])
BAD = {
    "clusters with a gap": (tree_of([(0, 0, 3.5)], {1: 0, 2: 2}), r"leaves are of \[0, 2\]"),
    "too many clusters": (
        tree_of([(0, 0, 1.5), (1, 0, 0.5), (2, 0, 3.5)], {3: 0, 4: 1, 5: 2, 6: 3}),
        "start has 4 clusters, more than n_clusters=3",
    ),
    "no row on the right": (
        tree_of([(0, 0, 3.5), (1, 0, 9.0)], {2: 1, 3: 0, 4: 2}),
        r"start splits node 1 at x\[0\] <= 9, and all 4 rows",
    ),
    "features": (tree_of([(0, 0, 3.5)], {2: 1}, 3), "tree of 3 features, and X has 2"),
    "too deep": (
        tree_of([(0, 0, 5.5), (1, 0, 3.5), (3, 0, 1.5)], {2: 1, 4: 2, 5: 0, 6: 1}),
        "start has a leaf at depth 3, deeper than max_depth=2",
    ),
    "a light leaf": (
        tree_of([(0, 0, 3.5), (1, 0, 2.5)], {2: 1, 3: 0, 4: 2}),
        "start has a leaf, node 4, of weight 1; the minimum weight of a leaf is 2",
    ),
}


@pytest.mark.parametrize("engine", ENGINES[:4])
@pytest.mark.parametrize("case", BAD)
def test_trees_that_growth_cannot_begin_with(case, engine):
    start, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        Growth(engine, LINE).grow(3, start=start, max_depth=2, min_leaf=2.0)


def test_leaves_of_the_least_weight_by_a_sum_that_rounds():
    """Ten times a tenth is a little less than one; and a single leaf may weigh anything."""
    growth = Growth("gram", np.repeat([[0.0], [1.0]], 10, axis=0), np.full(20, 0.1))
    tree, _ = growth.grow(2, start=tree_of([(0, 0, 0.5)], {2: 1}, 1), min_leaf=1.0)
    assert tree.weighted_n_node_samples[1] == pytest.approx(1.0)
    assert growth.grow(2, start=tree_of([], {}, 1), min_leaf=9.0)[0].n_leaves == 1


def test_more_leaves_than_there_may_be():
    start = tree_of([(0, 0, 3.5), (1, 0, 1.5)], {2: 1, 3: 0, 4: 1})
    with pytest.raises(ValueError, match="start has 3 leaves, and there may be 2"):
        Growth("gram", LINE).grow(3, 2, start=start)


def test_a_threshold_inside_a_bin():
    """It is exact where it parts no rows of the leaf that are in one bin, and else an error."""
    X = np.arange(100.0)[:, None]
    growth = Growth("binned", X, max_bins=5)
    gain_engine = growth.grow(2)[1]
    edges = gain_engine.bins.edges[0]
    inside = float(np.floor(edges[1])) - 1.5
    start = tree_of([(0, 0, inside)], {2: 1}, 1)
    with pytest.raises(ValueError, match=r"start splits node 0 at x\[0\] <= .* one bin.*two bins"):
        growth.grow(2, start=start)
    for value in (edges[1], np.nextafter(np.floor(edges[1]) + 1, 0), np.floor(edges[1])):
        start = tree_of([(0, 0, value)], {2: 1}, 1)
        tree, _ = growth.grow(2, 0, start=start)
        assert tree.threshold[0] == value
        np.testing.assert_array_equal(
            tree.n_node_samples[1:], [np.sum(value >= X), np.sum(value < X)]
        )


def test_missing_values_where_the_tree_saw_none():
    """They go the way that they would go in predictions, and the tree says so from then on."""
    X = LINE.copy()
    start = Kauri(2, max_leaf_nodes=2).fit(X[:7]).tree_
    X[3, 0] = np.nan
    tree, gain_engine = Growth("binned", X).grow(2, 0, start=start)
    np.testing.assert_array_equal(tree.predict(X), start.predict(X))
    assert tree.missing[0] == (1 if start.missing_left[0] else 2)
    assert gain_engine.leaf_size(0)[0] == np.sum(start.apply(X) == start.children_left[0])
