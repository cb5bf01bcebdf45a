"""Apply a fitted tree to the blocks of a collection: labels, leaves, distances and scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from agathis._kauri import Kauri as LocalKauri
from agathis._objective.centres import PointCentres
from agathis._objective.objective import membership, objective
from agathis._trees.tree import Tree
from agathis.dask._encoded import as_floats, as_rows
from agathis.dask._partitions import Partitions

if TYPE_CHECKING:
    from agathis.dask._lazy_score import LazyScore


class LabelsOfTree:
    """A callable that predicts the labels of a tree before there is a fitted model."""

    def __init__(self, tree: Tree, names: list[str] | None) -> None:
        self.tree, self.names = tree, names

    def __call__(self, rows: Any) -> np.ndarray:
        if self.names is not None and hasattr(rows, "columns"):
            rows = rows[self.names]
        return self.tree.predict(as_floats(rows), 1) if len(rows) else np.empty(0, dtype=np.int32)


def called(model: LocalKauri, method: str, rows: Any) -> np.ndarray:
    """Call a method of the model for one block, which may be empty."""
    if len(rows):
        result = getattr(model, method)(as_rows(rows))
        return result.astype(np.int32) if result.ndim == 1 else result
    if method == "transform":
        return np.empty((0, model.n_clusters_))
    return np.empty(0, dtype=np.int32)


class ClusterSums(NamedTuple):
    """Sums of points and sizes of the clusters of a block."""

    points: np.ndarray
    sizes: np.ndarray


def score_of(model: LocalKauri, parts: Partitions, timeout: float) -> LazyScore:
    """The lazy objective of the predicted clusters of all blocks."""
    import dask

    from agathis.dask._lazy_score import LazyScore

    weights = parts.weights or [None] * len(parts)
    tree = dask.delayed(model)  # once, not with each block
    sums = [
        dask.delayed(cluster_sums)(tree, number, block, weight)
        for number, (block, weight) in enumerate(zip(parts.blocks, weights, strict=True))
    ]
    return LazyScore(dask.delayed(_objective_of)(sums, parts.weights is not None), timeout)


def _objective_of(sums_of: Sequence[ClusterSums], are_weighted: bool) -> float:
    """The objective of clusters, from the sums of all blocks in their order."""
    sums, sizes = (np.sum([part[index] for part in sums_of], axis=0) for index in (0, 1))
    if sizes.sum() == 0:
        raise ValueError(
            "sample_weight is zero for every row; at least one must be positive."
            if are_weighted
            else "X has no rows; at least one is needed."
        )
    return float(objective(np.sum(sums**2, axis=1), sizes))


def cluster_sums(model: LocalKauri, number: int, rows: Any, weight: Any) -> ClusterSums:
    """The sums of the clusters of one block."""
    centres, n_clusters = model._centres, model.n_clusters_
    assert isinstance(centres, PointCentres)
    space = centres.space
    row_weight = _weights(number, weight, len(rows))
    if len(rows) == 0:
        return ClusterSums(np.zeros(centres.points.shape), np.zeros(n_clusters))
    rows = as_rows(rows)
    labels = model.predict(rows)
    X = as_floats(rows)
    points = space.points(X if space.map is not None else X.astype(np.float64), 1)
    member = membership(labels, n_clusters, row_weight)
    return ClusterSums(member.T @ points.astype(np.float64), member.sum(axis=0))


def _weights(number: int, weight: Any, n_rows: int) -> np.ndarray:
    """The validated weights of a block."""
    if weight is None:
        return np.ones(n_rows)
    values = np.asarray(weight, dtype=np.float64).ravel()
    where = f"X, partition {number}: sample_weight"
    if len(values) != n_rows:
        raise ValueError(f"{where} has {len(values)} values for its {n_rows} rows.")
    if not np.isfinite(values).all():
        raise ValueError(f"{where} has a value that is missing or infinite")
    if n_rows and values.min() < 0:
        raise ValueError(f"{where} must not be negative; its smallest value is {values.min():.6g}.")
    return values
