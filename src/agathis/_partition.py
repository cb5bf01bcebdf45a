"""A partition of rows into clusters, and its objective: the sum of stock over size."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.utils import gen_batches

from agathis._space import Space

# Rows of a table that are made points at a time.
ROWS_AT_ONCE = 1 << 16


def membership(labels: np.ndarray, n_clusters: int, weight: np.ndarray | float) -> np.ndarray:
    """Weight of each row in each cluster, (n_samples, n_clusters)."""
    out = np.zeros((len(labels), n_clusters))
    out[np.arange(len(labels)), labels] = weight
    return out


def cluster_stocks(blocks: Iterable[tuple[slice, np.ndarray]], member: np.ndarray) -> np.ndarray:
    """Sum the kernel within each cluster, sigma(C_k^2), from kernel rows in blocks."""
    stock = np.zeros(member.shape[1])
    for rows, values in blocks:
        stock += np.einsum("ik,ik->k", values @ member, member[rows])
    return stock


def point_stocks(
    space: Space, X: np.ndarray, labels: np.ndarray, weight: np.ndarray | None, threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same where rows are points, and the size of each cluster."""
    size = np.bincount(labels, weight)
    total: np.ndarray | float = 0.0
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        share = 1.0 if weight is None else weight[rows]
        member = membership(labels[rows], len(size), share)
        total = total + member.T @ space.points(X[rows], threads).astype(np.float64)
    return np.sum(total**2, axis=1), size


def objective(stock: np.ndarray, size: np.ndarray) -> float:
    """Sum over clusters of stock over size; an empty cluster adds nothing."""
    return float(np.sum(stock[size > 0] / size[size > 0]))
