"""Binned stocks: thresholds between bins, files larger than memory, missing values, maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import creation_order, route, same_tree, valid_tree
from naive import Leaves
from sklearn import config_context
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from strategies import RowsProblem, rows_problem, seeded_rows, small_rows, weights
from threadpoolctl import threadpool_info

import agathis.stocks.build
import agathis.stocks.store
from agathis import Kauri
from agathis import _reference as reference
from agathis._kernels import one_blas_thread
from agathis._progress import Progress
from agathis._tree import MISSING
from agathis.export import to_text
from agathis.stocks.base import threshold_between
from agathis.stocks.store import MemoryStore

SEEDS = st.integers(0, 2**32 - 1)
KERNELS = ("linear", "cosine")


def binned(n_clusters: int = 3, **parameters) -> Kauri:
    return Kauri(n_clusters, stocks="binned", **parameters)


def same_model(a: Kauri, b: Kauri, tolerance: float, counts: bool = True) -> None:
    same_tree(a.tree_, b.tree_, gains=tolerance, counts=counts)
    np.testing.assert_array_equal(a.tree_.missing, b.tree_.missing)
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-9, abs=tolerance)
    assert a.inertia_ == pytest.approx(b.inertia_, rel=1e-9, abs=tolerance)


def same_bits(a, b) -> None:
    for name in ("children_left", "feature", "threshold", "cluster", "gain", "move", "missing"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def points_of(X: np.ndarray, kernel: str) -> np.ndarray:
    if kernel == "linear":
        return X
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, length, out=np.zeros_like(X), where=length > 0)


def blobs_of(n: int, d: int = 4, centers: int = 7, seed: int = 0) -> np.ndarray:
    return make_blobs(n, d, centers=centers, cluster_std=1.5, random_state=seed)[0]


# A bin for each value.


@given(st.one_of(small_rows(), seeded_rows(1, 120)), st.sampled_from([1, 2]))
@settings(max_examples=150)
def test_with_a_bin_for_each_value_the_tree_is_exact(problem, threads):
    model, exact = problem.fit("binned", n_jobs=threads), problem.fit("features")
    assert model.stocks_ == "binned"
    valid_tree(
        model.tree_,
        problem.X,
        model.labels_,
        problem.weight,
        problem.n_clusters,
        **problem.limits,
    )
    same_model(model, exact, problem.tolerance)
    np.testing.assert_array_equal(model.labels_, exact.labels_)


@given(seeded_rows(2, 60), SEEDS, st.sampled_from([1, 0.5, "log2"]))
@settings(max_examples=40)
def test_drawn_features(problem, seed, max_features):
    model, exact = (
        problem.fit(stocks, max_features=max_features, random_state=seed)
        for stocks in ("binned", "features")
    )
    same_model(model, exact, problem.tolerance)


@pytest.mark.parametrize("kind", [None, "fractions", "with zeros"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_more_rows_with_a_bin_for_each_value(kernel, kind):
    random = np.random.default_rng(0)
    X = np.round(random.normal(size=(5000, 5)) * 20)
    weight = weights(random, 5000, kind)
    problem = rows_problem(X[:, :4], weight, 6, kernel, max_leaf_nodes=40)
    model, exact = problem.fit("binned"), problem.fit("features")
    assert model.n_leaves_ > 20
    same_model(model, exact, 1e-11 * exact.tree_.gain.sum())


@given(st.one_of(small_rows(), seeded_rows(1, 60, values=["integer", "few rows"])))
@settings(max_examples=60)
def test_weights_are_repeats(problem):
    if problem.weight is None or np.any(problem.weight % 1):
        problem = replace(problem, weight=np.arange(len(problem.X)) % 3 + 1.0)
    rows = np.repeat(np.arange(len(problem.X)), problem.weight.astype(int))
    repeated = replace(problem, X=problem.X[rows], weight=None)
    weighted, plain = problem.fit("binned"), repeated.fit("binned")
    same_model(weighted, plain, problem.tolerance, counts=False)
    np.testing.assert_array_equal(weighted.labels_[rows], plain.labels_)


def test_weights_are_repeats_also_with_few_bins():
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 3))
    for max_bins in (2, 3, 11, 14, 25, 255):
        weight = random.integers(1, 4, 600)
        parameters = {"max_bins": max_bins, "max_leaf_nodes": 15}
        weighted = binned(4, **parameters).fit(X, sample_weight=weight)
        plain = binned(4, **parameters).fit(np.repeat(X, weight, axis=0))
        same_model(weighted, plain, 1e-10 * plain.inertia_, counts=False)


# Fewer bins.


@given(seeded_rows(1, 200), st.integers(2, 20))
@settings(max_examples=80)
def test_with_fewer_bins_the_tree_is_valid(problem, max_bins):
    model = problem.fit("binned", max_bins=max_bins)
    X, weight = problem.X, problem.weight
    valid_tree(
        model.tree_,
        X,
        model.labels_,
        weight,
        problem.n_clusters,
        **problem.limits,
        midpoints=False,
    )
    for f in range(X.shape[1]):
        assert len(np.unique(model.tree_.threshold[model.tree_.feature == f])) < len(X)
    points = points_of(X, problem.kernel)
    value = reference.objective(points @ points.T, model.labels_, weight)
    assert model.objective_ == pytest.approx(value, rel=1e-9, abs=problem.tolerance)
    assert model.score(X, sample_weight=weight) == pytest.approx(
        value, rel=1e-9, abs=problem.tolerance
    )


@pytest.mark.parametrize("max_bins", [20, 64, 255])
@pytest.mark.parametrize("kernel", KERNELS)
def test_with_fewer_bins_little_is_lost(kernel, max_bins):
    """On average: a single greedy tree may take a better or a worse turn for another threshold."""
    ratios = []
    for seed in range(6):
        X = blobs_of(4000, seed=seed)
        exact = Kauri(7, kernel=kernel, stocks="features", max_leaf_nodes=20).fit(X)
        model = binned(7, kernel=kernel, max_bins=max_bins, max_leaf_nodes=20).fit(X)
        ratios.append(model.inertia_ / exact.inertia_)
    assert np.mean(ratios) < (1.05 if max_bins < 64 else 1.02)


def test_two_bins_are_halves():
    X = np.random.default_rng(0).normal(size=(1001, 3)) ** 3
    model = binned(8, max_bins=2).fit(X)
    valid_tree(model.tree_, X, model.labels_, None, 8, midpoints=False)
    for f in range(3):
        cut = np.unique(model.tree_.threshold[model.tree_.feature == f])
        assert len(cut) == 1
        assert np.sum(X[:, f] <= cut) == 501
    assert model.n_leaves_ == 8


# What must not matter.


@pytest.mark.parametrize("kind", [None, "fractions"])
@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_threads_do_not_matter(missing, kind):
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 12))
    X[random.random(X.shape) < missing] = np.nan
    weight = weights(random, len(X), kind)
    one, *others = (
        binned(6, max_leaf_nodes=25, n_jobs=threads).fit(X, sample_weight=weight)
        for threads in (1, 2, 4)
    )
    for other in others:
        same_bits(one.tree_, other.tree_)
        assert one.objective_ == other.objective_


@given(seeded_rows(2, 100, kernels=["linear"]), st.sampled_from([2, 16, 255]))
@settings(max_examples=40)
def test_float32_rows_give_the_tree_of_their_values(problem, max_bins):
    narrow = replace(problem, X=problem.X.astype(np.float32))
    wide = replace(problem, X=narrow.X.astype(np.float64))
    a, b = narrow.fit("binned", max_bins=max_bins), wide.fit("binned", max_bins=max_bins)
    same_bits(a.tree_, b.tree_)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-12)


def test_float32_rows_and_cosine():
    """Their points are rounded to float32: the tree need not be the same, but as good."""
    X = blobs_of(2000).astype(np.float32)
    a, b = (
        binned(6, kernel="cosine", max_leaf_nodes=20).fit(rows)
        for rows in (X, X.astype(np.float64))
    )
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layout_of_the_rows_does_not_matter(dtype):
    X = np.random.default_rng(0).normal(size=(500, 3)).astype(dtype)
    X[::9, 1] = np.nan
    wide = np.full((1000, 9), 7, dtype=dtype)
    wide[::2, ::3] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    model = binned(5).fit(X)
    for other in (np.asfortranarray(X), wide[::2, ::3], read_only):
        before = other.copy()
        same_bits(model.tree_, binned(5).fit(other).tree_)
        np.testing.assert_array_equal(before, other)


@given(seeded_rows(2, 60), SEEDS)
@settings(max_examples=40)
def test_row_order_does_not_matter(problem, seed):
    order = np.random.default_rng(seed).permutation(len(problem.X))
    weight = None if problem.weight is None else problem.weight[order]
    other = replace(problem, X=problem.X[order], weight=weight)
    model, shuffled = problem.fit("binned", max_bins=9), other.fit("binned", max_bins=9)
    same_tree(model.tree_, shuffled.tree_, gains=problem.tolerance)
    np.testing.assert_array_equal(model.labels_[order], shuffled.labels_)


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_rows_in_memory_are_summed_some_at_a_time(rows, monkeypatch):
    X = np.random.default_rng(0).normal(size=(150, 3))
    weight = np.arange(150) % 3 + 0.5
    model = binned(5).fit(X, sample_weight=weight)
    monkeypatch.setattr(MemoryStore, "_rows_at_once", lambda store, width: rows)
    same_model(model, binned(5).fit(X, sample_weight=weight), 1e-12 * model.objective_)


# Files that are mapped.


@pytest.fixture
def mapped(tmp_path):
    """The rows as a mapped file."""

    def write(X: np.ndarray, order: str = "C") -> np.memmap:
        file = np.memmap(
            tmp_path / f"{order}{X.dtype}", dtype=X.dtype, shape=X.shape, mode="w+", order=order
        )
        file[:] = X
        file.flush()
        return np.memmap(file.filename, dtype=X.dtype, shape=X.shape, mode="r", order=order)

    return write


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [None, "with zeros"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_mapped_file_is_as_good_as_memory(mapped, monkeypatch, dtype, order, kind, missing):
    """Read some rows at a time, fewer than there are."""
    monkeypatch.setattr(agathis.stocks.store, "STREAM_ROWS", 37)
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3)).astype(dtype)
    X[random.random(X.shape) < missing] = np.nan
    weight = weights(random, 400, kind)
    file = mapped(X, order)
    memory, streamed = (binned(5).fit(rows, sample_weight=weight) for rows in (X, file))
    assert streamed.stocks_ == "binned"
    same_model(streamed, memory, 1e-12 * abs(memory.objective_))
    np.testing.assert_array_equal(streamed.labels_, memory.labels_)
    np.testing.assert_array_equal(streamed.predict(file), memory.labels_)
    np.testing.assert_array_equal(streamed.transform(file), streamed.transform(X))
    assert streamed.score(file, sample_weight=weight) == pytest.approx(streamed.objective_, 1e-5)
    np.testing.assert_array_equal(file, X)


@pytest.mark.parametrize("parameters", [{"kernel": "cosine"}, {"kernel": "rbf", "gamma": 0.2}])
def test_a_mapped_file_and_other_kernels(mapped, monkeypatch, parameters):
    monkeypatch.setattr(agathis.stocks.store, "STREAM_ROWS", 41)
    X = np.random.default_rng(0).normal(size=(400, 3))
    X[::11, 0] = np.nan
    if parameters["kernel"] == "rbf":
        parameters = {**parameters, "n_components": 60}
    memory, streamed = (
        binned(5, max_leaf_nodes=20, **parameters).fit(rows) for rows in (X, mapped(X))
    )
    same_model(streamed, memory, 1e-9 * abs(memory.objective_))
    np.testing.assert_array_equal(streamed.labels_, memory.labels_)


@pytest.mark.parametrize("missing", [False, True])
def test_neighbouring_values_of_a_mapped_file_are_separated(mapped, missing):
    """A midpoint of two neighbours in float32 is none of float32: it must not be rounded."""
    value, values = np.float32(1.0), []
    for _ in range(8):
        values += 3 * [value]
        value = np.nextafter(value, np.float32(2.0))
    X = np.array(values, dtype=np.float32)[:, None]
    if missing:
        X[::5] = np.nan
    memory, streamed = binned(4).fit(X), binned(4).fit(mapped(X))
    valid_tree(streamed.tree_, X, streamed.labels_, None, 4)
    same_bits(streamed.tree_, memory.tree_)


def test_a_mapped_file_is_binned_where_it_is_large(mapped, monkeypatch):
    """A small one is read like any other table: joblib maps tables that it gives to workers."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    assert Kauri(3).fit(X).stocks_ == "features"
    same_bits(Kauri(3).fit(mapped(X)).tree_, Kauri(3).fit(X).tree_)
    with monkeypatch.context() as patch:
        patch.setattr(agathis.stocks.build, "EXACT_ROWS", 100)
        assert Kauri(3).fit(mapped(X)).stocks_ == "binned"
    assert Kauri(3, kernel="rbf").fit(mapped(X)).stocks_ == "gram"
    exact = Kauri(3, stocks="features").fit(mapped(X))
    same_bits(exact.tree_, Kauri(3).fit(X).tree_)


def test_a_mapped_file_of_whole_numbers(tmp_path):
    file = np.memmap(tmp_path / "whole", dtype=np.int32, shape=(60, 2), mode="w+")
    file[:] = np.random.default_rng(0).integers(0, 9, (60, 2))
    same_bits(binned(4).fit(file).tree_, binned(4).fit(np.array(file, dtype=float)).tree_)


# A sample of the rows.


def test_bins_come_from_some_of_the_rows(monkeypatch):
    """Drawn the same each time, unless a seed says otherwise."""
    X = blobs_of(3000)
    fits = {
        seed: [
            binned(7, subsample=100, max_leaf_nodes=14, random_state=seed).fit(X) for _ in range(2)
        ]
        for seed in (None, 1, 2)
    }
    for first, second in fits.values():
        same_bits(first.tree_, second.tree_)
        valid_tree(first.tree_, X, first.labels_, None, 7, max_leaf_nodes=14, midpoints=False)
    thresholds = [set(pair[0].tree_.threshold.tolist()) for pair in fits.values()]
    assert thresholds[0] != thresholds[1] != thresholds[2]
    all_rows = binned(7, max_leaf_nodes=14).fit(X)
    for first, _ in fits.values():
        assert first.inertia_ == pytest.approx(all_rows.inertia_, rel=0.1)


@given(seeded_rows(10, 150, kernels=["linear"]), st.integers(2, 60), SEEDS)
@settings(max_examples=40)
def test_values_that_the_sample_does_not_have(problem, subsample, seed):
    """They are in the bin between whose edges they lie: thresholds cut where bins do."""
    random = np.random.default_rng(seed)
    problem.X[random.random(problem.X.shape) < random.choice([0, 0.1])] = np.nan
    model = problem.fit("binned", subsample=subsample, random_state=seed % 2**31)
    valid_tree(
        model.tree_,
        problem.X,
        model.labels_,
        problem.weight,
        problem.n_clusters,
        **problem.limits,
        midpoints=False,
    )


def test_a_column_that_the_sample_misses():
    """All known values of a column are in rows that are not drawn: one bin, no threshold."""
    X = np.random.default_rng(0).normal(size=(400, 2))
    X[:, 1] = np.nan
    X[200:203, 1] = [5.0, 6.0, 7.0]
    model = binned(4, subsample=10).fit(X)
    valid_tree(model.tree_, X, model.labels_, None, 4, midpoints=False)
    np.testing.assert_array_equal(model.labels_, model.predict(X))


# Missing values.


def filled(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The mean of its column in the place of each missing value; 0 where all are missing."""
    weight = np.ones(len(X)) if weight is None else weight
    out = X.copy()
    for column in out.T:
        known = ~np.isnan(column)
        size = weight[known].sum()
        column[~known] = weight[known] @ column[known] / size if size > 0 else 0.0
    return out


def grow_naively(X, points, weight, n_clusters, tolerance, max_leaves=None) -> list[dict]:
    """Splits in order of creation, by every cut and both ways for missing values."""
    weight = np.ones(len(X)) if weight is None else weight
    leaves = Leaves(X, points - np.average(points, axis=0, weights=weight), weight, n_clusters)
    node_of, splits = [0], []
    while max_leaves is None or len(leaves.cluster_of) < max_leaves:
        found = []
        for slot in range(len(leaves.cluster_of)):
            for f in range(X.shape[1]):
                cuts = leaves.cuts(slot, f)
                for at, gain in enumerate(leaves.best_gains(slot, cuts)):
                    found.append((slot, f, cuts, at, gain))
        best = max((gain for *_, gain in found), default=0.0)
        if best <= tolerance:
            break
        first = {}  # of each leaf
        for slot, f, cuts, at, gain in found:
            if gain >= best - tolerance and slot not in first:
                column = X[leaves.members(slot), f]
                after = column[column > cuts.last[at]]
                threshold = np.inf
                if len(after):
                    threshold = threshold_between(float(cuts.last[at]), float(after.min()))
                first[slot] = (f, threshold, node_of[slot], slot, cuts, at)
        f, threshold, node, slot, cuts, at = min(first.values(), key=lambda s: s[:3])
        gains = leaves.gains(slot, cuts)[at]
        move, left, right = leaves.moves(slot)[int(np.argmax(gains >= gains.max() - tolerance))]
        misses = np.isnan(X[leaves.members(slot), f]).any()
        missing = (1 if cuts.missing_left[at] else 2) if misses else 0
        splits.append(
            {
                "node": node,
                "feature": f,
                "threshold": threshold,
                "missing": missing,
                "move": move,
                "clusters": (left, right),
                "gain": gains.max(),
            }
        )
        members = leaves.goes_left(slot, f, cuts.last[at], cuts.missing_left[at])
        leaves.cut(slot, members, (left, right))
        node_of[slot] = 2 * len(splits) - 1
        node_of.append(2 * len(splits))
    return splits


@st.composite
def missing_rows(draw, max_n: int = 16, values=None) -> RowsProblem:
    """Rows of which some miss some values; at times whole columns."""
    problem = draw(st.one_of(small_rows(), seeded_rows(2, max_n, values=values)))
    random = np.random.default_rng(draw(SEEDS))
    X = problem.X.copy()
    X[random.random(X.shape) < draw(st.sampled_from([0.1, 0.3, 0.8]))] = np.nan
    if draw(st.sampled_from([0, 0, 0, 1])):
        X[:, random.integers(X.shape[1])] = np.nan
    return replace(problem, X=X)


@given(missing_rows())
@settings(max_examples=200)
def test_missing_values_go_where_most_is_gained(problem):
    problem = replace(problem, limits={})
    X, weight = problem.X, problem.weight
    counted = np.ones(len(X), dtype=bool) if weight is None else weight > 0
    points = points_of(filled(X, weight), problem.kernel)
    model = problem.fit("binned")
    gram = points @ points.T
    tolerance = reference.tolerance(gram[np.ix_(counted, counted)], None) * 8
    splits = grow_naively(
        X[counted],
        points[counted],
        None if weight is None else weight[counted],
        problem.n_clusters,
        tolerance / 8,
    )
    tree = model.tree_
    assert tree.n_leaves == len(splits) + 1
    for node, split in zip(creation_order(tree), splits, strict=True):
        assert node == split["node"]
        assert tree.feature[node] == split["feature"]
        assert tree.threshold[node] == split["threshold"]
        assert tree.missing[node] == split["missing"]
        assert tree.move[node] == split["move"]
        children = tree.children_left[node], tree.children_right[node]
        assert tuple(tree.cluster[list(children)]) == split["clusters"]
        assert tree.gain[node] == pytest.approx(split["gain"], abs=tolerance)


@given(missing_rows(max_n=80), st.integers(2, 255))
@settings(max_examples=100)
def test_rows_that_miss_values(problem, max_bins):
    """Predictions are the labels, and the objective is that of the rows with means filled in."""
    X, weight = problem.X, problem.weight
    model = problem.fit("binned", max_bins=max_bins)
    valid_tree(
        model.tree_,
        X,
        model.labels_,
        weight,
        problem.n_clusters,
        **problem.limits,
        midpoints=False,
    )
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    full = filled(X, weight)
    points = points_of(full, problem.kernel)
    value = reference.objective(points @ points.T, model.labels_, weight)
    scale = 1e-12 * (1 + np.sum(points**2) * (1 if weight is None else weight.max()))
    assert model.objective_ == pytest.approx(value, rel=1e-9, abs=scale)
    assert model.score(X, sample_weight=weight) == pytest.approx(value, rel=1e-9, abs=scale)
    np.testing.assert_array_equal(
        model.decision_path(X).toarray().astype(bool), route(model.tree_, X)
    )
    np.testing.assert_allclose(model.transform(X), model.transform(full), rtol=1e-7, atol=1e-7)
    again = problem.fit("binned", max_bins=max_bins)
    np.testing.assert_array_equal(again.labels_, model.labels_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_methods_take_missing_values(dtype):
    X = blobs_of(300).astype(dtype)
    X[::7, 0] = X[::5, 2] = np.nan
    model = binned(5, max_leaf_nodes=12)
    labels = model.fit_predict(X)
    np.testing.assert_array_equal(labels, model.labels_)
    distances = model.transform(X)
    assert np.isfinite(distances).all()
    np.testing.assert_array_equal(distances, binned(5, max_leaf_nodes=12).fit_transform(X))
    points = filled(X.astype(np.float64), None)
    centres = np.array([points[labels == k].mean(axis=0) for k in range(5)])
    expected = np.linalg.norm(points[:, None] - centres, axis=2)
    np.testing.assert_allclose(distances, expected, rtol=1e-5)
    np.testing.assert_array_equal(model.tree_.cluster[model.apply(X)], labels)
    assert model.score(X) == pytest.approx(model.objective_, rel=1e-5)


def test_missing_as_an_answer():
    """Where nothing but being missing tells two clusters apart, the leaf says so."""
    X = np.array([[4.0, 0], [4, 1], [4, 0], [4, 1], [np.nan, 30], [np.nan, 31], [np.nan, 30]])
    X = np.column_stack([X[:, 0], np.full(7, 2.0)])  # the second column says nothing
    gap = binned(2).fit(X)
    assert gap.n_leaves_ == 1  # the mean fills in: to the linear kernel the rows are equal
    # A second column that says it, of one bin for all: only the first can cut.
    wide = np.column_stack([X[:, 0], [0.0, 1, 0, 1, 30, 31, 30]])
    model = binned(2, max_bins=2, max_leaf_nodes=2).fit(np.repeat(wide, [9, 1, 1, 1, 1, 1, 1], 0))
    assert model.n_leaves_ == 2
    assert model.tree_.threshold[0] == np.inf
    assert MISSING[model.tree_.missing[0]] == "right"
    assert to_text(model).splitlines() == [
        "x[0] is known",
        "|   cluster 0 (12 samples)",
        "x[0] is missing",
        "|   cluster 1 (3 samples)",
    ]
    np.testing.assert_array_equal(model.predict([[1e300, 0], [-1e300, 0], [np.nan, 0]]), [0, 0, 1])
    np.testing.assert_array_equal(model.predict(wide), model.predict(wide.astype(np.float32)))


@pytest.mark.parametrize("side", ["left", "right"])
def test_missing_beside_a_threshold_in_words(side):
    x = np.array([0.0, 1, 2, 50, 51, 52, np.nan, np.nan])
    y = np.array([0.0, 0, 0, 50, 50, 50, *(2 * [0 if side == "left" else 50])])
    model = binned(2, max_leaf_nodes=2).fit(np.column_stack([x, y]))
    assert MISSING[model.tree_.missing[0]] == side
    lines = to_text(model).splitlines()
    assert lines[0] == "x[0] <= 26" + (" or missing" if side == "left" else "")
    assert lines[2] == "x[0] > 26" + (" or missing" if side == "right" else "")
    assert "missing" not in to_text(binned(2, max_leaf_nodes=2).fit(np.column_stack([y, y])))


def test_columns_without_any_value():
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 2))
    exact = binned(4).fit(X)
    for place in range(3):
        with_gap = np.insert(X, place, np.nan, axis=1)
        model = binned(4).fit(with_gap)
        np.testing.assert_array_equal(model.labels_, exact.labels_)
        assert place not in model.tree_.feature
        assert model.objective_ == pytest.approx(exact.objective_)
        assert np.isfinite(model.transform(with_gap)).all()
    nothing = binned(3).fit(np.full((9, 2), np.nan))
    assert (nothing.n_leaves_, nothing.objective_, nothing.inertia_) == (1, 0.0, 0.0)


@pytest.mark.parametrize("kernel", [*KERNELS, "rbf"])
def test_missing_only_in_rows_to_come(kernel):
    """They go to the child with more rows; to the kernel they are at the column's mean."""
    X = blobs_of(200, 3)
    parameters = {"n_components": 100, "gamma": 0.01} if kernel == "rbf" else {}
    model = binned(4, kernel=kernel, max_leaf_nodes=9, **parameters).fit(X)
    assert not model.tree_.missing.any()
    gaps = X.copy()
    gaps[::2, 0] = gaps[::3, 2] = np.nan
    valid_tree(model.tree_, X, model.labels_)
    passes = route(model.tree_, gaps)
    leaves = np.flatnonzero(model.tree_.is_leaf)
    expected = leaves[np.argmax(passes[:, leaves], axis=1)]
    np.testing.assert_array_equal(model.apply(gaps), expected)
    np.testing.assert_array_equal(model.predict(gaps), model.tree_.cluster[expected])
    node, tree = 0, model.tree_
    while tree.children_left[node] >= 0:
        left, right = tree.children_left[node], tree.children_right[node]
        node = left if tree.n_node_samples[left] >= tree.n_node_samples[right] else right
    assert model.apply(np.full((1, 3), np.nan)) == node
    full = np.where(np.isnan(gaps), X.mean(axis=0), gaps)
    np.testing.assert_allclose(model.transform(gaps), model.transform(full), rtol=1e-9)
    assert np.isfinite(model.score(gaps))


@pytest.mark.parametrize("stocks", ["auto", "gram", "blocks", "features"])
def test_missing_values_with_other_stocks_are_an_error(stocks):
    X = blobs_of(30)
    X[4, 2] = np.nan
    message = rf"X contains NaN.*column 2.*stocks='binned'.*here stocks='{stocks}'.*SimpleImputer"
    with pytest.raises(ValueError, match=message):
        Kauri(3, stocks=stocks).fit(X)
    model = Kauri(3, stocks=stocks).fit(blobs_of(30))
    for method in ("predict", "transform", "score", "apply", "decision_path"):
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(X)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_infinity_is_an_error(value, dtype):
    X = blobs_of(30).astype(dtype)
    model = binned(3).fit(X)
    X[7, 1] = value
    X[3, 2] = np.nan
    for call in (binned(3).fit, model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match="X contains infinity"):
            call(X)


def test_missing_values_of_rows_without_weight():
    """They count for nothing, but they get a label."""
    X = blobs_of(60)
    X[::4, 1] = np.nan
    weight = np.ones(60)
    weight[::4] = 0.0
    model = binned(4).fit(X, sample_weight=weight)
    assert not model.tree_.missing.any()
    exact = binned(4).fit(X[weight > 0])
    same_bits(model.tree_, exact.tree_)
    np.testing.assert_array_equal(model.labels_, model.predict(X))


# Feature maps.


@pytest.mark.parametrize("stocks", ["features", "binned"])
@pytest.mark.parametrize("feature_map", ["cholesky", "nystroem"])
def test_enough_components_are_the_kernel(stocks, feature_map):
    """With one for each row nothing is left out, and the tree is that of the kernel matrix."""
    X = np.random.default_rng(0).normal(size=(150, 3))
    gram = Kauri(5, kernel="rbf", gamma=0.5, stocks="gram", keep_training_data=True).fit(X)
    model = Kauri(
        5,
        kernel="rbf",
        gamma=0.5,
        stocks=stocks,
        n_components=150,
        feature_map=feature_map,
        landmarks="random",
        map_tol=0.0,
    ).fit(X)
    assert model.stocks_ == stocks
    assert model.n_components_ <= 150
    assert model.residual_trace_ == pytest.approx(0, abs=1e-8)
    same_tree(model.tree_, gram.tree_, gains=1e-6)
    assert model.objective_ == pytest.approx(gram.objective_, rel=1e-6)
    np.testing.assert_allclose(model.transform(X), gram.transform(X), atol=1e-4)


@pytest.mark.parametrize("stocks", ["features", "binned"])
@pytest.mark.parametrize("weighted", [False, True])
def test_some_components_leave_out_some_of_the_kernel(stocks, weighted):
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 2))
    weight = random.choice([0.5, 1, 3], 500) if weighted else None
    model = Kauri(5, kernel="rbf", gamma=0.3, n_components=25, stocks=stocks, max_leaf_nodes=15)
    model.fit(X, sample_weight=weight)
    own = np.ones(500) if weight is None else weight
    assert model.n_components_ <= 25
    assert 0 < model.residual_trace_ < 0.1
    points = model._centres.space.points(X)
    gram = rbf_kernel(X, gamma=0.3)
    left_out = own @ (1 - np.sum(points**2, axis=1))
    kept = own @ np.sum((points - np.average(points, axis=0, weights=own)) ** 2, axis=1)
    assert model.residual_trace_ == pytest.approx(left_out / (left_out + kept), rel=1e-6)
    value = reference.objective(points @ points.T, model.labels_, own)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    assert model.score(X, sample_weight=weight) == pytest.approx(value, rel=1e-9)
    assert value == pytest.approx(reference.objective(gram, model.labels_, own), rel=0.05)
    # Distances without the training rows: those to the means of the points.
    member = own[:, None] * (model.labels_[:, None] == np.arange(model.n_clusters_))
    centres = (member / member.sum(axis=0)).T @ points
    expected = np.linalg.norm(points[:, None] - centres, axis=2)
    np.testing.assert_allclose(model.transform(X), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("stocks", ["features", "binned"])
def test_a_map_that_leaves_out_much_warns(stocks):
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = Kauri(3, kernel="rbf", gamma=0.3, n_components=8, stocks=stocks, max_leaf_nodes=6)
    message = r"8 components leave out (\d+)% of kernel='rbf'. About \d+ would leave out no more"
    with pytest.warns(UserWarning, match=message) as caught:
        model.fit(X)
    assert len(caught) == 1
    assert model.residual_trace_ > 0.1
    assert f"leave out {model.residual_trace_:.0%} of" in str(caught[0].message)
    assert model.n_components_ == 8


@pytest.mark.parametrize("stocks", ["features", "binned"])
def test_a_sampler_does_not_tell_what_it_leaves_out(stocks):
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = Kauri(
        3, kernel="rbf", n_components=50, feature_map="sampler", stocks=stocks, max_leaf_nodes=6
    ).fit(X)
    assert model.residual_trace_ is None
    assert model.n_components_ == 50
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize("stocks", ["features", "binned"])
@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_without_components_nothing_is_left_out(stocks, kernel):
    model = Kauri(3, kernel=kernel, stocks=stocks).fit(blobs_of(50))
    assert model.n_components_ is None
    assert model.residual_trace_ is None


@pytest.mark.parametrize("stocks", ["features", "binned"])
@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_components_of_a_kernel_that_has_features(stocks, kernel):
    """As many as it has are enough for the same clusters."""
    X = blobs_of(300)
    plain = Kauri(5, kernel=kernel, stocks=stocks, max_leaf_nodes=12).fit(X)
    model = Kauri(5, kernel=kernel, stocks=stocks, n_components=8, map_tol=0, max_leaf_nodes=12)
    model.fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.inertia_ == pytest.approx(plain.inertia_, rel=1e-6)


def test_maps_of_rows_that_miss_values():
    X = blobs_of(400, 3)
    X[::5, 1] = np.nan
    parameters = {"kernel": "rbf", "gamma": 0.02, "n_components": 80, "max_leaf_nodes": 12}
    model = binned(4, **parameters).fit(X)
    full = filled(X, None)
    points = model._centres.space.points(X)
    np.testing.assert_allclose(points @ points.T, rbf_kernel(full, gamma=0.02), atol=0.05)
    value = reference.objective(points @ points.T, model.labels_)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("stocks", ["features", "binned"])
def test_maps_are_found_from_some_of_the_rows(stocks):
    X = blobs_of(900, 3)
    parameters = {"kernel": "rbf", "gamma": 0.02, "n_components": 30, "max_leaf_nodes": 8}
    models = [
        Kauri(4, stocks=stocks, subsample=100, random_state=seed, **parameters).fit(X)
        for seed in (0, 0, 1)
    ]
    same_bits(models[0].tree_, models[1].tree_)
    assert models[0].objective_ == models[1].objective_ != models[2].objective_


# Which stocks.


def identity(x, y):
    return float(x @ y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"kernel": "precomputed", "stocks": stocks},
            f"stocks='{stocks}' computes the kernel from X.*use stocks='gram' or 'auto'",
        )
        for stocks in ("blocks", "features", "binned")
    ]
    + [
        (
            {"kernel": "precomputed", "stocks": stocks, "n_components": 5},
            "n_components=5 maps the rows of X.*use n_components=None",
        )
        for stocks in ("auto", "gram")
    ]
    + [
        (
            {"kernel": kernel, "stocks": stocks, "n_components": 5},
            f"n_components=5 makes features, and stocks='{stocks}' has no use for them",
        )
        for kernel in ("linear", "rbf")
        for stocks in ("gram", "blocks")
    ]
    + [
        (
            {"kernel": kernel, "stocks": stocks},
            f"stocks='{stocks}' needs features, and kernel='{kernel}' has none of its own: give "
            r"n_components \(for example 256\)",
        )
        for kernel in ("rbf", "laplacian", "chi2", "poly")
        for stocks in ("features", "binned")
    ],
)
def test_what_does_not_go_together(parameters, message):
    X = np.abs(blobs_of(20))
    gram = {"gram": X @ X.T} if parameters["kernel"] == "precomputed" else {}
    with pytest.raises(ValueError, match=message):
        Kauri(3, **parameters).fit(X, **gram)


@pytest.mark.parametrize("stocks", ["features", "binned"])
def test_a_callable_has_no_features(stocks):
    with pytest.raises(ValueError, match=r"needs features, and kernel=<function identity"):
        Kauri(3, kernel=identity, stocks=stocks).fit(blobs_of(20))
    model = Kauri(3, kernel=identity, stocks=stocks, n_components=6, map_tol=0).fit(blobs_of(20))
    plain = Kauri(3, stocks=stocks).fit(blobs_of(20))
    np.testing.assert_array_equal(model.labels_, plain.labels_)


@pytest.mark.parametrize("value", [1, 0, 256, 2.5])
def test_max_bins_out_of_range(value):
    with pytest.raises(ValueError, match="max_bins"):
        binned(2, max_bins=value).fit(blobs_of(20))


@pytest.mark.parametrize(
    ("parameters", "rows", "expected"),
    [
        ({}, 100, "features"),
        ({"kernel": "cosine"}, 100, "features"),
        ({"kernel": "rbf", "n_components": 60}, 100, "features"),
        ({}, 101, "binned"),
        ({"kernel": "cosine"}, 101, "binned"),
        ({"kernel": "rbf", "n_components": 60}, 101, "binned"),
        ({"kernel": "rbf"}, 101, "gram"),
        ({"kernel": identity}, 101, "gram"),
        ({"kernel": "precomputed"}, 101, "gram"),
    ],
)
def test_auto(monkeypatch, parameters, rows, expected):
    monkeypatch.setattr(agathis.stocks.build, "EXACT_ROWS", 100)
    X = blobs_of(rows)
    gram = {"gram": X @ X.T} if parameters.get("kernel") == "precomputed" else {}
    if parameters.get("kernel") == "rbf":
        parameters = {"gamma": 0.01, **parameters}
    model = Kauri(3, max_leaf_nodes=4, **parameters).fit(X, **gram)
    assert model.stocks_ == expected


def test_auto_counts_rows_of_positive_weight(monkeypatch):
    monkeypatch.setattr(agathis.stocks.build, "EXACT_ROWS", 100)
    weight = np.ones(150)
    weight[:50] = 0.0
    assert Kauri(3).fit(blobs_of(150), sample_weight=weight).stocks_ == "features"


@pytest.mark.parametrize(
    ("parameters", "rows", "width"), [({}, 9100, 4), ({"n_components": 8}, 6000, 8)]
)
def test_auto_by_memory(parameters, rows, width):
    """A megabyte holds so many rows of 13 d + 16 D bytes, and no more."""
    X = blobs_of(rows)
    fits = 2**20 // (13 * 4 + 16 * width)
    assert fits < rows
    with config_context(working_memory=1):
        kernel = {"kernel": "rbf", "gamma": 1e-5} if parameters else {}
        models = [
            Kauri(2, max_leaf_nodes=2, **kernel, **parameters).fit(X[:n]) for n in (fits, fits + 1)
        ]
    assert [model.stocks_ for model in models] == ["features", "binned"]


# A fit that is cut short.


@pytest.mark.parametrize("at", [0, 1, 5])
def test_an_interrupted_fit_leaves_the_last_one(monkeypatch, at):
    X = blobs_of(300)
    model = binned(5, max_leaf_nodes=12).fit(X)
    before = {**vars(model)}
    calls = []

    def interrupt(self, done, total):
        calls.append(done)
        if len(calls) > at:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "rows", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_clusters=7).fit(-X)
    assert len(calls) == at + 1
    after = vars(model)
    for name, value in before.items():
        if name != "n_clusters":
            assert after[name] is value or after[name] == value, name
    np.testing.assert_array_equal(model.predict(X), before["labels_"])
    monkeypatch.undo()
    assert model.fit(-X).n_clusters_ == 7


def test_an_interrupted_fit_of_other_columns_leaves_the_model(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    model = binned(3).fit(X)
    labels = model.labels_.copy()

    def interrupt(*rows):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "rows", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(random.normal(size=(50, 3)))
    np.testing.assert_array_equal(model.predict(X), labels)


def test_the_limit_of_blas_threads_is_lifted_by_the_last():
    outer, inner = one_blas_thread(), one_blas_thread()
    before = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    held = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    inner.__exit__(None, None, None)
    after = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert set(held) == {1}
    assert after == before


@pytest.mark.parametrize("stocks", ["features", "binned"])
def test_weights_that_are_too_large(stocks):
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ValueError, match="sample_weight or X is too large"):
        Kauri(3, stocks=stocks).fit(X, sample_weight=np.full(40, 1e200))


def test_clusters_without_inertia():
    """Sums of many equal rows round; less than none is left of no inertia."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2, 3))[random.integers(0, 2, 40_000)]
    for stocks in ("features", "binned"):
        assert 0 <= Kauri(2, stocks=stocks).fit(X).inertia_ < 1e-9


def test_a_wide_table_is_warned_of():
    X = np.random.default_rng(0).normal(size=(60, 40))
    with (
        config_context(working_memory=1),
        pytest.warns(UserWarning, match="X has 40 columns") as seen,
    ):
        binned(3, max_leaf_nodes=20).fit(X)
    assert seen[0].filename == __file__
    assert "n_components" in str(seen[0].message)
