"""Row stores of the binned engine: memory, or a file larger than memory.

Both yield the rows of a leaf in chunks, as points and bins. In memory these are computed once. From
a mapped file only the requested rows are read, and points and bins are computed each time, so that
memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from sklearn.utils import gen_batches

from agathis._core.points.histogram import goes_left
from agathis._dataset.bins import Bins
from agathis._dataset.features import CategoryGroups, SearchedColumns
from agathis._dataset.splits import asked_values, sent_left
from agathis._kernels.space import Space
from agathis._kernels.tuning import STEPS_AT_ONCE

# Rows per chunk of a mapped file.
STREAM_ROWS = 1 << 16


class Chunk(NamedTuple):
    """A chunk of rows: their indices ``ids`` into points, bins and codes, and its offset.

    ``codes`` are category codes; ``None`` without categorical features.
    """

    points: np.ndarray
    bins: np.ndarray
    ids: np.ndarray
    begin: int
    codes: np.ndarray | None = None


class RowStore(Protocol):
    def chunks(self, ids: np.ndarray) -> Iterator[Chunk]:
        """The rows with the sorted indices ``ids``, in chunks."""
        ...

    def goes_left(
        self,
        ids: np.ndarray,
        place: int,
        last: int,
        feature: int,
        threshold: float,
        missing_left: bool,
    ) -> np.ndarray:
        """A mask (bytes) of the rows that a split after bin ``last`` sends left.

        ``place`` is the index of the column among the searched ones, ``feature`` its index in X.
        """
        ...

    def values(
        self, ids: np.ndarray, feature: int, terms: tuple[tuple[int, float], ...] = ()
    ) -> np.ndarray:
        """The values compared with a threshold, as float64, for sorted indices."""
        ...


class MemoryStore:
    """Rows in memory.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        C-contiguous, float32 or float64.
    bins : Bins
    space : Space
    threads : int
    searched : SearchedColumns
        The columns that the bins are of.
    sources : CategoryGroups or None
        Of categories.
    """

    def __init__(
        self,
        X: np.ndarray,
        bins: Bins,
        space: Space,
        threads: int,
        searched: SearchedColumns,
        sources: CategoryGroups | None = None,
    ) -> None:
        self.X, self.threads = X, threads
        self.bins: np.ndarray = np.empty((len(X), len(bins.edges)), dtype=np.uint8)
        for part in gen_batches(len(X), self._rows_at_once(X.shape[1])):
            bins.assign(searched.take(X[part]), threads, self.bins[part])
        self.codes = None if sources is None else sources.bins(X)
        self.points = X if space.is_identity else space.points(X, threads)

    def chunks(self, ids: np.ndarray) -> Iterator[Chunk]:
        for part in gen_batches(len(ids), self._rows_at_once(self.points.shape[1])):
            yield Chunk(self.points, self.bins, ids[part], part.start, self.codes)

    def _rows_at_once(self, width: int) -> int:
        """Rows per chunk; between chunks interrupts are handled and progress is reported."""
        return max(1, int(2 * STEPS_AT_ONCE / (self.bins.shape[1] * width)))

    def goes_left(
        self,
        ids: np.ndarray,
        place: int,
        last: int,
        feature: int,
        threshold: float,
        missing_left: bool,
    ) -> np.ndarray:
        return goes_left(self.bins, ids, place, last, missing_left, self.threads)

    def values(
        self, ids: np.ndarray, feature: int, terms: tuple[tuple[int, float], ...] = ()
    ) -> np.ndarray:
        return asked_values(self.X, ids, feature, terms)


class StreamStore:
    """Rows of a file, read when needed.

    Parameters
    ----------
    X : numpy.memmap, or rows of files, of shape (n_rows, n_features)
    bins : Bins
    space : Space
    threads : int
    searched : SearchedColumns
        The columns that the bins are of.
    sources : CategoryGroups or None
        Of categories.
    """

    def __init__(
        self,
        X: np.ndarray,
        bins: Bins,
        space: Space,
        threads: int,
        searched: SearchedColumns,
        sources: CategoryGroups | None = None,
    ) -> None:
        self.X, self.bins, self.space, self.threads = X, bins, space, threads
        self.searched, self.sources = searched, sources

    def chunks(self, ids: np.ndarray) -> Iterator[Chunk]:
        for begin in range(0, len(ids), STREAM_ROWS):
            rows = take(self.X, ids[begin : begin + STREAM_ROWS])
            points = rows if self.space.is_identity else self.space.points(rows, self.threads)
            places = np.arange(len(rows), dtype=np.int32)
            bins = self.bins.assign(self.searched.take(rows), self.threads)
            codes = None if self.sources is None else self.sources.bins(rows)
            yield Chunk(points, bins, places, begin, codes)

    def goes_left(
        self,
        ids: np.ndarray,
        place: int,
        last: int,
        feature: int,
        threshold: float,
        missing_left: bool,
    ) -> np.ndarray:
        left = np.empty(len(ids), dtype=np.uint8)
        for begin in range(0, len(ids), STREAM_ROWS):
            part = slice(begin, begin + STREAM_ROWS)
            values = self.values(ids[part], feature)
            left[part] = sent_left(values, threshold, missing_left)
        return left

    def values(
        self, ids: np.ndarray, feature: int, terms: tuple[tuple[int, float], ...] = ()
    ) -> np.ndarray:
        # As float64, as a threshold rounded to float32 could be the value above it.
        return asked_values(self.X, ids, feature, terms)


def take(X: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Copy rows of a table, possibly a mapped file, into memory."""
    if len(ids) and ids[-1] - ids[0] == len(ids) - 1:
        return np.array(X[ids[0] : ids[-1] + 1], order="C", subok=False)
    return np.ascontiguousarray(np.asarray(X[ids]))
