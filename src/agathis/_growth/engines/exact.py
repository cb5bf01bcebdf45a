"""The exact engine for points: every midpoint between two rows is a threshold.

Points are the rows for the linear kernel, the normalised rows for the cosine kernel, and come from
a feature map for other kernels. Samples are sorted along each feature once, and partitioned at
each split. A table row of a leaf sums several samples; splits between them are evaluated only if
they may be the best.
"""

from __future__ import annotations

import numpy as np

from agathis._core.points.histogram import Histogram
from agathis._core.points.leaves import PointState, padded
from agathis._core.points.sorted_points import SortedPoints
from agathis._dataset.fixed_point import Grid
from agathis._dataset.memory import InMemory
from agathis._dataset.splits import Split, sent_left
from agathis._growth.engines.categories import CategoryTables
from agathis._growth.engines.points import Located, PointEngine
from agathis._growth.engines.protocol import Place
from agathis._growth.engines.tuning import FINE_TABLES, MANY_CLUSTERS
from agathis._growth.limits import Limits
from agathis._kernels.space import Space
from agathis._utils.exact_sums import exact_sum
from agathis._utils.numbers import threshold_between


class ExactPointEngine(PointEngine):
    """See :class:`agathis._growth.engines.protocol.GainEngine`.

    Parameters
    ----------
    data : InMemory
    space : Space
        Maps rows to points.
    phi : ndarray of shape (n_samples, n_components)
        The points of the samples, the rows of positive weight.
    limits : Limits
    """

    samples: SortedPoints

    def __init__(self, data: InMemory, space: Space, phi: np.ndarray, limits: Limits) -> None:
        weight, n_clusters = data.weights(), limits.n_clusters
        origin = np.einsum("i,ij->j", weight, phi) / weight.sum()
        points = np.zeros((len(phi), padded(len(origin))))
        np.subtract(phi, origin, out=points[:, : len(origin)])
        inertia = float(np.einsum("i,ij,ij->", weight, points, points))
        if not np.isfinite(inertia):
            raise ValueError("X is too large: the squared length of some row is not finite.")
        self.data, rows = data, data.rows()
        self.values = np.ascontiguousarray(data.features.searched.take(rows).T, dtype=np.float64)
        many = n_clusters > MANY_CLUSTERS
        few, parts = 16, 16
        if many:
            few, parts = 1, 128 if points.shape[1] * self.values.size <= FINE_TABLES else 16
        self.samples = SortedPoints(
            self.values, points, weight, data.threads, few, parts, gathers=many
        )
        state = PointState(self.samples.table(0), n_clusters, data.threads)
        tables = None
        if data.features.sources is not None:
            data.features.sources.check()
            self.points, self.codes = points, data.features.sources.bins(rows)
            self.weights = None if data.weight is None else weight
            # All rows are known, so that the grid need not be estimated.
            grid = Grid.guess(
                points,
                self.weights,
                len(points),
                None if self.weights is None else exact_sum(self.weights),
                origin=np.zeros(points.shape[1]),
            )
            n_category_groups = len(data.features.sources.columns)
            histogram = Histogram(n_category_groups, points.shape[1], grid, data.threads)
            tables = CategoryTables(data.features.sources, histogram)
        super().__init__(state, space, origin, inertia, limits, data.features.searched, tables)
        if tables is not None:
            self._add_to(tables, np.arange(len(points), dtype=np.int32))
            tables.start_root()

    def _add_to(self, tables: CategoryTables, samples: np.ndarray) -> None:
        weight = None if self.weights is None else self.weights[samples]
        tables.histogram.add(self.points, self.codes, samples, weight)

    def _split_along(self, leaf_index: int, located: Located) -> Split:
        low, high = self.samples.values_around(leaf_index, located.place, located.n_left - 1)
        threshold = threshold_between(low, high)
        feature = self.searched.number(located.place)
        return Split(
            feature,
            threshold,
            located.gain,
            located.move,
            located.left,
            located.right,
            located.n_left - 1,
        )

    def place(
        self,
        leaf_index: int,
        feature: int,
        threshold: float,
        missing_left: bool,
        terms: tuple[tuple[int, float], ...] = (),
    ) -> Place:
        values = self.data.asked(self.samples.samples(leaf_index), feature, terms)
        return Place.by_values(values, threshold, missing_left)

    def commit(self, leaf_index: int, split: Split) -> int:
        other = self.state.n_leaves
        if split.position >= 0:
            column = self.searched.place(split.feature)
            self.samples.split(leaf_index, other, column, split.position + 1)
        else:
            samples = self.samples.samples(leaf_index)
            values = self.data.asked(samples, split.feature, split.terms)
            left = np.zeros(self.samples.n_samples, dtype=np.uint8)
            left[samples] = sent_left(values, split.threshold, False)
            self.samples.split_marked(leaf_index, other, left, int(left.sum()))
        self.state.cut(leaf_index, self.samples.table(leaf_index), self.samples.table(other))
        if self.sources is not None:
            sides = self.samples.samples(leaf_index), self.samples.samples(other)
            left_is_small = len(sides[0]) <= len(sides[1])
            self._add_to(self.sources, np.sort(sides[0] if left_is_small else sides[1]))
            self.sources.cut(leaf_index, left_is_small)
        return self._move_sides(leaf_index, other, split)
