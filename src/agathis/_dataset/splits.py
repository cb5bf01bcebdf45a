"""A split of a leaf, and where it sends rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Split(NamedTuple):
    """Where a leaf is cut, and what becomes of its two sides.

    ``left`` and ``right`` are the clusters of the children, ``move`` an index into
    ``agathis._trees.tree.MOVES``. ``position`` is the number of samples on the left, less one, in
    the order of the feature, or the last bin on the left where there are bins. ``missing`` says
    where missing values go, an index into ``agathis._trees.tree.MISSING_GOES``.

    A split on some categories of a source has their columns as ``terms``, each with its weight, and
    ``source`` is the first column of the source. Such a split, and one along a column that is not
    searched, has the position -1: rows are sent where their values tell.
    """

    feature: int
    threshold: float
    gain: float
    move: int
    left: int
    right: int
    position: int
    missing: int = 0
    terms: tuple[tuple[int, float], ...] = ()
    source: int = -1

    @property
    def order(self) -> tuple[int, float, tuple[int, ...], int]:
        """What decides between splits that gain the same, the lowest first.

        The feature, then the threshold. A source counts as its first column; of its subsets
        those of fewest categories come first, then those of the first columns, and missing values
        go right rather than left.
        """
        if self.source < 0:
            return self.feature, self.threshold, (), 0
        columns = [column for column, _ in self.terms]
        return self.source, 0.0, (len(columns), *columns), -self.missing


def sent_left(values: np.ndarray, threshold: float, missing_left: bool) -> np.ndarray:
    """Which values a cut sends left, as a mask of bytes."""
    left = values <= threshold
    if missing_left:
        left |= np.isnan(values)
    return left.astype(np.uint8)


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
