"""Random changes: each draws from numbers of its own; starts hardly move with the rows."""

import numpy as np
import pytest
from agathis._core.search.mutable_tree import MutableTree
from helpers.examples import examples
from helpers.search_problems import (
    check_mutable_tree,
    labels_of,
    random_mutable_tree,
    search_problems,
    within,
)
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from agathis._growth.limits import Limits
from agathis._search.local.kmeans_trees import _drawn
from agathis._search.local.moves import Resplit, SplitOff
from agathis._search.local.mutable_trees import COLUMN, CONDITION
from agathis._search.local.perturbations import Perturbations
from agathis._search.rows import SearchRows


@examples(40)
@given(search_problems())
def test_what_a_change_draws_does_not_depend_on_the_changes_before(problem):
    mutable_tree = random_mutable_tree(problem)
    saved, resplit = mutable_tree.save(), Resplit(problem.limits)
    perturbations, seen = Perturbations(mutable_tree, resplit, 5, 7), []
    for _ in range(6):
        name = perturbations.make()
        # A turn of a deck of columns is all that is kept from one to the next.
        seen.append((name, None if name == "replant" else labels_of(mutable_tree)))
        mutable_tree.restore(saved)
    for place in reversed(range(6)):
        again = Perturbations(mutable_tree, resplit, 5, 7)
        again.made = place
        name, labels = seen[place]
        assert again.make() == name
        if labels is not None:
            assert_array_equal(labels_of(mutable_tree), labels)
        mutable_tree.restore(saved)


@examples(60)
@given(search_problems())
def test_a_lift_spends_the_leaf_that_it_takes_where_it_can(problem):
    mutable_tree = random_mutable_tree(problem)
    perturbations = Perturbations(mutable_tree, Resplit(problem.limits), 3)
    before = mutable_tree.n_leaves
    perturbations.lift()
    check_mutable_tree(mutable_tree)
    assert within(mutable_tree, problem.limits)
    # A leaf less where nothing could be parted off, a leaf more where one was free.
    assert before - 1 <= mutable_tree.n_leaves <= before + 1


def test_rows_that_lie_apart_are_parted_off_above_the_root():
    # The root cuts a far group in two with the others: no cut of a leaf brings its rows together.
    random = np.random.RandomState(0)
    centres = np.array([[0, 0], [0, 9], [40, 4.5]])
    X = np.repeat(centres, 50, axis=0) + random.normal(0, 0.5, (150, 2))
    rows = SearchRows.of(X, X, np.ones(150), np.arange(2), None)
    mutable_tree = MutableTree(rows, 3, 3)
    asks = np.zeros((), CONDITION)
    asks["kind"], asks["column"], asks["cut"] = COLUMN, 1, 74
    mutable_tree.cut(0, asks.tobytes(), 0, 1)
    move = SplitOff(Limits(3, 3))
    found = move.propose(mutable_tree, 0)
    move.apply(mutable_tree, found)
    check_mutable_tree(mutable_tree)
    parts = [np.sort(mutable_tree.leaf_rows(leaf)).tolist() for leaf in mutable_tree.leaves()]
    assert sorted(parts) == [[*range(50)], [*range(50, 100)], [*range(100, 150)]]


def test_rows_are_drawn_by_their_shares():
    share = np.array([0.0, 1.0, 2.0, 5.0, 0.0, 2.0])
    drawn = _drawn(share, 20_000, np.random.RandomState(0))
    counts = np.bincount(drawn, minlength=len(share)) / 20_000
    assert counts[0] == counts[4] == 0
    # Four deviations of such a share at most.
    assert_allclose(counts, share / share.sum(), atol=4 * np.sqrt(0.25 / 20_000))


def test_shares_that_differ_a_little_draw_the_same_rows():
    random = np.random.RandomState(1)
    share = random.uniform(size=2000)
    near = share * (1 + 1e-4 * random.uniform(-1, 1, 2000))
    first, second = (_drawn(one, 500, np.random.RandomState(2)) for one in (share, near))
    assert np.mean(np.array(first) == np.array(second)) > 0.99


@pytest.mark.parametrize("n_leaves", [1, 2])
def test_no_leaf_is_split_off_above_a_leaf_or_in_a_full_tree(n_leaves):
    X = np.arange(6.0)[:, None]
    mutable_tree = MutableTree(SearchRows.of(X, X, np.ones(6), np.arange(1), None), 2, 2)
    asks = np.zeros((), CONDITION)
    asks["kind"], asks["cut"] = COLUMN, 2
    if n_leaves == 2:
        mutable_tree.cut(0, asks.tobytes(), 0, 1)
    with pytest.raises(ValueError, match="no leaf can be split off above node 0"):
        mutable_tree.split_off(0, asks.tobytes(), True, 1)
    check_mutable_tree(mutable_tree)
    assert SplitOff(Limits(2, 2)).propose(mutable_tree, 0) is None
