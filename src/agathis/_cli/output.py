"""Write results: atomically to a file, or to stdout for ``-``."""

from __future__ import annotations

import os
import sys

from agathis._cli.console import harmless
from agathis._cli.errors import BadData, WrongUse
from agathis._utils.files import target_of

#: The name of standard output, and of standard input if a file is read.
STDOUT = STDIN = "-"


def check_target(path: str | None, option: str = "-o") -> None:
    """Raise before the work if a file could not be written after it."""
    if path is None or path == STDOUT:
        return
    if not path:
        raise WrongUse(f"{option} is an empty name; give a file, or - for stdout.")
    target = target_of(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise BadData(f"{path} is a folder; {option} takes a file.")
    if not os.path.isdir(folder):
        raise BadData(f"the folder of {path} does not exist: {folder}")
    # A file is replaced, so its folder must be writable; a device must be writable itself.
    is_file = os.path.isfile(target) or not os.path.exists(target)
    if not os.access(folder if is_file else target, os.W_OK):
        where = f"the folder {folder}" if is_file else "it"
        raise BadData(f"{path} cannot be written: {where} is read-only.")


def check_apart(source: str, **targets: str | None) -> None:
    """Raise if a result would replace the input, or two results are one file."""
    seen = {} if source == STDIN else {os.path.realpath(source): "the input"}
    for option, target in targets.items():
        if target is None:
            continue
        key = target if target == STDOUT else os.path.realpath(target)
        name = f"--{option}" if len(option) > 1 else f"-{option}"
        if key in seen and (key == STDOUT or not os.path.exists(key) or os.path.isfile(key)):
            raise WrongUse(f"{name} {target} is {seen[key]} too; give it another name.")
        seen[key] = f"the file of {name}"


def write(path: str, data: bytes | str) -> None:
    """Write a result atomically."""
    from agathis._utils.files import write_atomic

    if isinstance(data, str):
        # Terminals would interpret control characters.
        shown = harmless(data) if path == STDOUT and sys.stdout.isatty() else data
        data = shown.encode(errors="backslashreplace")
    if path != STDOUT:
        try:
            write_atomic(path, data)
        except OSError as error:
            raise BadData(f"{path} is not written: {error.strerror or error}.") from error
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_binary(path: str, data: bytes) -> None:
    """Write binary data, but not to a terminal."""
    if path == STDOUT and sys.stdout.isatty():
        raise WrongUse("binary data cannot be shown on a terminal: give a file with -o.")
    write(path, data)
