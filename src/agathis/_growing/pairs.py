"""Stocks summed over pairs of samples: exact, for any symmetric kernel.

What is kept for each sample: its stock with its leaf and with each cluster, and, feature by
feature, its stock with the samples of its leaf that stand before it. A search reads these and
never a kernel value. Kernel rows are read at two moments only: all of them for the root, and at a
cut those of the smaller side (or of the side that changes its cluster), so they may come from a
matrix or be computed on the way. All values are in distance form (``pair_loops.h``).
"""

from __future__ import annotations

import numpy as np

from agathis._core.pairs.clusters import transfer
from agathis._core.pairs.partition import partition
from agathis._core.pairs.splitter import locate, search
from agathis._core.pairs.state import State
from agathis._core.pairs.updates import Separation, close_root, open_root, sum_rows
from agathis._growing.kernel_rows import Rows
from agathis._growing.protocol import KERNEL_ROUNDING, SUM_ROUNDING, Split
from agathis._support.numbers import threshold_between
from agathis._support.progress import Progress


class PairStocks:
    """See :class:`agathis._growing.protocol.Stocks`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,)
        Positive.
    rows : Rows
    n_clusters, max_leaves : int
    min_leaf : float
        Least weight of a leaf.
    threads : int
    progress : Progress
    positive : bool
        Whether the kernel is known to be positive, or conditionally so.
    """

    def __init__(
        self,
        X: np.ndarray,
        weight: np.ndarray,
        rows: Rows,
        *,
        n_clusters: int,
        max_leaves: int,
        min_leaf: float,
        threads: int,
        progress: Progress,
        positive: bool = False,
    ) -> None:
        self.values = np.ascontiguousarray(X.T, dtype=np.float64)
        self.rows, self.weight, self.min_leaf = rows, weight, min_leaf
        self.state = State(
            self.values, weight, rows.half, n_clusters, max_leaves, threads, positive=positive
        )
        self.gain, self.bound = self.state.gains()
        magnitude, done = 0.0, 0
        progress.pairs(done, len(X))
        for block, index, ids in self._blocks(np.arange(len(X), dtype=np.int32)):
            magnitude += open_root(self.state, block, index, ids)
            done += len(ids)
            progress.pairs(done, len(X))
        if not np.isfinite(magnitude):
            raise ValueError(
                f"{rows.name} gives NaN or infinity for some rows of X; every kernel value must "
                "be finite. Is X very large, or the kernel not defined on it?"
            )
        close_root(self.state)
        self.tolerance = (SUM_ROUNDING + 4 * rows.rounding) * magnitude / float(weight.sum())
        self.tolerance += KERNEL_ROUNDING * 2 * float(np.abs(rows.half) @ weight)

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
        return self.state.cluster_means() + 2 * self.state.cluster_averages(self.rows.half)

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

    def commit(self, slot: int, split: Split) -> int:
        state = self.state
        source, was_whole = state.cluster_of(slot), state.is_whole_cluster(slot)
        other = partition(state, slot, split.feature, split.position)
        goes = [
            (leaf, target)
            for leaf, target in ((slot, split.left), (other, split.right))
            if target != source
        ]
        small, large = sorted((slot, other), key=lambda leaf: state.leaf_size(leaf)[0])
        near = small
        if len(goes) == 1 and not was_whole:
            near = goes[0][0]
        far = large if near == small else small

        between = Separation(state, near, far)
        for block, index, ids in self._blocks(np.sort(state.samples(near))):
            between.add(block, index, ids)
        between.finish()
        sums = {near: between.sums}
        if any(leaf == far for leaf, _ in goes):
            sums[far] = self._far_sums(far, source, was_whole, between.sums)
        for leaf, target in goes:
            transfer(state, leaf, target, sums[leaf])
        return other

    def _far_sums(
        self, far: int, source: int, was_whole: bool, near_sums: np.ndarray
    ) -> np.ndarray:
        """Stock of each sample with the side whose rows were not read."""
        state = self.state
        if was_whole:
            return state.cluster_stocks(source) / self.weight - near_sums
        sums = np.zeros_like(near_sums)
        for block, index, ids in self._blocks(np.sort(state.samples(far))):
            sum_rows(state, block, index, ids, sums)
        return sums

    def _blocks(self, ids: np.ndarray):
        return self.rows.blocks(ids, self.state.n_features)
