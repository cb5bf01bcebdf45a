"""Parts of dates in SQL: the expression of each dialect that is the number which the tree asks for.

Columns may hold dates, times or texts such as 2024-12-31 18:30; all are read on their own clock.
What is no date is NULL where the dialect has a cast that does so (DuckDB, SQL Server, BigQuery,
MySQL, SQLite), and an error in the others. ``{x}`` is the column.

Texts such as 31.12.2024 18:30 are put into that order first, piece by piece: every database has
that, and what reads other forms is another thing in each. Dates and texts that have the usual order
already pass as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agathis._columns.date_names import numbers_of_names

if TYPE_CHECKING:
    from agathis._encoding.date_parts import DatePart

#: Of a dialect the expression of each part, and under ``ISO`` that of a text in the usual order.
Parts = dict[str, str]
ISO = "iso"
#: Where year, month and day begin in texts, by whether the year is first and whether the day is
#: before the month.
_PLACES = {(True, True): (1, 6, 9), (True, False): (1, 6, 9)}
_PLACES |= {(False, True): (7, 4, 1), (False, False): (7, 1, 4)}


def _reordered(text: str, piece: str = "SUBSTRING({}, {}, {})", glue: str = " || ") -> Parts:
    """A text in the usual order, where NULL stays NULL: ``glue`` joins pieces, or is a function."""
    pieces = [piece.format(text, begin, n) for begin, n in (("{y}", 4), ("{m}", 2), ("{d}", 2))]
    all_of = [pieces[0], "'-'", pieces[1], "'-'", pieces[2], piece.format(text, 11, 30)]
    joined = f"CONCAT({', '.join(all_of)})" if glue == "CONCAT" else glue.join(all_of)
    return {ISO: f"CASE WHEN {text} LIKE '____-__-__%' THEN {text} ELSE {joined} END"}


def _extracted(moment: str, weekday: str, days: str) -> Parts:
    """Where EXTRACT is known."""
    plain = {part: f"EXTRACT({part.upper()} FROM {moment})" for part in ("year", "month", "hour")}
    return {**plain, "weekday": weekday.format(moment), "days": days.format(moment)}


# There is no weekday in the standard; this is what several databases call it.
ANSI = _extracted(
    "CAST({x} AS TIMESTAMP)",
    "EXTRACT(ISODOW FROM {})",
    "(CAST({} AS DATE) - DATE '1970-01-01')",
) | _reordered("TRIM(CAST({x} AS VARCHAR(50)))", "SUBSTRING({} FROM {} FOR {})")
DUCKDB = _extracted(
    "TRY_CAST({x} AS TIMESTAMP)",
    "EXTRACT(ISODOW FROM {})",
    "(CAST({} AS DATE) - DATE '1970-01-01')",
) | _reordered("TRIM(CAST({x} AS VARCHAR))")
BIGQUERY = _extracted(
    "SAFE_CAST({x} AS DATETIME)",
    "MOD(EXTRACT(DAYOFWEEK FROM {}) + 5, 7) + 1",
    "DATE_DIFF(DATE({}), DATE '1970-01-01', DAY)",
) | _reordered("TRIM(CAST({x} AS STRING))", "SUBSTR({}, {}, {})")
SNOWFLAKE = _extracted(
    "CAST({x} AS TIMESTAMP_NTZ)",
    "EXTRACT(DAYOFWEEKISO FROM {})",
    "DATEDIFF(DAY, DATE '1970-01-01', {})",
) | _reordered("TRIM(CAST({x} AS VARCHAR))")
MYSQL = _extracted(
    "CAST({x} AS DATETIME)", "(WEEKDAY({}) + 1)", "DATEDIFF({}, DATE '1970-01-01')"
) | _reordered("TRIM(CAST({x} AS CHAR))", glue="CONCAT")
_MSSQL = "TRY_CAST({x} AS DATETIME2)"
MSSQL = {
    **{part: f"DATEPART({part.upper()}, {_MSSQL})" for part in ("year", "month", "hour")},
    # Which day is the first of a week is a setting there.
    "weekday": f"((DATEPART(WEEKDAY, {_MSSQL}) + @@DATEFIRST + 5) % 7 + 1)",
    "days": f"DATEDIFF(DAY, '19700101', {_MSSQL})",
    # Without a style a time would be a text such as "Dec 31 2024".
    **_reordered("TRIM(CONVERT(VARCHAR(50), {x}, 120))", glue=" + "),
}
# Of a text with a zone SQLite would tell the time in Greenwich; what comes before it is enough.
_SQLITE = "substr(trim({x}), 1, 10)"
SQLITE = {
    "year": f"CAST(strftime('%Y', {_SQLITE}) AS INTEGER)",
    "month": f"CAST(strftime('%m', {_SQLITE}) AS INTEGER)",
    "weekday": f"((strftime('%w', {_SQLITE}) + 6) % 7 + 1)",
    "hour": "CAST(strftime('%H', substr(trim({x}), 1, 16)) AS INTEGER)",
    "days": f"CAST(julianday({_SQLITE}) - 2440587.5 AS INTEGER)",
    **_reordered("trim({x})", "substr({}, {}, {})"),
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
    expression = parts[when.part]
    if when.form == "other":
        raise ValueError(
            f"the dates of {when.column!r} are texts of a form that no database reads as predict "
            "does, such as 1/2/2020 or Dec 31, 2024: make them texts such as 2024-12-31 18:30, or "
            "dates, before the fit; or fit with dates='out', which leaves them out."
        )
    if when.form in ("year first", "year last"):
        places = _PLACES[when.form == "year first", bool(when.first_is_day)]
        iso = parts[ISO]
        for piece, begin in zip(("{y}", "{m}", "{d}"), places, strict=True):
            iso = iso.replace(piece, str(begin))
        expression = expression.replace("{x}", f"({iso})")
    # Names of columns may have braces of their own.
    return expression.replace("{x}", column)


def example_of(when: DatePart) -> str:
    """What the texts of a column of dates look like."""
    if when.form == "year first":
        return "2024/12/31 18:30"
    if when.form == "year last":
        return "31.12.2024 18:30" if when.first_is_day else "12/31/2024 18:30"
    return "2024-12-31 18:30"


def _of_names(part: str, column: str, text: Callable[[str], str]) -> str:
    """The number of a month or weekday that is written out."""
    numbers = numbers_of_names(part).items()
    cases = " ".join(f"WHEN {text(name)} THEN {number}" for name, number in numbers)
    return f"CASE REPLACE(LOWER(TRIM({column})), '.', '') {cases} END"
