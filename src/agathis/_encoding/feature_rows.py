"""Build rows for a tree from a table: find features by name, one-hot encode categories.

    columns, by name -> numbers or strings -> columns of 0 and 1 -> the features in their order

Both a categorical column and its one-hot columns are accepted, and both a date and its parts
("joined: month" of "joined"). Other columns are ignored. Missing values are NaN, as are strings for
missing values and a few strings among many numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from agathis._columns.arrow_values import as_numbers, as_words, holds_numbers, plain
from agathis._columns.datetimes import datetimes_of_arrow, made, number_of_word, part_of_words
from agathis._columns.errors import BadTable, NoNumbers
from agathis._columns.frames import as_arrow
from agathis._columns.indicators import encoded
from agathis._columns.missing_values import MARKS, NO_NUMBERS
from agathis._columns.number_notation import Notation, not_numbers, notation_of
from agathis._columns.scales import key_of, rank_numbers
from agathis._columns.wording import quoted, suggestion
from agathis._encoding.date_parts import DatePart

if TYPE_CHECKING:
    import pyarrow as pa

    from agathis._trees.tree import Tree

#: Squares of larger numbers overflow float64.
LARGEST = 1e150


@dataclass(frozen=True)
class FeatureRows:
    """Numeric rows for a tree.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        0 for features that are not requested.
    unseen : dict of str to list of str
        Unknown categories of each categorical feature, one entry per row.
    n_incomplete : int
        The number of rows with a missing value in a requested feature.
    na_values : dict of str to list of str
        Non-numeric strings of each numeric column, one entry per row.
    infinite : dict of str to int
        For each column with infinite values the number of rows with one.
    """

    X: np.ndarray
    unseen: dict[str, list[str]]
    n_incomplete: int
    na_values: dict[str, list[str]] = field(default_factory=dict)
    infinite: dict[str, int] = field(default_factory=dict)

    def within(self, low: ArrayLike, high: ArrayLike) -> FeatureRows:
        """Replace infinite values by these numbers.

        All numbers beyond a tree's thresholds are equivalent: rows reach the same leaves.
        """
        if not self.infinite:
            return self
        bounds = np.where(self.X > 0, high, low)
        return replace(self, X=np.where(np.isinf(self.X), bounds, self.X))

    def odd(self, known: Mapping[str, Container[str]] | None = None) -> Iterator[str]:
        """Return warnings on unknown categories and infinite values, with numbers of rows.

        Parameters
        ----------
        known : mapping, optional
            Values of some categorical features that need no warning though they have no category.
        """
        n = len(self.X)
        for feature, values in self.unseen.items():
            unknown = [value for value in values if value not in (known or {}).get(feature, ())]
            if not unknown:
                continue
            names = quoted(dict.fromkeys(unknown))
            yield (
                f"X has unknown categories in column {feature!r}, {names}, "
                f"in {len(unknown)} of {n} rows: they match none of the known categories."
            )
        for column, count in self.infinite.items():
            yield (
                f"X has infinite values in column {column!r}, in {count} of {n} rows: they are "
                "treated as larger, or smaller, than all others."
            )


def column_names(table: Any) -> list[Any]:
    """Return the column names of a table, () for other objects."""
    # A DataFrame may have a column "column_names".
    is_arrow = hasattr(type(table), "column_names")
    return list(table.column_names if is_arrow else getattr(table, "columns", ()))


def feature_rows(
    table: Any,
    names: Sequence[str],
    one_hot: Mapping[str, Mapping[str, object]],
    asked: Collection[str] | None = None,
    title: str = "X",
    na_values: Mapping[str, Collection[str]] | None = None,
    notations: Mapping[str, Notation] | None = None,
    date_parts: Mapping[str, DatePart] | None = None,
) -> FeatureRows:
    """Build the named features, in their order.

    Parameters
    ----------
    table : pyarrow.Table, or DataFrame of pandas or polars
    names : sequence of str
        Names of the features.
    one_hot : mapping
        For each categorical feature its columns with their categories.
    asked : collection of str, optional
        The features that are needed; by default all.
    title : str
        Name of the table in messages.
    na_values : mapping, optional
        Known non-numeric strings of numeric columns.
    notations : mapping, optional
        Known number formats of columns; others are inferred from these rows.
    date_parts : mapping, optional
        The definition of each feature that is a date part.
    """
    there = column_names(table)
    counts = Counter(there)
    position = {name: f for f, name in enumerate(names) if asked is None or name in asked}
    home = {feature: source for source, columns in one_hot.items() for feature in columns}
    parts = dict(date_parts or {})
    source_of = home | {feature: when.column for feature, when in parts.items()}
    wanted = {feature: _wanted(feature, source_of.get(feature), counts) for feature in position}
    _check_names(Counter(names), position, list(dict.fromkeys(wanted.values())), there, title)
    columns = _columns(table, set(wanted.values()))
    X = np.zeros((len(table), len(names)))
    unseen: dict[str, list[str]] = {}
    strings: dict[str, list[str]] = {}
    infinite: dict[str, int] = {}
    moments: dict[str, np.ndarray] = {}
    done = set()
    for feature, f in position.items():
        source = wanted[feature]
        if home.get(feature) == source:
            if source in done:
                continue
            done.add(source)
            indicators, new = _indicators(columns[source], one_hot[source])
            if new:
                unseen[source] = new
            for name, values in indicators.items():
                if name in position:
                    X[:, position[name]] = values
            continue
        when = parts.get(feature) if source_of.get(feature) == source else None
        if when is not None and when.holds == "dates":
            if source not in moments:
                moments[source] = _moments(source, columns[source], title, when.first_is_day)
            values = made(moments[source], when.part)
        elif when is not None and when.holds == "names":
            values = _named(columns[source], when.part)
        elif when is not None and when.holds == "levels":
            values, new = _ranks(columns[source], when.levels)
            if new:
                unseen[source] = new
        else:
            known = (na_values or {}).get(source, ())
            written = (notations or {}).get(source)
            values, others = _numbers(source, columns[source], title, known, written)
            if others:
                strings[source] = others
            if beyond := int(np.isinf(values).sum()):
                infinite[source] = beyond
        X[:, f] = values if when is None else when.turned(values)
    incomplete = int(np.isnan(X).any(axis=1).sum())
    return FeatureRows(X, unseen, incomplete, strings, infinite)


def _wanted(feature: str, source: str | None, there: Mapping[str, int]) -> str:
    """Return the column behind a feature; it may be encoded already."""
    if feature in there and source not in there:
        return feature
    return feature if source is None else source


def _columns(table: Any, names: Collection[str]) -> dict[str, pa.Array]:
    """Return some columns of a table, without chunks and dictionaries."""
    if hasattr(table, "select"):
        table = table.select(list(names))
    elif hasattr(table, "loc"):
        table = table.loc[:, list(names)]
    table = as_arrow(table)
    return {name: plain(table.column(name)) for name in names}


def _moments(name: str, column: pa.Array, title: str, first_is_day: bool | None) -> np.ndarray:
    """Return the dates of a column."""
    from pyarrow import types

    known = (types.is_timestamp, types.is_date, types.is_string, types.is_null)
    if not any(is_of(column.type) for is_of in known):
        raise BadTable(
            f"{title} must have dates in column {name!r}, as the rows of the tree had; it is of "
            f"type {column.type}."
        )
    return datetimes_of_arrow(column, first_is_day)


def _named(column: pa.Array, part: str) -> np.ndarray:
    """Convert names of months or weekdays to numbers; NaN for other strings."""
    names = [value if isinstance(value, str) else "" for value in column.to_pylist()]
    numbers = {name: number_of_word(part, name) for name in dict.fromkeys(names)}
    return np.array([numbers[name] for name in names], dtype=np.float64)


def _ranks(column: pa.Array, levels: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """Convert ordered levels to their ranks; NaN for missing and other strings."""
    ranks = rank_numbers(levels)
    words = [None if word is None or word.strip() in MARKS else word for word in as_words(column)]
    values = {word: ranks.get(key_of(word), np.nan) for word in set(words) if word is not None}
    out = np.array([np.nan if word is None else values[word] for word in words])
    return out, [word for word in words if word is not None and np.isnan(values[word])]


def rows_for_tree(
    table: Any,
    tree: Tree,
    names: Sequence[str],
    one_hot: Mapping[str, Mapping[str, object]],
    *,
    every: bool = False,
    title: str = "X",
    date_parts: Mapping[str, DatePart] | None = None,
) -> FeatureRows:
    """Build the features of a tree; unused ones may be absent, unless ``every``.

    Parameters
    ----------
    table, names, one_hot, title, date_parts
        As for :func:`feature_rows`.
    tree : Tree
    every : bool
    """
    names = list(names)
    used = {*tree.feature[~tree.is_leaf].tolist(), *tree.term_feature.tolist()}
    asked = None if every else {names[f] for f in used}
    rows = feature_rows(table, names, one_hot, asked, title, date_parts=date_parts)
    return rows.within(*_beyond(tree, rows.X)) if rows.infinite else rows


def _beyond(tree: Tree, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each feature numbers below and above all its values and thresholds."""
    finite = np.where(np.isinf(X), np.nan, X)
    low, high = np.fmin.reduce(finite, axis=0), np.fmax.reduce(finite, axis=0)
    is_split = ~tree.is_leaf & np.isfinite(tree.threshold)
    np.fmin.at(low, tree.feature[is_split], tree.threshold[is_split])
    np.fmax.at(high, tree.feature[is_split], np.nextafter(tree.threshold[is_split], np.inf))
    # In a sum it must dominate all other terms.
    low[tree.term_feature], high[tree.term_feature] = -LARGEST, LARGEST
    return np.where(np.isnan(low), -LARGEST, low), np.where(np.isnan(high), LARGEST, high)


def _check_names(
    names: Mapping[str, int],
    asked: Collection[str],
    wanted: list[str],
    there: list[str],
    title: str,
) -> None:
    for name in asked:
        if names[name] > 1:
            raise BadTable(
                f"the model has two features of the name {name!r}, so that their columns cannot be "
                "told apart."
            )
    counts = Counter(there)
    lacking = [name for name in wanted if name not in counts]
    if lacking:
        raise BadTable(
            f"{title} lacks columns that the model needs: {quoted(lacking)}."
            f"{suggestion(lacking[0], there)} It has {quoted(there)}."
        )
    for name in wanted:
        if counts[name] > 1:
            raise BadTable(f"{title} has {counts[name]} columns of the name {name!r}.")


def _numbers(
    name: str,
    column: pa.Array,
    title: str,
    known: Collection[str] = (),
    written: Notation | None = None,
) -> tuple[np.ndarray, list[str]]:
    """Convert a column to float64, parsing strings; also return non-numeric strings."""
    from pyarrow import types

    if holds_numbers(column.type) or types.is_null(column.type):
        return as_numbers(column), []
    if types.is_string(column.type):
        return _numbers_of_strings(name, column.to_pylist(), title, known, written)
    raise _no_number(name, f"it is of type {column.type}", title)


def _numbers_of_strings(
    name: str,
    values: list[str | None],
    title: str,
    known: Collection[str],
    written: Notation | None,
) -> tuple[np.ndarray, list[str]]:
    """Parse formatted numbers.

    A few strings among many numbers, and those that are ``known``, are missing values. Names of
    months and weekdays are converted if no string is a number.
    """
    strings = {
        i: value
        for i, value in enumerate(values)
        if value is not None and value.strip().lower() not in NO_NUMBERS
    }
    out = np.full(len(values), np.nan)
    different = dict.fromkeys(strings.values())
    others = {*not_numbers(different), *(value for value in different if value in known)}
    numbers = [value for value in different if value not in others]
    part = part_of_words(different, 1)
    if part is not None:
        out[list(strings)] = [number_of_word(part, value) for value in strings.values()]
        return out, []
    fits = written is not None and not written.misfits(numbers)
    notation = written if fits else notation_of(numbers)[0]
    few = len(others) <= len(numbers) / 2
    if (numbers and notation is None) or (others and not few and not others <= set(known)):
        wrong = others or set(different)
        row = next(i for i, value in strings.items() if value in wrong)
        raise _no_number(name, f"in row {row} it has {strings[row]!r}", title)
    parsed = {} if notation is None else dict(zip(numbers, notation.values(numbers), strict=True))
    for i, value in strings.items():
        out[i] = parsed.get(value, np.nan)
    return out, [value for value in strings.values() if value in others]


def _no_number(name: str, what: str, title: str) -> NoNumbers:
    return NoNumbers(
        f"{title} must have numbers in column {name!r}, as the rows of the tree had; {what}."
    )


def _indicators(
    column: pa.Array, columns: Mapping[str, object]
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return the one-hot columns of a categorical feature, and its unknown categories."""
    marks = set(MARKS).difference(map(str, columns.values()))
    values = [
        None if value is not None and value.strip() in marks else value
        for value in as_words(column)
    ]
    made, unseen = encoded(values, list(columns.values()))
    return dict(zip(columns, made.T, strict=True)), unseen


def finite_ends(X: np.ndarray) -> np.ndarray:
    """Return the finite minimum and maximum of each column; NaN where there is none."""
    finite = np.where(np.isinf(X), np.nan, X)
    return np.stack([np.fmin.reduce(finite, axis=0), np.fmax.reduce(finite, axis=0)])
