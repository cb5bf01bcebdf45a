"""Points whose inner products equal a kernel's values, as input of KMeans.

Centring a kernel changes no cost, and the rows of any factor ``A = F F'`` of a centred positive
semi-definite matrix are such points. :func:`triangle` is a Cholesky factor, exact up to rounding.
For many rows :func:`few_components` is a low-rank approximation, so the search must end on the
full matrix (see ``searches.single_moves``).

The part of an indefinite matrix that is not positive is left out, so that these points are only a
start of the search, which also ends on the full matrix. Shifting the diagonal instead would make
the matrix positive without changing the order of partitions, but all rows would be at the same
large distance, and KMeans would hardly move from its initialisation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpstrf
from sklearn.utils import gen_batches

from agathis._kernels.kernel import Kernel, one_blas_thread
from agathis._kernels.positive import PivotedCholesky, PositiveKernel
from agathis._kmeans.tuning import COMPONENTS, LEFT_OUT, SQUARE

# Pivots up to this, times n and the rounding of one value, are rounding.
ROUNDING = 8
# The relative residual above which a kernel matrix is indefinite, and the rounding error of its
# values in units in the last place.
INDEFINITE, ROUNDINGS = 1e-9, 64


def centre(matrix: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Centre a kernel matrix at the weighted mean of its rows; exactly symmetric."""
    share = weight / weight.sum()
    mean = matrix @ share
    out = matrix - (mean - 0.5 * (share @ mean))
    out -= (mean - 0.5 * (share @ mean))[:, None]
    # In blocks, to avoid a second matrix.
    for i, rows in enumerate(some := list(gen_batches(len(out), SQUARE))):
        for columns in some[: i + 1]:
            half = 0.5 * (out[rows, columns] + out[columns, rows].T)
            out[rows, columns] = half
            out[columns, rows] = half.T
    return out


def triangle(centred: np.ndarray, tolerance: float) -> np.ndarray:
    """Points of a centred positive semi-definite matrix, by pivoted Cholesky.

    Parameters
    ----------
    centred : ndarray of shape (n_rows, n_rows)
        Exactly symmetric; a part that is not positive is left out.
    tolerance : float
        Pivots that are not larger are dropped.

    Returns
    -------
    points : ndarray of shape (n_rows, n_components)
    """
    if not np.diagonal(centred).max(initial=0.0) > tolerance:
        return np.zeros((len(centred), 1))
    # The last bits may depend on the number of threads.
    with one_blas_thread():
        # The transpose of a symmetric matrix is equal, in the memory order of LAPACK.
        lower, pivots, rank, _ = dpstrf(centred.T, tol=tolerance, lower=1)
    points = np.zeros((len(centred), rank))
    points[pivots - 1] = np.tril(lower[:, :rank])
    return points


def few_components(kernel: Kernel, centred: np.ndarray) -> np.ndarray:
    """Points of a low-rank approximation of a centred matrix; deterministic.

    Parameters
    ----------
    kernel : Kernel
        A positive semi-definite kernel.
    centred : ndarray of shape (n_rows, n_rows)

    Returns
    -------
    points : ndarray of shape (n_rows, n_components)
    """
    indices, random = np.arange(len(centred))[:, None], np.random.RandomState(0)
    with one_blas_thread():
        grown = PivotedCholesky(_Known(kernel, centred), indices, COMPONENTS, random)
        while grown.extend() and grown.share > LEFT_OUT:
            pass
    return np.ascontiguousarray(grown.columns) if grown.pivots else np.zeros((len(centred), 1))


@dataclass(frozen=True)
class _Known(PositiveKernel):
    """A positive kernel with known values; a row consists of its index."""

    matrix: np.ndarray

    def between(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        return self.matrix[np.ix_(X[:, 0], Y[:, 0])]

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        return np.diagonal(self.matrix)[X[:, 0]]

    def rounding(self, X: np.ndarray) -> np.ndarray:
        return np.zeros(len(X))


def is_factor(points: np.ndarray, centred: np.ndarray, rounding: float) -> bool:
    """Whether the points of :func:`triangle` leave nothing out, so that the matrix is positive.

    The residual of a positive matrix is nowhere larger than the last pivot; ``rounding`` is that of
    a value of the matrix.
    """
    largest = float(np.diagonal(centred).max(initial=0.0))
    left = np.abs(centred - points @ points.T).max(initial=0.0)
    return bool(left <= INDEFINITE * largest + ROUNDINGS * rounding)
