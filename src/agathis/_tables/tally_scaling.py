"""The scale of a feature by a tally of its numbers, where rows are many or on many machines.

It is what ``scaling`` finds from rows in order. Where each bin of the tally is one number, limits
are the same and the rest is but for rounding. Of bins with several numbers

- a percentile is an end of its bin, the lower one below and the upper one above, so that it lies
  beyond the true one, by less than the bin is wide;
- no bin is cut: it is far off as a whole, or not at all;
- the mean of values that are held is exact, and for deviations the numbers of a bin are taken to
  lie evenly between its ends;
- logarithms and ranks are those of a bin's mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agathis._tables.number_tally import NumberTally, mean_of
from agathis._tables.typing_errors import FAR, FEWEST, PERCENTILES

#: Columns with fewer different values have no typing errors that percentiles could tell.
FEWEST_VALUES = 10
#: Points of the map from values to ranks.
RANK_POINTS = 1000


class Scale(NamedTuple):
    """How a feature is scaled.

    Attributes
    ----------
    low, high : float
        Where values are held.
    far_low, far_high : float
        Beyond which values are far off.
    centre, spread : float
        What is taken off, and what the rest is divided by; a spread of 0 divides nothing.
    variance : float
        Of the values before that.
    size : float
        The largest value, for which rounding is judged.
    ranks : tuple of ndarray, or None
        Points of the map to ranks.
    """

    low: float = -np.inf
    high: float = np.inf
    far_low: float = -np.inf
    far_high: float = np.inf
    centre: float = 0.0
    spread: float = 0.0
    variance: float = 0.0
    size: float = 0.0
    ranks: tuple[np.ndarray, np.ndarray] | None = None


def scale_of(tally: NumberTally, how: str) -> Scale:
    """The scale of a feature.

    Parameters
    ----------
    tally : NumberTally
        Of its numbers in all rows that have one.
    how : str
        One of ``scaling.SCALES``, or "category".

    Examples
    --------
    >>> from agathis._tables.number_tally import tally_of
    >>> scale_of(tally_of(np.array([0.0, 4, 2, 2])), "minmax")[4:6]
    (0.0, 4.0)
    """
    if not len(tally):
        return Scale()
    if how in ("none", "category"):
        return Scale(variance=_moments(tally.least, tally.means, tally.most, tally.counts)[1])
    low, high, far_low, far_high = -np.inf, np.inf, -np.inf, np.inf
    if how == "auto":
        far_low, far_high = far_limits(tally)
        near = tally.within(far_low, far_high)
        low, high = _held(near, len(near) < len(tally))
        tally = near
    ranks = ranks_of(tally) if how == "rank" else None
    least, means, most = (
        _mapped(np.clip(values, low, high), how, ranks)
        for values in (tally.least, tally.means, tally.most)
    )
    centre, variance = _moments(least, means, most, tally.counts)
    spread = float(np.sqrt(variance))
    size = max(abs(centre), abs(float(least[0])), abs(float(most[-1])))
    if how == "minmax":
        centre, spread = float(least[0]), float(most[-1] - least[0])
    elif how == "robust":
        quarter, centre, upper = at_shares(tally, np.array([0.25, 0.5, 0.75])).tolist()
        spread = upper - quarter if upper > quarter else spread
    size = max(size, abs(centre))
    return Scale(low, high, far_low, far_high, centre, spread, variance, size, ranks)


def _mapped(
    values: np.ndarray, how: str, ranks: tuple[np.ndarray, np.ndarray] | None
) -> np.ndarray:
    if how == "log":
        return np.copysign(np.log1p(np.abs(values)), values)
    return values if ranks is None else np.interp(values, *ranks)


def _moments(
    least: np.ndarray, means: np.ndarray, most: np.ndarray, counts: np.ndarray
) -> tuple[float, float]:
    """The mean and the variance of numbers in bins."""
    mean = mean_of(means, counts)
    return mean, mean_of((means - mean) ** 2 + (most - least) ** 2 / 12, counts)


def at_percentiles(tally: NumberTally) -> tuple[float, float]:
    """As ``typing_errors.at_percentiles``; ends of bins that hold these places."""
    ends, last = np.cumsum(tally.counts), tally.n - 1
    places = [np.ceil(PERCENTILES[0] / 100 * last), np.floor(PERCENTILES[1] / 100 * last)]
    low, high = np.searchsorted(ends, places, side="right").tolist()
    return float(tally.least[low]), float(tally.most[high])


def far_limits(tally: NumberTally) -> tuple[float, float]:
    """As ``typing_errors.far_limits``; no limit lies within a bin."""
    low, high = at_percentiles(tally)
    with np.errstate(over="ignore", invalid="ignore"):
        room = FAR * (high - low)
        if not room > 0 or tally.n < FEWEST:
            return -np.inf, np.inf
        low, high = low - room, high + room
        near = (tally.most >= low) & (tally.least <= high)
        least, most = float(tally.least[near].min()), float(tally.most[near].max())
        below = tally.most[tally.most < low].max(initial=-np.inf)
        above = tally.least[tally.least > high].min(initial=np.inf)
        return (
            min(low, least) if least - below > room / 2 else -np.inf,
            max(high, most) if above - most > room / 2 else np.inf,
        )


def _held(near: NumberTally, has_far: bool) -> tuple[float, float]:
    """Where values are held, of those that are not far off."""
    low, high = at_percentiles(near)
    if len(near) > FEWEST_VALUES and low < high:
        return low, high
    # What is far off becomes the next of the others.
    return (float(near.least[0]), float(near.most[-1])) if has_far else (-np.inf, np.inf)


def at_shares(tally: NumberTally, shares: np.ndarray) -> np.ndarray:
    """Below which such shares of the numbers lie, as ``numpy.quantile`` tells it."""
    place = np.asarray(shares) * (tally.n - 1)
    before = np.floor(place)
    first, second = (_at(tally, np.minimum(one, tally.n - 1)) for one in (before, before + 1))
    return first + (second - first) * (place - before)


def _at(tally: NumberTally, places: np.ndarray) -> np.ndarray:
    """The numbers at places in their order; those of a bin lie evenly between its ends."""
    ends = np.cumsum(tally.counts)
    bins = np.searchsorted(ends, places, side="right")
    count, least, most = tally.counts[bins], tally.least[bins], tally.most[bins]
    share = (places - (ends[bins] - count)) / np.maximum(count - 1, 1)
    return np.where(share >= 1, most, least + (most - least) * share)


def ranks_of(tally: NumberTally) -> tuple[np.ndarray, np.ndarray]:
    """Points of the map from numbers to ranks."""
    points = tally.least
    if not tally.is_exact or len(points) > RANK_POINTS:
        points = np.unique(at_shares(tally, np.linspace(0, 1, RANK_POINTS)))
    ends = np.cumsum(tally.counts)
    begins = ends - tally.counts
    # The first bin that is not wholly below a point holds it, or lies above it.
    bins = np.minimum(np.searchsorted(tally.most, points), len(tally) - 1)
    least, most = tally.least[bins], tally.most[bins]
    width = np.where(most > least, most - least, 1.0)
    inside = np.clip((points - least) / width, 0.0, 1.0)
    # A number that is a bin of its own has half of its rows below it.
    inside = np.where(most > least, inside, np.where(points >= least, 0.5, 0.0))
    return points, (begins[bins] + tally.counts[bins] * inside) / tally.n
