"""Stocks summed over pairs of samples: exact, for any symmetric kernel.

What is kept for each sample: its stock with its leaf and with each cluster, and, feature by
feature, its stock with the samples of its leaf that stand before it. A search reads these and
never a kernel value. Kernel rows are read at two moments only: all of them for the root, and at a
cut those of the smaller side (or of the side that changes its cluster), so they may come from a
matrix or be computed on the way. All values are in distance form (``_core/pairs/loops.h``).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agathis._core.pairs.clusters import transfer
from agathis._core.pairs.pair_search import locate, search
from agathis._core.pairs.partition import partition
from agathis._core.pairs.state import State
from agathis._core.pairs.updates import Separation, close_root, open_root, sum_rows
from agathis._growing.engines.kernel_rows import Block, KernelRows
from agathis._growing.engines.protocol import KERNEL_ROUNDING, SUM_ROUNDING, Place, Split
from agathis._growing.inputs import TrainingData
from agathis._growing.limits import Limits
from agathis._partitions.centres import Centres, centres_of
from agathis._support.numbers import threshold_between
from agathis._support.progress import Progress


class PairStocks:
    """See :class:`agathis._growing.engines.protocol.Stocks`.

    Parameters
    ----------
    data : TrainingData
    rows : KernelRows
        Of the samples, the rows of positive weight.
    limits : Limits
    progress : Progress
    """

    def __init__(
        self, data: TrainingData, rows: KernelRows, limits: Limits, progress: Progress
    ) -> None:
        X, weight = data.rows(), data.weights()
        self.data, self.rows, self.weight, self.min_leaf = data, rows, weight, limits.min_leaf
        # The linear kernel's rows are those of X about its mean, its objective is not.
        diagonal = data.kernel.diagonal(X) if data.kernel.metric == "linear" else 2 * rows.half
        self.trace = float(diagonal @ weight)
        self.values = np.ascontiguousarray(X.T, dtype=np.float64)
        self.state = State(
            self.values,
            weight,
            rows.half,
            limits.n_clusters,
            limits.max_leaves,
            data.threads,
            positive=data.kernel.is_positive,
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
    def n_features(self) -> int:
        return self.state.n_features

    @property
    def n_clusters(self) -> int:
        return self.state.n_clusters

    @property
    def objective(self) -> float:
        value = self.state.objective()
        # Of clusters without inertia rounding may leave less than none.
        return 0.0 if 0 < value <= self.tolerance else value

    def centres(self, labels: np.ndarray, keep: bool) -> Centres | None:
        # Mean kernel values within each cluster, back from the distance form.
        means = self.state.cluster_means() + 2 * self.state.cluster_averages(self.rows.half)
        X = np.asarray(self.data.X, dtype=np.float64)
        return centres_of(self.data.kernel, X, labels, self.data.weight, means, keep=keep)

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

    def place(self, slot: int, feature: int, threshold: float, missing_left: bool) -> Place:
        return Place.among(self.values[feature, self.state.samples(slot)], threshold)

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
        return self._sums(far)

    def move(self, slot: int, cluster: int) -> None:
        transfer(self.state, slot, cluster, self._sums(slot))

    def _sums(self, slot: int) -> np.ndarray:
        """Stock of each sample with a leaf, from the kernel rows of the leaf."""
        sums = np.zeros(self.state.n_samples)
        for block, index, ids in self._blocks(np.sort(self.state.samples(slot))):
            sum_rows(self.state, block, index, ids, sums)
        return sums

    def _blocks(self, ids: np.ndarray) -> Iterator[Block]:
        return self.rows.blocks(ids, self.state.n_features)
