"""The best of all trees, by trying every one of them: a reference implementation for the searches.

Nothing of the package is used. A split is the set of samples that it sends left, of all samples;
within a node it sends left what the node has of them. So the nodes of all trees are the sets that
the splits make of one another, and the best tree is found set by set:

- :func:`left_sides` lists all splits: every threshold of a column, with its missing values (NaN) on
  either side, these alone on one side, and any two sets of the categories of a group, where "no
  category" and "category missing" are categories like others;
- :func:`minimum_cost` is the least cost over all trees with one leaf per cluster and within the
  limits on leaves, depth, and the weight of leaves and of nodes that are split;
- :func:`minimum_cost_of_joined_leaves` is the same for trees whose leaves may share a cluster;
- :func:`minimum_cost_of_segments` is the first of these for one ordered column of many samples.

The cost of a cluster is the weighted sum of squared distances between its samples over twice its
weight: minus ``weight @ form @ weight / weight.sum()``, with ``form`` minus half the squared
distances (``precise.py``). It may be negative where the kernel is indefinite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import numpy as np

#: Weights that differ by less than this fraction of all of it may be on either side of a limit.
ROUNDING = 4e-12


class Borderline(Exception):
    """A set weighs so nearly what a limit says that rounding decides."""


def left_sides(
    X: np.ndarray, groups: Sequence[Sequence[int]] = (), columns: Sequence[int] | None = None
) -> np.ndarray:
    """The samples that each split sends left, one row per split, without equivalent ones.

    ``groups`` are columns of one-hot categories, ``columns`` those that may be split on.
    """
    columns = range(X.shape[1]) if columns is None else columns
    grouped = {column for group in groups for column in group}
    sides: list[np.ndarray] = []
    for column in columns:
        if column in grouped:
            continue
        missing = np.isnan(X[:, column])
        below = [X[:, column] <= value for value in np.unique(X[~missing, column])]
        sides += below
        sides += [side | missing for side in below]
        sides.append(missing)
    for group in groups:
        if group[0] not in columns:
            continue
        part = X[:, list(group)]
        category = np.where((part > 0).any(axis=1), np.argmax(part > 0, axis=1), len(group))
        category = np.where(np.isnan(part[:, 0]), -1, category)
        first, *others = np.unique(category).tolist()
        # The side of the first category is called left: the other one is its complement.
        for size in range(len(others)):
            for some in combinations(others, size):
                sides.append(np.isin(category, [first, *some]))
    unique = {}
    for side in sides:
        if side.any() and not side.all():
            unique.setdefault((side if side[0] else ~side).tobytes(), side)
    return np.array(list(unique.values()), dtype=bool).reshape(-1, len(X))


def minimum_cost(
    form: np.ndarray,
    weight: np.ndarray,
    sides: np.ndarray,
    n_leaves: int,
    *,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
) -> float:
    """The least cost of a tree of at most ``n_leaves`` leaves, each a cluster; up to 63 samples.

    Raises :class:`Borderline` where rounding decides whether a set keeps a limit.
    """
    n = len(weight)
    bits = np.uint64(1) << np.arange(n, dtype=np.uint64)
    left = (sides * bits).sum(axis=1, dtype=np.uint64)
    every = bits.sum(dtype=np.uint64)
    sets = newest = np.array([every])
    for _ in range(n_leaves - 1):
        parts = np.concatenate([newest[:, None] & left, newest[:, None] & ~left], axis=None)
        newest = np.setdiff1d(parts, np.append(sets, np.uint64(0)))
        sets = np.union1d(sets, newest)
    member = (sets[:, None] & bits) > 0
    single = _costs(form, weight, member)
    size = member @ weight
    root = len(sets) - 1  # the set of all samples is the largest number
    is_leaf = _keeps(size, min_samples_leaf, 1, weight)
    may_split = _keeps(size, min_samples_split, 2, weight)
    is_leaf[root] = True
    single[~is_leaf] = np.inf
    # Children that are empty, or that no tree of so few leaves has, are at no cost that counts.
    children = [sets[:, None] & left, sets[:, None] & ~left]
    known = [np.minimum(np.searchsorted(sets, child), root) for child in children]
    lacks = np.logical_or(*(sets[at] != child for at, child in zip(known, children, strict=True)))
    known = [np.where(lacks, len(sets), at) for at in known]
    depth = n_leaves - 1 if max_depth is None else min(max_depth, n_leaves - 1)
    single = np.append(single, np.inf)
    # best[k - 1] is the cost of each set with at most k leaves and so many levels below it.
    best = [single] * n_leaves
    # Without a limit on the depth, trees of fewer leaves are all that a tree is made of.
    free = depth == n_leaves - 1
    for _ in range(min(depth, 1) if free else depth):
        deeper = [single]
        below = deeper if free else best
        for k in range(2, n_leaves + 1):
            reached = deeper[-1].copy()
            for a in range(1, k):
                cost = below[a - 1][known[0]] + below[k - a - 1][known[1]]
                least = np.where(may_split, cost.min(axis=1, initial=np.inf), np.inf)
                reached[:-1] = np.minimum(reached[:-1], least)
            deeper.append(reached)
        best = deeper
    return float(best[-1][root])


def _costs(form: np.ndarray, weight: np.ndarray, member: np.ndarray) -> np.ndarray:
    weighted = member * weight.astype(form.dtype)
    return -(((weighted @ form) * weighted).sum(axis=1) / weighted.sum(axis=1)).astype(float)


def _keeps(size: np.ndarray, limit: int, default: int, weight: np.ndarray) -> np.ndarray:
    """Which sets weigh as much as a limit says, whose default limits nothing."""
    if limit == default:
        return np.ones(len(size), dtype=bool)
    apart = np.abs(size - limit)
    if np.any((apart > 0) & (apart < ROUNDING * weight.sum())):
        raise Borderline
    return size >= limit


def minimum_cost_of_joined_leaves(
    form: np.ndarray,
    weight: np.ndarray,
    sides: np.ndarray,
    n_leaves: int,
    n_clusters: int,
    *,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
) -> float:
    """The least cost of a tree whose leaves are in ``n_clusters`` clusters at most; few samples."""
    n = len(weight)
    masks = [int(sum(1 << i for i in np.flatnonzero(side))) for side in sides]
    number = np.arange(1 << n)
    member = (number[:, None] >> np.arange(n) & 1).astype(bool)
    size = member @ weight
    is_leaf = _keeps(size, min_samples_leaf, 1, weight)
    may_split = _keeps(size, min_samples_split, 2, weight)
    cost = np.append(0.0, _costs(form, weight, member[1:]))

    @cache
    def leaves(node: int, most: int, depth: int) -> frozenset[frozenset[int]]:
        """The leaves of each tree of a node."""
        out = {frozenset([node])} if is_leaf[node] or node == len(number) - 1 else set()
        if most > 1 and depth > 0 and may_split[node]:
            for mask in masks:
                left, right = node & mask, node & ~mask
                if not left or not right:
                    continue
                for some in range(1, most):
                    for one in leaves(left, some, depth - 1):
                        for other in leaves(right, most - some, depth - 1):
                            out.add(one | other)
        return frozenset(out)

    depth = n_leaves - 1 if max_depth is None else max_depth
    seen: dict[frozenset[int], float] = {}
    for some in leaves(len(number) - 1, n_leaves, depth):
        for clusters in _joined(tuple(some), n_clusters):
            seen.setdefault(clusters, float(cost[list(clusters)].sum()))
    return min(seen.values())


def _joined(sets: tuple[int, ...], most: int) -> Iterator[frozenset[int]]:
    """All partitions of disjoint sets into at most so many unions of them."""
    if not sets:
        yield frozenset()
        return
    first, *others = sets
    for clusters in _joined(tuple(others), most):
        if len(clusters) < most:
            yield clusters | {first}
        for cluster in clusters:
            yield clusters - {cluster} | {cluster | first}


def minimum_cost_of_segments(form: np.ndarray, weight: np.ndarray, n_leaves: int) -> float:
    """The least cost of at most ``n_leaves`` segments of samples that come in their order."""
    n = len(weight)
    sums = np.zeros((n + 1, n + 1))
    sums[1:, 1:] = np.cumsum(np.cumsum(weight[:, None] * form * weight, axis=0), axis=1)
    size = np.append(0.0, np.cumsum(weight))
    ends = np.arange(n + 1)
    inside = sums[ends, ends][None, :] - 2 * sums + sums[ends, ends][:, None]
    apart = size[None, :] - size[:, None]
    cost = np.where(apart > 0, -inside / np.where(apart > 0, apart, 1), np.inf)
    best = cost[0]
    for _ in range(n_leaves - 1):
        best = np.minimum(best, (best[:, None] + cost).min(axis=0))
    return float(best[-1])
