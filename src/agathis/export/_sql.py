"""A tree as an expression in SQL, ``CASE WHEN ... END``, or as a whole query.

The leaves stand in their order, left to right, each with its turns to the left alone: what would
turn right has been answered before. Conditions are never negated, so that NULL, of which nothing
is true, needs no rule but "OR ... IS NULL" where missing values go left.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from sklearn.base import BaseEstimator

from agathis._describe.columns import Indicator, categories_of
from agathis._describe.described_tree import Described, Turn, describe
from agathis._trees.tree import Tree
from agathis.export import _sqlite
from agathis.export._dialects import DIALECTS, Dialect


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
    types, but for SQLite, where numbers and truths may be texts and empty texts are missing.

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
        name = column.name
        key = name if DIALECTS[dialect].cases else name.lower()
        # The indicators of a source are one column, any others are different ones.
        owner = f"source {name}" if isinstance(column, Indicator) else f
        if known.setdefault(key, owner) != owner:
            raise ValueError(
                f"feature_names has {found[key]!r} and {name!r}, which are one column to "
                f"{dialect}; give other names."
            )
        found[key] = name


def _lines(described: Described, writer: Dialect) -> Iterator[str]:
    cases = []
    for leaf, turns in described.turns():
        answer = _answer(described, writer, leaf)
        asked = [text for turn in turns if (text := _asked(described, writer, turn))]
        if not asked:
            # All other rows; whatever comes after it is out of reach.
            break
        cases.append(f"  WHEN {' AND '.join(asked)} THEN {answer}")
    if cases:
        yield from ("CASE", *cases, f"  ELSE {answer}", "END")
    else:
        yield answer


def _answer(described: Described, writer: Dialect, leaf: int) -> str:
    label = described.label(leaf)
    return writer.text(label) if isinstance(label, str) else str(label)


def _asked(described: Described, writer: Dialect, turn: Turn) -> str:
    """A turn as a condition; nothing where all rows pass."""
    column = described.columns[turn.feature]
    name = writer.name(column.name)
    ask = _of_typed if writer.typed else _of_sqlite
    if not isinstance(column, Indicator):
        missing, asks = turn.missing, turn.high < math.inf
    elif column.of_missing:
        # It is never missing itself: 0 is a value that is known, and with 1 all rows pass.
        missing, asks = turn.high >= 1, False
    else:
        missing, asks = turn.missing or column.closed, turn.high < 1
    if missing and not asks:
        return ""
    return ask(described, writer, turn, name, missing, asks)


def _of_typed(
    described: Described, writer: Dialect, turn: Turn, name: str, missing: bool, asks: bool
) -> str:
    column = described.columns[turn.feature]
    if not asks:
        return f"{name} IS NOT NULL"
    if isinstance(column, Indicator):
        condition = f"{name} <> {_category(column.category, writer)}"
    else:
        condition = f"{name} <= {writer.number(turn.high)}"
    return f"({condition} OR {name} IS NULL)" if missing else condition


def _of_sqlite(
    described: Described, writer: Dialect, turn: Turn, name: str, missing: bool, asks: bool
) -> str:
    column = described.columns[turn.feature]
    if not isinstance(column, Indicator):
        if not asks:
            return _sqlite.known_number(name)
        return _sqlite.at_most(name, writer.number(turn.high), missing)
    categories = categories_of(described.columns, column.source)
    if not asks:
        return _sqlite.known(name, categories)
    written = _category(column.category, writer)
    if isinstance(column.category, bool):
        return _sqlite.other_truth(name, column.category, missing)
    if isinstance(column.category, str):
        return _sqlite.other_text(name, column.category, missing, categories)
    return _sqlite.other_number(name, written, missing)


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
