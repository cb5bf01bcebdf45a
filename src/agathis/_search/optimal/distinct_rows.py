"""The rows of the search for the optimal tree, and the conversion of its splits into a tree.

Rows with equal values in all columns are in the same leaf of any tree. They are merged into one
row at their mean; no tree can change the scatter within them.
"""

from __future__ import annotations

import numpy as np

from agathis._dataset.features import CategoryGroups
from agathis._search.optimal.split_orders import all_orders
from agathis._trees.builder import TreeBuilder

#: Points are padded to a multiple of this number of components.
LANES = 8


class DistinctRows:
    """Distinct rows, with every order that a split may follow.

    Parameters
    ----------
    points, values, weight, columns, category, sources
        See :func:`~agathis._search.optimal.optimum.optimum`; rows of zero weight are dropped.

    Attributes
    ----------
    weight, square : ndarray of shape (n_rows,)
    means : ndarray of shape (n_rows, n_components)
        Centred at the mean of all rows.
    point : ndarray of shape (n_rows, width)
        The means times the weight, padded with zeros.
    code, order : ndarray of shape (n_orders, n_rows)
        The distinct orders; no two have the same splits.
    ways : list of Column or CategoricalOrders
        The column or categorical feature of each order.
    within : float
        The scatter within merged rows.
    scatter : float
        The scatter of the merged rows.
    """

    def __init__(
        self,
        points: np.ndarray,
        values: np.ndarray,
        weight: np.ndarray | None,
        columns: np.ndarray | None = None,
        category: np.ndarray | None = None,
        sources: CategoryGroups | None = None,
    ) -> None:
        weight = np.ones(len(points)) if weight is None else np.asarray(weight, dtype=np.float64)
        taken = weight > 0
        points, values, weight = points[taken], values[taken], weight[taken]
        category = None if category is None else category[:, taken]
        codes_of_orders, seen = [], set()
        self.ways = []
        for way in all_orders(values, columns, category, sources):
            for codes in way.category_ranks():
                alike = min(codes.tobytes(), (codes.max(initial=0) - codes).tobytes())
                if codes.max(initial=0) > 0 and alike not in seen:
                    codes_of_orders.append(codes)
                    self.ways.append(way)
                seen.add(alike)
        code = np.array(codes_of_orders, dtype=np.int32).reshape(len(codes_of_orders), len(values))
        _, first, which = np.unique(code.T, axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
        if len(codes_of_orders) == 0:
            first, which = np.zeros(min(1, len(values)), dtype=np.intp), np.zeros(len(values), int)
        # The index of the first of the rows that were merged.
        self.first = first
        self.code = np.ascontiguousarray(code[:, first])
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
        """The tree of splits in preorder, and its cost, summed from the points.

        The cost in the search may have rounding errors in its last digits.
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
            order, last, n_left = rest[0]
            is_left = self.code[order, rows] <= last
            left, right = rows[is_left], rows[~is_left]
            to_left, to_right = self.ways[order].cut(
                builder, node, self.first[left], self.first[right]
            )
            sides = [(to_left, rest[1 : 1 + n_left], left), (to_right, rest[1 + n_left :], right)]
            # Leaves are numbered from left to right in the tree, not in the order.
            stack += sorted(sides, key=lambda side: side[0], reverse=True)
        for cluster, leaf in enumerate(leaves):
            builder.cluster[leaf] = cluster
        return builder, cost
