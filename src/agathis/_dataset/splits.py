"""Splits of leaves, and their application to rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from agathis._trees.tree import MISSING_GOES

if TYPE_CHECKING:
    from agathis._dataset.features import SearchedColumns


class Split(NamedTuple):
    """A split of a leaf, and the clusters of its sides.

    ``left`` and ``right`` are the clusters of the children, ``move`` (the split kind) an index into
    ``agathis._trees.tree.MOVES``, and ``missing`` (the side of missing values) one into
    ``agathis._trees.tree.MISSING_GOES``. ``position`` is the number of samples on the left minus
    one, in the order of the feature, or the last bin on the left for the binned engine.

    A split on categories has their columns and weights as ``terms``, and ``source`` is the first
    column of the categorical feature. Such a split, and one on a column that is not searched, has
    the position -1 and is applied by comparing values.
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
        """The sort key that resolves ties, the lowest first: the feature, then the threshold.

        A categorical feature counts as its first column; subsets with fewer categories come first,
        then those with lower columns, and missing values on the right before the left.
        """
        if self.source < 0:
            return self.feature, self.threshold, (), 0
        columns = [column for column, _ in self.terms]
        return self.source, 0.0, (len(columns), *columns), -self.missing


class AppliedSplit(NamedTuple):
    """A split of the leaf ``leaf_index``; the left side keeps it, the right gets the next.

    It is after bin ``last`` of the searched column with index ``place``, or by values if that
    is -1.
    """

    leaf_index: int
    place: int
    last: int
    feature: int
    threshold: float
    missing_left: bool
    terms: tuple[tuple[int, float], ...] = ()

    @classmethod
    def of(cls, leaf_index: int, split: Split, searched: SearchedColumns) -> AppliedSplit:
        place = searched.place(split.feature) if split.position >= 0 else None
        return cls(
            leaf_index,
            -1 if place is None else place,
            split.position,
            split.feature,
            split.threshold,
            MISSING_GOES[split.missing] == "left",
            split.terms,
        )


def sent_left(values: np.ndarray, threshold: float, missing_left: bool) -> np.ndarray:
    """A mask (bytes) of the values that a split sends left."""
    left = values <= threshold
    if missing_left:
        left |= np.isnan(values)
    return left.astype(np.uint8)


def asked_values(
    X: np.ndarray, rows: np.ndarray, feature: int, terms: tuple[tuple[int, float], ...]
) -> np.ndarray:
    """The values compared with the threshold, as float64: a column, or the sum of the terms."""
    if not terms:
        return np.asarray(X[rows, feature], dtype=np.float64)
    # Summed in the same order as in a tree.
    total = np.zeros(len(rows))
    for column, weight in terms:
        total += weight * np.asarray(X[rows, column], dtype=np.float64)
    return total
