"""Values of the rbf kernel, accurate to a few roundings for any gamma.

With many columns, squared distances are computed from inner products, |x|^2 + |y|^2 - 2 <x, y>.
Their error is a rounding of the squared norms, and that of the kernel value k is gamma times this
times k: negligible for most pairs, as k is small for distant rows, but large for rows that are far
from the origin and near each other. The distances of these pairs are recomputed from differences.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.metrics.pairwise import euclidean_distances

from agathis._kernels.tuning import AT_ONCE, MANY, NARROW

# Pairs with gamma (|x|^2 + |y|^2) k, their error in roundings, up to this are not recomputed.
# Orthogonal rows have at most 0.37.
ROUNDINGS = 2.0
# If gamma |x|^2 of some row is larger, all differences are computed.
FAR = 2.0**10


def rbf_values(X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
    """exp(-gamma |x - y|^2) of the rows of X and of Y, C-contiguous."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        values = _squared_distances(X, Y, gamma)
        values *= -gamma
        return np.exp(values, out=values)


def far_out(X: np.ndarray, gamma: float) -> bool:
    """Whether some row is so far out that inner products lose all precision."""
    # True for NaN, too.
    return not gamma * _lengths(X).max(initial=0.0) <= FAR


def _squared_distances(X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
    if X.shape[1] <= NARROW or far_out(X, gamma) or far_out(Y, gamma):
        return cdist(X, Y, "sqeuclidean")
    # The caller checks whether values are finite.
    with config_context(assume_finite=True):
        squared = np.ascontiguousarray(euclidean_distances(X, Y, squared=True), dtype=np.float64)
    x, y = gamma * _lengths(X), gamma * _lengths(Y)
    longest = float(x.max(initial=0.0) + y.max(initial=0.0))
    if longest <= ROUNDINGS:
        return squared
    # Excludes most pairs by a bound with the longest rows.
    near = np.flatnonzero(squared < np.log(longest / ROUNDINGS) / gamma)
    i, j = np.divmod(near, len(Y))
    off = (x[i] + y[j]) * np.exp(-gamma * squared[i, j]) > ROUNDINGS
    i, j = i[off], j[off]
    if len(i) > MANY * squared.size:
        return cdist(X, Y, "sqeuclidean")
    step = max(1, AT_ONCE // X.shape[1])
    for first in range(0, len(i), step):
        rows, others = i[first : first + step], j[first : first + step]
        apart = X[rows].astype(np.float64) - Y[others]
        squared[rows, others] = np.einsum("ij,ij->i", apart, apart)
    return squared


def _lengths(X: np.ndarray) -> np.ndarray:
    """Squared norms of rows."""
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)
