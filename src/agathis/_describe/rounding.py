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

from collections.abc import Collection, Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

import numpy as np

from agathis._trees.tree import Tree

# The most digits that a float64 needs, and enough for the exact decimal of any of them.
_DIGITS, _EXACT = 17, 800


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
        categories. Those of splits on several columns stay as well.
    threads : int

    Examples
    --------
    >>> from agathis import Kauri
    >>> X = np.array([[1.25], [2.5], [206.0], [207.5]])
    >>> tree = Kauri(2, max_leaf_nodes=2).fit(X).tree_
    >>> tree.threshold[0], rounded(tree, X).threshold[0]
    (np.float64(104.25), np.float64(100.0))
    """
    room: dict[tuple[int, float], tuple[float, float]] = {}
    homes: dict[tuple[int, float], list[int]] = {}
    for node, low, high in rooms(tree, X, threads):
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


def shortest(value: float, low: float, high: float) -> float:
    """The number of fewest digits from ``low`` up to and without ``high``.

    Of several, that of fewest decimals; then the nearest to ``value``, which lies between the two.

    >>> shortest(206.5, 206.0, 207.0), shortest(21.500000000000004, 19.0, 24.0)
    (206.0, 20.0)
    >>> shortest(0.5, 0.0, 1.0), shortest(12.55, 12.2, 12.9)
    (0.0, 12.6)
    """
    with localcontext() as context:
        context.prec = _EXACT
        exact = Decimal(value)
        size = exact.adjusted() if exact else 0
        for digits in range(1, _DIGITS + 1):
            # A number of so many digits and no more decimals is a multiple of the larger of two
            # steps. The nearest of them above and below are enough: if any lies in the room,
            # one of these does.
            last = max(0, digits - 1 - size)
            for decimals in range(last + 1):
                step = Decimal(1).scaleb(max(-decimals, size - digits + 1))
                found = [
                    multiple
                    for way in (ROUND_FLOOR, ROUND_CEILING)
                    if low <= float(multiple := (exact / step).quantize(1, way) * step) < high
                ]
                if found:
                    # Never -0.0.
                    return float(min(found, key=lambda number: abs(number - exact))) + 0.0
    return value


def rooms(tree: Tree, X: np.ndarray, threads: int) -> Iterator[tuple[int, float, float]]:
    """Each node that asks for one feature, with the largest value left and the smallest right."""
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
    for node in inner[np.diff(tree.term_start)[inner] == 0]:
        f = tree.feature[node]
        sides = []
        for child in (tree.children_left[node], tree.children_right[node]):
            values = X[order[begin[child] : end[child]], f].astype(np.float64)
            sides.append(values[~np.isnan(values)])
        yield int(node), float(sides[0].max(initial=-np.inf)), float(sides[1].min(initial=np.inf))


def _leaves_in_order(tree: Tree) -> np.ndarray:
    out, todo = [], [0]
    while todo:
        node = todo.pop()
        if tree.is_leaf[node]:
            out.append(node)
        else:
            todo += [int(tree.children_right[node]), int(tree.children_left[node])]
    return np.array(out, dtype=np.intp)
