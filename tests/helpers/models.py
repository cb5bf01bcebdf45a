"""Models that tests of stocks make, and what makes two of them the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from agathis import Kauri
from helpers.invariants import same_tree

SEEDS = st.integers(0, 2**32 - 1)
KERNELS = ("linear", "cosine")


def binned(n_clusters: int = 3, **parameters) -> Kauri:
    return Kauri(n_clusters, engine="binned", **{"max_leaf_nodes": None, **parameters})


def same_model(a: Kauri, b: Kauri, tolerance: float, counts: bool = True) -> None:
    same_tree(a.tree_, b.tree_, gains=tolerance, counts=counts)
    np.testing.assert_array_equal(a.tree_.missing, b.tree_.missing)
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-9, abs=tolerance)
    assert a.inertia_ == pytest.approx(b.inertia_, rel=1e-9, abs=tolerance)


def same_bits(a, b) -> None:
    for name in ("children_left", "feature", "threshold", "cluster", "gain", "move", "missing"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def points_of(X: np.ndarray, kernel: str) -> np.ndarray:
    if kernel == "linear":
        return X
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, length, out=np.zeros_like(X), where=length > 0)


def blobs_of(n: int, d: int = 4, centers: int = 7, seed: int = 0) -> np.ndarray:
    return make_blobs(n, d, centers=centers, cluster_std=1.5, random_state=seed)[0]


def filled(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The mean of its column in the place of each missing value; 0 where all are missing."""
    weight = np.ones(len(X)) if weight is None else weight
    out = X.copy()
    for column in out.T:
        known = ~np.isnan(column)
        size = weight[known].sum()
        column[~known] = weight[known] @ column[known] / size if size > 0 else 0.0
    return out
