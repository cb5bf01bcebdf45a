"""Date parts in SQL: for each dialect the expression of each part that a tree may split on.

Columns may hold dates, timestamps or strings such as 2024-12-31 18:30; all are taken as local time.
Invalid dates are NULL where the dialect has a cast that does so (DuckDB, SQL Server, BigQuery,
MySQL, SQLite), and an error in the others. ``{x}`` is the column.

Strings such as 31.12.2024 18:30 are first reordered by substrings, which every database has; their
functions for other formats all differ. Dates and strings in ISO order are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agathis._columns.date_names import numbers_of_names

if TYPE_CHECKING:
    from agathis._encoding.date_parts import DatePart

#: The expression of each part in a dialect, and under ``ISO`` that of a string in ISO order.
Parts = dict[str, str]
ISO = "iso"
#: The positions of year, month and day in strings, by whether the year comes first and whether the
#: day comes before the month.
_PLACES = {(True, True): (1, 6, 9), (True, False): (1, 6, 9)}
_PLACES |= {(False, True): (7, 4, 1), (False, False): (7, 1, 4)}


def _reordered(text: str, piece: str = "SUBSTRING({}, {}, {})", glue: str = " || ") -> Parts:
    """Reorder a string to ISO, NULL to NULL; ``glue`` joins pieces, or is a function."""
    pieces = [piece.format(text, begin, n) for begin, n in (("{y}", 4), ("{m}", 2), ("{d}", 2))]
    all_of = [pieces[0], "'-'", pieces[1], "'-'", pieces[2], piece.format(text, 11, 30)]
    joined = f"CONCAT({', '.join(all_of)})" if glue == "CONCAT" else glue.join(all_of)
    return {ISO: f"CASE WHEN {text} LIKE '____-__-__%' THEN {text} ELSE {joined} END"}


def _extracted(moment: str, weekday: str, days: str) -> Parts:
    """The expressions of a dialect that has EXTRACT."""
    plain = {part: f"EXTRACT({part.upper()} FROM {moment})" for part in ("year", "month", "hour")}
    return {**plain, "weekday": weekday.format(moment), "days": days.format(moment)}


# The standard has no weekday; several databases have this name for it.
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
    # The first day of the week is a setting there.
    "weekday": f"((DATEPART(WEEKDAY, {_MSSQL}) + @@DATEFIRST + 5) % 7 + 1)",
    "days": f"DATEDIFF(DAY, '19700101', {_MSSQL})",
    # Without a style the string of a timestamp would be "Dec 31 2024".
    **_reordered("TRIM(CONVERT(VARCHAR(50), {x}, 120))", glue=" + "),
}
# SQLite would convert strings with a time zone to UTC, so the zone is cut off.
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
    """Write a date part as a number; NULL if the date is missing.

    Parameters
    ----------
    when : DatePart
    column : str
        Its column, quoted.
    parts : mapping
        The expressions of the dialect.
    text : callable
        Quotes a string.
    """
    if when.circle:
        raise ValueError(
            f"{when.column!r} is split on by its position on a circle, which no tree does."
        )
    if when.holds == "names":
        return _of_names(when.part, column, text)
    if when.holds == "levels":
        cases = " ".join(f"WHEN {text(one)} THEN {rank}" for rank, one in enumerate(when.levels, 1))
        return f"CASE TRIM({column}) {cases} END"
    expression = parts[when.part]
    if when.form == "other":
        raise ValueError(
            f"the dates of {when.column!r} are strings of a format that no database parses as "
            "predict does, such as 1/2/2020 or Dec 31, 2024: convert them to dates, or to strings "
            "such as 2024-12-31 18:30, before the fit; or fit with dates='out', which leaves them "
            "out."
        )
    if when.form in ("year first", "year last"):
        places = _PLACES[when.form == "year first", bool(when.first_is_day)]
        iso = parts[ISO]
        for piece, begin in zip(("{y}", "{m}", "{d}"), places, strict=True):
            iso = iso.replace(piece, str(begin))
        expression = expression.replace("{x}", f"({iso})")
    # Column names may have braces.
    return expression.replace("{x}", column)


def example_of(when: DatePart) -> str:
    """An example of the date strings of a column."""
    if when.form == "year first":
        return "2024/12/31 18:30"
    if when.form == "year last":
        return "31.12.2024 18:30" if when.first_is_day else "12/31/2024 18:30"
    return "2024-12-31 18:30"


def _of_names(part: str, column: str, text: Callable[[str], str]) -> str:
    """Map the names of months or weekdays to their numbers."""
    numbers = numbers_of_names(part).items()
    cases = " ".join(f"WHEN {text(name)} THEN {number}" for name, number in numbers)
    return f"CASE REPLACE(LOWER(TRIM({column})), '.', '') {cases} END"
