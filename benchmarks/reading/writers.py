"""Write tables as programs and people write them: text of any layout, and spreadsheets."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd


def cells_of(
    table: pd.DataFrame, decimal: str = ".", dates: str = "%Y-%m-%d", missing: str = ""
) -> pd.DataFrame:
    """The table as strings."""

    def cell(value: object) -> str:
        if pd.isna(value):
            return missing
        if isinstance(value, (pd.Timestamp, datetime.date)):
            return value.strftime(dates)
        if isinstance(value, (bool, np.bool_)):
            return str(value)
        if isinstance(value, (float, np.floating)):
            text = str(int(value)) if float(value).is_integer() else repr(float(value))
            return text.replace(".", decimal)
        return str(value)

    return pd.DataFrame({name: [cell(one) for one in table[name]] for name in table})


def write_text(
    path: Path,
    cells: pd.DataFrame,
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    header: bool = True,
    empty_columns: int = 0,
) -> None:
    """Write a table of strings with lines before and after it, and empty columns to its left."""
    lines = (
        [list(cells), *cells.itertuples(index=False)] if header else cells.itertuples(index=False)
    )
    text = [separator * empty_columns + joined(line, separator) for line in lines]
    content = "\n".join([*before, *text, *after]) + "\n"
    path.write_bytes(content.encode(encoding))


def joined(line: Sequence[str], separator: str) -> str:
    """A line, with the quotes that it needs."""
    risky = {'"', *separator.strip(" ")}

    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if risky & {*cell} else cell

    return separator.join(quoted(cell) for cell in line)


def rows_of(table: pd.DataFrame) -> list[list[object]]:
    """The names of the columns and the rows, as a spreadsheet takes them."""

    def cell(value: object) -> object:
        if pd.isna(value):
            return None
        if isinstance(value, pd.Timestamp):
            return value.to_pydatetime()
        return value.item() if isinstance(value, np.generic) else value

    return [list(table), *([cell(one) for one in row] for row in table.itertuples(index=False))]


def write_sheets(
    path: Path,
    sheets: dict[str, list[list[object]]],
    *,
    merged: Sequence[str] = (),
    active: int = 0,
) -> None:
    """Write a workbook: the rows of each sheet, and ranges of the first that are merged.

    Cells of ``#...!`` are errors, as a spreadsheet stores them.
    """
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        for line in sheet.iter_rows():
            for cell in line:
                if isinstance(cell.value, str) and cell.value in ("#DIV/0!", "#N/A", "#REF!"):
                    cell.data_type = "e"
    for area in merged:
        book.worksheets[0].merge_cells(area)
    book.active = active
    book.save(path)
