"""A tree as an expression in SQL, ``CASE WHEN ... END``, or as a whole query.

The leaves stand in such an order that each needs only those of its conditions that name values,
numbers up to a bound or some categories: what they exclude has been answered before. Conditions are
never negated, so that NULL, of which nothing is true, needs no rule but "OR ... IS NULL" where
missing values go the same way, and a category that nobody has seen is none of those that are named.
Sums of columns are in ``_sums``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from sklearn.base import BaseEstimator

from agathis._rules.admissible_values import AdmissibleValues, Categories, Range
from agathis._rules.columns import Column, Indicator
from agathis._rules.described_tree import Described, describe
from agathis._rules.split_axes import Axis, CategoryAxis, NumberAxis, SumAxis
from agathis._trees.tree import Tree
from agathis.export import _sqlite, _sums
from agathis.export._dialects import DIALECTS, Dialect
from agathis.export._sql_dates import example_of, part_of


def to_sql(
    model: BaseEstimator | Tree,
    *,
    dialect: str = "ansi",
    table: str | Sequence[str] | None = None,
    column: str = "cluster",
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
) -> str:
    """Write a tree as an expression in SQL.

    Rows get the clusters that ``predict`` gives them, if the columns hold what the features
    held. NULL goes where missing values go in the tree: where the training rows of a node went
    that missed the feature, or to the child with more rows if none did. Thresholds are written
    so that the database reads the same float64. Columns of whole numbers are exact up to 2**53.
    A column of float32 (REAL, FLOAT4) holds rounded values, as float32 rows do for ``predict``. A
    NaN is a value to most databases, not NULL: turn it into NULL first. Columns have to have their
    types, but for SQLite, where numbers and truths may be texts and empty texts are missing. A
    category that the tree has not seen goes where it goes in the tree: it is none of those that
    are named. In a tree with splits on several categories that is with the larger part. Parts of
    dates are taken from the column of dates: a date, a time, or a text such as 2024-12-31 18:30.
    Where the table of the fit had texts such as 31.12.2024 18:30, or 12/31/2024, these are read
    too; texts of other forms are an error.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    dialect : {"ansi", "bigquery", "duckdb", "mssql", "mysql", "postgres", "snowflake", "sqlite"}
        How names and numbers are written.
    table : str or sequence of str, optional
        A table, or its schema and its name: the result is then a query for all its columns and
        the cluster. By default it is the expression alone.
    column : str, default="cluster"
        The name of the column of clusters in a query.
    scaler, feature_names : optional
        As for :func:`agathis.export.to_text`. The names are those of columns; they are quoted,
        so that any text is a name and nothing else.
    cluster_names : sequence of str, optional
        Texts to return; by default the numbers of clusters.
    one_hot : mapping or OneHotEncoder, optional
        As for :func:`agathis.export.to_text`; the sources are then the columns, and the
        categories are texts or numbers in them.

    Returns
    -------
    sql : str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.export import to_sql
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(load_iris().data)
    >>> print(to_sql(model, feature_names=["sl", "sw", "petal", "pw"], table="flowers"))
    SELECT *,
      CASE
        WHEN "petal" <= 3.4E0 THEN 0
        WHEN ("petal" <= 5.15E0 OR "petal" IS NULL) THEN 1
        ELSE 2
      END AS "cluster"
    FROM "flowers"
    """
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise ValueError(f"dialect={dialect!r} is unknown; accepted are {', '.join(DIALECTS)}.")
    writer = DIALECTS[dialect]
    described = describe(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
    )
    _check_names(described, dialect)
    lines = list(_lines(described, writer))
    if table is None:
        return "\n".join(lines)
    parts = [table] if isinstance(table, str) or not isinstance(table, Iterable) else list(table)
    if not parts:
        raise ValueError("table must have a name; it is empty.")
    for argument, name in (*(("table", part) for part in parts), ("column", column)):
        if not isinstance(name, str):
            raise TypeError(f"{argument} must be a name, a str; it is {name!r}.")
    place = ".".join(writer.name(part) for part in parts)
    inside = "\n".join(f"  {line}" for line in lines)
    return f"SELECT *,\n{inside} AS {writer.name(column)}\nFROM {place}"


def _check_names(described: Described, dialect: str) -> None:
    """Raise where two columns that the tree asks for would be one to the database."""
    found: dict[str, str] = {}
    known: dict[str, int | str] = {}
    for f in described.used():
        column = described.columns[f]
        name = column.column
        key = name if DIALECTS[dialect].cases else name.lower()
        # The indicators of a source are one column, and so are the parts of a date; any others
        # are different ones.
        owner: int | str = f
        if isinstance(column, Indicator) or column.when is not None:
            owner = f"source {name}"
        if known.setdefault(key, owner) != owner:
            raise ValueError(
                f"feature_names has {found[key]!r} and {name!r}, which are one column to "
                f"{dialect}; give other names."
            )
        found[key] = name


def _lines(described: Described, writer: Dialect) -> Iterator[str]:
    cases, answer, asks_source = [], "NULL", False
    texts: dict[str, str] = {}
    for leaf, turns in described.turns():
        answer = _answer(described, writer, leaf)
        # The last leaf has all other rows.
        if turns:
            asked = [_asked(writer, axis, allowed) for axis, allowed in turns.items()]
            cases.append(f"  WHEN {' AND '.join(asked)} THEN {answer}")
            asks_source |= any(isinstance(axis, CategoryAxis) for axis in turns)
            texts |= {name: form for axis in turns for name, form in _dates_in_texts(axis)}
    if not cases:
        yield answer
        return
    head = "CASE" + " /* a category that is new is none of those named */" * asks_source
    for form in dict.fromkeys(texts.values()):
        names = [name for name, own in texts.items() if own == form]
        head += f" /* dates, or texts such as {form}: "
        head += ", ".join(writer.name(name).replace("*/", "* /") for name in names) + " */"
    yield head
    yield from (*cases, f"  ELSE {answer}", "END")


def _answer(described: Described, writer: Dialect, leaf: int) -> str:
    label = described.label(leaf)
    return writer.text(label) if isinstance(label, str) else str(label)


def _asked(writer: Dialect, axis: Axis, allowed: AdmissibleValues) -> str:
    """What some rows satisfy, as a condition."""
    if isinstance(axis, CategoryAxis) and isinstance(allowed, Categories):
        return _of_source(writer, axis, allowed)
    if not isinstance(axis, (NumberAxis, SumAxis)) or not isinstance(allowed, Range):
        raise TypeError(f"{axis.name!r} does not go with {allowed!r}.")
    if isinstance(axis, SumAxis):
        value, names, numbers = _sums.sum_of(writer, axis, _WRITERS)
    else:
        value, names = _number(writer, axis.column), [_known(writer, axis.column)]
        numbers = [writer.name(axis.name)] if axis.column.when is None else []
    bound = None if allowed.high == math.inf else writer.number(allowed.high)
    if not writer.typed:
        return _sqlite.at_most(value, numbers, names, bound, allowed.missing)
    if bound is None:
        return " AND ".join(f"{name} IS NOT NULL" for name in names) or "TRUE"
    missing = [f"{name} IS NULL" for name in names] if allowed.missing else []
    conditions = [f"{value} <= {bound}", *missing]
    return conditions[0] if len(conditions) == 1 else f"({' OR '.join(conditions)})"


def _dates_in_texts(axis: Axis) -> Iterator[tuple[str, str]]:
    """The columns of dates that were texts in the table of the fit, and what they look like."""
    if not isinstance(axis, (NumberAxis, SumAxis)):
        return
    for column in (axis.column,) if isinstance(axis, NumberAxis) else axis.columns:
        when = None if isinstance(column, Indicator) else column.when
        if when is not None and when.first_is_day is not None:
            yield when.column, example_of(when)


def _known(writer: Dialect, column: Column) -> str:
    """What is NULL where a column misses its value: itself, or the part of a date."""
    is_part = not isinstance(column, Indicator) and column.when is not None
    return _number(writer, column) if is_part else writer.name(column.name)


def _number(writer: Dialect, column: Column) -> str:
    """A column of numbers, or the part of a date that is made of one."""
    if isinstance(column, Indicator):
        raise TypeError(f"{column.label!r} is no number.")
    if column.when is not None:
        return part_of(column.when, writer.name(column.column), writer.dates, writer.text)
    name = writer.name(column.name)
    return name if writer.typed else f"CAST({name} AS REAL)"


def _on_or_off(writer: Dialect, column: Indicator, closed: bool) -> str:
    """1 where a source has a category, else 0."""
    known = "ELSE 0" if closed else f"WHEN {writer.name(column.name)} IS NOT NULL THEN 0"
    return f"CASE WHEN {_of_category(writer, column)} THEN 1 {known} END"


_WRITERS = _sums.Writers(_number, _known, _on_or_off)


def _of_category(writer: Dialect, column: Indicator) -> str:
    """That a source is in one category."""
    name = writer.name(column.source)
    if column.of_missing:
        return f"{name} IS NULL"
    if writer.typed:
        return f"{_exact(name, [column.category], writer)} = {_category(column.category, writer)}"
    (condition,) = _sqlite.one_of(
        name, [column.category], {column.category: _category(column.category, writer)}
    )
    return condition


def _of_source(writer: Dialect, axis: CategoryAxis, allowed: Categories) -> str:
    """That a source has one of some categories, or none at all."""
    name = writer.name(axis.name)
    named = [axis.categories[place] for place in sorted(allowed.indices) if place >= 0]
    named = [category for category in named if category is not None]
    missing = axis.missing_index in allowed.indices
    if writer.typed:
        asked = _exact(name, named, writer)
        conditions = [_one_of(asked, [_category(c, writer) for c in named])] if named else []
        conditions += [f"{name} IS NULL"] if missing else []
    else:
        written = {c: _category(c, writer) for c in named if not isinstance(c, bool)}
        conditions = _sqlite.one_of(name, named, written)
        conditions += _sqlite.missing(name, axis.categories) if missing else []
    return conditions[0] if len(conditions) == 1 else f"({' OR '.join(conditions)})"


def _exact(name: str, categories: Sequence[object], writer: Dialect) -> str:
    """A column as it is compared with these: texts letter by letter."""
    texts = any(isinstance(category, str) for category in categories)
    return writer.as_is.replace("{}", name) if texts else name


def _one_of(name: str, written: Sequence[str]) -> str:
    if len(written) == 1:
        return f"{name} = {written[0]}"
    return f"{name} IN ({', '.join(written)})"


def _category(category: object, writer: Dialect) -> str:
    if isinstance(category, str):
        return writer.text(category)
    if isinstance(category, bool):
        return "TRUE" if category else "FALSE"
    if isinstance(category, int):
        return str(category)
    if isinstance(category, float) and math.isfinite(category):
        return writer.number(category)
    raise TypeError(
        f"one_hot has the category {category!r}, a {type(category).__name__}; only texts and "
        "numbers can be written."
    )
