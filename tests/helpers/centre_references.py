"""IMM, ExKMC, ExShallow and RDM as one would write them down, without a thought of speed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from agathis._trees.builder import TreeBuilder
from agathis._utils.numbers import threshold_between

# A cut is better where it is better by more than rounding.
SHARE = 1e-11


def squared(X, centres):
    return np.array([[np.sum((x - c) ** 2) for c in centres] for x in X])


def used_centres(X, centres):
    """The centres that have rows, and the place of each row's nearest among them."""
    nearest = np.argmin(squared(X, centres), axis=1)
    used = np.unique(nearest)
    return centres[used], np.searchsorted(used, nearest)


def splits_between(X, centres):
    """Every candidate cut: by feature, then by threshold."""
    for f in range(X.shape[1]):
        values = np.unique(np.concatenate([X[:, f], centres[:, f]]))
        for low, high in pairwise(values):
            if low >= centres[:, f].min() and high <= centres[:, f].max():
                yield f, threshold_between(float(low), float(high))


def imm(X, weight, centres, own):
    """The tree, and the rows of its leaves."""
    sketch, leaves = TreeBuilder(), {}
    waiting = [(0, np.arange(len(X)), np.arange(len(X)))]
    while waiting:
        node, rows, kept = waiting.pop(0)
        present = np.unique(own[kept])
        best, fewest = None, np.inf
        for f, t in splits_between(X[kept], centres[present]):
            stays = (X[kept, f] <= t) == (centres[own[kept], f] <= t)
            left, right = kept[stays & (X[kept, f] <= t)], kept[stays & (X[kept, f] > t)]
            mistakes = weight[kept[~stays]].sum()
            slack = SHARE * weight[kept].sum()
            if len(left) and len(right) and mistakes < fewest - (best is not None) * slack:
                best, fewest = (f, t, left, right), mistakes
        if best is None:
            held = [weight[kept[own[kept] == c]].sum() for c in present]
            sketch.cluster[node] = int(present[np.argmax(held)])
            leaves[node] = rows
            continue
        f, t, *sides = best
        children = sketch.cut(node, f, t)
        for child, side, goes in zip(children, sides, (True, False), strict=True):
            waiting.append((child, rows[(X[rows, f] <= t) == goes], side))
    return sketch, leaves


def exkmc(X, weight, centres, own, most, from_imm):
    sketch, leaves = (
        imm(X, weight, centres, own) if from_imm else (TreeBuilder(), {0: np.arange(len(X))})
    )
    distance = squared(X, centres) * weight[:, None]

    def cost(rows):
        return distance[rows].sum(axis=0).min()

    def centre(rows):
        total = distance[rows].sum(axis=0)
        return int(np.flatnonzero(total <= total.min() * (1 + SHARE))[0])

    def best_cut(rows):
        best, least = None, cost(rows)
        slack = SHARE * least
        for f in range(X.shape[1]):
            values = np.unique(X[rows, f])
            for low, high in pairwise(values):
                left = X[rows, f] <= low
                both = cost(rows[left]) + cost(rows[~left])
                if both < least - slack:
                    best, least = (f, threshold_between(float(low), float(high)), left), both
        return cost(rows) - least, best, slack

    for node, rows in leaves.items():
        sketch.cluster[node] = centre(rows)
    while len(leaves) < most:
        best, largest, most_slack = None, 0.0, 0.0
        for node in sorted(leaves):
            drop, cut, slack = best_cut(leaves[node])
            if cut and drop > largest + max(slack, most_slack):
                best, largest, most_slack = (node, cut), drop, slack
        if best is None:
            break
        node, (f, t, left) = best
        rows = leaves.pop(node)
        for child, side in zip(sketch.cut(node, f, t), (rows[left], rows[~left]), strict=True):
            leaves[child] = side
            sketch.cluster[child] = centre(side)
    return sketch


def depth_to_come(share, n_left, n):
    """Mean depth of rows in a tree that is cut in the same proportions all the way down."""

    def depth(size):
        if size == 1:
            return 0.0
        left = min(max(int(np.floor(n_left * size / n + 0.5)), 1), size - 1)
        return 1 + share * depth(left) + (1 - share) * depth(size - left)

    return depth(n)


def shallow(X, weight, centres, depth_factor):
    sketch, distance = TreeBuilder(), squared(X, centres)
    waiting = [(0, np.arange(len(X)), np.arange(len(centres)), frozenset())]
    while waiting:
        node, rows, present, path = waiting.pop(0)
        near = distance[np.ix_(rows, present)]
        share = weight[rows]
        before = share @ near.min(axis=1)
        losses = share[:, None] * (near - near.min(axis=1, keepdims=True))
        scale = before if before > 0 else 1e-13 * losses.min(initial=1.0, where=losses > 0)
        best, least = None, np.inf
        for f, t in splits_between(X[rows], centres[present]):
            left, centre_left = X[rows, f] <= t, centres[present, f] <= t
            if left.all() or not left.any():
                continue
            sides = np.where(
                left, near[:, centre_left].min(axis=1), near[:, ~centre_left].min(axis=1)
            )
            lost = share @ (sides - near.min(axis=1))
            price = (lost if lost > 1e-14 * before else 0.0) / scale
            p = share[left].sum() / share.sum()
            depth = depth_to_come(p, int(centre_left.sum()), len(present))
            known = p * ((f, "left") in path) + (1 - p) * ((f, "right") in path)
            price += depth_factor * (depth - known)
            if best is None or price < least - SHARE * (1 + abs(least)):
                best, least = (f, t, left, centre_left), price
        if best is None:
            total = share @ near
            first = np.flatnonzero(total <= total.min() * (1 + SHARE))[0]
            sketch.cluster[node] = int(present[first])
            continue
        f, t, left, centre_left = best
        children = sketch.cut(node, f, t)
        waiting.append((children[0], rows[left], present[centre_left], path | {(f, "left")}))
        waiting.append((children[1], rows[~left], present[~centre_left], path | {(f, "right")}))
    return sketch


def places(values, X):
    """Where values stand by RDM, of the centres' values along a feature and of any others."""
    values = np.unique(values)
    at = [0.0]
    for low, high in pairwise(values):
        at.append(at[-1] + (high - low) ** 2 / 2)
    near = [int(np.argmin(np.abs(values - x))) for x in X]
    return np.array(
        [
            at[j] + np.sign(x - values[j]) * (x - values[j]) ** 2
            for x, j in zip(X, near, strict=True)
        ]
    )


def rdm(X, centres, numbers):
    """Each node takes the next number, a node without rows too; the left side comes first."""
    numbers, d = iter(numbers), X.shape[1]
    rows_at = np.stack([places(centres[:, f], X[:, f]) for f in range(d)], axis=1)
    centres_at = np.stack([places(centres[:, f], centres[:, f]) for f in range(d)], axis=1)

    def value(f, place):
        low, high = centres[:, f].min(), centres[:, f].max()
        for _ in range(80):
            middle = (low + high) / 2
            if places(centres[:, f], [middle])[0] <= place:
                low = middle
            else:
                high = middle
        return low

    def grow(rows, present):
        if len(present) == 1:
            return int(present[0])
        low, high = centres_at[present].min(axis=0), centres_at[present].max(axis=0)
        rest = next(numbers) * sum(high - low)
        f = 0
        while rest >= high[f] - low[f]:
            rest -= high[f] - low[f]
            f += 1
        place = low[f] + rest
        left, centre_left = rows_at[rows, f] <= place, centres_at[present, f] <= place
        below = grow(rows[left], present[centre_left])
        above = grow(rows[~left], present[~centre_left])
        if left.all():
            return below
        return (f, value(f, place), below, above) if left.any() else above

    sketch = TreeBuilder()
    waiting = [(0, grow(np.arange(len(X)), np.arange(len(centres))))]
    while waiting:
        node, part = waiting.pop(0)
        if isinstance(part, int):
            sketch.cluster[node] = part
        else:
            f, t, *sides = part
            waiting.extend(zip(sketch.cut(node, f, t), sides, strict=True))
    return sketch
