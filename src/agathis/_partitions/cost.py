"""The cost of a partition: the sum of squared distances of rows to the mean of their cluster.

This is the only place where it is computed. It equals the trace of the kernel less the objective;
where rows are points it is summed directly, without that difference of large numbers.
"""

from __future__ import annotations

import numpy as np

from agathis._kernels.kernel import Kernel
from agathis._partitions.objective import (
    cluster_sums,
    moderate_weights,
    objective,
    pair_stocks,
    settled_rows,
)

# The share of the kernel's trace that cannot be told from its rounding.
ROUNDING = 1e-12


def scatter(points: np.ndarray, labels: np.ndarray, weight: np.ndarray | None = None) -> float:
    """The weighted sum of squared distances of points to the mean of their cluster.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_components)
        Near their origin: what they have in common costs them digits.
    labels : ndarray of shape (n_samples,)
        A cluster may have no rows.
    weight : ndarray of shape (n_samples,), optional

    Examples
    --------
    >>> scatter(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    2.0
    """
    weight = np.ones(len(points)) if weight is None else weight
    size = np.bincount(labels, weight)
    # An empty cluster has no row that would ask for its mean.
    size[size == 0] = 1.0
    mean = cluster_sums(points, labels, weight, len(size)) / size[:, None]
    apart = points - mean[labels]
    return float(weight @ np.einsum("ij,ij->i", apart, apart))


def cost_of_sums(inertia: float, sums: np.ndarray, size: np.ndarray) -> float:
    """The same of points about their mean, of which only sums are known.

    Parameters
    ----------
    inertia : float
        The weighted sum of squares of the points about their mean.
    sums : ndarray of shape (n_clusters, n_components)
        Of the points of each cluster about that mean.
    size : ndarray of shape (n_clusters,)
    """
    used = size > 0
    stock = objective(np.einsum("ij,ij->i", sums[used], sums[used]), size[used])
    return max(0.0, float(inertia - stock))


def kernel_cost(
    kernel: Kernel,
    X: np.ndarray,
    labels: np.ndarray,
    weight: np.ndarray | None,
    threads: int,
    matrix: np.ndarray | None = None,
) -> float:
    """The cost of clusters of X by a kernel, or by the given matrix of its values.

    Rows of weight 0 are left out: what is summed is centred first, and a large row that does not
    count would cost the others their digits.
    """
    if matrix is None and weight is not None and not weight.all():
        counted = np.flatnonzero(weight)
        X, labels, weight = X[counted], labels[counted], weight[counted]
    weight, unit = moderate_weights(weight)
    if matrix is None and kernel.has_features:
        points = kernel.features(kernel.seen(X).astype(np.float64, copy=False))
        return unit * scatter(points - kernel.origin(points), labels, weight)
    if matrix is None:
        diagonal = kernel.diagonal(settled_rows(kernel, X))
    else:
        diagonal = np.diagonal(matrix).astype(np.float64)
    trace = diagonal.sum() if weight is None else weight @ diagonal
    cost = float(trace) - objective(*pair_stocks(kernel, X, labels, weight, threads, matrix))
    # No cost may come out as less than none; a kernel that is not positive has costs below 0.
    size = np.abs(diagonal).sum() if weight is None else weight @ np.abs(diagonal)
    return 0.0 if -ROUNDING * size <= cost < 0 else unit * cost
