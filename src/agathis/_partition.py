"""A partition of rows into clusters, and its objective: the sum of stock over size."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


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


def objective(stock: np.ndarray, size: np.ndarray) -> float:
    """Sum over clusters of stock over size; an empty cluster adds nothing."""
    return float(np.sum(stock[size > 0] / size[size > 0]))
