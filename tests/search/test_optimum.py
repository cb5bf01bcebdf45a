"""The best tree of few leaves: it is the best of all trees, and what is said of it is true."""

import signal
import threading

import numpy as np
import pytest
from helpers.examples import examples
from helpers.optimum_problems import problems, valid_optimum
from helpers.optimum_reference import minimum_cost
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from agathis._growth.limits import Limits
from agathis._search.optimal import optimum as module
from agathis._search.optimal.optimum import optimum


def grid(n=300, d=3, seed=0):
    """Rows without clusters: the search takes long."""
    return np.random.default_rng(seed).random((n, d))


@examples(300)
@given(problems())
def test_no_tree_is_better(problem):
    points, values, weight, n_leaves, limits = problem
    found = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits))
    least = minimum_cost(points, values, weight, n_leaves, **limits)
    assert_allclose(found.cost, least, rtol=1e-9, atol=1e-9)
    assert_allclose(found.lower_bound, found.cost, rtol=1e-9, atol=1e-9)
    assert found.is_optimal
    valid_optimum(found, points, values, weight, n_leaves, limits)


@pytest.mark.slow
@examples(100)
@given(problems(max_rows=13, max_leaves=5))
def test_no_tree_of_five_leaves_is_better(problem):
    points, values, weight, n_leaves, limits = problem
    found = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits))
    least = minimum_cost(points, values, weight, n_leaves, **limits)
    assert_allclose(found.cost, least, rtol=1e-9, atol=1e-9)


@examples(100)
@given(problems(max_rows=40), st.floats(0.5, 1.5))
def test_an_incumbent_is_beaten_or_proven(problem, share):
    points, values, weight, n_leaves, limits = problem
    best = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits))
    incumbent = best.cost * share
    found = optimum(
        points, values, weight, Limits(n_leaves, n_leaves, **limits), incumbent=incumbent
    )
    assert found.is_optimal
    if best.cost < incumbent - 1e-9:
        assert_allclose(found.cost, best.cost, rtol=1e-9, atol=1e-9)
        valid_optimum(found, points, values, weight, n_leaves, limits)
    elif best.cost > incumbent + 1e-9:
        assert found.cuts is None
        assert found.cost == incumbent
        assert_allclose(found.lower_bound, incumbent, rtol=1e-9, atol=1e-9)


@examples(60)
@given(problems(max_rows=40))
def test_weight_two_is_the_row_twice_and_weight_zero_none(problem):
    points, values, weight, n_leaves, limits = problem
    found = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits))
    times = weight.astype(int)
    more = [np.repeat(x, times, axis=0) for x in (points, values)]
    twice = optimum(*more, None, Limits(n_leaves, n_leaves, **limits))
    assert_allclose(twice.cost, found.cost, rtol=1e-9, atol=1e-9)
    away = [np.vstack([x, x[:1] + 7.0]) for x in (points, values)]
    without = optimum(*away, np.append(weight, 0.0), Limits(n_leaves, n_leaves, **limits))
    assert_allclose(without.cost, found.cost, rtol=1e-9, atol=1e-9)


@examples(40)
@given(problems(max_rows=40), st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(problem, seed):
    points, values, weight, n_leaves, limits = problem
    found = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits))
    order = np.random.default_rng(seed).permutation(len(points))
    other = optimum(
        points[order], values[order], weight[order], Limits(n_leaves, n_leaves, **limits)
    )
    assert_allclose(other.cost, found.cost, rtol=1e-9, atol=1e-9)
    again = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits))
    trees = [one.cuts.build(values.shape[1]).to_dict() for one in (found, again)]
    assert trees[0] == trees[1]


@examples(40)
@given(problems(max_rows=40), st.integers(0, 1000))
def test_neither_the_order_nor_the_direction_of_columns_matters(problem, seed):
    points, values, weight, n_leaves, limits = problem
    rng = np.random.default_rng(seed)
    found = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits))
    turned = (values * rng.choice([-1.0, 1.0], values.shape[1]))[
        :, rng.permutation(values.shape[1])
    ]
    other = optimum(points, turned, weight, Limits(n_leaves, n_leaves, **limits))
    assert_allclose(other.cost, found.cost, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_leaves", [4, 5])
def test_planted_boxes_are_found(n_leaves):
    rng = np.random.default_rng(n_leaves)
    which = rng.integers(n_leaves, size=400)
    X = rng.random((400, 6)) * 0.1
    X[:, 2] += which % 2
    X[:, 4] += which // 2
    found = optimum(X, X, None, Limits(n_leaves, n_leaves))
    leaf = found.cuts.build(6).apply(X)
    assert found.is_optimal
    assert len(set(zip(leaf, which, strict=True))) == n_leaves


def test_a_search_that_is_stopped_has_a_tree_and_a_bound_that_are_true():
    X = grid()
    best = optimum(X, X, None, Limits(5, 5))
    assert best.is_optimal
    for limit in (0.0, 0.05, 0.2):
        found = optimum(X, X, None, Limits(5, 5), time_limit=limit)
        assert found.lower_bound <= best.cost * (1 + 1e-9)
        assert found.cost >= best.cost * (1 - 1e-9)
        valid_optimum(
            found, X, X, np.ones(len(X)), 5, {"min_leaf": 0, "min_split": 0, "max_depth": None}
        )
        assert found.is_optimal == (found.lower_bound >= found.cost * (1 - 1e-9))
        assert 0 <= found.gap <= 1
        assert 1 <= found.cuts.build(3).n_leaves <= 5


@pytest.mark.parametrize("most", [1, 2, 4])
def test_whenever_it_is_stopped_the_bound_is_true(most):
    """Stopped by the number of reports, not by a clock: what was being looked at counts too."""
    X = grid(200)
    best = optimum(X, X, None, Limits(5, 5))
    told = []

    def stop(cost, bound):
        if len(told) == most:
            raise KeyboardInterrupt
        told.append(bound)

    found = optimum(X, X, None, Limits(5, 5), on_progress=stop)
    assert found.interrupted
    assert max(told) * (1 - 1e-9) <= found.lower_bound <= best.cost * (1 + 1e-9)


def test_bounds_only_grow_and_costs_only_fall():
    X = grid()
    seen = []
    best = optimum(
        X, X, None, Limits(5, 5), on_progress=lambda cost, bound: seen.append((cost, bound))
    )
    costs, bounds = np.array(seen).T
    assert len(seen) > 2
    assert np.all(np.diff(costs) <= 0)
    assert np.all(np.diff(bounds) >= 0)
    assert np.all(bounds <= best.cost * (1 + 1e-9))


def test_ctrl_c_gives_the_best_tree_so_far():
    X = grid(2000, 6)
    main = threading.get_ident()
    started = threading.Event()

    def interrupt():
        started.wait(30)
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    found = optimum(
        X, X, None, Limits(8, 8), on_progress=lambda cost, bound: started.set(), time_limit=60
    )
    thread.join()
    assert found.interrupted
    assert not found.is_optimal
    assert found.lower_bound <= found.cost
    valid_optimum(found, X, X, np.ones(2000), 8, {"min_leaf": 0, "min_split": 0, "max_depth": None})


def test_what_progress_raises_is_raised():
    X = grid()

    def fail(cost, bound):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        optimum(X, X, None, Limits(6, 6), on_progress=fail)


def test_more_than_it_can_hold_is_a_message():
    X = grid(20, 2)
    with pytest.raises(ValueError, match=r"n_leaves=17.*16"):
        optimum(X, X, None, Limits(2, module.MAX_LEAVES + 1))
    with pytest.raises(ValueError, match=r"points.*1025.*1024"):
        optimum(grid(20, module.MAX_COMPONENTS + 1), X, None, Limits(3, 3))
