"""The registry of export formats of ``agathis export``.

A new format is a file with a function ``to_<name>(model, ...)``, its row here, and its name in the
package's ``__init__``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Format(NamedTuple):
    """An export format.

    Attributes
    ----------
    writer : str
        The name of its function in :mod:`agathis.export`.
    options : mapping
        The arguments that the command line passes to that function.
    queries : bool
        Whether it is a query: it takes a dialect, a table and a column for the clusters.
    extra : tuple of str or None
        For binary formats: the required package, its extra, and the title of the format.
    """

    writer: str
    options: Mapping[str, object] = {}
    queries: bool = False
    extra: tuple[str, str, str] | None = None


FORMATS = {
    "sql": Format("to_sql", queries=True),
    "python": Format("to_python"),
    "dot": Format("to_dot"),
    "onnx": Format("to_onnx", extra=("skl2onnx", "onnx", "ONNX")),
    "json": Format("to_json", {"indent": 1}),
    "text": Format("to_text"),
    "rules": Format("to_rules"),
}
