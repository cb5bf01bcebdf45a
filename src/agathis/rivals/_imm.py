"""IMM: the cut with the fewest mistakes.

A node has rows and centres. It is cut, between centres, where the least weight of rows is parted
from its own centre; these rows have no more say in what follows, though they are routed like any
other. One centre a leaf.
"""

from __future__ import annotations

from collections import deque
from typing import ClassVar

import numpy as np

from agathis._checks.parameters import CENTRE_CONSTRAINTS
from agathis._core.centres.cuts import CentreCuts
from agathis._core.centres.fewest_mistakes import fewest_mistakes
from agathis._trees.builder import TreeBuilder
from agathis.rivals._centred import CentreTree, Teacher


class IMM(CentreTree):
    """Iterative mistake minimisation over the clusters of KMeans.

    Each node is cut where the fewest rows are parted from their own centre, until each leaf has
    one centre: a tree of as many leaves as clusters, each leaf a cluster.

    Parameters
    ----------
    n_clusters : int, default=8
        How many centres there are.
    centers : array-like of shape (n_clusters, n_features) or fitted estimator, default=None
        The centres, or an estimator with ``cluster_centers_``; ``None`` is KMeans.
    n_init : int or "auto", default=10
        Starts of KMeans.
    n_jobs : int, default=None
        Threads; ``None`` is all cores, -1 too. The tree does not depend on it.
    random_state : int, RandomState instance or None, default=None
        For KMeans.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row; always equal to ``predict`` of it.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The teacher's centre of each cluster of the tree; not the mean of its rows.
    teacher_labels_ : ndarray of shape (n_samples,)
        The nearest centre of each training row, numbered as the tree's clusters; numbers from
        ``n_clusters_`` on are of centres that no leaf has.
    inertia_ : float
        The KMeans cost of the tree's clusters: their summed squared distances to their means.
    n_clusters_ : int
        How many clusters the tree has; fewer than ``n_clusters`` where centres have no rows.
    n_leaves_ : int
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the sum of all gains.
    raw_thresholds_ : dict
        Of rows that :class:`agathis.TableEncoder` made, for a feature and a threshold of the tree
        the short number of the table that it is the image of; else empty.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are all strings.

    Notes
    -----
    A threshold is half-way between two neighbours among the rows and centres that still count.
    Of equally good cuts the one of the first feature is taken, and there the lowest. Each side
    keeps at least one row that counts; where no cut does so, the node is a leaf of the centre
    with the most weight.

    References
    ----------
    M. Moshkovitz, S. Dasgupta, C. Rashtchian, N. Frost, "Explainable k-means and k-medians
    clustering", 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.rivals import IMM
    >>> model = IMM(3, random_state=0).fit(load_iris().data)
    >>> model.n_leaves_, model.n_clusters_
    (3, 3)
    """

    _parameter_constraints: ClassVar[dict] = CENTRE_CONSTRAINTS

    def _grow(
        self,
        X: np.ndarray,
        weight: np.ndarray,
        teacher: Teacher,
        random: np.random.RandomState,
        threads: int,
    ) -> TreeBuilder:
        sketch = TreeBuilder()
        grow_imm(sketch, CentreCuts(X, weight, teacher.centres, threads), teacher.labels)
        return sketch


def grow_imm(sketch: TreeBuilder, cuts: CentreCuts, labels: np.ndarray) -> list[tuple[int, int]]:
    """Grow IMM's tree; node and slot of each leaf."""
    own = labels.copy()
    leaves, waiting = [], deque([(0, 0)])
    while waiting:
        node, slot = waiting.popleft()
        rows = cuts.samples(slot)
        kept = rows[own[rows] >= 0]
        share = np.bincount(own[kept], cuts.weight[kept])
        centres = np.flatnonzero(share)
        cut = fewest_mistakes(cuts, slot, centres, own) if len(centres) > 1 else None
        if cut is None:
            sketch.cluster[node] = int(np.argmax(share))
            leaves.append((node, slot))
            continue
        feature, threshold = cut
        left, right = sketch.cut(node, feature, threshold)
        other = cuts.split(slot, feature, threshold)
        centre_left = cuts.centres[:, feature] <= threshold
        for child, side in ((slot, True), (other, False)):
            rows = cuts.samples(child)
            # A row that is left out has some centre by its index -1; it stays left out.
            own[rows[centre_left[own[rows]] != side]] = -1
        waiting += [(left, slot), (right, other)]
    return leaves
