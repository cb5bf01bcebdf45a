"""Rows as a described tree takes them: in the units of its thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from agathis._checks import data as checks
from agathis._describe.described_tree import TreeInUnits
from agathis._trees.model import TreeModel


def rows_of(found: TreeInUnits, X: ArrayLike) -> tuple[np.ndarray, int]:
    """X as the tree takes it, and how many threads to use on it.

    Rows of a model in a pipeline are those from before its steps: a raw table.
    """
    model, prepared = found.model, found.preparation
    if prepared is not None:
        if not prepared.by_name:
            check_columns(X, None if prepared.names is None else list(map(str, prepared.names)))
        rows = prepared.rows(X, bool(getattr(model, "_takes_missing", True)))
        return rows, checks.n_threads(None)
    if isinstance(model, TreeModel):
        return model._rows_and_threads(X)
    X = checks.check_table(X, missing=True, n_features=found.tree.n_features)
    return X, checks.n_threads(None)


def check_columns(X: ArrayLike, fitted: Sequence[str] | None) -> None:
    """Raise where a data frame has other columns than the one that was fitted."""
    columns = getattr(X, "columns", None)
    if columns is None or fitted is None:
        return
    columns = [str(name) for name in columns]
    if columns != [str(name) for name in fitted]:
        raise ValueError(
            f"X has the columns {_some(columns)}; the model was fitted with {_some(fitted)}."
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, list(names)[:5])) + (", ..." if len(names) > 5 else "")
