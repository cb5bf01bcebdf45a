"""Atomic file writes.

A file is written to a temporary file and then moved. A killed process leaves its temporary file,
which the next write of that file removes: a lock shows that no other process is using it.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows: no locks, and no removal
    fcntl = None  # type: ignore[assignment]

# Seconds after which an unlocked temporary file is considered abandoned: a younger one may not yet
# be locked.
LEFT_BEHIND = 60.0


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
    _remove_left_behind(folder, name)
    beside = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(beside, "xb") as file:
            _locked(file)
            yield file
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _locked(file: BinaryIO) -> bool:
    """Lock a file while it is open; return whether it succeeded."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # locked by another process, or locks are not supported
        return False
    return True


def _remove_left_behind(folder: str, name: str) -> None:
    """Remove temporary files of this file that killed processes left."""
    pattern = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{8}}\.tmp")
    # Failing to remove them must not prevent writing.
    with suppress(OSError):
        for entry in os.scandir(folder):
            if pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_if_left(entry.path)


def _remove_if_left(path: str) -> None:
    with suppress(OSError), open(path, "rb") as file:
        if time.time() - os.fstat(file.fileno()).st_mtime > LEFT_BEHIND and _locked(file):
            os.unlink(path)


def write_atomic(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file atomically; text as UTF-8, with its newlines unchanged."""
    with atomic_file(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)
