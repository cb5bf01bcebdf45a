"""The rows as the method saw them: scaled, and as points whose distances it goes by.

A page speaks in the units of the table. How good clusters are, and where rows lie in the plane, is
told in the scaling of the fit instead: there a column with large numbers counts no more than the
method let it count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._describe.columns import Indicator
from agathis._describe.described_tree import Described
from agathis._trees.tree import Tree
from agathis.export import LoadedTree

#: Rows that are looked at where a number takes long to compute; more of them are drawn from.
SAMPLE = 4000
#: The same where it takes all pairs of rows.
PAIRS = 2000


@dataclass(frozen=True)
class FitRows:
    """Rows in the scaling of the fit.

    Attributes
    ----------
    rows : ndarray or data frame of shape (n_samples, n_columns)
        As the method takes them, missing values and all; with the names of columns where it was
        fitted with some.
    points : ndarray of shape (n_samples, n_counted)
        The columns that count, with the mean in place of missing values.
    scaling : str
        What was done to the columns, in words.
    known : bool
        Whether that is how the tree was grown; else it is how trees mostly are.
    """

    rows: Any
    points: np.ndarray
    scaling: str
    known: bool


def fit_rows_of(
    described: Described,
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    table: np.ndarray,
    scaler: Any,
    given: ArrayLike | None,
) -> FitRows:
    """The rows of ``table``, X as numbers, as the method saw them."""
    if given is not None:
        rows = np.asanyarray(given)
        if rows.ndim != 2 or len(rows) != len(table) or rows.dtype.kind not in "fiub":
            raise ValueError(
                f"fit_rows must be a table of numbers with {len(table)} rows, as X has; it is of "
                f"shape {rows.shape} and of {rows.dtype}."
            )
        return FitRows(rows, _points(rows, described.model), "", True)
    if isinstance(model, Pipeline) and model.steps[:-1]:
        rows = _dense(model[:-1].transform(X))
        return FitRows(rows, _points(rows, described.model), _steps(model[:-1]), True)
    if scaler is not None:
        rows = _dense(scaler.transform(X))
        return FitRows(rows, _points(rows, described.model), _steps(scaler), True)
    if isinstance(described.model, (LoadedTree, Tree)):
        # Neither says how its rows were scaled. Units may be of any size: as they are one column
        # alone could be all that counts.
        rows = _standardised(described, table)
        return FitRows(rows, _points(rows, described.model), "standardised", False)
    return FitRows(
        X if hasattr(X, "columns") else table, _points(table, described.model), "none", True
    )


def take(rows: Any, some: np.ndarray) -> Any:
    """These rows of an array or a data frame."""
    return rows.iloc[some] if hasattr(rows, "iloc") else rows[some]


def _dense(rows: Any) -> Any:
    return rows.toarray() if sparse.issparse(rows) else rows


def _steps(scaler: object) -> str:
    steps = scaler.steps if isinstance(scaler, Pipeline) else [("", scaler)]
    return ", then ".join(type(step).__name__ for _, step in steps)


def _standardised(described: Described, table: np.ndarray) -> np.ndarray:
    """Numbers with mean 0 and variance 1; of categories 0 and 1."""
    rows = table.astype(np.float64)
    numbers = [f for f, column in enumerate(described.columns) if not isinstance(column, Indicator)]
    part = rows[:, numbers] - checks.column_means(rows[:, numbers], None)
    # Over the largest first, so that no square is out of range.
    largest = np.nanmax(np.abs(part), axis=0, initial=0.0)
    part /= np.where(largest > 0, largest, 1.0)
    n_known = np.maximum(np.sum(~np.isnan(part), axis=0), 1)
    spread = np.sqrt(np.nansum(part**2, axis=0) / n_known)
    rows[:, numbers] = part / np.where(spread > 0, spread, 1.0)
    return rows


def _points(rows: Any, model: object) -> np.ndarray:
    """The columns that the kernel sees, all of them unless the rows or the model say which."""
    roles = getattr(rows, "roles", None) or getattr(model, "roles_", None)
    seen = getattr(roles, "kernel", None)
    points = np.array(rows, dtype=np.float64)
    if seen is not None and len(seen) == points.shape[1]:
        points = points[:, np.asarray(seen)]
    missing = np.isnan(points)
    if missing.any():
        points = np.where(missing, checks.column_means(points, None), points)
    return points


def sample_of(n_rows: int, most: int) -> np.ndarray:
    """Numbers of rows: all, or so many that are drawn, the same ones every time."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def kernel_points(model: object, points: np.ndarray) -> np.ndarray | None:
    """Points whose distances are those of the model's kernel; None where it is a given matrix."""
    kernel = getattr(model, "kernel", "linear")
    if isinstance(kernel, str) and kernel == "linear":
        return points
    if isinstance(kernel, str) and kernel == "precomputed":
        return None
    params = {name: getattr(model, name, None) for name in ("gamma", "degree", "coef0")}
    params = {name: value for name, value in params.items() if value is not None}
    params |= getattr(model, "kernel_params", None) or {}
    if callable(kernel):
        params = getattr(model, "kernel_params", None) or {}
    gram = pairwise_kernels(points, metric=kernel, filter_params=True, **params)
    # The eigenvectors of the matrix, each as long as the root of its value; an indefinite kernel
    # has negative ones, which are the distance of nothing.
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    kept = values > values.max(initial=0.0) * 1e-10
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
