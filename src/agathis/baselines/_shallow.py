"""ExShallow: splits of low cost that make shallow trees.

A split costs the squared distances of the rows to the nearest centre on their side, relative to
the cost of the node, plus ``depth_factor`` times an estimate of the mean depth of the rows. The
estimate assumes a tree that splits rows and centres in the proportions of this split until each
leaf has one centre: with l of k centres left here, round(l s / k) of s centres are left there, at
least one and at most s - 1. The fraction of rows on a side that repeats a condition of the path
(the same feature in the same direction) is subtracted, because the rule gets no longer.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from agathis._checks.parameters import SHALLOW_CONSTRAINTS
from agathis._fit.baseline import BuiltTree, CountedRows
from agathis._model.spec import FitSpec
from agathis._search.local.kmeans_trees import centre_tree
from agathis.baselines._base import CentreTree
from agathis.baselines._reference import ReferenceClustering


class ExShallow(CentreTree):
    """Shallow trees over the clusters of KMeans.

    Each node is split where the cost after the split over the cost before, plus a penalty for
    depth, is minimal, until each leaf has one centre. A row costs the squared distance to the
    nearest centre on its side.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of centres.
    centers : array-like of shape (n_clusters, n_features) or fitted estimator, default=None
        The centres, or an estimator with ``cluster_centers_``. If None, KMeans is run.
    n_init : int or "auto", default=10
        The number of initialisations of KMeans.
    depth_factor : float, default=0.03
        The penalty of one level of depth, as a fraction of the node's cost; 0 is ExGreedy.
    n_jobs : int, default=None
        The number of threads; None and -1 use all cores. The tree does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of KMeans.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row, equal to ``predict(X)``.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The centre that each cluster comes from, which is not the mean of its rows.
    teacher_labels_ : ndarray of shape (n_samples,)
        The nearest centre of each training row, numbered as the tree's clusters. Centres
        without a leaf have numbers from ``n_clusters_``, rows of weight 0 have -1.
    inertia_ : float
        The KMeans cost: the sum of squared distances of rows to the mean of their cluster.
    n_clusters_ : int
        The number of clusters; less than ``n_clusters`` if some centres have no rows.
    n_leaves_ : int
        The number of leaves.
    feature_importances_ : ndarray of shape (n_features,)
        The fraction of the total gain due to each feature.
    raw_thresholds_ : dict
        Maps (feature, threshold) to the threshold in original units. Empty unless ``X`` came
        from :class:`agathis.TableEncoder`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined only when ``X`` has feature names that are all strings.

    Notes
    -----
    A threshold is half-way between two neighbours among the node's rows and centres. Ties are
    broken by the first feature and the lowest threshold. Each side has at least one row; a node
    without such a split is a leaf of the centre that is best for its rows.

    References
    ----------
    E. Laber, L. Murtinho, F. Oliveira, "Shallow decision trees for explainable k-means
    clustering", 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.baselines import ExShallow
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

    @staticmethod
    def _build_tree(rows: CountedRows, spec: FitSpec) -> BuiltTree:
        """Grow the tree of a spec."""
        reference = ReferenceClustering.of(rows, spec)
        depth_factor = float(spec.options["depth_factor"])
        return reference.built(
            centre_tree(
                rows.X,
                reference.weight,
                reference.centres,
                reference.distance,
                depth_factor,
                rows.threads,
            )
        )
