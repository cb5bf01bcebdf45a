"""Leave out the lines of a text that are not rows: notes below its table, and totals rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from agathis._io.csv_layout import Layout
from agathis._io.table_end import End, find_end, subtotals
from agathis._io.table_reading import LeftOut
from agathis._io.table_start import Row, Start
from agathis._io.tuning import SAMPLE_BYTES

# First cells that may be those of a totals row.
_WORDS = re.compile(
    rb"(?im)^[;,\t| ]*\"?[^;,\t|\"\n]{0,40}"
    rb"(total|sum|gesamt|ergebnis|overall|insgesamt|somme|totale|totaal|average|avg|mean|median|"
    rb"durchschnitt|mittel|moyenne|media|promedio|gemiddelde|\xce\xa3|\xc3\x98)"
)
#: More lines with such words are not totals rows.
MANY = 10_000


def without_end(
    text: bytes, layout: Layout, skip_footer: int | None
) -> tuple[bytes, tuple[LeftOut, ...], Row | None]:
    """Cut a text after its last row, and drop totals rows among the others.

    Returns
    -------
    text : bytes
    left_out : tuple of LeftOut
    unsure : Row or None
        The last row if it may be a totals row.
    """
    start = layout.start
    assert start is not None, "the layout was detected in a text"
    end = b"\n" if b"\n" in text else b"\r"
    tail = text[-SAMPLE_BYTES:]
    at = 0 if len(tail) == len(text) else tail.find(end) + 1
    n_before = text.count(end, 0, len(text) - len(tail) + at)
    lines = tail[at:].split(end)
    if lines and not lines[-1]:
        lines.pop()
    first = max(0, layout.skip_rows + (not layout.given) - n_before)
    rows = []
    for i, line in enumerate(lines[first:], start=first):
        if line.strip():
            rows.append(Row(n_before + i + 1, _cells(line, layout.separator)))
    if not rows:
        return text, (), None
    found = find_end(rows, start, skip_footer)
    left_out = found.left_out
    if found.n_rows < len(rows):
        kept = rows[found.n_rows].line - 1 - n_before
        size = len(text) - len(tail) + at + sum(len(line) + len(end) for line in lines[:kept])
        if text.count(b'"', 0, size) % 2:  # the lines are in a cell with quotes
            found, left_out = End(len(rows)), ()
        else:
            text = text[:size]
    if skip_footer is None:
        text, among = _without_subtotals(text, layout, start, end)
        left_out = (*among, *left_out)
    return text, left_out, found.unsure


def _cells(line: bytes, separator: str) -> list[str]:
    try:
        text = line.decode("utf-8", errors="replace").rstrip("\r")
        return next(csv.reader(io.StringIO(text), delimiter=separator), [])
    except csv.Error:
        return []  # a row, as it is no note; the reader of the file reports the error


def _without_subtotals(
    text: bytes, layout: Layout, start: Start, end: bytes
) -> tuple[bytes, tuple[LeftOut, ...]]:
    if end != b"\n" or start.width < 2:
        return text, ()
    places: list[tuple[int, int]] = []
    for match in _WORDS.finditer(text):
        stop = text.find(end, match.start())
        places.append((match.start(), len(text) if stop < 0 else stop + 1))
        if len(places) > MANY:
            return text, ()
    numbered = _numbers_of(text, [place for place, _ in places])
    rows = [
        Row(number, _cells(text[a:b].rstrip(b"\r\n"), layout.separator))
        for number, (a, b) in zip(numbered, places, strict=True)
    ]
    n_rows = text.count(end)
    above = layout.skip_rows + (not layout.given)
    found = [
        i
        for i in subtotals(rows, start, n_rows)
        if rows[i].line > above and not text.count(b'"', 0, places[i][0]) % 2
    ]
    if not found:
        return text, ()
    pieces, done = [], 0
    for i in found:
        a, b = places[i]
        pieces.append(text[done:a])
        done = b
    shown = str(next(cell for cell in rows[found[0]].cells if cell.strip())).strip()
    lines = tuple(rows[i].line for i in found)
    return b"".join([*pieces, text[done:]]), (LeftOut("totals row", lines, shown[:60]),)


def _numbers_of(text: bytes, places: Sequence[int]) -> list[int]:
    """The line numbers of ascending positions."""
    out, line, done = [], 1, 0
    for place in places:
        line += text.count(b"\n", done, place)
        done = place
        out.append(line)
    return out
