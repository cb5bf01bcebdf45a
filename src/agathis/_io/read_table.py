"""Read a whole table from a file or bytes: text, compressed or not, Parquet, Arrow, Excel, JSON.

The format is detected from the first bytes, that of text also from the name. Text is opened as for
``fit_file`` (``text_layout``) and then read at once, so that errors have line numbers; Parquet and
Arrow are read as there.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, BinaryIO

from agathis._columns.errors import Advice, BadTable, Note
from agathis._io.csv_layout import assumed_encoding, marked_encoding
from agathis._io.csv_parsing import codes_in, notations, read_cells, with_numbers
from agathis._io.formats import columnar_kind, is_tsv
from agathis._io.json_rows import is_json_rows, read_json_rows
from agathis._io.spreadsheet import is_spreadsheet, read_spreadsheet
from agathis._io.stream_limits import MAX_BYTES, MAX_LINE_BYTES, read_bytes
from agathis._io.table_reader import READERS, TableReader, open_table
from agathis._io.text_layout import open_text

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a text file.

    Attributes
    ----------
    na : sequence of str
        Additional strings for missing values.
    encoding : str, optional
        UTF-8 by default; or cp1252 if it is not UTF-8, unless ``strict``.
    separator, decimal : str, optional
        Detected by default.
    strict : bool
        Whether text that is not UTF-8 is an error, if no encoding is given.
    max_line_bytes, max_bytes : int
        Limits on a line, and on a stream or the content of a gzip file: see ``stream_limits``.
    """

    na: Sequence[str] = ()
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    strict: bool = False
    max_line_bytes: int = MAX_LINE_BYTES
    max_bytes: int = MAX_BYTES


@dataclass(frozen=True)
class TableInMemory:
    """The content of a file.

    Attributes
    ----------
    table : pyarrow.Table
        With stripped names, which may have duplicates, and at least one row.
    cells : callable
        Returns the cells as written in the file.
    notes : dict of str to Note
        Columns of formatted numbers.
    doubts : list of Note
        Notes on the file.
    """

    table: pa.Table
    cells: Callable[[], pa.Table]
    notes: dict[str, Note] = field(default_factory=dict)
    doubts: list[Note] = field(default_factory=list)


def read_table(
    source: str | bytes | BinaryIO,
    reading: ReadOptions | None = None,
    as_text: Collection[str] | Callable[[list[str]], Collection[str]] = (),
    title: str | None = None,
) -> TableInMemory:
    """Read a file, or bytes.

    Parameters
    ----------
    source : str, bytes or binary file
        A path, or the content of a file.
    reading : ReadOptions, optional
    as_text : collection of str, or callable
        Columns of text files to read as strings: 01 is not 1. A function receives all column names
        and returns these.
    title : str, optional
        Name of the table in messages; by default the path.
    """
    reading = reading or ReadOptions()
    limits = {"max_line_bytes": reading.max_line_bytes, "max_bytes": reading.max_bytes}
    if isinstance(source, str):
        name, path = title or source, source
        head = _head(path)
        if head is not None and (kind := columnar_kind(head)):
            return _of_columns(_read_columnar(open_table(path, kind, title=title), name), name)
        with open(path, "rb") as file:
            data = read_bytes(file, name, encoding=reading.encoding, **limits)
    else:
        name, path = title or "the table", ""
        stream = io.BytesIO(source) if isinstance(source, bytes) else source
        data = read_bytes(stream, name, encoding=reading.encoding, **limits)
    if kind := columnar_kind(data[:8]):
        return _of_columns(_read_columnar(READERS[kind](path, name, data), name), name)
    if is_spreadsheet(data):
        return _of_columns(read_spreadsheet(data, name), name)
    if is_json_rows(data):
        return _of_columns(read_json_rows(data, name), name)
    encoding, doubts = reading.encoding, []
    if encoding is None:
        encoding = marked_encoding(data)
    if encoding is None and not reading.strict and (encoding := assumed_encoding(data)):
        other = Advice("encoding"), " says so if it is another."
        doubts = [Note((f"{name} is not UTF-8, and was read as {encoding}; ", *other), True)]
    text, layout = open_text(
        data,
        name,
        tsv=is_tsv(path),
        encoding=encoding,
        separator=reading.separator,
        decimal=reading.decimal,
    )
    layout = replace(layout, skip_rows=0)  # the text begins with the header
    if callable(as_text):
        as_text = as_text(layout.names)
    as_text = {*as_text, *codes_in(layout)}
    table = _checked(read_cells(text, layout, as_text, reading.na, name), name)
    by_index, notes = notations(table, layout, as_text)
    return TableInMemory(
        with_numbers(table, by_index),
        lambda: read_cells(text, layout, None, (), name),
        notes,
        doubts,
    )


def _of_columns(table: pa.Table, name: str) -> TableInMemory:
    table = _checked(table, name)
    return TableInMemory(table, lambda: table)


def _checked(table: pa.Table, name: str) -> pa.Table:
    if not table.num_rows:
        raise BadTable(f"{name} has names of columns and no rows.")
    return table.rename_columns([column.strip() for column in table.column_names])


def _head(path: str) -> bytes | None:
    if os.path.isdir(path):
        raise BadTable(f"{path} is a folder, not a file.")
    if not os.path.exists(path):
        raise BadTable(f"there is no file {path}.")
    if not os.path.isfile(path):
        return None  # a pipe, which can be read only once
    with open(path, "rb") as file:
        return file.read(8)


def _read_columnar(reader: TableReader, name: str) -> pa.Table:
    import pyarrow as pa

    # Columns of the pandas index are no columns to the user.
    names = [column for column in reader.names if column not in reader.index_names]
    if len(set(names)) < len(names):
        twice = next(column for column in names if names.count(column) > 1)
        raise BadTable(f"{name} has two columns of the name {twice!r}; rename one.")
    schema = pa.schema([reader.schema.field(column) for column in names])
    return pa.Table.from_batches(reader.batches(names, 1 << 16), schema)
