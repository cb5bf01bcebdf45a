"""Fitted feature maps, applied block by block to any number of rows.

A map phi makes ``<phi(x), phi(y)>`` close to the kernel of x and y. A :class:`ProjectionMap`
projects on the features of some rows, its basis: ``phi(x) = k(x, basis) W``. So ``|phi(x)|^2``
is at most ``k(x, x)``, and the difference is the error of the map. The other two are scikit-learn's
samplers. Float32 rows are mapped in float32 if ``single`` (accurate enough, and twice as fast),
otherwise all rows are mapped in float64.

A map has a ``name``, ``n_components`` features, ``one_thread`` (whether two threads must not call
it at the same time), and returns features of the dtype of X, in ``out`` if given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn import config_context
from sklearn.kernel_approximation import AdditiveChi2Sampler
from sklearn.utils import gen_batches

from agathis._kernels.kernel import in_threads, one_blas_thread, rows_at_once
from agathis._kernels.positive import PositiveKernel

# Kernel values per block, which fit into the cache.
VALUES_AT_ONCE = 2**17
# Columns per block of a triangular matrix, to skip most zeros below the diagonal.
COLUMNS_AT_ONCE = 64


@dataclass(frozen=True)
class ProjectionMap:
    """``phi(x) = k(x, basis) W``, for rows relative to the origin.

    Attributes
    ----------
    weights : ndarray of shape (n_basis, n_components)
        W. If (upper) triangular, the inverse of a Cholesky factor. A product with the inverse is
        as accurate as a triangular solve here, as no pivot is close to rounding, and faster.
    single : bool
        Whether float32 is accurate enough for float32 rows.
    """

    name: str
    kernel: PositiveKernel
    origin: np.ndarray
    basis: np.ndarray
    weights: np.ndarray
    triangular: bool
    single: bool = False

    @property
    def n_components(self) -> int:
        return self.weights.shape[1]

    @property
    def one_thread(self) -> bool:
        return callable(self.kernel.kernel.metric)

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        out = _output(self, X) if out is None else out
        dtype = _inside(self, X)
        weights = self.weights.astype(dtype, copy=False)
        # Memory-mapped models have read-only arrays, which some kernels do not accept.
        basis = np.require(self.basis, requirements="W")
        width = COLUMNS_AT_ONCE if self.triangular else self.n_components
        for rows in gen_batches(len(X), max(1, VALUES_AT_ONCE // len(basis))):
            values = self.kernel.between((X[rows] - self.origin).astype(dtype, copy=False), basis)
            for part in gen_batches(self.n_components, width):
                used = slice(part.stop if self.triangular else None)
                np.matmul(values[:, used], weights[used, part], out=out[rows, part])
        return out

    def residuals(self, X: np.ndarray, phi: np.ndarray) -> np.ndarray:
        """The kernel of each row with itself, minus the squared norm of its features ``phi``."""
        kept = np.einsum("ij,ij->i", phi, phi, dtype=np.float64)
        return np.maximum(self.kernel.diagonal(X - self.origin) - kept, 0.0)


@dataclass(frozen=True)
class FourierMap:
    """Random Fourier features of the rbf kernel, from scikit-learn's ``RBFSampler``."""

    directions: np.ndarray
    offset: np.ndarray
    origin: np.ndarray
    single: bool = False
    name: str = "sampler"
    one_thread: bool = False

    @property
    def n_components(self) -> int:
        return len(self.offset)

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        out = _output(self, X) if out is None else out
        dtype = _inside(self, X)
        directions = self.directions.astype(dtype, copy=False)
        offset = self.offset.astype(dtype, copy=False)
        for rows in gen_batches(len(X), max(1, VALUES_AT_ONCE // self.n_components)):
            values = (X[rows] - self.origin).astype(dtype, copy=False) @ directions
            values += offset
            np.cos(values, out=values)
            np.multiply(values, dtype.type((2 / self.n_components) ** 0.5), out=out[rows])
        return out


@dataclass(frozen=True)
class AdditiveChi2Map:
    """scikit-learn's ``AdditiveChi2Sampler``, in the dtype of the rows.

    Its inner products are close to ``sum 2 x y / (x + y)``. scikit-learn's kernel of that name is
    ``-sum (x - y)^2 / (x + y)``, which is twice that minus ``|x|_1 + |y|_1``. Terms of a single row
    change no gain; for the factor of two, features are multiplied by its root.
    """

    sampler: AdditiveChi2Sampler
    n_components: int
    name: str = "sampler"
    one_thread: bool = False

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        out = _output(self, X) if out is None else out
        with config_context(assume_finite=True):
            return np.multiply(self.sampler.transform(X), X.dtype.type(2**0.5), out=out)


#: A map of rows to features.
FeatureMap = ProjectionMap | FourierMap | AdditiveChi2Map


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


def _inside(feature_map: ProjectionMap | FourierMap, X: np.ndarray) -> np.dtype:
    """The dtype that features of X are computed in."""
    return X.dtype if feature_map.single else np.dtype(np.float64)
