"""The pairwise engine for points, with prefix-sum scans only along promising features.

For inner products of points, the kernel sum of a sample with those before it comes from a prefix
sum along the feature: exact with all components of the points, an upper bound with a few
(``_core/pairs/walks.pyx``). A leaf is searched with bounds first, then with exact sums along
features whose bound exceeds the best exact gain. The selected split is always exact.
"""

from __future__ import annotations

import numpy as np

from agathis._core.pairs.clusters import renew
from agathis._core.pairs.pair_search import LeafSearch
from agathis._core.pairs.updates import close_root, fill_stocks, part_stocks
from agathis._core.pairs.walks import N_LEADING, LeadingParts, Parts
from agathis._dataset.memory import InMemory
from agathis._dataset.splits import Split
from agathis._growing.engines.kernel_rows import KernelRows
from agathis._growing.engines.leading import leading
from agathis._growing.engines.pairs import PairStocks
from agathis._growing.engines.tuning import EXACT_TOGETHER, FEW, RENEWED, SEEN_TOGETHER, WIDE
from agathis._growing.limits import Limits
from agathis._kernels.kernel import one_blas_thread
from agathis._support.progress import Progress

# The range of magnitudes of points that are scanned in single precision.
SINGLE_LEAST, SINGLE_MOST = 2.0**-90, 2.0**100


class WalkedStocks(PairStocks):
    """See :class:`agathis._growing.engines.protocol.Stocks`.

    Parameters
    ----------
    data : InMemory
        Without categories.
    rows : KernelRows
        With points.
    limits : Limits
    progress : Progress
    """

    walked = True

    def __init__(
        self, data: InMemory, rows: KernelRows, limits: Limits, progress: Progress
    ) -> None:
        assert rows.points is not None
        n, width = rows.points.shape
        self.points = rows.points
        self.parts, self.leading = Parts(self.points), None
        # Outside this range single precision underflows or overflows.
        largest = float(np.abs(self.points).max(initial=0.0))
        if width >= WIDE * N_LEADING and SINGLE_LEAST < largest < SINGLE_MOST:
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
        stocks = self.weight * self._sums(0)
        fill_stocks(self.state, stocks)
        close_root(self.state)
        progress.pairs(self.state.n_samples, self.state.n_samples)
        # Values in distance form are never positive.
        return -float(stocks.sum())

    def _sums(self, slot: int) -> np.ndarray:
        ids = np.sort(self.state.samples(slot))
        weight, half = self.weight[ids], self.rows.half
        # Sums must not depend on the number of threads.
        with one_blas_thread():
            whole = self.points @ (weight @ self.points[ids])
        return whole - half * weight.sum() - weight @ half[ids]

    def _separate(self, near: int, far: int) -> np.ndarray:
        sums = self._sums(near)
        part_stocks(self.state, near, far, sums)
        return sums

    def commit(self, slot: int, split: Split) -> int:
        other = super().commit(slot, split)
        self.exact.pop(slot, None)
        if slot in self.directions:
            self.directions[other] = self.directions[slot]
        return other

    def search(self, slots: np.ndarray, drawn: np.ndarray | None, floor: float) -> None:
        # Search the most promising leaf first, as its gain is a floor for the others.
        floor = max(floor, self.tolerance)
        for place in np.argsort(-self.bound[slots], kind="stable").tolist():
            drawn_here = None if drawn is None else drawn[place : place + 1]
            floor = max(floor, self._search(int(slots[place]), drawn_here, floor))

    def _search(self, slot: int, drawn: np.ndarray | None, floor: float) -> float:
        """Search a leaf; return its best certain gain."""
        renewed = False
        if slot not in self.exact:
            self._begin(slot)
        elif self.bound[slot] < np.inf and self.leaf_size(slot)[0] >= RENEWED:
            few = self.state.n_features // FEW
            renewed = renew(self.state, slot, floor - 2 * self.tolerance, few)
        slots = np.array([slot], dtype=np.int32)
        found = LeafSearch(self.state, slots, drawn, self.limits.record, renewed)
        seen = np.full(self.state.n_features, not renewed)
        certain = self._settle(found, slot, seen, floor)
        found.finish(self.unsure[slot])
        self.gain[slot] = certain
        return certain

    def _begin(self, slot: int) -> None:
        """Compute bounds along all features, or exact sums if points have few components."""
        features = np.flatnonzero(self.state.has_threshold(slot)).astype(np.int32)
        self.exact[slot] = np.full(self.state.n_features, self.leading is None)
        if self.leading is None:
            self.parts.walk(self.state, slot, features)
            return
        ids = np.sort(self.state.samples(slot))
        # Threads of BLAS and of the scans compete with each other: 5.2 s instead of 2.0.
        with one_blas_thread():
            view = leading(self.points[ids], self.weight[ids], self.directions.get(slot))
        self.directions[slot], self.unsure[slot] = view.directions, view.largest + view.rounded
        self.leading.write(ids, view.components, view.half, view.tail)
        self.leading.walk(self.state, slot, features, view.largest, view.rounded, view.all_tails)

    def _settle(self, found: LeafSearch, slot: int, seen: np.ndarray, floor: float) -> float:
        """Search features, exactly in the end, until the best gain is certain; return it.

        ``seen`` is a mask of the features searched since the last change of the clusters.
        """
        best, exact = self.state.feature_gains(slot), self.exact[slot]
        together = {False: SEEN_TOGETHER, True: EXACT_TOGETHER}
        while True:
            certain = float(best.max(where=exact & seen, initial=-np.inf))
            # Once the tolerance for rounding, once for ties.
            doubtful = best >= max(certain, floor) - 2 * self.tolerance
            # Search outdated gains first, as they may have decreased.
            features = np.flatnonzero(doubtful & ~seen)
            looked = len(features) == 0
            if looked:
                features = np.flatnonzero(doubtful & ~exact)
            if len(features) == 0:
                return certain
            most = np.argsort(-best[features], kind="stable")[: together[looked]]
            features = np.sort(features[most]).astype(np.int32)
            if looked:
                self.parts.walk(self.state, slot, features)
                exact[features] = True
            found.again(features)
            seen[features] = True
            together[looked] *= 2
