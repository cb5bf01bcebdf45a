"""Parts of dates in SQL: the expression of each dialect that is the number which the tree asks for.

Columns may hold dates, times or texts such as 2024-12-31 18:30; all are read on their own clock.
What is no date is NULL where the dialect has a cast that does so (DuckDB, SQL Server, BigQuery,
MySQL, SQLite), and an error in the others. ``{x}`` is the column.
"""

from __future__ import annotations

from collections.abc import Callable

from agathis._tables.calendar import SHORT, WORDS
from agathis._tables.date_parts import DatePart

#: Of a dialect the expression of each part.
Parts = dict[str, str]


def _extracted(moment: str, weekday: str, days: str) -> Parts:
    """Where EXTRACT is known."""
    plain = {part: f"EXTRACT({part.upper()} FROM {moment})" for part in ("year", "month", "hour")}
    return {**plain, "weekday": weekday.format(moment), "days": days.format(moment)}


# There is no weekday in the standard; this is what several databases call it.
ANSI = _extracted(
    "CAST({x} AS TIMESTAMP)",
    "EXTRACT(ISODOW FROM {})",
    "(CAST({} AS DATE) - DATE '1970-01-01')",
)
DUCKDB = _extracted(
    "TRY_CAST({x} AS TIMESTAMP)",
    "EXTRACT(ISODOW FROM {})",
    "(CAST({} AS DATE) - DATE '1970-01-01')",
)
BIGQUERY = _extracted(
    "SAFE_CAST({x} AS DATETIME)",
    "MOD(EXTRACT(DAYOFWEEK FROM {}) + 5, 7) + 1",
    "DATE_DIFF(DATE({}), DATE '1970-01-01', DAY)",
)
SNOWFLAKE = _extracted(
    "CAST({x} AS TIMESTAMP_NTZ)",
    "EXTRACT(DAYOFWEEKISO FROM {})",
    "DATEDIFF(DAY, DATE '1970-01-01', {})",
)
MYSQL = _extracted("CAST({x} AS DATETIME)", "(WEEKDAY({}) + 1)", "DATEDIFF({}, DATE '1970-01-01')")
_MSSQL = "TRY_CAST({x} AS DATETIME2)"
MSSQL = {
    **{part: f"DATEPART({part.upper()}, {_MSSQL})" for part in ("year", "month", "hour")},
    # Which day is the first of a week is a setting there.
    "weekday": f"((DATEPART(WEEKDAY, {_MSSQL}) + @@DATEFIRST + 5) % 7 + 1)",
    "days": f"DATEDIFF(DAY, '19700101', {_MSSQL})",
}
# Of a text with a zone SQLite would tell the time in Greenwich; what comes before it is enough.
_SQLITE = "substr(trim({x}), 1, 10)"
SQLITE = {
    "year": f"CAST(strftime('%Y', {_SQLITE}) AS INTEGER)",
    "month": f"CAST(strftime('%m', {_SQLITE}) AS INTEGER)",
    "weekday": f"((strftime('%w', {_SQLITE}) + 6) % 7 + 1)",
    "hour": "CAST(strftime('%H', substr(trim({x}), 1, 16)) AS INTEGER)",
    "days": f"CAST(julianday({_SQLITE}) - 2440587.5 AS INTEGER)",
}


def part_of(when: DatePart, column: str, parts: Parts, text: Callable[[str], str]) -> str:
    """The number of a part of a date; NULL where the date is missing.

    Parameters
    ----------
    when : DatePart
    column : str
        Its column, quoted.
    parts : mapping
        Of the dialect.
    text : callable
        How the dialect writes texts.
    """
    if when.circle:
        raise ValueError(f"{when.column!r} is asked for its place on a circle, which no tree does.")
    if when.holds == "names":
        return _of_names(when.part, column, text)
    # Names of columns may have braces of their own.
    return parts[when.part].replace("{x}", column)


def _of_names(part: str, column: str, text: Callable[[str], str]) -> str:
    """The number of a month or weekday that is written out."""
    numbers = {word: i for one in WORDS[part] for i, word in enumerate(one.split(), 1)}
    numbers |= {long: numbers[short] for long, short in SHORT.items() if short in numbers}
    cases = " ".join(f"WHEN {text(word)} THEN {number}" for word, number in numbers.items())
    return f"CASE REPLACE(LOWER(TRIM({column})), '.', '') {cases} END"
