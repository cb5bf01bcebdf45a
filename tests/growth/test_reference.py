"""The oracle's own checks: the definition by hand, what is allowed, and who wins."""

from __future__ import annotations

import sys
from itertools import pairwise, product

import numpy as np
import pytest
from helpers import reference
from helpers.examples import examples
from helpers.invariants import creation_order, replay, same_tree, valid_tree
from helpers.models import SEEDS
from helpers.reference import MOVES
from helpers.strategies import Problem, kernel_matrix, on_a_line, problems, seeded_problems
from hypothesis import given
from hypothesis import strategies as st

from agathis._utils import numbers


def objective_by_hand(gram, labels, weight) -> float:
    """The definition, pair by pair."""
    total = 0.0
    for k in set(labels):
        members = [i for i in range(len(labels)) if labels[i] == k]
        kernel_sum = sum(weight[i] * weight[j] * gram[i][j] for i in members for j in members)
        size = sum(weight[i] for i in members)
        total += kernel_sum / size if size else 0.0
    return total


HAND_MADE = {
    "double_star": (
        5,
        "1 -3 3 1 -1 / -2 -3 -1 3 / -3 -3 3 / -3 1 / -1",
        [2, 0, 1, 2, 3, 1],
    ),
    "mixed": (4, "1 3 2 / -3 -1 / -3", [0, 2, 0, 1]),
    "reallocation": (4, "-2 -1 0 1 / -3 2 -2 / -3 2 / -2", [0, 1, 2, 1, 2]),
}


def test_objective_of_a_case_worked_out():
    gram = [[1.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 3.0]]
    assert reference.objective(gram, [0, 0, 1]) == (1 + 2 + 2 + 5) / 2 + 3
    # Row 0 twice, row 2 not at all.
    assert reference.objective(gram, [0, 0, 1], [2, 1, 0]) == (4 * 1 + 2 * 4 + 5) / 3


@given(problems(), st.integers(0, 2**32 - 1))
def test_objective_is_the_definition(problem, seed):
    n = len(problem.X)
    labels = np.random.default_rng(seed).integers(0, 3, n)
    weight = np.ones(n) if problem.weight is None else problem.weight
    np.testing.assert_allclose(
        reference.objective(problem.gram, labels, problem.weight),
        objective_by_hand(problem.gram.tolist(), labels.tolist(), weight.tolist()),
        rtol=1e-12,
        atol=1e-12,
    )


@given(seeded_problems(max_n=7), st.integers(0, 2**32 - 1))
@examples(40)
def test_gain_of_every_candidate_is_the_change_of_the_objective(problem, seed):
    """For leaves and clusters that no greedy growth would make, too."""
    random = np.random.default_rng(seed)
    n = len(problem.X)
    n_leaves = int(random.integers(1, n + 1))
    leaf_of = np.unique(random.integers(0, n_leaves, n), return_inverse=True)[1]
    weight = np.ones(n) if problem.weight is None else problem.weight
    leaf_of = np.unique(leaf_of[weight > 0], return_inverse=True)[1]
    X, gram, weight = (
        problem.X[weight > 0],
        problem.gram[np.ix_(weight > 0, weight > 0)],
        weight[weight > 0],
    )
    n_leaves = leaf_of.max() + 1
    n_present = int(random.integers(1, min(n_leaves, problem.n_clusters) + 1))
    cluster_of = np.concatenate(
        [np.arange(n_present), random.integers(0, n_present, n_leaves - n_present)]
    )
    found = reference.candidates(X, gram, leaf_of, cluster_of.tolist(), weight, problem.n_clusters)
    before = cluster_of[leaf_of]
    for c in found:
        after = before.copy()
        inside = leaf_of == c.leaf
        goes_left = X[:, c.feature] <= c.threshold
        assert 0 < (inside & goes_left).sum() < inside.sum()
        after[inside & goes_left] = c.left
        after[inside & ~goes_left] = c.right
        change = objective_by_hand(gram, after, weight) - objective_by_hand(gram, before, weight)
        assert c.gain == pytest.approx(change, abs=problem.tolerance + 1e-12)
        assert set(before.tolist()) <= set(after.tolist())  # no cluster is emptied
        assert len(set(after.tolist())) <= problem.n_clusters


@pytest.mark.parametrize("n_present", [1, 2, 3, 4])
@pytest.mark.parametrize("spare", [0, 1, 2, 3])
@pytest.mark.parametrize("whole", [True, False])
def test_moves_are_all_that_keep_the_rules(n_present, spare, whole):
    """Every pair of targets, but where a cluster is emptied or there are too many."""
    for own in range(n_present):
        expected = set()
        for left, right in product(range(n_present + 2), repeat=2):
            opened = [k for k in (left, right) if k >= n_present]
            in_order = opened == list(range(n_present, n_present + len(opened)))
            stays = own in (left, right)
            if left != right and in_order and len(opened) <= spare and (stays or not whole):
                expected.add((left, right))
        listed = list(reference.moves(own, n_present, n_present + spare, whole))
        assert {(left, right) for _, left, right in listed} == expected
        assert len(listed) == len(expected)
        assert [move for move, _, _ in listed] == sorted(move for move, _, _ in listed)


@pytest.mark.parametrize("name", HAND_MADE)
def test_rare_moves_fire(name):
    n_clusters, upper, labels = HAND_MADE[name]
    problem = on_a_line(upper, n_clusters)
    oracle = problem.oracle()
    assert name in [MOVES[move] for move in oracle.move]
    np.testing.assert_array_equal(oracle.labels, labels)
    valid_tree(oracle, problem.X, oracle.labels, n_clusters=problem.n_clusters)
    model = problem.fit()
    same_tree(model.tree_, oracle, gains=problem.tolerance)
    np.testing.assert_array_equal(model.labels_, labels)


@given(problems())
@examples(60)
def test_oracle_grows_valid_trees(problem):
    oracle = problem.oracle()
    valid_tree(
        oracle, problem.X, oracle.labels, problem.weight, problem.n_clusters, **problem.limits
    )
    assert oracle.objective == pytest.approx(
        reference.objective(problem.gram, oracle.labels, problem.weight), abs=1e-9
    )


def arrive(gram, joined, cluster) -> float:
    """Change of the objective when a set that was nowhere joins a cluster, or founds one."""
    labels = np.full(len(gram), -1)
    labels[cluster] = 0
    before = reference.objective(gram, labels, labels >= 0)
    labels[joined] = 0
    return reference.objective(gram, labels, labels >= 0) - before


@given(seeded_problems(min_n=2, kernels=("linear", "rbf")), st.integers(0, 2**32 - 1))
def test_a_new_cluster_is_never_worse_for_a_positive_kernel(problem, seed):
    random = np.random.default_rng(seed)
    n = len(problem.X)
    order = random.permutation(n)
    cut, end = sorted(random.integers(1, n + 1, 2).tolist())
    joined, cluster = order[:cut], order[cut:end]
    alone = arrive(problem.gram, joined, [])
    assert alone >= arrive(problem.gram, joined, cluster) - 1e-9 * np.abs(problem.gram).sum()


def test_a_new_cluster_may_be_worse_for_an_indefinite_kernel():
    gram = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert arrive(gram, [0], []) < arrive(gram, [0], [1])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@given(SEEDS)
@examples(10)
def test_positive_kernels_found_clusters_first(kernel, seed):
    """Until there are n_clusters, every cluster is one leaf: only stars."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(14, 2))
    problem = Problem(X, kernel_matrix(random, X, kernel), None, 4, {"max_leaf_nodes": 7})
    tree = problem.oracle()
    moves = [MOVES[tree.move[node]] for node in creation_order(tree)]
    assert moves[:3] == ["star"] * 3
    for _, _, labels in replay(tree, X)[:3]:
        assert labels.max() < 4
    assert set(moves[3:]) <= {"switch", "reallocation"}


@pytest.mark.parametrize("constant", [0.0, 1.0, -3.0, 1e9])
def test_a_constant_kernel_is_never_cut(constant):
    X = np.arange(6.0)[:, None]
    tree = reference.grow(X, np.full((6, 6), constant), n_clusters=3)
    assert len(tree.gain) == 1
    assert tree.objective == pytest.approx(6 * constant)


def test_ties_go_to_the_lowest_feature_then_threshold():
    X = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])
    gram = np.eye(4)  # any cut into two gains 1
    tree = reference.grow(X, gram, n_clusters=2, max_leaf_nodes=2)
    assert (tree.feature[0], tree.threshold[0]) == (0, 0.5)
    assert tree.gain[0] == pytest.approx(1.0)
    tree = reference.grow(X[::-1, ::-1], gram, n_clusters=2, max_leaf_nodes=2)
    assert (tree.feature[0], tree.threshold[0]) == (0, 1.5)


def test_choose():
    def candidate(feature, threshold, leaf, gain, move=1):
        return reference.Candidate(feature, threshold, leaf, move, 0, 1, gain)

    assert reference.choose([], 0.1) is None
    assert reference.choose([candidate(0, 0.0, 0, 0.1)], 0.1) is None
    listed = [
        candidate(1, 0.0, 0, 1.0),
        candidate(0, 2.0, 0, 0.95),
        candidate(0, 1.0, 2, 0.92, move=2),
        candidate(0, 1.0, 1, 0.92, move=2),
        candidate(0, 1.0, 1, 0.98, move=4),
        candidate(0, 0.0, 0, 0.5),
    ]
    # Three features-and-thresholds tie; leaf 1 is the first; its two moves tie, the first wins.
    assert reference.choose(listed, 0.1) == listed[3]
    assert reference.choose(listed, 0.01) == listed[0]


@pytest.mark.parametrize("between", [reference.threshold_between, numbers.threshold_between])
def test_threshold_between_is_below_the_higher_value(between):
    assert between(1.0, 2.0) == 1.5
    least, most = sys.float_info.min, sys.float_info.max
    values = [0.0, 5e-324, least, 1 / 3, 1.0, np.nextafter(1.0, 2), 1e16, 1e16 + 2, most]
    values = sorted({*values, *(-v for v in values)})
    for low, high in pairwise(values):
        assert low <= between(low, high) < high
    assert between(-most, most) == 0.0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n):
    X = np.arange(float(n))[:, None]
    tree = reference.grow(X, X @ X.T, n_clusters=n)
    np.testing.assert_array_equal(tree.labels, np.arange(n))
    valid_tree(tree, X, tree.labels, n_clusters=n)


def test_equal_rows_and_constant_features_are_not_cut():
    X = np.array([[5.0, 1.0], [5.0, 1.0], [5.0, 2.0]])
    gram = np.diag([1.0, 2.0, 3.0])  # apart by the kernel, though rows 0 and 1 are equal
    tree = reference.grow(X, gram, n_clusters=3)
    np.testing.assert_array_equal(tree.labels, [0, 0, 1])
    assert set(tree.feature.tolist()) == {1, -2}
