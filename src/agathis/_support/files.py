"""Files that are whole or not there."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


def target_of(path: str | os.PathLike[str]) -> str:
    """The file that a path stands for, with links followed."""
    try:
        return os.path.realpath(os.fsdecode(path))
    except TypeError:
        raise TypeError(f"path must be a str or a PathLike; it is {path!r}.") from None


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file beside its place, which is put there at the end; on an error nothing is left of it.

    What a link points to is replaced.
    """
    target = target_of(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "path is a directory, not a file", target)
    if os.path.exists(target) and not os.path.isfile(target):
        # A pipe or a device, such as /dev/null, takes what it is given and must stay what it is.
        with open(target, "wb") as file:
            yield file
        return
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "the directory of path is missing", target)
    # Not one of tempfile: those cannot be read by others.
    beside = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(beside, "xb") as file:
            yield file
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def write_whole(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file as a whole; text as UTF-8, with the ends of lines that it has."""
    with whole_file(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)
