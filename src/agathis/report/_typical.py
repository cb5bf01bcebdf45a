"""The means of the clusters as far as they may be disclosed, and what is typical of a cluster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agathis._rules.columns import Column, Indicator, Levels
from agathis._rules.profile import ClusterProfile, profile_of_rows
from agathis.report._node_rows import counted, rounded
from agathis.report._private import quantiles
from agathis.report._tuning import IQR_OF_NORMAL, MAX_TYPICAL, MIN_DIFFERENCE, SKEWED, STEPS
from agathis.report._wording import often


@dataclass(frozen=True)
class PrivateProfile(ClusterProfile):
    """A profile, and the middle of each column: its median where the mean misleads, or its mean.

    Attributes
    ----------
    middles : ndarray of shape (n_clusters, n_shown)
    overall_middle : ndarray of shape (n_shown,)
    apart : ndarray of shape (n_clusters, n_shown)
        Difference to the middle of all rows, in standard deviations; robust ones for medians.
    skewed : ndarray of bool of shape (n_shown,)
        Whether the middle is the median.
    """

    middles: np.ndarray
    overall_middle: np.ndarray
    apart: np.ndarray
    skewed: np.ndarray


def private_profile(
    X: np.ndarray,
    labels: np.ndarray,
    columns: Sequence[Column],
    clusters: Sequence[str],
    min_rows: int,
) -> PrivateProfile:
    """The profile of the clusters, without means of fewer than ``min_rows`` known values.

    Means of categories are fractions of all rows, including those with a missing category.
    """
    profile = profile_of_rows(
        counted(X, columns), labels, [column.label for column in columns], clusters
    )
    # Means are sums of differences, whose rounding errors would make a fraction of 0 or 1 another.
    means = np.where(
        [isinstance(columns[f], Indicator) for f in profile.features],
        profile.means.round(12),
        profile.means,
    )
    means[np.abs(means) <= 1e-12 * (np.abs(profile.overall) + profile.spread)] = 0.0
    known = np.array([np.sum(~np.isnan(X[labels == k]), axis=0) for k in range(len(clusters))])
    few = known[:, profile.features] < min_rows
    profile = replace(
        profile,
        means=np.where(few, np.nan, means),
        standardised=np.where(few, np.nan, profile.standardised),
    )
    middles, apart = profile.means.copy(), profile.standardised.copy()
    overall = profile.overall.copy()
    skewed = np.zeros(len(overall), dtype=bool)
    for i, f in enumerate(profile.features.tolist()):
        if isinstance(columns[f], Indicator):
            continue
        values: np.ndarray = X[:, f]
        groups = [values[(labels == k) & ~np.isnan(values)] for k in range(len(clusters))]
        large = [part for part in groups if len(part) >= max(min_rows, 1)]
        weights = [len(part) for part in large]
        every = values[~np.isnan(values)]
        # Few values differ from normal ones by chance; groups differ in their middle.
        excess = [skewness(part) - len(part) ** -0.5 for part in large]
        if not large or (
            np.average(excess, weights=weights) <= SKEWED
            and skewness(every) - len(every) ** -0.5 <= 2 * SKEWED
        ):
            continue
        skewed[i] = True
        overall[i] = quantiles(every, (0.5,), min_rows)[0]
        for k, part in enumerate(groups):
            if len(part) >= max(min_rows, 1):
                middles[k, i] = quantiles(part, (0.5,), min_rows)[0]
        apart[:, i] = (middles[:, i] - overall[i]) / (spread_of_most(every) or 1.0)
    return PrivateProfile(
        **vars(profile), middles=middles, overall_middle=overall, apart=apart, skewed=skewed
    )


def spread_of_most(values: np.ndarray) -> float:
    """The standard deviation as the quartiles give it, which few values do not move."""
    low, high = np.quantile(values, [0.25, 0.75]) / IQR_OF_NORMAL
    return float(high - low) or float(np.std(values / (np.abs(values).max() or 1.0))) * float(
        np.abs(values).max()
    )


def skewness(values: np.ndarray) -> float:
    """How far the mean is from the median, in standard deviations of most values.

    >>> skewness(np.array([1.0, 2.0, 3.0])), skewness(np.array([1.0, 2.0, 3.0, 4.0, 99_999.0])) > 1
    (0.0, True)
    """
    largest = float(np.abs(values).max()) or 1.0
    scaled = values / largest
    spread = spread_of_most(scaled)
    return abs(float(scaled.mean() - np.median(scaled))) / spread if spread else 0.0


def unit_of(values: np.ndarray) -> float:
    """The step to which values of a column are rounded: enough to tell groups apart.

    >>> unit_of(np.arange(20.0, 60.0)), unit_of(np.array([0.1, 0.4, 0.9]))
    (1.0, 0.01)
    """
    known = values[np.isfinite(values)].astype(np.float64)
    spread = spread_of_most(known) if len(known) else 0.0
    if not 1e-300 < spread < 1e300:
        return 0.0
    return float(f"1e{math.floor(math.log10(spread / STEPS))}")


def typical_of(
    profile: PrivateProfile, k: int, columns: Sequence[Column], in_rule: set[str]
) -> list[dict[str, object]]:
    """The features whose mean differs most from the overall mean, in descending order.

    Columns of the cluster's rule, ``in_rule``, are left out, and each categorical column appears
    once.
    """
    apart = np.nan_to_num(profile.apart[k])
    out: list[dict[str, object]] = []
    used = set(in_rule)
    for i in np.argsort(-np.abs(apart).round(9), kind="stable"):
        f = int(profile.features[i])
        column, mean = columns[f], profile.means[k, i]
        if len(out) == MAX_TYPICAL or abs(apart[i]) < MIN_DIFFERENCE:
            break
        if column.name in used:
            continue
        entry: dict[str, object] = {
            "feature": f,
            "apart": rounded(apart[i]),
            "mean": rounded(mean),
            "overall": rounded(profile.overall[i]),
            "middle": rounded(profile.middles[k, i]),
            "overall_middle": rounded(profile.overall_middle[i]),
        }
        if isinstance(column, Indicator):
            used.add(column.source)
            entry["often"] = often(float(mean), apart[i] > 0)
        if isinstance(column, Levels):
            middles = (float(profile.middles[k, i]), float(profile.overall_middle[i]))
            entry["levels"] = [column.nearest(middle) for middle in middles]
        out.append(entry)
    return out
