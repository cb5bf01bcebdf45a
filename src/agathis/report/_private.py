"""What a page may say of few rows: no category, quartile or histogram edge that few rows share."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from agathis._rules.columns import NO_CATEGORY, Column, Indicator, Levels, is_missing
from agathis._rules.described_tree import Described

#: The name of every category of few rows; the page explains it.
RARE = "a rare value"


def without_rare(
    described: Described, X: np.ndarray, min_rows: int, named: Collection[str] = ()
) -> Described:
    """The tree with one name for all categories of fewer than ``min_rows`` rows.

    Ordered levels of few rows have their rank. Columns in ``named`` keep their categories, as do
    booleans and missing values. A category that the rows do not have may be one of the fit's: it is
    rare too.
    """
    columns: list[Column] = list(described.columns)
    features = list(described.features)
    on: dict[str, np.ndarray] = {}
    for f, column in enumerate(columns):
        if isinstance(column, Indicator):
            some = on.setdefault(column.source, np.zeros(len(X), dtype=bool))
            some |= np.nan_to_num(X[:, f], nan=1.0) > 0.5
    for f, column in enumerate(columns):
        if isinstance(column, Levels) and column.name not in named:
            columns[f] = _without_rare_levels(column, X[:, f], min_rows)
        if not isinstance(column, Indicator) or column.source in named:
            continue
        if column.rest is not NO_CATEGORY and _names(column.rest):
            few = np.count_nonzero(~on[column.source]) < min_rows
            columns[f] = column = replace(column, rest=RARE) if few else column
        if _names(column.category) and np.count_nonzero(X[:, f] > 0.5) < min_rows:
            columns[f] = replace(column, category=RARE)
            features[f] = f"{column.source}: {RARE} ({f})"
    return replace(described, columns=columns, features=features)


def _without_rare_levels(column: Levels, ranks: np.ndarray, min_rows: int) -> Levels:
    """The levels with their rank instead of a label of few rows, so that labels stay different."""
    codes = {
        code: label if np.count_nonzero(ranks == code) >= min_rows else f"{RARE} ({code:g})"
        for code, label in column.codes.items()
    }
    when = column.when and replace(column.when, levels=tuple(codes.values()))
    return replace(column, codes=codes, when=when)


def _names(category: object) -> bool:
    return not isinstance(category, bool) and not is_missing(category)


def quantiles(values: np.ndarray, at: Collection[float], min_rows: int) -> list[float]:
    """Quantiles of at least ``min_rows`` values, each the mean of as many neighbouring values.

    >>> quantiles(np.array([0.0, 1.0, 2.0, 3.0, 40.0]), [0.25, 0.5], 3)
    [1.0, 2.0]
    >>> quantiles(np.array([0.0, 1.0, 2.0, 3.0]), [0.5], 1)
    [1.5]
    """
    if min_rows <= 1:
        return [float(q) for q in np.quantile(values, list(at))]
    ordered = np.sort(values)
    first = [round(q * (len(values) - 1)) - min_rows // 2 for q in at]
    some = [ordered[i : i + min_rows] for i in np.clip(first, 0, len(values) - min_rows)]
    # Divided first, so that no sum overflows.
    return [float(np.sum(part / min_rows)) for part in some]
