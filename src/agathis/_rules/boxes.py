"""Cover the region of a cluster by few boxes with few sides.

A box restricts each axis (:mod:`~agathis._rules.split_axes`) to an interval or some categories,
with or without missing values. The leaves of a tree are disjoint boxes that fill the space. First,
boxes of one cluster are merged if their union is a box. Then each box drops every side that is not
needed to exclude the leaves of other clusters, so that boxes of a cluster may overlap. Last, boxes
whose leaves are covered by others are dropped. So the boxes of a cluster contain its rows and no
others.

Missing values are mentioned only for axes with missing values in training rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from agathis._rules.admissible_values import AdmissibleValues, Categories, Range
from agathis._rules.split_axes import Axis

#: The admissible values of each restricted axis, in the order of the first split on it.
Box = dict[Axis, AdmissibleValues]


def boxes_of(n_clusters: int, leaves: Iterable[tuple[int, Box]]) -> list[list[Box]]:
    """Return for each cluster the boxes that contain its rows and no others.

    Parameters
    ----------
    n_clusters : int
    leaves : iterable of int and Box
        The cluster and the box of each leaf.
    """
    boxes: list[list[Box]] = [[] for _ in range(n_clusters)]
    for cluster, box in leaves:
        # Leaves that no row can reach are omitted.
        if not any(allowed.is_empty for allowed in box.values()):
            boxes[cluster].append(box)
    out = []
    for cluster, of_cluster in enumerate(boxes):
        others_of = _OtherLeaves(
            [box for k, others in enumerate(boxes) if k != cluster for box in others]
        )
        grown = [others_of.grow(box) for box in _join(of_cluster)]
        out.append(_needed(grown, of_cluster))
    return out


def inside(X: np.ndarray, box: Box) -> np.ndarray:
    """Return which rows a box contains."""
    out = np.ones(len(X), dtype=bool)
    for axis, allowed in box.items():
        out &= axis.inside(X, allowed)
    return out


def _join(boxes: list[Box]) -> list[Box]:
    """Merge boxes that differ in one axis, as long as their union is a box."""
    boxes, again = list(boxes), True
    while again:
        again = False
        for axis in dict.fromkeys(axis for box in boxes for axis in box):
            # Boxes that are equal in all other axes.
            alike: dict[frozenset[tuple[Axis, AdmissibleValues]], list[int]] = {}
            for i, box in enumerate(boxes):
                rest = frozenset((other, a) for other, a in box.items() if other is not axis)
                alike.setdefault(rest, []).append(i)
            merged: set[int] = set()
            for indices in alike.values():
                indices.sort(key=lambda i: boxes[i].get(axis, axis.everything).low)
                current = indices[0]
                for i in indices[1:]:
                    one = boxes[current].get(axis, axis.everything)
                    joined = one.union(boxes[i].get(axis, axis.everything))
                    if joined is None:
                        current = i
                        continue
                    boxes[current] = {**boxes[current], axis: joined}
                    merged.add(i)
            again |= bool(merged)
            boxes = [box for i, box in enumerate(boxes) if i not in merged]
    return boxes


class _OtherLeaves:
    """Leaves that boxes must not intersect."""

    def __init__(self, leaves: list[Box]) -> None:
        self.leaves = leaves
        #: The admissible values of these leaves by axis, as arrays.
        self.known: dict[Axis, tuple[np.ndarray, ...]] = {}

    def grow(self, box: Box) -> Box:
        """Drop the sides that the box does not need.

        Sides are dropped in two orders, the first split first and last; the shorter box wins.
        """
        axes = list(box)
        candidates = [
            self._without(box, order, step) for order, step in ((axes, 1), (axes[::-1], -1))
        ]
        return min(candidates, key=n_conditions)

    def _without(self, box: Box, axes: Iterable[Axis], step: int) -> Box:
        box = {axis: allowed for axis, allowed in box.items() if allowed != axis.everything}
        apart = {axis: self._disjoint(axis, allowed) for axis, allowed in box.items()}
        # The number of axes in which each leaf is disjoint from the box; at least one is needed.
        total = sum(apart.values(), np.zeros(len(self.leaves), dtype=np.intp))
        for axis in axes:
            # The axis first, then one bound; which one depends on the order of the axes.
            for side in ("all", 0, 1)[::step]:
                if axis not in box:
                    break
                wider = _without_side(axis, box[axis], side)
                if wider == box[axis]:
                    continue
                now = self._disjoint(axis, wider)
                if (total - apart[axis] + now > 0).all():
                    total += now
                    total -= apart[axis]
                    box[axis], apart[axis] = wider, now
                    if wider == axis.everything:
                        del box[axis]
        return box

    def _disjoint(self, axis: Axis, allowed: AdmissibleValues) -> np.ndarray:
        """Return the leaves that are disjoint from it in this axis."""
        if axis not in self.known:
            values = [leaf.get(axis, axis.everything) for leaf in self.leaves]
            self.known[axis] = _arrays(axis, values)
        if isinstance(allowed, Range):
            low, high, missing = self.known[axis]
            meets = np.maximum(low, allowed.low) < np.minimum(high, allowed.high)
            meets |= missing & allowed.missing
        else:
            assert isinstance(allowed, Categories)
            (covered,) = self.known[axis]
            # UNSEEN and ABSENT, -1 and -2, are the last columns.
            meets = covered[:, list(allowed.indices)].any(axis=1)
        return (~meets).astype(np.intp)


def _arrays(axis: Axis, values: Sequence[AdmissibleValues]) -> tuple[np.ndarray, ...]:
    if isinstance(axis.everything, Range):
        ranges = [each for each in values if isinstance(each, Range)]
        return (
            np.array([each.low for each in ranges], dtype=float),
            np.array([each.high for each in ranges], dtype=float),
            np.array([each.missing for each in ranges], dtype=bool),
        )
    covered = np.zeros((len(values), len(axis.features) + 2), dtype=bool)
    for i, each in enumerate(values):
        if isinstance(each, Categories):
            covered[i, list(each.indices)] = True
    return (covered,)


def _without_side(axis: Axis, allowed: AdmissibleValues, side: str | int) -> AdmissibleValues:
    if side == "all":
        return axis.everything
    wider = allowed.relaxed()
    return wider[int(side)] if wider else allowed


def _needed(grown: list[Box], leaves: list[Box]) -> list[Box]:
    """Return few boxes that contain every leaf, chosen greedily, in the original order."""
    covered = [{i for i, leaf in enumerate(leaves) if contains(box, leaf)} for box in grown]
    chosen: list[int] = []
    missing = set(range(len(leaves)))
    while missing:
        best = max(
            range(len(grown)),
            key=lambda i: (len(covered[i] & missing), -n_conditions(grown[i]), -i),
        )
        chosen.append(best)
        missing -= covered[best]
    return [grown[i] for i in sorted(chosen)]


def contains(box: Box, leaf: Box) -> bool:
    """Return whether a box contains a leaf."""
    # A leaf contains all values of an axis that it does not restrict.
    return all(axis in leaf and allowed.contains(leaf[axis]) for axis, allowed in box.items())


def n_conditions(box: Box) -> int:
    """Return the number of conditions: bounds, "known", and lists of categories."""
    return sum(allowed.n_conditions for allowed in box.values())
