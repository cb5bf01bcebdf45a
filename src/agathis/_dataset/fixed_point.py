"""Exact sums of points by fixed-point arithmetic, independent of the order of rows.

A component is stored as a 64-bit integer number of steps from the origin. The step is the smallest
power of two for which the magnitudes of all rows sum to at most 2^62 steps, so that no partial sum
overflows. For n rows of similar magnitude a value has 61 - log2(n) bits, 35 for 10^8 rows. An
outlier costs only its share of the sum: four bits for one of 10^9 among 10^8 rows of magnitude 1
(with the maximum times n instead of the sum it would be thirty). Integers and values of 24 bits are
represented exactly, as the origin has few bits.

The sum of magnitudes is estimated from a sample and known after the first pass; if the estimate was
wrong, the rows are summed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

# Bits of the estimated sum of magnitudes, and the accepted maximum and minimum.
BITS, MAX_BITS, FEW_BITS = 61, 62, 48
# The exponent of the finest step, for magnitudes of zero in the sample.
FINEST = 1000
# The safety factor of the estimate from a sample.
GUESS = 4
# Bits of the origin, relative to the largest magnitude of the sample.
ORIGIN_BITS = 16
# The maximum number of passes; three are enough.
ATTEMPTS = 8


class Seen(NamedTuple):
    """The sums of magnitudes over all rows.

    ``lengths`` are the sums of absolute values of each component, in steps; ``squares`` is the
    weighted sum of squared norms, in steps of squares over 2^32. Values too large to be summed are
    excluded; ``most`` and ``most_square`` are the largest of these, in steps, or 0.
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
    """The origin and the steps of fixed-point sums.

    Attributes
    ----------
    origin, gap : ndarray of shape (n_components,)
        The origin subtracted from points, and the value of missing components relative to it.
    steps : ndarray of shape (n_components,)
        Steps per unit, powers of two.
    square_steps : float
        The same for squared norms.
    weight_steps : float or None
        The same for weights, if any.
    ratio : float
        The factor of weights; 1 unless these are huge.
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
        """Estimate the grid for ``n_rows`` rows of this total weight, from a sample.

        ``origin`` is computed unless given, and missing components are ``gap``.
        """
        if origin is None:
            origin = rounded_origin(points, weight)
        gap = np.zeros(len(origin)) if gap is None else gap
        row_weight = np.ones(len(points)) if weight is None else weight
        with np.errstate(over="ignore", invalid="ignore"):
            off = np.where(np.isnan(points), gap, points - origin)
            scale = GUESS * n_rows / len(points)
            lengths = scale * (row_weight @ np.abs(off))
            squares = scale * float(row_weight @ (off * off).sum(axis=1))
        if not np.isfinite(squares):
            raise TooLarge(TOO_LARGE)
        weight_steps, ratio = None, 1.0
        if weight is not None and total_weight is not None:
            weight_steps = _steps_of(total_weight)
            ratio = min(1.0, 2.0 ** (BITS - 1 - _ceil_log2(total_weight)))
        steps = np.array([_steps_of(float(length) * ratio) for length in lengths])
        return cls(origin, gap, steps, _steps_of(squares), weight_steps, ratio)

    def after(self, seen: Seen, n_rows: int) -> Grid | None:
        """The grid for rows that were summed on this one; ``None`` if this one is suitable."""
        # Steps of components constant in the sample are so fine that other values overflow
        # float64; these are summed again in steps of one.
        far = np.isinf(seen.most) & (self.steps > 1.0)
        far_square = seen.most_square == np.inf and self.square_steps > 1.0
        if far.any() or far_square:
            return replace(
                self,
                steps=np.where(far, 1.0, self.steps),
                square_steps=1.0 if far_square else self.square_steps,
            )
        steps, changed = self.steps.copy(), False
        for j, (length, largest) in enumerate(zip(seen.lengths, seen.most.tolist(), strict=True)):
            if largest > 0:
                total = n_rows * (largest / self.steps[j])
            elif length > 2**MAX_BITS or 0 < length < 2**FEW_BITS:
                total = (length + n_rows) / self.steps[j]
            else:
                continue
            if not np.isfinite(total):
                raise TooLarge(TOO_LARGE)
            new = _steps_of(total)
            changed |= new != steps[j]
            steps[j] = new
        square_steps = self.square_steps
        if seen.most_square > 0:
            total = n_rows * (seen.most_square / self.square_steps)
            if not np.isfinite(total):
                raise TooLarge(TOO_LARGE)
            square_steps = _steps_of(total)
            changed = True
        return replace(self, steps=steps, square_steps=square_steps) if changed else None

    def inertia(self, seen: Seen) -> float:
        """The weighted sum of squared norms."""
        return float(Fraction(seen.squares, 2**32) / Fraction(self.square_steps))


class TooLarge(ValueError):
    """Norms of rows exceed the range of float64."""


TOO_LARGE = "X is too large: the squared length of some row is not finite."


def settled(grid: Grid, n_rows: int, root: Callable[[Grid], Seen]) -> tuple[Grid, Seen]:
    """The final grid and its sums of magnitudes; ``root`` sums the rows on a grid."""
    for _ in range(ATTEMPTS):
        seen = root(grid)
        coarser = grid.after(seen, n_rows)
        if coarser is None:
            return grid, seen
        grid = coarser
    raise RuntimeError(f"no steps fit the rows; the last were {grid.steps}")


def rounded_origin(points: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The mean of points, rounded to few bits, so that values of few bits remain exact."""
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
    """Steps per unit, so that a total has ``BITS`` bits."""
    if total == 0.0:
        return math.ldexp(1.0, FINEST)
    return math.ldexp(1.0, min(FINEST, max(-FINEST, BITS - _ceil_log2(total))))


def _ceil_log2(value: float) -> int:
    part, power = math.frexp(value)
    return power - 1 if part == 0.5 else power
