"""Base class of engines for points: kernel sums are inner products of sums of points.

A leaf has a table of sums of its points along each feature, a cluster the sum of its points;
pairwise kernel values are not needed. Subclasses build the tables and define the thresholds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from agathis._core.points.leaves import PointState
from agathis._core.points.point_categories import locate_subset
from agathis._core.points.point_search import locate, search
from agathis._core.points.sorted_points import SortedPoints
from agathis._dataset.features import SearchedColumns
from agathis._dataset.splits import Split
from agathis._growth.engines.categories import CategoryTables, drawn_parts, first_split
from agathis._growth.engines.protocol import EPS, KERNEL_ROUNDING, SUM_ROUNDING
from agathis._growth.limits import Limits
from agathis._kernels.space import Space
from agathis._objective.centres import PointCentres


class Located(NamedTuple):
    """A split on a searched column.

    ``place`` is the index of the column among the searched ones, ``n_left`` the number of samples
    on the left, ``row`` the last row of the table on the left.
    """

    place: int
    n_left: int
    row: int
    missing_left: bool
    gain: float
    move: int
    left: int
    right: int


class PointEngine(ABC):
    """See :class:`agathis._growth.engines.protocol.GainEngine`.

    Parameters
    ----------
    state : PointState
    space : Space
        Maps rows to points.
    origin : ndarray of shape (n_components,)
        The origin that was subtracted from the points, for numerical accuracy.
    inertia : float
        The weighted sum of squared norms of the points about the origin.
    limits : Limits
    searched : SearchedColumns
        The columns of the tables.
    sources : CategoryTables, optional
        Sums by category, for categorical features.
    """

    #: The sorted samples, for splits between the rows of a table.
    samples: SortedPoints | None = None

    def __init__(
        self,
        state: PointState,
        space: Space,
        origin: np.ndarray,
        inertia: float,
        limits: Limits,
        searched: SearchedColumns,
        sources: CategoryTables | None = None,
    ) -> None:
        self.state, self.space, self.origin, self.limits = state, space, origin, limits
        self.searched, self.sources = searched, sources
        self.inertia = inertia
        self.weight = float(state.cluster_sizes()[0])
        if not np.isfinite(self.weight * inertia):
            raise ValueError(
                f"sample_weight or X is too large: weights sum to {self.weight:.6g}, and squared "
                f"distances times weights to {inertia:.6g}, which do not multiply."
            )
        # Rows far from zero have a rounding error relative to their norm, not their spread.
        length = np.sqrt(self.weight * float(origin @ origin) + inertia)
        rounding = EPS * length / np.sqrt(inertia) if inertia > 0 else 0.0
        self.tolerance = (SUM_ROUNDING + KERNEL_ROUNDING + 4 * rounding) * inertia
        state.tolerance = self.tolerance
        # Subsets of categories are searched again after each split.
        state.lazy = sources is None

    @property
    def n_features(self) -> int:
        return self.searched.n_features

    @property
    def gain(self) -> np.ndarray:
        return self.state.gains()[0]

    @property
    def bound(self) -> np.ndarray:
        return self.state.gains()[1]

    @property
    def n_clusters(self) -> int:
        return self.state.n_clusters

    @property
    def objective(self) -> float:
        # Without inertia within clusters rounding may give a positive value.
        return min(0.0, self.state.objective() - self.inertia)

    @property
    def trace(self) -> float:
        # About zero, unlike the inertia.
        total = self.state.total()[: len(self.origin)]
        return self.inertia + float(
            2 * (self.origin @ total) + self.weight * (self.origin @ self.origin)
        )

    def centres(self, labels: np.ndarray, keep: bool) -> PointCentres:
        means = self.state.centres()[:, : len(self.origin)]
        return PointCentres(self.space, means, self.origin)

    def has_threshold(self, leaf_index: int) -> np.ndarray:
        columns = self.state.tables[leaf_index].has_cut()[: len(self.searched)]
        if self.sources is None:
            return columns
        return np.concatenate([columns, self.sources.has_ways(leaf_index)])

    def leaf_size(self, leaf_index: int) -> tuple[int, float]:
        table = self.state.tables[leaf_index]
        return table.n_samples, table.leaf_weight

    def search(self, leaf_indices: np.ndarray, drawn: np.ndarray | None, floor: float) -> None:
        columns, sources = drawn_parts(drawn, len(self.searched))
        search(
            self.state,
            leaf_indices,
            columns,
            floor,
            self.tolerance,
            self.limits.record,
            self.samples,
            None if self.sources is None else self.sources.categories,
            sources,
        )

    def locate(self, leaf_index: int, floor: float) -> Split:
        limits = self.limits.record
        located = locate(self.state, leaf_index, floor, self.tolerance, limits, self.samples)
        splits = [None if located is None else self._split_along(leaf_index, Located(*located))]
        if self.sources is not None:
            subset = locate_subset(
                self.state, self.sources.categories, leaf_index, floor, self.tolerance, limits
            )
            splits.append(None if subset is None else self.sources.sources.split(*subset))
        return first_split(splits, leaf_index, floor)

    @abstractmethod
    def _split_along(self, leaf_index: int, located: Located) -> Split:
        """Convert a located split on a searched column."""

    def move(self, leaf_index: int, cluster: int) -> None:
        self.state.move(leaf_index, cluster)

    def _move_sides(self, leaf_index: int, other: int, split: Split) -> int:
        """Move the children of a split to their clusters."""
        source = self.state.cluster_of(leaf_index)
        for leaf, target in ((leaf_index, split.left), (other, split.right)):
            if target != source:
                self.state.move(leaf, target)
        return other
