"""Write labels to a file atomically."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np

from agathis._utils.files import atomic_file

BLOCK = 1 << 18


def check_labels_path(path: str | os.PathLike[str], source: str) -> str:
    """Return the path for labels; raise if it is known to be unusable.

    Parameters
    ----------
    path : str or PathLike
    source : str
        The file that is read, which must not be overwritten.

    Returns
    -------
    target : str
        Absolute, with links resolved, so that the target of a link is replaced and not the link.
    """
    try:
        given = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"labels must be a str or a PathLike; it is {path!r}.") from None
    suffix = _suffix(given)
    if suffix not in WRITERS:
        raise ValueError(f"labels={given!r} ends in {suffix!r}; accepted are {', '.join(WRITERS)}.")
    target = os.path.realpath(given)
    if os.path.exists(target) and os.path.samefile(target, source):
        raise ValueError(f"labels={given!r} is the file that is read; give it another name.")
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "labels is a directory", given)
    directory = os.path.dirname(target)
    if not os.path.isdir(directory):
        number = errno.ENOTDIR if os.path.exists(directory) else errno.ENOENT
        raise OSError(number, "The directory of labels is missing", given)
    try:
        # Permissions can only be tested by trying; no file remains even if the process is killed.
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        number = error.errno or errno.EACCES
        raise OSError(number, "The directory of labels cannot be written to", given) from error
    return target


def write_labels(target: str, labels: np.ndarray) -> None:
    """Write labels to a temporary file, then move it to its place."""
    try:
        with atomic_file(target) as file:
            WRITERS[_suffix(target)](file, labels)
    except OSError as error:
        number = error.errno or errno.EIO
        raise OSError(number, f"Labels not written, {error.strerror}", target) from error


def _suffix(path: str) -> str:
    return os.path.splitext(path.lower())[1]


def _blocks(labels: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(labels), BLOCK):
        yield labels[start : start + BLOCK]


def _npy(file: BinaryIO, labels: np.ndarray) -> None:
    header = {"descr": "<i4", "fortran_order": False, "shape": labels.shape}
    np.lib.format.write_array_header_1_0(file, header)
    for block in _blocks(labels):
        file.write(block.astype("<i4").data)


def _csv(file: BinaryIO, labels: np.ndarray) -> None:
    file.write(b"cluster\n")
    for block in _blocks(labels):
        file.write("".join(f"{label}\n" for label in block.tolist()).encode())


def _parquet(file: BinaryIO, labels: np.ndarray) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("cluster", pa.int32())])
    with parquet.ParquetWriter(file, schema) as writer:
        for block in _blocks(labels):
            column = pa.array(block, pa.int32())
            writer.write_batch(pa.record_batch([column], schema=schema))


WRITERS: dict[str, Callable[[BinaryIO, np.ndarray], None]] = {
    ".npy": _npy,
    ".csv": _csv,
    ".parquet": _parquet,
}
