"""Surrogate trees: scikit-learn decision trees fitted to given clusters.

scikit-learn compares values as float32, which merges values that differ only in later digits. The
tree is therefore fitted to ranks, which gives the same splits, and its thresholds are placed
half-way between the float64 values on either side. Used by :class:`~agathis.baselines.KMeansTree`
and as an initial tree of the local search.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from agathis._objective.objective import moderate_weights
from agathis._search.rows import split_between
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import LEAF


def surrogate_tree(
    X: np.ndarray,
    weight: np.ndarray | None,
    labels: np.ndarray,
    max_leaves: int | None,
    max_depth: int | None,
    least: float,
    random: np.random.RandomState,
) -> TreeBuilder:
    """Fit a decision tree to cluster labels.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    weight : ndarray of shape (n_rows,) or None
    labels : ndarray of shape (n_rows,)
    max_leaves, max_depth : int or None
    least : float
        The minimum fraction of the weight in a leaf.
    random : numpy.random.RandomState
        Breaks ties between columns.
    """
    if least > 0.5:  # no split leaves that much on both sides
        builder = TreeBuilder()
        builder.cluster[0] = int(np.argmax(np.bincount(labels, weight)))
        return builder
    ranks = np.empty(X.shape, dtype=np.float32)
    for column in range(X.shape[1]):
        ranks[:, column] = np.unique(X[:, column], return_inverse=True)[1]
    ranks[np.isnan(X)] = np.nan
    # scikit-learn's tolerances are for weights of about 1. Scaling by a power of two is exact, so
    # that ties are the same with weights as with repeated rows.
    share, _ = moderate_weights(weight)
    learned = DecisionTreeClassifier(
        max_leaf_nodes=max_leaves,
        max_depth=max_depth,
        min_weight_fraction_leaf=least,
        random_state=random,
    ).fit(ranks, labels, sample_weight=share)
    return _drawn(learned, X, ranks)


def _drawn(learned: DecisionTreeClassifier, X: np.ndarray, ranks: np.ndarray) -> TreeBuilder:
    """Convert a tree fitted to ranks into one with thresholds between the values of X."""
    builder, nodes = TreeBuilder(), learned.tree_
    queue = deque([(0, 0, np.arange(len(X)))])
    while queue:
        node, source_node, rows = queue.popleft()
        builder.cluster[node] = int(learned.classes_[np.argmax(nodes.value[source_node, 0])])
        if nodes.children_left[source_node] == LEAF:
            continue
        feature = nodes.feature[source_node]
        goes_left = ranks[rows, feature] <= nodes.threshold[source_node]
        if nodes.missing_go_to_left[source_node]:
            goes_left |= np.isnan(ranks[rows, feature])
        sides = rows[goes_left], rows[~goes_left]
        left, right = split_between(builder, node, feature, *(X[side, feature] for side in sides))
        queue.append((left, nodes.children_left[source_node], sides[0]))
        queue.append((right, nodes.children_right[source_node], sides[1]))
    return builder
