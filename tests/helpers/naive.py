"""Leaves and clusters of points, naively: every cut by itself, every gain from the objective.

What the compiled search of sums is compared with. No formula for a gain is here: the sums that
the clusters would have are written down, and the gain is what the objective changes by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from helpers import reference


class Cuts(NamedTuple):
    """The cuts of a leaf along one feature, in the order that ties are resolved in.

    ``last`` is the largest value on the left, ``count`` the samples up to it without those that
    miss the value, ``missing_left`` where these go; ``sum`` and ``weight`` are those of the left
    side, missing values included.
    """

    last: np.ndarray
    count: np.ndarray
    missing_left: np.ndarray
    sum: np.ndarray
    weight: np.ndarray


@dataclass
class Leaves:
    """A tree that grows: the leaf of each sample, the cluster of each leaf.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features)
        The data, or the bins that they are in; NaN is a missing value.
    points : ndarray of shape (n_samples, n_components)
    weight : ndarray of shape (n_samples,)
    max_clusters : int
    """

    values: np.ndarray
    points: np.ndarray
    weight: np.ndarray
    max_clusters: int

    def __post_init__(self) -> None:
        self.leaf_index_of = np.zeros(len(self.values), dtype=np.intp)
        self.cluster_of = [0]

    @property
    def n_clusters(self) -> int:
        return max(self.cluster_of) + 1

    @property
    def scale(self) -> float:
        """The inertia of the points: what gains are a part of."""
        return float(self.weight @ np.sum(self.points**2, axis=1)) + 1e-300

    def members(self, leaf_index: int) -> np.ndarray:
        return np.flatnonzero(self.leaf_index_of == leaf_index)

    def is_whole(self, leaf_index: int) -> bool:
        return self.cluster_of.count(self.cluster_of[leaf_index]) == 1

    def total(self, members: np.ndarray) -> tuple[np.ndarray, float]:
        """Sum and weight of some samples."""
        weight = self.weight[members]
        return weight @ self.points[members], float(weight.sum())

    def cuts(self, leaf_index: int, feature: int) -> Cuts:
        """All cuts of a leaf along a feature."""
        members = self.members(leaf_index)
        column = self.values[members, feature]
        absent, absent_weight = self.total(members[np.isnan(column)])
        misses = bool(np.isnan(column).any())
        known = np.unique(column[~np.isnan(column)])
        rows = []
        for value in known if misses else known[:-1]:
            inside = members[column <= value]
            total, weight = self.total(inside)
            rows.append((value, len(inside), False, total, weight))
            if misses and value < known[-1]:
                rows.append((value, len(inside), True, total + absent, weight + absent_weight))
        last, count, left, total, weight = zip(*rows, strict=True) if rows else ([],) * 5
        return Cuts(
            np.array(last),
            np.array(count, dtype=np.intp),
            np.array(left, dtype=bool),
            np.reshape(total, (len(rows), self.points.shape[1])),
            np.array(weight),
        )

    def moves(self, leaf_index: int) -> list[tuple[int, int, int]]:
        """Move, left and right cluster of all that is allowed, the preferred first."""
        own = self.cluster_of[leaf_index]
        return list(
            reference.moves(own, self.n_clusters, self.max_clusters, self.is_whole(leaf_index))
        )

    def gains(self, leaf_index: int, cuts: Cuts) -> np.ndarray:
        """The gain of each cut by each move, (n_cuts, n_moves)."""
        own = self.cluster_of[leaf_index]
        leaf, leaf_weight = self.total(self.members(leaf_index))
        out = np.empty((len(cuts.last), len(self.moves(leaf_index))))
        for column, (_, a, b) in enumerate(self.moves(leaf_index)):
            change = np.zeros(len(cuts.last))
            for k in {own, a, b}:
                there = np.isin(self.leaf_index_of, np.flatnonzero(np.array(self.cluster_of) == k))
                before, size = self.total(np.flatnonzero(there))
                after, size_after = before[None, :], np.full(len(cuts.last), size)
                if k == own:
                    after, size_after = after - leaf, size_after - leaf_weight
                if k == a:
                    after, size_after = after + cuts.sum, size_after + cuts.weight
                if k == b:
                    after = after + leaf - cuts.sum
                    size_after = size_after + leaf_weight - cuts.weight
                change += np.sum(after**2, axis=1) / size_after
                change -= before @ before / size if size > 0 else 0.0
            out[:, column] = change
        return out

    def best_gains(self, leaf_index: int, cuts: Cuts, min_leaf: float = 0.0) -> np.ndarray:
        """The best gain of each cut, -inf where the limits forbid it."""
        if not self.moves(leaf_index):
            return np.full(len(cuts.last), -np.inf)
        gain = self.gains(leaf_index, cuts).max(axis=1, initial=-np.inf)
        _, leaf_weight = self.total(self.members(leaf_index))
        lighter = np.minimum(cuts.weight, leaf_weight - cuts.weight)
        return np.where(lighter >= min_leaf, gain, -np.inf)

    def goes_left(
        self, leaf_index: int, feature: int, last: float, missing_left: bool
    ) -> np.ndarray:
        """The samples of a leaf that a cut sends left."""
        members = self.members(leaf_index)
        column = self.values[members, feature]
        left = column <= last
        if missing_left:
            left |= np.isnan(column)
        return members[left]

    def cut(self, leaf_index: int, left: np.ndarray, clusters: tuple[int, int]) -> None:
        """Cut a leaf: some of its samples stay, the others are a new leaf."""
        other = len(self.cluster_of)
        self.leaf_index_of[np.setdiff1d(self.members(leaf_index), left)] = other
        self.cluster_of[leaf_index] = clusters[0]
        self.cluster_of.append(clusters[1])
