"""The profile of the clusters: each column of the table as small histograms with common bins.

A column of numbers has round bins, a categorical column one bar per category; missing values are
counted separately, so that fractions are always of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agathis._encoding.display_columns import display_columns
from agathis._rules.columns import Column, Indicator, columns_of
from agathis._rules.profile import ClusterProfile
from agathis.report._bins import categories, numbers
from agathis.report._node_rows import are_of_years, rounded
from agathis.report._tuning import MAX_PROFILE, PROFILE_BINS
from agathis.report._typical import PrivateProfile, private_profile, unit_of


def profile_data(
    profile: PrivateProfile,
    columns: Sequence[Column],
    X: np.ndarray,
    labels: np.ndarray,
    min_rows: int,
    shown: bool = False,
) -> list[dict[str, object]]:
    """The columns that separate the clusters best, binned for all rows and for each cluster.

    ``clusters`` has ``counts`` and the number of missing values for each, or None for fewer than
    ``min_rows`` known values. Columns that are only ``shown`` have no feature of the tree.
    """
    return [
        _distribution(profile, columns, members, X, labels, min_rows, shown)
        for members in by_table_column(profile, columns)[:MAX_PROFILE]
    ]


def display_data(
    table: Any, labels: np.ndarray, clusters: Sequence[str], digits: int | None, min_rows: int
) -> list[dict[str, object]]:
    """The profile of columns that are not features of the tree."""
    try:
        display = display_columns(table)
    except TypeError as error:
        raise TypeError(f"show must be a data frame or a table of Arrow: {error}") from error
    if len(display.X) != len(labels):
        raise ValueError(f"show has {len(display.X)} rows; X has {len(labels)}.")
    if not display.names:
        return []
    columns = columns_of(
        display.names, {}, display.one_hot or None, None, digits, date_parts=display.date_parts
    )
    profile = private_profile(display.X, labels, columns, clusters, min_rows)
    return profile_data(profile, columns, display.X, labels, min_rows, shown=True)


def by_table_column(profile: ClusterProfile, columns: Sequence[Column]) -> list[list[int]]:
    """Positions in the profile, grouped by column of the table, the most informative first."""
    groups: dict[str, list[int]] = {}
    for i, f in enumerate(profile.features):
        column = columns[f]
        key = f"source {column.source}" if isinstance(column, Indicator) else f"feature {f}"
        groups.setdefault(key, []).append(i)

    def explained(members: list[int]) -> float:
        weight = profile.spread[members] ** 2
        total = float(weight.sum())
        return float(profile.explained[members] @ weight) / total if total > 0 else 0.0

    return sorted(groups.values(), key=lambda members: -round(explained(members), 9))


def _distribution(
    profile: PrivateProfile,
    columns: Sequence[Column],
    members: list[int],
    X: np.ndarray,
    labels: np.ndarray,
    min_rows: int,
    shown: bool,
) -> dict[str, object]:
    features = [int(profile.features[i]) for i in members]
    column, first = columns[features[0]], members[0]
    if isinstance(column, Indicator):
        binned = categories(X[:, features], [columns[f] for f in features])
    else:
        binned = numbers(X[:, features[0]], column, PROFILE_BINS)
    clusters: list[dict[str, object] | None] = []
    for k in range(len(profile.sizes)):
        rows = np.flatnonzero(labels == k)
        counts = binned.counts(rows)
        if counts.sum() < min_rows:
            clusters.append(None)
            continue
        cell = {"counts": counts.tolist(), "missing": binned.n_missing(rows)}
        if binned.labels is None:
            cell["mean"] = rounded(profile.means[k, first])
            cell["middle"] = rounded(profile.middles[k, first])
            cell["apart"] = rounded(profile.apart[k, first])
        clusters.append(cell)
    counts = binned.counts()
    enough = counts.sum() >= min_rows
    return {
        "name": column.name,
        "shown": shown,
        "year": are_of_years(column, X[:, features[0]]),
        "features": [] if shown else sorted(features),
        "labels": binned.labels,
        "n_named": binned.n_named,
        "scale": binned.scale,
        "range": None if binned.scale is None else _range(*binned.scale),
        "counts": counts.tolist() if enough else None,
        "missing": binned.n_missing(),
        "mean": rounded(profile.overall[first]) if enough and binned.labels is None else None,
        "middle": rounded(profile.overall_middle[first])
        if enough and binned.labels is None
        else None,
        "skewed": bool(profile.skewed[first]),
        "unit": unit_of(X[:, features[0]]) if binned.labels is None else 0.0,
        "clusters": clusters,
    }


def _range(first: float, step: float, count: float) -> list[float | None]:
    """The first and last value of the bins; integers are in the middle of theirs."""
    integers = float(first + 0.5).is_integer() and float(step).is_integer()
    inset = 0.5 if integers else 0.0
    return [rounded(first + inset), rounded(first + step * count - inset)]
