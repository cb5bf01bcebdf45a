"""Costs, distances and agreement of labels, against sums written out pair by pair."""

from inspect import signature
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import SEEDS
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri, metrics
from agathis._kernels import KERNEL_NAMES
from agathis.metrics import (
    kernel_kmeans_score,
    mmd_gemini,
    relative_kmeans_score,
    unsupervised_accuracy,
)

PARAMS = {
    "linear": {},
    "cosine": {},
    "rbf": {"gamma": 0.3},
    "laplacian": {"gamma": 0.2},
    "poly": {"degree": 2, "gamma": 0.5, "coef0": 0.5},
    "sigmoid": {"gamma": 0.1},
    "chi2": {"gamma": 0.4},
    "additive_chi2": {},
}
CASES = st.tuples(SEEDS, st.sampled_from([*PARAMS]), st.booleans())


def case(seed, kernel, weighted):
    """Rows with ties, labels of which some may be of no row, weights with zeros."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 25)), int(rng.integers(1, 4))
    X = rng.integers(0, 5, (n, d)) if seed % 2 else rng.uniform(0, 3, (n, d))
    labels = rng.integers(0, int(rng.integers(1, 6)), n)
    weight = rng.integers(0, 4, n) if weighted else np.ones(n)
    weight[rng.integers(n)] = 1
    gram = pairwise_kernels(X, metric=kernel, **PARAMS[kernel])
    return X.astype(float), labels, weight.astype(float), gram


def naive_cost(gram, labels, weight):
    """Sum over clusters of squared distances of all pairs, over twice the weight."""
    cost = 0.0
    for k in set(labels.tolist()):
        rows = np.flatnonzero((labels == k) & (weight > 0))
        total = 0.0
        for i in rows:
            for j in rows:
                total += weight[i] * weight[j] * (gram[i, i] + gram[j, j] - 2 * gram[i, j])
        cost += total / (2 * weight[rows].sum()) if len(rows) else 0.0
    return cost


def naive_objective(gram, labels, weight):
    out = 0.0
    for k in set(labels.tolist()):
        inside = weight * (labels == k)
        out += inside @ gram @ inside / inside.sum() if inside.sum() else 0.0
    return out


def naive_gemini(gram, labels, weight, mode, squared):
    """The appendix's expectations, with p(y | x) the indicator of the cluster."""
    n = weight.sum()
    clusters = [k for k in set(labels.tolist()) if weight[labels == k].sum() > 0]
    given_x = {k: (labels == k) * 1.0 for k in clusters}
    p = {k: weight @ given_x[k] / n for k in clusters}
    data = weight / n

    def expected(f):
        """Over x_a and x_b from the rows, of kappa times f."""
        total = 0.0
        for a in range(len(labels)):
            for b in range(len(labels)):
                total += data[a] * data[b] * gram[a, b] * f(a, b)
        return total if squared else np.sqrt(max(total, 0.0))

    def one_all(k):
        y, q = given_x[k], p[k]
        return expected(lambda a, b: y[a] * y[b] / q**2 + 1 - 2 * y[a] / q)

    def one_one(k, m):
        y, z, q, r = given_x[k], given_x[m], p[k], p[m]
        return expected(
            lambda a, b: y[a] * y[b] / q**2 + z[a] * z[b] / r**2 - 2 * y[a] * z[b] / (q * r)
        )

    if mode == "ova":
        return sum(p[k] * one_all(k) for k in clusters)
    return sum(p[k] * p[m] * one_one(k, m) for k in clusters for m in clusters)


def near(value, scale):
    return pytest.approx(value, rel=1e-9, abs=1e-11 * max(1.0, abs(scale)))


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
def test_cost_of_single_rows_is_nothing_and_of_one_cluster_the_most(drawn):
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
    found = mmd_gemini(X, labels, kernel, mode, squared=squared, sample_weight=weight, **params)
    expected = naive_gemini(gram, labels, weight, mode, squared)
    largest = np.abs(gram).max()
    # The root of a rounding error is far larger than the error.
    tolerance = 1e-11 * max(1.0, largest) if squared else 1e-6 * max(1.0, np.sqrt(largest))
    assert found == pytest.approx(expected, rel=1e-9, abs=tolerance)


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


def test_gemini_of_one_cluster_is_nothing(iris):
    for mode in ("ova", "ovo"):
        for kernel in ("linear", "rbf"):
            found = mmd_gemini(iris, np.zeros(150), kernel, mode)
            assert found == pytest.approx(0, abs=1e-12)


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


METRICS = [
    kernel_kmeans_score,
    lambda X, labels, **k: relative_kmeans_score(X, labels, reference=3.0, **k),
    mmd_gemini,
    lambda X, labels, **k: mmd_gemini(X, labels, mode="ovo", squared=False, **k),
    lambda X, labels, **k: unsupervised_accuracy(X[:, 0].astype(int), labels, **k),
]


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
    for kernel in KERNEL_NAMES:
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


def test_relative_to_a_number(iris):
    labels = load_iris().target
    cost = kernel_kmeans_score(iris, labels, "rbf", gamma=0.1)
    assert relative_kmeans_score(iris, labels, "rbf", reference=cost, gamma=0.1) == 1
    assert relative_kmeans_score(iris, labels, "rbf", reference=2, gamma=0.1) == cost / 2
    gram = pairwise_kernels(iris, metric="rbf", gamma=0.1)
    assert relative_kmeans_score(gram, labels, "precomputed", reference=cost) == pytest.approx(1)


def test_relative_score_of_a_model(iris):
    model = Kauri(3, max_leaf_nodes=4).fit(pd.DataFrame(iris, columns=list("abcd")))
    expected = relative_kmeans_score(iris, model.labels_, reference=70.0)
    frame = pd.DataFrame(iris, columns=list("abcd"))
    assert relative_kmeans_score(frame, model, reference=70.0) == pytest.approx(expected)
    assert relative_kmeans_score(iris, model.tree_, reference=70.0) == pytest.approx(expected)
    assert relative_kmeans_score(iris.tolist(), model.tree_, reference=70.0) == pytest.approx(
        expected
    )
    kmeans = KMeans(3, n_init=5, random_state=0).fit(iris)
    assert relative_kmeans_score(iris, kmeans, reference=kmeans.inertia_) == pytest.approx(1)


def test_a_reference_of_nothing():
    X = [[0.1], [0.1], [0.1], [7.3], [7.3]]
    assert relative_kmeans_score(X, [0, 0, 0, 1, 1], reference=0) == 1
    assert relative_kmeans_score(X, [0, 0, 0, 0, 1], reference=0.0) == np.inf
    assert relative_kmeans_score(X, [0, 0, 0, 1, 1], reference=2.0) == 0
    for kernel in ("rbf", "poly", "laplacian", "cosine"):
        assert relative_kmeans_score(X, [0, 0, 0, 1, 1], kernel, reference=0) == 1


def test_a_small_cost_beside_a_far_row_is_not_nothing():
    X = [[0.0], [1.0], [1e10]]
    assert relative_kmeans_score(X, [0, 0, 1], reference=0.5) == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_relative_to_kernel_kmeans(iris, kernel):
    module = pytest.importorskip("agathis.kernel_kmeans")
    params = {"gamma": 0.1} if kernel != "linear" else {}
    weight = np.random.default_rng(0).integers(1, 4, len(iris)).astype(float)
    teacher = module.KernelKMeans(3, kernel=kernel, n_init=10, random_state=0, **params)
    teacher.fit(iris, sample_weight=weight)
    given = {"sample_weight": weight, "random_state": 0, **params}
    labels = teacher.labels_
    assert relative_kmeans_score(iris, labels, kernel, **given) == pytest.approx(1)
    other = load_iris().target
    cost = kernel_kmeans_score(iris, other, kernel, sample_weight=weight, **params)
    found = relative_kmeans_score(iris, other, kernel, **given)
    assert found == pytest.approx(cost / teacher.inertia_)
    assert found > 1
    more = relative_kmeans_score(iris, other, kernel, n_clusters=5, **given)
    assert more > found
    gram = pairwise_kernels(iris, metric=kernel, filter_params=True, coef0=1, **params)
    given = {"sample_weight": weight, "random_state": 0}
    assert relative_kmeans_score(gram, other, "precomputed", **given) == pytest.approx(
        found, rel=1e-6
    )


def test_relative_to_kmeans(blobs):
    pytest.importorskip("agathis.kernel_kmeans")
    X, y = blobs
    inertia = KMeans(3, n_init=10, random_state=0).fit(X).inertia_
    found = relative_kmeans_score(X, y, random_state=0)
    assert found == pytest.approx(kernel_kmeans_score(X, y) / inertia)


def test_relative_to_kernel_kmeans_of_a_callable(iris):
    pytest.importorskip("agathis.kernel_kmeans")

    def product(a, b, scale=1.0):
        return scale * (a @ b)

    some, y = iris[::5], load_iris().target[::5]
    found = relative_kmeans_score(some, y, product, scale=2.0, random_state=0)
    assert found == pytest.approx(relative_kmeans_score(some, y, random_state=0), rel=1e-6)


def test_relative_to_kernel_kmeans_that_costs_nothing():
    pytest.importorskip("agathis.kernel_kmeans")
    X = [[0.1], [0.1], [0.1], [7.3], [7.3]]
    for kernel in ("linear", "rbf", "poly", "laplacian"):
        assert relative_kmeans_score(X, [0, 0, 0, 1, 1], kernel, random_state=0) == 1
        assert relative_kmeans_score(X, [0, 0, 0, 0, 1], kernel, random_state=0) == np.inf
    # Rows of one direction are one point but for rounding.
    X = np.outer([1, 2, 0.1, 0.7, 13], [1.1, 3.7])
    X[3:] = X[3:, ::-1]
    assert relative_kmeans_score(X, [0, 0, 0, 1, 1], "cosine", random_state=0) == 1
    assert relative_kmeans_score(X, [0, 0, 0, 0, 1], "cosine", random_state=0) == np.inf


def test_clusters_of_no_weight_are_not_counted(iris):
    pytest.importorskip("agathis.kernel_kmeans")
    y = load_iris().target
    weight = (y != 1).astype(float)
    found = relative_kmeans_score(iris, y, sample_weight=weight, random_state=0)
    expected = relative_kmeans_score(iris[y != 1], y[y != 1], random_state=0)
    assert found == pytest.approx(expected)


def test_relative_to_a_cost_below_nothing():
    pytest.importorskip("agathis.kernel_kmeans")
    gram = np.array([[0.0, 2.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match=r"cost of kernel KMeans is -2: .* not positive"):
        relative_kmeans_score(gram, [0, 0], "precomputed")


X5 = np.arange(10.0).reshape(5, 2)
Y5 = [0, 0, 1, 1, 1]


@pytest.mark.parametrize("metric", METRICS[:4])
class TestErrors:
    def test_lengths(self, metric):
        with pytest.raises(ValueError, match=r"labels has 4 values; X has 5 rows"):
            metric(X5, Y5[:4])
        with pytest.raises(ValueError, match=r"sample_weight must have one value"):
            metric(X5, Y5, sample_weight=[1.0, 2.0])

    def test_weights(self, metric):
        with pytest.raises(ValueError, match="sample_weight must not be negative"):
            metric(X5, Y5, sample_weight=[1, 1, 1, 1, -1])
        with pytest.raises(ValueError, match="sample_weight is zero for every row"):
            metric(X5, Y5, sample_weight=np.zeros(5))

    @pytest.mark.parametrize(
        "labels",
        [
            [0, 0, 1, np.nan, 1],
            [0, 0, 1, np.inf, 1],
            [0, 0, 1, 0.5, 1],
            ["a", "a", "b", None, "b"],
            np.array(["a", "a", "b", np.nan, "b"], dtype=object),
            pd.Series([0, 0, 1, pd.NA, 1], dtype="Int64"),
            pl.Series([0, 0, 1, None, 1]),
            pl.Series(["a", "a", "b", None, "b"]),
        ],
    )
    def test_missing_and_fractional_labels(self, metric, labels):
        with pytest.raises(ValueError, match=r"labels must be whole numbers or strings.*\[3\] is"):
            metric(X5, labels)

    def test_labels_of_a_wrong_kind(self, metric):
        with pytest.raises(ValueError, match=r"labels must be whole numbers.*dtype complex128"):
            metric(X5, np.array(Y5) * 1j)
        with pytest.raises(ValueError, match=r"labels must have one value a row.*\(5, 2\)"):
            metric(X5, np.zeros((5, 2)))
        with pytest.raises(ValueError, match=r"labels must have one value a row.*\(\)"):
            metric(X5, 3)

    def test_empty(self, metric):
        with pytest.raises(ValueError, match=r"X.*0 sample|0 sample.*X"):
            metric(np.zeros((0, 2)), [])
        with pytest.raises(ValueError, match="labels is empty"):
            metric(X5, [])

    def test_rows(self, metric):
        with pytest.raises(ValueError, match="X contains NaN"):
            metric(np.where(X5 == 3, np.nan, X5), Y5)
        with pytest.raises(ValueError, match="X must hold numbers"):
            metric([["a", "b"]] * 5, Y5)
        with pytest.raises(ValueError, match="X is too large"):
            metric(X5 * 1e200, Y5)
        with pytest.raises(ValueError, match="smallest value of X is -9"):
            metric(-X5, Y5, kernel="chi2")

    def test_kernels(self, metric):
        with pytest.raises(ValueError, match=r"'kernel' parameter of \w+ must be.*Got 'rbff'"):
            metric(X5, Y5, kernel="rbff")
        with pytest.raises(ValueError, match=r"'gamma' parameter of \w+ must be.*Got -1"):
            metric(X5, Y5, kernel="rbf", gamma=-1)
        with pytest.raises(TypeError, match="unexpected keyword argument 'sigma'; kernel='rbf'"):
            metric(X5, Y5, kernel="rbf", sigma=1)
        with pytest.raises(ValueError, match=r"X must be the square kernel matrix.*\(5, 2\)"):
            metric(X5, Y5, kernel="precomputed")
        with pytest.raises(ValueError, match=r"X must be symmetric; X\[0, 4\] = 4 but"):
            metric(np.arange(25.0).reshape(5, 5), Y5, kernel="precomputed")


@pytest.mark.parametrize("mode", ["OVA", "all", None])
def test_wrong_mode(mode):
    with pytest.raises(ValueError, match="'mode' parameter of mmd_gemini"):
        mmd_gemini(X5, Y5, mode=mode)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reference", "best"),
        ("reference", -1.0),
        ("reference", np.nan),
        ("n_clusters", 0),
        ("n_init", 0),
        ("random_state", "a"),
    ],
)
def test_wrong_arguments_of_the_relative_score(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of relative_kmeans_score"):
        relative_kmeans_score(X5, Y5, **{"reference": 1.0, name: value})


def test_wrong_models_of_the_relative_score():
    pipeline = make_pipeline(MinMaxScaler(), Kauri(2)).fit(X5)
    with pytest.raises(TypeError, match=r"Pipeline; give its step with the tree"):
        relative_kmeans_score(X5, pipeline, reference=1.0)
    model = Kauri(2).fit(X5)
    with pytest.raises(ValueError, match=r"labels must be the labels themselves.*Kauri"):
        relative_kmeans_score(X5 @ X5.T, model, "precomputed", reference=1.0)
    with pytest.raises(ValueError, match="not fitted"):
        relative_kmeans_score(X5, Kauri(2), reference=1.0)
    with pytest.raises(ValueError, match="X has 3 features"):
        relative_kmeans_score(np.zeros((5, 3)), model, reference=1.0)


def test_errors_of_the_accuracy():
    with pytest.raises(ValueError, match="labels has 2 values; y_true has 3 rows"):
        unsupervised_accuracy([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match=r"y_true must be whole numbers.*y_true\[1\] is nan"):
        unsupervised_accuracy([0, np.nan], [0, 1])
    with pytest.raises(ValueError, match="y_true is empty"):
        unsupervised_accuracy([], [])
    with pytest.raises(ValueError, match="sample_weight must have one value"):
        unsupervised_accuracy([0, 1], [0, 1], [1.0])


@pytest.mark.parametrize("name", metrics.__all__)
def test_public_functions_are_annotated_and_have_an_example(name):
    function = getattr(metrics, name)
    assert ">>>" in function.__doc__
    given = signature(function)
    assert given.return_annotation is not given.empty
    for parameter in given.parameters.values():
        assert parameter.annotation is not parameter.empty, parameter
