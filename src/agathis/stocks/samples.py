"""Stocks that are kept sample by sample, in the distance form.

For each sample there are its stock with its leaf and with each cluster, and, feature by
feature, its stock with the samples of its leaf that stand before it. A search reads these and
nothing else. How they are filled, and mended after a cut, is for those who derive from this.
"""

from __future__ import annotations

import numpy as np

from agathis._core.splitter import locate, search
from agathis._core.state import State
from agathis.stocks.base import Split, threshold_between

EPS = float(np.finfo(np.float64).eps)
# How rounding adds up in the sums from which gains are made, and in the kernel's own values.
SUM_ROUNDING = 2048 * EPS
KERNEL_ROUNDING = 16 * EPS


class SampleStocks:
    """See :class:`agathis.stocks.base.Stocks`."""

    def __init__(self, state: State, half: np.ndarray, min_leaf: float) -> None:
        self.state, self.half, self.min_leaf = state, half, min_leaf
        self.gain, self.bound = state.gains()
        self.tolerance = 0.0

    @property
    def n_clusters(self) -> int:
        return self.state.n_clusters

    @property
    def objective(self) -> float:
        value = self.state.objective()
        # Of clusters without inertia rounding may leave less than none.
        return 0.0 if 0 < value <= self.tolerance else value

    def cluster_means(self) -> np.ndarray:
        """Mean kernel value within each cluster, back from the distance form."""
        return self.state.cluster_means() + 2 * self.state.cluster_averages(self.half)

    def has_threshold(self, slot: int) -> np.ndarray:
        return self.state.has_threshold(slot)

    def leaf_size(self, slot: int) -> tuple[int, float]:
        return self.state.leaf_size(slot)

    def search(self, slots: np.ndarray, drawn: np.ndarray | None, floor: float) -> None:
        search(self.state, slots, drawn, self.min_leaf)

    def locate(self, slot: int, floor: float) -> Split:
        feature, position, gain, move, left, right = locate(
            self.state, slot, floor, self.tolerance, self.min_leaf
        )
        low, high = self.state.values_around(slot, feature, position)
        return Split(feature, threshold_between(low, high), gain, move, left, right, position)
