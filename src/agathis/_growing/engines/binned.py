"""Stocks of samples that are points, with thresholds between bins: for very many rows.

A leaf's table (``points``) has a row for each bin of each feature that some of
its samples are in. Of a cut leaf only the smaller child is summed, the larger is what remains;
and a search looks at bins, so it takes no longer for more rows. A missing value is a bin of its
own that may go to either side.
"""

from __future__ import annotations

import numpy as np

from agathis._core.points.histogram import Histogram, remainder, split_ids
from agathis._core.points.leaves import LeafTable, PointState, padded
from agathis._growing.engines.bins import Bins
from agathis._growing.engines.categories import SourceTables
from agathis._growing.engines.columns import asked_values
from agathis._growing.engines.points import PointStocks
from agathis._growing.engines.protocol import Place, Split, sent_left
from agathis._growing.engines.row_stores import STREAM_ROWS, RowStore
from agathis._growing.inputs import TrainingData
from agathis._growing.limits import Limits
from agathis._kernels.space import Space
from agathis._support.progress import Progress
from agathis._trees.tree import MISSING_GOES


class BinnedStocks(PointStocks):
    """See :class:`agathis._growing.engines.protocol.Stocks`.

    Parameters
    ----------
    data : TrainingData
    store : RowStore
        Where the rows are taken from.
    bins : Bins
    space : Space
        How rows to come become points.
    origin, gap : ndarray of shape (n_components,)
        What is taken off the points, and what stands for missing components after that.
    limits : Limits
    progress : Progress
    """

    def __init__(
        self,
        data: TrainingData,
        store: RowStore,
        bins: Bins,
        space: Space,
        origin: np.ndarray,
        gap: np.ndarray,
        limits: Limits,
        progress: Progress,
    ) -> None:
        self.store, self.bins, self.progress, self.data = store, bins, progress, data
        # The rows of each leaf, rising.
        self.ids, self.weights = data.counted_ids(), data.weight
        self.start, self.stop = [0], [len(self.ids)]
        self.histogram = Histogram(
            len(bins.edges),
            padded(len(origin)),
            origin,
            gap,
            self.weights is not None,
            data.threads,
        )
        self.sources = None
        if data.sources is not None:
            weighted = self.weights is not None
            self.sources = SourceTables(data.sources, origin, gap, weighted, data.threads)
        root = self._sum(0, len(self.ids), squares=True)
        if self.sources is not None:
            self.sources.open()
        inertia = self.histogram.squares
        if not np.isfinite(inertia):
            raise ValueError("X is too large: the squared length of some row is not finite.")
        state = PointState(root, limits.n_clusters, data.threads)
        super().__init__(
            state, space, origin, inertia, limits.min_leaf, data.searched, self.sources
        )

    def _split_along(
        self,
        slot: int,
        place: int,
        count: int,
        row: int,
        missing_left: bool,
        gain: float,
        move: int,
        left: int,
        right: int,
    ) -> Split:
        table = self.state.tables[slot]
        before, after = table.bins_around(place, row)
        missing = 0
        if table.n_missing(place):
            missing = MISSING_GOES.index("left" if missing_left else "right")
        threshold = self.bins.threshold(place, before, after)
        feature = self.searched.number(place)
        return Split(feature, threshold, gain, move, left, right, before, missing)

    def place(
        self,
        slot: int,
        feature: int,
        threshold: float,
        missing_left: bool,
        terms: tuple[tuple[int, float], ...] = (),
    ) -> Place:
        """See :class:`~agathis._growing.engines.protocol.Stocks`; rows of a bin stay together."""
        ids, at = self.ids[self.start[slot] : self.stop[slot]], self.searched.place(feature)
        if terms or at is None:
            values = asked_values(self.data.X, ids, feature, terms)
            return Place.by_values(values, threshold, missing_left)
        values = self.store.values(ids, feature)
        missing = np.isnan(values)
        left = values <= threshold
        n_left = int(np.count_nonzero(left)) + missing_left * int(np.count_nonzero(missing))
        last, low, high = self.bins.around(at, threshold)
        inside = left[(low < values) & (values <= high)]
        if inside.any() and not inside.all():
            raise ValueError(
                f"rows on both sides of it are in one bin of that feature, from {low:.6g} to "
                f"{high:.6g}; with engine='binned' a threshold must lie between two bins."
            )
        # Where no row of the leaf is in that bin either side will do.
        position = last if inside.any() else last - 1
        return Place(position, n_left, bool(missing.any()))

    def commit(self, slot: int, split: Split) -> int:
        parent, other = self.state.tables[slot], self.state.n_leaves
        start, stop = self.start[slot], self.stop[slot]
        ids = self.ids[start:stop]
        missing_left = MISSING_GOES[split.missing] == "left"
        place = self.searched.place(split.feature)
        if split.position >= 0 and place is not None:
            left = self.store.goes_left(
                ids, place, split.position, split.feature, split.threshold, missing_left
            )
        else:
            left = self._by_values(ids, split, missing_left)
        middle = start + split_ids(ids, left)
        self.stop[slot] = middle
        self.start.append(middle)
        self.stop.append(stop)
        small_is_left = middle - start <= stop - middle
        if small_is_left:
            small = self._sum(start, middle)
            children = small, remainder(parent, small)
        else:
            small = self._sum(middle, stop)
            children = remainder(parent, small), small
        self.state.cut(slot, *children)
        if self.sources is not None:
            self.sources.cut(slot, small_is_left)
        return self._move_sides(slot, other, split)

    def _by_values(self, ids: np.ndarray, split: Split, missing_left: bool) -> np.ndarray:
        """Which rows a cut sends left that is not between two bins."""
        left = np.empty(len(ids), dtype=np.uint8)
        for begin in range(0, len(ids), STREAM_ROWS):
            part = slice(begin, begin + STREAM_ROWS)
            values = asked_values(self.data.X, ids[part], split.feature, split.terms)
            left[part] = sent_left(values, split.threshold, missing_left)
        return left

    def _sum(self, start: int, stop: int, squares: bool = False) -> LeafTable:
        """The table of the rows at some places of ``ids``; they are added to the sources too."""
        total = stop - start
        for chunk in self.store.chunks(self.ids[start:stop]):
            weight = None
            if self.weights is not None:
                weight = self.weights[self.ids[start + chunk.begin :][: len(chunk.ids)]]
            self.histogram.add(chunk.points, chunk.bins, chunk.ids, weight, squares)
            if self.sources is not None and chunk.codes is not None:
                self.sources.add(chunk.points, chunk.codes, chunk.ids, weight)
            self.progress.rows(chunk.begin + len(chunk.ids), total)
        return self.histogram.table()
