"""The best tree with a cluster a leaf, by trying all of them; and trees drawn at random."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations

import numpy as np


def scatter(points: np.ndarray, weight: np.ndarray) -> float:
    """Weighted squared distances to the mean."""
    mean = (weight[:, None] * points).sum(axis=0) / weight.sum()
    return float((weight[:, None] * (points - mean) ** 2).sum())


def minimum_cost(
    points: np.ndarray,
    values: np.ndarray,
    weight: np.ndarray,
    n_leaves: int,
    *,
    min_leaf: float = 0.0,
    min_split: float = 0.0,
    max_depth: int | None = None,
    category: np.ndarray | None = None,
) -> float:
    """What the best tree of at most so many leaves costs."""

    @cache
    def best(taken: tuple[int, ...], leaves: int, depth: int) -> float:
        rows = np.array(taken)
        least = scatter(points[rows], weight[rows])
        if leaves == 1 or depth == 0 or weight[rows].sum() < min_split:
            return least
        for left in cuts(values, rows, category):
            sides = rows[left], rows[~left]
            if min(weight[side].sum() for side in sides) < min_leaf:
                continue
            for n_left in range(1, leaves):
                share = n_left, leaves - n_left
                costs = [best(tuple(sides[i]), share[i], depth - 1) for i in (0, 1)]
                least = min(least, math.fsum(costs))
        return least

    depth = n_leaves if max_depth is None else max_depth
    return best(tuple(range(len(points))), n_leaves, depth)


def cuts(
    values: np.ndarray, rows: np.ndarray, category: np.ndarray | None = None
) -> list[np.ndarray]:
    """Which rows are on the left, for every cut of every column and of every source.

    Missing numbers (NaN) are on either side, or alone on one; of categories any set may be left.
    """
    out = []
    for column in values[rows].T:
        missing = np.isnan(column)
        known = np.unique(column[~missing])
        below = [column <= last for last in known[:-1]]
        out += below
        if missing.any() and len(known):
            out += [*(left | missing for left in below), missing]
    for codes in () if category is None else category[:, rows]:
        present = np.unique(codes)
        for size in range(1, len(present)):
            out += [np.isin(codes, some) for some in combinations(present, size)]
    return out


def random_leaves(values: np.ndarray, n_leaves: int, rng: np.random.Generator) -> np.ndarray:
    """The leaf of each row in a tree of at most so many leaves, cut anywhere."""
    leaf = np.zeros(len(values), dtype=np.intp)
    for new in range(1, n_leaves):
        rows = np.flatnonzero(leaf == rng.integers(new))
        lefts = cuts(values, rows)
        if lefts:
            leaf[rows[~lefts[rng.integers(len(lefts))]]] = new
    return leaf


def cost_of(points: np.ndarray, weight: np.ndarray, labels: np.ndarray) -> float:
    """What a partition costs."""
    parts = [labels == label for label in np.unique(labels)]
    return math.fsum(scatter(points[part], weight[part]) for part in parts)
