"""Cuts of a tree as cuts of raw columns.

**Numbers.** Along a line of numbers nothing changes the order of values, or one thing after another
turns it round. So there is a largest raw number that goes to the lower side: that is the raw
threshold. It is found by bisection over all numbers of float64, with the arithmetic of the steps.
Where larger numbers become smaller ones the sides change places.

Products and sums keep the order to the last bit, in floating point too, so that every row goes the
same way before these steps as after them. Powers, logarithms and the interpolation of quantiles
may be wrong in their last bits, and then a larger number may get the smaller result: rows whose
feature is that near to a threshold may go the other way. Thresholds lie halfway between training
values, so that of these none does but where two neighbours are that near to each other.

**Categories.** A feature that is made of categories has a value for each of them, for one that is
not known, and for missing ones: a cut, of one such feature or of a sum of several, parts the
categories. Where one that is not known goes is always the left side, if need be by changing sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agathis._describe.preparation.links import Line, carried

LEFT, RIGHT = 1, 2


@dataclass(frozen=True)
class Cut:
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
    """

    terms: tuple[int, ...]
    threshold: float
    missing: int
    swapped: bool
    filled: bool = False


def number_cuts(
    lines: Sequence[Line], thresholds: np.ndarray, missing: np.ndarray, places: Sequence[int]
) -> list[Cut]:
    """The cuts of features that are made of numbers.

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
    # Every known value is at most infinite: there a cut parts the missing ones.
    falls = np.array([line.sign < 0 for line in lines], dtype=bool) & np.isfinite(raw)
    none = np.zeros(len(lines), dtype=bool)
    for group in _together(lines):
        own = [lines[i] for i in group]
        gap[group] = carried(own, np.full((1, len(group)), np.nan))[0]
        if own[0].links:
            found = _largest(own, raw[group], falls[group])
            raw[group] = np.where(np.isfinite(raw[group]), found, raw[group])
            none[group] = raw[group] == -np.inf
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
            # All known values are on one side, and what fills in missing ones on the other.
            raw[i], swapped = np.inf, not swapped
        out.append(Cut((place,), float(raw[i]), way, swapped, not np.isnan(gap[i])))
    return out


def _together(lines: Sequence[Line]) -> Iterable[list[int]]:
    """Cuts whose lines go through the same steps, each from a raw column of its own."""
    groups: dict[object, list[int]] = {}
    count: dict[object, int] = {}
    for i, line in enumerate(lines):
        at = count[line.source, line.steps] = count.get((line.source, line.steps), -1) + 1
        groups.setdefault((line.steps, at), []).append(i)
    return groups.values()


def _largest(lines: Sequence[Line], thresholds: np.ndarray, falls: np.ndarray) -> np.ndarray:
    """For each cut, the largest raw number of its lower side."""

    def goes_left(keys: np.ndarray) -> np.ndarray:
        left = carried(lines, _number_at(keys)[None, :])[0] <= thresholds
        return np.where(falls, ~left, left)

    largest = np.full(len(lines), _key_of(np.finfo(np.float64).max))
    low, high = -largest, largest
    none, every = ~goes_left(low), goes_left(high)
    # Between a key that goes left and one that does not; half the way is taken without overflow.
    while (high - 1 > low).any():
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        left = goes_left(middle)
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    return np.where(none, -np.inf, np.where(every, np.inf, _number_at(low)))


def _key_of(value: float) -> int:
    """The place of a number among all of its type, 0 at zero."""
    bits = int(np.float64(abs(value)).view(np.int64))
    return bits if value >= 0 else -bits


def _number_at(keys: np.ndarray) -> np.ndarray:
    """The number at each place."""
    return np.copysign(np.abs(keys).view(np.float64), np.where(keys < 0, -1.0, 1.0))


@dataclass(frozen=True)
class Values:
    """The values of a feature that is made of categories; NaN where it misses its own.

    Attributes
    ----------
    known : mapping
        For each raw feature of the source, of its category.
    unknown, missing : float or None
        Of a category that is not known, of a missing one; None where there can be none.
    told : bool
        Whether a step is there for missing values; else they are as good as not known.
    """

    known: Mapping[int, float]
    unknown: float | None
    missing: float | None
    told: bool = True


def category_cut(
    terms: Sequence[tuple[Values, float]], threshold: float, way: int, seen: int, larger: int
) -> Cut:
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
    elif missing == larger and not any(values.told for values, _ in terms):
        missing = 0
    if not chosen:
        # Only missing values part from the others.
        return Cut((features[0],), float("inf"), missing, swapped, filled)
    return Cut(chosen, 0.5, missing, swapped, filled)
