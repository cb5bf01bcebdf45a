"""Detect the format of a file from its first bytes and its name."""

from __future__ import annotations

import json
import os
import re

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
}
TITLES = {"parquet": "Parquet", "arrow": "Arrow", "csv": "CSV", "tsv": "TSV"}
TEXTS = ("csv", "tsv")
GZIP = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"
# First bytes of binary files.
MAGIC = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\xff\xff\xff\xff": "an Arrow stream",
    b"FEA1": "a Feather file of version 1, which has to be written anew as version 2",
    GZIP: "a file compressed by gzip",
    b"\x89PNG": "a PNG image",
    b"\xd0\xcf\x11\xe0": "an Excel file of the old format (.xls), or one with a password",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
}
COLUMNAR = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow", b"FEA1": "arrow"}

MODEL, PAGE, DATA = "a model", "a page, HTML", "data in JSON"
MODEL_MARK = re.compile(rb'"format"\s*:\s*"agathis-tree"')
HTML = re.compile(rb"\s*<(!doctype|html|head|body|\?xml|!--)", re.IGNORECASE)


def columnar_kind(head: bytes) -> str | None:
    """Return the columnar format of a file from its first bytes, or None."""
    return next((kind for magic, kind in COLUMNAR.items() if head.startswith(magic)), None)


def begins_as(head: bytes) -> str | None:
    """Describe a binary file by its first bytes; None if it may be text."""
    return next((what for magic, what in MAGIC.items() if head.startswith(magic)), None)


def is_tsv(path: str) -> bool:
    """Whether a file name says that columns are separated by tabs."""
    return FORMATS.get(_suffix(path)) == "tsv"


def format_of(path: str, format: str | None) -> str:
    """Return the given format, or the one inferred from the file name."""
    if format is not None:
        if format not in TITLES:
            raise ValueError(f"format={format!r} must be one of {list(TITLES)}, or None.")
        return format
    suffix = _suffix(path)
    if suffix not in FORMATS:
        raise ValueError(
            f"path={path!r} ends in {suffix!r}, which tells no format: accepted are "
            f"{', '.join(FORMATS)}, .csv.gz and .tsv.gz. Or give format=, one of {list(TITLES)}."
        )
    return FORMATS[suffix]


def _suffix(path: str) -> str:
    """Return the suffix that determines the format, without compression."""
    stem, suffix = os.path.splitext(path.lower())
    if suffix == ".gz":
        inner = os.path.splitext(stem)[1]
        suffix = inner if FORMATS.get(inner) in TEXTS else suffix
    return suffix


def looks_like(data: bytes) -> str | None:
    """Describe a text that is not a table; None if it may be one.

    >>> looks_like(b"<!DOCTYPE html><p>"), looks_like(b'[{"a": 1}]'), looks_like(b"a,b")
    ('a page, HTML', 'data in JSON', None)
    """
    data = data.removeprefix(UTF8_MARK)
    if HTML.match(data):
        return PAGE
    first = data.lstrip()[:1]
    if first not in (b"{", b"["):
        return None
    # A header may begin with a brace, but is not valid JSON.
    if MODEL_MARK.search(data[: 1 << 16]):
        return MODEL
    try:
        json.loads(data.lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError):
        following = data.lstrip()[1:].lstrip()[:1]
        return DATA if following in (b'"', b"{", b"[") else None
    return DATA
