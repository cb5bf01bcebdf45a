"""Read a sheet of an Excel file: the one that looks like a table, or the one that is named.

Cells have types, so that numbers, booleans and dates need no parsing; columns that mix them with
strings become strings. Where the table is in its sheet, ``table_start`` and ``table_end`` find.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agathis._columns.arrow_values import of_cells
from agathis._columns.errors import Advice, BadTable
from agathis._columns.wording import listed
from agathis._io.cell_kinds import DATE, NUMBER, text_of
from agathis._io.stream_limits import MAX_BYTES
from agathis._io.table_end import find_end
from agathis._io.table_of_rows import table_of_rows
from agathis._io.table_reading import EXCEL, Assumption, ReadDecisions, ReadOptions, TableReading
from agathis._io.table_start import FEW, Row, Start, find_start
from agathis._utils.extras import needed

if TYPE_CHECKING:
    import pyarrow as pa

ZIP = b"PK\x03\x04"
NAMES = (".xlsx", ".xlsm")
#: So many rows tell whether a sheet looks like a table.
SEEN = 200
#: What damaged files make openpyxl raise.
_FAULTS = (
    KeyError, ValueError, IndexError, TypeError, AttributeError, EOFError, OSError, OverflowError,
    NotImplementedError, zipfile.BadZipFile, zlib.error, SyntaxError,
)  # fmt: skip


def is_spreadsheet(data: bytes, path: str = "") -> bool:
    """Whether bytes are those of an Excel file, maybe damaged."""
    if not data.startswith(ZIP):
        return path.lower().endswith(NAMES)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except _FAULTS:
        return b"xl/" in data or path.lower().endswith(NAMES)


def read_spreadsheet(data: bytes, name: str, options: ReadOptions) -> tuple[pa.Table, TableReading]:
    """Read a sheet as a table."""
    openpyxl = needed("openpyxl", "excel", "an Excel file")
    options = options.for_file(EXCEL)
    if not data.startswith(ZIP):
        raise BadTable(f"{name} is named as an Excel file, and is none.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if size > min(options.max_bytes, MAX_BYTES):
            raise BadTable(
                f"{name} has more than {options.max_bytes:,} bytes when decompressed. ",
                Advice("max_bytes"),
                " raises the limit.",
            )
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = {
            sheet.title: sheet
            for sheet in book.worksheets
            if sheet.sheet_state == "visible" or sheet.title == options.sheet
        }
        title, assumptions = _chosen(sheets, options, name)
        rows = list(_rows(sheets[title]))
    except BadTable:
        raise
    except _FAULTS as error:
        raise BadTable(f"{name} is an Excel file that cannot be read: {error}.") from error
    if not rows:
        raise BadTable(f"{name} has no cells in its sheet {title!r}.")
    return _table(rows, options, name, title if len(sheets) > 1 else None, assumptions)


def _rows(sheet: Any, most: int | None = None) -> Iterator[Row]:
    sheet.reset_dimensions()  # the declared dimensions may be wrong
    for line, cells in enumerate(sheet.iter_rows(max_row=most, values_only=True), start=1):
        if any(text_of(cell) for cell in cells):
            yield Row(line, cells)


def _chosen(
    sheets: Mapping[str, Any], options: ReadOptions, name: str
) -> tuple[str, tuple[Assumption, ...]]:
    """The sheet that is named, or the only one that looks like a table."""
    shown = listed(map(repr, sheets))
    if options.sheet is not None:
        if options.sheet not in sheets:
            raise BadTable(
                f"{name} has no sheet {options.sheet!r}; it has {shown}: ",
                Advice("sheet"),
                " is one of them.",
            )
        return options.sheet, ()
    if not sheets:
        raise BadTable(f"{name} has no sheet that is not hidden; ", Advice("sheet"), " names one.")
    if len(sheets) == 1:
        return next(iter(sheets)), ()
    tables = {title: list(_rows(sheet, SEEN)) for title, sheet in sheets.items()}
    starts = {title: start for title, rows in tables.items() if (start := _looks_like_table(rows))}
    names = {title: {text_of(one) for one in start.names} for title, start in starts.items()}
    likely = [
        title
        for title in starts
        if not any(_explains(tables[title], starts[title], names[o]) for o in names if o != title)
    ]
    with_numbers = [title for title in likely if {NUMBER, DATE} & set(starts[title].kinds)]
    likely = with_numbers or likely
    if len(likely) != 1:
        several = f"{listed(map(repr, likely))} look like tables" if likely else "none is a table"
        raise BadTable(f"{name} has the sheets {shown}, and {several}: ", Advice("sheet"),
                       " names the one to read.")  # fmt: skip
    what = f"Sheet {likely[0]!r} was read, as it looks like a table, of {shown}; "
    return likely[0], (Assumption((what, Advice("sheet"), " is another"), 0.9),)


def _looks_like_table(rows: Sequence[Row]) -> Start | None:
    """Where the table of a sheet begins; None if it has less than three rows or two columns."""
    if len(rows) <= FEW:
        return None
    try:
        rows = _used(rows)
        start = find_start(rows, ReadOptions(), "the sheet")
    except BadTable:  # which line has the names is not clear; they may be those of a table
        return Start(("",) * len(rows[0].cells), (), 0, None, (NUMBER,), (1.0,))
    return start if start.width > 1 and len(rows) - start.first >= FEW else None


def _explains(rows: Sequence[Row], start: Start, names: set[str]) -> bool:
    """Whether a sheet explains the columns of another: their names are its cells."""
    body = rows[start.first :]
    known = {text_of(cell) for row in body for cell in row.cells} & names - {""}
    return len(known) >= max(2, 0.5 * min(len(names), len(body)))


def _used(rows: Sequence[Row]) -> list[Row]:
    """The rows with the columns that have cells."""
    width = max(len(row.cells) for row in rows)
    full = [(*row.cells, *[None] * (width - len(row.cells))) for row in rows]
    used = [j for j in range(width) if any(text_of(cells[j]) for cells in full)]
    return [Row(row.line, [cells[j] for j in used]) for row, cells in zip(rows, full, strict=True)]


def _table(
    rows: list[Row],
    options: ReadOptions,
    name: str,
    sheet: str | None,
    assumptions: tuple[Assumption, ...],
) -> tuple[pa.Table, TableReading]:
    import pyarrow as pa

    rows = _used(rows)
    start = find_start(rows, options, name)
    body = rows[start.first :]
    end = find_end(body, start, options.skip_footer)
    dropped = set(end.dropped)
    body = [row for i, row in enumerate(body) if i not in dropped]
    if not body:
        raise BadTable(f"{name} has names of columns and no rows.")
    marks = {*options.na}
    columns = [
        of_cells([None if text_of(row.cells[j]) in marks else row.cells[j] for row in body])
        for j in range(start.width)
    ]
    table = pa.Table.from_arrays(columns, names=[one.strip() for one in start.names])
    known = ReadDecisions(format=EXCEL)
    if sheet is not None:
        known["sheet"] = sheet
    reading = TableReading("Excel", sheet=sheet, assumptions=assumptions, decided=known)
    line = body[-1].line
    table, _, reading = table_of_rows(table, start, end, options, line, reading)
    return table, reading
