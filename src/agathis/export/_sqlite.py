"""Conditions for SQLite, whose columns may hold numbers and truths as text.

``.import`` of a CSV file makes every column TEXT, and to SQLite a text is larger than any number.
So a number is cast before it is compared, which changes nothing about a REAL or an INTEGER. Of a
text without digits the cast would be 0: these are missing values, as the empty cell is. Truths
are compared as the texts in which people and programs write them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from agathis._columns.missing_values import BOOLEANS, LOWER_MARKS, MARKS
from agathis.export._dialects import text_literal


def at_most(
    value: str, numbers: Sequence[str], names: Sequence[str], bound: str | None, missing: bool
) -> str:
    """A value that is no larger than a bound, or just known; missing ones too where ``missing``.

    Parameters
    ----------
    value : str
        An expression, NULL where one of ``names`` is.
    numbers : sequence of str
        Those columns in it that hold numbers, which may be texts.
    names : sequence of str
        All columns in it.
    bound : str or None
    missing : bool
    """
    if missing:
        absent = [f"{name} NOT GLOB '*[0-9]*'" for name in numbers]
        absent += [f"{name} IS NULL" for name in names]
        return f"({' OR '.join([f'{value} <= {bound}', *absent])})"
    known = [f"{name} GLOB '*[0-9]*'" for name in numbers]
    if bound is not None:
        known.append(f"{value} <= {bound}")
    return " AND ".join(known or [f"{name} IS NOT NULL" for name in names] or ["TRUE"])


def one_of(name: str, categories: Sequence[object], written: Mapping[object, str]) -> list[str]:
    """Conditions one of which is true where a value is one of some categories.

    Of categories that are no truths ``written`` has the literals.
    """
    out = []
    booleans = [word for c in categories if isinstance(c, bool) for word in BOOLEANS[c]]
    if booleans:
        out.append(_in(f"lower(trim({name}))", map(text_literal, booleans)))
    texts = [written[c] for c in categories if isinstance(c, str)]
    if texts:
        out.append(_in(name, texts))
    numbers = [written[c] for c in categories if not isinstance(c, (bool, str))]
    if numbers:
        # A text with other signs in it is no number: the cast would take what it begins with.
        number = f"{name} GLOB '*[0-9]*' AND {name} NOT GLOB '*[^0-9.eE+-]*'"
        out.append(f"({number} AND {_in(f'CAST({name} AS NUMERIC)', numbers)})")
    return out


def missing(name: str, categories: Collection[object]) -> list[str]:
    """Conditions one of which is true where a source misses its value.

    A mark of missing values may be a category.
    """
    if categories and all(isinstance(category, bool) for category in categories):
        return [_in(f"lower(trim({name}))", map(text_literal, LOWER_MARKS)), f"{name} IS NULL"]
    marks = [text_literal(mark) for mark in MARKS if mark not in categories]
    return [_in(name, marks), f"{name} IS NULL"]


def _in(name: str, written: Iterable[str]) -> str:
    written = list(written)
    return f"{name} = {written[0]}" if len(written) == 1 else f"{name} IN ({', '.join(written)})"
