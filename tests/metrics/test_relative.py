"""Costs beside those of kernel KMeans."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import pairwise_kernels

from agathis import Kauri, KernelKMeans
from agathis.metrics import (
    kernel_kmeans_score,
    relative_kmeans_score,
)


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


def test_a_reference_cost_of_zero():
    X = [[0.1], [0.1], [0.1], [7.3], [7.3]]
    assert relative_kmeans_score(X, [0, 0, 0, 1, 1], reference=0) == 1
    assert relative_kmeans_score(X, [0, 0, 0, 0, 1], reference=0.0) == np.inf
    assert relative_kmeans_score(X, [0, 0, 0, 1, 1], reference=2.0) == 0
    for kernel in ("rbf", "poly", "laplacian", "cosine"):
        assert relative_kmeans_score(X, [0, 0, 0, 1, 1], kernel, reference=0) == 1


def test_a_small_cost_with_a_far_row_is_not_zero():
    X = [[0.0], [1.0], [1e10]]
    assert relative_kmeans_score(X, [0, 0, 1], reference=0.5) == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_relative_to_kernel_kmeans(iris, kernel):
    params = {"gamma": 0.1} if kernel != "linear" else {}
    weight = np.random.default_rng(0).integers(1, 4, len(iris)).astype(float)
    reference_clustering = KernelKMeans(3, kernel=kernel, n_init=10, random_state=0, **params)
    reference_clustering.fit(iris, sample_weight=weight)
    given = {"sample_weight": weight, "random_state": 0, **params}
    labels = reference_clustering.labels_
    assert relative_kmeans_score(iris, labels, kernel, **given) == pytest.approx(1)
    other = load_iris().target
    cost = kernel_kmeans_score(iris, other, kernel, sample_weight=weight, **params)
    result = relative_kmeans_score(iris, other, kernel, **given)
    assert result == pytest.approx(cost / reference_clustering.inertia_)
    assert result > 1
    more = relative_kmeans_score(iris, other, kernel, n_clusters=5, **given)
    assert more > result
    gram = pairwise_kernels(iris, metric=kernel, filter_params=True, coef0=1, **params)
    given = {"sample_weight": weight, "random_state": 0}
    assert relative_kmeans_score(gram, other, "precomputed", **given) == pytest.approx(
        result, rel=1e-6
    )


def test_relative_to_kmeans(blobs):
    X, y = blobs
    inertia = KMeans(3, n_init=10, random_state=0).fit(X).inertia_
    result = relative_kmeans_score(X, y, random_state=0)
    assert result == pytest.approx(kernel_kmeans_score(X, y) / inertia)


def test_relative_to_kernel_kmeans_of_a_callable(iris):
    def product(a, b, scale=1.0):
        return scale * (a @ b)

    some, y = iris[::5], load_iris().target[::5]
    result = relative_kmeans_score(some, y, product, scale=2.0, random_state=0)
    assert result == pytest.approx(relative_kmeans_score(some, y, random_state=0), rel=1e-6)


def test_relative_to_a_kernel_kmeans_cost_of_zero():
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
    y = load_iris().target
    weight = (y != 1).astype(float)
    result = relative_kmeans_score(iris, y, sample_weight=weight, random_state=0)
    expected = relative_kmeans_score(iris[y != 1], y[y != 1], random_state=0)
    assert result == pytest.approx(expected)


def test_relative_to_a_negative_cost():
    gram = np.array([[0.0, 2.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match=r"cost of kernel KMeans is -2: .* not positive"):
        relative_kmeans_score(gram, [0, 0], "precomputed")
