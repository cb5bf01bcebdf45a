"""Detect outliers: a comma in the wrong place, a stuck key, 2008000 for a year.

A value is an outlier if its distance beyond two percentiles is many times their range, with no
other value on half of that distance: a long tail is continuous, an error stands alone. Outliers
affect neither the inferred type of a column nor its scale.
"""

from __future__ import annotations

import numpy as np

#: The percentiles, and the multiple of their range that is far beyond them.
PERCENTILES = (1.0, 99.0)
FAR = 10.0
#: With fewer values none is an outlier.
FEWEST = 6


def at_percentiles(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return percentiles of sorted columns, NaN last: with few rows the last value but one.

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


def outlier_limits(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the outlier bounds of sorted columns; infinite for constant columns."""
    low, high = at_percentiles(ordered)
    with np.errstate(over="ignore", invalid="ignore"):
        reach = FAR * (high - low)
        known = np.count_nonzero(~np.isnan(ordered), axis=0)
        varies = (reach > 0) & (known >= FEWEST)
        low, high = np.where(varies, low - reach, -np.inf), np.where(varies, high + reach, np.inf)
        near = (ordered >= low) & (ordered <= high)
        minimum = np.min(ordered, axis=0, where=near, initial=np.inf)
        maximum = np.max(ordered, axis=0, where=near, initial=-np.inf)
        below = np.max(ordered, axis=0, where=ordered < low, initial=-np.inf)
        above = np.min(ordered, axis=0, where=ordered > high, initial=np.inf)
        # A tail that continues beyond the bound has no outliers.
        return (
            np.where(minimum - below > reach / 2, low, -np.inf),
            np.where(above - maximum > reach / 2, high, np.inf),
        )


def outliers(X: np.ndarray) -> np.ndarray:
    """Return a mask of the outliers.

    Examples
    --------
    >>> years = np.array([[2007.0], [2008], [2009000], [2008], [2009], [2007]])
    >>> outliers(years).ravel()
    array([False, False,  True, False, False, False])
    """
    low, high = outlier_limits(np.sort(X, axis=0))
    return (low > X) | (high < X)
