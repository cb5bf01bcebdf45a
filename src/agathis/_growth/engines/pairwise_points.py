"""The pairwise engine for points, with prefix-sum scans only along promising features.

For inner products of points, the kernel sum of a sample with those before it comes from a prefix
sum along the feature: exact with all components of the points, an upper bound with a few
(``_core/pairwise/prefix_scans.pyx``). A leaf is searched with bounds first, then with exact sums
along features whose bound exceeds the best exact gain. The selected split is always exact.
"""

from __future__ import annotations

import numpy as np

from agathis._core.pairwise.pair_search import LeafSearch
from agathis._core.pairwise.prefix_scans import N_LEADING, LeadingParts, Parts
from agathis._core.pairwise.updates import close_root, fill_kernel_sums, part_kernel_sums
from agathis._dataset.memory import InMemory
from agathis._dataset.splits import Split
from agathis._growth.engines.kernel_rows import KernelRows
from agathis._growth.engines.pairwise import PairwiseEngine
from agathis._growth.engines.principal_directions import principal_directions
from agathis._growth.engines.tuning import EXACT_TOGETHER, WIDE
from agathis._growth.limits import Limits
from agathis._kernels.kernel import one_blas_thread
from agathis._utils.progress import Progress

# The range of magnitudes of points that are scanned in single precision.
MIN_SINGLE, MAX_SINGLE = 2.0**-90, 2.0**100


class PairwisePointEngine(PairwiseEngine):
    """See :class:`agathis._growth.engines.protocol.GainEngine`.

    Parameters
    ----------
    data : InMemory
        Without categories.
    rows : KernelRows
        With points.
    limits : Limits
    progress : Progress
    """

    prefix_scanned = True

    def __init__(
        self, data: InMemory, rows: KernelRows, limits: Limits, progress: Progress
    ) -> None:
        assert rows.points is not None
        n, width = rows.points.shape
        self.points = rows.points
        self.parts, self.leading = Parts(self.points), None
        # Outside this range single precision underflows or overflows.
        largest = float(np.abs(self.points).max(initial=0.0))
        if width >= WIDE * N_LEADING and MIN_SINGLE < largest < MAX_SINGLE:
            self.leading = LeadingParts(n)
        super().__init__(data, rows, limits, progress)
        # By leaf index: the features with exact sums, absent before the first search.
        self.exact: dict[int, np.ndarray] = {}
        # The leading directions of a leaf or of its parent.
        self.directions: dict[int, np.ndarray] = {}
        # By how much the bound of a side's kernel sum over its size may exceed it.
        self.unsure = np.zeros(limits.max_leaves)

    def _open(self, progress: Progress) -> float:
        progress.pairs(0, self.state.n_samples)
        gain_engine = self.weight * self._sums(0)
        fill_kernel_sums(self.state, gain_engine)
        close_root(self.state)
        progress.pairs(self.state.n_samples, self.state.n_samples)
        # Values in distance form are never positive.
        return -float(gain_engine.sum())

    def _sums(self, leaf_index: int) -> np.ndarray:
        ids = np.sort(self.state.samples(leaf_index))
        weight, half = self.weight[ids], self.rows.half
        # Sums must not depend on the number of threads.
        with one_blas_thread():
            kernel_sums = self.points @ (weight @ self.points[ids])
        return kernel_sums - half * weight.sum() - weight @ half[ids]

    def _separate(self, near: int, far: int) -> np.ndarray:
        sums = self._sums(near)
        part_kernel_sums(self.state, near, far, sums)
        return sums

    def commit(self, leaf_index: int, split: Split) -> int:
        other = super().commit(leaf_index, split)
        self.exact.pop(leaf_index, None)
        if leaf_index in self.directions:
            self.directions[other] = self.directions[leaf_index]
        return other

    def search(self, leaf_indices: np.ndarray, drawn: np.ndarray | None, floor: float) -> None:
        # Search the most promising leaf first, as its gain is a floor for the others.
        floor = max(floor, self.tolerance)
        for index in np.argsort(-self.bound[leaf_indices], kind="stable").tolist():
            drawn_here = None if drawn is None else drawn[index : index + 1]
            floor = max(floor, self._search(int(leaf_indices[index]), drawn_here, floor))

    def _search(self, leaf_index: int, drawn: np.ndarray | None, floor: float) -> float:
        """Search a leaf; return its best certain gain."""
        if leaf_index not in self.exact:
            self._begin(leaf_index)
        leaf_indices = np.array([leaf_index], dtype=np.int32)
        leaf_search = LeafSearch(self.state, leaf_indices, drawn, self.limits.record)
        certain = self._settle(leaf_search, leaf_index, floor)
        leaf_search.finish(self.unsure[leaf_index])
        self.gain[leaf_index] = certain
        return certain

    def _begin(self, leaf_index: int) -> None:
        """Compute bounds along all features, or exact sums if points have few components."""
        features = np.flatnonzero(self.state.has_threshold(leaf_index)).astype(np.int32)
        self.exact[leaf_index] = np.full(self.state.n_features, self.leading is None)
        if self.leading is None:
            self.parts.scan(self.state, leaf_index, features)
            return
        ids = np.sort(self.state.samples(leaf_index))
        # Threads of BLAS and of the scans compete with each other: 5.2 s instead of 2.0.
        with one_blas_thread():
            view = principal_directions(
                self.points[ids], self.weight[ids], self.directions.get(leaf_index)
            )
        self.directions[leaf_index], self.unsure[leaf_index] = (
            view.directions,
            view.largest + view.rounded,
        )
        self.leading.write(ids, view.components, view.half, view.tail)
        self.leading.scan(
            self.state, leaf_index, features, view.largest, view.rounded, view.all_tails
        )

    def _settle(self, leaf_search: LeafSearch, leaf_index: int, floor: float) -> float:
        """Compute exact sums along features until the best gain is certain; return it."""
        best, exact = self.state.feature_gains(leaf_index), self.exact[leaf_index]
        together = EXACT_TOGETHER
        while True:
            certain = float(best.max(where=exact, initial=-np.inf))
            # Once the tolerance for rounding, once for ties.
            doubtful = best >= max(certain, floor) - 2 * self.tolerance
            features = np.flatnonzero(doubtful & ~exact)
            if len(features) == 0:
                return certain
            first = np.argsort(-best[features], kind="stable")[:together]
            features = np.sort(features[first]).astype(np.int32)
            self.parts.scan(self.state, leaf_index, features)
            exact[features] = True
            leaf_search.again(features)
            together *= 2
