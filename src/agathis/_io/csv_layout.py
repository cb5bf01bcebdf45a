"""Detect the separator, header and decimal point of a text file.

They are inferred from the first rows. Where the decimal point is ambiguous, files with semicolons
are assumed to have decimal commas.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agathis._columns.errors import BadTable
from agathis._io import cell_kinds
from agathis._io.table_reading import ReadOptions, is_separator
from agathis._io.table_start import FEW, Row, Start, find_start, usual_width
from agathis._io.tuning import SAMPLE_BYTES, SAMPLE_ROWS

SEPARATORS = (",", ";", "\t", "|")
#: Cells are separated by blanks if so many rows have as many cells, and not by other separators.
CONSISTENT = 0.9
NUMBER = {
    ",": re.compile(r"[-+]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?"),
    ".": re.compile(r"[-+]?(\d*|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?"),
}
# Spreadsheets write their separator before the header.
SEP_LINE = re.compile(rb'"?sep=([^\r\n])"?\r?\n')


@dataclass(frozen=True)
class Layout:
    """How text is divided into cells.

    Attributes
    ----------
    separator, decimal : str
    sure : bool
        Whether some cells are numbers with that decimal point only.
    start : Start
        Where the table begins.
    skip_rows : int
        The number of lines before the header, or before the rows if the names are ``given``.
    sample : list of lists of str
        The cells of the first rows.
    blanks : bool
        Whether cells were separated by blanks, which tabs replace.
    """

    separator: str
    decimal: str
    sure: bool
    start: Start = field(repr=False)
    skip_rows: int
    sample: Sequence[Sequence[str]] = field(repr=False)
    blanks: bool = False

    @property
    def header(self) -> tuple[str, ...]:
        """The names as written."""
        return self.start.names

    @property
    def given(self) -> bool:
        """Whether the header is not a line of the text as it is."""
        return not self.start.is_plain

    @property
    def names(self) -> list[str]:
        """The column names, which may have duplicates."""
        return [name.strip() for name in self.header]


def without_sep_line(data: bytes) -> tuple[bytes, str | None]:
    """Remove a first line ``sep=;`` and return the text and the separator.

    >>> without_sep_line(b"sep=;\\na;b\\n")
    (b'a;b\\n', ';')
    """
    match = SEP_LINE.match(data)
    if not match or not is_separator(match[1].decode("latin-1")):
        return data, None
    return data[match.end() :], match[1].decode()


def layout_of(
    data: bytes,
    separator: str | None,
    decimal: str | None = None,
    options: ReadOptions | None = None,
    name: str = "the table",
    before: int = 0,
) -> Layout:
    """Choose the separator that gives most rows the same number of cells; find the header.

    ``before`` is the number of lines before the text.

    >>> layout = layout_of(b"size;colour\\n1,5;red\\n2,5;blue\\n", None)
    >>> layout.separator, layout.decimal, layout.sure, layout.header, layout.skip_rows
    (';', ',', True, ('size', 'colour'), 0)
    """
    text = _sample(data)
    separator, rows = _best(text, separator)
    rows = [row._replace(line=row.line + before) for row in rows]
    start = find_start(rows, options or ReadOptions(), name)
    sample = [list(row.cells) for row in rows[start.first :]]
    sure = decimal is not None
    if decimal is None:
        decimal, sure = _decimal(sample, separator)
    if not sample and not start.is_plain:
        raise BadTable(f"{name} has names of columns and no rows.")
    skip = before if start.is_plain else rows[start.first].line - 1
    return Layout(separator, decimal, sure, start, skip, sample)


def _sample(data: bytes) -> str:
    sample = data[:SAMPLE_BYTES]
    if len(data) > len(sample):
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    # str.splitlines would also split at separators that may occur in names.
    return sample.decode("utf-8", errors="ignore").replace("\r\n", "\n").replace("\r", "\n")


def _best(text: str, separator: str | None) -> tuple[str, list[Row]]:
    """The separator that divides the text best, and the rows."""
    cells = {kind: _cells(text, kind) for kind in ([separator] if separator else SEPARATORS)}
    best = max(cells, key=lambda kind: _fit(cells[kind]))
    return best, cells[best]


def blanks_of(data: bytes) -> int | None:
    """The least number of blanks between the cells of a text; None if they have a separator.

    It is two where cells have single blanks in them.

    >>> blanks_of(b"a b\\n 1  2\\n3   4\\n5 6\\n"), blanks_of(b"a,b\\n1,2\\n")
    (1, None)
    """
    text = _sample(data)
    divided, same, *_ = _fit(_best(text, None)[1])
    if divided and same >= CONSISTENT:
        return None
    for least in (1, 2):
        rows = _cells(divide(text, least), "\t")
        divided, same, *_ = _fit(rows[1:] or rows)
        if not divided or same < CONSISTENT or len(rows) < FEW:
            continue
        start = find_start(rows, ReadOptions(), "the table")
        if cell_kinds.NUMBER in start.kinds and len(rows[0].cells) <= start.width:
            return least
    return None


def divide(text: str, least: int = 1) -> str:
    """Put a tab for each run of blanks between cells, but those in quotes.

    >>> divide('a  "b c"\\n 1 \\t2 \\n')
    'a\\t"b c"\\n1\\t2\\n'
    """
    gap = re.compile(rf'("[^"\n]*")|\t[ \t]*|[ ]{{{least},}}\t?[ \t]*')
    lines = (line.strip(" \t") for line in text.split("\n"))
    return "\n".join(gap.sub(lambda found: found[1] or "\t", line) for line in lines)


def _cells(text: str, separator: str) -> list[Row]:
    out = []
    try:
        reader = csv.reader(io.StringIO(text), delimiter=separator)
        # A cell may have several lines.
        for cells in reader:
            if cells:
                out.append(Row(reader.line_num - sum(cell.count("\n") for cell in cells), cells))
            if len(out) > SAMPLE_ROWS:
                break
    except csv.Error:
        # The reader of the file reports the error.
        pass
    return out or [Row(1, [text])]


def _fit(rows: Sequence[Row]) -> tuple[bool, float, int, int]:
    """How well rows are divided: how many have the usual width, and for how long up to the end."""
    width = usual_width(rows)
    fits = [len(row.cells) == width for row in rows]
    last = next((i for i, fit in enumerate(reversed(fits)) if not fit), len(rows))
    return width > 1, sum(fits) / len(rows), width, last


def _decimal(rows: Sequence[Sequence[str]], separator: str) -> tuple[str, bool]:
    """Return the decimal point, and whether it is unambiguous."""
    if separator == ",":
        return ".", True
    counts = {",": 0, ".": 0}
    for cell in {cell.strip() for row in rows for cell in row}:
        fits = [point for point, number in NUMBER.items() if number.fullmatch(cell)]
        if len(fits) == 1:
            counts[fits[0]] += 1
    likely = "," if separator == ";" else "."
    best = max(counts, key=lambda point: (counts[point], point == likely))
    return best, counts[best] > 0
