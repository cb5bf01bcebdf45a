"""Exact stocks of samples that are points: every midpoint between two rows is a threshold.

The linear kernel's points are the rows themselves, the cosine's the rows at unit length; any
other kernel's come from a feature map. The samples are sorted along each feature once, and a cut
moves them to its two sides. A leaf's table (``points``) has a row for some
samples each; the cuts in between are looked at only where they may be the best.
"""

from __future__ import annotations

import numpy as np

from agathis._core.points.leaves import PointState, padded
from agathis._core.points.sorted_points import SortedPoints
from agathis._growing.engines.points import PointStocks
from agathis._growing.engines.protocol import Place, Split
from agathis._growing.inputs import TrainingData
from agathis._growing.limits import Limits
from agathis._kernels.space import Space
from agathis._support.numbers import threshold_between


class FeatureStocks(PointStocks):
    """See :class:`agathis._growing.engines.protocol.Stocks`.

    Parameters
    ----------
    data : TrainingData
    space : Space
        How rows become points.
    phi : ndarray of shape (n_samples, n_components)
        The samples, the rows of positive weight, as points.
    limits : Limits
    """

    samples: SortedPoints

    def __init__(self, data: TrainingData, space: Space, phi: np.ndarray, limits: Limits) -> None:
        weight, n_clusters = data.weights(), limits.n_clusters
        origin = np.einsum("i,ij->j", weight, phi) / weight.sum()
        points = np.zeros((len(phi), padded(len(origin))))
        np.subtract(phi, origin, out=points[:, : len(origin)])
        inertia = float(np.einsum("i,ij,ij->", weight, points, points))
        if not np.isfinite(inertia):
            raise ValueError("X is too large: the squared length of some row is not finite.")
        self.values = np.ascontiguousarray(data.rows().T, dtype=np.float64)
        few = 16 if n_clusters <= 16 else 1
        self.samples = SortedPoints(self.values, points, weight, data.threads, few)
        state = PointState(*self.samples.tables(0), n_clusters, data.threads)
        super().__init__(state, space, origin, inertia, limits.min_leaf)

    def locate(self, slot: int, floor: float) -> Split:
        feature, count, _, _, gain, move, left, right = self._locate(slot, floor)
        low, high = self.samples.values_around(slot, feature, count - 1)
        threshold = threshold_between(low, high)
        return Split(feature, threshold, gain, move, left, right, count - 1)

    def place(self, slot: int, feature: int, threshold: float, missing_left: bool) -> Place:
        return Place.among(self.values[feature, self.samples.samples(slot)], threshold)

    def commit(self, slot: int, split: Split) -> int:
        other = self.state.n_leaves
        self.samples.split(slot, other, split.feature, split.position + 1)
        self.state.cut(slot, *self.samples.tables(slot, other))
        return self._move_sides(slot, other, split)
