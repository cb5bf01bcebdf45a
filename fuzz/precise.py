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


class Growth(NamedTuple):
    """What was gained and what could have been.

    ``gained`` has a number for each cut, ``best`` the most that could have been gained there, and
    ``left`` is the most that was left at the end, where the limits let growth go on.
    """

    gained: np.ndarray
    best: np.ndarray
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


def of_matrix(gram: np.ndarray) -> np.ndarray:
    half = np.diag(gram).astype(Long) / 2
    return gram.astype(Long) - half[:, None] - half[None, :]


def objectives(form: np.ndarray, weight: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The objective of each row of labels."""
    total = np.zeros(len(labels), dtype=Long)
    for k in range(int(labels.max()) + 1):
        member = np.where(labels == k, weight, 0).astype(Long)
        size = member.sum(axis=1)
        stock = ((member @ form) * member).sum(axis=1)
        total += np.where(size > 0, stock / np.where(size > 0, size, 1), 0)
    return total


def growth(
    tree, X: np.ndarray, form: np.ndarray, weight: np.ndarray, n_clusters: int, limits: dict
) -> Growth:
    """Follow a tree cut by cut; all rows count."""
    passes = route(tree, X)
    inner = np.flatnonzero(tree.children_left >= 0)
    cuts = inner[np.argsort(tree.children_left[inner])]
    leaf_of = np.zeros(len(X), dtype=np.intp)
    labels = np.zeros(len(X), dtype=np.intp)
    gained, best, leaves = [], [], 1
    for node in cuts.tolist():
        before = objectives(form, weight, labels[None])[0]
        found = _candidates(tree, X, leaf_of, labels, weight, n_clusters, limits)
        after = labels.copy()
        for child in (tree.children_left[node], tree.children_right[node]):
            after[passes[:, child]] = tree.cluster[child]
            leaf_of[passes[:, child]] = child
        gains = objectives(form, weight, np.vstack([after[None], found])) - before
        gained.append(float(gains[0]))
        best.append(float(gains.max()))
        labels = after
        leaves += 1
    left = 0.0
    if leaves < min(len(X), limits.get("max_leaf_nodes") or len(X)):
        found = _candidates(tree, X, leaf_of, labels, weight, n_clusters, limits)
        if len(found):
            before = objectives(form, weight, labels[None])[0]
            left = float((objectives(form, weight, found) - before).max())
    return Growth(np.array(gained), np.array(best), left)


def _candidates(tree, X, leaf_of, labels, weight, n_clusters: int, limits: dict) -> np.ndarray:
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
        for feature in range(X.shape[1]):
            for value in np.unique(X[inside, feature])[:-1].tolist():
                left = inside & (X[:, feature] <= value)
                key = left.tobytes()
                if key in seen:
                    continue
                seen.add(key)
                right = inside & ~left
                if least > 1 and min(weight[left].sum(), weight[right].sum()) < least:
                    continue
                for _, a, b in moves:
                    after = labels.copy()
                    after[left] = a
                    after[right] = b
                    out.append(after)
    return np.array(out).reshape(-1, len(X))


def tolerance(
    form: np.ndarray,
    weight: np.ndarray,
    lost: float = 0.0,
    rounding: float = 0.0,
    amplified: float = 1.0,
) -> float:
    """What the documentation calls rounding: see docs/algorithm.md, Ties."""
    weight = weight.astype(Long)
    scale = float(weight @ np.abs(form) @ weight / weight.sum())
    sums = max(2048.0, 2 * amplified) * EPS
    return (sums + 4 * rounding) * scale + max(16.0, 2 * amplified) * EPS * lost
