"""Cover the region of a cluster by few boxes with few sides.

A box restricts each axis (:mod:`~agathis._rules.split_axes`) to an interval or some categories,
with or without missing values. The leaves of a tree are disjoint boxes that fill the space. Those
of one cluster are merged where two make one box. Then each box drops every side without which it
still meets no leaf of another cluster, so that boxes of a cluster may overlap. Last, boxes whose
leaves are all covered by others are dropped. So the boxes of a cluster contain its rows and no
others.

Missing values are mentioned only for axes of which training rows had some.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from agathis._rules.admissible_values import AdmissibleValues, Categories, Range
from agathis._rules.split_axes import Axis, Split
from agathis._trees.tree import Tree

#: From axis to what it is allowed, in the order in which the tree first asks for it; all other
#: axes are free.
Box = dict[Axis, AdmissibleValues]


def boxes_of(
    tree: Tree, splits: Mapping[int, Split], paths: Iterable[Sequence[int]]
) -> list[list[Box]]:
    """For each cluster, boxes that hold its rows and no other row.

    Parameters
    ----------
    tree : Tree
    splits : mapping
        Of each node that has one.
    paths : iterable of lists of nodes
        To each leaf, from the root.
    """
    leaves: list[list[Box]] = [[] for _ in range(tree.n_clusters)]
    for path in paths:
        box = box_of(tree, splits, path)
        # No row comes to a leaf that allows an axis nothing.
        if not any(allowed.is_empty for allowed in box.values()):
            leaves[tree.cluster[path[-1]]].append(box)
    out = []
    for cluster, own in enumerate(leaves):
        others = [box for k, boxes in enumerate(leaves) if k != cluster for box in boxes]
        walls = _Walls(others)
        grown = [walls.grow(box) for box in _join(own)]
        out.append(_needed(grown, own))
    return out


def box_of(tree: Tree, splits: Mapping[int, Split], path: Sequence[int]) -> Box:
    """What rows at the end of a path from the root satisfy; no side is dropped."""
    box: Box = {}
    for node, child in pairwise(path):
        split = splits[node]
        side = split.left if child == tree.children_left[node] else split.right
        box[split.axis] = box.get(split.axis, split.axis.everything).met(side)
    return box


def inside(X: np.ndarray, box: Box) -> np.ndarray:
    """Which rows a box holds."""
    out = np.ones(len(X), dtype=bool)
    for axis, allowed in box.items():
        out &= axis.inside(X, allowed)
    return out


def _join(boxes: list[Box]) -> list[Box]:
    """Two boxes that differ in one axis and make one box become one, until none do."""
    boxes, again = list(boxes), True
    while again:
        again = False
        for axis in dict.fromkeys(axis for box in boxes for axis in box):
            # Boxes that are the same but for this axis.
            alike: dict[frozenset[tuple[Axis, AdmissibleValues]], list[int]] = {}
            for i, box in enumerate(boxes):
                rest = frozenset((other, a) for other, a in box.items() if other is not axis)
                alike.setdefault(rest, []).append(i)
            gone: set[int] = set()
            for places in alike.values():
                places.sort(key=lambda i: boxes[i].get(axis, axis.everything).low)
                kept = places[0]
                for i in places[1:]:
                    one = boxes[kept].get(axis, axis.everything)
                    joined = one.joined(boxes[i].get(axis, axis.everything))
                    if joined is None:
                        kept = i
                        continue
                    boxes[kept] = {**boxes[kept], axis: joined}
                    gone.add(i)
            again |= bool(gone)
            boxes = [box for i, box in enumerate(boxes) if i not in gone]
    return boxes


class _Walls:
    """Leaves that boxes must not meet."""

    def __init__(self, leaves: list[Box]) -> None:
        self.leaves = leaves
        #: Of each axis, what all leaves allow it, as arrays.
        self.known: dict[Axis, tuple[np.ndarray, ...]] = {}

    def grow(self, box: Box) -> Box:
        """The box without the sides that it does not need.

        Sides are dropped in two orders, the first asked for first and last; the shorter wins.
        """
        axes = list(box)
        found = [
            self._without(box, order, turned) for order, turned in ((axes, 1), (axes[::-1], -1))
        ]
        return min(found, key=n_sides)

    def _without(self, box: Box, axes: Iterable[Axis], turned: int) -> Box:
        box = {axis: allowed for axis, allowed in box.items() if allowed != axis.everything}
        apart = {axis: self._apart(axis, allowed) for axis, allowed in box.items()}
        # In how many axes each leaf is apart from the box; the box may grow while it is one.
        total = sum(apart.values(), np.zeros(len(self.leaves), dtype=np.intp))
        for axis in axes:
            # As a whole first, then a bound; which of the two depends on the order of the axes.
            for side in ("all", 0, 1)[::turned]:
                if axis not in box:
                    break
                wider = _without_side(axis, box[axis], side)
                if wider == box[axis]:
                    continue
                now = self._apart(axis, wider)
                if (total - apart[axis] + now > 0).all():
                    total += now
                    total -= apart[axis]
                    box[axis], apart[axis] = wider, now
                    if wider == axis.everything:
                        del box[axis]
        return box

    def _apart(self, axis: Axis, allowed: AdmissibleValues) -> np.ndarray:
        """Which leaves it keeps away, in this axis."""
        if axis not in self.known:
            found = [leaf.get(axis, axis.everything) for leaf in self.leaves]
            self.known[axis] = _arrays(axis, found)
        if isinstance(allowed, Range):
            low, high, missing = self.known[axis]
            meets = np.maximum(low, allowed.low) < np.minimum(high, allowed.high)
            meets |= missing & allowed.missing
        else:
            assert isinstance(allowed, Categories)
            (held,) = self.known[axis]
            # Places count from -2, and so do columns of an array from its end.
            meets = held[:, list(allowed.places)].any(axis=1)
        return (~meets).astype(np.intp)


def _arrays(axis: Axis, found: Sequence[AdmissibleValues]) -> tuple[np.ndarray, ...]:
    if isinstance(axis.everything, Range):
        ranges = [each for each in found if isinstance(each, Range)]
        return (
            np.array([each.low for each in ranges], dtype=float),
            np.array([each.high for each in ranges], dtype=float),
            np.array([each.missing for each in ranges], dtype=bool),
        )
    held = np.zeros((len(found), len(axis.features) + 2), dtype=bool)
    for i, each in enumerate(found):
        if isinstance(each, Categories):
            held[i, list(each.places)] = True
    return (held,)


def _without_side(axis: Axis, allowed: AdmissibleValues, side: str | int) -> AdmissibleValues:
    if side == "all":
        return axis.everything
    wider = allowed.wider()
    return wider[int(side)] if wider else allowed


def _needed(grown: list[Box], leaves: list[Box]) -> list[Box]:
    """As few of the boxes as hold every leaf, the largest first; in their first order."""
    held = [{i for i, leaf in enumerate(leaves) if holds(box, leaf)} for box in grown]
    kept: list[int] = []
    missing = set(range(len(leaves)))
    while missing:
        best = max(
            range(len(grown)), key=lambda i: (len(held[i] & missing), -n_sides(grown[i]), -i)
        )
        kept.append(best)
        missing -= held[best]
    return [grown[i] for i in sorted(kept)]


def holds(box: Box, leaf: Box) -> bool:
    """Whether all rows of a leaf are in a box."""
    # An axis that the leaf leaves free has all its values there.
    return all(axis in leaf and allowed.holds(leaf[axis]) for axis, allowed in box.items())


def n_sides(box: Box) -> int:
    """How many conditions a box is: each bound is one, "known" is, and a list of categories."""
    return sum(allowed.n_sides for allowed in box.values())
