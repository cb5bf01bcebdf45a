"""The databases that SQL can be written for: how each writes names, texts and numbers.

This is the one list of them; whatever names a dialect reads ``DIALECTS``, or is compared with it
by a test, as the choices of the command line are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agathis.export import _sql_dates


@dataclass(frozen=True)
class Dialect:
    """How a database writes names, texts and numbers, and whether it tells "a" from "A".

    Where it is not ``typed``, as SQLite, a column of numbers may hold texts. ``dates`` has an
    expression for each part of a date, and ``double`` is the name of float64. ``as_is`` makes of a
    column of texts what is compared letter by letter, where the database would take "a" for "A".
    """

    name: Callable[[str], str]
    text: Callable[[str], str]
    number: Callable[[float], str]
    dates: _sql_dates.Parts
    cases: bool = True
    typed: bool = True
    double: str = "DOUBLE PRECISION"
    as_is: str = "{}"


def _wrapped(before: str, after: str) -> Callable[[str], str]:
    """Names between two characters, the second of them doubled within."""

    def name(text: str) -> str:
        _check_text(text, "a name of a column or table")
        return f"{before}{text.replace(after, 2 * after)}{after}"

    return name


def _check_text(text: object, what: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str; it is {text!r}.")
    if not text and "name" in what:
        raise ValueError(f"{what} is empty, which no database accepts.")
    if "\0" in text:
        raise ValueError(f"{what} has a zero byte, which ends a text in SQL: {text!r}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} is not Unicode text: {text!r}.") from None


def text_literal(text: str) -> str:
    """A text as most databases read it."""
    _check_text(text, "a text")
    return "'" + text.replace("'", "''") + "'"


def _escaped(quote: str) -> Callable[[str], str]:
    """Texts and names in which a backslash escapes, as in BigQuery."""

    def literal(text: str) -> str:
        _check_text(text, "a text" if quote == "'" else "a name of a column or table")
        text = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
        return quote + text.replace("\n", "\\n").replace("\r", "\\r") + quote

    return literal


def _text_of_mysql(text: str) -> str:
    # Whether a backslash escapes depends on the server, and its client makes "\n" of "\r\n"; bytes
    # depend on nothing.
    if "\\" in text or "\r" in text:
        _check_text(text, "a text")
        return f"CONVERT(X'{text.encode().hex()}' USING utf8mb4)"
    return text_literal(text)


def _or_whole(literal: Callable[[float], str]) -> Callable[[float], str]:
    """Whole numbers as such; below 2**24 they stay what they are as a number of any type."""

    def number(value: float) -> str:
        is_integer = abs(value) < 1 << 24 and float(value).is_integer()
        return str(int(value)) if is_integer else literal(value)

    return number


@_or_whole
def _approximate(value: float) -> str:
    """With an exponent: without it the literal is a decimal, which some databases round."""
    text = repr(value)
    return text.replace("e", "E") if "e" in text else f"{text.removesuffix('.0')}E0"


@_or_whole
def _number_of_postgres(value: float) -> str:
    # There an exponent makes no difference: the type has to be said.
    return f"'{value!r}'::double precision"


@_or_whole
def _number_of_bigquery(value: float) -> str:
    return repr(value)


@_or_whole
def _number_of_mssql(value: float) -> str:
    return f"CAST({_approximate(value)} AS FLOAT(53))"


@_or_whole
def _number_of_sqlite(value: float) -> str:
    """A number of few digits, or a fraction that SQLite computes without rounding.

    SQLite reads some decimals as the neighbour of the nearest float64. With two decimals the
    nearest is too far from the next to be missed. A fraction of whole numbers whose denominator
    is a power of 2 is exact.
    """
    if abs(value) < 1e12 and float(f"{value:.2f}") == value:
        return repr(value)
    top, bottom = value.as_integer_ratio()
    power = bottom.bit_length() - 1
    while abs(top) >= 1 << 53:
        top, power = top >> 1, power - 1
    steps, factor = [], "/" if power > 0 else "*"
    power = abs(power)
    while power > 0:
        steps.append(f" {factor} {1 << min(power, 62)}")
        power -= 62
    return f"(CAST({top} AS REAL){''.join(steps)} /* {value!r} */)"


DIALECTS = {
    "ansi": Dialect(_wrapped('"', '"'), text_literal, _approximate, _sql_dates.ANSI),
    "bigquery": Dialect(
        _escaped("`"),
        _escaped("'"),
        _number_of_bigquery,
        _sql_dates.BIGQUERY,
        cases=False,
        double="FLOAT64",
    ),
    "duckdb": Dialect(
        _wrapped('"', '"'), text_literal, _approximate, _sql_dates.DUCKDB, cases=False
    ),
    "mssql": Dialect(
        _wrapped("[", "]"),
        lambda text: "N" + text_literal(text),
        _number_of_mssql,
        _sql_dates.MSSQL,
        cases=False,
        double="FLOAT(53)",
    ),
    "mysql": Dialect(
        _wrapped("`", "`"),
        _text_of_mysql,
        _approximate,
        _sql_dates.MYSQL,
        cases=False,
        double="DOUBLE",
        # By its usual rules case, accents and spaces at the end make no difference.
        as_is="CAST(CONVERT({} USING utf8mb4) AS BINARY)",
    ),
    "postgres": Dialect(_wrapped('"', '"'), text_literal, _number_of_postgres, _sql_dates.ANSI),
    "snowflake": Dialect(
        _wrapped('"', '"'), _escaped("'"), _number_of_postgres, _sql_dates.SNOWFLAKE
    ),
    # Between double quotes SQLite reads a name that no column has as a text: a slip of the pen
    # would be an answer. Between these it is an error.
    "sqlite": Dialect(
        _wrapped("`", "`"),
        text_literal,
        _number_of_sqlite,
        _sql_dates.SQLITE,
        cases=False,
        typed=False,
        double="REAL",
    ),
}
