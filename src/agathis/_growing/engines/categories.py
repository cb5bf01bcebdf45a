"""Sources of categories in an engine: codes of rows, sums by code, and splits on subsets.

A source is a group of one-hot columns. To the engines it is a number a row, its *code*: the place
of the column that is on, the next number where none is, and -1 where the category is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agathis._core.points.histogram import Histogram, remainder
from agathis._core.points.leaves import LeafTable
from agathis._core.points.point_categories import LeafItems, PointCategories
from agathis._growing.engines.bins import MISSING_BIN
from agathis._growing.engines.protocol import Split
from agathis._trees.tree import MISSING_GOES


@dataclass(frozen=True, eq=False)
class Sources:
    """Groups of one-hot columns.

    Attributes
    ----------
    columns : tuple of ndarray of int
        For each source its columns, rising; the sources by their first column.
    on : ndarray of shape (n_sources,)
        What a column of each source has that is on.
    """

    columns: tuple[np.ndarray, ...]
    on: np.ndarray

    @property
    def n_codes(self) -> np.ndarray:
        """Codes of each source, missing ones aside."""
        return np.array([len(own) + 1 for own in self.columns], dtype=np.int32)

    def check(self) -> None:
        """Raise where a source has more categories than there are bins."""
        most = int(self.n_codes.max())
        if most > MISSING_BIN:
            raise ValueError(
                f"one_hot has a source of {most - 1} categories; engine='features' and 'binned' "
                f"take up to {MISSING_BIN - 1}, engine='gram' and 'blocks' any number. Put rare "
                "categories together."
            )

    def codes(self, X: np.ndarray) -> np.ndarray:
        """The code of each row in each source, of shape (n_rows, n_sources)."""
        out = np.empty((len(X), len(self.columns)), dtype=np.int32)
        for source, own in enumerate(self.columns):
            part = X[:, own]
            is_on = part > 0
            code = np.where(is_on.any(axis=1), np.argmax(is_on, axis=1), len(own))
            out[:, source] = np.where(np.isnan(part[:, 0]), -1, code)
        return out

    def bins(self, X: np.ndarray) -> np.ndarray:
        """The same as bins of a histogram."""
        codes = self.codes(X)
        return np.where(codes < 0, MISSING_BIN, codes).astype(np.uint8)

    def split(
        self,
        source: int,
        codes: np.ndarray,
        missing_left: bool | None,
        gain: float,
        move: int,
        left: int,
        right: int,
    ) -> Split:
        """The split that sends rows of these codes right.

        Where no code is given only missing values go right: that is a cut of the first column.
        """
        own = self.columns[source]
        missing = 0
        if missing_left is not None:
            missing = MISSING_GOES.index("left" if missing_left else "right")
        chosen = own[codes]
        return Split(
            feature=int(chosen[0] if len(chosen) else own[0]),
            threshold=float(self.on[source] / 2) if len(chosen) else np.inf,
            gain=gain,
            move=move,
            left=left,
            right=right,
            position=-1,
            missing=missing,
            terms=tuple((int(column), 1.0) for column in chosen),
            source=int(own[0]),
        )


class SourceTables:
    """Sums of points by code, leaf by leaf: of two children only the smaller is summed.

    Parameters
    ----------
    sources : Sources
    histogram : Histogram
        With the sources as features, where rows of the next leaf are added.
    """

    def __init__(self, sources: Sources, histogram: Histogram) -> None:
        self.sources, self.n_codes, self.histogram = sources, sources.n_codes, histogram
        self.tables: list[LeafTable] = []
        # Set when the root is there.
        self.categories: PointCategories

    def open(self) -> None:
        """The root, of what was added."""
        self.tables.append(self.histogram.table())
        self.categories = PointCategories(self._items(self.tables[0]), len(self.n_codes))

    def cut(self, slot: int, small_is_left: bool) -> None:
        """Two leaves in the place of one; the smaller of them was added."""
        small = self.histogram.table()
        large = remainder(self.tables[slot], small)
        left, right = (small, large) if small_is_left else (large, small)
        self.tables[slot] = left
        self.tables.append(right)
        self.categories.cut(slot, self._items(left), self._items(right))

    def _items(self, table: LeafTable) -> LeafItems:
        return LeafItems(table, self.n_codes)

    def has_ways(self, slot: int) -> np.ndarray:
        """Whether the rows of a leaf differ, source by source."""
        return self.categories.leaves[slot].has_ways()


def drawn_parts(
    drawn: np.ndarray | None, n_searched: int
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """What is drawn of the columns that are searched, and of the sources."""
    if drawn is None:
        return None, None
    return np.ascontiguousarray(drawn[:, :n_searched]), np.ascontiguousarray(drawn[:, n_searched:])


def first_split(splits: Sequence[Split | None], slot: int, floor: float) -> Split:
    """Of the splits of a leaf that were located the one that comes first."""
    found = [split for split in splits if split is not None]
    if not found:
        raise RuntimeError(f"no split of leaf {slot} gains {floor}")
    return min(found, key=lambda split: split.order)
