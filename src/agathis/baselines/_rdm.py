"""RDM: random splits, with a density that grows with the distance to a split's sides.

The gap between two neighbouring centres along a feature has a weight of half its square, and a
split is sampled from the gaps of all features within the node by these weights. Inside a gap, the
density is proportional to the distance to the nearer centre, so few rows are close to a split.

A tree of k centres has k - 1 splits in any case, so their random numbers are generated ahead. A
node with m centres has m - 1 of them: the first is for itself, the next ones for the left child,
the others for the right child. So no number depends on the order in which nodes are split, or on
splits that separate no rows.
"""

from __future__ import annotations

from collections import deque
from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from agathis._checks.parameters import CENTRE_CONSTRAINTS
from agathis._fit.baseline import BuiltTree, CountedRows
from agathis._model.spec import FitSpec
from agathis._trees.builder import TreeBuilder
from agathis.baselines._base import CentreTree
from agathis.baselines._reference import ReferenceClustering


class RDM(CentreTree):
    """Trees of random splits over the clusters of KMeans.

    Each node is split at random between its centres, with a higher probability far from all of
    them, until each leaf has one centre.

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
        Seed of KMeans and of the splits. With an int, the uniform numbers of the splits come from
        ``numpy.random.default_rng(random_state)``, one per node, depth first and left before
        right, independent of KMeans.

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
    If all rows of a node are on one side of the sampled split, the centres of the empty side are
    dropped together with their random numbers, and another split is sampled.

    References
    ----------
    K. Makarychev, L. Shan, "Explainable k-means: don't be greedy, plant bigger trees!", 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.baselines import RDM
    >>> model = RDM(3, random_state=0).fit(load_iris().data)
    >>> model.n_leaves_, model.n_clusters_
    (3, 3)
    """

    _parameter_constraints: ClassVar[dict] = CENTRE_CONSTRAINTS

    @staticmethod
    def _build_tree(rows: CountedRows, spec: FitSpec) -> BuiltTree:
        """Grow the tree of a spec."""
        X, reference, builder = rows.X, ReferenceClustering.of(rows, spec), TreeBuilder()
        gaps, n_centres = CentreGaps(reference.centres), len(reference.centres)
        numbers = _numbers(n_centres - 1, spec.seed)
        waiting = deque([(0, np.arange(len(X)), np.arange(n_centres), numbers)])
        while waiting:
            node, ids, centres, numbers = waiting.popleft()
            while len(centres) > 1:
                feature, threshold = gaps.split(centres, numbers[0])
                row_left = X[ids, feature] <= threshold
                centre_left = reference.centres[centres, feature] <= threshold
                n_left = np.count_nonzero(centre_left)
                left = ids[row_left], centres[centre_left], numbers[1:n_left]
                right = ids[~row_left], centres[~centre_left], numbers[n_left:]
                if row_left.all() or not row_left.any():
                    _, centres, numbers = left if row_left[0] else right
                    continue
                for child, side in zip(
                    builder.cut(node, feature, threshold), (left, right), strict=True
                ):
                    waiting.append((child, *side))
                break
            else:
                builder.cluster[node] = int(centres[0])
        return reference.built(builder)


def _numbers(count: int, seed: int | np.random.RandomState | None) -> np.ndarray:
    """Uniform random numbers of the splits; with an int seed independent of KMeans."""
    if isinstance(seed, Integral):
        return np.random.default_rng(int(seed)).random(count)
    # KMeans has used the same generator before.
    return check_random_state(seed).random_sample(count)


class CentreGaps:
    """The gaps between neighbouring centres along each feature, to place splits in.

    Parameters
    ----------
    centres : ndarray of shape (n_centres, n_features)
    """

    def __init__(self, centres: np.ndarray) -> None:
        self.centres = centres
        # One row per feature.
        self.values = np.sort(centres, axis=0).T
        self.gaps = np.diff(self.values, axis=1)

    def split(self, centres: np.ndarray, number: float) -> tuple[int, float]:
        """The split at the quantile ``number`` of the gaps, with centres on both sides."""
        low, high = self.centres[centres].min(axis=0), self.centres[centres].max(axis=0)
        inside = (self.values[:, :-1] >= low[:, None]) & (self.values[:, 1:] <= high[:, None])
        gaps = np.where(inside, self.gaps, 0.0)
        # Relative to the largest, so that squares do not underflow.
        ends = np.cumsum((gaps / gaps.max()) ** 2 / 2)
        # The very end belongs to no gap.
        target = min(number * ends[-1], np.nextafter(ends[-1], 0.0))
        index = int(np.searchsorted(ends, target, side="right"))
        start = ends[index - 1] if index else 0.0
        feature, gap = np.unravel_index(index, gaps.shape)
        fraction = (target - start) / (ends[index] - start)
        before, after = self.values[feature, gap : gap + 2]
        if fraction <= 0.5:
            threshold = before + (after - before) * np.sqrt(fraction / 2)
        else:
            threshold = after - (after - before) * np.sqrt((1 - fraction) / 2)
        return int(feature), float(min(threshold, np.nextafter(after, -np.inf)))
