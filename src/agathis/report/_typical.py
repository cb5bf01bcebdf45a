"""What is typical of a cluster: its profile, as far as it may be told, and what stands out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agathis._rules.columns import Column, Indicator
from agathis._rules.profile import ClusterProfile
from agathis.report._node_rows import rounded
from agathis.report._wording import often

# Features that are typical of a cluster, and from how many standard deviations from the mean of
# all rows on one is.
TYPICAL, APART = 3, 0.5


def whole_shares(
    profile: ClusterProfile, columns: Sequence[Column], X: np.ndarray, labels: np.ndarray
) -> ClusterProfile:
    """The profile with shares of categories that are counted: none is 0, not nearly 0.

    They are shares of all rows, those whose category is missing too.
    """
    means, overall = profile.means.copy(), profile.overall.copy()
    apart, spread = profile.standardised.copy(), profile.spread.copy()
    sizes = profile.sizes
    # What is put together from differences may miss 0 by its rounding.
    means[np.abs(means) <= 1e-12 * (np.abs(overall) + spread)] = 0.0
    for i, f in enumerate(profile.features):
        if isinstance(columns[f], Indicator):
            ones = np.bincount(labels, np.nan_to_num(X[:, f]), minlength=len(means))
            np.divide(ones, sizes, out=means[:, i], where=sizes > 0)
            overall[i] = ones.sum() / sizes.sum()
            spread[i] = np.sqrt(overall[i] * (1 - overall[i]))
            apart[:, i] = (means[:, i] - overall[i]) / spread[i] if spread[i] > 0 else 0.0
    return replace(profile, means=means, overall=overall, standardised=apart, spread=spread)


def without_few(
    profile: ClusterProfile, X: np.ndarray, labels: np.ndarray, least: int
) -> ClusterProfile:
    """The profile without the means of few values."""
    known = np.array([np.sum(~np.isnan(X[labels == k]), axis=0) for k in range(len(profile.sizes))])
    few = known[:, profile.features] < least
    return replace(
        profile,
        means=np.where(few, np.nan, profile.means),
        standardised=np.where(few, np.nan, profile.standardised),
    )


def typical_of(
    profile: ClusterProfile, k: int, columns: Sequence[Column], told: set[str]
) -> list[dict[str, object]]:
    """The features whose mean is farthest from that of all rows, the farthest first.

    Columns that the rule of the cluster speaks of, ``told``, are left out: that is said already.
    Of a source of categories only the most telling one is there.
    """
    apart = np.nan_to_num(profile.standardised[k])
    out: list[dict[str, object]] = []
    said = set(told)
    for i in np.argsort(-np.abs(apart).round(9), kind="stable"):
        f = int(profile.features[i])
        column, mean = columns[f], profile.means[k, i]
        if len(out) == TYPICAL or abs(apart[i]) < APART:
            break
        if column.name in said:
            continue
        found: dict[str, object] = {
            "feature": f,
            "apart": rounded(apart[i]),
            "mean": rounded(mean),
            "overall": rounded(profile.overall[i]),
        }
        if isinstance(column, Indicator):
            said.add(column.source)
            found["often"] = often(float(mean), apart[i] > 0)
        out.append(found)
    return out
