"""A table in a file: its columns, and its rows in batches, for each format that is read.

Whatever pyarrow finds wrong with a file is told with the name of the file: damaged content as
a ValueError, trouble with the disk as an OSError.
"""

from __future__ import annotations

import errno
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agathis._support.extras import needed

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
}
TITLES = {"parquet": "Parquet", "arrow": "Arrow", "csv": "CSV", "tsv": "TSV"}
# How files begin that are not text.
MAGIC = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\xff\xff\xff\xff": "an Arrow stream",
    b"FEA1": "a Feather file of version 1, which has to be written anew as version 2",
    b"\x1f\x8b": "a file compressed by gzip, whose name has to end in .gz",
    b"\x89PNG": "a PNG image",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
}
STREAM_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
CSV_BYTES = 4 << 20


class Source(ABC):
    """A table in a file.

    Parameters
    ----------
    path : str

    Attributes
    ----------
    schema : pyarrow.Schema
        The columns of the file; those of text have the types in which they will be read.
    names : list of str
    n_rows : int or None
        ``None`` where only reading tells.
    hint : str
        What may be the matter if a column is not found.
    """

    title: str
    schema: pa.Schema
    names: list[str]
    n_rows: int | None = None
    hint = ""

    def __init__(self, path: str) -> None:
        self.path = path

    @abstractmethod
    def batches(self, names: list[str], rows: int) -> Iterator[pa.RecordBatch]:
        """The named columns, in batches of about so many rows, or as the file has them."""

    @contextmanager
    def faults(self, explain: Callable[[str], str] = "{}.".format) -> Iterator[None]:
        """Let errors of pyarrow say which file they are about."""
        import pyarrow as pa

        try:
            yield
        except (MemoryError, pa.ArrowCancelled):
            raise
        except UnicodeDecodeError as error:
            raise self.fault("its column names are not in UTF-8.") from error
        except (pa.ArrowException, ValueError, OSError) as error:
            # Damaged content is an OSError too at times, but without a number.
            number = getattr(error, "errno", None)
            if number is not None:
                raise OSError(number, f"Cannot read, {error}", self.path) from error
            raise self.fault(explain(str(error).rstrip("."))) from error

    def fault(self, text: str) -> ValueError:
        return ValueError(f"file {self.path!r} cannot be read as {self.title}: {text}{self.hint}")


class ParquetSource(Source):
    title = TITLES["parquet"]

    def __init__(self, path: str) -> None:
        super().__init__(path)
        if _head(path).startswith(b"PAR1"):
            self.hint = " It begins as a Parquet file does, and may have been cut short."
        with self.faults(), self._open() as file:
            self.schema = file.schema_arrow
            self.names = self.schema.names
            self.n_rows = file.metadata.num_rows
        self.hint = ""

    def _open(self) -> pa.parquet.ParquetFile:
        from pyarrow import parquet

        # Without these a row group is read whole, and some writers make but one.
        return parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=1 << 16)

    def batches(self, names: list[str], rows: int) -> Iterator[pa.RecordBatch]:
        with self.faults(), self._open() as file:
            yield from file.iter_batches(rows, columns=names)


class ArrowSource(Source):
    title = TITLES["arrow"]

    def __init__(self, path: str) -> None:
        super().__init__(path)
        head = _head(path)
        self.is_stream = not head.startswith(b"ARROW1")
        if self.is_stream:
            if not head.startswith(STREAM_END[:4]):
                raise self.fault(f"it begins with {head[:8]!r}, as neither a file nor a stream.")
            # A stream that is cut between two batches looks whole to its reader.
            if _tail(path, len(STREAM_END)) != STREAM_END:
                raise self.fault("the mark at its end is missing: it has been cut short.")
        else:
            self.hint = " It begins as an Arrow file does, and may have been cut short."
        with self.faults(), self._open() as reader:
            self.schema = reader.schema
            self.names = self.schema.names
            if hasattr(reader, "count_rows"):  # files only, from pyarrow 26 on
                self.n_rows = reader.count_rows()
        self.hint = ""

    @contextmanager
    def _open(self) -> Iterator[pa.RecordBatchReader]:
        import pyarrow as pa

        opened = pa.ipc.open_stream if self.is_stream else pa.ipc.open_file
        # Mapped, so that a large batch takes no memory unless it is compressed. To ask for some
        # columns only would copy them.
        with pa.memory_map(self.path) as file, opened(file) as reader:
            yield reader

    def batches(self, names: list[str], rows: int) -> Iterator[pa.RecordBatch]:
        with self.faults(), self._open() as reader:
            if self.is_stream:
                parts = iter(reader)
            else:
                parts = (reader.get_batch(i) for i in range(reader.num_record_batches))
            for part in parts:
                used = part.select(names)
                used.validate()  # a damaged buffer may be shorter than its batch
                yield used


class CsvSource(Source):
    def __init__(self, path: str, kind: str, delimiter: str | None) -> None:
        super().__init__(path)
        import pyarrow as pa

        self.title = TITLES[kind]
        self.delimiter = delimiter or {"csv": ",", "tsv": "\t"}[kind]
        with self.faults():
            head = self._head()
        if not head.strip():
            raise ValueError(f"file {path!r} is empty.")
        for magic, what in MAGIC.items():
            if head.startswith(magic):
                raise self.fault(f"it begins as {what}.")
        if b"\0" in head:
            raise self.fault("it holds zero bytes, so it is not text in UTF-8 (UTF-16, maybe?).")
        self.hint = _delimiter_hint(head, self.delimiter)
        with self.faults(self._explain), self._open() as reader:
            found = reader.schema
            self.names = found.names
        # Whole numbers may become fractions in a later block, and gaps may become numbers.
        turned = {pa.int64(): pa.float64(), pa.null(): pa.float64()}
        self.schema = pa.schema([(f.name, turned.get(f.type, f.type)) for f in found])

    def _head(self) -> bytes:
        import pyarrow as pa

        with pa.input_stream(self.path) as file:
            return file.read(1 << 16)

    @contextmanager
    def _open(self, names: list[str] | None = None) -> Iterator[pa.RecordBatchReader]:
        import pyarrow as pa
        from pyarrow import csv

        # One thread is as fast here, and lets pyarrow count the rows that it complains about.
        read = csv.ReadOptions(block_size=CSV_BYTES, use_threads=False)
        parse = csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True)
        types = None if names is None else {name: self.schema.field(name).type for name in names}
        convert = csv.ConvertOptions(include_columns=names, column_types=types)
        with (
            pa.input_stream(self.path) as file,
            csv.open_csv(file, read, parse, convert) as reader,
        ):
            yield reader

    def batches(self, names: list[str], rows: int) -> Iterator[pa.RecordBatch]:
        with self.faults(self._explain), self._open(names) as reader:
            yield from reader

    def _explain(self, text: str) -> str:
        """What pyarrow says, in terms of the file."""
        if "straddl" in text:
            return f"a row is longer than {CSV_BYTES:,} bytes, or a quote is never closed."
        found = re.match(r"In CSV column #(\d+): (.*)", text, re.DOTALL)
        if not found:
            return f"{text}."
        return (
            f"in column {self.names[int(found[1])]!r}, which its first rows show as numbers: "
            f"{found[2]}. Columns that turn into text must be left out by columns=."
        )


def open_source(path: str | os.PathLike[str], format: str | None, delimiter: str | None) -> Source:
    """The table in a file, in the given format or in that which its name tells."""
    _require_pyarrow()
    try:
        path = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path must be a str or a PathLike; it is {path!r}.") from None
    kind = _format_of(path, format)
    if delimiter is not None:
        if kind not in ("csv", "tsv"):
            raise ValueError(f"delimiter={delimiter!r} goes with CSV and TSV, not {TITLES[kind]}.")
        good = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
        if not good or delimiter in '"\r\n':
            raise ValueError(f"delimiter={delimiter!r} must be one ASCII character, not a quote.")
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "Not a regular file, and it has to be read twice", path)
    if os.path.getsize(path) == 0:
        raise ValueError(f"file {path!r} is empty.")
    if kind == "parquet":
        return ParquetSource(path)
    return ArrowSource(path) if kind == "arrow" else CsvSource(path, kind, delimiter)


def _require_pyarrow() -> None:
    for module in ("pyarrow.csv", "pyarrow.parquet"):
        needed(module, "io", "fit_file")


def _format_of(path: str, format: str | None) -> str:
    if format is not None:
        if format not in TITLES:
            raise ValueError(f"format={format!r} must be one of {list(TITLES)}, or None.")
        return format
    stem, suffix = os.path.splitext(path.lower())
    if suffix == ".gz":
        inner = os.path.splitext(stem)[1]
        suffix = inner if inner in (".csv", ".tsv") else suffix
    if suffix not in FORMATS:
        raise ValueError(
            f"path={path!r} ends in {suffix!r}, which tells no format: accepted are "
            f"{', '.join(FORMATS)}, .csv.gz and .tsv.gz. Or give format=, one of {list(TITLES)}."
        )
    return FORMATS[suffix]


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(8)


def _tail(path: str, size: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - size))
        return file.read()


def _delimiter_hint(head: bytes, delimiter: str) -> str:
    line = head.splitlines()[0].decode(errors="replace")
    others = [other for other in ";\t|," if other in line]
    if delimiter in line or not others:
        return ""
    return (
        f" Its first line has {others[0]!r} and no {delimiter!r}: "
        f"delimiter={others[0]!r} may be meant."
    )
