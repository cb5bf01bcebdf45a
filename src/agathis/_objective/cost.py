"""The cost of a partition: the sum of squared distances of rows to the mean of their cluster.

This is the only place where it is computed. It equals the trace of the kernel minus the objective.
For points it is summed directly, which avoids the difference of large numbers.
"""

from __future__ import annotations

import numpy as np

from agathis._kernels.kernel import Kernel
from agathis._objective.objective import (
    cluster_sums,
    moderate_weights,
    objective,
    pairwise_kernel_sums,
    settled_rows,
)

# Relative to the trace of the kernel, negative costs up to this are rounding.
ROUNDING = 1e-12


def scatter(points: np.ndarray, labels: np.ndarray, weight: np.ndarray | None = None) -> float:
    """The weighted sum of squared distances of points to the mean of their cluster.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_components)
        Close to the origin, since a common offset costs precision.
    labels : ndarray of shape (n_samples,)
        Some clusters may be empty.
    weight : ndarray of shape (n_samples,), optional

    Examples
    --------
    >>> scatter(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    2.0
    """
    weight = np.ones(len(points)) if weight is None else weight
    size = np.bincount(labels, weight)
    # The mean of an empty cluster is not used.
    size[size == 0] = 1.0
    mean = cluster_sums(points, labels, weight, len(size)) / size[:, None]
    apart = points - mean[labels]
    return float(weight @ np.einsum("ij,ij->i", apart, apart))


def cost_of_sums(inertia: float, sums: np.ndarray, size: np.ndarray) -> float:
    """The cost of centred points, from the sums of the clusters alone.

    Parameters
    ----------
    inertia : float
        The weighted sum of squares of the centred points.
    sums : ndarray of shape (n_clusters, n_components)
        Sums of the centred points of each cluster.
    size : ndarray of shape (n_clusters,)
    """
    used = size > 0
    kernel_sum = objective(np.einsum("ij,ij->i", sums[used], sums[used]), size[used])
    return max(0.0, float(inertia - kernel_sum))


def kernel_cost(
    kernel: Kernel,
    X: np.ndarray,
    labels: np.ndarray,
    weight: np.ndarray | None,
    threads: int,
    matrix: np.ndarray | None = None,
) -> float:
    """The cost of clusters of X, by a kernel or by a given kernel matrix.

    Rows of weight 0 are left out, because centring on an outlier among them would cost the other
    rows precision.
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
    cost = float(trace) - objective(
        *pairwise_kernel_sums(kernel, X, labels, weight, threads, matrix)
    )
    # Rounding must not give a negative cost; an indefinite kernel may.
    size = np.abs(diagonal).sum() if weight is None else weight @ np.abs(diagonal)
    return 0.0 if -ROUNDING * size <= cost < 0 else unit * cost
