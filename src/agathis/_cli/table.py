"""A table from a file or from stdin: CSV and TSV, compressed or not, Parquet and Arrow.

What a file is, its first bytes tell, and only of text its name. A text is read as a whole, so that
whatever is wrong with it can be said with its line; Parquet and Arrow are read as for ``fit_file``.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agathis._cli.console import Messages, count, listed, one_line
from agathis._cli.errors import BadData, bad_data, needs
from agathis._cli.looks import MODEL, looks_like
from agathis._cli.names import apart
from agathis._cli.notation import Note, as_written, doubt
from agathis._cli.output import STDOUT
from agathis._cli.text import Layout, as_utf8, layout_of, without_sep_line

if TYPE_CHECKING:
    import pyarrow as pa

GZIP = b"\x1f\x8b"
COLUMNAR = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow", b"FEA1": "arrow"}


@dataclass(frozen=True)
class Reading:
    """How a text file is read.

    Attributes
    ----------
    na : sequence of str
        Texts that stand for missing values, besides the usual ones.
    encoding : str, optional
        By default UTF-8.
    separator, decimal : str, optional
        By default they are found.
    """

    na: Sequence[str] = ()
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None


@dataclass(frozen=True)
class Read:
    """What a file held.

    Attributes
    ----------
    table : pyarrow.Table
        Names have no space around them, and may come twice. There is at least one row.
    cells : callable
        Gives the cells as they stand in the file.
    notes : dict of str to Note
        Columns whose numbers were not written as machines write them.
    """

    table: pa.Table
    cells: Callable[[], pa.Table]
    notes: dict[str, Note] = field(default_factory=dict)

    def tell(self, columns: Iterable[str], messages: Messages) -> None:
        """Say how numbers of these columns were read."""
        alike: dict[Note, list[str]] = {}
        for column in columns:
            if column in self.notes:
                alike.setdefault(self.notes[column], []).append(one_line(column))
        for note, names in alike.items():
            tell = messages.warn if note.doubtful else messages.say
            tell(f"In {listed(names)} {note.text}.")


def read_table(path: str, reading: Reading, as_text: Collection[str] = ()) -> Read:
    """Read a file, or stdin where it is ``-``.

    ``as_text`` are columns of text files that are categories, whatever they look like: 01 is
    not 1.
    """
    needs("pyarrow", "io", "reading tables")
    name = shown(path)
    head = None if path == STDOUT else _head(path)
    if head is not None and (kind := _columnar_kind(head)):
        return Read(_checked(table := _read_columnar(path, kind), name), lambda: table)
    data = _bytes_of(path, name)
    if kind := _columnar_kind(data[:8]):
        return Read(_checked(table := _read_spooled(data, kind, name), name), lambda: table)
    data, said = without_sep_line(as_utf8(data, reading.encoding, name))
    if not data.strip():
        raise BadData(f"{name} is empty.")
    separator = reading.separator or said or ("\t" if _is_tsv(path) else None)
    layout = layout_of(data, separator, reading.decimal)
    as_text = apart(as_text, [column.strip() for column in layout.header])
    table = _checked(_read_text(data, layout, as_text, reading.na, name), name)
    table, notes = _numbers_as_written(table, layout, as_text)
    return Read(table, lambda: _read_text(data, layout, None, (), name), notes)


def _numbers_as_written(
    table: pa.Table, layout: Layout, as_text: Collection[str]
) -> tuple[pa.Table, dict[str, Note]]:
    """The table with numbers for texts that are such to people, and what to say of these."""
    from pyarrow import types

    notes = {}
    for i, name in enumerate(table.column_names):
        kind = table.column(i).type
        if name in as_text:
            continue
        if types.is_string(kind):
            found = as_written(table.column(i), layout.decimal, layout.sure)
            if found is not None:
                table = table.set_column(i, name, found[0])
                notes[name] = found[1]
        elif types.is_floating(kind) and not layout.sure:
            note = doubt([row[i] for row in layout.sample if i < len(row)], layout.decimal)
            if note is not None:
                notes[name] = note
    return table, notes


def _checked(table: pa.Table, name: str) -> pa.Table:
    if not table.num_rows:
        raise BadData(f"{name} has names of columns and no rows.")
    return table.rename_columns([column.strip() for column in table.column_names])


def shown(path: str) -> str:
    """The name of a file in messages."""
    return "standard input" if path == STDOUT else path


def _head(path: str) -> bytes | None:
    if os.path.isdir(path):
        raise BadData(f"{path} is a folder, not a file.")
    if not os.path.exists(path):
        raise BadData(f"there is no file {path}.")
    if not os.path.isfile(path):
        return None  # a pipe: what is read from it is gone
    with open(path, "rb") as file:
        return file.read(8)


def _bytes_of(path: str, name: str) -> bytes:
    if path == STDOUT:
        if sys.stdin.isatty():
            raise BadData("- is standard input, and nothing is sent to it: agathis ... < data.csv")
        # Piece by piece, by steps of Python: only between these is the keyboard noticed.
        pieces = []
        while piece := sys.stdin.buffer.read1(1 << 20):
            pieces.append(piece)
        data = b"".join(pieces)
    else:
        with open(path, "rb") as file:
            data = file.read()
    if not data:
        raise BadData(f"{name} is empty.")
    if data.startswith(GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise BadData(f"{name} is compressed by gzip, and damaged: {error}.") from error
    from agathis._tables.source import MAGIC

    if what := looks_like(data):
        takes = "; agathis show, predict and report take it" * (what == MODEL)
        raise BadData(f"{name} seems to be {what}, not a table{takes}.")
    for magic, what in MAGIC.items():
        if data.startswith(magic) and not _columnar_kind(data[:8]):
            raise BadData(f"{name} begins as {what}. Save the table as CSV or Parquet.")
    return data


def _columnar_kind(head: bytes) -> str | None:
    return next((kind for magic, kind in COLUMNAR.items() if head.startswith(magic)), None)


def _is_tsv(path: str) -> bool:
    return path.lower().removesuffix(".gz").endswith((".tsv", ".tab"))


def _read_columnar(path: str, kind: str) -> pa.Table:
    import pyarrow as pa

    from agathis._tables.source import open_source

    with bad_data():
        source = open_source(path, kind, None)
        index = (source.schema.pandas_metadata or {}).get("index_columns", [])
        # What pandas stored as its index is no column to those who wrote the file.
        names = [name for name in source.names if name not in index]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BadData(f"{path} has two columns of the name {twice!r}; rename one.")
        schema = pa.schema([source.schema.field(name) for name in names])
        return pa.Table.from_batches(source.batches(names, 1 << 16), schema)


def _read_spooled(data: bytes, kind: str, name: str) -> pa.Table:
    """What came from stdin, by way of a file: these formats are read from their end."""
    with tempfile.NamedTemporaryFile(prefix="agathis-") as file:
        file.write(data)
        file.flush()
        try:
            return _read_columnar(file.name, kind)
        except BadData as error:
            # The user knows no such file.
            said = str(error).replace(f"file {file.name!r}", name).replace(file.name, name)
            raise BadData(said) from error


def _read_text(
    data: bytes, layout: Layout, as_text: Collection[str] | None, na: Sequence[str], name: str
) -> pa.Table:
    """A table of what the cells mean; where ``as_text`` is None, of the cells themselves."""
    import pyarrow as pa
    from pyarrow import csv

    # Without the end of its line, a header alone is not taken for one.
    data += b"" if data.endswith((b"\n", b"\r")) else b"\n"
    # One thread lets pyarrow count the rows that it complains about; one block holds any row.
    read = csv.ReadOptions(use_threads=False, block_size=min(len(data), (1 << 31) - 1))
    parse = csv.ParseOptions(delimiter=layout.separator, newlines_in_values=True)
    texts = [raw for raw in layout.header if as_text is None or raw.strip() in as_text]
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(texts, pa.string()),
        null_values=[*csv.ConvertOptions().null_values, *na],
        strings_can_be_null=as_text is not None,
        decimal_point=layout.decimal,
    )
    try:
        table = csv.read_csv(pa.BufferReader(data), read, parse, convert)
    except pa.ArrowInvalid as error:
        raise BadData(f"{name}: {_explained(str(error))}") from error
    if data.count(b'"') % 2 and any(
        pa.types.is_string(column.type) and "\n" in (column[-1].as_py() or "")
        for column in table.columns
        if len(column)
    ):
        raise BadData(f"{name} has a quote that is opened and never closed.")
    return table


def _explained(text: str) -> str:
    found = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)(: .*)?", text, re.DOTALL)
    if not found:
        return text.removeprefix("CSV parse error: ")
    row, expected, got, cells = found.groups()
    cells = " ".join((cells or "").splitlines())
    return (
        f"row {row} (the header is row 1) has {count(int(got), 'cell')}, and the header has "
        f"{expected}{cells[:60]}"
    )
