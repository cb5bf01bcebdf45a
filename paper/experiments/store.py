"""Rows on disk, one line each, appended as they come.

A line is JSON; the first says what the file is and which protocol its rows follow. A process that
is killed while it writes leaves at most one line without an end: what stands after the last
newline is dropped when the file is opened again, and its fit is done anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FORMAT = "agathis-experiments"
#: Counts up when rows are no longer comparable with older ones.
PROTOCOL = 1
NAME = "runs.jsonl"
KEY = ("experiment", "dataset", "kernel", "run", "at", "method")


class Store:
    """The rows of a folder; used as a context to append.

    Parameters
    ----------
    folder : str or PathLike
        Made where rows are to be appended.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / NAME
        self._file: Any = None

    def __enter__(self) -> Store:
        for _ in self.rows():  # what is no store is told of, and left alone
            pass
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "ab+", buffering=0)
        try:
            self._lock()
            text = self._read()
            if _whole(text) < len(text):
                self._file.truncate(_whole(text))
            if not _whole(text):
                self._write(_FIRST)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self._file = None

    def append(self, row: dict[str, Any]) -> None:
        """Keep a row; once this returns, no end of the process loses it."""
        self._write(_line(row))
        os.fsync(self._file.fileno())

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows that are there."""
        text = self._read()
        lines = text[: _whole(text)].splitlines()
        if not lines and _FIRST.startswith(text):
            return
        head = self._parsed(1, lines[0]) if lines else {}
        if head.get("format") != FORMAT:
            raise ValueError(f"{self.path} is no file of {FORMAT}; take another folder.")
        if head.get("protocol") != PROTOCOL:
            raise ValueError(
                f"{self.path} has rows of protocol {head.get('protocol')!r}, and this version "
                f"makes rows of protocol {PROTOCOL}: take another folder, or remove the file."
            )
        for number, line in enumerate(lines[1:], 2):
            row = self._parsed(number, line)
            if not set(KEY) <= set(row):
                raise ValueError(f"{self.path}, line {number}: it lacks some of {', '.join(KEY)}.")
            yield row

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{self.path}, line {number}: {error}.") from error
        if not isinstance(found, dict):
            raise ValueError(f"{self.path}, line {number}: it is no object.")
        return found

    def _read(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    def _write(self, line: bytes) -> None:
        # A disk that fills takes a part of a line without a word, and refuses the rest of it.
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.fspath(self.path)) from error

    def _lock(self) -> None:
        """Two runs that append to one file would do all fits twice."""
        try:
            import fcntl
        except ImportError:  # not on Windows
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RuntimeError(f"another run is writing to {self.path}.") from error


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, allow_nan=False).encode() + b"\n"


_FIRST = _line({"format": FORMAT, "protocol": PROTOCOL})


def _whole(text: bytes) -> int:
    """How much of a file is lines with an end."""
    return text.rfind(b"\n") + 1


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """What a row is the result of."""
    return tuple(row[name] for name in KEY)
