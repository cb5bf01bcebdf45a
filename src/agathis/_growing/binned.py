"""Stocks of samples that are points, with thresholds between bins: for very many rows.

A leaf's table (:mod:`agathis._growing.points`) has a row for each bin of each feature that some of
its samples are in. Of a cut leaf only the smaller child is summed, the larger is what remains;
and a search looks at bins, so it takes no longer for more rows. A missing value is a bin of its
own that may go to either side.
"""

from __future__ import annotations

import numpy as np

from agathis._core.points.histogram import Histogram, remainder, split_ids
from agathis._core.points.leaves import PointState, padded
from agathis._growing.bins import Bins
from agathis._growing.points import PointStocks
from agathis._growing.protocol import Split
from agathis._growing.stores import Store
from agathis._support.progress import Progress
from agathis._trees.tree import MISSING


class BinnedStocks(PointStocks):
    """See :class:`agathis._growing.protocol.Stocks`.

    Parameters
    ----------
    store : Store
    bins : Bins
    ids : ndarray of int32
        The rows of positive weight, rising.
    weight : ndarray of shape (n_rows,) or None
        ``None`` where all weights are 1.
    origin, gap : ndarray of shape (n_components,)
        What is taken off the points, and what stands for missing components after that.
    n_clusters : int
    min_leaf : float
        Least weight of a leaf.
    threads : int
    progress : Progress
    """

    def __init__(
        self,
        store: Store,
        bins: Bins,
        ids: np.ndarray,
        weight: np.ndarray | None,
        origin: np.ndarray,
        gap: np.ndarray,
        *,
        n_clusters: int,
        min_leaf: float,
        threads: int,
        progress: Progress,
    ) -> None:
        self.store, self.bins, self.ids, self.weights = store, bins, ids, weight
        self.progress = progress
        self.start, self.stop = [0], [len(ids)]
        self.histogram = Histogram(
            len(bins.edges), padded(len(origin)), origin, gap, weight is not None, threads
        )
        root = self._sum(0, len(ids), squares=True)
        inertia = self.histogram.squares
        if not np.isfinite(inertia):
            raise ValueError("X is too large: the squared length of some row is not finite.")
        super().__init__(PointState(root, n_clusters, threads), origin, inertia, min_leaf)

    def locate(self, slot: int, floor: float) -> Split:
        feature, _, row, missing_left, *rest = self._locate(slot, floor)
        table = self.state.tables[slot]
        before, after = table.bins_around(feature, row)
        missing = 0
        if table.n_missing(feature):
            missing = MISSING.index("left" if missing_left else "right")
        return Split(feature, self.bins.threshold(feature, before, after), *rest, before, missing)

    def commit(self, slot: int, split: Split) -> int:
        parent, other = self.state.tables[slot], self.state.n_leaves
        start, stop = self.start[slot], self.stop[slot]
        ids = self.ids[start:stop]
        missing_left = MISSING[split.missing] == "left"
        left = self.store.goes_left(
            ids, split.feature, split.position, split.threshold, missing_left
        )
        middle = start + split_ids(ids, left)
        self.stop[slot] = middle
        self.start.append(middle)
        self.stop.append(stop)
        if middle - start <= stop - middle:
            small = self._sum(start, middle)
            children = small, remainder(parent, small)
        else:
            small = self._sum(middle, stop)
            children = remainder(parent, small), small
        self.state.cut(slot, *children)
        return self._move(slot, other, split)

    def _sum(self, start: int, stop: int, squares: bool = False):
        """The table of the rows at some places of ``ids``."""
        total = stop - start
        for chunk in self.store.chunks(self.ids[start:stop]):
            weight = None
            if self.weights is not None:
                weight = self.weights[self.ids[start + chunk.begin :][: len(chunk.ids)]]
            self.histogram.add(chunk.points, chunk.bins, chunk.ids, weight, squares)
            self.progress.rows(chunk.begin + len(chunk.ids), total)
        return self.histogram.table()
