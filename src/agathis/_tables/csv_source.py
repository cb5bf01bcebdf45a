"""Text files of any size, block by block: what the first block shows holds for all of them."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agathis._tables.arrow_values import different, numbers_of_texts
from agathis._tables.csv_layout import UTF16, layout_of, without_sep_line
from agathis._tables.csv_reader import csv_options, explained, notations
from agathis._tables.errors import BadTable, Note
from agathis._tables.formats import TITLES, begins_as
from agathis._tables.number_notation import Notation
from agathis._tables.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

CSV_BYTES = 4 << 20


class CsvSource(Source):
    """A table in a text file.

    Parameters
    ----------
    path : str
    kind : {"csv", "tsv"}
    delimiter, decimal : str, optional
        By default those of the first rows.
    encoding : str, optional
        By default UTF-8.

    Attributes
    ----------
    notations : dict of str to Notation
        Columns of texts that are numbers to people, and how these are written.
    notes : dict of str to Note
        What to say of the numbers of columns.
    """

    def __init__(
        self,
        path: str,
        kind: str,
        delimiter: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
    ) -> None:
        super().__init__(path)
        self.title = TITLES[kind]
        self.encoding = encoding
        with self.faults():
            head = self._first_bytes()
        if not head.strip():
            raise BadTable(f"{self.shown} is empty.")
        if what := begins_as(head):
            raise self.fault(f"it begins as {what}.")
        if encoding is not None:
            head = _decoded(head, encoding)
        elif b"\0" in head or head.startswith(UTF16):
            raise self.fault("it holds zero bytes, so it is not text in UTF-8 (UTF-16, maybe?).")
        text, said = without_sep_line(head.removeprefix(b"\xef\xbb\xbf"))
        self.has_sep_line = said is not None
        delimiter = delimiter or said or ("\t" if kind == "tsv" else None)
        self.layout = layout_of(text, delimiter, decimal)
        self.hint = _delimiter_hint(text, self.layout.separator)
        self._learn()

    def _learn(self) -> None:
        """Find the types of the columns from the first block."""
        import pyarrow as pa

        self.names = []
        with self.faults(self._explain), self._open() as reader:
            found = reader.schema
            self.names = found.names
            self.first = next(iter(reader), None)
        written: dict[int, Notation] = {}
        notes: dict[str, Note] = {}
        if self.first is not None:
            written, notes = notations(self.first, self.layout)
        self.notes = notes
        # Of two columns of one name neither is read.
        single = [i for i in written if self.names.count(self.names[i]) == 1]
        self.notations = {self.names[i]: written[i] for i in single}
        # Whole numbers may become fractions in a later block, and gaps may become numbers.
        turned = {pa.int64(): pa.float64(), pa.null(): pa.float64()}
        self.schema = pa.schema(
            [
                (f.name, pa.float64() if f.name in self.notations else turned.get(f.type, f.type))
                for f in found
            ]
        )
        if self.first is not None:
            self.first = self._as_numbers(self.first, 0)

    def _first_bytes(self) -> bytes:
        import pyarrow as pa

        with pa.input_stream(self.path) as file:
            return file.read(1 << 16)

    @contextmanager
    def _open(self, names: list[str] | None = None) -> Iterator[pa.RecordBatchReader]:
        import pyarrow as pa
        from pyarrow import csv

        types = None
        if names is not None:
            types = {
                name: pa.string() if name in self.notations else self.schema.field(name).type
                for name in names
            }
        options = csv_options(
            self.layout,
            CSV_BYTES,
            skip_rows=int(self.has_sep_line),
            encoding=self.encoding or "utf8",
            types=types,
            names=names,
        )
        with pa.input_stream(self.path) as file, csv.open_csv(file, *options) as reader:
            yield reader

    def head(self, names: list[str]) -> pa.RecordBatch | None:
        return None if self.first is None else self.first.select(names)

    def batches(self, names: list[str], rows: int) -> Generator[pa.RecordBatch, None, None]:
        done = 0
        with self.faults(self._explain), self._open(names) as reader:
            for batch in reader:
                yield self._as_numbers(batch, done)
                done += len(batch)

    def _as_numbers(self, batch: pa.RecordBatch, done: int) -> pa.RecordBatch:
        """The batch with numbers for texts that are such to people."""
        for i, name in enumerate(batch.schema.names):
            notation = self.notations.get(name)
            if notation is None:
                continue
            wrong = set(notation.misfits(different(batch.column(i))))
            if wrong:
                texts = batch.column(i).to_pylist()
                row = next(at for at, text in enumerate(texts) if text in wrong)
                # Rows are counted as pyarrow does, from the header on.
                what = f"Row #{done + row + 2}: {texts[row]!r} is written in another way"
                raise self.fault(self._not_numbers(name, what))
            numbers = numbers_of_texts(batch.column(i), notation)
            batch = batch.set_column(i, name, numbers)
        return batch

    def _explain(self, text: str) -> str:
        """What pyarrow says, in terms of the file."""
        if "straddl" in text:
            return f"a row is longer than {CSV_BYTES:,} bytes, or a quote is never closed."
        found = re.match(r"In CSV column #(\d+): (.*)", text, re.DOTALL)
        if not found:
            return f"{explained(text)}."
        return self._not_numbers(self.names[int(found[1])], found[2])

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


def _decoded(head: bytes, encoding: str) -> bytes:
    try:
        return head.decode(encoding, errors="ignore").encode()
    except LookupError:
        raise ValueError(f"encoding={encoding!r} is unknown.") from None
