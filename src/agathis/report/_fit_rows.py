"""The rows in the space of the fit: encoded, and as points with the distances of the kernel.

Values on a page are in the units of the table. Metrics and the scatter plot use the encoded rows
instead, in which columns have the weights of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agathis._checks import data as checks
from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._kernels.kernel import Kernel
from agathis._model.encoding import Unavailable
from agathis._model.fitted_model import FittedModel
from agathis._rules.columns import Indicator
from agathis._rules.described_tree import Described
from agathis.report._tuning import EIGENVALUE_ROUNDING


@dataclass(frozen=True)
class FitRows:
    """Rows in the space of the fit.

    Attributes
    ----------
    rows : EncodedRows of shape (n_samples, n_columns)
        As the method takes them, including missing values.
    points : ndarray of shape (n_samples, n_counted)
        The columns of the kernel, with missing values replaced by the mean.
    scaling : str
        How the columns were scaled.
    why_unknown : str or None
        If the preprocessing of the fit is unknown: why. The rows are standardised then.
    """

    rows: EncodedRows
    points: np.ndarray
    scaling: str
    why_unknown: str | None = None


def fit_rows_of(model: FittedModel, described: Described, X: np.ndarray) -> FitRows:
    """Encode raw rows as in the fit; standardise them if that is unknown."""
    preparation = model.preparation
    if isinstance(preparation, Unavailable):
        # In raw units a single column may dominate all distances.
        rows = EncodedRows.of(_standardised(described, X), FeatureRoles.plain(X.shape[1]))
        return FitRows(rows, _points(rows), "standardised", preparation.why)
    rows = model.encoded(X)
    return FitRows(rows, _points(rows), "none" if preparation is None else preparation.steps)


def _standardised(described: Described, table: np.ndarray) -> np.ndarray:
    """Numbers with mean 0 and variance 1; categories remain 0 and 1."""
    rows = table.astype(np.float64)
    numbers = [f for f, column in enumerate(described.columns) if not isinstance(column, Indicator)]
    part = rows[:, numbers] - checks.column_means(rows[:, numbers], None)
    # Divide by the maximum first, so that no square overflows.
    largest = np.nanmax(np.abs(part), axis=0, initial=0.0)
    part /= np.where(largest > 0, largest, 1.0)
    n_known = np.maximum(np.sum(~np.isnan(part), axis=0), 1)
    spread = np.sqrt(np.nansum(part**2, axis=0) / n_known)
    rows[:, numbers] = part / np.where(spread > 0, spread, 1.0)
    return rows


def _points(rows: EncodedRows) -> np.ndarray:
    """The columns of the kernel, with missing values replaced by the mean."""
    assert rows.roles is not None
    points = np.array(rows[:, rows.roles.kernel], dtype=np.float64, subok=False)
    missing = np.isnan(points)
    if missing.any():
        points = np.where(missing, checks.column_means(points, None), points)
    return points


def sample_of(n_rows: int, max_rows: int) -> np.ndarray:
    """Indices of all rows, or of a reproducible sample of ``max_rows``."""
    if n_rows <= max_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, max_rows, replace=False))


def kernel_points(kernel: Kernel, points: np.ndarray) -> np.ndarray:
    """Points with the distances of a kernel."""
    if kernel.metric == "linear":
        return points
    gram = kernel.matrix(points)
    # Centre: conditionally positive kernels are positive only then.
    gram = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    # Negative eigenvalues, of an indefinite kernel, are not distances.
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    positive = values > values.max(initial=0.0) * EIGENVALUE_ROUNDING
    return np.asarray(vectors[:, positive] * np.sqrt(values[positive]))
