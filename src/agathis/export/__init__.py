"""Export trees as text, rules, SQL, JSON, Python, Graphviz, scikit-learn or ONNX models.

All exports take a fitted estimator of the package, a pipeline that ends with one, or a ``Tree``;
with ``scaler`` thresholds are in the units before scaling. Each format has a file, which only
writes; ``_rules`` provides the conditions. ``_dialects`` lists the SQL databases,
``_sql_columns`` and ``_sqlite`` write conditions on columns with and without types, and ``_terms``
has the terms of sums of columns for all languages. A model file (``_json``) stores a
:class:`FittedModel`, in the parts ``_json_names``, ``_json_tree`` and ``_json_fit``, whose values
``_json_checks`` reads by their types. ``_rename`` renames clusters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._utils.lazy import lazy

__all__ = [
    "FittedModel",
    "from_json",
    "renamed",
    "to_dot",
    "to_json",
    "to_onnx",
    "to_python",
    "to_rules",
    "to_sklearn",
    "to_sql",
    "to_text",
]

# Imported on first use.
_HOMES = {
    "FittedModel": "agathis._model.fitted_model",
    "from_json": "agathis.export._json",
    "renamed": "agathis.export._rename",
    "to_dot": "agathis.export._dot",
    "to_json": "agathis.export._json",
    "to_onnx": "agathis.export._onnx",
    "to_python": "agathis.export._python",
    "to_rules": "agathis.export._rules",
    "to_sklearn": "agathis.export._sklearn",
    "to_sql": "agathis.export._sql",
    "to_text": "agathis.export._text",
}

if TYPE_CHECKING:
    from agathis._model.fitted_model import FittedModel
    from agathis.export._dot import to_dot
    from agathis.export._json import from_json, to_json
    from agathis.export._onnx import to_onnx
    from agathis.export._python import to_python
    from agathis.export._rename import renamed
    from agathis.export._rules import to_rules
    from agathis.export._sklearn import to_sklearn
    from agathis.export._sql import to_sql
    from agathis.export._text import to_text

__getattr__, __dir__ = lazy(__name__, _HOMES)
