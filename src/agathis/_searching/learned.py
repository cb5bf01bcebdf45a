"""A decision tree that learns given clusters: scikit-learn's, drawn with our thresholds.

That one compares values as float32, and rows that differ only beyond its digits cannot be told
apart by it; so it is given the rank of each value in its column instead. A split depends on the
order of the values alone, so the tree is the same, and its thresholds are then put half-way between
the values of the rows on either side, in float64. It is the tree of
:class:`~agathis.rivals.KMeansTree`, and one that a search begins with.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from agathis._partitions.objective import moderate_weights
from agathis._support.numbers import threshold_between
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import LEAF


def learned_tree(
    X: np.ndarray,
    weight: np.ndarray | None,
    labels: np.ndarray,
    max_leaves: int | None,
    max_depth: int | None,
    least: float,
    random: np.random.RandomState,
) -> TreeBuilder:
    """The tree that learns the clusters of some rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Without missing values.
    weight : ndarray of shape (n_rows,) or None
    labels : ndarray of shape (n_rows,)
    max_leaves, max_depth : int or None
    least : float
        Share of the weight that a leaf has at least.
    random : numpy.random.RandomState
        Decides between columns whose cuts are as good.
    """
    if least > 0.5:  # no cut leaves as much on both sides
        sketch = TreeBuilder()
        sketch.cluster[0] = int(np.argmax(np.bincount(labels, weight)))
        return sketch
    ranks = np.empty(X.shape, dtype=np.float32)
    for column in range(X.shape[1]):
        ranks[:, column] = np.unique(X[:, column], return_inverse=True)[1]
    # Its bounds for rounding are for weights of about 1; a power of two leaves all digits, so
    # that splits that tie do so with weights as with repeated rows.
    share, _ = moderate_weights(weight)
    learned = DecisionTreeClassifier(
        max_leaf_nodes=max_leaves,
        max_depth=max_depth,
        min_weight_fraction_leaf=least,
        random_state=random,
    ).fit(ranks, labels, sample_weight=share)
    return _drawn(learned, X, ranks)


def _drawn(learned: DecisionTreeClassifier, X: np.ndarray, ranks: np.ndarray) -> TreeBuilder:
    """A tree that was trained on ranks, with thresholds between the values of X."""
    sketch, nodes = TreeBuilder(), learned.tree_
    queue = deque([(0, 0, np.arange(len(X)))])
    while queue:
        node, own, rows = queue.popleft()
        sketch.cluster[node] = int(learned.classes_[np.argmax(nodes.value[own, 0])])
        if nodes.children_left[own] == LEAF:
            continue
        feature = nodes.feature[own]
        goes_left = ranks[rows, feature] <= nodes.threshold[own]
        low = float(X[rows[goes_left], feature].max())
        high = float(X[rows[~goes_left], feature].min())
        left, right = sketch.cut(node, feature, threshold_between(low, high))
        queue.append((left, nodes.children_left[own], rows[goes_left]))
        queue.append((right, nodes.children_right[own], rows[~goes_left]))
    return sketch
