"""Partitions of the rows, for the binned engine.

The engine works with splits and tables of sums, not with rows. Rows are in partitions, in memory,
in files or on other machines, behind a :class:`Holder`. A request for the sums of a leaf contains
all splits so far; a partition applies those that it has not applied yet. Requests are therefore
idempotent, and can be repeated for a partition that was lost and read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from agathis._core.points.histogram import Histogram, split_ids
from agathis._core.points.leaves import LeafTable, padded
from agathis._dataset.fixed_point import Grid, Seen
from agathis._dataset.row_stores import Plan, RowStore
from agathis._dataset.splits import AppliedSplit, asked_values, sent_left

#: A progress callback: the rows done, and the total.
Report = Callable[[int, int], object]


class Question(NamedTuple):
    """A request to evaluate a split; ``low`` and ``high`` are the edges of its bin."""

    feature: int
    threshold: float
    missing_left: bool
    terms: tuple[tuple[int, float], ...]
    low: float
    high: float


class Answer(NamedTuple):
    """Counts of samples: on the left, with missing values, and in the bin on either side."""

    n_left: int
    n_missing: int
    inside_left: int
    inside_right: int

    def __add__(self, other: object) -> Answer:
        assert isinstance(other, Answer)
        return Answer(*(one + two for one, two in zip(self, other, strict=True)))


#: Nonempty bins, with their sums, counts and weights.
Added = tuple[np.ndarray, np.ndarray, np.ndarray, "np.ndarray | None"]


class Sums(NamedTuple):
    """The sums of a leaf in a partition, as integers, which add up exactly."""

    n_samples: int
    bins: Added
    codes: Added | None
    seen: Seen | None


class LeafSums:
    """An accumulator for the sums of a leaf, by bin and by category.

    Parameters
    ----------
    plan : Plan
    threads : int
    """

    def __init__(self, plan: Plan, threads: int) -> None:
        width = padded(len(plan.grid.origin))
        n_features = len(plan.bins.edges)
        self.seen: Seen | None = None
        self.bins = Histogram(n_features, width, plan.grid, threads)
        self.codes: Histogram | None = None
        if plan.sources is not None:
            self.codes = Histogram(len(plan.sources.columns), width, plan.grid, threads)

    def set_grid(self, grid: Grid) -> None:
        """Reset to zero, on another grid."""
        self.seen = None
        self.bins.set_grid(grid)
        if self.codes is not None:
            self.codes.set_grid(grid)

    def see(self) -> None:
        """Record the magnitudes of the rows added."""
        seen = Seen(*self.bins.seen)
        self.seen = seen if self.seen is None else self.seen + seen

    def take(self) -> Sums:
        """Return the sums and reset."""
        codes = None if self.codes is None else self.codes.sums()
        out = Sums(self.bins.n_samples, self.bins.sums(), codes, self.seen)
        self.set_grid(self.bins.grid)
        return out

    def put(self, sums: Sums) -> None:
        """Add the sums of another accumulator."""
        self.bins.put(sums.bins, sums.n_samples)
        if self.codes is not None:
            self.codes.put(sums.codes, sums.n_samples)
        if sums.seen is not None:
            self.seen = sums.seen if self.seen is None else self.seen + sums.seen

    def table(self) -> LeafTable:
        return self.bins.table()


class Holder(Protocol):
    """The interface of holders of rows."""

    @property
    def n_rows(self) -> int:
        """The number of rows of positive weight."""
        ...

    def sums(
        self,
        cuts: Sequence[AppliedSplit],
        leaf_index: int,
        leaf_sums: LeafSums,
        squares: bool,
        report: Report,
    ) -> None:
        """Add the rows of a leaf after these splits to the accumulator."""
        ...

    def size(self, cuts: Sequence[AppliedSplit], leaf_index: int) -> int:
        """The number of rows of a leaf after these splits."""
        ...

    def ask(self, cuts: Sequence[AppliedSplit], leaf_index: int, question: Question) -> Answer:
        """Evaluate a split of a leaf without applying it."""
        ...


class Part:
    """The holder of one partition in this process: its rows, and the leaf of each.

    Parameters
    ----------
    store : RowStore
    ids : ndarray of int32
        The sorted indices of rows of positive weight; reordered in place.
    weight : ndarray or None
        The weights of all rows of the store.
    """

    def __init__(self, store: RowStore, ids: np.ndarray, weight: np.ndarray | None) -> None:
        self.store, self.ids, self.weight = store, ids, weight
        # The sorted rows of each leaf are ids[start:stop].
        self.start, self.stop = [0], [len(ids)]

    @property
    def n_rows(self) -> int:
        """The number of rows of positive weight."""
        return len(self.ids)

    def apply(self, cuts: Sequence[AppliedSplit]) -> None:
        """Apply the splits that have not been applied yet."""
        for cut in cuts[len(self.start) - 1 :]:
            start, stop = self.start[cut.leaf_index], self.stop[cut.leaf_index]
            ids = self.ids[start:stop]
            middle = start + split_ids(ids, self.store.goes_left(ids, cut))
            self.stop[cut.leaf_index] = middle
            self.start.append(middle)
            self.stop.append(stop)

    def rows_of(self, leaf_index: int) -> np.ndarray:
        return self.ids[self.start[leaf_index] : self.stop[leaf_index]]

    def sums(
        self,
        cuts: Sequence[AppliedSplit],
        leaf_index: int,
        leaf_sums: LeafSums,
        squares: bool,
        report: Report,
    ) -> None:
        self.apply(cuts)
        ids = self.rows_of(leaf_index)
        for chunk in self.store.chunks(ids):
            weight = None
            if self.weight is not None:
                weight = self.weight[ids[chunk.begin : chunk.begin + len(chunk.ids)]]
            leaf_sums.bins.add(chunk.points, chunk.bins, chunk.ids, weight, squares)
            if leaf_sums.codes is not None and chunk.codes is not None:
                leaf_sums.codes.add(chunk.points, chunk.codes, chunk.ids, weight)
            report(chunk.begin + len(chunk.ids), len(ids))
        if squares:
            leaf_sums.see()

    def size(self, cuts: Sequence[AppliedSplit], leaf_index: int) -> int:
        self.apply(cuts)
        return self.stop[leaf_index] - self.start[leaf_index]

    def ask(self, cuts: Sequence[AppliedSplit], leaf_index: int, question: Question) -> Answer:
        self.apply(cuts)
        ids = self.rows_of(leaf_index)
        values = asked_values(self.store.X, ids, question.feature, question.terms)
        left = sent_left(values, question.threshold, question.missing_left).view(bool)
        inside = left[(question.low < values) & (values <= question.high)]
        n_left, inside_left = int(np.count_nonzero(left)), int(np.count_nonzero(inside))
        missing = int(np.count_nonzero(np.isnan(values)))
        return Answer(n_left, missing, inside_left, len(inside) - inside_left)


def added(answers: Any) -> Any:
    """The sum of one or more answers."""
    first, *others = answers
    return sum(others, first)
