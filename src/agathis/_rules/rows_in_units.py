"""Convert rows to the features of a described tree, in the units of its thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from agathis._checks import data as checks
from agathis._columns.wording import quoted
from agathis._rules.described_tree import TreeInUnits
from agathis._trees.model import TreeModel


def rows_of(described: TreeInUnits, X: ArrayLike) -> tuple[np.ndarray, int]:
    """Return X as features of the tree, and the number of threads.

    For a model in a pipeline X is a raw table.
    """
    model = described.model
    if described.preparation is None and isinstance(model, TreeModel):
        return model._rows_and_threads(X)
    missing = bool(getattr(model, "_takes_missing", True))
    return table_of(described, X, missing=missing), checks.n_threads(None)


def table_of(described: TreeInUnits, X: ArrayLike, *, missing: bool) -> np.ndarray:
    """Return X as the raw features, in original units, that a described tree splits on.

    Parameters
    ----------
    described : TreeInUnits
    X : array or data frame
        The rows before the steps of a pipeline.
    missing : bool
        Whether missing values that no step imputes are accepted.
    """
    prepared = described.preparation
    if prepared is None:
        return checks.check_table(X, missing=missing, n_features=described.tree.n_features)
    if not prepared.by_name:
        check_columns(X, prepared.names)
    return prepared.rows(X, missing)


def check_columns(X: ArrayLike, fitted: Sequence[str] | None) -> None:
    """Raise if a data frame has other columns than the fitted one."""
    columns = getattr(X, "columns", None)
    if columns is None or fitted is None:
        return
    columns = [str(name) for name in columns]
    if columns != [str(name) for name in fitted]:
        raise ValueError(
            f"X has the columns {quoted(columns)}; the model was fitted with {quoted(fitted)}."
        )
