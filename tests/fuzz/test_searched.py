"""The judge of searched trees: it notices models that claim what is not so."""

from collections import Counter
from dataclasses import replace

import numpy as np
import problems
import pytest
import searched
import searched_cases

#: Few samples without clusters, of which the greedy tree is not the best.
SAMPLES = np.random.default_rng(4).random((10, 2))
CASE = {
    "search": "optimal",
    "X": SAMPLES.tolist(),
    "kernel": "linear",
    "gamma": None,
    "gram": None,
    "weight": None,
    "engine": "auto",
    "effort": 0.01,
    "n_init": 0,
    "time_limit": None,
    "seed": 0,
    "again": True,
    "one_hot": [],
    "split_features": None,
    "kernel_features": None,
    "n_clusters": 4,
    "limits": {},
}


def problem_of(case: dict) -> searched.Problem:
    X = np.array(case["X"])
    return searched.Problem(case, X, None, *problems._searched_measures(case, X, None))


def judged(model, case: dict = CASE) -> str:
    return problem_of(case).judge(model, Counter()) or ""


@pytest.fixture
def model():
    return searched.fit(CASE)


@pytest.fixture
def worse():
    """Another tree of as many leaves, which is not the best, and what an honest search says."""
    worse = searched.fit(CASE, search="greedy", max_leaf_nodes=4, split_features=[0])
    worse.search_path_, worse.is_optimal_ = [], False
    worse.lower_bound_, worse.gap_ = 0.0, 1.0
    return worse


def test_the_best_tree_is_right(model):
    assert model.is_optimal_
    assert judged(model) == ""
    assert problems.check(CASE) is None


def test_a_proof_of_a_tree_that_is_not_the_best(worse):
    timed = {**CASE, "time_limit": 1e-9}
    assert judged(worse, timed) == ""
    assert judged(worse).startswith("has no proof")
    worse.is_optimal_ = True
    assert judged(worse, timed).startswith("claims a proof of a tree that is not the best")


def test_a_lower_bound_above_the_best_tree(model, worse):
    worse.lower_bound_ = (model.inertia_ + worse.inertia_) / 2
    worse.gap_ = (worse.inertia_ - worse.lower_bound_) / worse.inertia_
    found = judged(worse, {**CASE, "time_limit": 1e-9})
    assert found.startswith("has a lower bound above the best tree")


def test_a_proof_without_its_bound(model):
    model.lower_bound_ *= 0.9
    assert judged(model).startswith("claims a proof with a lower bound below")


def test_a_wrong_gap(worse):
    worse.gap_ = 0.5
    assert judged(worse, {**CASE, "time_limit": 1e-9}).startswith("reports a wrong gap")


def test_a_wrong_cost(model):
    model.inertia_ *= 1 + 1e-9
    assert judged(model).startswith("reports a wrong cost")


def test_labels_of_another_tree(model):
    model.labels_ = np.roll(model.labels_, 1)
    with pytest.raises(AssertionError):
        judged(model)


def test_a_tree_beyond_its_limits(model):
    with pytest.raises(AssertionError):
        judged(model, {**CASE, "limits": {"max_depth": 1}})
    with pytest.raises(AssertionError):
        judged(model, {**CASE, "limits": {"min_samples_leaf": 3}})


def test_a_tree_that_costs_less_than_the_best(model):
    """As it would be if the reference implementation did not know some splits."""
    problem = problem_of(CASE)
    problem.sides = problem.sides[:2]
    assert problem.judge(model, Counter()).startswith("costs less than the best tree")


def test_a_search_path_that_rises(model):
    step = model.search_path_[0]
    model.search_path_ = [step, replace(step, cost=step.cost + 1.0)]
    assert judged(model).startswith("has a search path that rises")


def test_a_search_that_is_worse_than_the_greedy_tree(worse):
    found = problem_of(CASE).beside(worse, Counter())
    assert found.startswith("is worse than the greedy tree")


def test_another_tree_when_fitted_again(model):
    model.tree_ = searched.fit({**CASE, "n_clusters": 3}).tree_
    found = problem_of(CASE).beside(model, Counter())
    assert found.startswith("is another tree when fitted again")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"limits": {"max_leaf_nodes": 5}}, "max_leaf_nodes="),
        ({"kernel": "rbf", "engine": "features"}, "engine="),
        ({"X": np.where(SAMPLES > 0.9, np.nan, SAMPLES).tolist(), "engine": "gram"}, "issing"),
        ({"kernel": "precomputed", "gram": np.diag(np.arange(-4.0, 6)).tolist()}, "indefinite"),
    ],
)
def test_what_is_refused_is_refused_with_its_error(changed, said):
    case = {**CASE, **changed}
    assert problems.check(case) is None
    with pytest.raises(ValueError, match=said):
        searched.fit(case)


def test_half_of_the_problems_are_searched_and_all_kinds_come():
    cases = [problems.make(seed) for seed in range(600)]
    kinds = Counter(case.get("search", "greedy") for case in cases)
    assert 240 < kinds["greedy"] < 360
    assert min(kinds["local"], kinds["optimal"]) > 100
    for chosen in (
        [case for case in cases if "search" in case],
        [case for case in cases if "search" not in case],
    ):
        assert any(np.isnan(np.array(case["X"])).any() for case in chosen)
        assert any(case["one_hot"] for case in chosen)
        assert any(case["limits"] for case in chosen)
    assert any(len(case["X"]) > 20 and case["time_limit"] for case in cases if "search" in case)


def test_cases_are_made_smaller_in_every_part():
    case = {
        **CASE,
        "X": [[1.0, 0.0, 1.0], [np.nan, 1.0, 0.0], [3.0, np.nan, np.nan], [4.0, 0.0, 1.0]],
        "one_hot": [[1, 2]],
        "split_features": [1, 2],
        "kernel_features": [0],
        "limits": {"max_depth": 2},
        "time_limit": 0.001,
    }
    seen = [problems.unpack(problems.pack(one)) for one in problems.smaller(case)]
    assert any(not np.isnan(np.array(one["X"])).any() for one in seen)
    for name, plain in {
        "one_hot": [],
        "split_features": None,
        "kernel_features": None,
        "limits": {},
        "time_limit": None,
    }.items():
        assert any(one[name] == plain for one in seen), name
    fewer = searched_cases.without_column(case, 1)
    assert fewer["one_hot"] == [[1]]
    assert fewer["split_features"] == [1]
    assert searched_cases.without_column(case, 0) is None
