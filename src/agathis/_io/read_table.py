"""Read a whole table from a file or bytes: text, compressed or not, Parquet, Arrow, Excel, JSON.

The format is detected from the first bytes, that of text also from the name. Text is opened as for
``fit_file`` (``text_layout``) and then read at once, so that errors have line numbers; Parquet and
Arrow are read as there.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, BinaryIO

from agathis._columns.errors import Advice, BadTable, Cells, Note
from agathis._io.csv_parsing import codes_in, notations, read_cells, with_numbers
from agathis._io.formats import DATA, TITLES, columnar_kind, is_tsv, looks_like
from agathis._io.json_rows import read_json_rows
from agathis._io.spreadsheet import is_spreadsheet, read_spreadsheet
from agathis._io.stream_limits import read_bytes
from agathis._io.table_of_rows import table_of_rows
from agathis._io.table_reader import READERS, TableReader, open_table
from agathis._io.table_reading import (
    TEXT,
    WHITESPACE,
    Assumption,
    ReadDecisions,
    ReadOptions,
    TableReading,
)
from agathis._io.text_encoding import assumed_encoding, marked_encoding
from agathis._io.text_end import without_end
from agathis._io.text_layout import open_text

if TYPE_CHECKING:
    import pyarrow as pa


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
    reading : TableReading
        Where the table is in the file, and how it was read.
    """

    table: pa.Table
    cells: Callable[[], pa.Table]
    notes: dict[str, Note] = field(default_factory=dict)
    reading: TableReading = field(default_factory=lambda: TableReading("table"))

    @property
    def doubts(self) -> list[Note]:
        """Notes on the file."""
        return list(self.reading.notes())


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
            return _of_columns(
                _read_columnar(open_table(path, kind, title=title), name), name, kind
            )
        with open(path, "rb") as file:
            data = read_bytes(file, name, encoding=reading.encoding, **limits)
    else:
        name, path = title or "the table", ""
        stream = io.BytesIO(source) if isinstance(source, bytes) else source
        data = read_bytes(stream, name, encoding=reading.encoding, **limits)
    if kind := columnar_kind(data[:8]):
        reading.for_file(TITLES[kind])
        return _of_columns(_read_columnar(READERS[kind](path, name, data), name), name, kind)
    if is_spreadsheet(data, path):
        return _described(*read_spreadsheet(data, name, reading), name, reading.strict)
    if looks_like(data) == DATA:
        reading.for_file("JSON")
        return _of_columns(read_json_rows(data, name), name, "json")
    return _read_text(data, name, path, reading, as_text)


def _read_text(
    data: bytes,
    name: str,
    path: str,
    options: ReadOptions,
    as_text: Collection[str] | Callable[[list[str]], Collection[str]],
) -> TableInMemory:
    options = options.for_file(TEXT)
    given = options.encoding
    assumed: tuple[Assumption, ...] = ()
    encoding = marked_encoding(data) if given is None else given
    if encoding is None and not options.strict and (encoding := assumed_encoding(data)):
        other = Advice("encoding"), " says so if it is another"
        what = f" is not UTF-8, and was read as {encoding}; "
        assumed = (Assumption((Cells(name, "The file"), what, *other), 0.8),)
    options = replace(options, encoding=encoding)
    whole, layout = open_text(data, name, tsv=is_tsv(path), options=options)
    if callable(as_text):
        as_text = as_text(layout.names)
    as_text = {*as_text, *codes_in(layout)}
    text, end = without_end(whole, layout, options.skip_footer)
    cells = _checked(read_cells(text, layout, as_text, options.na, name), name)
    by_index, notes = notations(cells, layout, as_text)
    known = ReadDecisions(
        format=TEXT,
        separator=WHITESPACE if layout.blanks else layout.separator,
        decimal=layout.decimal,
    )
    if given is not None:
        known["encoding"] = given
    kind = "text" if layout.blanks else "TSV" if layout.separator == "\t" else "CSV"
    table, used, reading = table_of_rows(
        with_numbers(cells, by_index),
        layout.start,
        end,
        options,
        1 + text.rstrip().count(b"\n"),
        TableReading(kind, encoding=encoding or "utf-8", assumptions=assumed, decided=known),
    )
    return replace(
        _described(table, reading, name, options.strict, notes),
        cells=lambda: (
            _checked(read_cells(text, layout, None, (), name), name)
            .slice(0, table.num_rows)
            .select(used)
        ),
    )


def _of_columns(table: pa.Table, name: str, kind: str) -> TableInMemory:
    return _described(_checked(table, name), TableReading(TITLES.get(kind, "JSON")), name)


def _described(
    table: pa.Table,
    reading: TableReading,
    name: str,
    strict: bool = False,
    notes: dict[str, Note] | None = None,
) -> TableInMemory:
    """The table with what is known about its columns."""
    reading = replace(reading, n_rows=table.num_rows, n_columns=table.num_columns)
    read = TableInMemory(table, lambda: table, notes or {}, reading)
    if strict and (wrong := [note for note in read.doubts if note.doubtful]):
        raise BadTable(f"{name}: ", *wrong[0].parts)
    return read


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
