"""The region of a cluster as few boxes with few sides.

A box allows each feature a range of values, and its missing ones or not. The leaves of a tree are
boxes that fill the space without overlap. Those of one cluster are joined where two make one box.
Then each box drops the sides that it does not need: a side goes if the box, grown without it,
meets no leaf of another cluster. Boxes of a cluster may so overlap. Last, a box goes if others
hold all the leaves that it holds. So the boxes of a cluster hold its rows and no other row.

Whether a value is missing is asked for only of features of which training rows missed some.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from agathis._trees.tree import Tree

INFINITY = float("inf")


@dataclass(frozen=True)
class Range:
    """Values above ``low`` and up to ``high``, and the missing ones where ``missing``."""

    low: float = -INFINITY
    high: float = INFINITY
    missing: bool = True

    @property
    def has_values(self) -> bool:
        return self.low < self.high

    @property
    def is_empty(self) -> bool:
        return not self.has_values and not self.missing

    def holds(self, other: Range) -> bool:
        if other.missing and not self.missing:
            return False
        return not other.has_values or (self.low <= other.low and other.high <= self.high)

    def joined(self, other: Range) -> Range | None:
        """Both as one range, if they make one."""
        missing = self.missing or other.missing
        if not (self.has_values and other.has_values):
            some = self if self.has_values else other
            return replace(some, missing=missing)
        if max(self.low, other.low) > min(self.high, other.high):
            return None
        return Range(min(self.low, other.low), max(self.high, other.high), missing)


EVERYTHING = Range()

#: From feature to the range that it is allowed, in the order in which the tree first asks for it;
#: all other features are free.
Box = dict[int, Range]


def boxes_of(tree: Tree, paths: Iterable[Sequence[int]]) -> list[list[Box]]:
    """For each cluster, boxes that hold its rows and no other row.

    Parameters
    ----------
    tree : Tree
    paths : iterable of lists of nodes
        To each leaf, from the root.
    """
    seen = _seen_missing(tree)
    missing_left = tree.missing_left
    leaves: list[list[Box]] = [[] for _ in range(tree.n_clusters)]
    for path in paths:
        box = _along(tree, path, seen, missing_left)
        # No row comes to a leaf that allows a feature nothing.
        if not any(allowed.is_empty for allowed in box.values()):
            leaves[tree.cluster[path[-1]]].append(box)
    out = []
    for cluster, own in enumerate(leaves):
        others = [box for k, boxes in enumerate(leaves) if k != cluster for box in boxes]
        walls = _Walls(others, seen)
        grown = [walls.grow(box) for box in _join(own)]
        out.append(_needed(grown, own))
    return out


def box_of(tree: Tree, path: Sequence[int]) -> Box:
    """What rows at the end of a path from the root satisfy; no side is dropped."""
    return _along(tree, path, _seen_missing(tree), tree.missing_left)


def _seen_missing(tree: Tree) -> set[int]:
    """Features of which training rows missed some."""
    inner = np.flatnonzero(~tree.is_leaf)
    seen = set(tree.feature[inner[tree.missing[inner] > 0]].tolist())
    return seen | set(tree.feature[inner[np.isinf(tree.threshold[inner])]].tolist())


def _along(tree: Tree, path: Sequence[int], seen: set[int], missing_left: np.ndarray) -> Box:
    box: Box = {}
    for node, child in pairwise(path):
        f, threshold = int(tree.feature[node]), float(tree.threshold[node])
        left = bool(child == tree.children_left[node])
        old = box.get(f, EVERYTHING if f in seen else replace(EVERYTHING, missing=False))
        missing = old.missing and bool(missing_left[node]) == left
        if left:
            box[f] = Range(old.low, min(old.high, threshold), missing)
        else:
            box[f] = Range(max(old.low, threshold), old.high, missing)
    return box


def _join(boxes: list[Box]) -> list[Box]:
    """Two boxes that differ in one feature and make one box become one, until none do."""
    boxes, again = list(boxes), True
    while again:
        again = False
        for f in sorted({f for box in boxes for f in box}):
            # Boxes that are the same but for this feature.
            alike: dict[frozenset[tuple[int, Range]], list[int]] = {}
            for i, box in enumerate(boxes):
                alike.setdefault(frozenset((g, r) for g, r in box.items() if g != f), []).append(i)
            gone: set[int] = set()
            for places in alike.values():
                places.sort(key=lambda i: boxes[i].get(f, EVERYTHING).low)
                kept = places[0]
                for i in places[1:]:
                    one = boxes[kept].get(f, EVERYTHING)
                    joined = one.joined(boxes[i].get(f, EVERYTHING))
                    if joined is None:
                        kept = i
                        continue
                    boxes[kept] = {**boxes[kept], f: joined}
                    gone.add(i)
            again |= bool(gone)
            boxes = [box for i, box in enumerate(boxes) if i not in gone]
    return boxes


class _Walls:
    """Leaves that boxes must not meet."""

    def __init__(self, leaves: list[Box], seen: set[int]) -> None:
        self.leaves = leaves
        self.seen = seen
        #: Of each feature, the ranges of all leaves as arrays.
        self.ranges: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    def grow(self, box: Box) -> Box:
        """The box without the sides that it does not need.

        Sides are dropped in two orders, the first asked for first and last; the shorter wins.
        """
        sides = [(f, side) for f in box for side in ("all", "low", "high")]
        found = [self._without(box, order) for order in (sides, sides[::-1])]
        return min(found, key=n_sides)

    def _without(self, box: Box, sides: Iterable[tuple[int, str]]) -> Box:
        box = {f: allowed for f, allowed in box.items() if allowed != self._everything(f)}
        apart = {f: self._apart(f, box[f]) for f in box}
        # In how many features each leaf is apart from the box; the box may grow while it is one.
        total = sum(apart.values(), np.zeros(len(self.leaves), dtype=np.intp))
        for f, side in sides:
            if f not in box:
                continue
            wider = self._wider(f, box[f], side)
            if wider == box[f]:
                continue
            now = self._apart(f, wider)
            if (total - apart[f] + now > 0).all():
                total += now
                total -= apart[f]
                box[f], apart[f] = wider, now
                if wider == self._everything(f):
                    del box[f]
        return box

    def _wider(self, f: int, allowed: Range, side: str) -> Range:
        if side == "all":
            return self._everything(f)
        # Only missing values: there is no side to drop.
        if not allowed.has_values:
            return allowed
        if side == "low":
            return replace(allowed, low=-INFINITY)
        return replace(allowed, high=INFINITY)

    def _everything(self, f: int) -> Range:
        return replace(EVERYTHING, missing=f in self.seen)

    def _apart(self, f: int, allowed: Range) -> np.ndarray:
        """Which leaves the range keeps away, in this feature."""
        if f not in self.ranges:
            every = self._everything(f)
            found = [leaf.get(f, every) for leaf in self.leaves]
            self.ranges[f] = (
                np.array([each.low for each in found], dtype=float),
                np.array([each.high for each in found], dtype=float),
                np.array([each.missing for each in found], dtype=bool),
            )
        low, high, missing = self.ranges[f]
        known = np.maximum(low, allowed.low) < np.minimum(high, allowed.high)
        return (~(known | (missing & allowed.missing))).astype(np.intp)


def _needed(grown: list[Box], leaves: list[Box]) -> list[Box]:
    """As few of the boxes as hold every leaf, the largest first; in their first order."""
    holds = [{i for i, leaf in enumerate(leaves) if _holds(box, leaf)} for box in grown]
    kept: list[int] = []
    missing = set(range(len(leaves)))
    while missing:
        best = max(
            range(len(grown)), key=lambda i: (len(holds[i] & missing), -n_sides(grown[i]), -i)
        )
        kept.append(best)
        missing -= holds[best]
    return [grown[i] for i in sorted(kept)]


def _holds(box: Box, leaf: Box) -> bool:
    # A feature that the leaf leaves free has all its values there.
    return all(f in leaf and allowed.holds(leaf[f]) for f, allowed in box.items())


def n_sides(box: Box) -> int:
    """How many conditions a box is: each bound is one, and so is "known"."""
    total = 0
    for allowed in box.values():
        bounds = (allowed.low > -INFINITY) + (allowed.high < INFINITY)
        total += max(1, bounds) if allowed.has_values else 1
    return total
