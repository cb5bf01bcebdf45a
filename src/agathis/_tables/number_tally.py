"""Numbers counted in their order: each different one, or where there are very many, in bins.

A tally tells of any number of rows how they are spread, in little room, and two tallies become one.
Which bins it has depends on the numbers alone, not on how they were dealt out or in which order
tallies were put together: rows in one place and rows on many machines give the same, to the last
bit.

The bits of a float, read as a whole number, are in the order of the floats. A bin is all numbers
that agree but for some of the last bits: as few as give at most ``MOST_BINS`` bins. Some numbers
never need more bits than all of them, so what a part leaves out the whole does not need. A bin's
numbers have one sign and one exponent; the sum of their digits is a whole number, and exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: The most bins; of no more different numbers each has its own.
MOST_BINS = 1 << 14
#: Bits of a float64 after its exponent, and half of all its digits.
FRACTION, HALF = 52, 26


@dataclass(frozen=True, eq=False)
class NumberTally:
    """How often numbers come.

    Attributes
    ----------
    bits : int
        The last bits by which numbers in one bin may differ.
    keys : ndarray of int64
        The other bits of the bins, rising.
    counts : ndarray of int64
    least, most : ndarray of float64
        Of each bin, as they came.
    upper, lower : ndarray of int64
        Sums of the first and of the last ``HALF`` of the digits, of each bin.
    """

    bits: int
    keys: np.ndarray
    counts: np.ndarray
    least: np.ndarray
    most: np.ndarray
    upper: np.ndarray
    lower: np.ndarray

    def __len__(self) -> int:
        """How many bins there are."""
        return len(self.keys)

    @property
    def n(self) -> int:
        """How many numbers there are."""
        return int(self.counts.sum())

    @property
    def is_exact(self) -> bool:
        """Whether each bin is one number."""
        return self.bits == 0

    @property
    def means(self) -> np.ndarray:
        """The mean of each bin."""
        raw = self.least.view(np.int64)
        exponent = np.maximum(raw >> FRACTION & 0x7FF, 1) - (1023 + FRACTION)
        digits = self.upper * float(1 << HALF) + self.lower
        found = np.copysign(np.ldexp(digits / self.counts, exponent), self.least)
        return np.clip(found, self.least, self.most)

    def within(self, low: float, high: float) -> NumberTally:
        """The bins that lie between two numbers."""
        return self._some((self.least >= low) & (self.most <= high))

    def beyond(self, low: float, high: float) -> np.ndarray:
        """Numbers that lie not between two: of each bin that does not, the least and the most."""
        some = ~((self.least >= low) & (self.most <= high))
        return np.unique(np.concatenate([self.least[some], self.most[some]]))

    def _some(self, chosen: np.ndarray) -> NumberTally:
        return NumberTally(
            self.bits,
            *(
                column[chosen]
                for column in (
                    self.keys,
                    self.counts,
                    self.least,
                    self.most,
                    self.upper,
                    self.lower,
                )
            ),
        )


def tally_of(values: np.ndarray, counts: np.ndarray | None = None) -> NumberTally:
    """The tally of numbers; what is not finite is left out.

    Parameters
    ----------
    values : ndarray of float64
    counts : ndarray of int, optional
        How often each comes; once, by default.

    Examples
    --------
    >>> tally = tally_of(np.array([2.0, 0.5, np.nan, 2.0]))
    >>> tally.least, tally.counts
    (array([0.5, 2. ]), array([1, 2]))
    """
    values = np.asarray(values, dtype=np.float64)
    known = np.isfinite(values)
    values = values[known] + 0.0  # no zero below zero
    if counts is None:
        values.sort()
        counts = np.ones(len(values), dtype=np.int64)
    else:
        order = np.argsort(values, kind="stable")
        values, counts = values[order], np.asarray(counts, dtype=np.int64)[known][order]
    raw = values.view(np.int64)
    # The least floats have no digit before the point.
    digits = (raw & ((1 << FRACTION) - 1)) | ((raw >> FRACTION & 0x7FF != 0) * (1 << FRACTION))
    keys = np.where(raw < 0, raw ^ np.iinfo(np.int64).max, raw)
    upper, lower = (digits >> HALF) * counts, (digits & ((1 << HALF) - 1)) * counts
    return _in_bins(NumberTally(0, keys, counts, values, values, upper, lower))


def put_together(tallies: Sequence[NumberTally]) -> NumberTally:
    """The tally of the numbers of several.

    Examples
    --------
    >>> put_together([tally_of(np.array([2.0, 1.0])), tally_of(np.array([2.0]))]).counts
    array([1, 2])
    """
    bits = max(tally.bits for tally in tallies)
    keys = np.concatenate([tally.keys >> (bits - tally.bits) for tally in tallies])
    order = np.argsort(keys, kind="stable")
    counts, least, most, upper, lower = (
        np.concatenate([getattr(tally, name) for tally in tallies])[order]
        for name in ("counts", "least", "most", "upper", "lower")
    )
    return _in_bins(NumberTally(bits, keys[order], counts, least, most, upper, lower))


def with_infinite(tally: NumberTally, below: int, above: int) -> NumberTally:
    """The same with so many infinite numbers, taken for the least and the largest of the others."""
    if not len(tally) or not (below or above):
        return tally
    ends = np.array([tally.least[0], tally.most[-1]])
    return put_together([tally, tally_of(ends, np.array([below, above]))])


def _in_bins(tally: NumberTally) -> NumberTally:
    """The same with each bin once, and as few as there may be; keys rise, and some are the same."""
    if not len(tally):
        return tally
    apart = tally.keys[1:] ^ tally.keys[:-1]
    fewest, most = 0, FRACTION - tally.bits
    # The fewest bits more that leave so many bins.
    while fewest < most:
        middle = (fewest + most) // 2
        if np.count_nonzero(apart >> middle) < MOST_BINS:
            most = middle
        else:
            fewest = middle + 1
    begins = np.flatnonzero(np.append(True, apart >> fewest))
    return NumberTally(
        tally.bits + fewest,
        tally.keys[begins] >> fewest,
        np.add.reduceat(tally.counts, begins),
        np.minimum.reduceat(tally.least, begins),
        np.maximum.reduceat(tally.most, begins),
        np.add.reduceat(tally.upper, begins),
        np.add.reduceat(tally.lower, begins),
    )


def mean_of(values: np.ndarray, counts: np.ndarray) -> float:
    """The mean of numbers that come so often; rounded once for each, and once at the end."""
    mean = math.fsum((values * counts).tolist()) / int(counts.sum())
    # That of numbers that are all the same is the same.
    return min(max(mean, float(values.min())), float(values.max()))


def ends_of_rows(X: np.ndarray) -> np.ndarray:
    """The least and the largest finite number of each column; NaN where there is none."""
    finite = np.where(np.isinf(X), np.nan, X)
    return np.stack([np.fmin.reduce(finite, axis=0), np.fmax.reduce(finite, axis=0)])


def ends_of_tallies(tallies: Sequence[NumberTally]) -> np.ndarray:
    """The least and the largest number of each tally; NaN where it is empty."""
    ends = [(one.least[0], one.most[-1]) if len(one) else (np.nan, np.nan) for one in tallies]
    return np.array(ends).T
