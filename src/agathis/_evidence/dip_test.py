"""Tests of one mode: the dip of numbers, and its comparison with copies for categories.

The dip of Hartigan and Hartigan (1985) is the distance of an empirical distribution function from
the nearest one with a single mode. Its p-value is that of uniform rows, which is conservative for
other distributions with one mode. Categories have a few values, so that their sums with numbers
have many modes by nature: their dip is compared with that of rows with the categories permuted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from agathis._core.shared.dip import dips
from agathis._evidence.dip_quantiles import QUANTILES, TAILS
from agathis._evidence.tuning import COPIES, ENOUGH_COPIES

_SIZES = np.array(list(QUANTILES))
_TABLE = np.array(list(QUANTILES.values()))
#: Copies are made in blocks, between which a test may end.
_BLOCK = 50
#: Dips that differ by less are equal.
_TIE = 1e-12


def dip(values: np.ndarray) -> float:
    """Return the dip of some values.

    >>> dip(np.arange(10.0)), round(dip(np.array([0.0, 1, 2, 97, 98, 99])), 3)
    (0.05, 0.245)
    """
    return float(dips(np.sort(np.asarray(values, dtype=np.float64))[None])[0])


def dip_quantiles(n: int) -> np.ndarray:
    """Return the dips that uniform samples of n values exceed with the probabilities ``TAILS``."""
    at = np.log(n)
    rows = [np.interp(at, np.log(_SIZES), column) for column in _TABLE.T]
    return np.array(rows) / np.sqrt(n)


def dip_pvalue(values: np.ndarray) -> float:
    """Return the probability of such a dip or a larger one if the values are uniform."""
    return float(np.exp(np.interp(dip(values), dip_quantiles(len(values)), np.log(TAILS))))


def permutation_pvalue(
    numbers: np.ndarray, parts: Sequence[np.ndarray], random: np.random.RandomState
) -> float:
    """Return the p-value of the dip of a sum among copies with permuted parts.

    The permutations are cyclic shifts by random numbers of rows. These are a group, so that the
    test is exact for rows in random order, and they take less time than other permutations.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples,)
        The sum of the numeric features.
    parts : sequence of ndarrays of shape (n_samples,)
        The contribution of each categorical column.
    random : RandomState
    """
    n = len(numbers)
    found = dip(numbers + np.sum(parts, axis=0))
    shifted = [sliding_window_view(np.concatenate([part, part]), n) for part in parts]
    exceeding = made = 0
    while made < COPIES:
        block = min(_BLOCK, COPIES - made)
        copies = np.repeat(numbers[None], block, axis=0)
        for part in shifted:
            copies += part[random.randint(n, size=block)]
        copies.sort(axis=1)
        as_far = exceeding + np.cumsum(dips(copies) >= found - _TIE)
        if as_far[-1] >= ENOUGH_COPIES:
            # The p-value of a test that ends at the tenth such copy (Besag and Clifford, 1991).
            return ENOUGH_COPIES / float(made + 1 + np.argmax(as_far >= ENOUGH_COPIES))
        exceeding, made = int(as_far[-1]), made + block
    return (1 + exceeding) / (1 + COPIES)
