"""Fitted feature maps, applied block by block to any number of rows.

A map phi makes ``<phi(x), phi(y)>`` close to the kernel of x and y. It projects on the features of
some rows, its basis: ``phi(x) = k(x, basis) W``. So ``|phi(x)|^2`` is at most ``k(x, x)``, and the
difference is the error of the map. Float32 rows are mapped in float32 if ``single`` (accurate
enough, and twice as fast), otherwise all rows are mapped in float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils import gen_batches

from agathis._kernels.kernel import in_threads, one_blas_thread, rows_at_once
from agathis._kernels.positive import PositiveKernel
from agathis._kernels.tuning import COLUMNS_AT_ONCE, VALUES_AT_ONCE


@dataclass(frozen=True)
class FeatureMap:
    """``phi(x) = k(x, basis) W``, for rows relative to the origin.

    Attributes
    ----------
    weights : ndarray of shape (n_basis, n_components)
        W, upper triangular: the transposed inverse of a Cholesky factor. A product with it is as
        accurate as a triangular solve here, as no pivot is close to rounding, and faster.
    single : bool
        Whether float32 is accurate enough for float32 rows.
    """

    kernel: PositiveKernel
    origin: np.ndarray
    basis: np.ndarray
    weights: np.ndarray
    single: bool = False

    @property
    def n_components(self) -> int:
        return self.weights.shape[1]

    @property
    def one_thread(self) -> bool:
        """Whether two threads must not call it at the same time."""
        return callable(self.kernel.kernel.metric)

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Features of the rows, of the dtype of X; C-contiguous unless ``out`` is not."""
        out = _output(self, X) if out is None else out
        dtype = X.dtype if self.single else np.dtype(np.float64)
        weights = self.weights.astype(dtype, copy=False)
        # Memory-mapped models have read-only arrays, which some kernels do not accept.
        basis = np.require(self.basis, requirements="W")
        for rows in gen_batches(len(X), max(1, VALUES_AT_ONCE // len(basis))):
            values = self.kernel.between((X[rows] - self.origin).astype(dtype, copy=False), basis)
            for part in gen_batches(self.n_components, COLUMNS_AT_ONCE):
                used = slice(part.stop)
                np.matmul(values[:, used], weights[used, part], out=out[rows, part])
        return out

    def residuals(self, X: np.ndarray, phi: np.ndarray) -> np.ndarray:
        """The kernel of each row with itself, minus the squared norm of its features ``phi``."""
        kept = np.einsum("ij,ij->i", phi, phi, dtype=np.float64)
        return np.maximum(self.kernel.diagonal(X - self.origin) - kept, 0.0)


def mapped(
    feature_map: FeatureMap, X: np.ndarray, threads: int = 1, out: np.ndarray | None = None
) -> np.ndarray:
    """Features of all rows of X, computed in blocks; independent of ``threads``.

    Parameters
    ----------
    feature_map : FeatureMap
    X : ndarray of shape (n_rows, n_features)
    threads : int, default=1
    out : ndarray of shape (n_rows, n_components), default=None
        The array to write to; by default a new array of the dtype of X.
    """
    out = _output(feature_map, X) if out is None else out
    at_once = rows_at_once(feature_map.n_components, X.shape[1])
    if feature_map.one_thread or len(X) <= at_once:
        threads = 1
    batches = gen_batches(len(X), at_once)
    with one_blas_thread():
        for _ in in_threads(lambda rows: feature_map(X[rows], out=out[rows]), batches, threads):
            pass
    return out


def _output(feature_map: FeatureMap, X: np.ndarray) -> np.ndarray:
    return np.empty((len(X), feature_map.n_components), dtype=X.dtype)
