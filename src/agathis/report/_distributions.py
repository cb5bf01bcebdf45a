"""The profile of clusters: each column of the table as small distributions, the same bins for all.

A column is a number, with round bins, or has categories, with a bar each; values that are missing
are counted beside them, so that shares are always of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agathis._encoding.display_columns import display_columns
from agathis._rules.columns import Codes, Column, Indicator, columns_of
from agathis._rules.profile import ClusterProfile, profile_of_rows
from agathis.report._bins import scale_of
from agathis.report._node_rows import are_of_years, rounded
from agathis.report._typical import whole_shares, without_few
from agathis.report._wording import category_of, otherwise, rest_of

#: Columns that are shown.
PROFILE = 20
# Bins of a small histogram; bars of categories, the rest of which is one.
BINS, BARS = 18, 10


@dataclass(frozen=True)
class Binned:
    """A column as bins: the bin of each row, -1 where the value is missing.

    ``n_named`` bins have one category each; one more may stand for several.
    """

    place: np.ndarray
    n_bins: int
    labels: list[str] | None
    scale: list[float] | None
    n_named: int = 0


def profile_data(
    profile: ClusterProfile,
    columns: Sequence[Column],
    X: np.ndarray,
    labels: np.ndarray,
    least: int,
) -> list[dict[str, object]]:
    """The most telling columns of the table, with the rows of all and of each cluster in bins.

    ``clusters`` has, for each, ``counts`` and the rows that miss the value; of fewer than
    ``least`` known values it has None.
    """
    return [
        _distribution(profile, columns, members, X, labels, least)
        for members in _by_category_group(profile, columns)[:PROFILE]
    ]


def page_data(
    table: Any, labels: np.ndarray, clusters: Sequence[str], digits: int | None, least: int
) -> list[dict[str, object]]:
    """Columns that the tree knows nothing of, as ``profile_data`` gives its own."""
    try:
        found = display_columns(table)
    except TypeError as error:
        raise TypeError(f"show must be a data frame or a table of Arrow: {error}") from error
    if len(found.X) != len(labels):
        raise ValueError(f"show has {len(found.X)} rows; X has {len(labels)}.")
    if not found.names:
        return []
    columns = columns_of(
        found.names, {}, found.one_hot or None, None, digits, date_parts=found.date_parts
    )
    profile = profile_of_rows(found.X, labels, [column.label for column in columns], clusters)
    profile = without_few(whole_shares(profile, columns, found.X, labels), found.X, labels, least)
    data = profile_data(profile, columns, found.X, labels, least)
    return [{**one, "features": [], "shown": True} for one in data]


def _by_category_group(profile: ClusterProfile, columns: Sequence[Column]) -> list[list[int]]:
    """Places in the profile, together where they are of one column, the most telling first."""
    found: dict[str, list[int]] = {}
    for i, f in enumerate(profile.features):
        column = columns[f]
        key = f"source {column.source}" if isinstance(column, Indicator) else f"feature {f}"
        found.setdefault(key, []).append(i)

    def told(members: list[int]) -> float:
        weight = profile.spread[members] ** 2
        total = float(weight.sum())
        return float(profile.explained[members] @ weight) / total if total > 0 else 0.0

    return sorted(found.values(), key=lambda members: -round(told(members), 9))


def _distribution(
    profile: ClusterProfile,
    columns: Sequence[Column],
    members: list[int],
    X: np.ndarray,
    labels: np.ndarray,
    least: int,
) -> dict[str, object]:
    features = [int(profile.features[i]) for i in members]
    column = columns[features[0]]
    if isinstance(column, Indicator):
        binned = categories(X[:, features], [columns[f] for f in features])
    else:
        binned = _numbers(X[:, features[0]], column)
    n_clusters = len(profile.sizes)
    # Missing values have the last place.
    place = np.where(binned.place < 0, binned.n_bins, binned.place)
    counts = np.zeros((n_clusters, binned.n_bins + 1), dtype=np.int64)
    np.add.at(counts, (labels, place), 1)
    clusters: list[dict[str, object] | None] = []
    for k in range(n_clusters):
        known = counts[k, :-1]
        if known.sum() < least:
            clusters.append(None)
            continue
        found: dict[str, object] = {"counts": known.tolist(), "missing": int(counts[k, -1])}
        if binned.labels is None:
            found["mean"] = rounded(profile.means[k, members[0]])
            found["apart"] = rounded(profile.standardised[k, members[0]])
        clusters.append(found)
    whole = counts.sum(axis=0)
    told = whole[:-1].sum() >= least
    return {
        "name": column.name,
        "shown": False,
        "year": are_of_years(column, X[:, features[0]]),
        "features": sorted(features),
        "labels": binned.labels,
        "n_named": binned.n_named,
        "scale": binned.scale,
        "range": None if binned.scale is None else _range(*binned.scale),
        "counts": whole[:-1].tolist() if told else None,
        "missing": int(whole[-1]),
        "mean": rounded(profile.overall[members[0]]) if told and binned.labels is None else None,
        "clusters": clusters,
    }


def _range(first: float, step: float, count: float) -> list[float | None]:
    """From where to where bins reach; of whole numbers, which stand in the middle, these."""
    whole = float(first + 0.5).is_integer() and float(step).is_integer()
    inset = 0.5 if whole else 0.0
    return [rounded(first + inset), rounded(first + step * count - inset)]


def _numbers(values: np.ndarray, column: Column) -> Binned:
    known = ~np.isnan(values)
    found = values[known].astype(np.float64)
    place = np.full(len(values), -1)
    if not len(found):
        return Binned(place, 1, None, [0.0, 1.0, 1])
    if isinstance(column, Codes) and np.isin(found, list(column.codes)).all():
        codes = np.sort(np.fromiter(column.codes, dtype=np.float64))
        place[known] = np.searchsorted(codes, found)
        words = [column.codes[v] for v in codes.tolist()]
        return Binned(place, len(codes), words, None, len(codes))
    scale = scale_of(found, BINS)
    place[known] = scale.place(found)
    return Binned(place, scale.count, None, scale.plain())


def categories(values: np.ndarray, columns: Sequence[Column]) -> Binned:
    """The category of each row, of the indicators of one source; frequent ones come first.

    A row that is in none of them has another value, or misses it.
    """
    indicators = [column for column in columns if isinstance(column, Indicator)]
    place = np.full(len(values), -1)
    words = [category_of(column) for column in indicators]
    none = ~np.isnan(values).any(axis=1)
    for i, column in enumerate(indicators):
        on = values[:, i] > 0.5
        none &= ~on
        place[on] = -1 if column.of_missing else i
    kept = [i for i, column in enumerate(indicators) if not column.of_missing]
    nameless = False
    if none.any():
        rest = rest_of(indicators[0])
        if rest == "missing":
            place[none] = -1
        else:
            place[none] = len(words)
            kept.append(len(words))
            # One column of 0 and 1 tells both; of several the rest may have no name.
            nameless = rest is None and len(words) > 1
            words.append(rest or (otherwise(indicators[0]) if len(words) == 1 else "other"))
    sizes = np.bincount(place[place >= 0], minlength=len(words))
    booleans = all(words[i] in ("true", "false") for i in kept)
    order = sorted(kept, key=lambda i: words[i] if booleans else -sizes[i])
    if nameless:
        # What has no name stands last, however much it is.
        order.append(order.pop(order.index(len(words) - 1)))
    names = [words[i] for i in order[:BARS]]
    to = np.full(len(words) + 1, -1)
    for at, i in enumerate(order):
        to[i] = min(at, BARS - 1) if len(order) > BARS else at
    if len(order) > BARS:
        names[-1] = "others" if nameless else f"{len(order) - BARS + 1} others"
    several = nameless or len(order) > BARS
    return Binned(to[place], len(names), names, None, len(names) - several)
