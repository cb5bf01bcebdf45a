"""The leaves of a tree over two features as rectangles in the plane.

Splits on the sum of both divide rectangles into polygons.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agathis._rules.linear_terms import shape_of
from agathis._trees.stepped import steps_of
from agathis._trees.tree import Tree


@dataclass(frozen=True)
class Region:
    """A leaf as a rectangle, maybe clipped by lines; unbounded sides are infinite.

    Attributes
    ----------
    leaf : int
        The node id.
    cluster : int
    x_low, x_high, y_low, y_high : float
        Rows with ``x_low < x <= x_high`` and ``y_low < y <= y_high``.
    lines : tuple of three float
        Half-planes ``a x + b y <= c``, for each ``a, b, c``.
    """

    leaf: int
    cluster: int
    x_low: float
    x_high: float
    y_low: float
    y_high: float
    lines: tuple[tuple[float, float, float], ...] = ()

    def corners(self, x: tuple[float, float], y: tuple[float, float]) -> np.ndarray:
        """Return the corners of its part within the limits ``x`` and ``y``, maybe none.

        >>> Region(1, 0, 0.0, 9.0, 0.0, 9.0, ((1.0, 1.0, 3.0),)).corners((0, 5), (0, 5)).tolist()
        [[0.0, 3.0], [0.0, 0.0], [3.0, 0.0]]
        """
        x0, x1 = np.clip([self.x_low, self.x_high], *x)
        y0, y1 = np.clip([self.y_low, self.y_high], *y)
        if not (x0 < x1 and y0 < y1):
            return np.empty((0, 2))
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
        for a, b, c in self.lines:
            corners = _clipped(corners, corners @ [a, b] - c)
        return corners


def _clipped(corners: np.ndarray, beyond: np.ndarray) -> np.ndarray:
    """Return the part of a polygon on one side of a line; ``beyond`` is positive on the other."""
    out = []
    for i in range(len(corners)):
        here, there = beyond[i - 1], beyond[i]
        if (here > 0) != (there > 0):
            out.append(corners[i - 1] + (corners[i] - corners[i - 1]) * (here / (here - there)))
        if there <= 0:
            out.append(corners[i])
    return np.array(out) if len(out) > 2 else np.empty((0, 2))


def tree_regions(tree: Tree, features: tuple[int, int]) -> tuple[Region, ...] | None:
    """Return the leaves as rectangles, from left to right; None if the tree uses other features.

    None too if it splits on a sum whose columns are transformed by more than shift and scale.
    Leaves that contain only missing values are omitted.
    """
    inner = np.flatnonzero(~tree.is_leaf)
    used = np.concatenate([tree.feature[inner], tree.term_feature])
    if not np.isin(used, features).all():
        return None
    lines = {node: _line(tree, node, features) for node in inner.tolist() if tree.terms(node)}
    if None in lines.values():
        return None
    out = []
    # A node, the bounds of each of the two features there, and the lines.
    everywhere = (-np.inf, np.inf)
    todo: list[tuple[int, list[tuple[float, float]], tuple[_Line, ...]]] = [
        (0, [everywhere, everywhere], ())
    ]
    while todo:
        node, sides, half_planes = todo.pop()
        if any(low >= high for low, high in sides):
            continue
        if tree.is_leaf[node]:
            (x_low, x_high), (y_low, y_high) = sides
            cluster = int(tree.cluster[node])
            out.append(Region(node, cluster, x_low, x_high, y_low, y_high, half_planes))
            continue
        children = int(tree.children_right[node]), int(tree.children_left[node])
        line = lines.get(node)
        if line is not None:
            a, b, c = line
            if c < np.inf:
                todo.append((children[0], sides, (*half_planes, (-a, -b, -c))))
            # Every known value is at most infinite.
            todo.append((children[1], sides, (*half_planes, line) if c < np.inf else half_planes))
            continue
        axis = features.index(int(tree.feature[node]))
        threshold = float(tree.threshold[node])
        low, high = sides[axis]
        left, right = list(sides), list(sides)
        left[axis] = low, min(high, threshold)
        right[axis] = max(low, threshold), high
        todo.append((children[0], right, half_planes))
        todo.append((children[1], left, half_planes))
    return tuple(out)


_Line = tuple[float, float, float]


def _line(tree: Tree, node: int, features: tuple[int, int]) -> _Line | None:
    """Return the left side of a split on a sum, ``a x + b y <= c``; None if it is not linear."""
    factors, rest = [0.0, 0.0], float(tree.threshold[node])
    for (feature, weight), steps in zip(tree.terms(node), steps_of(tree, node), strict=True):
        shape = shape_of(steps)
        if not shape.is_line:
            return None
        factors[features.index(feature)] += weight * shape.slope
        rest -= weight * shape.offset
    return factors[0], factors[1], rest
