"""Read text files of any size block by block, with types inferred from the first block.

They are opened like whole texts (``text_layout``) and read in bounded memory.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agathis._columns.arrow_values import different, numbers_of_strings
from agathis._columns.errors import BadTable
from agathis._columns.number_notation import Notation
from agathis._io.csv_parsing import (
    OPEN_QUOTE,
    codes_in,
    csv_options,
    ends_in_lines,
    explained,
    notations,
)
from agathis._io.formats import GZIP, TITLES, begins_as, columnar_kind
from agathis._io.table_reader import TableReader
from agathis._io.table_reading import ReadOptions
from agathis._io.text_encoding import marked_encoding
from agathis._io.text_layout import open_text
from agathis._io.tuning import CSV_BYTES, SAMPLE_BYTES

if TYPE_CHECKING:
    import pyarrow as pa


class _Watched(io.RawIOBase):
    """A stream that passes each piece to a function as it is read."""

    def __init__(self, file: pa.NativeFile, show: Callable[[bytes], object]) -> None:
        self.file, self.show = file, show

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        piece = self.file.read(size if size >= 0 else None)
        self.show(piece)
        return piece


class CsvReader(TableReader):
    """Table reader of a text file.

    Parameters
    ----------
    path : str
    kind : {"csv", "tsv"}
    delimiter, decimal : str, optional
        Detected from the first rows by default.
    encoding : str, optional
        UTF-8 by default.

    Attributes
    ----------
    notations : dict of str to Notation
        Notations of string columns that hold formatted numbers.
    notes : dict of str to Note
        Notes on the numbers of columns.
    """

    def __init__(
        self,
        path: str,
        kind: str,
        delimiter: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
    ) -> None:
        import pyarrow as pa

        super().__init__(path)
        self.title = TITLES[kind]
        with self.faults():
            # From the first bytes, as file names are unreliable.
            self.compression = "gzip" if self._bytes(0, len(GZIP)) == GZIP else None
            with pa.input_stream(path, self.compression) as file:
                head = file.read(SAMPLE_BYTES + 1)
        if encoding is None:
            encoding = marked_encoding(head)
        self.encoding = encoding
        if columnar_kind(head):
            raise self.fault(f"it begins as {begins_as(head)}.")
        text, self.layout = open_text(
            head,
            self.shown,
            whole=len(head) <= SAMPLE_BYTES,
            tsv=kind == "tsv",
            options=ReadOptions(encoding=encoding, separator=delimiter, decimal=decimal),
        )
        self.hint = _delimiter_hint(text, self.layout.separator)
        self._learn()

    def _learn(self) -> None:
        """Infer column types from the first block."""
        import pyarrow as pa

        self.names = self.layout.names
        codes = codes_in(self.layout)
        as_text = {raw: pa.string() for raw in self.layout.header if raw.strip() in codes}
        with self.faults(self._explain), self._open(types=as_text) as reader:
            types = reader.schema
            self.names = [name.strip() for name in types.names]
            first = next(iter(reader), None)
        # As pyarrow names the columns; duplicates are not read.
        self.raw = dict(zip(self.names, types.names, strict=True))
        self.first = None if first is None else self._named(first, self.names)
        self.notations: dict[str, Notation] = {}
        if self.first is not None:
            by_index, self.notes = notations(self.first, self.layout, codes)
            single = [i for i in by_index if self.names.count(self.names[i]) == 1]
            self.notations = {self.names[i]: by_index[i] for i in single}
        # A later block may turn integers into floats, or missing values into numbers.
        turned = {pa.int64(): pa.float64(), pa.null(): pa.float64()}
        self.schema = pa.schema(
            [
                (name, pa.float64() if name in self.notations else turned.get(kind, kind))
                for name, kind in zip(self.names, types.types, strict=True)
            ]
        )
        if self.first is not None:
            self.first = self._as_numbers(self.first, 0)

    @staticmethod
    def _named(batch: pa.RecordBatch, names: list[str]) -> pa.RecordBatch:
        import pyarrow as pa

        return pa.RecordBatch.from_arrays(batch.columns, names=names)

    @contextmanager
    def _open(
        self,
        names: list[str] | None = None,
        types: dict[str, pa.DataType] | None = None,
    ) -> Iterator[pa.RecordBatchReader]:
        import pyarrow as pa
        from pyarrow import csv

        if names is not None:
            types = {
                self.raw[name]: pa.string()
                if name in self.notations
                else self.schema.field(name).type
                for name in names
            }
        options = csv_options(
            self.layout,
            CSV_BYTES,
            encoding=self.encoding or "utf8",
            types=types,
            names=None if names is None else [self.raw[name] for name in names],
        )
        with pa.input_stream(self.path, self.compression) as file:
            self.quotes = 0
            watched = _Watched(file, self._count_quotes)
            with csv.open_csv(pa.PythonFile(watched, "r"), *options) as reader:
                yield reader

    def _count_quotes(self, piece: bytes) -> None:
        self.quotes += piece.count(b'"')

    def head(self, names: list[str]) -> pa.RecordBatch | None:
        return None if self.first is None else self.first.select(names)

    def batches(self, names: list[str], rows: int) -> Generator[pa.RecordBatch, None, None]:
        done = 0
        with self.faults(self._explain), self._open(names) as reader:
            for batch in reader:
                yield self._as_numbers(self._named(batch, names), done)
                done += len(batch)
        if self.quotes % 2:
            self._check_last_row()

    def _check_last_row(self) -> None:
        """Raise if an unclosed quote swallowed the last rows."""
        import pyarrow as pa

        last = None
        types = dict.fromkeys(self.layout.header, pa.string())
        with self.faults(self._explain), self._open(types=types) as reader:
            for batch in reader:
                last = batch if len(batch) else last
        if last is not None and ends_in_lines(last.columns):
            raise BadTable(f"{self.shown} {OPEN_QUOTE}")

    def _as_numbers(self, batch: pa.RecordBatch, done: int) -> pa.RecordBatch:
        """Convert formatted numbers of a batch."""
        for i, name in enumerate(batch.schema.names):
            notation = self.notations.get(name)
            if notation is None:
                continue
            wrong = set(notation.misfits(different(batch.column(i))))
            if wrong:
                strings = batch.column(i).to_pylist()
                row = next(at for at, text in enumerate(strings) if text in wrong)
                # Rows are counted as pyarrow does, from the header on.
                what = f"Row #{done + row + 2}: {strings[row]!r} has another number format"
                raise self.fault(self._not_numbers(name, what))
            numbers = numbers_of_strings(batch.column(i), notation)
            batch = batch.set_column(i, name, numbers)
        return batch

    def _explain(self, text: str) -> str:
        """Translate an error of pyarrow into terms of the file."""
        if "straddl" in text:
            return f"a row is longer than {CSV_BYTES:,} bytes, or a quote is never closed."
        match = re.match(r"In CSV column #(\d+): (.*)", text, re.DOTALL)
        if not match:
            return f"{explained(text)}."
        return self._not_numbers(self.names[int(match[1])], match[2])

    def _not_numbers(self, name: str, what: str) -> str:
        return (
            f"in column {name!r}, which its first rows show as numbers: {what}. "
            "Columns that turn into text must be left out by columns=."
        )


def _delimiter_hint(head: bytes, delimiter: str) -> str:
    line = (head.splitlines() or [b""])[0].decode(errors="replace")
    others = [other for other in ";\t|," if other in line]
    if delimiter in line or not others:
        return ""
    return (
        f" Its first line has {others[0]!r} and no {delimiter!r}: "
        f"delimiter={others[0]!r} may be meant."
    )
