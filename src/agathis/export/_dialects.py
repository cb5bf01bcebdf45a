"""SQL dialects: how each database writes names, strings and numbers.

``DIALECTS`` is the registry of them; the choices of the command line come from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agathis.export import _sql_dates


@dataclass(frozen=True)
class Dialect:
    """The syntax of a database.

    Attributes
    ----------
    name, text, number : callable
        Write an identifier, a string and a number.
    dates : dict
        An expression for each date part.
    cases : bool
        Whether identifiers are case-sensitive.
    typed : bool
        Whether columns have types; in SQLite a numeric column may hold strings.
    double : str
        The name of float64.
    as_is : str
        An expression that makes the comparison of strings case-sensitive.
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
    """Quote identifiers by two characters, doubling the second one inside."""

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
        raise ValueError(f"{what} has a zero byte, which ends a string in SQL: {text!r}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} is not Unicode text: {text!r}.") from None


def text_literal(text: str) -> str:
    """Quote a string as most databases do."""
    _check_text(text, "a text")
    return "'" + text.replace("'", "''") + "'"


def _escaped(quote: str) -> Callable[[str], str]:
    """Quote strings and identifiers in which a backslash escapes, as in BigQuery."""

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


def _or_integer(literal: Callable[[float], str]) -> Callable[[float], str]:
    """Write integers below 2**24 as such: they are exact in every numeric type."""

    def number(value: float) -> str:
        is_integer = abs(value) < 1 << 24 and float(value).is_integer()
        return str(int(value)) if is_integer else literal(value)

    return number


@_or_integer
def _approximate(value: float) -> str:
    """Write an exponent: without it the literal is a decimal, which some databases round."""
    text = repr(value)
    return text.replace("e", "E") if "e" in text else f"{text.removesuffix('.0')}E0"


@_or_integer
def _number_of_postgres(value: float) -> str:
    # An exponent makes no difference there: the type must be given.
    return f"'{value!r}'::double precision"


@_or_integer
def _number_of_bigquery(value: float) -> str:
    return repr(value)


@_or_integer
def _number_of_mssql(value: float) -> str:
    return f"CAST({_approximate(value)} AS FLOAT(53))"


@_or_integer
def _number_of_sqlite(value: float) -> str:
    """Write few digits, or a fraction that SQLite computes without rounding.

    SQLite parses some decimals as a neighbour of the nearest float64, but not those of two
    decimals. A fraction of integers whose denominator is a power of 2 is exact.
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
        # Its default collation ignores case, accents and trailing spaces.
        as_is="CAST(CONVERT({} USING utf8mb4) AS BINARY)",
    ),
    "postgres": Dialect(_wrapped('"', '"'), text_literal, _number_of_postgres, _sql_dates.ANSI),
    "snowflake": Dialect(
        _wrapped('"', '"'), _escaped("'"), _number_of_postgres, _sql_dates.SNOWFLAKE
    ),
    # In double quotes SQLite takes an unknown name for a string, which would hide a misspelled
    # column; in backticks it is an error.
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
