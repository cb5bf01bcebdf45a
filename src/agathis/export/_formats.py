"""The forms that ``agathis export`` writes: the one table of them.

A new form is a file with a function ``to_<name>(model, ...)``, its row here, and its name in the
package's ``__init__``. It is light to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Format(NamedTuple):
    """A form in which a tree is written.

    Attributes
    ----------
    writer : str
        The name of its function in :mod:`agathis.export`.
    options : mapping
        What the command line gives that function besides the model.
    queries : bool
        Whether it is a query: it takes a dialect, a table and a column for the clusters.
    extra : tuple of str or None
        Of bytes and not of text, the package that writes them, its extra, and the form's title.
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
