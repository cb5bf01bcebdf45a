"""What is typical of a cluster: its profile, as far as it may be told, and what stands out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agathis._describe.columns import Column, Indicator
from agathis._describe.profile import ClusterProfile
from agathis.report._rows import rounded
from agathis.report._wording import often

# Features that are typical of a cluster, and from how many standard deviations from the mean of
# all rows on one is.
TYPICAL, APART = 3, 0.5


def whole_shares(
    profile: ClusterProfile, columns: Sequence[Column], X: np.ndarray, labels: np.ndarray
) -> ClusterProfile:
    """The profile with shares of categories that are counted: none is 0, not nearly 0."""
    means = profile.means.copy()
    for i, f in enumerate(profile.features):
        if isinstance(columns[f], Indicator):
            known = ~np.isnan(X[:, f])
            ones, all_known = (
                np.bincount(labels[known], values, minlength=len(means))
                for values in (X[known, f], None)
            )
            np.divide(ones, all_known, out=means[:, i], where=all_known > 0)
    return replace(profile, means=means)


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
    profile: ClusterProfile, k: int, columns: Sequence[Column], rows: np.ndarray
) -> list[dict[str, object]]:
    """The features whose mean is farthest from that of all rows, the farthest first.

    Of a source of categories only the most telling one is there.
    """
    apart = np.nan_to_num(profile.standardised[k])
    out: list[dict[str, object]] = []
    said: set[str] = set()
    for i in np.argsort(-np.abs(apart).round(9), kind="stable"):
        f = int(profile.features[i])
        column, mean = columns[f], profile.means[k, i]
        if len(out) == TYPICAL or abs(apart[i]) < APART:
            break
        found: dict[str, object] = {
            "feature": f,
            "apart": rounded(apart[i]),
            "mean": rounded(mean),
            "overall": rounded(profile.overall[i]),
        }
        if isinstance(column, Indicator):
            if column.source in said:
                continue
            said.add(column.source)
            found["often"] = often(float(mean), apart[i] > 0, not np.isnan(rows[:, f]).any())
        out.append(found)
    return out
