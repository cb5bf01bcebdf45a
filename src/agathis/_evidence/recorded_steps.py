"""The steps in which numbers were recorded, within which they are spread before the dip test.

Rounded numbers have many equal values, each of which looks like a mode.
"""

from __future__ import annotations

import numpy as np

from agathis._evidence.tuning import ON_STEP

#: Differences below this fraction of the largest value are rounding errors.
_ROUNDING = 1e-9


def recorded_step(values: np.ndarray) -> float:
    """Return the step of a column: the least distance of values, or that of most of them.

    A few exact values among rounded ones do not make the step smaller.

    >>> recorded_step(np.array([1.5, 2.0, 4.5, 7.0])), recorded_step(np.array([3.0, 3.0]))
    (0.5, 0.0)
    >>> recorded_step(np.append(1000.0 * np.arange(40), 7123.0))
    1000.0
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return 0.0
    distinct = np.unique(values)
    size = float(np.abs(distinct).max())
    gaps = np.diff(distinct)
    gaps = gaps[gaps > _ROUNDING * size]
    if not len(gaps):
        return 0.0
    least = float(gaps.min())
    step, largest = least, float(gaps.max())
    for power in range(int(np.floor(np.log10(least))), int(np.ceil(np.log10(largest))) + 1):
        for first in (1, 2, 5):
            candidate = first * 10.0**power
            if not least < candidate <= largest:
                continue
            rest = np.abs(values / candidate - np.round(values / candidate)) * candidate
            if np.mean(rest <= _ROUNDING * size) >= ON_STEP:
                step = candidate
    return step


def spread(values: np.ndarray, steps: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Move each value by at most half of the step of its column, at random."""
    return values + steps * (random.random_sample(values.shape) - 0.5)
