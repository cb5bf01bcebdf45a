"""Read the first sheet of an Excel file: names in the first non-empty row, then rows.

Cells have types, so that numbers, booleans and dates need no parsing; columns that mix them with
strings become strings.
"""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

from agathis._columns.arrow_values import of_cells
from agathis._columns.errors import BadTable
from agathis._utils.extras import needed

if TYPE_CHECKING:
    import pyarrow as pa

ZIP = b"PK\x03\x04"


def is_spreadsheet(data: bytes) -> bool:
    """Whether bytes are those of an Excel file (.xlsx)."""
    if not data.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def read_spreadsheet(data: bytes, name: str) -> pa.Table:
    """Read the first sheet as a table."""
    openpyxl = needed("openpyxl", "excel", "an Excel file")
    import pyarrow as pa

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # the declared dimensions may be wrong
        rows = [row for row in sheet.iter_rows(values_only=True) if any(map(_is_filled, row))]
    except (KeyError, ValueError, IndexError, zipfile.BadZipFile, SyntaxError) as error:
        raise BadTable(f"{name} is an Excel file that cannot be read: {error}.") from error
    if not rows:
        raise BadTable(f"{name} has no cells in its first sheet.")
    width = max(len(row) for row in rows)
    rows = [(*row, *[None] * (width - len(row))) for row in rows]
    used = [i for i in range(width) if any(_is_filled(row[i]) for row in rows)]
    head, *body = rows
    names = ["" if head[i] is None else str(head[i]).strip() for i in used]
    return pa.Table.from_arrays([of_cells([row[i] for row in body]) for i in used], names=names)


def _is_filled(cell: Any) -> bool:
    return cell is not None and cell != ""
