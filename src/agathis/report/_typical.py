"""The means of the clusters as far as they may be disclosed, and what is typical of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agathis._rules.columns import Column, Indicator
from agathis._rules.profile import ClusterProfile, profile_of_rows
from agathis.report._node_rows import counted, rounded
from agathis.report._tuning import MAX_TYPICAL, MIN_DIFFERENCE
from agathis.report._wording import often


def private_profile(
    X: np.ndarray,
    labels: np.ndarray,
    columns: Sequence[Column],
    clusters: Sequence[str],
    min_rows: int,
) -> ClusterProfile:
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
    return replace(
        profile,
        means=np.where(few, np.nan, means),
        standardised=np.where(few, np.nan, profile.standardised),
    )


def typical_of(
    profile: ClusterProfile, k: int, columns: Sequence[Column], in_rule: set[str]
) -> list[dict[str, object]]:
    """The features whose mean differs most from the overall mean, in descending order.

    Columns of the cluster's rule, ``in_rule``, are left out, and each categorical column appears
    once.
    """
    apart = np.nan_to_num(profile.standardised[k])
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
        }
        if isinstance(column, Indicator):
            used.add(column.source)
            entry["often"] = often(float(mean), apart[i] > 0)
        out.append(entry)
    return out
