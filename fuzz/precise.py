"""A growth looked at from outside, in numbers of 64 binary digits: what each cut could have gained.

The kernel is computed anew from the rows, the objective is summed anew from its definition for
every candidate, and no formula for a gain is here. Rows are few, so all candidates of a step
are one array of labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from helpers import reference
from helpers.invariants import route

Long = np.longdouble
EPS = float(np.finfo(np.float64).eps)
#: The least number there is: what a product may be off by, twice, that is too small for its digits.
LEAST = 2.0**-1074


class Rounding(NamedTuple):
    """What the documentation calls rounding: see docs/developers/rounding.md.

    ``spread`` is the inertia of all rows, ``lost`` the weighted sum of the kernel's diagonal,
    ``written`` what the data were rounded by when they were written, as a share.
    """

    n_rows: int
    n_columns: int
    weight: float
    spread: float
    lost: float
    written: float

    @property
    def tolerance(self) -> float:
        """Gains that differ by no more are the same to an engine, and so little is no gain."""
        share = 2048 * EPS + 4 * self.written
        return max(share * self.spread + 16 * EPS * self.lost, LEAST)  # never nothing

    def off(self, least: np.ndarray) -> np.ndarray:
        """How far gains may be off, by the weight of the lightest cluster before or after a cut."""
        amplified = self.weight / least
        sums = np.maximum(1024.0, 7.5 * self.n_rows * amplified) * EPS + 2 * self.written
        values = np.maximum(8.0, 5 * amplified) * EPS
        products = 2 * self.n_columns * self.weight**2 + self.n_rows**2
        tiny = 2.5 * LEAST * (products / least + 1)
        return sums * self.spread + values * self.lost + tiny


class Growth(NamedTuple):
    """What was gained and what could have been.

    ``gained`` has a number for each cut, ``off`` how far what is told of it may be off, ``missed``
    by how much more a candidate gained than the two may be off, and ``left`` is the most that was
    left at the end, where the limits let growth go on, less what it may be off.
    """

    gained: np.ndarray
    off: np.ndarray
    missed: np.ndarray
    left: float


def distance_form(X: np.ndarray, kernel: str, gamma: float | None) -> np.ndarray:
    """Minus half the squared distances between rows in the kernel's space."""
    X = X.astype(Long)
    if kernel == "cosine":
        most = np.abs(X).max(axis=1, keepdims=True)
        X = X / np.where(most > 0, most, 1)
        length = np.sqrt((X * X).sum(axis=1, keepdims=True))
        X = X / np.where(length > 0, length, 1)
    apart = X[:, None, :] - X[None, :, :]
    gamma = Long(1) / X.shape[1] if gamma is None else Long(gamma)
    if kernel == "laplacian":
        return np.expm1(-gamma * np.abs(apart).sum(axis=2))
    squared = (apart * apart).sum(axis=2)
    if kernel == "rbf":
        return np.expm1(-gamma * squared)
    return -squared / 2


def with_means(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Missing values at the mean of their column, as the kernel sees them; 0 if all are missing."""
    known = ~np.isnan(X)
    if known.all():
        return X
    shares = known * (np.ones(len(X)) if weight is None else weight)[:, None].astype(Long)
    total = shares.sum(axis=0)
    mean = (shares * np.where(known, X, 0)).sum(axis=0) / np.where(total > 0, total, 1)
    return np.where(known, X, mean.astype(float))


def of_matrix(gram: np.ndarray) -> np.ndarray:
    half = np.diag(gram).astype(Long) / 2
    return gram.astype(Long) - half[:, None] - half[None, :]


def objectives(
    form: np.ndarray, weight: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The objective of each row of labels, and the weight of its lightest cluster."""
    total = np.zeros(len(labels), dtype=Long)
    least = np.full(len(labels), np.inf)
    for k in range(int(labels.max(initial=0)) + 1):
        member = np.where(labels == k, weight, 0).astype(Long)
        size = member.sum(axis=1)
        kernel_sum = ((member @ form) * member).sum(axis=1)
        total += np.where(size > 0, kernel_sum / np.where(size > 0, size, 1), 0)
        least = np.where(size > 0, np.minimum(least, size), least)
    return total, least.astype(float)


def growth(
    tree,
    X: np.ndarray,
    sides: np.ndarray,
    form: np.ndarray,
    weight: np.ndarray,
    n_clusters: int,
    limits: dict,
    rounding: Rounding,
) -> Growth:
    """Follow a tree cut by cut; all rows count, and ``sides`` are those that a split sends left."""

    def gains(labels: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each of some labels gains, and how far that may be off."""
        reached, least = objectives(form, weight, after)
        before, least_before = objectives(form, weight, labels[None])
        return reached - before[0], rounding.off(np.minimum(least, least_before[0]))

    passes = route(tree, X)
    inner = np.flatnonzero(tree.children_left >= 0)
    cuts = inner[np.argsort(tree.children_left[inner])]
    leaf_of = np.zeros(len(X), dtype=np.intp)
    labels = np.zeros(len(X), dtype=np.intp)
    gained, off, missed, leaves = [], [], [], 1
    for node in cuts.tolist():
        found = _candidates(tree, sides, leaf_of, labels, weight, n_clusters, limits)
        after = labels.copy()
        for child in (tree.children_left[node], tree.children_right[node]):
            after[passes[:, child]] = tree.cluster[child]
            leaf_of[passes[:, child]] = child
        each, each_off = gains(labels, np.vstack([after[None], found]))
        gained.append(float(each[0]))
        off.append(float(each_off[0]))
        missed.append(float((each - each_off).max() - (each[0] + each_off[0])))
        labels = after
        leaves += 1
    left = 0.0
    if leaves < min(len(X), limits.get("max_leaf_nodes") or len(X)):
        found = _candidates(tree, sides, leaf_of, labels, weight, n_clusters, limits)
        if len(found):
            each, each_off = gains(labels, found)
            left = float((each - each_off).max())
    return Growth(np.array(gained), np.array(off), np.array(missed), left)


def _candidates(tree, sides, leaf_of, labels, weight, n_clusters: int, limits: dict) -> np.ndarray:
    """The labels after each cut and move that the limits allow, a row each."""
    out = []
    present = int(labels.max()) + 1
    least = limits.get("min_samples_leaf", 1)
    for leaf in np.unique(leaf_of).tolist():
        inside = leaf_of == leaf
        size = weight[inside].sum()
        if limits.get("max_depth") is not None and tree.depth[leaf] >= limits["max_depth"]:
            continue
        if limits.get("min_samples_split", 2) > 2 and size < limits["min_samples_split"]:
            continue
        own = int(labels[inside][0])
        whole = np.array_equal(inside, labels == own)
        moves = list(reference.moves(own, present, n_clusters, whole))
        seen = set()
        for side in sides:
            left, right = inside & side, inside & ~side
            key = left.tobytes()
            if key in seen or not left.any() or not right.any():
                continue
            seen |= {key, right.tobytes()}
            if least > 1 and min(weight[left].sum(), weight[right].sum()) < least:
                continue
            for _, a, b in moves:
                after = labels.copy()
                after[left] = a
                after[right] = b
                out.append(after)
    return np.array(out).reshape(-1, len(labels))


def inertia(form: np.ndarray, weight: np.ndarray) -> float:
    """Of all rows: the sum of weighted squared distances over twice the weight."""
    weight = weight.astype(Long)
    return float(weight @ np.abs(form) @ weight / weight.sum())
