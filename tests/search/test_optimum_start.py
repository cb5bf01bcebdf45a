"""The first tree of the search for the best one: within the limits, and greedy."""

import math
from types import SimpleNamespace

import numpy as np
from helpers.examples import examples
from helpers.optimum_problems import problems, valid_optimum
from helpers.optimum_reference import minimum_cost
from hypothesis import given
from numpy.testing import assert_allclose

from agathis._growth.limits import Limits
from agathis._search.optimal.distinct_rows import DistinctRows
from agathis._search.optimal.greedy_start import greedy_splits
from agathis._search.optimal.optimum import optimum


@examples(100)
@given(problems())
def test_a_first_tree_is_a_tree_and_no_better_than_the_best(problem):
    points, values, weight, n_leaves, limits = problem
    rows = DistinctRows(points, values, weight)
    cuts, cost = greedy_splits(rows, Limits(n_leaves, n_leaves, **limits))
    tree, whole = rows.tree(cuts)
    assert_allclose(cost + rows.within, whole, rtol=1e-9, atol=1e-9)
    found = SimpleNamespace(cuts=tree, cost=whole)
    valid_optimum(found, points, values, weight, n_leaves, limits)
    best = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits))
    assert whole >= best.cost - 1e-9


@examples(60)
@given(problems())
def test_each_cut_is_the_best_of_its_leaf(problem):
    points, values, weight, _, limits = problem
    rows = DistinctRows(points, values, weight)
    cuts, cost = greedy_splits(rows, Limits(2, 2, **limits | {"max_depth": 1}))
    least = minimum_cost(points, values, weight, 2, **limits | {"max_depth": 1})
    assert_allclose(cost + rows.within, least, rtol=1e-9, atol=1e-9)
    assert len(cuts) <= 1


def test_the_leaf_that_gains_most_is_cut():
    X = np.array([[0.0], [1.0], [10.0], [14.0], [100.0]])
    rows = DistinctRows(X, X, None)
    cuts, cost = greedy_splits(rows, Limits(4, 4))
    tree, _ = rows.tree(cuts)
    assert sorted(t for t in tree.threshold if t > 0) == [5.5, 12.0, 57.0]
    assert math.isclose(cost, 0.5)
