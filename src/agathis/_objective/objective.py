"""The objective of a partition: the sum over clusters of kernel sum over weight."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space

# Rows that are converted to points at a time.
ROWS_AT_ONCE = 1 << 16


def membership(labels: np.ndarray, n_clusters: int, weight: np.ndarray | float) -> np.ndarray:
    """Matrix of the weight of each row in each cluster, (n_samples, n_clusters)."""
    out = np.zeros((len(labels), n_clusters))
    out[np.arange(len(labels)), labels] = weight
    return out


@overload
def moderate_weights(weight: np.ndarray) -> tuple[np.ndarray, float]: ...


@overload
def moderate_weights(weight: np.ndarray | None) -> tuple[np.ndarray | None, float]: ...


def moderate_weights(weight: np.ndarray | None) -> tuple[np.ndarray | None, float]:
    """Weights scaled so that squares neither overflow nor underflow, and the unit.

    The unit is a power of two, so that scaling is exact.
    """
    if weight is None:
        return None, 1.0
    unit = float(np.ldexp(1.0, int(np.frexp(weight.max())[1]) - 1))
    return weight / unit, unit


def cluster_kernel_sums(
    blocks: Iterable[tuple[slice, np.ndarray]], member: np.ndarray
) -> np.ndarray:
    """Sum the kernel within each cluster, sigma(C_k^2), from kernel rows in blocks."""
    kernel_sum = np.zeros(member.shape[1])
    for rows, values in blocks:
        kernel_sum += np.einsum("ik,ik->k", values @ member, member[rows])
    return kernel_sum


def between_kernel_sums(
    blocks: Iterable[tuple[slice, np.ndarray]], member: np.ndarray | sparse.csr_matrix
) -> np.ndarray:
    """Sum the kernel between each two clusters, (n_clusters, n_clusters)."""
    kernel_sum = np.zeros((member.shape[1], member.shape[1]))
    for rows, values in blocks:
        kernel_sum += member[rows].T @ (values @ member)
    return kernel_sum


def kernel_blocks(
    kernel: Kernel, X: np.ndarray, threads: int, matrix: np.ndarray | None
) -> Iterable[tuple[slice, np.ndarray]]:
    """Kernel values between all rows in blocks, computed or given."""
    if matrix is not None:
        return iter([(slice(None), matrix)])
    settled = settled_rows(kernel, X)
    return kernel.blocks(settled, settled, threads)


def settled_rows(kernel: Kernel, X: np.ndarray) -> np.ndarray:
    """Rows relative to the kernel's origin in float64, for precise differences."""
    X = kernel.seen(X).astype(np.float64, copy=False)
    return X - kernel.origin(X)


def point_kernel_sums(
    space: Space, X: np.ndarray, labels: np.ndarray, weight: np.ndarray | None, threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """Kernel sum within each cluster of points, and the weight of each cluster."""
    size = np.bincount(labels, weight)
    total: np.ndarray | float = 0.0
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        share = 1.0 if weight is None else weight[rows]
        member = membership(labels[rows], len(size), share)
        total = total + member.T @ _points(space, X[rows], threads)
    return np.sum(total**2, axis=1), size


def point_sums(
    space: Space,
    X: np.ndarray,
    labels: np.ndarray,
    weight: np.ndarray,
    threads: int,
    n_clusters: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the centred points of each cluster, and the mean of all points."""
    total: np.ndarray | float = 0.0
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        total = total + weight[rows] @ _points(space, X[rows], threads)
    origin = total / weight.sum()
    sums = np.zeros((n_clusters, len(origin)))
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        points = _points(space, X[rows], threads) - origin
        sums += cluster_sums(points, labels[rows], weight[rows], n_clusters)
    return sums, origin


def cluster_sums(
    points: np.ndarray, labels: np.ndarray, weight: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Weighted sums of the points of each cluster, added in the order of the rows."""
    member = sparse.csr_matrix(
        (weight, (labels, np.arange(len(points)))), shape=(n_clusters, len(points))
    )
    return np.asarray(member @ points)


def _points(space: Space, X: np.ndarray, threads: int) -> np.ndarray:
    """Points in float64; a feature map is evaluated in the precision of X."""
    some = X if space.map is not None else X.astype(np.float64, copy=False)
    return space.points(some, threads).astype(np.float64, copy=False)


def objective(kernel_sum: np.ndarray, size: np.ndarray) -> float:
    """The sum over clusters of kernel sum over weight, without empty clusters."""
    return float(np.sum(kernel_sum[size > 0] / size[size > 0]))


def kernel_objective(
    kernel: Kernel,
    X: np.ndarray,
    labels: np.ndarray,
    weight: np.ndarray | None,
    threads: int,
    matrix: np.ndarray | None = None,
) -> float:
    """The objective of clusters of X, by a kernel or by a given kernel matrix."""
    weight, unit = moderate_weights(weight)
    if matrix is None and kernel.has_features:
        return unit * objective(*point_kernel_sums(Space(kernel), X, labels, weight, threads))
    return unit * objective(*pairwise_kernel_sums(kernel, X, labels, weight, threads, matrix))


def pairwise_kernel_sums(
    kernel: Kernel,
    X: np.ndarray,
    labels: np.ndarray,
    weight: np.ndarray | None,
    threads: int,
    matrix: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """The kernel sum within each cluster, and the weight of each cluster."""
    member = membership(labels, int(labels.max()) + 1, 1.0 if weight is None else weight)
    blocks = kernel_blocks(kernel, X, threads, matrix)
    return cluster_kernel_sums(blocks, member), member.sum(axis=0)
