"""What bytes of a text file mean: their encoding, the separator and the decimal point."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agathis.cli._errors import BadData, WrongUse

SEPARATORS = (",", ";", "\t", "|")
SAMPLE_BYTES, SAMPLE_ROWS = 1 << 16, 100
COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
POINT = re.compile(r"\s*[-+]?\d*\.\d+\s*")
# No text has these, not even in one of the encodings that have a byte a letter.
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Layout:
    """How a text is cut into cells; ``header`` has the names as they stand there."""

    separator: str
    decimal: str
    header: tuple[str, ...]


def as_utf8(data: bytes, encoding: str | None, name: str) -> bytes:
    """The text in UTF-8 without a mark at its beginning."""
    if encoding is None and data.startswith(UTF16):
        raise BadData(f"{name} is text in UTF-16: give --encoding utf-16.")
    if encoding is None and CONTROL.search(data, 0, SAMPLE_BYTES):
        raise BadData(f"{name} is no text, or in another encoding, which --encoding tells.")
    try:
        text = data.decode("utf-8" if encoding is None else encoding)
    except LookupError:
        raise WrongUse(
            f"--encoding {encoding} is unknown; others are utf-8, latin-1, cp1252, utf-16."
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadData(
            f"{name} is not text in {encoding or 'UTF-8'}: byte {data[error.start]:#04x} in line "
            f"{line}. Give its encoding, such as --encoding cp1252 or --encoding latin-1."
        ) from None
    except UnicodeError as error:
        raise BadData(f"{name} is not text in {encoding}: {error}.") from None
    if encoding is None:
        return data.removeprefix(codecs.BOM_UTF8)
    # Some encodings have halves of characters, which UTF-8 has not.
    return text.removeprefix("\ufeff").encode(errors="replace")


def layout_of(data: bytes, separator: str | None) -> Layout:
    """The separator that gives most rows as many cells as the header, and what fits it.

    >>> layout_of(b"size;colour\\n1,5;red\\n2,5;blue\\n", None)
    Layout(separator=';', decimal=',', header=('size', 'colour'))
    """
    sample = data[:SAMPLE_BYTES]
    if len(data) > len(sample):
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    text = sample.decode("utf-8", errors="ignore")
    found = {kind: _cells(text, kind) for kind in ([separator] if separator else SEPARATORS)}
    best = max(found, key=lambda kind: _fit(found[kind]))
    rows = found[best]
    return Layout(best, _decimal(rows[1:], best), tuple(rows[0]))


def _cells(text: str, separator: str) -> list[list[str]]:
    out = []
    # Not str.splitlines: a name may hold one of the signs that end a line to it alone.
    lines = io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"))
    try:
        for row in csv.reader(lines, delimiter=separator):
            if row:
                out.append(row)
            if len(out) > SAMPLE_ROWS:
                break
    except csv.Error:
        # The reader of the whole file says what is wrong.
        pass
    return out or [[text]]


def _fit(rows: Sequence[Sequence[str]]) -> tuple[bool, float, int]:
    width = len(rows[0])
    same = sum(len(row) == width for row in rows) / len(rows)
    return width > 1, same, width


def _decimal(rows: Sequence[Sequence[str]], separator: str) -> str:
    if separator == ",":
        return "."
    cells = [cell for row in rows for cell in row]
    commas = sum(COMMA.fullmatch(cell) is not None for cell in cells)
    points = sum(POINT.fullmatch(cell) is not None for cell in cells)
    return "," if commas > points else "."
