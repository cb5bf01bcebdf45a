"""How well clusters are separated, naively: from the definitions, pair by pair; trees as tuples.

A tree is None, a leaf, or (feature, threshold, left, right). Every neighbour of a tree is written
down and judged by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from agathis._utils.numbers import threshold_between


def silhouette(X, labels, weight=None) -> float:
    """The mean silhouette; weight 2 is the row twice."""
    weight = np.ones(len(X)) if weight is None else weight
    if len(np.unique(labels)) == 1:
        return 0.0
    total = 0.0
    for i in range(len(X)):
        distance = np.sqrt(((X - X[i]) ** 2).sum(axis=1))
        own = labels == labels[i]
        if weight[own].sum() <= 1 + 1e-9:
            continue
        a = weight[own] @ distance[own] / (weight[own].sum() - 1)
        b = min(
            np.average(distance[labels == k], weights=weight[labels == k])
            for k in np.unique(labels)
            if k != labels[i]
        )
        total += weight[i] * (b - a) / max(a, b) if max(a, b) > 0 else 0.0
    return total / weight.sum()


def dunn(X, labels, weight=None) -> float:
    """Least distance between clusters over the largest within one."""
    if len(np.unique(labels)) == 1:
        return 0.0
    apart, wide = np.inf, 0.0
    for i in range(len(X)):
        for j in range(i):
            distance = np.sqrt(((X[i] - X[j]) ** 2).sum())
            if labels[i] == labels[j]:
                wide = max(wide, distance)
            else:
                apart = min(apart, distance)
    if apart == 0.0:
        return 0.0
    return apart / wide if wide > 0 else np.inf


CRITERIA = {"silhouette": silhouette, "dunn": dunn}


def as_tuples(tree, node=0):
    """A fitted tree as nested tuples."""
    if tree.children_left[node] < 0:
        return None
    return (
        int(tree.feature[node]),
        float(tree.threshold[node]),
        as_tuples(tree, tree.children_left[node]),
        as_tuples(tree, tree.children_right[node]),
    )


def leaf_of(tree, x, path=()) -> tuple:
    """The leaf of one row, as the turns on the way to it."""
    if tree is None:
        return path
    feature, threshold, left, right = tree
    turn = int(x[feature] > threshold)
    return leaf_of((left, right)[turn], x, (*path, turn))


def leaves(tree, path=()) -> Iterator[tuple]:
    if tree is None:
        yield path
        return
    yield from leaves(tree[2], (*path, 0))
    yield from leaves(tree[3], (*path, 1))


def cuts(X) -> Iterator[tuple[int, float]]:
    """Every cut between values that some rows have."""
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature]).tolist()
        for low, high in pairwise(values):
            yield feature, threshold_between(low, high)


def neighbours(tree, X) -> Iterator:
    """Every tree that one move makes of a tree of X."""
    if tree is None:
        for cut in cuts(X):
            yield (*cut, None, None)
        return
    feature, threshold, left, right = tree
    for cut in cuts(X):
        yield (*cut, left, right)
    yield from (left, right, None)
    goes_left = X[:, feature] <= threshold
    for new in neighbours(left, X[goes_left]):
        yield (feature, threshold, new, right)
    for new in neighbours(right, X[~goes_left]):
        yield (feature, threshold, left, new)


def gaps(tree, X) -> Iterator[tuple[tuple[int, float], tuple[float, float]]]:
    """Of each cut of a tree the two values of its rows that it lies between."""
    if tree is None:
        return
    feature, threshold, left, right = tree
    goes_left = X[:, feature] <= threshold
    yield (feature, threshold), (X[goes_left, feature].max(), X[~goes_left, feature].min())
    yield from gaps(left, X[goes_left])
    yield from gaps(right, X[~goes_left])


def in_gaps(tree, X, known) -> bool:
    """Whether rows came to a cut that lie between the values that it was known to lie between.

    A tree tells of such a cut only that it lies somewhere there, not on which side of these rows.
    """
    if tree is None:
        return False
    feature, threshold, left, right = tree
    low, high = known.get((feature, threshold), (threshold, threshold))
    values = X[:, feature]
    if ((values > low) & (values < high)).any():
        return True
    goes_left = values <= threshold
    return in_gaps(left, X[goes_left], known) or in_gaps(right, X[~goes_left], known)


def judged(tree, X, weight, criterion, n_clusters, max_depth, least) -> float:
    """The criterion of a tree, -inf where it does not keep the limits."""
    paths = list(leaves(tree))
    if len(paths) > n_clusters or max(map(len, paths)) > max_depth:
        return -np.inf
    found = [leaf_of(tree, x) for x in X]
    labels = np.array([paths.index(path) for path in found])
    size = np.bincount(labels, weight, minlength=len(paths))
    if len(set(found)) < len(paths) or (least > 1 and size.min() < least):
        return -np.inf
    return CRITERIA[criterion](X, labels, weight)
