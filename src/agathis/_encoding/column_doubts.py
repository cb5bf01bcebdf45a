"""Doubts on the values of a column: hardly any, missing ones as numbers, several rows of one."""

from __future__ import annotations

import numpy as np

from agathis._columns import identifiers
from agathis._columns.column_facts import ColumnFacts
from agathis._columns.errors import Advice, Note
from agathis._columns.wording import count, title_of

#: Of fewer values in this many rows nothing can be said.
HARDLY_ANY, MANY_ROWS = 0.03, 50
#: Numbers that often stand for missing values.
SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0)


def doubts_on_sparse(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on a column with hardly any value."""
    n_known = facts.n_rows - facts.n_missing
    if facts.n_rows < MANY_ROWS or n_known >= HARDLY_ANY * facts.n_rows:
        return ()
    text = f"{title_of(name)} has a value in {n_known} of {facts.n_rows:,} rows: "
    return (Note((text, Advice("keep", (name,)), " uses it all the same."), doubtful=True),)


def doubts_on_number(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on a number that may stand for a missing value, such as -999."""
    known = facts.numbers
    if not len(known) or (low := known.min()) not in SENTINELS:
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
