"""Points of a kernel, samples of them, and the trees on clusters that a search begins with."""

import numpy as np
import pytest
from agathis._core.centres.distances import nearest
from helpers.examples import examples
from helpers.search_problems import objective_of
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from agathis import Kauri
from agathis._dataset.features import Features
from agathis._dataset.memory import InMemory
from agathis._growth.limits import Limits
from agathis._kernels.kernel import Kernel
from agathis._search import points as module
from agathis._search.local.kmeans_trees import (
    centred_start,
    kmeans,
    means,
    shallow_start,
    surrogate_start,
)
from agathis._search.local.mutable_trees import mutable_tree_of
from agathis._search.points import factor_points, search_points
from agathis._search.rows import SearchRows


def centred(matrix, weight):
    share = weight / weight.sum()
    about = np.eye(len(matrix)) - share[None, :]
    return about @ matrix @ about.T


@st.composite
def weighed(draw, max_n=30):
    random = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, max_n)), draw(st.integers(1, 4))
    X = random.normal(size=(n, d))
    if draw(st.booleans()):
        X = np.round(X)
    weight = random.choice([0.5, 1.0, 3.0], n) if draw(st.booleans()) else np.ones(n)
    return X, weight, random


@examples(60)
@given(weighed(), st.sampled_from([rbf_kernel, laplacian_kernel]))
def test_a_factor_is_the_kernel_about_its_mean(problem, kernel):
    X, weight, _ = problem
    points = factor_points(kernel(X), weight)
    assert_allclose(points @ points.T, centred(kernel(X), weight), rtol=0, atol=1e-9)


@examples(60)
@given(weighed())
def test_what_is_negative_is_left_out(problem):
    X, weight, random = problem
    half = random.normal(size=(len(X), len(X)))
    points = factor_points(half + half.T, weight)
    assert np.isfinite(points).all()
    assert len(points) == len(X)


def test_a_kernel_that_is_nothing():
    assert_allclose(factor_points(np.ones((4, 4)), np.ones(4)), np.zeros((4, 1)))


@pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "laplacian"])
def test_objectives_of_points_are_those_of_the_kernel(kernel, iris):
    data = InMemory(iris, Features.plain(iris.shape[1]), Kernel(kernel))
    found = search_points(data, iris, np.ones(150), None)
    rows = SearchRows.of(iris, found, np.ones(150), np.arange(4))
    labels = np.random.default_rng(0).integers(4, size=150)
    matrix = Kernel(kernel).matrix(iris, 1)
    member = np.eye(4)[labels]
    about = centred(matrix, np.ones(150))
    truth = (np.einsum("ik,ij,jk->k", member, about, member) / member.sum(axis=0)).sum()
    assert_allclose(objective_of(rows, labels), truth, rtol=1e-7)


def test_of_many_rows_a_map_stands_for_the_kernel(monkeypatch, iris):
    monkeypatch.setattr(module, "FACTOR_ROWS", 100)
    data = InMemory(iris, Features.plain(iris.shape[1]), Kernel("rbf"))
    found = search_points(data, iris, np.ones(150), None)
    assert found.shape[0] == 150
    assert found.shape[1] <= module.MAP_COMPONENTS
    about = centred(rbf_kernel(iris), np.ones(150))
    own = found - found.mean(axis=0)
    assert np.abs(own @ own.T - about).max() < 0.05


@examples(60)
@given(weighed(), st.integers(1, 6))
def test_the_nearest_centre(problem, count):
    X, weight, random = problem
    centres = X[random.randint(0, len(X), count)]
    labels, sums, sizes = nearest(X, weight, centres)
    apart = ((X[:, None] - centres[None]) ** 2).sum(axis=2)
    assert_allclose(apart[np.arange(len(X)), labels], apart.min(axis=1), rtol=0, atol=1e-9)
    for k in range(count):
        own = labels == k
        assert_allclose(sums[k], (weight[own, None] * X[own]).sum(axis=0), atol=1e-9)
        assert_allclose(sizes[k], weight[own].sum())


@examples(60)
@given(weighed(), st.integers(1, 6))
def test_clusters_of_kmeans_have_no_gaps(problem, count):
    X, weight, random = problem
    rows = SearchRows.of(X, X, weight, np.arange(X.shape[1]))
    labels = kmeans(rows, count, random)
    found = np.unique(labels)
    assert_allclose(found, np.arange(len(found)))
    assert 1 <= len(found) <= count
    centres = means(rows.points, weight, labels)
    for k in found:
        own = labels == k
        mean = np.average(rows.points[own], axis=0, weights=weight[own])
        assert_allclose(centres[k], mean, rtol=0, atol=1e-12)


@examples(40)
@given(weighed(), st.integers(1, 5), st.integers(0, 3))
def test_starts_are_trees_of_the_rows(problem, count, more):
    X, weight, random = problem
    rows = SearchRows.of(X, X, weight, np.arange(X.shape[1]))
    labels = kmeans(rows, count, random)
    drawn = shallow_start(rows, labels, 1)
    mutable_tree = mutable_tree_of(drawn.build(X.shape[1]), rows, count, count)
    assert mutable_tree.n_leaves <= count
    limits = Limits(count, count + more, max_depth=3, min_leaf=1.0)
    grown = centred_start(rows, labels, limits, 1)
    assert grown.n_leaves <= count + more
    assert max(grown.depth_of(node) for node in grown.nodes()) <= 3
    assert grown.n_clusters <= count
    learned = surrogate_start(rows, labels, limits, random).build(X.shape[1])
    assert learned.n_leaves <= max(1, count + more)
    assert learned.max_depth <= 3
    own = mutable_tree_of(learned, rows, count + more, count)
    weights = [own.size_of(leaf)[1] for leaf in own.leaves()]
    assert len(weights) == 1 or min(weights) >= 1.0 - 1e-9


@pytest.mark.parametrize(("leaves", "depth"), [(1, None), (4, 0)])
def test_a_tree_that_may_not_be_cut_learns_the_cluster_of_most_weight(leaves, depth):
    X = np.arange(5.0)[:, None]
    rows = SearchRows.of(X, X, np.array([1.0, 1.0, 1.0, 2.0, 3.0]), np.arange(1))
    labels = np.array([0, 0, 0, 1, 1])
    limits = Limits(2, leaves, max_depth=depth)
    learned = surrogate_start(rows, labels, limits, np.random.RandomState(0))
    assert learned.cluster == [1]


def test_starts_between_centres_need_complete_columns():
    X = np.array([[0.0], [1.0], [np.nan]])
    rows = SearchRows.of(X, np.nan_to_num(X), np.ones(3), np.arange(1))
    assert shallow_start(rows, np.array([0, 1, 1]), 1) is None
    random = np.random.RandomState(0)
    assert surrogate_start(rows, np.array([0, 1, 1]), Limits(2, 2), random) is None


@examples(40)
@given(weighed(max_n=20), st.integers(1, 20))
def test_a_sample_keeps_its_rows_as_they_are(problem, most):
    X, weight, random = problem
    rows = SearchRows.of(X, X, weight, np.arange(X.shape[1]))
    some = rows.sample(most, random)
    assert some.n == min(most, len(X))
    if some.n == len(X):
        assert some is rows
    whole = {tuple(one) for one in np.column_stack([X, weight])}
    assert {tuple(one) for one in np.column_stack([some.values.T, some.weight])} <= whole
    # About their own mean.
    assert_allclose(some.weight @ some.points, 0, atol=1e-9)
    assert_allclose(some.inertia, some.weight @ (some.points**2).sum(axis=1), atol=1e-9)


@pytest.mark.parametrize("search", ["local", "optimal"])
def test_wide_rows_far_from_zero_keep_their_distances(search):
    """More columns than rows, and an offset whose square has no digit of the distances."""
    X = np.round(np.random.default_rng(0).normal(size=(6, 9)), 3)
    found = Kauri(3, search=search, max_leaf_nodes=3, random_state=0).fit(X + 2.0**30)
    assert_allclose(found.search_path_[-1].cost, found.inertia_, rtol=1e-5)
    near = Kauri(3, search=search, max_leaf_nodes=3, random_state=0).fit(X)
    assert_array_equal(found.labels_, near.labels_)
