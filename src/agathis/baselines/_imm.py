"""IMM: iterative mistake minimisation.

A node has rows and centres. It is split between centres where the weight of the mistakes is
smallest, the rows that are separated from their own centre. These rows are ignored in later
splits, though they are routed like any other. Each leaf has one centre.
"""

from __future__ import annotations

from collections import deque
from typing import ClassVar

import numpy as np

from agathis._checks.parameters import CENTRE_CONSTRAINTS
from agathis._core.centres.fewest_mistakes import fewest_mistakes
from agathis._core.centres.splits import CentreSplits
from agathis._fit.baseline import BuiltTree, CountedRows
from agathis._model.spec import FitSpec
from agathis._trees.builder import TreeBuilder
from agathis.baselines._base import CentreTree
from agathis.baselines._reference import ReferenceClustering


class IMM(CentreTree):
    """Iterative mistake minimisation over the clusters of KMeans.

    Each node is split where the fewest rows are separated from their own centre, until each leaf
    has one centre.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of centres.
    centers : array-like of shape (n_clusters, n_features) or fitted estimator, default=None
        The centres, or an estimator with ``cluster_centers_``. If None, KMeans is run.
    n_init : int or "auto", default=10
        The number of initialisations of KMeans.
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
    A threshold is half-way between two neighbours among the rows without mistakes and the
    centres. Ties are broken by the first feature and the lowest threshold. Each side keeps at
    least one row without mistakes; a node without such a split is a leaf of the centre with the
    largest weight.

    References
    ----------
    M. Moshkovitz, S. Dasgupta, C. Rashtchian, N. Frost, "Explainable k-means and k-medians
    clustering", 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.baselines import IMM
    >>> model = IMM(3, random_state=0).fit(load_iris().data)
    >>> model.n_leaves_, model.n_clusters_
    (3, 3)
    """

    _parameter_constraints: ClassVar[dict] = CENTRE_CONSTRAINTS

    @staticmethod
    def _build_tree(rows: CountedRows, spec: FitSpec) -> BuiltTree:
        """Grow the tree of a spec."""
        reference, builder = ReferenceClustering.of(rows, spec), TreeBuilder()
        splits = CentreSplits(rows.X, reference.weight, reference.centres, rows.threads)
        grow_imm(builder, splits, reference.labels)
        return reference.built(builder)


def grow_imm(
    builder: TreeBuilder, splits: CentreSplits, labels: np.ndarray
) -> list[tuple[int, int]]:
    """Grow the tree of IMM; return node id and leaf index of each leaf."""
    centre_of = labels.copy()
    leaves, waiting = [], deque([(0, 0)])
    while waiting:
        node, leaf_index = waiting.popleft()
        rows = splits.samples(leaf_index)
        correct = rows[centre_of[rows] >= 0]
        centre_weight = np.bincount(centre_of[correct], splits.weight[correct])
        centres = np.flatnonzero(centre_weight)
        split = (
            fewest_mistakes(splits, leaf_index, centres, centre_of) if len(centres) > 1 else None
        )
        if split is None:
            builder.cluster[node] = int(np.argmax(centre_weight))
            leaves.append((node, leaf_index))
            continue
        feature, threshold = split
        left, right = builder.cut(node, feature, threshold)
        other = splits.split(leaf_index, feature, threshold)
        centre_left = splits.centres[:, feature] <= threshold
        for child, side in ((leaf_index, True), (other, False)):
            rows = splits.samples(child)
            # Rows that were mistakes before have the label -1, and keep it.
            centre_of[rows[centre_left[centre_of[rows]] != side]] = -1
        waiting += [(left, leaf_index), (right, other)]
    return leaves
