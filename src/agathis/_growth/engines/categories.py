"""Categorical features in engines for points: sums by category code, for each leaf."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agathis._core.points.histogram import Histogram, remainder
from agathis._core.points.leaves import LeafTable
from agathis._core.points.point_categories import LeafItems, PointCategories
from agathis._dataset.features import CategoryGroups
from agathis._dataset.splits import Split


class CategoryTables:
    """Sums of points by category code; of two children only the smaller one is summed.

    Parameters
    ----------
    sources : CategoryGroups
    histogram : Histogram
        With one feature per categorical feature; rows of the next leaf are added to it.
    """

    def __init__(self, sources: CategoryGroups, histogram: Histogram) -> None:
        self.sources, self.n_categories, self.histogram = sources, sources.n_categories, histogram
        self.tables: list[LeafTable] = []
        # Set by ``open``.
        self.categories: PointCategories

    def start_root(self) -> None:
        """Take the sums of the root leaf from the rows added to ``histogram``."""
        self.tables.append(self.histogram.table())
        self.categories = PointCategories(self._items(self.tables[0]), len(self.n_categories))

    def cut(self, leaf_index: int, small_is_left: bool) -> None:
        """Replace a leaf by its children; the rows of the smaller one were added."""
        small = self.histogram.table()
        large = remainder(self.tables[leaf_index], small)
        left, right = (small, large) if small_is_left else (large, small)
        self.tables[leaf_index] = left
        self.tables.append(right)
        self.categories.cut(leaf_index, self._items(left), self._items(right))

    def _items(self, table: LeafTable) -> LeafItems:
        return LeafItems(table, self.n_categories)

    def has_ways(self, leaf_index: int) -> np.ndarray:
        """Whether the rows of a leaf differ, by categorical feature."""
        return self.categories.leaves[leaf_index].has_ways()


def drawn_parts(
    drawn: np.ndarray | None, n_searched: int
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The sampled columns and the sampled categorical features.

    Without columns to split on, engines have a column of zeros, which needs no mask.
    """
    if drawn is None:
        return None, None
    columns = np.ascontiguousarray(drawn[:, :n_searched]) if n_searched else None
    return columns, np.ascontiguousarray(drawn[:, n_searched:])


def first_split(splits: Sequence[Split | None], leaf_index: int, floor: float) -> Split:
    """The first of some located splits of a leaf."""
    located = [split for split in splits if split is not None]
    if not located:
        raise RuntimeError(f"no split of leaf {leaf_index} gains {floor}")
    return min(located, key=lambda split: split.order)
