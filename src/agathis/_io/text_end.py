"""Leave out the lines of a text that are not rows: notes below its table, and totals rows."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice

from agathis._io.cell_kinds import SUMS
from agathis._io.csv_layout import Layout
from agathis._io.table_end import End, find_end
from agathis._io.table_start import Row
from agathis._io.tuning import SAMPLE_BYTES

# First cells that may be those of a totals row.
_WORDS = re.compile(rf'(?im)^[;,\t| ]*"?[^;,\t|"\n]{{0,40}}({SUMS}|ergebnis)'.encode())
#: More lines with such words are not totals rows.
MANY = 10_000


def without_end(text: bytes, layout: Layout, skip_footer: int | None) -> tuple[bytes, End]:
    """Cut a text after its last row, and drop totals rows among the others."""
    rows, spans, n_lines = _candidates(text, layout)
    end = find_end(rows, layout.start, skip_footer, n_lines)
    pieces, done = [], 0
    for i in sorted(end.dropped):
        pieces.append(text[done : spans[i][0]])
        done = spans[i][1]
    return b"".join([*pieces, text[done:]]), end


def _candidates(text: bytes, layout: Layout) -> tuple[list[Row], list[tuple[int, int]], int]:
    """The last lines and those with the word of a totals row, their positions, and all lines."""
    end = b"\n" if b"\n" in text else b"\r"
    tail = text.rfind(end, 0, max(0, len(text) - SAMPLE_BYTES)) + 1
    starts = [found.start() for found in islice(_WORDS.finditer(text, 0, tail), MANY + 1)]
    if len(starts) > MANY:
        starts = []
    while tail < len(text):
        starts.append(tail)
        tail = text.find(end, tail) + 1 or len(text)
    rows: list[Row] = []
    spans: list[tuple[int, int]] = []
    blank: int | None = None
    number, n_quotes, done = 1, 0, 0
    for at in starts:
        number += text.count(end, done, at)
        n_quotes += text.count(b'"', done, at)
        done, stop = at, text.find(end, at) + 1 or len(text)
        line = text[at:stop]
        if number <= layout.skip_rows + (not layout.given):
            continue
        if not line.strip():
            blank = at if blank is None else blank
            continue
        # A line within quotes is part of a row.
        in_cell = n_quotes % 2 or line.count(b'"') % 2
        cells = [] if in_cell else _cells(line, layout.separator)
        rows.append(Row(number, cells or ['"'] * layout.start.width))
        # Blank lines belong to the line after them.
        spans.append((at if blank is None else blank, stop))
        blank = None
    if spans and blank is not None:
        spans[-1] = (spans[-1][0], len(text))
    return rows, spans, number


def _cells(line: bytes, separator: str) -> list[str]:
    try:
        text = line.decode("utf-8", errors="replace").rstrip("\r\n")
        return next(csv.reader(io.StringIO(text), delimiter=separator), [])
    except csv.Error:
        return []  # the reader of the file reports the error
