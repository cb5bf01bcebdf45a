"""Doubts on the values of a column: hardly any, missing ones as numbers, several rows of one."""

from __future__ import annotations

import re

import numpy as np

from agathis._columns import identifiers
from agathis._columns.column_facts import ColumnFacts
from agathis._columns.errors import Advice, Cells, Note
from agathis._columns.number_notation import is_mark
from agathis._columns.wording import count, shortened, title_of

#: Of fewer values in this many rows nothing can be said.
HARDLY_ANY, MANY_ROWS = 0.03, 50
#: Numbers that often stand for missing values.
SENTINELS = (-1.0, -9.0, *(float(f"-{d * n}") for d in "89" for n in range(2, 7)))
HIGH_SENTINELS = tuple(-one for one in SENTINELS if one <= -88)
#: A number and a unit, a second number may follow; digits are replaced by 0.
MEASURE = re.compile(r"[~<>]? ?[^\w\s-]?0 ?[^\d/_:.,-]{1,15}(?:0[^\d/_:.,-]{0,15})?")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
#: So many forms of numbers with units are one column of measures.
SOME_FORMS = 3


def doubts_on_sparse(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on a column with hardly any value."""
    n_known = facts.n_rows - facts.n_missing
    if facts.n_rows < MANY_ROWS or n_known >= HARDLY_ANY * facts.n_rows:
        return ()
    text = f"{title_of(name)} has a value in {n_known} of {facts.n_rows:,} rows: "
    return (Note((text, Advice("keep", (name,)), " uses it all the same."), doubtful=True),)


def doubts_on_number(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on a number that may stand for a missing value, such as -999 or 9999.

    A large one must be far above all others.
    """
    known = facts.numbers
    if not len(known):
        return ()
    low, high = known.min(), known.max()
    if high in HIGH_SENTINELS:
        others = known[known < high]
        n = len(known) - len(others)
        if 2 <= n < len(others) and high - others.max() > np.ptp(others) / 2:
            text = f"{title_of(name)} has {high:g} in {n} rows, far above all other numbers: "
            advice = Advice("na", f"{high:.0f}")
            return (Note((text, advice, " treats it as missing."), doubtful=True),)
    if low not in SENTINELS:
        return ()
    n = int(np.count_nonzero(known == low))
    if n < 2 or known[known > low].min(initial=np.inf) < 0 or n == len(known):
        return ()
    text = f"{title_of(name)} has {low:g} in {count(n, 'row')}, and otherwise no negative number: "
    advice = Advice("na", f"{low:g}")
    return (Note((text, advice, " treats it as missing."), doubtful=True),)


def doubts_on_repeats(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on a table with several rows for each customer."""
    known = facts.n_rows - facts.n_missing
    if not identifiers.names_who(name) or facts.n_different > known / 2:
        return ()
    rows = f"{known:,} {'sampled rows' if facts.rows is not None else 'rows'}"
    text = (
        f"{title_of(name)} has {facts.n_different:,} different values in {rows}: groups are of "
        "rows, such as purchases or visits. To group what it names, make one row of each first."
    )
    return (Note((text,), doubtful=True),)


def doubts_on_measures(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on strings that are numbers with an unknown unit, such as "5 furlongs"."""
    if identifiers.is_identifier_name(name) or identifiers.ID_NAME.fullmatch(name):
        return ()
    values = [value for value in facts.some if not is_mark(value)]
    forms = {_DIGITS.sub("0", " ".join(value.split())) for value in values}
    if len(values) <= identifiers.FEW or len(forms) > SOME_FORMS:
        return ()
    if not all(MEASURE.fullmatch(form) for form in forms):
        return ()
    text = f"{title_of(name)} has numbers with other signs"
    such = Cells(f", such as {shortened(values[0], 30)!r}", "")
    return (Note((text, such, ", and is not used as numbers: write numbers alone."), True),)


def doubts_on_marks(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on signs among categories that may stand for a missing value, such as "?".

    Words such as "unknown" may be answers.
    """
    marks = [one for one in facts.some if is_mark(one) and sum(map(str.isalpha, one)) < 3]
    if not marks:
        return ()
    text = f"{title_of(name)} has "
    shown = Cells(repr(marks[0]), "a sign for a missing value")
    advice = Advice("na", marks[0])
    return (Note((text, shown, " as a category: ", advice, " treats it as missing."), True),)
