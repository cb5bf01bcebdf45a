"""The candidate trees of a suggestion, and their scores.

For each number of clusters a Kauri tree is fitted with ample leaves and reduced to those that make
99 % of its gains. Its scores are the fraction of variance that the clusters explain, which always
grows, and the mean silhouette, which is highest if clusters are tight and well separated.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import silhouette_score

from agathis._kauri import Kauri
from agathis._suggest.tuning import AMPLE, SHARE_OF_GAINS
from agathis._trees.tree import Tree

#: The minimum fraction of rows in a leaf: rules for fewer are of little use.
SMALLEST_LEAF = 0.02


def default_min_leaf(leaves: int) -> float:
    """Return a fraction of the rows; smaller for many leaves."""
    return min(SMALLEST_LEAF, 1 / (4 * leaves))


def grown(X: np.ndarray, k: int, leaves: int, engine: str, n_jobs: int | None = 1) -> Kauri:
    """A tree with this number of clusters and leaves."""
    return Kauri(
        k,
        max_leaf_nodes=leaves,
        min_samples_leaf=default_min_leaf(leaves),
        engine=engine,
        n_jobs=n_jobs,
    ).fit(X)


def grown_with_enough(X: np.ndarray, k: int, engine: str, n_jobs: int | None) -> Kauri:
    """Return a tree with the minimum leaves for 99 % of the gains of one with ample leaves."""
    ample = grown(X, k, AMPLE * k, engine, n_jobs)
    leaves = max(k, leaves_enough(ample.tree_))
    return ample if leaves == ample.n_leaves_ else grown(X, k, leaves, engine, n_jobs)


def leaves_enough(tree: Tree) -> int:
    """Return the minimum number of leaves for 99 % of the gains and all clusters of the tree."""
    splits = np.flatnonzero(~tree.is_leaf)
    # Children are numbered in the order of the splits.
    splits = splits[np.argsort(tree.children_left[splits])]
    gains = np.cumsum(np.concatenate([[0.0], tree.gain[splits]]))
    for_gains = 1 + int(np.argmax(gains >= SHARE_OF_GAINS * gains[-1]))
    n_leaves_of = np.zeros(tree.n_clusters, dtype=np.int64)
    n_leaves_of[tree.cluster[0]] = for_clusters = 1
    for node in splits:
        if n_leaves_of.all():
            break
        n_leaves_of[tree.cluster[node]] -= 1
        n_leaves_of[tree.cluster[tree.children_left[node]]] += 1
        n_leaves_of[tree.cluster[tree.children_right[node]]] += 1
        for_clusters += 1
    return max(for_gains, for_clusters)


def silhouette(X: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean silhouette; 0 if there is only one cluster."""
    n_labels = len(np.unique(labels))
    return float(silhouette_score(X, labels)) if 1 < n_labels < len(X) else 0.0
