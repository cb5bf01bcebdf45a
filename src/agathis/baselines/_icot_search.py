"""Local search over trees whose leaves are clusters.

A criterion (``_core.separation``) evaluates a whole tree. The moves at a node are another split
with the same subtrees, its left or right subtree in its place, and a leaf in its place; at a leaf,
a split. Nodes are visited in random order until no move at any node raises the criterion.

Rows are represented by their ranks along each feature: equal values have equal ranks, and a split
is the last rank that goes left. Thresholds are computed at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from agathis._core.separation.criterion import Criterion
from agathis._trees.builder import TreeBuilder
from agathis._utils.numbers import threshold_between

# Values that differ by at most this, relative to the larger or to 1, are equal up to rounding.
ROUNDING = 1e-10


class StoppedError(Exception):
    """The search was stopped."""


@dataclass(eq=False)
class Node:
    """A split, rows with ``rank[feature] <= last_rank`` left; a leaf if there are no children."""

    feature: int = -1
    last_rank: int = -1
    left: Node | None = None
    right: Node | None = None

    @property
    def is_leaf(self) -> bool:
        return self.left is None

    def become(self, other: Node) -> None:
        """Copy another node into this one."""
        self.feature, self.last_rank = other.feature, other.last_rank
        self.left, self.right = other.left, other.right

    def nodes(self, depth: int = 0) -> Iterator[tuple[Node, int]]:
        """Yield all nodes with their depth in pre-order."""
        waiting = [(self, depth)]
        while waiting:
            node, depth = waiting.pop()
            yield node, depth
            if node.left is not None and node.right is not None:
                waiting += [(node.right, depth + 1), (node.left, depth + 1)]

    def n_leaves(self) -> int:
        return sum(node.is_leaf for node, _ in self.nodes())


@dataclass(frozen=True)
class RankedRows:
    """Rows as ranks along each feature.

    Attributes
    ----------
    values : ndarray of shape (n_features, n_samples)
    order : ndarray of shape (n_features, n_samples)
        The rows sorted by each feature.
    rank : ndarray of shape (n_features, n_samples)
    weight : ndarray of shape (n_samples,)
    """

    values: np.ndarray
    order: np.ndarray
    rank: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, weight: np.ndarray) -> RankedRows:
        values = np.ascontiguousarray(X.T)
        order = np.argsort(values, axis=1, kind="stable").astype(np.int32)
        rank = np.array([np.unique(v, return_inverse=True)[1] for v in values], dtype=np.int32)
        return cls(values, order, rank, weight)

    @property
    def n_samples(self) -> int:
        return len(self.weight)

    def assign_leaves(self, node: Node, rows: np.ndarray, out: np.ndarray, first: int = 0) -> int:
        """Write the leaf index of each row below a node, from left to right.

        Returns the index after the last one.
        """
        waiting = [(node, rows)]
        while waiting:
            node, rows = waiting.pop()
            if node.left is None or node.right is None:
                out[rows] = first
                first += 1
                continue
            goes_left = self.rank[node.feature, rows] <= node.last_rank
            waiting += [(node.right, rows[~goes_left]), (node.left, rows[goes_left])]
        return first

    def builder(self, root: Node) -> TreeBuilder:
        """The tree with thresholds half-way between values, each leaf a cluster."""
        builder, n_clusters = TreeBuilder(), 0
        waiting = [(0, root, np.arange(self.n_samples))]
        while waiting:
            number, node, rows = waiting.pop()
            if node.left is None or node.right is None:
                builder.cluster[number] = n_clusters
                n_clusters += 1
                continue
            goes_left = self.rank[node.feature, rows] <= node.last_rank
            values = self.values[node.feature, rows]
            threshold = threshold_between(
                float(values[goes_left].max()), float(values[~goes_left].min())
            )
            left, right = builder.cut(number, node.feature, threshold)
            waiting += [
                (right, node.right, rows[~goes_left]),
                (left, node.left, rows[goes_left]),
            ]
        return builder


@dataclass(frozen=True)
class SizeLimits:
    """Limits of a tree; ``min_weight`` is the minimum weight of a leaf."""

    max_leaves: int
    max_depth: int
    min_weight: float
    max_candidates: int | None = None


@dataclass
class Search:
    """Local search from one tree.

    Attributes
    ----------
    root : Node
    value : float
        The criterion of the tree.
    values : list of float
        The criterion after each move, from the first tree on.
    """

    table: RankedRows
    criterion: Criterion
    limits: SizeLimits
    random: np.random.RandomState
    stop: np.ndarray
    root: Node = field(default_factory=Node)
    values: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.leaf = np.zeros(self.table.n_samples, dtype=np.int32)
        self._settle()
        self.values.append(self.value)

    def grow(self) -> None:
        """Greedily split the leaf that raises the criterion most, while one does.

        Each evaluation of a leaf uses a random half of the features.
        """
        d = len(self.table.rank)
        while True:
            best: tuple[float, Node | None, Node | None] = (self.value, None, None)
            for node, depth in self.root.nodes():
                if node.is_leaf:
                    some = np.sort(self.random.permutation(d)[: (d + 1) // 2])
                    value, new = self.best_move(node, depth, some)
                    if new is not None and value > best[0]:
                        best = (value, node, new)
            value, leaf, new = best
            if leaf is None or new is None or not self.accept(leaf, value, new):
                return

    def improve(self) -> None:
        """Apply moves until none at any node raises the criterion."""
        features = np.arange(len(self.table.rank))
        waiting = list(self.root.nodes())
        while waiting:
            node, depth = waiting.pop(self.random.randint(len(waiting)))
            value, new = self.best_move(node, depth, features)
            if new is not None and self.accept(node, value, new):
                waiting = list(self.root.nodes())

    def best_move(self, node: Node, depth: int, features: np.ndarray) -> tuple[float, Node | None]:
        """The highest value that a move at a node gives, and the node after that move."""
        table, n = self.table, self.table.n_samples
        first, last = self._span(node)
        inside = (self.leaf >= first) & (self.leaf < last)
        rows = np.flatnonzero(inside).astype(np.int32)
        left, right = np.zeros(n, dtype=np.int32), np.ones(n, dtype=np.int32)
        if node.left is None or node.right is None:
            full = self.n_leaves >= self.limits.max_leaves
            if full or depth >= self.limits.max_depth or len(rows) < 2:
                return -np.inf, None
            n_left, n_parts = 1, 2
            children = Node(), Node()
        else:
            n_left = table.assign_leaves(node.left, rows, left)
            n_parts = table.assign_leaves(node.right, rows, right, n_left)
            children = node.left, node.right
        best, new = -np.inf, None
        self.criterion.look(first, last, rows, left, right, n_parts)
        for feature in features:
            order = table.order[feature]
            order = order[inside[order]]
            allowed = self._candidates(feature, order)
            if not allowed.any():
                continue
            value, position = self.criterion.scan(order, allowed)
            if self.stop[0]:
                raise StoppedError
            if is_first_or_better(value, best):
                last_left = int(table.rank[feature, order[position]])
                best, new = value, Node(int(feature), last_left, *children)
        if node.is_leaf:
            return best, new
        for part, count, kept in (
            (left, n_left, children[0]),
            (right - n_left, n_parts - n_left, children[1]),
            (np.zeros(n, dtype=np.int32), 1, Node()),
        ):
            self.criterion.look(first, last, rows, part, part, count)
            value = self.criterion.value()
            if is_first_or_better(value, best):
                best, new = value, kept
        return best, new

    def accept(self, node: Node, value: float, new: Node) -> bool:
        """Apply a move if it raises the criterion; return whether it was applied."""
        before = self.value
        if not is_better(value, before):
            return False
        old = Node()
        old.become(node)
        node.become(new)
        self._settle()
        # The value of a scan comes from incremental updates, which round. Check the exact value,
        # so that two moves without improvement do not alternate forever.
        if is_better(self.value, before):
            self.values.append(self.value)
            return True
        node.become(old)
        self._settle()
        return False

    def _settle(self) -> None:
        """Recompute the criterion from the leaves of the tree."""
        everything = np.arange(self.table.n_samples)
        self.n_leaves = self.table.assign_leaves(self.root, everything, self.leaf)
        self.value = self.criterion.settle(self.leaf, self.n_leaves)
        if self.stop[0]:
            raise StoppedError

    def _span(self, node: Node) -> tuple[int, int]:
        """The range of leaf indices below a node."""
        first = 0
        for other, _ in self.root.nodes():
            if other is node:
                break
            first += other.is_leaf
        return first, first + node.n_leaves()

    def _candidates(self, feature: int, order: np.ndarray) -> np.ndarray:
        """After which rows, sorted by a feature, a threshold is possible."""
        rank = self.table.rank[feature, order]
        allowed = np.append(rank[:-1] < rank[1:], False)
        maximum = self.limits.max_candidates
        if maximum is not None and np.count_nonzero(allowed) > maximum:
            gap = np.diff(self.table.values[feature, order])
            allowed[:] = False
            allowed[np.argsort(-gap, kind="stable")[:maximum]] = True
        return allowed.astype(np.uint8)


def is_first_or_better(value: float, best: float) -> bool:
    """Whether a value replaces the best so far; ties keep the first."""
    return value > best and (best == -np.inf or is_better(value, best))


def is_better(value: float, before: float) -> bool:
    """Whether a value is larger than another by more than rounding."""
    if np.isinf(before):
        return False
    return value - before > ROUNDING * max(1.0, abs(before))
