"""The initial tree of the search for the optimum, grown greedily.

A search that is stopped early then has a complete tree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from agathis._core.search.optimum import find_optimum
from agathis._growth.limits import Limits
from agathis._search.optimal.distinct_rows import DistinctRows


@dataclass(eq=False)
class Node:
    """A node with its best split, ``cut``, which reduces the scatter by ``gain``."""

    rows: np.ndarray
    depth: int
    gain: float = 0.0
    cut: tuple[int, int] | None = None
    children: tuple[Node, Node] | None = None

    def cuts(self) -> list[tuple[int, int, int]]:
        """The splits of the subtree in preorder."""
        if self.cut is None or self.children is None:
            return []
        left, right = (child.cuts() for child in self.children)
        return [(*self.cut, len(left)), *left, *right]


def greedy_splits(rows: DistinctRows, limits: Limits) -> tuple[list[tuple[int, int, int]], float]:
    """The splits of a greedy tree for ``DistinctRows.tree``, and its cost without ``within``."""
    root = Node(np.arange(len(rows.weight)), 0)
    leaves = [root]
    cost = rows.scatter
    _look(rows, root, limits)
    while len(leaves) < limits.max_leaves:
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
            _look(rows, child, limits)
    return root.cuts(), cost


def _look(rows: DistinctRows, node: Node, limits: Limits) -> None:
    """Find the best split of a node."""
    point, weight, square = (x[node.rows] for x in (rows.point, rows.weight, rows.square))
    # The scan checks the minimum weights.
    if len(weight) < 2 or not limits.allows_split(node.depth, np.inf):
        return
    code = np.ascontiguousarray(rows.code[:, node.rows])
    order = np.argsort(code, axis=1, kind="stable").astype(np.int32)
    total = point.sum(axis=0)
    scatter = max(0.0, float(square.sum() - total @ total / weight.sum()))
    cost, _, cuts, _, _, _ = find_optimum(
        point, weight, square, code, order, rows.key,
        replace(limits, max_leaves=2, max_depth=1).record, scatter, np.inf, 0.0, True, _go_on,
    )  # fmt: skip
    if cuts:
        node.cut, node.gain = cuts[0][:2], scatter - cost


def _go_on(cost: float, bound: float) -> bool:
    return False
