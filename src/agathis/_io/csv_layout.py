"""Detect the encoding, separator and decimal point of a text file.

They are inferred from the first rows. Where the decimal point is ambiguous, files with semicolons
are assumed to have decimal commas.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agathis._columns.errors import Advice, BadTable, UnknownEncoding
from agathis._io.tuning import SAMPLE_BYTES, SAMPLE_ROWS

SEPARATORS = (",", ";", "\t", "|")
NUMBER = {
    ",": re.compile(r"[-+]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?"),
    ".": re.compile(r"[-+]?(\d*|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?"),
}
# Spreadsheets write their separator before the header.
SEP_LINE = re.compile(rb'"?sep=([^\r\n])"?\r?\n')
# Bytes that occur in no text, in any single-byte encoding.
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Layout:
    """How text is divided into cells.

    Attributes
    ----------
    separator, decimal : str
    sure : bool
        Whether some cells are numbers with that decimal point only.
    header : tuple of str
        The names as written.
    skip_rows : int
        The number of lines before the header.
    sample : list of lists of str
        The cells of the first rows.
    """

    separator: str
    decimal: str
    sure: bool
    header: tuple[str, ...]
    skip_rows: int = 0
    sample: Sequence[Sequence[str]] = field(default=(), repr=False)

    @property
    def names(self) -> list[str]:
        """The column names, which may have duplicates."""
        return [name.strip() for name in self.header]


def is_separator(text: object) -> bool:
    """Whether a string is a valid separator.

    >>> is_separator(";"), is_separator(", "), is_separator('"')
    (True, False, False)
    """
    return isinstance(text, str) and len(text) == 1 and text.isascii() and text not in '"\r\n'


def marked_encoding(data: bytes) -> str | None:
    """Return UTF-16 if the text has its byte order mark."""
    return "utf-16" if data.startswith(UTF16) else None


def assumed_encoding(data: bytes) -> str | None:
    """Return cp1252 if a text is neither UTF-8 nor damaged UTF-8; else None.

    Western spreadsheets write cp1252; it equals latin-1 but for control characters.

    >>> assumed_encoding("Zürich".encode("latin-1")), assumed_encoding("Zürich".encode())
    ('cp1252', None)
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return None
    # In another encoding, adjacent non-ASCII letters rarely form a valid UTF-8 sequence.
    right = sum(not c.isascii() for c in data.decode("utf-8", errors="ignore"))
    wrong = data.decode("utf-8", errors="replace").count("\ufffd")
    if right >= wrong or CONTROL.search(data):
        return None
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "cp1252"


def check_text(head: bytes, name: str) -> None:
    """Raise if the first bytes are not text; UTF-16 has a byte order mark."""
    if marked_encoding(head) is None and CONTROL.search(head):
        raise BadTable(
            f"{name} is no text, or in another encoding, which ", Advice("encoding"), " tells."
        )


def as_utf8(data: bytes, encoding: str | None, name: str, *, whole: bool = True) -> bytes:
    """Decode to UTF-8 without a byte order mark.

    Unless ``whole``, an incomplete character at the end is dropped.
    """
    if encoding is None:
        check_text(data[:SAMPLE_BYTES], name)
    try:
        text = _decoded(data, "utf-8" if encoding is None else encoding, whole)
    except LookupError:
        raise UnknownEncoding(
            Advice("encoding", encoding), " is unknown; others are utf-8, latin-1, cp1252, utf-16."
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadTable(
            f"{name} is not text in {encoding or 'UTF-8'}: byte {data[error.start]:#04x} in line "
            f"{line}. Give its encoding, such as ",
            Advice("encoding", "cp1252"),
            " or ",
            Advice("encoding", "latin-1"),
            ".",
        ) from None
    except UnicodeError as error:
        raise BadTable(f"{name} is not text in {encoding}: {error}.") from None
    if encoding is None and whole:
        return data.removeprefix(codecs.BOM_UTF8)
    # Some encodings have surrogates, which UTF-8 has not.
    return text.removeprefix("\ufeff").encode(errors="replace")


def _decoded(data: bytes, encoding: str, whole: bool) -> str:
    if whole:
        return data.decode(encoding)
    b"".decode(encoding)  # raises for codecs that do not decode to str
    return codecs.getincrementaldecoder(encoding)().decode(data)


def without_sep_line(data: bytes) -> tuple[bytes, str | None]:
    """Remove a first line ``sep=;`` and return the text and the separator.

    >>> without_sep_line(b"sep=;\\na;b\\n")
    (b'a;b\\n', ';')
    """
    match = SEP_LINE.match(data)
    if not match or not is_separator(match[1].decode("latin-1")):
        return data, None
    return data[match.end() :], match[1].decode()


def layout_of(data: bytes, separator: str | None, decimal: str | None = None) -> Layout:
    """Choose the separator that gives most rows as many cells as the header.

    >>> layout_of(b"size;colour\\n1,5;red\\n2,5;blue\\n", None)
    Layout(separator=';', decimal=',', sure=True, header=('size', 'colour'), skip_rows=0)
    """
    sample = data[:SAMPLE_BYTES]
    if len(data) > len(sample):
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    text = sample.decode("utf-8", errors="ignore")
    cells = {kind: _cells(text, kind) for kind in ([separator] if separator else SEPARATORS)}
    best = max(cells, key=lambda kind: _fit(cells[kind]))
    rows = cells[best]
    sure = decimal is not None
    if decimal is None:
        decimal, sure = _decimal(rows[1:], best)
    return Layout(best, decimal, sure, tuple(rows[0]), sample=rows[1:])


def _cells(text: str, separator: str) -> list[list[str]]:
    out = []
    # str.splitlines would also split at separators that may occur in names.
    lines = io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"))
    try:
        for row in csv.reader(lines, delimiter=separator):
            if row:
                out.append(row)
            if len(out) > SAMPLE_ROWS:
                break
    except csv.Error:
        # The reader of the file reports the error.
        pass
    return out or [[text]]


def _fit(rows: Sequence[Sequence[str]]) -> tuple[bool, float, int]:
    width = len(rows[0])
    same = sum(len(row) == width for row in rows) / len(rows)
    return width > 1, same, width


def _decimal(rows: Sequence[Sequence[str]], separator: str) -> tuple[str, bool]:
    """Return the decimal point, and whether it is unambiguous."""
    if separator == ",":
        return ".", True
    counts = {",": 0, ".": 0}
    for cell in {cell.strip() for row in rows for cell in row}:
        fits = [point for point, number in NUMBER.items() if number.fullmatch(cell)]
        if len(fits) == 1:
            counts[fits[0]] += 1
    likely = "," if separator == ";" else "."
    best = max(counts, key=lambda point: (counts[point], point == likely))
    return best, counts[best] > 0
