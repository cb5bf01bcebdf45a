"""Initial trees of the local search from KMeans clusters.

Each run of KMeans gives up to three trees: one with splits between centres
(:class:`~agathis.baselines.ExShallow`), one grown greedily on points replaced by their centres, and
a surrogate tree of the clusters (:class:`~agathis.baselines.KMeansTree`). The first and the last
need numeric columns without missing values.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from agathis._core.centres.distances import distances, nearest
from agathis._core.centres.minimum_loss import minimum_loss
from agathis._core.centres.splits import SHARE, CentreSplits
from agathis._core.search.mutable_tree import MutableTree
from agathis._growth.limits import Limits
from agathis._objective.objective import cluster_sums
from agathis._search.local.improvement import LocalImprovement
from agathis._search.local.surrogate_tree import surrogate_tree
from agathis._search.rows import SearchRows
from agathis._search.tuning import DEPTH_FACTOR, MAX_ITERATIONS
from agathis._trees.builder import TreeBuilder


def kmeans(rows: SearchRows, n_clusters: int, random: np.random.RandomState) -> np.ndarray:
    """Clusters of one run of KMeans, numbered consecutively."""
    points, weight = rows.points, rows.weight
    centres = points[_first_rows(points, weight, n_clusters, random)]
    labels = np.full(len(points), -1, dtype=np.intp)
    for _ in range(MAX_ITERATIONS):
        near, sums, sizes = nearest(points, weight, centres)
        if np.array_equal(near, labels):
            break
        labels, used = near, sizes > 0
        if not used.all():
            labels = (np.cumsum(used) - 1)[labels]
        centres = sums[used] / sizes[used, None]
    return labels


def _first_rows(
    points: np.ndarray, weight: np.ndarray, count: int, random: np.random.RandomState
) -> list[int]:
    """Initial centres by greedy k-means++."""
    square = np.einsum("ij,ij->i", points, points)
    trials = 2 + int(np.log(count))
    chosen = [_drawn(weight, 1, random)[0]]
    nearest = _apart(points, square, chosen)[:, 0]
    while len(chosen) < count:
        share = weight * nearest
        if not share.sum() > 0:
            break
        rows = _drawn(share, trials, random)
        apart = np.minimum(_apart(points, square, rows), nearest[:, None])
        best = int(np.argmin(weight @ apart))
        chosen.append(rows[best])
        nearest = apart[:, best]
    return chosen


def _drawn(share: np.ndarray, count: int, random: np.random.RandomState) -> list[int]:
    """Sample rows with probabilities proportional to their share.

    Each row has an exponential arrival time, and the first to arrive is sampled. Unlike sampling
    from a running total, small changes of the shares nearly always give the same row.
    """
    times = np.full((count, len(share)), np.inf)
    np.divide(random.standard_exponential(times.shape), share, out=times, where=share > 0)
    return np.argmin(times, axis=1).tolist()


def _apart(points: np.ndarray, square: np.ndarray, rows: list[int]) -> np.ndarray:
    """Squared distances to some rows."""
    apart = square[:, None] - 2 * (points @ points[rows].T) + square[rows]
    apart[rows, np.arange(len(rows))] = 0.0
    return np.maximum(apart, 0.0, out=apart)


def means(points: np.ndarray, weight: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Weighted means of clusters, summed in the order of the rows."""
    size = np.bincount(labels, weight)
    return cluster_sums(points, labels, weight, len(size)) / size[:, None]


def centre_tree(
    X: np.ndarray,
    weight: np.ndarray,
    centres: np.ndarray,
    distance: np.ndarray,
    depth_factor: float,
    threads: int,
) -> TreeBuilder:
    """Split between centres at the lowest cost, until each leaf has one centre.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    weight : ndarray of shape (n_rows,)
    centres : ndarray of shape (n_centres, n_columns)
        The coordinates of the centres in the columns.
    distance : ndarray of shape (n_rows, n_centres)
        The cost of assigning a row to a centre.
    depth_factor : float
        The penalty per level of depth, as a fraction of the cost of the node.
    threads : int
    """
    builder = TreeBuilder()
    splits = CentreSplits(X, weight, centres, threads)
    free = np.zeros((2, X.shape[1]), dtype=np.uint8)
    waiting = deque([(0, 0, np.arange(len(centres)), free)])
    while waiting:
        node, leaf_index, some, on_path = waiting.popleft()
        split = None
        if len(some) > 1:
            split = minimum_loss(splits, leaf_index, some, distance, on_path, depth_factor)
        if split is None:
            rows = splits.samples(leaf_index)
            total = weight[rows] @ distance[np.ix_(rows, some)]
            minimum = total.min()
            builder.cluster[node] = int(some[np.argmax(total <= minimum + SHARE * minimum)])
            continue
        feature, threshold = split
        children = builder.cut(node, feature, threshold)
        leaf_indices = leaf_index, splits.split(leaf_index, feature, threshold)
        goes_left = centres[some, feature] <= threshold
        for side, of_side in enumerate((goes_left, ~goes_left)):
            path = on_path.copy()
            path[side, feature] = 1
            waiting.append((children[side], leaf_indices[side], some[of_side], path))
    return builder


def shallow_start(rows: SearchRows, labels: np.ndarray, threads: int) -> TreeBuilder | None:
    """The tree with splits between centres; ``None`` unless all columns are numeric."""
    if not _all_numbers(rows):
        return None
    X = np.ascontiguousarray(rows.values.T)
    distance = distances(rows.points, means(rows.points, rows.weight, labels), threads)
    centres = means(X, rows.weight, labels)
    builder = centre_tree(X, rows.weight, centres, distance, DEPTH_FACTOR, threads)
    return _of_the_data(builder, rows)


def surrogate_start(
    rows: SearchRows, labels: np.ndarray, limits: Limits, random: np.random.RandomState
) -> TreeBuilder | None:
    """The surrogate tree of clusters; ``None`` unless all columns are numeric."""
    if not _all_numbers(rows):
        return None
    X = np.ascontiguousarray(rows.values.T)
    min_fraction = limits.min_leaf / float(rows.weight.sum())
    depth = limits.max_depth
    if depth == 0 or limits.max_leaves < 2:
        min_fraction = 1.0
    builder = surrogate_tree(X, rows.weight, labels, limits.max_leaves, depth, min_fraction, random)
    return _of_the_data(builder, rows)


def _all_numbers(rows: SearchRows) -> bool:
    return not (rows.n_category_groups or rows.n_columns == 0 or (rows.present < rows.n).any())


def _of_the_data(builder: TreeBuilder, rows: SearchRows) -> TreeBuilder:
    """Convert indices of searched columns into those of the data."""
    builder.feature = [int(rows.columns[f]) if f >= 0 else f for f in builder.feature]
    return builder


def centred_start(
    rows: SearchRows, labels: np.ndarray, limits: Limits, threads: int
) -> MutableTree:
    """A tree grown on points replaced by their centres, its leaves in their majority clusters."""
    centres = means(rows.points, rows.weight, labels)
    stand_in = rows.with_points(centres[labels])
    max_leaves = limits.max_leaves
    grown = MutableTree(stand_in, max_leaves, max_leaves, threads)
    LocalImprovement(grown, limits, only_found=True).grow()
    mutable_tree = MutableTree(rows, max_leaves, limits.n_clusters, threads)
    waiting = [(0, 0)]
    while waiting:
        node, leaf = waiting.pop()
        if grown.is_leaf(node):
            ids = grown.leaf_rows(node)
            mutable_tree.assign(leaf, int(np.bincount(labels[ids], rows.weight[ids]).argmax()))
            continue
        children = mutable_tree.cut(leaf, grown.condition_of(node), 0, 0)
        waiting += zip(grown.children(node), children, strict=True)
    return mutable_tree
