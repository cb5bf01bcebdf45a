"""Read a whole file or stream into memory, with limits on endless input.

A pipe or device may never end, and a small compressed file may expand to any size. Two limits raise
errors: on the bytes of a line, and on the total bytes of input of unknown size (a pipe, a device,
the content of a gzip file). Binary data, such as ``/dev/zero``, are rejected at the first bytes.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from typing import BinaryIO, cast

from agathis._columns.errors import Advice, BadTable
from agathis._io.formats import GZIP, UTF8_MARK, begins_as
from agathis._io.text_encoding import check_text
from agathis._io.tuning import SAMPLE_BYTES

#: The maximum line length; ``fit_file`` accepts rows of up to 4 MiB.
MAX_LINE_BYTES = 64 << 20
#: The maximum block size of pyarrow, which parses a whole text at once: 1 byte less than 2 GiB.
MAX_BYTES = (1 << 31) - 1
# Bytes per read, between which the process can be interrupted.
PIECE = 1 << 20


def read_bytes(
    file: BinaryIO,
    name: str,
    *,
    encoding: str | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    max_bytes: int = MAX_BYTES,
) -> bytes:
    """Read all bytes of a file, decompressing gzip.

    Parameters
    ----------
    file : binary file
        With ``read1``.
    name : str
        Of the table in messages.
    encoding : str, optional
        Where one is given, the first bytes need not be those of UTF-8.
    max_line_bytes : int
        Of text; a list of JSON may be one line, and is not limited by it.
    max_bytes : int
        Applies to pipes and devices, and to the content of a gzip file; not to regular files.

    Raises
    ------
    BadTable
        Where a limit is exceeded, the first bytes are binary data, or gzip data are damaged.
    """
    lines = _Lines(name, encoding, max_line_bytes)
    data = _read(file, name, lines, None if _has_size(file) else max_bytes)
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as content:
            lines = _Lines(name, encoding, max_line_bytes)
            return _read(cast(BinaryIO, content), name, lines, max_bytes)
    except (OSError, EOFError, zlib.error) as error:
        raise BadTable(f"{name} is compressed by gzip, and damaged: {error}.") from error


def _read(file: BinaryIO, name: str, lines: _Lines, maximum: int | None) -> bytes:
    # A BytesIO grows in place and gives its buffer away, where joining pieces would copy.
    out = io.BytesIO()
    # A pipe may deliver one byte at first; the kind of data is detected from a full sample.
    piece = file.read(SAMPLE_BYTES)
    while piece:
        lines.check(piece, out.tell())
        out.write(piece)
        if maximum is not None and out.tell() > maximum:
            raise BadTable(
                f"{name} has more than {maximum:,} bytes, the limit for pipes, devices and "
                "compressed files, and may have no end. ",
                Advice("max_bytes"),
                " raises the limit.",
            )
        piece = file.read1(PIECE)  # type: ignore[attr-defined]
    return out.getvalue()


class _Lines:
    """Check the first bytes and the lengths of lines while a text is read."""

    def __init__(self, name: str, encoding: str | None, maximum: int) -> None:
        self.name, self.encoding, self.maximum = name, encoding, maximum
        self.is_text = True
        self.length = 0

    def check(self, piece: bytes, done: int) -> None:
        """Raise if a piece makes a line too long, or the first piece is binary data."""
        if not done:
            start = piece.removeprefix(UTF8_MARK).lstrip()[:1]
            self.is_text = begins_as(piece) is None and start != b"["
            if self.is_text and self.encoding is None:
                check_text(piece[:SAMPLE_BYTES], self.name)
        if not self.is_text:
            return
        # The line the piece continues, and the one it begins; those between are shorter.
        first = min((at for mark in b"\n\r" if (at := piece.find(mark)) >= 0), default=len(piece))
        last = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        longest = self.length + first
        self.length = longest if last < 0 else len(piece) - last - 1
        longest = max(longest, self.length)
        if longest > self.maximum:
            raise BadTable(
                f"{self.name} has a line of more than {self.maximum:,} bytes: {longest:,} were "
                "read without the end of a line, so it is no table, or has no end. ",
                Advice("max_line_bytes"),
                " raises the limit.",
            )


def _has_size(file: BinaryIO) -> bool:
    """Whether it is a regular file, which has an end."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:  # not a file, such as a BytesIO
        return False
