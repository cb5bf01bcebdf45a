"""Explanations are shortened for next to nothing, and never for more than is allowed."""

import numpy as np
import pytest
from agathis._core.search.mutable_tree import MutableTree
from helpers.examples import examples
from helpers.search_problems import check_mutable_tree, grow_at_random, search_problems, within
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from agathis import Kauri
from agathis._growth.limits import Limits
from agathis._search.local.local_search import LocalSearch
from agathis._search.local.moves import Resplit
from agathis._search.local.mutable_trees import CONDITION, mutable_tree_of, repair, tree_of
from agathis._search.local.simplification import explanation_size, simplify
from agathis._search.rows import SearchRows
from agathis._search.tuning import PLAIN_SHARE
from agathis.metrics import weighted_average_explanation_size


@examples(60)
@given(search_problems(), st.sampled_from([0.0, 0.01, 1.0]))
def test_it_never_costs_more_than_is_allowed(problem, share):
    mutable_tree = problem.mutable_tree()
    grow_at_random(problem, mutable_tree)
    repair(mutable_tree, problem.limits)
    before, size = mutable_tree.objective, explanation_size(mutable_tree)
    allowance = share * problem.rows.inertia
    changed = simplify(mutable_tree, Resplit(problem.limits), allowance)
    check_mutable_tree(mutable_tree)
    assert within(mutable_tree, problem.limits)
    assert mutable_tree.objective >= before - allowance - problem.tolerance
    assert (explanation_size(mutable_tree) < size) == changed


@examples(20)
@given(st.integers(0, 2**32 - 1))
def test_the_size_is_that_of_the_metric(seed):
    random = np.random.RandomState(seed)
    X, weight = random.normal(size=(40, 3)), random.choice([0.5, 1.0, 2.0], 40)
    model = Kauri(3, max_leaf_nodes=8, n_jobs=1).fit(X, sample_weight=weight)
    rows = SearchRows.of(X, X, weight, np.arange(3))
    mutable_tree = mutable_tree_of(model.tree_, rows, 8, 3)
    want = weighted_average_explanation_size(model, X, sample_weight=weight)
    assert_allclose(explanation_size(mutable_tree), want, rtol=1e-12)


def test_a_needless_cut_goes_for_nothing():
    """Both sides of a cut in one cluster: it tells nothing."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]])
    rows = SearchRows.of(X, X, np.ones(4), np.arange(2))
    first = Kauri(2, max_leaf_nodes=2, n_jobs=1).fit(X)
    mutable_tree = mutable_tree_of(first.tree_, rows, 4, 2)
    asks = np.zeros((), CONDITION)
    asks["kind"], asks["column"], asks["cut"] = 1, 1, 1
    leaf = mutable_tree.leaves()[0]
    own = mutable_tree.cluster_of(leaf)
    mutable_tree.cut(leaf, asks.tobytes(), own, own)
    before = mutable_tree.objective
    assert simplify(mutable_tree, Resplit(Limits(2, 4)), 0.0)
    assert mutable_tree.objective == before
    assert tree_of(mutable_tree).build(2).n_leaves == 2


@pytest.mark.parametrize("n_leaves", [3, 9])
def test_a_little_is_given_back_and_only_where_there_are_leaves_to_spare(monkeypatch, n_leaves):
    X = minmax_scale(load_wine().data)
    parameters = {"max_leaf_nodes": n_leaves, "n_jobs": 1, "random_state": 0}
    greedy = Kauri(3, **parameters).fit(X)
    model = Kauri(3, search="local", search_effort=0.3, **parameters)
    plain = clone(model).fit(X)
    monkeypatch.setattr(LocalSearch, "simplify", lambda self, mutable_tree: None)
    best = model.fit(X)
    assert plain.inertia_ <= greedy.inertia_
    share = PLAIN_SHARE if n_leaves > 3 else 1e-9
    assert best.inertia_ * (1 - 1e-9) <= plain.inertia_ <= best.inertia_ * (1 + share)
    sizes = [weighted_average_explanation_size(one) for one in (plain, best)]
    assert sizes[0] <= sizes[1]
    gained = greedy.inertia_ - best.inertia_
    assert plain.inertia_ - best.inertia_ <= 0.5 * gained + 1e-9


def test_what_is_allowed_buys_a_shorter_explanation():
    """A leaf that gains less than the allowance is pruned, and none without an allowance."""
    X = np.array([[0.0, 0.0], [0.0, 0.1], [9.0, 0.0], [9.0, 1.0]])
    points = np.array([[0.0], [0.0], [9.0], [4.0]])
    rows = SearchRows.of(X, points, np.ones(4), np.arange(2))
    asks = np.zeros((), CONDITION)
    asks["kind"], asks["column"], asks["cut"] = 1, 0, 1
    beside = asks.copy()
    beside["column"], beside["cut"] = 1, 2
    for allowance, n_leaves in ((0.0, 3), (5.0, 2)):
        mutable_tree = MutableTree(rows, 4, 2)
        mutable_tree.cut(0, asks.tobytes(), 0, 1)
        mutable_tree.cut(mutable_tree.children(0)[1], beside.tobytes(), 1, 0)
        before = mutable_tree.objective
        simplify(mutable_tree, Resplit(Limits(2, 4)), allowance)
        assert tree_of(mutable_tree).build(2).n_leaves == n_leaves
        assert mutable_tree.objective >= before - allowance
