"""Costs, distances and agreement of labels, against sums written out pair by pair."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.label_costs import (
    CASES,
    METRICS,
    PARAMS,
    case,
    naive_cost,
    naive_gemini,
    naive_objective,
    near,
)
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import pairwise_kernels

from agathis import Kauri
from agathis._kernels.names import KERNELS
from agathis.metrics import (
    kernel_kmeans_score,
    mmd_gemini,
    unsupervised_accuracy,
)


@given(CASES)
def test_cost_is_the_sum_over_pairs(drawn):
    X, labels, weight, gram = case(*drawn)
    trace = weight @ np.abs(np.diagonal(gram))
    expected = near(naive_cost(gram, labels, weight), trace)
    kernel, params = drawn[1], PARAMS[drawn[1]]
    assert kernel_kmeans_score(X, labels, kernel, sample_weight=weight, **params) == expected
    assert kernel_kmeans_score(gram, labels, "precomputed", sample_weight=weight) == expected


@given(CASES)
def test_cost_is_the_trace_less_the_objective(drawn):
    X, labels, weight, gram = case(*drawn)
    trace = weight @ np.diagonal(gram)
    cost = kernel_kmeans_score(X, labels, drawn[1], sample_weight=weight, **PARAMS[drawn[1]])
    expected = trace - naive_objective(gram, labels, weight)
    assert cost == near(expected, weight @ np.abs(np.diagonal(gram)))


@given(SEEDS, st.booleans())
def test_linear_cost_is_the_sum_of_squares_about_the_means(seed, weighted):
    X, labels, weight, _ = case(seed, "linear", weighted)
    expected = 0.0
    for k in set(labels[weight > 0].tolist()):
        inside, share = X[labels == k], weight[labels == k]
        mean = np.average(inside, axis=0, weights=share)
        expected += share @ ((inside - mean) ** 2).sum(axis=1)
    assert kernel_kmeans_score(X, labels, sample_weight=weight) == near(expected, 1)


def test_linear_cost_is_the_inertia_of_kmeans(blobs):
    X = blobs[0]
    fitted = KMeans(4, n_init=1, random_state=0).fit(X)
    assert kernel_kmeans_score(X, fitted.labels_) == pytest.approx(fitted.inertia_)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_cost_and_gemini_of_a_fitted_model(iris, kernel):
    model = Kauri(3, kernel=kernel, gamma=0.2, max_leaf_nodes=6).fit(iris)
    params = {"gamma": 0.2}
    assert kernel_kmeans_score(iris, model.labels_, kernel, **params) == pytest.approx(
        model.inertia_
    )
    mean = pairwise_kernels(iris, metric=kernel, filter_params=True, gamma=0.2, coef0=1).mean()
    assert mmd_gemini(iris, model.labels_, kernel, **params) == pytest.approx(
        model.objective_ / len(iris) - mean, rel=1e-8
    )


@given(CASES)
def test_cost_is_zero_for_single_rows_and_maximal_for_one_cluster(drawn):
    X, labels, _, gram = case(*drawn)
    kernel, params = drawn[1], PARAMS[drawn[1]]
    trace = np.abs(np.diagonal(gram)).sum()
    assert kernel_kmeans_score(X, np.arange(len(X)), kernel, **params) == near(0.0, trace)
    whole = kernel_kmeans_score(X, np.zeros(len(X)), kernel, **params)
    if kernel != "sigmoid":
        cost = kernel_kmeans_score(X, labels, kernel, **params)
        assert 0 <= cost <= whole + 1e-11 * max(1.0, trace)


def test_data_far_from_the_origin(blobs):
    X, labels = blobs
    near_cost, near_gemini = kernel_kmeans_score(X, labels), mmd_gemini(X, labels)
    assert kernel_kmeans_score(X + 1e6, labels) == pytest.approx(near_cost, rel=1e-7)
    assert mmd_gemini(X + 1e6, labels) == pytest.approx(near_gemini, rel=1e-7)


@given(CASES, st.sampled_from(["ova", "ovo"]), st.booleans())
def test_gemini_is_the_expectation_of_the_appendix(drawn, mode, squared):
    X, labels, weight, gram = case(*drawn)
    kernel, params = drawn[1], PARAMS[drawn[1]]
    result = mmd_gemini(X, labels, kernel, mode, squared=squared, sample_weight=weight, **params)
    expected = naive_gemini(gram, labels, weight, mode, squared)
    largest = np.abs(gram).max()
    # The root of a rounding error is far larger than the error.
    tolerance = 1e-11 * max(1.0, largest) if squared else 1e-6 * max(1.0, np.sqrt(largest))
    assert result == pytest.approx(expected, rel=1e-9, abs=tolerance)


@given(CASES)
def test_squared_gemini_and_the_objective(drawn):
    X, labels, weight, gram = case(*drawn)
    kernel, params = drawn[1], {"sample_weight": weight, **PARAMS[drawn[1]]}
    n, scale = weight.sum(), np.abs(gram).max()
    ova = mmd_gemini(X, labels, kernel, **params)
    ovo = mmd_gemini(X, labels, kernel, "ovo", **params)
    objective = naive_objective(gram, labels, weight)
    assert ova == near(objective / n - weight @ gram @ weight / n**2, scale)
    assert ovo == near(2 * ova, scale)
    # What GEMINI has more, the cost has less.
    cost = kernel_kmeans_score(X, labels, kernel, **params)
    whole = kernel_kmeans_score(X, np.zeros(len(X)), kernel, **params)
    assert ova == near((whole - cost) / n, scale)


def test_gemini_of_one_cluster_is_zero(iris):
    for mode in ("ova", "ovo"):
        for kernel in ("linear", "rbf"):
            result = mmd_gemini(iris, np.zeros(150), kernel, mode)
            assert result == pytest.approx(0, abs=1e-12)


def test_gemini_of_another_package(iris):
    gemini = pytest.importorskip("gemclus.gemini")
    labels = load_iris().target
    for mode in ("ova", "ovo"):
        theirs = gemini.MMDGEMINI(ovo=mode == "ovo", kernel="rbf")
        affinity = theirs.compute_affinity(iris)
        assert mmd_gemini(iris, labels, "rbf", mode, squared=False) == pytest.approx(
            theirs.evaluate(np.eye(3)[labels], affinity), rel=1e-6
        )


def test_gemini_of_an_indefinite_kernel():
    gram = np.array([[0.0, 2.0], [2.0, 0.0]])
    # The rows are at a squared distance of -4; each is at -1 of their mean.
    assert mmd_gemini(gram, [0, 1], "precomputed") == -1
    assert mmd_gemini(gram, [0, 1], "precomputed", "ovo") == -2
    assert mmd_gemini(gram, [0, 1], "precomputed", squared=False) == 0
    assert kernel_kmeans_score(gram, [0, 0], "precomputed") == -2


@pytest.mark.parametrize("metric", METRICS)
@given(seed=SEEDS)
def test_weights_are_repeats(metric, seed):
    X, labels, weight, _ = case(seed, "linear", True)
    repeats = weight.astype(int)
    expected = metric(np.repeat(X, repeats, axis=0), np.repeat(labels, repeats))
    assert metric(X, labels, sample_weight=weight) == near(expected, 1)


@pytest.mark.parametrize("metric", METRICS)
@given(seed=SEEDS)
def test_names_of_clusters_do_not_matter(metric, seed):
    X, labels, _, _ = case(seed, "linear", False)
    expected = near(metric(X, labels), 1)
    other = np.random.default_rng(seed).permutation(10)[labels]
    words = np.array(["b", "ee", "a", "d", "c"])[labels]
    objects = np.array([None, *[7, "x", -1, 2.0, True]], dtype=object)[1:][labels]
    for same in (
        other,
        other - 20,
        other.astype(np.uint8),
        other.astype(float),
        words,
        words.astype(object),
        objects,
        list(words),
        pd.Series(words, dtype="category"),
        pd.Series(other, dtype="Int64"),
        pl.Series(words),
        other[:, None],
    ):
        assert metric(X, same) == expected


@pytest.mark.parametrize("metric", METRICS[:4])
def test_data_frames(metric, iris):
    labels = load_iris().target
    expected = metric(iris, labels)
    names = ["a", "b", "c", "d"]
    assert metric(pd.DataFrame(iris, columns=names), labels) == expected
    assert metric(pl.DataFrame(iris, schema=names), pl.Series(labels)) == expected
    assert metric(iris.tolist(), labels.tolist()) == expected
    assert metric(iris.astype(np.float32), labels) == pytest.approx(expected, rel=1e-5)


def test_a_callable_kernel(iris):
    def product(a, b, power=1):
        return (a @ b) ** power

    labels = load_iris().target
    assert kernel_kmeans_score(iris, labels, product) == pytest.approx(
        kernel_kmeans_score(iris, labels)
    )
    assert kernel_kmeans_score(iris, labels, product, power=2) == pytest.approx(
        kernel_kmeans_score(iris, labels, "poly", degree=2, gamma=1, coef0=0)
    )


def test_defaults_of_the_kernel_are_those_of_kauri(iris):
    for kernel in KERNELS:
        model = Kauri(3, kernel=kernel, max_leaf_nodes=3).fit(iris)
        cost = kernel_kmeans_score(iris, model.labels_, kernel)
        assert cost == pytest.approx(model.inertia_, rel=1e-6), kernel


@given(SEEDS)
def test_accuracy_is_the_best_of_all_matchings(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 20))
    y = rng.integers(0, int(rng.integers(1, 5)), n)
    labels = rng.integers(0, int(rng.integers(1, 5)), n)
    weight = rng.integers(0, 3, n).astype(float)
    weight[0] = 1
    best = 0.0
    for matching in permutations(range(5)):
        best = max(best, weight @ (np.array(matching)[labels] == y))
    assert unsupervised_accuracy(y, labels, weight) == pytest.approx(best / weight.sum())
    assert unsupervised_accuracy(labels, y, weight) == pytest.approx(best / weight.sum())


def test_accuracy_by_hand():
    assert unsupervised_accuracy(list("aabb"), list("aabb")) == 1
    assert unsupervised_accuracy(list("aabb"), [5, 5, -1, -1]) == 1
    assert unsupervised_accuracy(list("aabb"), [0, 0, 0, 0]) == 0.5
    assert unsupervised_accuracy(list("aabb"), [0, 1, 2, 3]) == 0.5
    assert unsupervised_accuracy([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]) == 0.8
    assert unsupervised_accuracy(["a"], [3]) == 1
    # A greedy match of the largest cell (0, 0) would leave 3 + 0.
    assert unsupervised_accuracy([0] * 5 + [1] * 2, [0, 0, 0, 1, 1, 0, 0]) == pytest.approx(4 / 7)
