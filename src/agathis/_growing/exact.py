"""Exact stocks of samples that are points: every midpoint between two rows is a threshold.

The linear kernel's points are the rows themselves, the cosine's the rows at unit length; any
other kernel's come from a feature map. The samples are sorted along each feature once, and a cut
moves them to its two sides. A leaf's table (:mod:`agathis._growing.points`) has a row for some
samples each; the cuts in between are looked at only where they may be the best.
"""

from __future__ import annotations

import numpy as np

from agathis._core.points.leaves import PointState, padded
from agathis._core.points.sorted_points import SortedPoints
from agathis._growing.points import PointStocks
from agathis._growing.protocol import Split
from agathis._support.numbers import threshold_between


class FeatureStocks(PointStocks):
    """See :class:`agathis._growing.protocol.Stocks`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,)
        Positive.
    phi : ndarray of shape (n_samples, n_components)
        The samples as points.
    n_clusters : int
    min_leaf : float
        Least weight of a leaf.
    threads : int
    """

    def __init__(
        self,
        X: np.ndarray,
        weight: np.ndarray,
        phi: np.ndarray,
        *,
        n_clusters: int,
        min_leaf: float,
        threads: int,
    ) -> None:
        origin = np.einsum("i,ij->j", weight, phi) / weight.sum()
        points = np.zeros((len(phi), padded(len(origin))))
        np.subtract(phi, origin, out=points[:, : len(origin)])
        inertia = float(np.einsum("i,ij,ij->", weight, points, points))
        if not np.isfinite(inertia):
            raise ValueError("X is too large: the squared length of some row is not finite.")
        values = np.ascontiguousarray(X.T, dtype=np.float64)
        few = 16 if n_clusters <= 16 else 1
        self.samples = SortedPoints(values, points, weight, threads, few)
        state = PointState(*self.samples.tables(0), n_clusters, threads)
        super().__init__(state, origin, inertia, min_leaf)

    def locate(self, slot: int, floor: float) -> Split:
        feature, count, _, _, *rest = self._locate(slot, floor)
        low, high = self.samples.values_around(slot, feature, count - 1)
        return Split(feature, threshold_between(low, high), *rest, count - 1)

    def commit(self, slot: int, split: Split) -> int:
        other = self.state.n_leaves
        self.samples.split(slot, other, split.feature, split.position + 1)
        self.state.cut(slot, *self.samples.tables(slot, other))
        return self._move(slot, other, split)
