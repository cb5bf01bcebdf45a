"""What a search promises, at the edges of its limits."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from agathis import Kauri
from agathis._search.local import local_search


def test_a_limit_above_the_number_of_distinct_rows_is_a_limit():
    random = np.random.default_rng(3)
    X = np.repeat(random.integers(0, 9, size=(13, 2)).astype(float), 5, axis=0)
    n = len(np.unique(X, axis=0))
    costs = [
        Kauri(2, max_leaf_nodes=most, search="local", random_state=0).fit(X).inertia_
        for most in (n - 1, n, n + 1)
    ]
    assert costs[1] <= costs[0] * (1 + 1e-9)
    assert costs[2] <= costs[0] * (1 + 1e-9)


@pytest.mark.parametrize("given", [{"max_features": 1}, {"engine": "binned", "max_bins": 4}])
def test_two_leaves_are_searched_too(given):
    random = np.random.default_rng(0)
    X = np.c_[random.normal(size=(200, 3)), np.repeat([0.0, 9.0], 100)]
    best = Kauri(2, max_leaf_nodes=2).fit(X)
    found = Kauri(2, max_leaf_nodes=2, search="local", random_state=1, **given).fit(X)
    assert found.inertia_ == pytest.approx(best.inertia_)


def test_an_interrupt_while_explanations_are_shortened_keeps_what_was_found(monkeypatch):
    X = np.random.default_rng(0).normal(size=(200, 4))
    given = {"max_leaf_nodes": 12, "search": "local", "random_state": 0}

    def interrupted(mutable_tree, resplit, allowance):
        mutable_tree.collapse(0, 0)
        raise KeyboardInterrupt

    monkeypatch.setattr(local_search, "simplify", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = Kauri(3, **given).fit(X)
    assert model.n_leaves_ > 3
    assert model.inertia_ <= Kauri(3, max_leaf_nodes=12).fit(X).inertia_


def test_no_proof_for_an_indefinite_kernel():
    """Leaves on their own may cost more than fewer leaves: bounds of points are no bounds there."""
    random = np.random.default_rng(0)
    X, half = random.normal(size=(20, 2)), random.normal(size=(20, 20))
    gram = half + half.T
    with pytest.raises(ValueError, match=r"indefinite.*search='local'"):
        Kauri(3, kernel="precomputed", search="optimal").fit(X, gram=gram)
    with pytest.raises(ValueError, match="indefinite"):
        Kauri(3, kernel="sigmoid", gamma=5.0, search="optimal").fit(X)
    found = Kauri(3, kernel="precomputed", search="local", max_leaf_nodes=None).fit(X, gram=gram)
    assert found.objective_ == pytest.approx(found.score(X, gram=gram))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("gamma", [1e-20, 1e-9, 0.1, 10.0, 1e9])
def test_rounding_makes_no_kernel_indefinite(dtype, gamma):
    X = np.random.default_rng(0).normal(size=(60, 3))
    gram = rbf_kernel(X, gamma=gamma).astype(dtype)
    found = Kauri(3, kernel="precomputed", search="optimal").fit(X, gram=gram)
    assert found.is_optimal_
