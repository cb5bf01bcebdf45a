"""The reference implementation that tries every tree: it tries all of them, and no others."""

import all_trees
import numpy as np
import pytest
from helpers.optimum_problems import problems
from helpers.optimum_reference import minimum_cost
from hypothesis import given

LINE = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])


def form_of(points: np.ndarray) -> np.ndarray:
    """Minus half the squared distances."""
    return -((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2) / 2


def ones(X: np.ndarray) -> np.ndarray:
    return np.ones(len(X))


@given(problems(max_rows=9, max_leaves=4))
def test_it_agrees_with_the_recursive_one(problem):
    points, values, weight, n_leaves, limits = problem
    expected = minimum_cost(points, values, weight, n_leaves, **limits)
    # The defaults of the estimators, 1 and 2, limit nothing.
    given = {
        "max_depth": limits["max_depth"],
        "min_samples_leaf": int(max(1, limits["min_leaf"])),
        "min_samples_split": int(max(2, limits["min_split"])),
    }
    found = all_trees.minimum_cost(
        form_of(points), weight, all_trees.left_sides(values), n_leaves, **given
    )
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_it_agrees_for_missing_values_and_categories(seed):
    random = np.random.default_rng(seed)
    values = random.integers(0, 5, (8, 2)).astype(float)
    values[random.random((8, 2)) < 0.3] = np.nan
    category = random.integers(-1, 4, (1, 8))  # -1 is missing, 3 that no column is on
    columns = np.where(category.T < 0, np.nan, np.arange(3) == category.T)
    points, weight = random.normal(size=(8, 3)), random.integers(1, 4, 8).astype(float)
    sides = all_trees.left_sides(np.hstack([values, columns]), [[2, 3, 4]])
    for n_leaves in (1, 2, 3, 4):
        expected = minimum_cost(points, values, weight, n_leaves, category=category)
        found = all_trees.minimum_cost(form_of(points), weight, sides, n_leaves)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("n_leaves", "limits", "expected"),
    [
        (1, {}, 257.2),
        (2, {}, 26.0),
        (3, {}, 1.0),
        (4, {}, 0.5),
        (3, {"max_depth": 1}, 26.0),
        (3, {"min_samples_leaf": 2}, 14.0 + 98.0),
        (3, {"min_samples_split": 6}, 257.2),
    ],
)
def test_five_samples_on_a_line(n_leaves, limits, expected):
    """By hand: means of 6.4; of 3 and 20; of 0.5, 5.5 and 20; of 2 and 13."""
    sides = all_trees.left_sides(LINE)
    assert len(sides) == 4
    found = all_trees.minimum_cost(form_of(LINE), ones(LINE), sides, n_leaves, **limits)
    assert found == pytest.approx(expected)


def test_leaves_that_share_a_cluster():
    """The outer samples are at one place of the kernel's space: three leaves make two clusters."""
    points, values = np.array([[0.0], [9.0], [0.0]]), np.arange(3.0)[:, None]
    sides = all_trees.left_sides(values)
    form = form_of(points)
    assert all_trees.minimum_cost(form, ones(points), sides, 2) == pytest.approx(40.5)
    joined = [
        all_trees.minimum_cost_of_joined_leaves(form, ones(points), sides, leaves, 2)
        for leaves in (2, 3)
    ]
    assert joined == pytest.approx([40.5, 0.0])


def test_joined_leaves_cost_no_less_than_leaves_on_their_own():
    random = np.random.default_rng(0)
    points, values = random.normal(size=(6, 2)), random.normal(size=(6, 2))
    form, sides = form_of(points), all_trees.left_sides(values)
    for leaves in (2, 3, 4):
        alone = all_trees.minimum_cost(form, ones(points), sides, leaves)
        joined = [
            all_trees.minimum_cost_of_joined_leaves(form, ones(points), sides, leaves, clusters)
            for clusters in range(1, leaves + 1)
        ]
        assert np.all(np.diff(joined) < 0)
        assert joined[-1] == pytest.approx(alone)


def test_segments_are_the_trees_of_one_column():
    random = np.random.default_rng(1)
    points, weight = random.normal(size=(9, 3)), random.integers(1, 4, 9).astype(float)
    sides = all_trees.left_sides(np.arange(9.0)[:, None])
    for leaves in (1, 2, 3, 5, 9):
        found = all_trees.minimum_cost_of_segments(form_of(points), weight, leaves)
        expected = all_trees.minimum_cost(form_of(points), weight, sides, leaves)
        assert found == pytest.approx(expected, abs=1e-12)


def test_splits_of_missing_values_and_of_categories():
    X = np.array([[1.0, 1, 0], [2.0, 0, 1], [np.nan, 0, 0], [np.nan, np.nan, np.nan]])

    def named(sides: np.ndarray) -> set[str]:
        """Each split by its side with the first sample."""
        sides = np.where(sides[:, :1], sides, ~sides)
        return {"".join("abcd"[i] for i in np.flatnonzero(side)) for side in sides}

    assert named(all_trees.left_sides(X[:, :1])) == {"a", "acd", "ab"}
    assert len(all_trees.left_sides(X, [[1, 2]])) == 7  # all ways to part four categories
    assert len(all_trees.left_sides(X, [[1, 2]], columns=[0])) == 3
    assert len(all_trees.left_sides(np.ones((3, 2)))) == 0


def test_a_weight_next_to_a_limit_is_left_to_rounding():
    weight = np.array([1.0, 1.0 + 1e-12, 1.0, 1.0, 1.0])
    sides = all_trees.left_sides(LINE)
    with pytest.raises(all_trees.Borderline):
        all_trees.minimum_cost(form_of(LINE), weight, sides, 3, min_samples_leaf=2)
