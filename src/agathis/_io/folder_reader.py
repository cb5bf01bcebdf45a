"""Many Parquet files as one table: those of a folder, or that match a pattern."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING

from agathis._io.formats import TITLES, format_of
from agathis._io.table_reader import ParquetReader, TableReader

if TYPE_CHECKING:
    import pyarrow as pa


def is_many(path: str) -> bool:
    """Whether a path is a folder or a pattern, rather than an existing file."""
    return os.path.isdir(path) or (glob.has_magic(path) and not os.path.exists(path))


class FolderReader(TableReader):
    """List the Parquet files of a folder and its subfolders, or of a pattern, by name.

    Hidden files, and those with a leading underscore, are metadata of other programs.
    """

    title = TITLES["parquet"]
    n_rows: int

    def __init__(self, path: str, format: str | None = None) -> None:
        in_folder = os.path.isdir(path)
        super().__init__(path, f"{'folder' if in_folder else 'files'} {path!r}")
        every = _in_folder(path) if in_folder else sorted(glob.glob(path, recursive=True))
        paths = [name for name in every if os.path.isfile(name) and os.path.getsize(name)]
        if not paths and in_folder:
            raise IsADirectoryError(errno.EISDIR, "Is a directory without Parquet files", path)
        if not paths:
            raise FileNotFoundError(errno.ENOENT, "No file has such a name", path)
        for name in paths:
            if format_of(name, format) != "parquet":
                raise ValueError(
                    f"path={path!r} has {name!r}; of many files only Parquet is read. Give one "
                    "file, or a pattern such as 'folder/*.parquet'."
                )
        self.files = [ParquetReader(name) for name in paths]
        first = self.files[0]
        self.schema, self.names = first.schema, first.names
        for file in self.files[1:]:
            if file.schema.names != first.names or file.schema.types != first.schema.types:
                other = set(file.schema).symmetric_difference(first.schema)
                shown = ", ".join(sorted({repr(field.name) for field in other})) or "their order"
                raise file.fault(
                    f"its columns are not those of {first.path!r}; they differ in {shown}."
                )
        self.n_rows = sum(file.n_rows or 0 for file in self.files)

    def batches(self, names: list[str], rows: int) -> Generator[pa.RecordBatch, None, None]:
        for file in self.files:
            with closing(file.batches(names, rows)) as batches:
                yield from batches


def _in_folder(path: str) -> list[str]:
    paths = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            if not name.startswith((".", "_")) and name.lower().endswith((".parquet", ".pq")):
                paths.append(os.path.join(folder, name))
    return sorted(paths)
