"""Files that are whole or not there.

A file is written beside its place and then put there. Who is killed in between leaves what was
written, which the next to write that file removes: a lock tells that nobody is at work on it.
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
except ImportError:  # Windows: nothing is locked, and nothing removed
    fcntl = None  # type: ignore[assignment]

# Seconds after which a file that nobody has locked is taken for left behind: it may be so young
# that its lock is still to come.
LEFT_BEHIND = 60.0


def target_of(path: str | os.PathLike[str]) -> str:
    """The file that a path stands for, with links followed.

    A pipe or a device keeps its path: what ``/dev/stdout`` links to need not have one.
    """
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path must be a str or a PathLike; it is {path!r}.") from None
    if os.path.exists(name) and not (os.path.isfile(name) or os.path.isdir(name)):
        return name
    return os.path.realpath(name)


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
    """Lock a file as long as it is open; whether that could be done."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody has it, or the file system knows no locks
        return False
    return True


def _remove_left_behind(folder: str, name: str) -> None:
    """Remove what processes that were killed left of this file."""
    pattern = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{8}}\.tmp")
    # Whether they can be removed is no reason not to write.
    with suppress(OSError):
        for entry in os.scandir(folder):
            if pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_if_left(entry.path)


def _remove_if_left(path: str) -> None:
    with suppress(OSError), open(path, "rb") as file:
        if time.time() - os.fstat(file.fileno()).st_mtime > LEFT_BEHIND and _locked(file):
            os.unlink(path)


def write_whole(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file as a whole; text as UTF-8, with the ends of lines that it has."""
    with whole_file(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)
