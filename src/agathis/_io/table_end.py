"""Where a table ends: notes below it, totals rows, and subtotals among its rows.

A totals row begins with a word such as "Total" and differs from the rows: its word is where numbers
are, or it misses what they have. A word alone is not enough: its numbers must be the sums or means
of the rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agathis._io.cell_kinds import (
    DATE,
    EMPTY,
    MARK,
    NUMBER,
    TEXT,
    kind_of,
    sum_word,
    text_of,
)
from agathis._io.table_reading import LeftOut
from agathis._io.table_start import Row, Start

_NOTE = re.compile(
    r"(sources?|notes?|quellen?|anmerkung(en)?|hinweise?|fuentes?|notas?|fonte|stand|"
    r"(generated|exported|created|printed|erstellt|exportiert)( \w+)?|copyright|legende?)"
    r"\b.*[\s:].*"
    r"|[*†©#].*|\(c\).*|\(?\d+ (rows?|records?|zeilen|datensätze)\b.*|-{2,}.*|end of .*",
    re.IGNORECASE,
)
#: A cell is missed where at least this fraction of the rows have one.
MOSTLY = 0.8
#: At most so many lines below a table are notes.
MAX_NOTES = 50


@dataclass(frozen=True)
class End:
    """Where a table ends.

    Attributes
    ----------
    n_rows : int
        So many of the last lines belong to it.
    left_out : tuple of LeftOut
    unsure : Row or None
        The last row, where it begins as a totals row and looks as the others do.
    """

    n_rows: int
    left_out: tuple[LeftOut, ...] = ()
    unsure: Row | None = None


def find_end(rows: Sequence[Row], start: Start, skip_footer: int | None) -> End:
    """Find the last row of a table.

    Parameters
    ----------
    rows : sequence of Row
        The last lines of the file that are below the header and not empty.
    start : Start
    skip_footer : int, optional
        The number of lines to leave out; by default they are detected.
    """
    n = len(rows)
    if skip_footer is not None:
        kept = max(0, n - skip_footer)
        return End(kept, _left("line", rows[kept:]))
    if start.width < 2:
        return End(n)
    while n and not any(text_of(cell) for cell in rows[n - 1].cells):
        n -= 1
    blank, end = _left("empty line", rows[n:]), n
    while n > 1 and end - n < MAX_NOTES and _is_note(rows, n - 1, start):
        n -= 1
    if end - n == MAX_NOTES:
        n = end
    notes, end = _left("note", rows[n:end]), n
    among = set(subtotals(rows[:n], start, n))
    while n - 1 in among:
        n -= 1
    totals = _left("totals row", rows[n:end])
    last = rows[n - 1] if n else None
    unsure = last if last is not None and sum_word(last.cells) is not None else None
    return End(n, (*totals, *notes, *blank), unsure)


def _left(what: str, rows: Sequence[Row]) -> tuple[LeftOut, ...]:
    if not rows:
        return ()
    text = next((text_of(cell) for cell in rows[0].cells if text_of(cell)), "")
    return (LeftOut(what, tuple(row.line for row in rows), text[:60]),)


def _is_note(rows: Sequence[Row], at: int, start: Start) -> bool:
    """Whether a line below a table is a note: little text where rows have more cells."""
    row = rows[at]
    texts = [text_of(cell) for cell in row.cells if text_of(cell)]
    ragged = len(row.cells) != start.width
    if not texts or len(texts) > (start.width - 1 if ragged else 1) or kind_of(texts[0]) != TEXT:
        return False
    if not ragged and not text_of(row.cells[0]):
        return False
    after_gap = rows[at - 1].line + 1 < row.line
    column = start.kinds[0]
    return (
        _NOTE.fullmatch(texts[0]) is not None
        or (after_gap and len(texts) == 1)
        or (column in (NUMBER, DATE) and sum_word(row.cells) is None and " " in texts[0])
    )


def is_total(row: Row, start: Start) -> bool:
    """Whether a row is a totals row for sure: its word is where numbers are, or cells are empty."""
    at = sum_word(row.cells)
    if at is None or len(row.cells) > start.width:
        return False
    kinds = [kind_of(cell) for cell in row.cells]
    if NUMBER not in kinds:
        return False
    if start.kinds[at] in (NUMBER, DATE):
        return True
    kinds += [EMPTY] * (start.width - len(kinds))
    return any(
        kind in (EMPTY, MARK) and share >= MOSTLY
        for kind, share in zip(kinds, start.filled, strict=True)
    )


def are_sums(
    row: Sequence[float], columns: Sequence[Sequence[float]], *, or_means: bool = True
) -> bool:
    """Whether numbers are the sums, or all the means, of columns of numbers.

    ``row`` has NaN where it has no number; at least one must be known, and no trivial sum.

    >>> are_sums([6.0, math.nan], [[1.0, 2.0, 3.0], [1.0, 0.0, 0.0]])
    True
    >>> are_sums([6.0, 2.0], [[1.0, 2.0, 3.0], [1.0, 0.0, 0.0]])
    False
    """
    pairs = [
        (total, [value for value in column if not math.isnan(value)])
        for total, column in zip(row, columns, strict=True)
        if not math.isnan(total)
    ]
    if not pairs or any(sum(value != 0 for value in known) < 3 for _, known in pairs):
        return False
    sums = [math.fsum(known) for _, known in pairs]
    means = [total / len(known) for total, (_, known) in zip(sums, pairs, strict=True)]
    return any(
        all(
            math.isclose(given, expected, rel_tol=1e-6, abs_tol=0.006)
            for (given, _), expected in zip(pairs, those, strict=True)
        )
        for those in ((sums, means) if or_means else (sums,))
    )


def subtotals(rows: Sequence[Row], start: Start, n_rows: int) -> list[int]:
    """The positions of totals rows among some of ``n_rows`` rows, unless words are categories."""
    found = [i for i, row in enumerate(rows) if is_total(row, start)]
    named = [
        (i, text_of(rows[i].cells[at]))
        for i in found
        if (at := sum_word(rows[i].cells)) is not None
    ]
    totals = set(found)
    categories = {
        text_of(row.cells[at])
        for i, row in enumerate(rows)
        if i not in totals and (at := sum_word(row.cells)) is not None
    }
    out = [i for i, word in named if word not in categories]
    return out if 2 * len(out) <= n_rows else []
