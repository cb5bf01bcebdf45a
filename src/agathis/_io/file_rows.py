"""Rows of Parquet files that are read on demand, without a copy.

It behaves as an array: length, shape, indexing by rows and by one column. One row group is read at
a time, and the last one is cached.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from agathis._columns.arrow_values import as_floats
from agathis._io.folder_reader import FolderReader
from agathis._io.table_reader import ParquetReader
from agathis._io.tuning import GROUP_BYTES


class FileRows:
    """The named columns of Parquet files, as float32 or float64.

    Parameters
    ----------
    reader : ParquetReader or FolderReader
    names : list of str
    dtype : dtype
    """

    #: Rows are read on demand, and need not fit in memory.
    elsewhere = True
    ndim = 2

    def __init__(
        self, reader: ParquetReader | FolderReader, names: list[str], dtype: np.dtype
    ) -> None:
        self.files = reader.files if isinstance(reader, FolderReader) else [reader]
        self.names, self.dtype = names, dtype
        self.groups: list[tuple[int, int]] = []
        sizes = []
        for index, file in enumerate(self.files):
            for number, group in enumerate(file.row_groups()):
                self.groups.append((index, number))
                sizes.append(group.n_rows)
        self.ends = np.cumsum(sizes)
        self.largest = max(sizes) if sizes else 0
        self.stamps = [_stamp(file.path) for file in self.files]
        self.shape = (int(self.ends[-1]) if sizes else 0, len(names))
        self._cached: tuple[Any, np.ndarray] | None = None
        self._open: tuple[int, Any] | None = None

    @property
    def can_be_read_again(self) -> bool:
        """Whether every row group fits in the memory of a block."""
        return 0 < self.largest * len(self.names) * self.dtype.itemsize <= GROUP_BYTES

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Read all rows into memory."""
        return np.asarray(self[:], dtype=dtype)

    def __getitem__(self, key: Any) -> np.ndarray:
        """Return rows by slice or increasing indices, optionally of one column."""
        rows, column = key if isinstance(key, tuple) else (key, None)
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        rows = np.asarray(rows)
        shape = (len(rows), len(self.names)) if column is None else (len(rows),)
        out = np.empty(shape, dtype=self.dtype)
        done = 0
        while done < len(rows):
            group = int(np.searchsorted(self.ends, rows[done], side="right"))
            begin = self.ends[group - 1] if group else 0
            stop = done + int(np.searchsorted(rows[done:], self.ends[group]))
            values = self._group(group, column)
            out[done:stop] = values[rows[done:stop] - begin]
            done = stop
        return out

    def _group(self, group: int, column: int | None) -> np.ndarray:
        if self._cached is not None and self._cached[0] == (group, column):
            return self._cached[1]
        if self._cached is not None and self._cached[0] == (group, None):
            return self._cached[1][:, column]
        self._cached = None
        index, number = self.groups[group]
        file = self.files[index]
        if _stamp(file.path) != self.stamps[index]:
            raise file.fault("it has changed since the fit began.")
        names = self.names if column is None else [self.names[column]]
        with file.faults():
            if self._open is None or self._open[0] != index:
                self._open = index, file._open()
            table = self._open[1].read_row_group(number, columns=names)
            table.validate(full=True)
            rows = int(self.ends[group]) - (int(self.ends[group - 1]) if group else 0)
            if len(table) != rows:  # pyarrow skips pages of unknown kinds
                raise file.fault(
                    f"row group {number} says that it has {rows:,} rows, and has {len(table):,}."
                )
            values = np.empty((rows, len(names)), dtype=self.dtype)
            for i, name in enumerate(names):
                values[:, i] = as_floats(table.column(name), self.dtype)
        out = values if column is None else values[:, 0]
        self._cached = (group, column), out
        return out


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
