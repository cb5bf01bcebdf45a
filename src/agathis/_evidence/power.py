"""How large, or how far apart, groups have to be to be seen at a number of rows."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import ndtri

from agathis._evidence.dip_quantiles import TAILS
from agathis._evidence.dip_test import dip, dip_quantiles
from agathis._evidence.tuning import MAX_GROUPS, MIN_ROWS
from agathis._model.evidence import LEVEL

#: The distances that are tried, in standard deviations within the groups.
_DISTANCES = np.arange(2.0, 12.1, 0.1)
#: Quantiles that stand for a normal distribution.
_POINTS = 500
#: The dip that is exceeded in four of five tables lies this far below its mean, times sqrt(n).
_MARGIN = 0.2


@cache
def _dips() -> np.ndarray:
    """The dip of two normal distributions at each distance."""
    normal = ndtri((np.arange(_POINTS) + 0.5) / _POINTS)
    return np.array([dip(np.concatenate([normal, normal + apart])) for apart in _DISTANCES])


def detectable(n_rows: int, max_groups: int = MAX_GROUPS) -> tuple[float | None, float | None]:
    """Return the distance of two equal groups, and the fraction of a distant one, that are seen.

    >>> detectable(1000)
    (3.7, 0.073)
    """
    tests = n_rows // 2
    if tests < MIN_ROWS:
        return None, None
    # The last of the splits has the smallest part of the level: of several, the first.
    level = LEVEL / (2 * sum(1 / place for place in range(1, max_groups)))
    critical = np.exp(np.interp(-np.log(level), -np.log(TAILS), np.log(dip_quantiles(tests))))
    needed = critical + _MARGIN / np.sqrt(tests)
    far_enough = np.flatnonzero(_dips() >= needed)
    if not len(far_enough):
        return None, None
    return round(float(_DISTANCES[far_enough[0]]), 1), round(float(2 * needed), 3)
