"""Numbers that cannot be meant: a comma in the wrong place, a stuck key, 2008000 for a year.

A value is far off if it lies many times as far beyond two percentiles as these are apart, with
nothing for half of that way before it: a long tail goes on, a slip stands alone. It is no measure
of how numbers vary, and decides neither what a column is nor how it is scaled.
"""

from __future__ import annotations

import numpy as np

#: Beyond these percentiles values are doubted, and so many times their distance is far.
PERCENTILES = (1.0, 99.0)
FAR = 10.0
#: Of fewer values none is doubted.
FEWEST = 6


def at_percentiles(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values at the percentiles of columns in order, NaN last: of few, the last but one.

    >>> low, high = at_percentiles(np.arange(101.0)[:, None])
    >>> low.item(), high.item()
    (1.0, 99.0)
    """
    known = np.count_nonzero(~np.isnan(ordered), axis=0)
    last = np.maximum(known - 1, 0)
    columns = np.arange(ordered.shape[1])
    low = ordered[np.ceil(PERCENTILES[0] / 100 * last).astype(np.intp), columns]
    high = ordered[np.floor(PERCENTILES[1] / 100 * last).astype(np.intp), columns]
    return low, high


def far_limits(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Beyond which numbers cells of columns in order are far off; infinite where all is alike."""
    low, high = at_percentiles(ordered)
    with np.errstate(over="ignore", invalid="ignore"):
        room = FAR * (high - low)
        known = np.count_nonzero(~np.isnan(ordered), axis=0)
        varies = (room > 0) & (known >= FEWEST)
        low, high = np.where(varies, low - room, -np.inf), np.where(varies, high + room, np.inf)
        near = (ordered >= low) & (ordered <= high)
        least = np.min(ordered, axis=0, where=near, initial=np.inf)
        most = np.max(ordered, axis=0, where=near, initial=-np.inf)
        below = np.max(ordered, axis=0, where=ordered < low, initial=-np.inf)
        above = np.min(ordered, axis=0, where=ordered > high, initial=np.inf)
        # A tail that goes on beyond the limit is no slip.
        return (
            np.where(least - below > room / 2, low, -np.inf),
            np.where(above - most > room / 2, high, np.inf),
        )


def far_off(X: np.ndarray) -> np.ndarray:
    """Which cells are far off in their columns.

    Examples
    --------
    >>> years = np.array([[2007.0], [2008], [2009000], [2008], [2009], [2007]])
    >>> far_off(years).ravel()
    array([False, False,  True, False, False, False])
    """
    low, high = far_limits(np.sort(X, axis=0))
    return (low > X) | (high < X)
