"""Sources of categories in an engine: sums by code, leaf by leaf."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agathis._core.points.histogram import Histogram, remainder
from agathis._core.points.leaves import LeafTable
from agathis._core.points.point_categories import LeafItems, PointCategories
from agathis._dataset.features import Sources
from agathis._dataset.splits import Split


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
