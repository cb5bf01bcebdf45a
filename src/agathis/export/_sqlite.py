"""Conditions for SQLite, whose columns may hold numbers and truths as text.

``.import`` of a CSV file makes every column TEXT, and to SQLite a text is larger than any number.
So a number is cast before it is compared, which changes nothing about a REAL or an INTEGER. Of a
text without digits the cast would be 0: these are missing values, as the empty cell is. Truths
are compared as the texts in which people and programs write them.
"""

from __future__ import annotations

from collections.abc import Collection

from agathis._tables.marks import LOWER_MARKS, MARKS, TRUTHS


def at_most(name: str, number: str, missing: bool) -> str:
    """Numbers up to one; those that are missing too where ``missing``."""
    condition = f"CAST({name} AS REAL) <= {number}"
    if missing:
        return f"({condition} OR {name} NOT GLOB '*[0-9]*' OR {name} IS NULL)"
    return f"{known_number(name)} AND {condition}"


def known_number(name: str) -> str:
    return f"{name} GLOB '*[0-9]*'"


def other_number(name: str, number: str, missing: bool) -> str:
    """Any value but a category that is a number; a text that is no number is another value."""
    condition = f"(CAST({name} AS NUMERIC) <> {number} OR {name} NOT GLOB '*[0-9]*'"
    if missing:
        return f"{condition} OR {name} IS NULL)"
    return f"{condition}) AND {_none_of(name, MARKS)}"


def other_truth(name: str, truth: bool, missing: bool) -> str:
    """Any value but one of the two truths."""
    name = f"lower(trim({name}))"
    if missing:
        return f"({_none_of(name, TRUTHS[truth])} OR {name} IS NULL)"
    return _none_of(name, [*TRUTHS[truth], *LOWER_MARKS])


def other_text(name: str, text: str, missing: bool, categories: Collection[object]) -> str:
    """Any value but a category that is a text."""
    if missing:
        return f"({name} <> {_quoted(text)} OR {name} IS NULL)"
    return _none_of(name, [text, *(mark for mark in MARKS if mark not in categories)])


def known(name: str, categories: Collection[object]) -> str:
    """Any value of a source of categories; a mark of missing values may be one of them."""
    return _none_of(name, [mark for mark in MARKS if mark not in categories])


def number(value: float) -> str:
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


def _none_of(name: str, texts: Collection[str]) -> str:
    return f"{name} NOT IN ({', '.join(map(_quoted, texts))})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
