"""Atomic file writes: a file is written to a temporary file beside it, which is then moved."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


def target_of(path: str | os.PathLike[str]) -> str:
    """Return the file behind a path, with links resolved.

    Pipes and devices keep their path: the target of ``/dev/stdout`` need not have one.
    """
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path must be a str or a PathLike; it is {path!r}.") from None
    if os.path.exists(name) and not (os.path.isfile(name) or os.path.isdir(name)):
        return name
    return os.path.realpath(name)


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` at the end, and is removed on an error.

    The target of a link is replaced.
    """
    target = target_of(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "path is a directory, not a file", target)
    if os.path.exists(target) and not os.path.isfile(target):
        # Pipes and devices, such as /dev/null, are written directly and must not be replaced.
        with open(target, "wb") as file:
            yield file
        return
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "the directory of path is missing", target)
    # Not tempfile, whose files others cannot read.
    beside = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(beside, "xb") as file:
            yield file
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def write_atomic(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file atomically; text as UTF-8, with its newlines unchanged."""
    with atomic_file(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)
