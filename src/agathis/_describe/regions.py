"""The leaves of a tree over two features: rectangles that tile the plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agathis._trees.tree import Tree


@dataclass(frozen=True)
class Region:
    """A leaf as a rectangle; a side that has no bound is infinite.

    Attributes
    ----------
    leaf : int
        A node number of the tree.
    cluster : int
    x_low, x_high, y_low, y_high : float
        Rows with ``x_low < x <= x_high`` and ``y_low < y <= y_high``.
    """

    leaf: int
    cluster: int
    x_low: float
    x_high: float
    y_low: float
    y_high: float


def tree_regions(tree: Tree, features: tuple[int, int]) -> tuple[Region, ...] | None:
    """The leaves as rectangles, from left to right; ``None`` where the tree uses other features.

    A leaf that no row without missing values reaches has no rectangle.
    """
    inner = ~tree.is_leaf
    if tree.has_terms or not np.isin(tree.feature[inner], features).all():
        return None
    out = []
    # A node, and the low and high bounds of each of the two features there.
    everywhere = (-np.inf, np.inf)
    todo: list[tuple[int, list[tuple[float, float]]]] = [(0, [everywhere, everywhere])]
    while todo:
        node, sides = todo.pop()
        if any(low >= high for low, high in sides):
            continue
        if tree.is_leaf[node]:
            (x_low, x_high), (y_low, y_high) = sides
            cluster = int(tree.cluster[node])
            out.append(Region(node, cluster, x_low, x_high, y_low, y_high))
            continue
        axis = features.index(int(tree.feature[node]))
        threshold = float(tree.threshold[node])
        low, high = sides[axis]
        left, right = list(sides), list(sides)
        left[axis] = low, min(high, threshold)
        right[axis] = max(low, threshold), high
        todo.append((int(tree.children_right[node]), right))
        todo.append((int(tree.children_left[node]), left))
    return tuple(out)
