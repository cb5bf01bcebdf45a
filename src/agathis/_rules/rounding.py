"""Round thresholds to as few digits as the rows allow.

A threshold half-way between two values, scaled back, has meaningless digits: "<=
21.500000000000004". Any number from the largest value on the left up to, excluding, the smallest on
the right splits the rows of the node the same way. The one with the fewest digits, such as 206 for
206.5, becomes the threshold of the tree, so that rules are exact as written.

Ties are broken by fewest decimals, then by distance to the old threshold. So integers get integer
thresholds, "children <= 0" instead of "<= 0.5".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import numpy as np

from agathis._rules.numerals import shortest
from agathis._rules.sum_rounding import Sides, interval_of, rounded_sums
from agathis._trees.stepped import steps_of
from agathis._trees.tree import Tree

#: A node, the largest value on its left, and the smallest on its right.
Interval = tuple[int, float, float]


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
        Features whose thresholds are unchanged, such as one-hot columns. Other sums of columns are
        rounded too (:mod:`~agathis._rules.sum_rounding`).
    threads : int

    Examples
    --------
    >>> from agathis import Kauri
    >>> X = np.array([[1.25], [2.5], [206.0], [207.5]])
    >>> tree = Kauri(2, max_leaf_nodes=2).fit(X).tree_
    >>> tree.threshold[0].item(), rounded(tree, X).threshold[0].item()
    (104.25, 100.0)
    """
    short = in_intervals(tree, intervals_of(tree, X, threads), but)
    return rounded_sums(short, X, _sides(tree, X, threads), but)


def in_intervals(tree: Tree, intervals: Iterable[Interval], but: Collection[int] = ()) -> Tree:
    """Return the tree with the shortest thresholds within the intervals of its nodes.

    Parameters
    ----------
    tree : Tree
    intervals : iterable of Interval
        As computed by :func:`intervals_of`.
    but : collection of int
        As for :func:`rounded`.
    """
    shared: dict[tuple[object, float], list[Interval]] = {}
    for node, low, high in intervals:
        terms = tree.terms(node) or ((int(tree.feature[node]), 1.0),)
        threshold = float(tree.threshold[node])
        if np.isfinite(threshold) and {f for f, _ in terms}.isdisjoint(but):
            shared.setdefault((terms, threshold), []).append((node, low, high))
    out = tree.threshold.copy()
    for (_, threshold), group in shared.items():
        nodes, lows, highs = zip(*group, strict=True)
        low, high = max(lows), min(highs)
        if np.isfinite(low) and np.isfinite(high):
            out[list(nodes)] = shortest(threshold, low, high)
    return replace(tree, threshold=out)


def intervals_of(tree: Tree, X: np.ndarray, threads: int) -> list[Interval]:
    """Return for each split without steps the largest value on its left, the smallest on its right.

    They are infinite if a side has no value. The order is the same for all rows.
    """
    out = []
    for node, left, right in _sides(tree, X, threads):
        if not any(steps_of(tree, node)):
            terms = tree.terms(node) or ((int(tree.feature[node]), 1.0),)
            columns, weights = zip(*terms, strict=True)
            sides = X[np.ix_(left, columns)], X[np.ix_(right, columns)]
            out.append((node, *interval_of(weights, *sides)))
    return out


def _sides(tree: Tree, X: np.ndarray, threads: int) -> Iterator[Sides]:
    """Yield each internal node with the rows of its left and right child, children first."""
    leaf = tree.apply(X, threads)
    order = np.argsort(leaf, kind="stable")
    ends = np.cumsum(np.bincount(leaf, minlength=tree.node_count))
    rows = dict(enumerate(np.split(order, ends[:-1])))
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        left, right = (rows.pop(int(c[node])) for c in (tree.children_left, tree.children_right))
        yield node, left, right
        rows[node] = np.concatenate([left, right])
