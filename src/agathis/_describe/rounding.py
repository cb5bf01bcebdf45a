"""Thresholds of as few digits as the rows allow.

A tree cuts half-way between two values, and to scale and unscale adds digits that mean nothing:
"<= 21.500000000000004". Any number from the largest value that goes left up to, but not including,
the smallest that goes right parts the rows of the node the same way. Of these numbers one with the
fewest digits is taken: 206 for 206.5, 20 for 21.500000000000004 if rows have room for it. So rules
can be repeated, and hold word for word: what is written is the threshold, not near it.

Of numbers with the same count of digits the one with the fewest decimals is taken, then the one
nearest to the old threshold. So of whole numbers a whole threshold is found, "children <= 0" and
not "<= 0.5", and no other than a half would be as short.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import numpy as np

from agathis._describe.numerals import shortest
from agathis._describe.sum_rounding import Sides, rounded_sums
from agathis._trees.tree import Tree

#: A node, the largest value that goes left and the smallest that goes right.
Room = tuple[int, float, float]


def rounded(tree: Tree, X: np.ndarray, *, but: Collection[int] = (), threads: int = 1) -> Tree:
    """The tree with the shortest thresholds that send every row of X the way it goes now.

    A threshold that several nodes share stays one. Where a side of all these nodes has no row that
    knows its value, there is nothing to hold the threshold: it stays as it is.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_samples, n_features)
        In the units of the thresholds, for example the training rows.
    but : collection of int
        Features whose thresholds stay as they are, such as columns of 0 and 1 that stand for
        categories. Other sums of columns become shorter too
        (:mod:`~agathis._describe.sum_rounding`).
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
    short = in_rooms(tree, _rooms(tree, X, sides), but)
    return rounded_sums(short, X, sides, but)


def in_rooms(tree: Tree, rooms: Iterable[Room], but: Collection[int] = ()) -> Tree:
    """The tree with the shortest thresholds that lie in the rooms of its nodes.

    Parameters
    ----------
    tree : Tree
    rooms : iterable of Room
        As :func:`rooms_of` tells them.
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


def rooms_of(tree: Tree, X: np.ndarray, threads: int) -> list[Room]:
    """Each node that asks for one feature, with the largest value left and the smallest right.

    They are infinite where a side has no value. Nodes come in the order of their numbers.
    """
    return list(_rooms(tree, X, _sides(tree, X, threads)))


def _rooms(tree: Tree, X: np.ndarray, sides: Iterable[Sides]) -> Iterator[Room]:
    for node, *rows in sides:
        if tree.terms(node):
            continue
        columns = [X[own, tree.feature[node]].astype(np.float64) for own in rows]
        left, right = (values[~np.isnan(values)] for values in columns)
        yield node, float(left.max(initial=-np.inf)), float(right.min(initial=np.inf))


def _sides(tree: Tree, X: np.ndarray, threads: int) -> Iterator[Sides]:
    """Each node that is cut, with the rows of its left and right child."""
    # From left to right, so that the rows of each node lie side by side.
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
