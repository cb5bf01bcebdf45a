"""Notes on the columns of a table: which are categories, which are left out, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agathis._columns.errors import Advice, Cells, Note
from agathis._columns.number_notation import is_mark
from agathis._columns.wording import count, listed, some, title_of
from agathis._encoding.column_roles import (
    CALENDAR,
    CODE,
    CONSTANT,
    DATES,
    EMPTY,
    FREE_TEXT,
    IDENTIFIER,
    KEEP,
    MANY,
    NO_NAME,
    OTHER_TYPE,
    OWN_TEXT,
    PARTS,
    SPARSE,
    TWICE,
    ColumnType,
    examples,
)

#: A column name that looks like a value; years and other integers are common column names.
A_VALUE = re.compile(r"[-+]?\d+[.,]\d+(e[-+]?\d+)?|-\d+", re.IGNORECASE)
#: Reasons for leaving out several columns.
PLURALS = {
    NO_NAME: "they have no name",
    EMPTY: "they are empty",
    TWICE: TWICE,
    IDENTIFIER: "they look like identifiers",
    DATES: "they hold dates or times",
    CALENDAR: "they are parts of dates or times",
    CODE: "they hold codes, not quantities",
    FREE_TEXT: "they are free text",
    OWN_TEXT: "nearly all their values are unique",
    MANY: "they have too many distinct values",
    OTHER_TYPE: "they are neither numbers nor text",
    CONSTANT: "their value is always",
    SPARSE: "nearly all their values are missing",
}


def notes_on(column_types: Sequence[ColumnType]) -> list[Note]:
    """Return notes on categorical columns and on those that are left out."""
    out = []
    numbers = [v.name for v in column_types if A_VALUE.fullmatch(v.name.strip())]
    if numbers:
        what = "is a column name" if len(numbers) == 1 else "are column names"
        text = f"{listed(map(title_of, numbers))} {what}: is the first row a header?"
        out.append(Note((text,), doubtful=True))
    used = [column_type for column_type in column_types if not column_type.shown]
    listings = {
        "Categories": [f"{title_of(v.name)} ({_values(v)})" for v in used if v.kind == "category"],
        "Ordered": [
            f"{title_of(v.name)} ({' < '.join(map(str, v.categories))})"
            for v in used
            if v.kind == "ordered"
        ],
        "Parts of dates": [
            f"{title_of(v.name)} ({listed(v.parts)})"
            for v in used
            if v.kind in ("date", "calendar")
        ],
        "Display only": [title_of(v.name) for v in column_types if v.shown and v.kind != "out"],
    }
    out += [Note((f"{what}: {listed(names)}.",)) for what, names in listings.items() if names]
    for column_type in column_types:
        out += column_type.doubts
        if column_type.na_values:
            others = Cells(examples(list(column_type.na_values)), "other values")
            what = "levels" if column_type.kind == "ordered" else "numbers"
            text = f"{title_of(column_type.name)} has {what}, and also "
            doubtful = not all(map(is_mark, column_type.na_values))
            out.append(Note((text, others, ", which are treated as missing."), doubtful))
        if column_type.spellings:
            same: dict[str, list[str]] = {}
            for spelling, value in column_type.spellings.items():
                same.setdefault(value, []).append(spelling)
            shown = (f"{value!r} ({examples(others)})" for value, others in same.items())
            cells = Cells(some(shown, 3), count(len(same), "value"))
            text = f"{title_of(column_type.name)}: spellings of one value are merged: "
            out.append(Note((text, cells, ".")))
    reasons: dict[tuple[str, str], list[str]] = {}
    for column_type in column_types:
        if column_type.kind == "out":
            reasons.setdefault((column_type.why, column_type.way), []).append(column_type.name)
    for (why, way), names in reasons.items():
        left = f"Left out: {listed(map(title_of, names))}: {reason(why, len(names))}"
        them = "it" if len(names) == 1 else "them"
        options: dict[str, tuple[object, ...]] = {
            KEEP: (" (", Advice("keep", tuple(names)), f" keeps {them})"),
            PARTS: (" (", Advice("dates", "parts"), f" encodes parts of {them})"),
        }
        out.append(Note((left, *options.get(way, ()), ".")))
    return out


def reason(why: str, n: int) -> str:
    """Return the plural of a reason for leaving out columns.

    >>> reason("its value is always 4", 2)
    'their value is always 4'
    """
    if n == 1:
        return why
    one = next(one for one in PLURALS if why.startswith(one))
    return PLURALS[one] + why.removeprefix(one)


def _values(column_type: ColumnType) -> str:
    known = sum(category is not None for category in column_type.categories)
    more = f" and {count(column_type.n_other, 'other')}" if column_type.n_other else ""
    return f"{count(known, 'value')}{more}"
