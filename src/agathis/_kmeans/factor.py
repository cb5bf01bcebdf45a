"""Points whose inner products are a kernel's values.

KMeans needs points. Centring a kernel changes no cost, and any factor ``A = F F'`` of a centred
positive matrix has points as rows that do, whatever their rotation: :func:`triangle` is a Cholesky
factor, exact but for rounding. Where there are many rows, :func:`few_components`
are nearly the kernel, from some rows of the matrix; who asked must finish on all of it (see
``_kmeans.single_moves``).

Of a matrix that may not be positive :func:`factor` finds the eigenvectors, ``A = U L U'`` and
points ``U L^(1/2)``. With weights w the matrix that is factored is ``w_i^(1/2) K_ij w_j^(1/2)``
about the weighted mean, and each row is divided by ``w_i^(1/2)`` afterwards, so that what is
rounding is told by what it adds to the weighted cost.

A matrix that is not positive has no points that are all of it. Adding ``s / w_i`` to its diagonal
makes it positive and adds ``s (n - K)`` to the cost of every partition of n rows into K clusters,
so the best partition stays the best; but it also puts all rows at the same large distance from one
another, and KMeans then hardly moves from where it starts. So negative components are dropped
here, the points are only where the search begins, and it too is finished on the matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpstrf
from sklearn.utils import gen_batches

from agathis._kernels.kernel import Kernel, one_blas_thread
from agathis._kernels.positive import PivotedCholesky, PositiveKernel
from agathis._kmeans.tuning import COMPONENTS, LEFT_OUT, SQUARE

# Times n and the rounding of one value: eigenvalues, or pivots, below this share of the largest
# value are rounding.
ROUNDING = 8


@dataclass(frozen=True)
class Factor:
    """Points, and whether their inner products are the whole centred matrix.

    Attributes
    ----------
    points : ndarray of shape (n_rows, n_components)
        About their weighted mean.
    positive : bool
        False where components were dropped that are negative by more than rounding.
    """

    points: np.ndarray
    positive: bool


def centre(matrix: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The kernel matrix about the weighted mean of its rows, symmetric to the last bit."""
    share = weight / weight.sum()
    mean = matrix @ share
    out = matrix - (mean - 0.5 * (share @ mean))
    out -= (mean - 0.5 * (share @ mean))[:, None]
    # In squares: a second matrix would be as large as the first.
    for i, rows in enumerate(some := list(gen_batches(len(out), SQUARE))):
        for columns in some[: i + 1]:
            half = 0.5 * (out[rows, columns] + out[columns, rows].T)
            out[rows, columns] = half
            out[columns, rows] = half.T
    return out


def triangle(centred: np.ndarray, least: float) -> np.ndarray:
    """The points of a centred positive matrix, by a Cholesky factor with pivots.

    Parameters
    ----------
    centred : ndarray of shape (n_rows, n_rows)
        Symmetric to the last bit; what is not positive of it is left out.
    least : float
        Pivots that are not larger are rounding, or little enough.

    Returns
    -------
    points : ndarray of shape (n_rows, n_components)
    """
    if not np.diagonal(centred).max(initial=0.0) > least:
        return np.zeros((len(centred), 1))
    # With more threads the last digits may be others.
    with one_blas_thread():
        # Of a symmetric matrix the transposed is the same, in the order that LAPACK takes.
        lower, pivots, rank, _ = dpstrf(centred.T, tol=least, lower=1)
    points = np.zeros((len(centred), rank))
    points[pivots - 1] = np.tril(lower[:, :rank])
    return points


def few_components(kernel: Kernel, centred: np.ndarray) -> np.ndarray:
    """Points whose inner products are nearly a centred matrix, the same at each call.

    Parameters
    ----------
    kernel : Kernel
        One that is positive on any rows.
    centred : ndarray of shape (n_rows, n_rows)

    Returns
    -------
    points : ndarray of shape (n_rows, n_components)
    """
    places, random = np.arange(len(centred))[:, None], np.random.RandomState(0)
    with one_blas_thread():
        grown = PivotedCholesky(_Known(kernel, centred), places, COMPONENTS, random)
        while grown.extend() and grown.share > LEFT_OUT:
            pass
    return np.ascontiguousarray(grown.columns) if grown.pivots else np.zeros((len(centred), 1))


@dataclass(frozen=True)
class _Known(PositiveKernel):
    """A positive kernel whose values are known; a row is the number of its place."""

    matrix: np.ndarray

    def between(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        return self.matrix[np.ix_(X[:, 0], Y[:, 0])]

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        return np.diagonal(self.matrix)[X[:, 0]]

    def rounding(self, X: np.ndarray) -> np.ndarray:
        return np.zeros(len(X))


def factor(centred: np.ndarray, weight: np.ndarray, rounding: float) -> Factor:
    """The points of a centred matrix, by its eigenvectors.

    Parameters
    ----------
    centred : ndarray of shape (n_rows, n_rows)
    weight : ndarray of shape (n_rows,)
    rounding : float
        What rounding may have changed in a value of the matrix.
    """
    root = np.sqrt(weight)
    values, vectors = np.linalg.eigh(centred * root * root[:, None])
    noise = ROUNDING * len(centred) * weight.max() * rounding
    kept = values > noise
    points = vectors[:, kept] * np.sqrt(values[kept])
    points /= root[:, None]
    # What is left of the mean is rounding.
    points -= (weight / weight.sum()) @ points
    if not kept.any():
        points = np.zeros((len(centred), 1))
    return Factor(points, bool(values[0] >= -noise))
