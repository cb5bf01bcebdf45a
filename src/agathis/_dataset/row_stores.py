"""Rows for the binned engine: in memory, or in a file larger than memory.

The rows of a leaf are read in chunks, as points and bins. In memory these are computed once. From a
mapped file only the requested rows are read, and points and bins are computed each time, so that
memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from agathis._core.points.histogram import goes_left
from agathis._dataset.bins import Bins
from agathis._dataset.features import CategoryGroups, SearchedColumns
from agathis._dataset.fixed_point import Grid
from agathis._dataset.splits import AppliedSplit, asked_values, sent_left
from agathis._kernels.space import Space
from agathis._kernels.tuning import STEPS_AT_ONCE

# Rows per chunk of a mapped file.
STREAM_ROWS = 1 << 16


@dataclass(frozen=True, eq=False)
class Plan:
    """The parameters for summing the rows of a partition.

    Attributes
    ----------
    bins : Bins
    space : Space
        Maps rows to points.
    searched : SearchedColumns
        The binned columns.
    sources : CategoryGroups or None
        The categorical features.
    grid : Grid
    """

    bins: Bins
    space: Space
    searched: SearchedColumns
    sources: CategoryGroups | None
    grid: Grid


class Chunk(NamedTuple):
    """A chunk of rows: their indices ``ids`` into points, bins and codes, and its offset.

    ``codes`` are category codes; ``None`` without categorical features.
    """

    points: np.ndarray
    bins: np.ndarray
    ids: np.ndarray
    begin: int
    codes: np.ndarray | None = None


class RowStore:
    """The rows of a partition.

    Parameters
    ----------
    X : ndarray, numpy.memmap, or rows of files, of shape (n_rows, n_features)
        float32 or float64; C-contiguous in memory.
    plan : Plan
    threads : int
    mapped : bool
        Whether X is a file, of which points and bins are not kept.
    """

    def __init__(self, X: np.ndarray, plan: Plan, threads: int, mapped: bool = False) -> None:
        self.X, self.plan, self.threads = X, plan, threads
        self.kept = None if mapped else self._chunk(X, np.empty(0, dtype=np.int32))

    def _chunk(self, rows: np.ndarray, ids: np.ndarray, begin: int = 0) -> Chunk:
        """Compute the points, bins and codes of these rows."""
        plan = self.plan
        bins = np.empty((len(rows), len(plan.bins.edges)), dtype=np.uint8)
        for part in gen_batches(len(rows), self._rows_at_once(rows.shape[1])):
            plan.bins.assign(plan.searched.take(rows[part]), self.threads, bins[part])
        codes = None if plan.sources is None else plan.sources.bins(rows)
        points = rows if plan.space.is_identity else plan.space.points(rows, self.threads)
        return Chunk(points, bins, ids, begin, codes)

    def _rows_at_once(self, width: int) -> int:
        """Rows per chunk; between chunks interrupts are handled and progress is reported."""
        return max(1, int(2 * STEPS_AT_ONCE / (len(self.plan.bins.edges) * width)))

    def chunks(self, ids: np.ndarray) -> Iterator[Chunk]:
        """The rows with the sorted indices ``ids``, in chunks."""
        if len(ids) == 0:
            return
        if self.kept is None:
            for part in gen_batches(len(ids), STREAM_ROWS):
                every = np.arange(part.stop - part.start, dtype=np.int32)
                yield self._chunk(take(self.X, ids[part]), every, part.start)
        else:
            for part in gen_batches(len(ids), self._rows_at_once(self.kept.points.shape[1])):
                yield self.kept._replace(ids=ids[part], begin=part.start)

    def goes_left(self, ids: np.ndarray, cut: AppliedSplit) -> np.ndarray:
        """A mask (bytes) of the rows that a split sends left, for sorted indices."""
        if cut.place >= 0 and self.kept is not None:
            bins = self.kept.bins
            return goes_left(bins, ids, cut.place, cut.last, cut.missing_left, self.threads)
        left = np.empty(len(ids), dtype=np.uint8)
        for begin in range(0, len(ids), STREAM_ROWS):
            part = slice(begin, begin + STREAM_ROWS)
            # As float64, as a threshold rounded to float32 could be the value above it.
            values = asked_values(self.X, ids[part], cut.feature, cut.terms)
            left[part] = sent_left(values, cut.threshold, cut.missing_left)
        return left


def take(X: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Copy rows of a table, possibly a mapped file, into memory."""
    if len(ids) and ids[-1] - ids[0] == len(ids) - 1:
        return np.array(X[ids[0] : ids[-1] + 1], order="C", subok=False)
    return np.ascontiguousarray(np.asarray(X[ids]))
