"""Binned stocks: thresholds between bins, found from some of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import reference
from helpers.examples import examples, mostly_slow
from helpers.invariants import same_tree, valid_tree
from helpers.models import KERNELS, SEEDS, binned, blobs_of, points_of, same_bits, same_model
from helpers.strategies import rows_problem, seeded_rows, small_rows, weights
from hypothesis import given
from hypothesis import strategies as st

from agathis import Kauri
from agathis._dataset.row_stores import RowStore

# A bin for each value.


@given(st.one_of(small_rows(), seeded_rows(1, 120)), st.sampled_from([1, 2]))
@examples(150)
def test_with_a_bin_for_each_value_the_tree_is_exact(problem, threads):
    model, exact = problem.fit("binned", n_jobs=threads), problem.fit("features")
    assert model.engine_ == "binned"
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
@examples(40)
def test_drawn_features(problem, seed, max_features):
    model, exact = (
        problem.fit(engine, max_features=max_features, random_state=seed)
        for engine in ("binned", "features")
    )
    same_model(model, exact, problem.tolerance)


@pytest.mark.parametrize("kind", mostly_slow([None, "fractions", "with zeros"], "with zeros"))
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
@examples(60)
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
@examples(80)
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
        exact = Kauri(7, kernel=kernel, engine="features", max_leaf_nodes=20).fit(X)
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


@pytest.mark.parametrize("kind", mostly_slow([None, "fractions"], "fractions"))
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
@examples(40)
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
@examples(40)
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
    monkeypatch.setattr(RowStore, "_rows_at_once", lambda store, width: rows)
    same_model(model, binned(5).fit(X, sample_weight=weight), 1e-12 * model.objective_)


# A sample of the rows.


def test_bins_come_from_some_of_the_rows(monkeypatch):
    """One seed draws the same rows each time."""
    X = blobs_of(3000)
    fits = {
        seed: [
            binned(7, subsample=100, max_leaf_nodes=14, random_state=seed).fit(X) for _ in range(2)
        ]
        for seed in (0, 1, 2)
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
@examples(40)
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
