"""The raw features of a tree: numbers, and one-hot columns of categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agathis._checks import data as checks
from agathis._checks.naming import naming
from agathis._columns.wording import quoted
from agathis._encoding.date_parts import DatePart
from agathis._rules.columns import is_missing


@dataclass(frozen=True)
class RawColumn:
    """A column of the raw table.

    Attributes
    ----------
    name : str
    column : int
        Its index in the raw table.
    categories : tuple or None
        Its categories, with None if missing values are one; ``None`` for numbers.
    takes_unknown, takes_missing : bool
        Whether the steps accept unknown categories and missing values.
    fills_missing : bool
        Whether the steps impute missing values.
    """

    name: str
    column: int
    categories: tuple[object, ...] | None = None
    takes_unknown: bool = True
    takes_missing: bool = True
    fills_missing: bool = False

    @property
    def is_number(self) -> bool:
        return self.categories is None


@dataclass(frozen=True)
class RawFeature:
    """A feature of the tree over raw columns.

    ``category`` is its category if its source has some, and ``when`` its date part, if it is one.
    """

    name: str
    source: int
    category: object = None
    when: DatePart | None = None


def plain(value: object) -> object:
    """Convert a category to Python's type, and a missing value to None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if is_missing(value) or str(value) in ("<NA>", "NaT") else value


def features_of(sources: Sequence[RawColumn]) -> list[RawFeature]:
    """Return a feature for each number and each category, with unique names."""
    out: list[RawFeature] = []
    taken = {source.name for source in sources}
    for i, source in enumerate(sources):
        if source.categories is None:
            out.append(RawFeature(source.name, i))
            continue
        for category in source.categories:
            name = f"{source.name}_{'missing' if category is None else category}"
            while name in taken:
                name += "_"
            taken.add(name)
            out.append(RawFeature(name, i, category))
    return out


def rows_of_table(
    X: ArrayLike,
    sources: Sequence[RawColumn],
    features: Sequence[RawFeature],
    names: Sequence[Any] | None,
    n_columns: int,
    takes_missing: bool,
) -> np.ndarray:
    """Compute the raw features of the rows of a table.

    Parameters
    ----------
    X : array or data frame of pandas or polars
        Columns of a frame are found by their names; others are ignored.
    sources, features
    names : sequence or None
        The columns of the fitted frame.
    n_columns : int
        The number of columns of the fitted table.
    takes_missing : bool
        Whether the tree accepts missing values that no step imputes.
    """
    columns = _columns(X, sources, names, n_columns)
    numbers = [i for i, source in enumerate(sources) if source.is_number]
    table = _numbers(columns, sources, numbers, takes_missing)
    if len(numbers) == len(sources):
        return table
    out = np.empty((len(columns[0]), len(features)))
    index = {f.source: at for at, f in enumerate(features) if sources[f.source].is_number}
    for at, i in enumerate(numbers):
        out[:, index[i]] = table[:, at]
    for i, source in enumerate(sources):
        if source.categories is not None:
            indicators = [at for at, feature in enumerate(features) if feature.source == i]
            out[:, indicators] = _indicators(columns[i], source)
    return out


def _columns(
    X: Any, sources: Sequence[RawColumn], names: Sequence[Any] | None, n_columns: int
) -> list[Any]:
    """Return the column of each source."""
    if hasattr(X, "columns") and names is not None:
        lacking = [str(names[s.column]) for s in sources if names[s.column] not in X.columns]
        if lacking:
            raise ValueError(
                f"X lacks columns that the model was fitted with: {quoted(lacking)}. It has the "
                f"columns {quoted([str(name) for name in X.columns])}."
            )
        return [X[names[source.column]] for source in sources]
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] != n_columns:
        raise ValueError(f"X must have shape (n_samples, {n_columns}); it has shape {X.shape}.")
    return [X[:, source.column] for source in sources]


def _numbers(
    columns: Sequence[Any],
    sources: Sequence[RawColumn],
    numbers: Sequence[int],
    takes_missing: bool,
) -> np.ndarray:
    if not numbers:
        return np.empty((len(columns[0]), 0))
    arrays = []
    for i in numbers:
        column = columns[i]
        column = column.to_frame() if hasattr(column, "to_frame") else np.asarray(column)[:, None]
        with naming(f"X, column {sources[i].name!r}"):
            values = checks.check_table(column, missing=True)[:, 0]
        if not (takes_missing or sources[i].fills_missing) and np.isnan(values).any():
            raise ValueError(
                f"Input X contains NaN in column {sources[i].name!r}, of which the model takes no "
                "missing values: impute them or drop these rows."
            )
        arrays.append(values)
    return np.column_stack(arrays)


def _indicators(column: Any, source: RawColumn) -> np.ndarray:
    """Return the one-hot columns of the categories; NaN for missing values that are no category."""
    assert source.categories is not None
    values = column.to_list() if hasattr(column, "to_list") else list(column)
    index: Mapping[Any, int] = {category: i for i, category in enumerate(source.categories)}
    out = np.zeros((len(values), len(index)))
    unknown: dict[object, None] = {}
    for row, value in enumerate(map(plain, values)):
        at = index.get(value)
        if at is not None:
            out[row, at] = 1.0
        elif value is None:
            out[row] = np.nan
        else:
            unknown[value] = None
    if np.isnan(out).any() and not source.takes_missing:
        raise ValueError(
            f"X has missing values in column {source.name!r}, of which the model takes none."
        )
    if unknown and not source.takes_unknown:
        raise ValueError(
            f"X has categories in column {source.name!r} that the model does not know, "
            f"{quoted(list(map(str, unknown)))}, and its encoder has handle_unknown='error'."
        )
    return out
