"""A lower bound of the KMeans cost, from the eigenvalues of the scatter matrix.

A partition is a projection, so that it reduces the scatter by at most the sum of the
``n_clusters - 1`` largest eigenvalues (one less, as the points are centred).
"""

from __future__ import annotations

import numpy as np


def cost_lower_bound(points: np.ndarray, weight: np.ndarray | None, n_clusters: int) -> float:
    """A lower bound of the cost of any partition of points into ``n_clusters`` clusters.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_components)
    weight : ndarray of shape (n_samples,) or None
    n_clusters : int

    Returns
    -------
    bound : float
        The scatter without the ``n_clusters - 1`` largest eigenvalues of its matrix.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [8.0, 0.0], [8.0, 1.0]])
    >>> [round(cost_lower_bound(X, None, k), 6) for k in (1, 2, 3)]
    [65.0, 1.0, 0.0]
    """
    weight = np.ones(len(points)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not np.any(weight > 0):
        return 0.0
    centred = points - np.average(points, axis=0, weights=weight)
    centred = centred * np.sqrt(weight)[:, None]
    scatter = float(np.sum(centred**2))
    # The smaller of two matrices with the same eigenvalues.
    wide = centred.shape[1] > centred.shape[0]
    matrix = centred @ centred.T if wide else centred.T @ centred
    largest = np.linalg.eigvalsh(matrix)[::-1][: n_clusters - 1]
    # Eigenvalues are accurate to a few units in the last place of the largest.
    rounding = 1e-14 * len(matrix) * scatter
    return min(scatter, max(0.0, scatter - float(largest.sum()) - rounding))
