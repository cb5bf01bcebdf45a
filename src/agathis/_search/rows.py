"""The rows used by a search: points, weights, and each column with its sorted order.

A search works with these for every engine of the greedy tree. During the search a split is a
position in the sorted order of a column, and is converted into a threshold at the end
(:mod:`agathis._search.local.mutable_trees`).
"""

from __future__ import annotations

from copy import copy

import numpy as np

from agathis._dataset.features import CategoryGroups
from agathis._kernels.kernel import one_blas_thread
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import MISSING_GOES
from agathis._utils.numbers import threshold_between

# Codes that a condition has bits for: `MAX_GROUP_CATEGORIES` of `_core/search/rows.h`.
MAX_GROUP_CATEGORIES = 256


def centred(points: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float]:
    """Points centred at their weighted mean, and the weighted sum of their squared norms."""
    # With one thread matrix products are reproducible to the last digit.
    with one_blas_thread():
        points = np.ascontiguousarray(points - (weight / weight.sum()) @ points)
        return points, float(weight @ np.einsum("ij,ij->i", points, points))


def split_between(
    builder: TreeBuilder, node: int, feature: int, left: np.ndarray, right: np.ndarray
) -> tuple[int, int]:
    """Split a node half-way between the values of two sides; return the children of the sides."""
    missing = np.isnan(left).any(), np.isnan(right).any()
    left, right = left[~np.isnan(left)], right[~np.isnan(right)]
    if len(left) == 0 or len(right) == 0:
        # If one side has only missing values it is the right one, as in greedy trees.
        goes = MISSING_GOES.index("right")
        children = builder.cut(node, feature, np.inf, missing=goes)
        return children if len(left) else children[::-1]
    goes = MISSING_GOES.index("left" if missing[0] else "right") if any(missing) else 0
    threshold = threshold_between(float(left.max()), float(right.min()))
    return builder.cut(node, feature, threshold, missing=goes)


class SearchRows:
    """Rows of positive weight, with the order of each column.

    Parameters
    ----------
    points : ndarray of shape (n, n_components)
        In the feature space of the kernel.
    weight : ndarray of shape (n,)
    columns : ndarray of int
        The indices of the columns to split on.
    values : ndarray of shape (n_columns, n)
        The values of these columns; NaN if missing.
    sources : CategoryGroups or None
        Categorical features to split on.
    category : ndarray of shape (n_category_groups, n)
        The category code of each row in each of them.
    n_features : int
        The number of columns of the data.

    Attributes
    ----------
    points : ndarray of shape (n, n_components)
        Centred at their weighted mean.
    inertia : float
        The weighted sum of their squared norms.
    order : ndarray of shape (n_columns, n)
        The rows sorted by each column, missing values last.
    place, rank : ndarray of shape (n_columns, n)
        The position of each row in this order, -1 if missing; and the number of smaller distinct
        values of each position.
    present : ndarray of shape (n_columns,)
        The number of values that are not missing.
    """

    def __init__(
        self,
        points: np.ndarray,
        weight: np.ndarray,
        columns: np.ndarray,
        values: np.ndarray,
        sources: CategoryGroups | None,
        category: np.ndarray,
        n_features: int,
    ) -> None:
        self.weight = np.ascontiguousarray(weight, dtype=np.float64)
        self.points, self.inertia = centred(np.asarray(points, dtype=np.float64), self.weight)
        self.columns, self.n_features = np.asarray(columns), n_features
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        self.sources, self.category = sources, np.ascontiguousarray(category)
        self.n_categories = np.zeros(0, np.int32) if sources is None else sources.n_categories
        d, n = self.values.shape
        missing = np.isnan(self.values)
        self.order = np.argsort(self.values, axis=1, kind="stable").astype(np.int32)
        ordered = np.take_along_axis(self.values, self.order, axis=1)
        self.rank, self.place = np.zeros((d, n), np.int32), np.empty((d, n), np.int32)
        np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=self.rank[:, 1:])
        np.put_along_axis(self.place, self.order, np.arange(n, dtype=np.int32)[None, :], axis=1)
        self.place[missing] = -1
        self.present = (n - np.count_nonzero(missing, axis=1)).astype(np.int32)

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        points: np.ndarray,
        weight: np.ndarray,
        columns: np.ndarray,
        sources: CategoryGroups | None = None,
    ) -> SearchRows:
        """Build from rows of positive weight."""
        category = np.zeros((0, len(X)), np.int32)
        if sources is not None:
            category, n_categories = sources.codes(X).T, sources.n_categories.max()
            if n_categories > MAX_GROUP_CATEGORIES:
                raise ValueError(
                    f"one_hot has a categorical feature with {n_categories - 1} categories; "
                    f"search='local' and split='pair' take up to {MAX_GROUP_CATEGORIES - 1}, "
                    "search='greedy' with split='axis' more. Merge rare categories."
                )
        return cls(points, weight, columns, X[:, columns].T, sources, category, X.shape[1])

    def with_points(self, points: np.ndarray) -> SearchRows:
        """The same rows with other points; the sorted orders are shared."""
        other = copy(self)
        other.points, other.inertia = centred(points, self.weight)
        return other

    def sample(self, n_rows: int, random: np.random.RandomState) -> SearchRows:
        """A random sample of at most ``n_rows`` rows."""
        if self.n <= n_rows:
            return self
        rows = np.sort(random.choice(self.n, n_rows, replace=False))
        return SearchRows(
            self.points[rows],
            self.weight[rows],
            self.columns,
            self.values[:, rows],
            self.sources,
            self.category[:, rows],
            self.n_features,
        )

    @property
    def n_columns(self) -> int:
        return len(self.values)

    @property
    def n_category_groups(self) -> int:
        return len(self.category)

    @property
    def n(self) -> int:
        return len(self.points)
