"""Rows as the search for the best tree takes them, and its cuts as a tree.

Rows with the same values in all columns end in the same leaf whatever the tree. They are one row
here, at their mean; what they scatter among themselves no tree can change.
"""

from __future__ import annotations

import numpy as np

from agathis._support.numbers import threshold_between
from agathis._trees.builder import TreeBuilder

#: A point is filled up to a multiple of so many numbers.
LANES = 8


class DistinctRows:
    """Rows with values of their own, in every column's order.

    Parameters
    ----------
    points, values, weight
        As of :func:`~agathis._searching.optimum.optimum`; rows without weight are left out.

    Attributes
    ----------
    weight, square : ndarray of shape (n_rows,)
    means : ndarray of shape (n_rows, n_components)
        Relative to the mean of all.
    point : ndarray of shape (n_rows, width)
        The same, times the weight, filled up with zeros.
    code, order : ndarray of shape (n_columns, n_rows)
    columns : ndarray of shape (n_columns,)
        Those that differ from row to row, and no two of which cut alike.
    within : float
        What rows that are one here scatter among themselves.
    scatter : float
        Of the rows of here.
    """

    def __init__(self, points: np.ndarray, values: np.ndarray, weight: np.ndarray | None) -> None:
        weight = np.ones(len(points)) if weight is None else np.asarray(weight, dtype=np.float64)
        taken = weight > 0
        points, values, weight = points[taken], values[taken], weight[taken]
        code = np.empty(values.shape[::-1], dtype=np.int32)
        for column in range(values.shape[1]):
            code[column] = np.unique(values[:, column], return_inverse=True)[1].reshape(-1)
        kept, seen = [], set()
        for column, codes in enumerate(code):
            alike = min(codes.tobytes(), (codes.max(initial=0) - codes).tobytes())
            if codes.max(initial=0) > 0 and alike not in seen:
                kept.append(column)
            seen.add(alike)
        self.columns = np.array(kept, dtype=np.intp)
        self.values = values
        _, first, which = np.unique(code[kept].T, axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
        if len(kept) == 0:
            first, which = np.zeros(min(1, len(values)), dtype=np.intp), np.zeros(len(values), int)
        self.code = np.ascontiguousarray(code[kept][:, first])
        self.order = np.argsort(self.code, axis=1, kind="stable").astype(np.int32)
        count = len(first)
        self.weight = np.bincount(which, weight, count)
        centred = points - np.average(points, axis=0, weights=weight)
        sums = np.stack([np.bincount(which, weight * x, count) for x in centred.T], axis=1)
        self.means = means = sums / self.weight[:, None]
        self.square = self.weight * np.einsum("ij,ij->i", means, means)
        self.scatter = float(self.square.sum())
        apart = centred - means[which]
        self.within = float(weight @ np.einsum("ij,ij->i", apart, apart))
        self.point = np.zeros((count, -(-sums.shape[1] // LANES) * LANES))
        self.point[:, : sums.shape[1]] = sums
        self.key = np.random.default_rng(0).integers(0, 2**64, (count, 2), dtype=np.uint64)

    def tree(self, cuts: list[tuple[int, int, int]]) -> tuple[TreeBuilder, float]:
        """The tree of cuts in the order of the search, and what it costs.

        Thresholds are half-way between values. The sums of the search may be off in the last
        digits; the cost of here is summed from the points.
        """
        builder = TreeBuilder()
        leaves: list[int] = []
        cost = self.within
        every = np.arange(len(self.weight))
        stack = [(0, cuts, every)]
        while stack:
            node, rest, rows = stack.pop()
            if not rest:
                leaves.append(node)
                apart = self.means[rows] - np.average(
                    self.means[rows], axis=0, weights=self.weight[rows]
                )
                cost += float(self.weight[rows] @ np.einsum("ij,ij->i", apart, apart))
                continue
            column, last, n_left = rest[0]
            left = self.code[column, rows] <= last
            value = np.unique(self.values[:, self.columns[column]])
            low = value[self.code[column, rows[left]].max()]
            high = value[self.code[column, rows[~left]].min()]
            threshold = threshold_between(low, high)
            children = builder.cut(node, int(self.columns[column]), threshold)
            stack.append((children[1], rest[1 + n_left :], rows[~left]))
            stack.append((children[0], rest[1 : 1 + n_left], rows[left]))
        for cluster, leaf in enumerate(leaves):
            builder.cluster[leaf] = cluster
        return builder, cost
