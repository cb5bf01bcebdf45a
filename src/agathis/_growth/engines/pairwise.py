"""The pairwise engine: exact kernel sums over pairs of samples, for any symmetric kernel.

Each sample has its kernel sums with its leaf, with each cluster and, for each feature, with the
samples of its leaf that come before it. A search reads only these. Kernel rows are needed twice:
all of them for the root, and at a split those of the smaller side (or of the side that changes its
cluster), so that they may come from a matrix or be computed when needed. For kernels with explicit
points no kernel rows are needed (:mod:`agathis._growth.engines.pairwise_points`). All values are in
distance form (``_core/pairwise/loops.h``).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agathis._core.pairwise.clusters import transfer
from agathis._core.pairwise.pair_categories import Categories, locate_subset, search_subsets
from agathis._core.pairwise.pair_search import locate, search
from agathis._core.pairwise.state import State, partition
from agathis._core.pairwise.updates import Separation, close_root, open_root, sum_rows
from agathis._dataset.memory import InMemory
from agathis._dataset.splits import Split, sent_left
from agathis._growth.engines.categories import drawn_parts, first_split
from agathis._growth.engines.kernel_rows import Block, KernelRows
from agathis._growth.engines.protocol import KERNEL_ROUNDING, SUM_ROUNDING, Place
from agathis._growth.limits import Limits
from agathis._objective.centres import Centres, centres_of
from agathis._utils.numbers import threshold_between
from agathis._utils.progress import Progress


class PairwiseEngine:
    """See :class:`agathis._growth.engines.protocol.GainEngine`.

    Parameters
    ----------
    data : InMemory
    rows : KernelRows
        The kernel rows of the samples, the rows of positive weight.
    limits : Limits
    progress : Progress
    """

    #: Whether kernel sums along features come from prefix-sum scans.
    prefix_scanned = False

    def __init__(
        self, data: InMemory, rows: KernelRows, limits: Limits, progress: Progress
    ) -> None:
        X, weight = data.rows(), data.weights()
        self.data, self.rows, self.weight, self.limits = data, rows, weight, limits
        # The linear kernel is computed on centred rows, but its objective is not centred.
        diagonal = 2 * rows.half
        if data.kernel.metric == "linear":
            diagonal = data.kernel.diagonal(data.kernel.seen(X))
        self.trace = float(diagonal @ weight)
        self.searched, self.sources = data.features.searched, data.features.sources
        self.values = np.ascontiguousarray(self.searched.take(X).T, dtype=np.float64)
        self.state = State(
            self.values,
            weight,
            rows.half,
            limits.n_clusters,
            limits.max_leaves,
            data.threads,
            positive=data.kernel.is_positive,
            prefix_scanned=self.prefix_scanned,
        )
        self.gain, self.bound = self.state.gains()
        self.categories = None
        if self.sources is not None:
            self.categories = Categories(self.sources.codes(X), self.sources.n_categories)
        magnitude = self._open(progress)
        data.kernel.check_finite(magnitude)
        self.tolerance = (SUM_ROUNDING + 4 * rows.rounding) * magnitude / float(weight.sum())
        self.tolerance += KERNEL_ROUNDING * 2 * float(np.abs(rows.half) @ weight)

    def _open(self, progress: Progress) -> float:
        """Sum over all pairs of samples; return the sum of absolute values."""
        state, magnitude, done = self.state, 0.0, 0
        every = np.arange(state.n_samples, dtype=np.int32)
        sums = None if self.categories is None else self.categories.sums()
        progress.pairs(done, len(every))
        for block, index, ids in self._blocks(every):
            magnitude += open_root(state, block, index, ids)
            if self.categories is not None:
                self.categories.add(state, block, index, ids, every, sums)
            done += len(ids)
            progress.pairs(done, len(every))
        close_root(state)
        if self.categories is not None:
            self.categories.open(state, sums)
        return magnitude

    @property
    def n_features(self) -> int:
        return self.data.features.n_features

    @property
    def n_clusters(self) -> int:
        return self.state.n_clusters

    @property
    def objective(self) -> float:
        value = self.state.objective()
        # Without inertia within clusters rounding may give a positive value.
        return 0.0 if 0 < value <= self.tolerance else value

    def centres(self, labels: np.ndarray, keep: bool) -> Centres | None:
        # Mean kernel values within each cluster, converted from the distance form.
        means = self.state.cluster_means() + 2 * self.state.cluster_averages(self.rows.half)
        X = np.asarray(self.data.X, dtype=np.float64)
        return centres_of(self.data.kernel, X, labels, self.data.weight, means, keep=keep)

    def has_threshold(self, leaf_index: int) -> np.ndarray:
        columns = self.state.has_threshold(leaf_index)[: len(self.searched)]
        if self.categories is None:
            return columns
        return np.concatenate([columns, self.categories.has_ways(leaf_index)])

    def leaf_size(self, leaf_index: int) -> tuple[int, float]:
        return self.state.leaf_size(leaf_index)

    def search(self, leaf_indices: np.ndarray, drawn: np.ndarray | None, floor: float) -> None:
        if self.categories is None:
            search(self.state, leaf_indices, drawn, self.limits.record)
            return
        columns, sources = drawn_parts(drawn, len(self.searched))
        limits, tolerance = self.limits.record, self.tolerance
        search_subsets(
            self.state, leaf_indices, columns, limits, self.categories, sources, tolerance
        )

    def locate(self, leaf_index: int, floor: float) -> Split:
        if self.categories is None:
            return self._located(leaf_index, floor)
        splits: list[Split | None] = []
        if self.state.feature_gains(leaf_index).max() >= floor:
            splits.append(self._located(leaf_index, floor))
        subset = locate_subset(
            self.state, self.categories, leaf_index, floor, self.tolerance, self.limits.record
        )
        if subset is not None and self.sources is not None:
            source, codes, *move = subset
            splits.append(self.sources.split(source, codes, None, *move))
        return first_split(splits, leaf_index, floor)

    def _located(self, leaf_index: int, floor: float) -> Split:
        """The first split along a column."""
        column, position, gain, move, left, right = locate(
            self.state, leaf_index, floor, self.tolerance, self.limits.record
        )
        low, high = self.state.values_around(leaf_index, column, position)
        feature = self.searched.number(column)
        return Split(feature, threshold_between(low, high), gain, move, left, right, position)

    def place(
        self,
        leaf_index: int,
        feature: int,
        threshold: float,
        missing_left: bool,
        terms: tuple[tuple[int, float], ...] = (),
    ) -> Place:
        values = self.data.asked(self.state.samples(leaf_index), feature, terms)
        return Place.by_values(values, threshold, missing_left)

    def _partition(self, leaf_index: int, split: Split) -> int:
        """Split a leaf; return the index of the right child."""
        if split.position >= 0:
            return partition(
                self.state, leaf_index, self.searched.place(split.feature), split.position
            )
        samples = self.state.samples(leaf_index)
        values = self.data.asked(samples, split.feature, split.terms)
        left = np.zeros(self.state.n_samples, dtype=np.uint8)
        left[samples] = sent_left(values, split.threshold, False)
        return partition(self.state, leaf_index, 0, int(left.sum()) - 1, left)

    def commit(self, leaf_index: int, split: Split) -> int:
        state = self.state
        source, was_whole = state.cluster_of(leaf_index), state.is_whole_cluster(leaf_index)
        other = self._partition(leaf_index, split)
        goes = [
            (leaf, target)
            for leaf, target in ((leaf_index, split.left), (other, split.right))
            if target != source
        ]
        small, large = sorted((leaf_index, other), key=lambda leaf: state.leaf_size(leaf)[0])
        near = small
        if len(goes) == 1 and not was_whole:
            near = goes[0][0]
        far = large if near == small else small

        near_sums = self._separate(near, far)
        sums = {near: near_sums}
        if any(leaf == far for leaf, _ in goes):
            sums[far] = self._far_sums(far, source, was_whole, near_sums)
        for leaf, target in goes:
            transfer(state, leaf, target, sums[leaf])
        return other

    def _separate(self, near: int, far: int) -> np.ndarray:
        """Separate the sums of two new leaves; return the kernel sums with the first one."""
        state = self.state
        between, near_ids = Separation(state, near, far), np.sort(state.samples(near))
        if self.categories is not None:
            far_ids = np.sort(state.samples(far))
            within, across = self.categories.sums(), self.categories.sums()
        for block, index, ids in self._blocks(near_ids):
            between.add(block, index, ids)
            if self.categories is not None:
                self.categories.add(state, block, index, ids, near_ids, within)
                self.categories.add(state, block, index, ids, far_ids, across)
        between.finish()
        if self.categories is not None:
            self.categories.cut(state, near, far, within, across)
        return between.sums

    def _far_sums(
        self, far: int, source: int, was_whole: bool, near_sums: np.ndarray
    ) -> np.ndarray:
        """The kernel sum of each sample with the side whose kernel rows were not read."""
        state = self.state
        if was_whole:
            return state.cluster_kernel_sums(source) / self.weight - near_sums
        return self._sums(far)

    def move(self, leaf_index: int, cluster: int) -> None:
        transfer(self.state, leaf_index, cluster, self._sums(leaf_index))

    def _sums(self, leaf_index: int) -> np.ndarray:
        """The kernel sum of each sample with a leaf, from the kernel rows of the leaf."""
        sums = np.zeros(self.state.n_samples)
        for block, index, ids in self._blocks(np.sort(self.state.samples(leaf_index))):
            sum_rows(self.state, block, index, ids, sums)
        return sums

    def _blocks(self, ids: np.ndarray) -> Iterator[Block]:
        return self.rows.blocks(ids, self.state.n_features)
