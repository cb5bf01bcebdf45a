"""ExShallow: cheap cuts that make shallow trees.

Every row goes to the nearest centre on its side of a cut. The cut is taken that costs least so,
relative to the node's cost, plus ``depth_factor`` times an estimate of how deep rows will lie: in
a tree that goes on cutting rows and centres in the proportions of this one, until each leaf has
one centre, the mean depth of the rows; less the share of the side that repeats a condition of the
path (the same feature in the same direction), for it makes no longer an explanation.

Numbers of centres are whole in that tree: of s centres, where l of k are left here, round(l s / k)
are left there, at least one and at most s - 1.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from agathis._checks.parameters import SHALLOW_CONSTRAINTS
from agathis._searching.starts import centre_tree
from agathis._trees.builder import TreeBuilder
from agathis.rivals._centred import CentreTree, Teacher


class ExShallow(CentreTree):
    """Shallow trees over the clusters of KMeans.

    Each node is cut where cost after the cut over cost before, plus a penalty for depth, is
    least, until each leaf has one centre. In these costs a row goes to the nearest centre on its
    side of the cut.

    Parameters
    ----------
    n_clusters : int, default=8
        How many centres there are.
    centers : array-like of shape (n_clusters, n_features) or fitted estimator, default=None
        The centres, or an estimator with ``cluster_centers_``; ``None`` is KMeans.
    n_init : int or "auto", default=10
        Starts of KMeans.
    depth_factor : float, default=0.03
        What a level of depth may cost, as a share of the node's cost; 0 is ExGreedy.
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
    A threshold is half-way between two neighbours among the node's rows and centres. Of equally
    good cuts the one of the first feature is taken, and there the lowest. Each side has at least
    one row; where no cut does so, the node is a leaf of the centre that is best for its rows.

    References
    ----------
    E. Laber, L. Murtinho, F. Oliveira, "Shallow decision trees for explainable k-means
    clustering", 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.rivals import ExShallow
    >>> model = ExShallow(3, random_state=0).fit(load_iris().data)
    >>> model.n_leaves_, model.n_clusters_
    (3, 3)
    """

    _parameter_constraints: ClassVar[dict] = SHALLOW_CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        centers: object = None,
        n_init: int | str = 10,
        depth_factor: float = 0.03,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_clusters, centers=centers, n_init=n_init, n_jobs=n_jobs, random_state=random_state
        )
        self.depth_factor = depth_factor

    def _grow(
        self,
        X: np.ndarray,
        weight: np.ndarray,
        teacher: Teacher,
        random: np.random.RandomState,
        threads: int,
    ) -> TreeBuilder:
        return centre_tree(
            X, weight, teacher.centres, teacher.distance, float(self.depth_factor), threads
        )
