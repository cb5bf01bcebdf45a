"""Which leaves the grower has searched before it says what is best, with gains made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from agathis._growth.grower import Grower
from agathis._utils.progress import Clocks

TOLERANCE = 1e-9


def searched(gains, bounds):
    """The slots that are searched, and the best gain; a search finds what ``gains`` says.

    A leaf whose bound is its gain is known, one whose bound is infinite was never searched.
    """
    gains, bound = np.array(gains), np.array(bounds, dtype=float)
    gain = np.where(gains == bound, gains, -np.inf)
    seen = []

    def search(leaf_indices, drawn, floor):
        seen.extend(leaf_indices.tolist())
        gain[leaf_indices] = bound[leaf_indices] = gains[leaf_indices]

    grower = object.__new__(Grower)
    grower.gain_engine = SimpleNamespace(gain=gain, bound=bound, tolerance=TOLERANCE, search=search)
    grower.n_leaves = len(gains)
    grower.closed = np.zeros(len(gains), dtype=bool)
    grower.some_closed, grower.draws, grower.clocks = False, None, Clocks()
    best = grower._best_gain()
    return seen, best


def test_only_what_may_be_best():
    seen, best = searched([3.0, 1.0, 2.0], [3.0, 2.5, 3.5])
    assert (seen, best) == ([2], 3.0)


def test_a_better_one_is_found():
    assert searched([3.0, 4.0], [3.0, 9.0]) == ([1], 4.0)


@pytest.mark.parametrize("off", [-0.5, 0.0, 0.5])
def test_a_leaf_that_may_tie_is_searched(off):
    """Of leaves that tie the first is cut, so that all of them have to be known."""
    bound = 3.0 + off * TOLERANCE
    seen, _ = searched([3.0, 2.0], [3.0, bound])
    assert seen == [1]
    seen, _ = searched([3.0, 2.0], [3.0, 3.0 - 2 * TOLERANCE])
    assert seen == []


def test_new_leaves_are_searched():
    assert searched([3.0, 1.0, 2.0], [3.0, np.inf, np.inf]) == ([1, 2], 3.0)


def test_nothing_to_gain():
    _, best = searched([0.0, -1.0], [0.0, TOLERANCE / 4])
    assert best <= TOLERANCE
