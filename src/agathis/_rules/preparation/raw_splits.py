"""Splits of a tree as splits on raw columns.

**Numbers.** All steps of a line of numbers are monotonic. So there is a largest raw number that
goes to the lower side, the raw threshold. It is found by bisection over all float64 numbers, with
the arithmetic of the steps. If the line is decreasing, the children are swapped.

Products and sums are monotonic in floating point too, so that every row reaches the same leaf.
Powers, logarithms and interpolated quantiles may have errors in their last bits, so that rows very
near to a threshold may go to the other side. Thresholds lie halfway between training values, so
training rows do not, unless two neighbours are that near.

**Categories.** A feature computed from categories has a value for each of them, for unknown ones,
and for missing ones: a split on it, or on a sum of several, separates the categories. Unknown
categories always go left, if necessary after swapping the children.

**Sums.** A sum of columns of several sources remains a sum of the raw columns after the operations
of the steps (:mod:`~agathis._rules.preparation.arithmetic`): nothing shorter sends every row the
same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agathis._rules.preparation.links import Line, carried
from agathis._trees.stepped import Steps

LEFT, RIGHT = 1, 2

#: Of a table that steps are given in a search for thresholds.
CELLS = 1 << 16


@dataclass(frozen=True)
class RawSplit:
    """A node's condition on raw features.

    Attributes
    ----------
    terms : tuple of int
        Raw features. One that is at most the threshold goes left, or the sum of several.
    threshold : float
    missing : {0, 1, 2}
        As in ``Tree.missing``.
    swapped : bool
        Whether what goes left here went right in the tree.
    filled : bool
        Whether ``missing`` is what the steps before the tree make of a missing value, and not what
        the tree says of it.
    weights : tuple of float
        Of the terms of a sum of several columns; empty of any other cut.
    steps : tuple of Steps
        What is done with each of these columns before.
    """

    terms: tuple[int, ...]
    threshold: float
    missing: int
    swapped: bool
    filled: bool = False
    weights: tuple[float, ...] = ()
    steps: tuple[Steps, ...] = ()


def number_splits(
    lines: Sequence[Line], thresholds: np.ndarray, missing: np.ndarray, places: Sequence[int]
) -> list[RawSplit]:
    """Compute the splits on features that are computed from numbers.

    Parameters
    ----------
    lines : sequence of Line
        Of the feature of each cut.
    thresholds, missing : ndarray of shape (n_cuts,)
        Of the tree.
    places : sequence of int
        The raw feature of each cut.
    """
    gap, raw = np.full(len(lines), np.nan), np.array(thresholds, dtype=np.float64)
    # Every known value is at most inf: splits there separate missing values only.
    falls = np.array([line.sign < 0 for line in lines], dtype=bool) & np.isfinite(raw)
    none = np.zeros(len(lines), dtype=bool)
    for group in _together(lines):
        cuts = group.cuts
        gap[cuts] = group.carried(np.full((1, len(cuts)), np.nan))[0]
        if group.lines[0].links:
            found = _largest(group, raw[cuts], falls[cuts])
            raw[cuts] = np.where(np.isfinite(raw[cuts]), found, raw[cuts])
            none[cuts] = raw[cuts] == -np.inf
    out = []
    for i, place in enumerate(places):
        way, swapped = int(missing[i]), bool(falls[i])
        if not np.isnan(gap[i]):
            way = LEFT if gap[i] <= thresholds[i] else RIGHT
        elif none[i]:
            raise ValueError(
                f"the steps before the tree give no value on the lower side of "
                f"{float(thresholds[i])!r}, where the tree cuts feature {places[i]}: it was not "
                "grown from what they give."
            )
        if none[i]:
            # Known values are all on one side, the imputed value on the other.
            raw[i], swapped = np.inf, not swapped
        out.append(RawSplit((place,), float(raw[i]), way, swapped, not np.isnan(gap[i])))
    return out


@dataclass(frozen=True)
class _Group:
    """Cuts whose lines go through the same steps, each from another raw column.

    Values of all of them go through a step at once: a column for each line, and rows enough for
    the line with the most cuts.
    """

    lines: list[Line]
    cuts: list[int]
    row: list[int]
    column: list[int]

    def carried(self, values: np.ndarray) -> np.ndarray:
        """Transform values for each split, of shape (n_values, n_cuts)."""
        table = np.ones((len(values), max(self.row) + 1, len(self.lines)))
        table[:, self.row, self.column] = values
        out = carried(self.lines, table.reshape(-1, len(self.lines)))
        return out.reshape(table.shape)[:, self.row, self.column]

    @property
    def width(self) -> int:
        """Cells of the largest table that a step gets for a value of each cut."""
        return (max(self.row) + 1) * max(link.width for link in self.lines[0].links)


def _together(lines: Sequence[Line]) -> Iterable[_Group]:
    groups: dict[object, _Group] = {}
    places: dict[Line, tuple[_Group, int]] = {}
    # Lines of one raw column through the same steps, such as a filled value and whether it was.
    n_beside: dict[object, int] = {}
    n_cuts: dict[Line, int] = {}
    for cut, line in enumerate(lines):
        if line not in places:
            way = (line.source, line.steps)
            n_beside[way] = n_beside.get(way, 0) + 1
            group = groups.setdefault((line.steps, n_beside[way]), _Group([], [], [], []))
            places[line] = group, len(group.lines)
            group.lines.append(line)
        group, column = places[line]
        group.cuts.append(cut)
        group.column.append(column)
        group.row.append(n_cuts.get(line, 0))
        n_cuts[line] = n_cuts.get(line, 0) + 1
    return groups.values()


def _largest(group: _Group, thresholds: np.ndarray, falls: np.ndarray) -> np.ndarray:
    """Return for each split the largest raw number on its lower side."""

    def goes_left(keys: np.ndarray) -> np.ndarray:
        left = group.carried(_number_at(keys)) <= thresholds
        return np.where(falls, ~left, left)

    largest = np.full(len(thresholds), _key_of(np.finfo(np.float64).max))
    low, high = -largest, largest
    none, every = ~goes_left(low[None])[0], goes_left(high[None])[0]
    # Bisect in many intervals at once: a step has a cost per table, and hardly more for a long one.
    # Unsigned, since the range of all numbers overflows a signed integer.
    parts = np.arange(1, 1 + min(255, max(1, CELLS // group.width)), dtype=np.uint64)[:, None]
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
    """The values of a feature made of categories; NaN if the category is missing.

    Attributes
    ----------
    known : mapping
        For each raw feature of the source, of its category.
    unknown, missing : float or None
        Of a category that is not known, of a missing one; None where there can be none.
    handles_missing : bool
        Whether a step handles missing values; if not, they are treated as unknown categories.
    """

    known: Mapping[int, float]
    unknown: float | None
    missing: float | None
    handles_missing: bool = True


def category_split(
    terms: Sequence[tuple[Values, float]], threshold: float, way: int, seen: int, larger: int
) -> RawSplit:
    """The cut of a feature that is made of categories, or of a sum of such of one source.

    Parameters
    ----------
    terms : sequence of Values and weights
    threshold : float
    way : {1, 2}
        Where the tree sends rows that miss the feature.
    seen : {0, 1, 2}
        The same as the tree tells it: 0 where training rows missed none.
    larger : {1, 2}
        The side with more training rows, where missing values go of which nothing is told.
    """

    def goes(values: Iterable[float | None]) -> int | None:
        total = 0.0
        for (_, weight), value in zip(terms, values, strict=True):
            if value is None:
                return None
            total += weight * value
        if np.isnan(total):
            return way
        return LEFT if total <= threshold else RIGHT

    features = list(terms[0][0].known)
    sides = {f: goes(values.known[f] for values, _ in terms) for f in features}
    unknown = goes(values.unknown for values, _ in terms)
    missing = goes(values.missing for values, _ in terms)
    # One that is not known is none of the terms, and goes left.
    if unknown is None:
        n_right = sum(side == RIGHT for side in sides.values())
        unknown = RIGHT if n_right == len(features) - 1 and n_right > 1 else LEFT
    swapped = unknown == RIGHT
    chosen = tuple(f for f in features if sides[f] == (LEFT if swapped else RIGHT))
    gaps = [values.missing for values, _ in terms]
    filled = missing is not None and not any(gap is None or np.isnan(gap) for gap in gaps)
    if missing is None:
        missing = 0
    elif not filled:
        missing = seen
    elif missing == larger and not any(values.handles_missing for values, _ in terms):
        missing = 0
    if not chosen:
        # Only missing values are separated from the others.
        return RawSplit((features[0],), float("inf"), missing, swapped, filled)
    return RawSplit(chosen, 0.5, missing, swapped, filled)
