"""Copy the rows of a file block by block into a plain file that NumPy can map.

The copy is an unnamed temporary file, which disappears with the process.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import closing
from io import FileIO
from typing import TYPE_CHECKING

import numpy as np

from agathis._columns.arrow_values import as_floats
from agathis._encoding.file_columns import common_dtype
from agathis._io.file_rows import FileRows
from agathis._io.folder_reader import FolderReader
from agathis._io.table_reader import ParquetReader
from agathis._io.tuning import BLOCK_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

    from agathis._io.table_reader import TableReader


def spill_rows(
    reader: TableReader,
    names: list[str],
    weight: str | None,
    directory: str,
    block_rows: int,
    progress: Callable[[int, int | None], object] | None = None,
) -> tuple[np.memmap, np.ndarray | None]:
    """Copy the named columns into an unnamed file in that directory.

    Parameters
    ----------
    reader : TableReader
    names : list of str
    weight : str or None
    directory : str
    block_rows : int
    progress : callable, optional
        Called after each block with the rows done and the total, or ``None``.

    Returns
    -------
    X : memmap of shape (n_samples, n_features)
        Read-only, float32 or float64, in C order; NaN where a value is missing.
    sample_weight : ndarray of shape (n_samples,) or None
    """
    dtype = common_dtype(reader.schema.field(name).type for name in names)
    width = dtype.itemsize * len(names)
    if reader.n_rows is not None:
        check_disk_space(directory, reader.n_rows * (width + 8 * (weight is not None)), reader.path)
    wanted = names if weight is None else [*names, weight]
    block_rows = max(1, min(block_rows, BLOCK_BYTES // width))
    done = 0
    with (
        # Unbuffered, so that closing never writes to a full disk.
        tempfile.TemporaryFile(dir=directory, buffering=0) as rows_file,
        tempfile.TemporaryFile(dir=directory, buffering=0) as weight_file,
        closing(_blocks(reader, wanted, block_rows)) as blocks,
    ):
        for batch in blocks:
            block = np.empty((len(batch), len(names)), dtype)
            for f, name in enumerate(names):
                block[:, f] = as_floats(batch.column(name), dtype)
            _check_finite(reader, block, names, done)
            _write(rows_file, block, directory, reader.path)
            if weight is not None:
                weights = as_floats(batch.column(weight), np.dtype(np.float64))
                _check_weights(reader, weights, weight, done)
                _write(weight_file, weights, directory, reader.path)
            done += len(block)
            if progress is not None:
                progress(done, reader.n_rows)
        if reader.n_rows not in (None, done):
            raise reader.fault(f"it should hold {reader.n_rows} rows, and {done} came.")
        if done == 0:
            raise ValueError(f"file {reader.path!r} has no rows.")
        X = np.memmap(rows_file, dtype=dtype, mode="r", shape=(done, len(names)))
        weight_file.seek(0)
        return X, None if weight is None else np.fromfile(weight_file)


def can_be_read_again(reader: TableReader) -> bool:
    """Whether rows can be located without reading all files."""
    return isinstance(reader, (ParquetReader, FolderReader))


def rows_again(
    reader: TableReader, names: list[str], weight: str | None, directory: str, required: bool
) -> FileRows | None:
    """Return the rows of Parquet files without a copy; ``None`` if a copy is needed or fits.

    With ``required``, files that need a copy raise an error.
    """
    if not isinstance(reader, (ParquetReader, FolderReader)):
        if required:
            raise ValueError(
                f"copy=False goes with Parquet, not {reader.title}: other files are read once."
            )
        return None
    dtype = common_dtype(reader.schema.field(name).type for name in names)
    size = (reader.n_rows or 0) * (dtype.itemsize * len(names) + 8 * (weight is not None))
    if not required and size <= shutil.disk_usage(directory).free:
        return None
    rows = FileRows(reader, names, dtype)
    if rows.can_be_read_again:
        return rows
    if required and len(rows):
        raise ValueError(
            f"copy=False: {reader.shown} has a row group of {rows.largest:,} rows, too many to be "
            "read for each leaf. Write smaller ones (row_group_size), or use copy=True."
        )
    return None


def read_weights(reader: TableReader, weight: str | None, block_rows: int) -> np.ndarray | None:
    """Return the weights of all rows."""
    if weight is None:
        return None
    parts, done = [], 0
    with closing(_blocks(reader, [weight], block_rows)) as blocks:
        for batch in blocks:
            weights = as_floats(batch.column(weight), np.dtype(np.float64))
            _check_weights(reader, weights, weight, done)
            parts.append(weights)
            done += len(weights)
    return np.concatenate(parts)


def check_disk_space(directory: str, size: int, path: str) -> None:
    """Raise if this many bytes do not fit on the disk of a directory."""
    free = shutil.disk_usage(directory).free
    if size > free:
        reason = f"they need {_megabytes(size)}, and {_megabytes(free)} are free"
        raise _no_space(errno.ENOSPC, reason, directory, path)


def _write(file: FileIO, values: np.ndarray, directory: str, path: str) -> None:
    left = values.data.cast("B")
    try:
        while left:
            left = left[file.write(left) :]
    except OSError as error:
        raise _no_space(error.errno or errno.EIO, str(error.strerror), directory, path) from error


def _no_space(number: int, reason: str, directory: str, path: str) -> OSError:
    return OSError(
        number,
        f"The rows of file {path!r} cannot be copied into {directory!r}: "
        f"{reason}. A directory on another disk can be given as temp_dir=",
    )


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB"


def _blocks(
    reader: TableReader, names: list[str], rows: int
) -> Generator[pa.RecordBatch, None, None]:
    """Yield non-empty batches of at most this many rows."""
    with closing(reader.batches(names, rows)) as batches:
        for batch in batches:
            for start in range(0, len(batch), rows):
                yield batch.slice(start, rows)


def _check_finite(reader: TableReader, block: np.ndarray, names: list[str], done: int) -> None:
    infinite = np.isinf(block)
    if infinite.any():
        row, f = np.argwhere(infinite)[0]
        raise ValueError(
            f"file {reader.path!r}, column {names[f]!r}: {block[row, f]} in row "
            f"{done + row} (counted from 0); values must be finite or missing."
        )


def _check_weights(reader: TableReader, weights: np.ndarray, name: str, done: int) -> None:
    bad = ~((weights >= 0) & (weights < np.inf))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"file {reader.path!r}, weight={name!r}: {weights[row]} in row {done + row} (counted "
            "from 0); weights must be finite, not negative and not missing."
        )
