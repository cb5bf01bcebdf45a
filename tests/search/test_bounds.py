"""No tree is below the bounds."""

import numpy as np
from helpers.examples import examples
from helpers.optimum_reference import cost_of, random_leaves, scatter
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans

from agathis._growth.limits import Limits
from agathis._search.optimal.lower_bounds import tree_lower_bound
from agathis._search.optimal.optimum import optimum
from agathis._search.optimal.spectral_bound import cost_lower_bound


@st.composite
def problems(draw):
    """Points, values, weights, clusters and leaves."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 40))
    values = rng.integers(0, draw(st.integers(1, 8)), (n, draw(st.integers(1, 3)))).astype(float)
    points = rng.normal(size=(n, draw(st.integers(1, 5)))) + values[:, :1]
    weight = rng.integers(1, 4, n).astype(float)
    n_leaves = draw(st.integers(1, 5))
    return points, values, weight, draw(st.integers(1, n_leaves)), n_leaves, rng


@examples(100)
@given(problems(), st.sampled_from([None, 0.0]))
def test_no_tree_is_below_the_bound(problem, time_limit):
    points, values, weight, n_clusters, n_leaves, rng = problem
    bound = tree_lower_bound(points, values, weight, n_clusters, n_leaves, time_limit=time_limit)
    for _ in range(5):
        leaf = random_leaves(values, n_leaves, rng)
        labels = rng.integers(n_clusters, size=n_leaves)[leaf]
        assert cost_of(points, weight, labels) >= bound - 1e-9
    assert bound >= cost_lower_bound(points, weight, n_clusters) - 1e-9


@examples(100)
@given(problems())
def test_no_partition_is_below_the_bound(problem):
    points, _, weight, n_clusters, _, rng = problem
    bound = cost_lower_bound(points, weight, n_clusters)
    for _ in range(5):
        labels = rng.integers(n_clusters, size=len(points))
        assert cost_of(points, weight, labels) >= bound - 1e-9
    k = min(n_clusters, len(np.unique(points, axis=0)))
    fitted = KMeans(k, n_init=1, random_state=0).fit(points, sample_weight=weight)
    assert cost_of(points, weight, fitted.labels_) >= bound - 1e-9


@examples(40)
@given(problems())
def test_with_a_cluster_a_leaf_the_bound_is_the_optimum(problem):
    points, values, weight, _, n_leaves, _ = problem
    best = optimum(points, values, weight, Limits(n_leaves, n_leaves))
    bound = tree_lower_bound(points, values, weight, n_leaves, n_leaves)
    assert_allclose(bound, best.cost, rtol=1e-9, atol=1e-9)
    known = tree_lower_bound(points, values, weight, n_leaves, n_leaves, cost=best.cost / 2)
    assert_allclose(known, best.cost / 2, rtol=1e-9, atol=1e-9)


def test_a_search_that_is_stopped_bounds_too():
    rng = np.random.default_rng(0)
    X = rng.random((400, 4))
    found = optimum(X, X, None, Limits(4, 4))
    trivial = cost_lower_bound(X, None, 4)
    for limit in (0.0, 0.05):
        bound = tree_lower_bound(X, X, None, 4, 4, time_limit=limit)
        assert trivial - 1e-9 <= bound <= found.cost + 1e-9


def test_many_leaves_have_the_bound_of_their_clusters():
    X = np.random.default_rng(0).random((200, 4))
    assert_allclose(tree_lower_bound(X, X, None, 3, 40), cost_lower_bound(X, None, 3))


def test_one_cluster_costs_the_scatter_and_nothing_costs_nothing():
    X = np.random.default_rng(0).random((30, 50))
    assert_allclose(cost_lower_bound(X, None, 1), scatter(X, np.ones(30)))
    assert_allclose(cost_lower_bound(X, None, 30), 0.0, atol=1e-9)
    assert cost_lower_bound(X, np.zeros(30), 2) == 0.0
