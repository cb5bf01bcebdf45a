"""Where a table ends: notes below it, totals rows, and subtotals among its rows.

A totals row begins with a word such as "Total" and differs from the rows: its word is where numbers
are, or it misses what they have. A word alone is not enough: its numbers must be the sums or means
of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

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


class End(NamedTuple):
    """Where a table ends.

    Attributes
    ----------
    dropped : list of int
        The positions of lines that are not rows of the table.
    left_out : tuple of LeftOut
    unsure : Row or None
        The last row, where it begins as a totals row and looks as the others do.
    """

    dropped: Sequence[int]
    left_out: tuple[LeftOut, ...]
    unsure: Row | None = None


def find_end(
    rows: Sequence[Row], start: Start, skip_footer: int | None, n_rows: int | None = None
) -> End:
    """Find the last row of a table, and the subtotals above it.

    Parameters
    ----------
    rows : sequence of Row
        The last lines of the file that are below the header and not empty, and maybe some lines
        above them.
    start : Start
    skip_footer : int, optional
        The number of lines to leave out; by default they are detected.
    n_rows : int, optional
        The number of all lines; by default that of ``rows``.
    """
    n = len(rows)
    if skip_footer is not None:
        return _end(rows, {"line": range(max(0, n - skip_footer), n)})
    if start.width < 2:
        return End((), ())
    while n and not any(text_of(cell) for cell in rows[n - 1].cells):
        n -= 1
    blank, end = range(n, len(rows)), n
    while n > 1 and end - n < MAX_NOTES and _is_note(rows, n - 1, start):
        n -= 1
    if end - n == MAX_NOTES:
        n = end
    totals = subtotals(rows[:n], start, n_rows or n)
    found = _end(rows, {"totals row": totals, "note": range(n, end), "empty line": blank})
    last = next((rows[i] for i in range(n - 1, -1, -1) if i not in totals), None)
    return found._replace(unsure=last if last and sum_word(last.cells) is not None else None)


def _end(rows: Sequence[Row], dropped: Mapping[str, Sequence[int]]) -> End:
    left_out = tuple(
        LeftOut(what, tuple(rows[i].line for i in some)) for what, some in dropped.items() if some
    )
    return End([i for some in dropped.values() for i in some], left_out)


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


def subtotals(rows: Sequence[Row], start: Start, n_rows: int) -> list[int]:
    """The positions of totals rows among some of ``n_rows`` rows, unless words are categories."""
    words = {
        i: text_of(row.cells[at])
        for i, row in enumerate(rows)
        if (at := sum_word(row.cells)) is not None
    }
    totals = {i for i in words if is_total(rows[i], start)}
    categories = {word for i, word in words.items() if i not in totals}
    out = [i for i, word in words.items() if i in totals and word not in categories]
    return out if 2 * len(out) <= n_rows else []
