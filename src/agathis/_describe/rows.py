"""Rows as a described tree takes them: in the units of its thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from agathis._checks import data as checks
from agathis._describe.described_tree import TreeInUnits
from agathis._tables.wording import quoted
from agathis._trees.model import TreeModel


def rows_of(found: TreeInUnits, X: ArrayLike) -> tuple[np.ndarray, int]:
    """X as the tree takes it, and how many threads to use on it.

    Rows of a model that was fitted to scaled ones are those from before scaling.
    """
    model = found.model
    if isinstance(model, TreeModel) and not found.scaled:
        return model._rows_and_threads(X)
    check_columns(X, found.fitted_names)
    missing = getattr(model, "_takes_missing", True)
    X = checks.check_table(X, missing=missing, n_features=found.tree.n_features)
    return X, checks.n_threads(None)


def check_columns(X: ArrayLike, fitted: Sequence[str] | None) -> None:
    """Raise where a data frame has other columns than the one that was fitted."""
    columns = getattr(X, "columns", None)
    if columns is None or fitted is None:
        return
    columns = [str(name) for name in columns]
    if columns != [str(name) for name in fitted]:
        raise ValueError(
            f"X has the columns {quoted(columns)}; the model was fitted with {quoted(fitted)}."
        )
