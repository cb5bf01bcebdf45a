"""Table readers: columns and batches of rows, for each supported format.

Errors of pyarrow are raised with the name of the file: damaged content as ValueError, input and
output errors as OSError.
"""

from __future__ import annotations

import errno
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from agathis._columns.errors import BadTable, Note
from agathis._io.formats import TEXTS, TITLES, format_of
from agathis._io.table_reading import is_separator
from agathis._io.tuning import HEAD_BYTES, HEAD_ROWS, SMALL
from agathis._utils.extras import needed

if TYPE_CHECKING:
    import pyarrow as pa

STREAM_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"


class TableReader(ABC):
    """Table reader of a file.

    Parameters
    ----------
    path : str
    shown : str, optional
        Name of the file in messages.
    content : bytes, optional
        The content, if it was read already.

    Attributes
    ----------
    schema : pyarrow.Schema
        The columns of the file; those of text files have the inferred types.
    names : list of str
    n_rows : int or None
        ``None`` if it is unknown before reading.
    notes : dict of str to Note
        Notes on formatted numbers in text files.
    hint : str
        A likely cause if a column is not found.
    """

    title: str
    schema: pa.Schema
    names: list[str]
    n_rows: int | None = None
    hint = ""

    def __init__(self, path: str, shown: str | None = None, content: bytes | None = None) -> None:
        self.path, self.content = path, content
        self.shown = shown or f"file {path!r}"
        self.notes: dict[str, Note] = {}

    def _size(self) -> int:
        return os.path.getsize(self.path) if self.content is None else len(self.content)

    def _bytes(self, start: int, size: int) -> bytes:
        """Return some bytes of the file."""
        with open(self.path, "rb") if self.content is None else io.BytesIO(self.content) as file:
            file.seek(max(0, start))
            return file.read(size)

    @property
    def index_names(self) -> set[str]:
        """Columns in which pandas stored its index."""
        try:
            metadata = self.schema.pandas_metadata or {}
            stored = metadata.get("index_columns", [])
            return {name for name in stored if isinstance(name, str)}
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self.fault("what pandas wrote of its columns is damaged.") from error

    def head(self, names: list[str]) -> pa.RecordBatch | None:
        """Return the first rows of some columns; None if there are no rows."""
        rows = max(1, min(HEAD_ROWS, HEAD_BYTES // (8 * max(1, len(names)))))
        with closing(self.batches(names, rows)) as batches:
            first = next(batches, None)
        return None if first is None else first.slice(0, rows)

    @abstractmethod
    def batches(self, names: list[str], rows: int) -> Generator[pa.RecordBatch, None, None]:
        """Yield the named columns in batches of about this many rows, or as stored."""

    @contextmanager
    def faults(self, explain: Callable[[str], str] = "{}.".format) -> Iterator[None]:
        """Add the file name to errors of pyarrow."""
        import pyarrow as pa

        try:
            yield
        except pa.ArrowMemoryError as error:
            # The file is too large, or has an invalid length.
            raise self.fault(f"it asks for more memory than there is, {error}.") from error
        except (MemoryError, pa.ArrowCancelled, BadTable):
            raise
        except UnicodeDecodeError as error:
            raise self.fault("its column names are not in UTF-8.") from error
        except (pa.ArrowException, ValueError, OSError) as error:
            # Damaged content may be an OSError too, but without an errno.
            number = getattr(error, "errno", None)
            if number is not None:
                raise OSError(number, f"Cannot read, {error}", self.path) from error
            raise self.fault(explain(str(error).rstrip("."))) from error

    def fault(self, text: str) -> BadTable:
        return BadTable(f"{self.shown} cannot be read as {self.title}: {text}{self.hint}")


class RowGroup(NamedTuple):
    """Return the rows of a row group and the uncompressed size of its columns."""

    n_rows: int
    n_bytes: int


class ParquetReader(TableReader):
    title = TITLES["parquet"]

    def __init__(self, path: str, shown: str | None = None, content: bytes | None = None) -> None:
        super().__init__(path, shown, content)
        if self._bytes(0, 4) == b"PAR1":
            self.hint = " It begins as a Parquet file and may have been truncated."
        with self.faults(), self._open() as file:
            self.schema = file.schema_arrow
            self.names = self.schema.names
            self.n_rows = file.metadata.num_rows
        self.hint = ""

    def _open(self) -> pa.parquet.ParquetFile:
        import pyarrow as pa
        from pyarrow import parquet

        # Without the first two options, a row group is read at once, and many files have only one.
        # But when reading in pieces, a damaged page may claim any length, and pyarrow fills up to
        # 2 GiB per column with zeros before the claim is checked.
        pieces = 0 if self._size() <= SMALL else 1 << 16
        source = self.path if self.content is None else pa.BufferReader(self.content)
        return parquet.ParquetFile(
            source, pre_buffer=False, buffer_size=pieces, page_checksum_verification=True
        )

    def row_groups(self) -> list[RowGroup]:
        """The row groups that can be read independently, from metadata only."""
        with self.faults(), self._open() as file:
            metadata = file.metadata
            groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
            out = [RowGroup(group.num_rows, group.total_byte_size) for group in groups]
        total = sum(group.n_rows for group in out)
        if total != self.n_rows or any(group.n_rows < 0 for group in out):
            raise self.fault(
                f"it says that it has {self.n_rows:,} rows, and its row groups {total:,}."
            )
        return out

    def batches(
        self, names: list[str], rows: int, groups: Sequence[int] | None = None
    ) -> Generator[pa.RecordBatch, None, None]:
        """Yield batches of all or some row groups; raise if rows are missing."""
        n_read, n_rows = 0, self.n_rows
        with self.faults(), self._open() as file:
            if groups is not None:
                n_rows = sum(file.metadata.row_group(i).num_rows for i in groups)
            for part in file.iter_batches(rows, row_groups=groups, columns=names):
                n_read += part.num_rows
                yield valid(part)
        if names and n_read != n_rows:  # pyarrow skips pages of unknown kinds
            raise self.fault(f"it says that it has {n_rows:,} rows, and has {n_read:,}.")


class ArrowReader(TableReader):
    title = TITLES["arrow"]

    def __init__(self, path: str, shown: str | None = None, content: bytes | None = None) -> None:
        super().__init__(path, shown, content)
        head = self._bytes(0, 8)
        self.is_stream = not head.startswith(b"ARROW1")
        if self.is_stream:
            if not head.startswith(STREAM_END[:4]):
                raise self.fault(f"it begins with {head[:8]!r}, as neither a file nor a stream.")
            # A stream that is truncated between two batches looks complete to its reader.
            if self._bytes(self._size() - len(STREAM_END), len(STREAM_END)) != STREAM_END:
                raise self.fault("the mark at its end is missing: it has been truncated.")
        else:
            self.hint = " It begins as an Arrow file and may have been truncated."
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
        # Memory-mapped, so that a large batch needs no memory unless it is compressed. Selecting
        # columns would copy them.
        mapped = pa.memory_map(self.path) if self.content is None else pa.BufferReader(self.content)
        with mapped as file, opened(file) as reader:
            yield reader

    def batches(self, names: list[str], rows: int) -> Generator[pa.RecordBatch, None, None]:
        with self.faults(), self._open() as reader:
            if self.is_stream:
                parts = iter(reader)
            else:
                parts = (reader.get_batch(i) for i in range(reader.num_record_batches))
            for part in parts:
                yield valid(part.select(names))


def valid(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch after validating offsets, codes and strings, which later code trusts."""
    batch.validate(full=True)
    return batch


#: The readers of columnar formats.
READERS: dict[str, type[ParquetReader | ArrowReader]] = {
    "parquet": ParquetReader,
    "arrow": ArrowReader,
}


def open_table(
    path: str | os.PathLike[str],
    format: str | None = None,
    delimiter: str | None = None,
    *,
    decimal: str | None = None,
    encoding: str | None = None,
    title: str | None = None,
    many: bool = False,
) -> TableReader:
    """Open the table in a file, in the given format or the one inferred from its name.

    ``title`` is its name in messages, by default the path. With ``many`` it may be a folder of
    Parquet files, or a pattern.
    """
    for module in ("pyarrow.csv", "pyarrow.parquet"):
        needed(module, "io", "reading tables")
    try:
        path = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path must be a str or a PathLike; it is {path!r}.") from None
    if many:
        from agathis._io.folder_reader import FolderReader, is_many

        if is_many(path):
            _check_text_options("parquet", delimiter, decimal, encoding)
            return FolderReader(path, format)
    kind = format_of(path, format)
    _check_text_options(kind, delimiter, decimal, encoding)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "Not a regular file, and it has to be read twice", path)
    if os.path.getsize(path) == 0:
        raise ValueError(f"{title or f'file {path!r}'} is empty.")
    if kind in READERS:
        return READERS[kind](path, title)
    from agathis._io.csv_reader import CsvReader

    return CsvReader(path, kind, delimiter, decimal, encoding)


def _check_text_options(
    kind: str, delimiter: str | None, decimal: str | None, encoding: str | None
) -> None:
    given = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding}
    for name, value in given.items():
        if value is not None and kind not in TEXTS:
            raise ValueError(f"{name}={value!r} goes with CSV and TSV, not {TITLES[kind]}.")
    if delimiter is not None and not is_separator(delimiter):
        raise ValueError(f"delimiter={delimiter!r} must be one ASCII character, not a quote.")
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal={decimal!r} must be '.' or ','.")
