"""Detect and decode the encoding of a text file: UTF-8, UTF-16 with a mark, or cp1252."""

from __future__ import annotations

import codecs
import re

from agathis._columns.errors import Advice, BadTable, UnknownEncoding
from agathis._io.tuning import SAMPLE_BYTES

# Bytes that hardly occur in text, in any single-byte encoding.
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _is_binary(data: bytes) -> bool:
    """Whether bytes are no text: one stray control character is no reason to refuse a file."""
    return b"\0" in data or 100 * len(CONTROL.findall(data)) > len(data)


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
    if right >= wrong or _is_binary(data):
        return None
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "cp1252"


def check_text(head: bytes, name: str) -> None:
    """Raise if the first bytes are not text; UTF-16 has a byte order mark."""
    if marked_encoding(head) is None and _is_binary(head):
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
