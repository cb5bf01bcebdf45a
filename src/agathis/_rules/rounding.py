"""Round thresholds to as few digits as the rows allow.

A threshold half-way between two values, scaled back, has meaningless digits: "<=
21.500000000000004". Any number from the largest value on the left up to, excluding, the smallest on
the right splits the rows of the node the same way. The one with the fewest digits is chosen, such
as 206 for 206.5, and is the actual threshold of the tree, so that rules are exact as written.

Ties are broken by fewest decimals, then by distance to the old threshold. So integers get integer
thresholds, "children <= 0" instead of "<= 0.5".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import numpy as np

from agathis._rules.numerals import shortest
from agathis._rules.sum_rounding import Sides, rounded_sums
from agathis._trees.tree import Tree

#: A node, the largest value on its left and the smallest on its right.
Room = tuple[int, float, float]


def rounded(tree: Tree, X: np.ndarray, *, but: Collection[int] = (), threads: int = 1) -> Tree:
    """Return the tree with the shortest thresholds that send every row of X the same way.

    A threshold shared by several nodes stays shared. If one side of all these nodes has no known
    value, the threshold is unbounded there and stays as it is.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_samples, n_features)
        In the units of the thresholds, for example the training rows.
    but : collection of int
        Features whose thresholds stay as they are, such as columns of 0 and 1 that stand for
        categories. Other sums of columns become shorter too
        (:mod:`~agathis._rules.sum_rounding`).
    threads : int

    Examples
    --------
    >>> from agathis import Kauri
    >>> X = np.array([[1.25], [2.5], [206.0], [207.5]])
    >>> tree = Kauri(2, max_leaf_nodes=2).fit(X).tree_
    >>> tree.threshold[0].item(), rounded(tree, X).threshold[0].item()
    (104.25, 100.0)
    """
    sides = list(_sides(tree, X, threads))
    short = in_intervals(tree, _intervals(tree, X, sides), but)
    return rounded_sums(short, X, sides, but)


def in_intervals(tree: Tree, rooms: Iterable[Room], but: Collection[int] = ()) -> Tree:
    """Return the tree with the shortest thresholds within the intervals of its nodes.

    Parameters
    ----------
    tree : Tree
    rooms : iterable of Room
        As computed by :func:`intervals_of`.
    but : collection of int
        As for :func:`rounded`.
    """
    room: dict[tuple[int, float], tuple[float, float]] = {}
    homes: dict[tuple[int, float], list[int]] = {}
    for node, low, high in rooms:
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        if feature in but or not np.isfinite(threshold):
            continue
        key = feature, threshold
        least, most = room.get(key, (-np.inf, np.inf))
        room[key] = max(least, low), min(most, high)
        homes.setdefault(key, []).append(node)
    out = tree.threshold.copy()
    for (feature, threshold), (low, high) in room.items():
        if np.isfinite(low) and np.isfinite(high):
            out[homes[feature, threshold]] = shortest(threshold, low, high)
    return replace(tree, threshold=out)


def intervals_of(tree: Tree, X: np.ndarray, threads: int) -> list[Room]:
    """Return each node with a numeric split, its largest value left and smallest value right.

    They are infinite if a side has no value. Nodes are in the order of their indices.
    """
    return list(_intervals(tree, X, _sides(tree, X, threads)))


def _intervals(tree: Tree, X: np.ndarray, sides: Iterable[Sides]) -> Iterator[Room]:
    for node, *rows in sides:
        if tree.terms(node):
            continue
        columns = [X[own, tree.feature[node]].astype(np.float64) for own in rows]
        left, right = (values[~np.isnan(values)] for values in columns)
        yield node, float(left.max(initial=-np.inf)), float(right.min(initial=np.inf))


def _sides(tree: Tree, X: np.ndarray, threads: int) -> Iterator[Sides]:
    """Yield each internal node with the rows of its left and right child."""
    # From left to right, so that the rows of each node are contiguous.
    leaves = _leaves_in_order(tree)
    place = np.zeros(tree.node_count, dtype=np.intp)
    place[leaves] = np.arange(len(leaves))
    leaf = place[tree.apply(X, threads)]
    order = np.argsort(leaf, kind="stable")
    end = np.zeros(tree.node_count, dtype=np.intp)
    end[leaves] = np.cumsum(np.bincount(leaf, minlength=len(leaves)))
    begin = np.zeros(tree.node_count, dtype=np.intp)
    begin[leaves[1:]] = end[leaves[:-1]]
    inner = np.flatnonzero(~tree.is_leaf)
    for node in inner[::-1]:
        begin[node] = begin[tree.children_left[node]]
        end[node] = end[tree.children_right[node]]
    for node in inner:
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        yield int(node), order[begin[left] : end[left]], order[begin[right] : end[right]]


def _leaves_in_order(tree: Tree) -> np.ndarray:
    out, todo = [], [0]
    while todo:
        node = todo.pop()
        if tree.is_leaf[node]:
            out.append(node)
        else:
            todo += [int(tree.children_right[node]), int(tree.children_left[node])]
    return np.array(out, dtype=np.intp)
