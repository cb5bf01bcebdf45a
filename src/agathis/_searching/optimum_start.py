"""A first tree for the search of the best one, grown greedily by cutting the leaf that gains most.

A search that is stopped early then has a tree with all its leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agathis._core.search.optimum import find_optimum
from agathis._searching.optimum_rows import DistinctRows


@dataclass(eq=False)
class Node:
    """Rows that a tree may cut next, and how: by ``cut``, which takes ``gain`` off the scatter."""

    rows: np.ndarray
    depth: int
    gain: float = 0.0
    cut: tuple[int, int] | None = None
    children: tuple[Node, Node] | None = None

    def cuts(self) -> list[tuple[int, int, int]]:
        """In the order of the search: this cut, those of the left side, those of the right."""
        if self.cut is None or self.children is None:
            return []
        left, right = (child.cuts() for child in self.children)
        return [(*self.cut, len(left)), *left, *right]


def greedy_cuts(
    rows: DistinctRows, n_leaves: int, max_depth: int, min_leaf: float, min_split: float
) -> tuple[list[tuple[int, int, int]], float]:
    """The cuts of a greedy tree, as :meth:`DistinctRows.tree` takes them, and what it costs without
    :attr:`DistinctRows.within`.
    """
    root = Node(np.arange(len(rows.weight)), 0)
    leaves = [root]
    cost = rows.scatter
    _look(rows, root, max_depth, min_leaf, min_split)
    while len(leaves) < n_leaves:
        node = max(leaves, key=lambda leaf: leaf.gain)
        if node.cut is None:
            break
        column, last = node.cut
        left = rows.code[column, node.rows] <= last
        parts = node.rows[left], node.rows[~left]
        node.children = Node(parts[0], node.depth + 1), Node(parts[1], node.depth + 1)
        cost -= node.gain
        leaves.remove(node)
        leaves.extend(node.children)
        for child in node.children:
            _look(rows, child, max_depth, min_leaf, min_split)
    return root.cuts(), cost


def _look(
    rows: DistinctRows, node: Node, max_depth: int, min_leaf: float, min_split: float
) -> None:
    """Find the best cut of a node."""
    if node.depth >= max_depth or len(node.rows) < 2:
        return
    point, weight, square = (x[node.rows] for x in (rows.point, rows.weight, rows.square))
    code = np.ascontiguousarray(rows.code[:, node.rows])
    order = np.argsort(code, axis=1, kind="stable").astype(np.int32)
    total = point.sum(axis=0)
    scatter = max(0.0, float(square.sum() - total @ total / weight.sum()))
    cost, _, cuts, _, _, _ = find_optimum(
        point, weight, square, code, order, rows.key, 2, 1, scatter, np.inf, 0.0,
        min_leaf, min_split, True, _go_on,
    )  # fmt: skip
    if cuts:
        node.cut, node.gain = cuts[0][:2], scatter - cost


def _go_on(cost: float, bound: float) -> bool:
    return False
