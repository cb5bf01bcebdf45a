"""Conditions for SQLite, whose columns may hold numbers and truths as text.

``.import`` of a CSV file makes every column TEXT, and to SQLite a text is larger than any number.
So a number is cast before it is compared, which changes nothing about a REAL or an INTEGER. Of a
text without digits the cast would be 0: these are missing values, as the empty cell is. Truths
are compared as the texts in which people and programs write them.
"""

from __future__ import annotations

from collections.abc import Collection

from agathis._tables.missing_marks import LOWER_MARKS, MARKS, TRUTHS
from agathis.export._dialects import text_literal


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
        return f"({name} <> {text_literal(text)} OR {name} IS NULL)"
    return _none_of(name, [text, *(mark for mark in MARKS if mark not in categories)])


def known(name: str, categories: Collection[object]) -> str:
    """Any value of a source of categories; a mark of missing values may be one of them."""
    return _none_of(name, [mark for mark in MARKS if mark not in categories])


def _none_of(name: str, texts: Collection[str]) -> str:
    return f"{name} NOT IN ({', '.join(map(text_literal, texts))})"
