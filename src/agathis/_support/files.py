"""Files that are whole or not there."""

from __future__ import annotations

import errno
import os
import secrets


def target_of(path: str | os.PathLike[str]) -> str:
    """The file that a path stands for, with links followed."""
    try:
        return os.path.realpath(os.fsdecode(path))
    except TypeError:
        raise TypeError(f"path must be a str or a PathLike; it is {path!r}.") from None


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file beside its place, then put it there; what a link points to is replaced."""
    target = target_of(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "path is a directory, not a file", target)
    if os.path.exists(target) and not os.path.isfile(target):
        # A pipe or a device, such as /dev/null, takes what it is given and must stay what it is.
        with open(target, "wb") as file:
            file.write(data)
        return
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "the directory of path is missing", target)
    # Not one of tempfile: those cannot be read by others.
    beside = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(beside, "xb") as file:
            file.write(data)
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
