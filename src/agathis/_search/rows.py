"""The rows used by a search: points, weights, and each column with its sorted order.

A search works with these for every engine of the greedy tree. During the search a split is a
position in the sorted order of a column, and is converted into a threshold at the end
(:mod:`agathis._search.local.mutable_trees`).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field

import numpy as np

from agathis._dataset.features import CategoryGroups
from agathis._kernels.kernel import one_blas_thread

# Codes that a condition has bits for: `MAX_GROUP_CATEGORIES` of `_core/search/rows.h`.
MAX_GROUP_CATEGORIES = 256


def centred(points: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float]:
    """Points centred at their weighted mean, and the weighted sum of their squared norms."""
    # With one thread matrix products are reproducible to the last digit.
    with one_blas_thread():
        points = np.ascontiguousarray(points - (weight / weight.sum()) @ points)
        return points, float(weight @ np.einsum("ij,ij->i", points, points))


@dataclass(frozen=True, eq=False)
class SearchRows:
    """Rows of positive weight.

    Attributes
    ----------
    points : ndarray of shape (n, n_components)
        In the feature space of the kernel, centred at their weighted mean.
    weight : ndarray of shape (n,)
    columns : ndarray of int
        The indices of the columns to split on.
    values : ndarray of shape (n_columns, n)
        The values of these columns; NaN if missing.
    sources : CategoryGroups or None
        Categorical features to split on.
    n_features : int
        The number of columns of the data.
    inertia : float
        The weighted sum of squared norms of the points.
    """

    points: np.ndarray
    weight: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    sources: CategoryGroups | None
    n_features: int
    category: np.ndarray
    n_categories: np.ndarray
    inertia: float
    order: np.ndarray = field(init=False)
    place: np.ndarray = field(init=False)
    rank: np.ndarray = field(init=False)
    present: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        d, n = self.values.shape
        missing = np.isnan(self.values)
        # Missing values are sorted last.
        order = np.argsort(self.values, axis=1, kind="stable").astype(np.int32)
        ordered = np.take_along_axis(self.values, order, axis=1)
        rank, place = np.zeros((d, n), np.int32), np.empty((d, n), np.int32)
        np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=rank[:, 1:])
        np.put_along_axis(place, order, np.arange(n, dtype=np.int32)[None, :], axis=1)
        place[missing] = -1
        present = (n - np.count_nonzero(missing, axis=1)).astype(np.int32)
        for name, array in (
            ("order", order),
            ("place", place),
            ("rank", rank),
            ("present", present),
        ):
            object.__setattr__(self, name, array)

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
        points, inertia = centred(np.asarray(points, dtype=np.float64), weight)
        category = np.zeros((0, len(X)), np.int32)
        n_categories = np.zeros(0, np.int32)
        if sources is not None:
            category = np.ascontiguousarray(sources.codes(X).T)
            n_categories = sources.n_categories
            if n_categories.max() > MAX_GROUP_CATEGORIES:
                raise ValueError(
                    f"one_hot has a categorical feature with {n_categories.max() - 1} categories; "
                    f"search='local' and split='pair' take up to {MAX_GROUP_CATEGORIES - 1}, "
                    "search='greedy' with split='axis' more. Merge rare categories."
                )
        return cls(
            points=points,
            weight=np.ascontiguousarray(weight, dtype=np.float64),
            columns=np.asarray(columns),
            values=np.ascontiguousarray(X[:, columns].T, dtype=np.float64),
            sources=sources,
            n_features=X.shape[1],
            category=category,
            n_categories=n_categories,
            inertia=inertia,
        )

    def with_points(self, points: np.ndarray) -> SearchRows:
        """The same rows with other points; the sorted orders are shared."""
        other = copy(self)
        for name, value in zip(("points", "inertia"), centred(points, self.weight), strict=True):
            object.__setattr__(other, name, value)
        return other

    def sample(self, most: int, random: np.random.RandomState) -> SearchRows:
        """A random sample of at most ``most`` rows."""
        if self.n <= most:
            return self
        chosen = np.sort(random.choice(self.n, most, replace=False))
        weight = self.weight[chosen]
        points, inertia = centred(self.points[chosen], weight)
        return SearchRows(
            points=points,
            weight=weight,
            columns=self.columns,
            values=np.ascontiguousarray(self.values[:, chosen]),
            sources=self.sources,
            n_features=self.n_features,
            category=np.ascontiguousarray(self.category[:, chosen]),
            n_categories=self.n_categories,
            inertia=inertia,
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
