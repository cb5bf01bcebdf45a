"""Which columns are searched for thresholds, and what any cut asks of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class SearchedColumns:
    """The columns of the data whose thresholds are looked at.

    An engine numbers them from 0. Where there is none it gets a column of zeros, along which
    nothing can be cut.

    Attributes
    ----------
    columns : ndarray of int
        Rising.
    n_features : int
        Columns of the data.

    Examples
    --------
    >>> some = SearchedColumns(np.array([0, 2]), 3)
    >>> some.take(np.array([[1.0, 2.0, 3.0]])), some.number(1), some.place(2), some.place(1)
    (array([[1., 3.]]), 2, 1, None)
    """

    columns: np.ndarray
    n_features: int

    @property
    def is_all(self) -> bool:
        return len(self.columns) == self.n_features

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, X: np.ndarray) -> np.ndarray:
        """These columns of some rows; X itself where it is all of them."""
        if self.is_all:
            return X
        if len(self.columns) == 0:
            return np.zeros((len(X), 1), dtype=X.dtype)
        return X[:, self.columns]

    def number(self, place: int) -> int:
        """The column of the data that an engine knows by its place."""
        return int(self.columns[place])

    def place(self, feature: int) -> int | None:
        """The other way round; ``None`` where the column is not searched."""
        at = int(np.searchsorted(self.columns, feature))
        return at if at < len(self.columns) and self.columns[at] == feature else None


def asked_values(
    X: np.ndarray, rows: np.ndarray, feature: int, terms: tuple[tuple[int, float], ...]
) -> np.ndarray:
    """What a cut compares with its threshold, as float64: a column, or the sum of its terms."""
    if not terms:
        return np.asarray(X[rows, feature], dtype=np.float64)
    # In the order in which a tree sums them.
    total = np.zeros(len(rows))
    for column, weight in terms:
        total += weight * np.asarray(X[rows, column], dtype=np.float64)
    return total
