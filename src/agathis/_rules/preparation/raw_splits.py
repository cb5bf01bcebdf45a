"""Splits of a tree as splits on raw columns.

**Numbers.** All steps of a line of numbers are monotonic. So there is a largest raw number on the
lower side, the raw threshold. It is found by bisection over all float64 numbers, with the
operations of the steps (:mod:`~agathis._rules.preparation.arithmetic`). If the line is decreasing,
the children are swapped.

Products and sums are monotonic in floating point too, so that every row reaches the same leaf.
Powers, logarithms and interpolated quantiles may have errors in their last bits, so that rows very
near to a threshold may go to the other side. Thresholds lie halfway between training values, so
training rows do not, unless two neighbours are that near.

**Categories.** A feature computed from categories has a value for each of them, for unknown ones,
and for missing ones: a split on it, or on a sum of several, separates the categories. Unknown
categories always go left, if necessary after swapping the children.

**Sums.** A sum of several columns remains a sum of the raw columns after the operations of the
steps, the only form that sends every row to the same child.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agathis._rules.preparation.arithmetic import steps_of_line
from agathis._rules.preparation.column_transforms import Line, transformed_by
from agathis._trees.stepped import Steps, after

LEFT, RIGHT = 1, 2

#: The maximum size of a table in the search for thresholds.
CELLS = 1 << 16


@dataclass(frozen=True)
class RawSplit:
    """A split on raw features.

    Attributes
    ----------
    terms : tuple of int
        The raw feature, or several whose sum is compared with the threshold.
    threshold : float
    missing : {0, 1, 2}
        As in ``Tree.missing``.
    swapped : bool
        Whether the children of the tree are swapped.
    filled : bool
        Whether ``missing`` is the side of the imputed value.
    weights : tuple of float
        The weights of a sum of several columns; empty for other splits.
    steps : tuple of Steps
        The operations on each of these columns.
    """

    terms: tuple[int, ...]
    threshold: float
    missing: int
    swapped: bool
    filled: bool = False
    weights: tuple[float, ...] = ()
    steps: tuple[Steps, ...] = ()


def number_splits(
    lines: Sequence[Line], thresholds: np.ndarray, missing: np.ndarray, features: Sequence[int]
) -> list[RawSplit]:
    """Compute the raw splits on features that are computed from numbers.

    Parameters
    ----------
    lines : sequence of Line
        The line of the feature of each split.
    thresholds, missing : ndarray of shape (n_splits,)
        As in the tree.
    features : sequence of int
        The raw feature of each split.
    """
    raw = np.array(thresholds, dtype=np.float64)
    finite = np.isfinite(raw)
    # Every known value is at most inf: splits there separate missing values only.
    falls = np.array([line.sign < 0 for line in lines], dtype=bool) & finite
    fill = np.full(len(lines), np.nan)
    of_line: dict[Line, list[int]] = {}
    for i, line in enumerate(lines):
        of_line.setdefault(line, []).append(i)
    for line, splits in of_line.items():
        fill[splits] = transformed_by(line, np.array([np.nan]))
        if line.links:
            largest = _largest(line, raw[splits], falls[splits])
            raw[splits] = np.where(finite[splits], largest, raw[splits])
    out = []
    for i, feature in enumerate(features):
        direction, swapped = int(missing[i]), bool(falls[i])
        is_filled, is_empty = not np.isnan(fill[i]), bool(lines[i].links) and raw[i] == -np.inf
        if is_filled:
            direction = LEFT if fill[i] <= thresholds[i] else RIGHT
        elif is_empty:
            raise ValueError(
                f"all values of the steps before the tree are on one side of "
                f"{float(thresholds[i])!r}, where the tree splits feature {feature}: it was not "
                "fitted to their output."
            )
        if is_empty:
            # All known values are on one side, the imputed value is on the other.
            raw[i], swapped = np.inf, not swapped
        out.append(RawSplit((feature,), float(raw[i]), direction, swapped, is_filled))
    return out


def _largest(line: Line, thresholds: np.ndarray, falls: np.ndarray) -> np.ndarray:
    """Return the largest raw number on the lower side of each split on a line."""
    steps = steps_of_line(line)

    def goes_left(keys: np.ndarray) -> np.ndarray:
        values = after(_number_at(keys).ravel(), steps).reshape(keys.shape)
        return (np.where(np.isnan(values), -np.inf, values) <= thresholds) != falls

    largest = np.full(len(thresholds), _key_of(np.finfo(np.float64).max))
    low, high = -largest, largest
    none, every = ~goes_left(low[None])[0], goes_left(high[None])[0]
    # Search many intervals at once: a step has a cost per call, and hardly more for many values.
    # Unsigned, since the range of all numbers overflows a signed integer.
    width = len(thresholds) * max(link.width for link in line.links)
    parts = np.arange(1, 1 + min(255, max(1, CELLS // width)), dtype=np.uint64)[:, None]
    span = (high - low).view(np.uint64)
    while (span > 1).any():
        size = np.maximum(span // np.uint64(len(parts) + 1), np.uint64(1))
        apart = np.minimum(parts * size, span - np.uint64(1))
        left = goes_left(low + apart.view(np.int64))
        first = np.where(left.all(axis=0), len(parts), np.argmin(left, axis=0))
        ends = np.vstack([np.zeros_like(span), apart, span])
        below, above = (np.take_along_axis(ends, (first + i)[None], axis=0)[0] for i in (0, 1))
        low, span = low + below.view(np.int64), above - below
    return np.where(none, -np.inf, np.where(every, np.inf, _number_at(low)))


def _key_of(value: float) -> int:
    """Return the rank of a number among all of its type, 0 at zero."""
    bits = int(np.float64(abs(value)).view(np.int64))
    return bits if value >= 0 else -bits


def _number_at(keys: np.ndarray) -> np.ndarray:
    """Return the number of each rank."""
    return np.copysign(np.abs(keys).view(np.float64), np.where(keys < 0, -1.0, 1.0))


@dataclass(frozen=True)
class Values:
    """The values of a feature that is computed from categories; NaN if it is missing.

    Attributes
    ----------
    known : mapping
        From the raw feature of each category to its value.
    unknown, missing : float or None
        The value of an unknown category, and of a missing one; None if there can be none.
    handles_missing : bool
        Whether a step handles missing values; if not, they are treated as unknown categories.
    """

    known: Mapping[int, float]
    unknown: float | None
    missing: float | None
    handles_missing: bool = True


def category_split(
    terms: Sequence[tuple[Values, float]],
    threshold: float,
    missing_side: int,
    tree_missing: int,
    larger: int,
) -> RawSplit:
    """Compute the raw split on a feature of categories, or on a sum of several of one column.

    Parameters
    ----------
    terms : sequence of Values and weights
    threshold : float
    missing_side : {1, 2}
        The direction of missing values.
    tree_missing : {0, 1, 2}
        As in ``Tree.missing``: 0 if training rows had no missing values.
    larger : {1, 2}
        The side with more training rows, the direction of missing values that were not seen.
    """

    def side(values: Iterable[float | None]) -> int | None:
        total = 0.0
        for (_, weight), value in zip(terms, values, strict=True):
            if value is None:
                return None
            total += weight * value
        if np.isnan(total):
            return missing_side
        return LEFT if total <= threshold else RIGHT

    features = list(terms[0][0].known)
    sides = {f: side(values.known[f] for values, _ in terms) for f in features}
    unknown = side(values.unknown for values, _ in terms)
    missing = side(values.missing for values, _ in terms)
    # Unknown categories match no raw feature and go left.
    if unknown is None:
        n_right = sum(direction == RIGHT for direction in sides.values())
        unknown = RIGHT if n_right == len(features) - 1 and n_right > 1 else LEFT
    swapped = unknown == RIGHT
    chosen = tuple(f for f in features if sides[f] == (LEFT if swapped else RIGHT))
    fills = [values.missing for values, _ in terms]
    filled = missing is not None and not any(fill is None or np.isnan(fill) for fill in fills)
    if missing is None:
        missing = 0
    elif not filled:
        missing = tree_missing
    elif missing == larger and not any(values.handles_missing for values, _ in terms):
        missing = 0
    if not chosen:
        # Only missing values are separated from the others.
        return RawSplit((features[0],), float("inf"), missing, swapped, filled)
    return RawSplit(chosen, 0.5, missing, swapped, filled)
