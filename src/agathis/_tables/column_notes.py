"""What to say of the columns of a table: which are categories, which are left out, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agathis._tables.column_verdicts import (
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
    TWICE,
    Verdict,
    examples,
)
from agathis._tables.errors import Advice, Note
from agathis._tables.wording import count, listed, title_of

#: A name that is rather a value: years and other whole numbers are names as well.
A_VALUE = re.compile(r"[-+]?\d+[.,]\d+(e[-+]?\d+)?|-\d+", re.IGNORECASE)
#: Why several columns are left out.
PLURALS = {
    NO_NAME: "they have no name",
    EMPTY: "they are empty",
    TWICE: TWICE,
    IDENTIFIER: "they look like identifiers",
    DATES: "they hold dates or times",
    CALENDAR: "they say when, not what",
    CODE: "they hold codes, not quantities",
    FREE_TEXT: "they are free text, of many words",
    OWN_TEXT: "nearly each row has its own text in them",
    MANY: "they have too many different texts",
    OTHER_TYPE: "they are neither numbers nor text",
    CONSTANT: "their value is always",
}


def notes_on(verdicts: Sequence[Verdict]) -> list[Note]:
    """What to say of columns that became categories, and of those that are left out."""
    out = []
    numbers = [verdict.name for verdict in verdicts if A_VALUE.fullmatch(verdict.name.strip())]
    if numbers:
        what = "is the name of a column" if len(numbers) == 1 else "are names of columns"
        text = f"{listed(map(title_of, numbers))} {what}: is the first row one of values?"
        out.append(Note((text,), doubtful=True))
    categories = [
        f"{title_of(verdict.name)} ({_values(verdict)})"
        for verdict in verdicts
        if verdict.kind == "category" and not verdict.shown
    ]
    if categories:
        out.append(Note((f"Categories: {listed(categories)}.",)))
    parts = [
        f"{title_of(verdict.name)} ({listed(verdict.parts)})"
        for verdict in verdicts
        if verdict.kind in ("date", "calendar") and not verdict.shown
    ]
    if parts:
        out.append(Note((f"Parts of dates: {listed(parts)}.",)))
    shown = [title_of(v.name) for v in verdicts if v.shown and v.kind != "out"]
    if shown:
        out.append(Note((f"Only shown: {listed(shown)}.",)))
    for verdict in verdicts:
        if verdict.gaps:
            text = f"{title_of(verdict.name)} has numbers, and also {examples(list(verdict.gaps))}"
            out.append(Note((text, ": these are taken for missing values."), doubtful=True))
    reasons: dict[tuple[str, str], list[str]] = {}
    for verdict in verdicts:
        if verdict.kind == "out":
            reasons.setdefault((verdict.why, verdict.way), []).append(verdict.name)
    for (why, way), names in reasons.items():
        left = f"Left out: {listed(map(title_of, names))}: {reason(why, len(names))}"
        parts_of: list[object] = [left]
        them = "it" if len(names) == 1 else "them"
        if way == KEEP:
            parts_of += [" (", Advice("keep", tuple(names)), f" keeps {them})"]
        elif way == PARTS:
            parts_of += [" (", Advice("dates", "parts"), f" makes parts of {them})"]
        out.append(Note((*parts_of, ".")))
    return out


def reason(why: str, n: int) -> str:
    """Why so many columns are left out.

    >>> reason("its value is always 4", 2)
    'their value is always 4'
    """
    if n == 1:
        return why
    one = next(one for one in PLURALS if why.startswith(one))
    return PLURALS[one] + why.removeprefix(one)


def _values(verdict: Verdict) -> str:
    known = sum(category is not None for category in verdict.categories)
    more = f" and {count(verdict.n_other, 'other')}" if verdict.n_other else ""
    return f"{count(known, 'value')}{more}"
