"""What a file seems to be that was given for something else."""

from __future__ import annotations

import json
import re

MODEL, PAGE, DATA = "a model", "a page, HTML", "data in JSON"
FORMAT = re.compile(rb'"format"\s*:\s*"agathis-tree"')
HTML = re.compile(rb"\s*<(!doctype|html|head|body|\?xml|!--)", re.IGNORECASE)


def looks_like(data: bytes) -> str | None:
    """A word for a text that is no table; None for what may be one.

    >>> looks_like(b"<!DOCTYPE html><p>"), looks_like(b'[{"a": 1}]'), looks_like(b"a,b")
    ('a page, HTML', 'data in JSON', None)
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if HTML.match(data):
        return PAGE
    first = data.lstrip()[:1]
    if first not in (b"{", b"["):
        return None
    # The header of a table may begin with a brace, but does not go on as JSON does.
    if FORMAT.search(data[: 1 << 16]):
        return MODEL
    try:
        json.loads(data.lstrip().partition(b"\n")[0])
    except ValueError:
        following = data.lstrip()[1:].lstrip()[:1]
        return DATA if following in (b'"', b"{", b"[") else None
    return DATA
