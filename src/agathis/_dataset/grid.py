"""Points on a grid: sums of whole numbers are exact, whoever adds which rows in which order.

A component of a point is a whole number of steps off the origin, in 64 bits. A step is a power of
two, as small as lets the lengths of all rows add up to no more than 2^62 steps, so that no sum over
some of them can leave 64 bits. Of n rows of about one length a value then has 61 - log2(n) bits,
35 with 10^8 rows, and an outlier takes away no more than its share of the sum: beside 10^8
rows of length 1 one of 10^9 costs four bits. (With the largest length times n in the place of the
sum it would cost thirty.) Whole numbers, and numbers of 24 bits, lie on the grid as they are: the
origin has few bits.

How long the rows are together is guessed from a sample, and known when they were summed once: where
the guess was wrong they are summed once more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

# Bits of the sum of all lengths, by the guess; and with how many it is taken, and too few.
BITS, MOST_BITS, FEW_BITS = 61, 62, 48
# Where nothing is known of a length, steps are that fine: any length is then too large.
FINEST = 1000
# How much the whole table may exceed what a sample tells before it is summed again.
GUESS = 4
# Of the origin, counted from the largest length of the sample on.
ORIGIN_BITS = 16
# Steps are changed at most that often; three are needed.
ATTEMPTS = 8


class Seen(NamedTuple):
    """What the rows of the root needed.

    ``lengths`` are sums over rows, in steps, of each component; ``squares`` is the weighted sum of
    squared lengths, in steps of squares over 2^32. What was too long to be summed was left out:
    the longest such of each component, and squared length, in steps, 0 where there was none.
    """

    lengths: list[int]
    squares: int
    most: np.ndarray
    most_square: float

    def __add__(self, other: object) -> Seen:
        assert isinstance(other, Seen)
        return Seen(
            [one + two for one, two in zip(self.lengths, other.lengths, strict=True)],
            self.squares + other.squares,
            np.maximum(self.most, other.most),
            max(self.most_square, other.most_square),
        )


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the points of rows lie, and in what steps they are summed.

    Attributes
    ----------
    origin, gap : ndarray of shape (n_components,)
        What is taken off the points, and what stands for missing components after that.
    steps : ndarray of shape (n_components,)
        Steps to the unit, powers of two.
    square_steps : float
        The same of squared lengths.
    weight_steps : float or None
        The same of weights; ``None`` where there are none.
    ratio : float
        What weights of points are multiplied by; 1 unless they are huge.
    """

    origin: np.ndarray
    gap: np.ndarray
    steps: np.ndarray
    square_steps: float
    weight_steps: float | None = None
    ratio: float = 1.0

    @classmethod
    def guess(
        cls,
        points: np.ndarray,
        weight: np.ndarray | None,
        n_rows: int,
        total_weight: float | None = None,
        origin: np.ndarray | None = None,
        gap: np.ndarray | None = None,
    ) -> Grid:
        """The grid for ``n_rows`` rows of which some are given, with the weight of all.

        ``origin`` is found where it is not given, and missing components are ``gap``.
        """
        if origin is None:
            origin = rounded_origin(points, weight)
        gap = np.zeros(len(origin)) if gap is None else gap
        share = np.ones(len(points)) if weight is None else weight
        with np.errstate(over="ignore", invalid="ignore"):
            off = np.where(np.isnan(points), gap, points - origin)
            scale = GUESS * n_rows / len(points)
            lengths = scale * (share @ np.abs(off))
            squares = scale * float(share @ (off * off).sum(axis=1))
        if not np.isfinite(squares):
            raise TooLarge(TOO_LARGE)
        weight_steps, ratio = None, 1.0
        if weight is not None and total_weight is not None:
            weight_steps = _steps_of(total_weight)
            ratio = min(1.0, 2.0 ** (BITS - 1 - _ceil_log2(total_weight)))
        steps = np.array([_steps_of(float(length) * ratio) for length in lengths])
        return cls(origin, gap, steps, _steps_of(squares), weight_steps, ratio)

    def after(self, seen: Seen, n_rows: int) -> Grid | None:
        """The grid that the rows need which were seen on this one; ``None`` where it is this."""
        # Steps of what had no spread in the sample are so fine that others leave float64 in them:
        # these are looked at again in steps of one.
        far = np.isinf(seen.most) & (self.steps > 1.0)
        far_square = seen.most_square == np.inf and self.square_steps > 1.0
        if far.any() or far_square:
            return replace(
                self,
                steps=np.where(far, 1.0, self.steps),
                square_steps=1.0 if far_square else self.square_steps,
            )
        steps, changed = self.steps.copy(), False
        for j, (length, most) in enumerate(zip(seen.lengths, seen.most.tolist(), strict=True)):
            if most > 0:
                found = n_rows * (most / self.steps[j])
            elif length > 2**MOST_BITS or 0 < length < 2**FEW_BITS:
                found = (length + n_rows) / self.steps[j]
            else:
                continue
            if not np.isfinite(found):
                raise TooLarge(TOO_LARGE)
            new = _steps_of(found)
            changed |= new != steps[j]
            steps[j] = new
        square_steps = self.square_steps
        if seen.most_square > 0:
            found = n_rows * (seen.most_square / self.square_steps)
            if not np.isfinite(found):
                raise TooLarge(TOO_LARGE)
            square_steps = _steps_of(found)
            changed = True
        return replace(self, steps=steps, square_steps=square_steps) if changed else None

    def inertia(self, seen: Seen) -> float:
        """The weighted sum of squared lengths."""
        return float(Fraction(seen.squares, 2**32) / Fraction(self.square_steps))


class TooLarge(ValueError):
    """Lengths of rows leave the range of float64."""


TOO_LARGE = "X is too large: the squared length of some row is not finite."


def settled(grid: Grid, n_rows: int, root: Callable[[Grid], Seen]) -> tuple[Grid, Seen]:
    """The grid that the rows fit on; ``root`` sums them on one and tells what they needed."""
    for _ in range(ATTEMPTS):
        seen = root(grid)
        coarser = grid.after(seen, n_rows)
        if coarser is None:
            return grid, seen
        grid = coarser
    raise RuntimeError(f"no steps fit the rows; the last were {grid.steps}")


def rounded_origin(points: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """About the mean of some points, in few bits, so that values of few bits stay what they are."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.average(points.astype(np.float64), axis=0, weights=weight)
    out = mean.copy()
    for j, centre in enumerate(mean.tolist()):
        with np.errstate(over="ignore", invalid="ignore"):
            furthest = float(np.abs(points[:, j].astype(np.float64) - centre).max(initial=0.0))
        if 0.0 < furthest < np.inf and np.isfinite(centre):
            unit = math.ldexp(1.0, max(-FINEST, _ceil_log2(furthest) - ORIGIN_BITS))
            out[j] = round(centre / unit) * unit if np.isfinite(centre / unit) else centre
    return out


def _steps_of(total: float) -> float:
    """Steps to the unit, so that this has ``BITS`` bits."""
    if total == 0.0:
        return math.ldexp(1.0, FINEST)
    return math.ldexp(1.0, min(FINEST, max(-FINEST, BITS - _ceil_log2(total))))


def _ceil_log2(value: float) -> int:
    part, power = math.frexp(value)
    return power - 1 if part == 0.5 else power
