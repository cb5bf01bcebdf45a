"""Trees in other forms: words, rules, SQL, JSON, Python, Graphviz, scikit-learn, ONNX.

All of them take a fitted estimator of the package, a pipeline of scalers and one, or a ``Tree``;
``scaler`` gives thresholds in the units that the data had before it. Each form has a file; what
they share is a tree with names and columns, ``_described``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._lazy import lazy

__all__ = [
    "LoadedTree",
    "from_json",
    "to_dot",
    "to_json",
    "to_onnx",
    "to_python",
    "to_rules",
    "to_sklearn",
    "to_sql",
    "to_text",
]

# Imported when first asked for: most people need one.
_HOMES = {
    "LoadedTree": "agathis.export.loaded",
    "from_json": "agathis.export.as_json",
    "to_dot": "agathis.export.dot",
    "to_json": "agathis.export.as_json",
    "to_onnx": "agathis.export.as_onnx",
    "to_python": "agathis.export.python",
    "to_rules": "agathis.export.rules",
    "to_sklearn": "agathis.export.as_sklearn",
    "to_sql": "agathis.export.sql",
    "to_text": "agathis.export.text",
}

if TYPE_CHECKING:
    from agathis.export.as_json import from_json, to_json
    from agathis.export.as_onnx import to_onnx
    from agathis.export.as_sklearn import to_sklearn
    from agathis.export.dot import to_dot
    from agathis.export.loaded import LoadedTree
    from agathis.export.python import to_python
    from agathis.export.rules import to_rules
    from agathis.export.sql import to_sql
    from agathis.export.text import to_text

__getattr__, __dir__ = lazy(__name__, _HOMES)
