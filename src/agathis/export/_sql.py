"""Export a tree to SQL: an expression ``CASE WHEN ... END``, or a query.

The order of the leaves is such that each needs only conditions that name values, numbers up to a
bound or some categories: rows that they exclude matched an earlier leaf. Conditions are never
negated, so that NULL, of which no condition is true, needs only "OR ... IS NULL" where missing
values go the same way, and an unknown category is none of those that are named. The conditions are
in ``_sql_columns``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sklearn.base import BaseEstimator

from agathis._rules.columns import Indicator
from agathis._rules.described_tree import Described, describe
from agathis._rules.split_axes import Axis, CategoryAxis, NumberAxis, SumAxis
from agathis._trees.tree import Tree
from agathis.export._dialects import DIALECTS, Dialect
from agathis.export._sql_columns import SqlColumns
from agathis.export._sql_dates import example_of
from agathis.export._sqlite import SqliteColumns


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
    """Export a tree to SQL.

    Rows get the same clusters as from ``predict``, if the columns hold the values of the features.
    NULL is a missing value: it goes where the training rows of a node with a missing value went, or
    to the child with more rows if there were none. Thresholds are written so that the database
    reads the same float64. Integers are exact up to 2**53. A column of float32 (REAL, FLOAT4) holds
    rounded values, as float32 rows do for ``predict``. NaN is a value to most databases, not NULL:
    convert it to NULL first. Columns must be typed, except in SQLite, where numbers and booleans
    may be strings and empty strings are missing. Unknown categories match none of the known ones;
    in a tree with splits on several categories they go to the larger child. Date parts are
    extracted from the column of dates: a date, a timestamp, or a string such as 2024-12-31 18:30.
    If the fitted table had strings such as 31.12.2024 18:30, or 12/31/2024, these are parsed too;
    strings of other formats are an error.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    dialect : {"ansi", "bigquery", "duckdb", "mssql", "mysql", "postgres", "snowflake", "sqlite"}
        The SQL dialect.
    table : str or sequence of str, optional
        A table, or its schema and its name: the result is then a query that selects all its columns
        and the cluster. By default it is only the expression.
    column : str, default="cluster"
        The name of the cluster column in a query.
    scaler, feature_names : optional
        As for :func:`agathis.export.to_text`. The names are those of columns; they are quoted, so
        that any string is safe.
    cluster_names : sequence of str, optional
        The strings to return; by default the cluster numbers.
    one_hot : mapping, optional
        As for :func:`agathis.export.to_text`; the query then uses the categorical columns, with
        strings or numbers in them.

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
    qualified = ".".join(writer.name(part) for part in parts)
    inside = "\n".join(f"  {line}" for line in lines)
    return f"SELECT *,\n{inside} AS {writer.name(column)}\nFROM {qualified}"


def _check_names(described: Described, dialect: str) -> None:
    """Raise if two columns of the tree have the same name in the database."""
    names: dict[str, str] = {}
    known: dict[str, int | str] = {}
    for f in described.used():
        column = described.columns[f]
        name = column.column
        key = name if DIALECTS[dialect].cases else name.lower()
        # The one-hot columns of a categorical feature are one column, as are the parts of a date.
        owner: int | str = f
        if isinstance(column, Indicator) or column.when is not None:
            owner = f"column {name}"
        if known.setdefault(key, owner) != owner:
            raise ValueError(
                f"feature_names has {names[key]!r} and {name!r}, which are one column to "
                f"{dialect}; give other names."
            )
        names[key] = name


def _lines(described: Described, dialect: Dialect) -> Iterator[str]:
    columns = SqlColumns(dialect) if dialect.typed else SqliteColumns(dialect)
    cases, answer, has_categories = [], "NULL", False
    texts: dict[str, str] = {}
    for leaf, turns in described.turns():
        label = described.label(leaf)
        answer = dialect.text(label) if isinstance(label, str) else str(label)
        # The last leaf has all remaining rows.
        if turns:
            conditions = [columns.condition(axis, allowed) for axis, allowed in turns.items()]
            cases.append(f"  WHEN {' AND '.join(conditions)} THEN {answer}")
            has_categories |= any(isinstance(axis, CategoryAxis) for axis in turns)
            texts |= {name: form for axis in turns for name, form in _dates_in_texts(axis)}
    if not cases:
        yield answer
        return
    head = "CASE" + " /* a category that is new is none of those named */" * has_categories
    for form in dict.fromkeys(texts.values()):
        names = [name for name, other in texts.items() if other == form]
        head += f" /* dates, or texts such as {form}: "
        head += ", ".join(dialect.name(name).replace("*/", "* /") for name in names) + " */"
    yield head
    yield from (*cases, f"  ELSE {answer}", "END")


def _dates_in_texts(axis: Axis) -> Iterator[tuple[str, str]]:
    """Date columns that were strings in the fitted table, each with an example of its format."""
    if not isinstance(axis, (NumberAxis, SumAxis)):
        return
    for column in (axis.column,) if isinstance(axis, NumberAxis) else axis.columns:
        when = None if isinstance(column, Indicator) else column.when
        if when is not None and when.first_is_day is not None:
            yield when.column, example_of(when)
