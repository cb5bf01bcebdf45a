"""The rows as the method saw them: scaled, and as points whose distances it goes by.

A page speaks in the units of the table. How good clusters are, and where rows lie in the plane, is
told in the scaling of the fit instead: there a column with large numbers counts no more than the
method let it count.
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

#: Rows that are looked at where a number takes long to compute; more of them are drawn from.
SAMPLE = 4000
#: The same where it takes all pairs of rows.
PAIRS = 2000
#: Eigenvalues of a kernel matrix below this share of the largest are rounding.
ROUNDING = 1e-10


@dataclass(frozen=True)
class FitRows:
    """Rows in the space of the fit.

    Attributes
    ----------
    rows : EncodedRows of shape (n_samples, n_columns)
        As the method takes them, missing values and all.
    points : ndarray of shape (n_samples, n_counted)
        The columns that count, with the mean in place of missing values.
    scaling : str
        What was done to the columns, in words.
    why_unknown : str or None
        Why these are not the rows of the fit but standardised ones.
    """

    rows: EncodedRows
    points: np.ndarray
    scaling: str
    why_unknown: str | None = None


def fit_rows_of(model: FittedModel, described: Described, X: np.ndarray) -> FitRows:
    """Raw rows as the method saw them; standardised where the preparation is not known."""
    preparation = model.preparation
    if isinstance(preparation, Unavailable):
        # Units may be of any size: as they are one column alone could be all that counts.
        rows = EncodedRows.of(_standardised(described, X), FeatureRoles.plain(X.shape[1]))
        return FitRows(rows, _points(rows), "standardised", preparation.why)
    rows = model.encoded(X)
    return FitRows(rows, _points(rows), "none" if preparation is None else preparation.steps)


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


def _points(rows: EncodedRows) -> np.ndarray:
    """The columns that the kernel sees, with means in place of missing values."""
    assert rows.roles is not None
    points = np.array(rows[:, rows.roles.kernel], dtype=np.float64, subok=False)
    missing = np.isnan(points)
    if missing.any():
        points = np.where(missing, checks.column_means(points, None), points)
    return points


def sample_of(n_rows: int, most: int) -> np.ndarray:
    """Numbers of rows: all, or so many that are drawn, the same ones every time."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def kernel_points(kernel: Kernel, points: np.ndarray) -> np.ndarray:
    """Points whose distances are those of a kernel."""
    if kernel.metric == "linear":
        return points
    gram = kernel.matrix(points)
    # About the mean of the points: some kernels are positive there only.
    gram = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    # The eigenvectors of the matrix, each as long as the root of its value; an indefinite kernel
    # has negative ones, which are the distance of nothing.
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    kept = values > values.max(initial=0.0) * ROUNDING
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
