"""Values of the rbf kernel that are off by a few roundings, whatever gamma is.

Where there are many columns squared distances come from inner products, |x|^2 + |y|^2 - 2 <x, y>.
They are then off by a rounding of the squared lengths, and the kernel's value k by gamma times that
times k: nothing for most pairs, as k is small where rows are far apart, but much for rows that are
far out and near each other. The distances of these pairs are taken once more, from the differences
of their rows.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.metrics.pairwise import euclidean_distances

from agathis._kernels.tuning import AT_ONCE, MANY, NARROW

# What gamma (|x|^2 + |y|^2) k may be of a pair whose distance is left as it came from inner
# products: so many roundings its value may be off by. Rows at right angles have 0.37 at most.
ROUNDINGS = 2.0
# What gamma |x|^2 may be of the longest row: beside longer ones all differences are taken.
FAR = 2.0**10


def rbf_values(X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
    """exp(-gamma |x - y|^2) of the rows of X and of Y, C-contiguous."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        values = _squared_distances(X, Y, gamma)
        values *= -gamma
        return np.exp(values, out=values)


def far_out(X: np.ndarray, gamma: float) -> bool:
    """Whether some row is so long that nothing of the others' distances would be left beside it."""
    # Not a number counts as long.
    return not gamma * _lengths(X).max(initial=0.0) <= FAR


def _squared_distances(X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
    if X.shape[1] <= NARROW or far_out(X, gamma) or far_out(Y, gamma):
        return cdist(X, Y, "sqeuclidean")
    # Whether the values are finite is looked at by whoever sums them.
    with config_context(assume_finite=True):
        squared = np.ascontiguousarray(euclidean_distances(X, Y, squared=True), dtype=np.float64)
    x, y = gamma * _lengths(X), gamma * _lengths(Y)
    longest = float(x.max(initial=0.0) + y.max(initial=0.0))
    if longest <= ROUNDINGS:
        return squared
    # Of most pairs one look is enough: k is less than it could be with the longest rows.
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
    """Squared lengths of rows."""
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)
