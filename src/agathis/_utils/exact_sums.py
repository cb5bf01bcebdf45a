"""Exact sums of floats: the same in any order and partition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

# Rows at a time, and bits per limb: together less than 63.
ROWS_BITS, WORD_BITS = 18, 44


def exact_sums(values: np.ndarray) -> list[Fraction]:
    """Return the exact sum of each column of finite numbers.

    Values are split into limbs of few bits, which are summed exactly as integers; most tables
    need two or three limbs per value.

    Examples
    --------
    >>> exact_sums(np.array([[1e300], [0.5], [-1e300]]))
    [Fraction(1, 2)]
    """
    totals = [Fraction(0)] * values.shape[1]
    for begin in range(0, len(values), 1 << ROWS_BITS):
        rest = np.array(values[begin : begin + (1 << ROWS_BITS)], dtype=np.float64, order="F")
        if not np.isfinite(rest).all():
            raise OverflowError("a number is not finite")
        columns = np.flatnonzero(rest.any(axis=0))
        rest = rest[:, columns]
        while len(columns):
            _, power = np.frexp(np.abs(rest).max(axis=0))
            shift = WORD_BITS - power
            limbs = np.trunc(np.ldexp(rest, shift))  # scaling up could overflow
            sums = limbs.astype(np.int64).sum(axis=0)
            for column, total, bits in zip(columns, sums.tolist(), shift.tolist(), strict=True):
                totals[column] += Fraction(total) / Fraction(2) ** bits
            rest = rest - np.ldexp(limbs, -shift)
            left = rest.any(axis=0)
            columns, rest = columns[left], rest[:, left]
    return totals


def exact_sum(values: np.ndarray) -> float:
    """Return the sum of finite numbers, rounded once.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, 1.0]))
    1.0000000000000002e+16
    """
    return float(exact_sums(values[:, None])[0])
