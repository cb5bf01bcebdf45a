"""By how much no tree of the same size can be better."""

import numpy as np
import pytest
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from agathis import Kauri
from agathis.baselines import RDM, KMeansTree
from agathis.metrics import optimality_gap


@examples(40)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(0, 3))
def test_no_tree_is_below_the_bound(seed, n_clusters, more):
    random = np.random.RandomState(seed)
    X = np.round(random.normal(size=(24, 2)), 1)
    weight = random.randint(1, 4, 24).astype(float)
    model = Kauri(n_clusters, max_leaf_nodes=n_clusters + more).fit(X, sample_weight=weight)
    result = optimality_gap(model, X, sample_weight=weight, time_limit=5.0)
    assert result.cost == pytest.approx(model.inertia_, abs=1e-9)
    for other_seed in range(5):
        other = RDM(model.n_clusters_, random_state=other_seed).fit(X, sample_weight=weight)
        if other.n_leaves_ <= model.n_leaves_ and other.n_clusters_ <= model.n_clusters_:
            assert result.lower_bound <= other.inertia_ + 1e-9
    best = Kauri(
        model.n_clusters_, max_leaf_nodes=max(2, model.n_leaves_), search="local", search_effort=3
    ).fit(X, sample_weight=weight)
    assert result.lower_bound <= best.inertia_ + 1e-9


def test_the_best_tree_has_no_gap(iris):
    model = Kauri(3, search="optimal").fit(iris)
    assert optimality_gap(model, iris).gap == pytest.approx(0.0, abs=1e-9)
    assert optimality_gap(model, iris, time_limit=0).gap > 0


@pytest.mark.parametrize("kernel", ["cosine", "rbf"])
def test_kernels(iris, kernel):
    model = Kauri(3, kernel=kernel, max_leaf_nodes=3).fit(iris)
    result = optimality_gap(model, iris)
    assert result.cost == pytest.approx(model.inertia_)
    assert 0 <= result.gap < 1


def test_cuts_on_pairs_have_the_bound_of_clusters(iris, monkeypatch):
    monkeypatch.setattr("agathis._search.tree_search.PAIR_PRICE", 0.0)
    model = Kauri(3, max_leaf_nodes=3, split="pair").fit(iris)
    assert model.tree_.has_terms
    assert optimality_gap(model, iris).lower_bound <= model.inertia_


def test_errors(iris):
    model = Kauri(3, max_leaf_nodes=None).fit(iris)
    with pytest.raises(ValueError, match="time_limit=-1 must be"):
        optimality_gap(model, iris, time_limit=-1)
    given = Kauri(3, kernel="precomputed", max_leaf_nodes=3).fit(iris, gram=iris @ iris.T)
    with pytest.raises(ValueError, match="cannot be used with kernel='precomputed'"):
        optimality_gap(given, iris)


def test_columns_that_the_kernel_does_not_see_do_not_count():
    X = np.random.default_rng(0).normal(size=(30, 4)) * [1.0, 1.0, 1.0, 100.0]
    model = Kauri(3, max_leaf_nodes=3, kernel_features=[0, 1]).fit(X)
    result = optimality_gap(model, X)
    assert result.cost == pytest.approx(model.inertia_)
    best = Kauri(3, search="optimal", kernel_features=[0, 1]).fit(X)
    assert result.lower_bound == pytest.approx(best.inertia_)


def test_an_indefinite_kernel_has_no_bound():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = Kauri(3, kernel="sigmoid", gamma=5.0, max_leaf_nodes=3).fit(X)
    with pytest.raises(ValueError, match="indefinite"):
        optimality_gap(model, X)


def test_rows_of_weight_0_are_left_out_however_large():
    X = np.random.default_rng(0).normal(size=(40, 3))
    far = np.vstack([X, [[1e9, 1e9, 1e9]]])
    weight = np.append(np.ones(40), 0.0)
    model = Kauri(3, max_leaf_nodes=3, search="local").fit(far, sample_weight=weight)
    expected = optimality_gap(model, X)
    result = optimality_gap(model, far, sample_weight=weight)
    assert_allclose(result, expected, rtol=1e-12)
    tree = KMeansTree(3, random_state=0, max_leaf_nodes=None).fit(far, sample_weight=weight)
    means = np.stack([X[tree.labels_[:40] == k].mean(axis=0) for k in range(3)])
    assert_allclose(tree.inertia_, ((X - means[tree.labels_[:40]]) ** 2).sum(), rtol=1e-12)
