"""Points whose inner products are a kernel's values, by the eigenvectors of its matrix.

KMeans needs points. Centring a kernel changes no cost, and a centred positive matrix
``A = U L U'`` is the inner products of the rows of ``U L^(1/2)``: exact, with at most n - 1
components. With weights w the matrix that is factored is ``w_i^(1/2) K_ij w_j^(1/2)`` about the
weighted mean, and each row is divided by ``w_i^(1/2)`` afterwards, so that components are
ordered by what they add to the weighted cost.

A matrix that is not positive has no such points. Adding ``s / w_i`` to its diagonal makes it
positive and adds ``s (n - K)`` to the cost of every partition of n rows into K clusters, so the
best partition stays the best; but it also puts all rows at the same large distance from one
another, and KMeans then hardly moves from where it starts. So negative components are dropped
here, the points are only where the search begins, and who asked must finish it on the matrix
itself (see ``_kmeans.single_moves``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Times n and the rounding of one value: eigenvalues below this share of the largest value are
# rounding.
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
    out += out.T.copy()
    out *= 0.5
    return out


def factor(centred: np.ndarray, weight: np.ndarray, rounding: float) -> Factor:
    """The points of a centred matrix.

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
