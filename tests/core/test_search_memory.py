"""Each thread of a search has a row of workspace, with a gap before that of the next thread."""

import numpy as np
import pytest
from agathis._core.pairwise.pair_search import LeafSearch
from agathis._core.pairwise.state import State
from agathis._core.pairwise.updates import close_root
from agathis._core.points.views import Views
from helpers.pair_problems import problem_of
from helpers.strategies import pairwise_kernel_sums, random_split

from agathis._growth.limits import Limits

#: Doubles at the end of a thread's row that nobody writes (SCAN_APART in shared/scan.h).
APART = 8
MARK = 12345.0


def searched(state: State, leaf_index: int) -> LeafSearch:
    return LeafSearch(state, np.array([leaf_index], dtype=np.int32), None, Limits(1, 1).record)


@pytest.mark.parametrize("n_clusters", [1, 2, 7, 8, 9, 17])
@pytest.mark.parametrize("n", [60, 128, 129, 300])
def test_work_ends_before_that_of_the_next_thread(n, n_clusters):
    problem = problem_of(n, n, 3, "rbf", "fractions", n_clusters)
    gain_engine, random = pairwise_kernel_sums(problem), np.random.default_rng(n)
    while gain_engine.n_clusters < n_clusters:
        gain_engine.commit(*random_split(gain_engine, random))
    for leaf_index in range(gain_engine.state.n_leaves):
        if not gain_engine.has_threshold(leaf_index).any():
            continue
        found = searched(gain_engine.state, leaf_index)
        work = found.workspace()
        work[:] = MARK
        found.again(np.arange(3))
        assert np.all(work[:, -APART:] == MARK)
        assert np.any(work[:, :-APART] != MARK)


def test_threads_have_a_row_each():
    values = np.random.default_rng(0).normal(size=(80, 8000))
    ones = np.ones(8000)
    state = State(values, ones, ones / 2, 4, 8, 3)
    close_root(state)  # stocks are all 0, sizes are what they are
    work = searched(state, 0).workspace()
    assert work.shape[0] == 3
    assert work.flags.c_contiguous


def test_a_search_of_no_leaf_finds_nothing():
    state = pairwise_kernel_sums(problem_of(0, 20, 2, "rbf", None, 2)).state
    before = state.gains()[0].copy()
    found = LeafSearch(state, np.zeros(0, dtype=np.int32), None, Limits(1, 1).record)
    found.finish()
    assert np.array_equal(state.gains()[0], before)


def test_views_of_leaves_are_not_made_without_their_memory():
    with pytest.raises(TypeError, match=r"at least|exactly"):
        Views.__new__(Views)
