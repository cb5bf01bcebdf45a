"""RDM: cuts are drawn.

Along each feature the centres stand at positions whose gaps are half the squares of the gaps
between their values; a value between two centres stands its squared distance away from the
position of the nearer one. A cut is drawn uniformly over these positions, from the first to the
last centre of the node, all features together. In values, the density of a cut is proportional to
its distance from the nearest centre of the feature: few rows are near such a cut's sides.

A tree of k centres has k - 1 cuts, however it turns out, so the numbers that decide them are drawn
ahead. A node with m centres is handed m - 1 of them: the first is its own, the next ones are the
left side's, the rest the right side's. No number depends on the order in which nodes are cut, nor
on cuts that part no rows.
"""

from __future__ import annotations

from collections import deque
from numbers import Integral
from typing import ClassVar

import numpy as np

from agathis._checks.parameters import CENTRE_CONSTRAINTS
from agathis._trees.builder import TreeBuilder
from agathis.rivals._centred import CentreTree, Teacher


class RDM(CentreTree):
    """Trees of random cuts over the clusters of KMeans.

    Each node is cut at random between its centres, more likely far from all of them, until each
    leaf has one centre.

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
        For KMeans, and for the cuts. With an int the cuts take their uniform numbers from
        ``numpy.random.default_rng(random_state)``, one a node, depth first and left before
        right, whatever KMeans draws.

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
    Where all rows of a node are on one side of the drawn cut, there is none: the centres of the
    empty side are left out together with their numbers, and another cut is drawn.

    References
    ----------
    K. Makarychev, L. Shan, "Explainable k-means: don't be greedy, plant bigger trees!", 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.rivals import RDM
    >>> model = RDM(3, random_state=0).fit(load_iris().data)
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
        sketch, gaps = TreeBuilder(), Gaps(teacher.centres)
        n_centres = len(teacher.centres)
        numbers = self._numbers(n_centres - 1, random)
        waiting = deque([(0, np.arange(len(X)), np.arange(n_centres), numbers)])
        while waiting:
            node, rows, centres, numbers = waiting.popleft()
            while len(centres) > 1:
                feature, threshold = gaps.cut(centres, numbers[0])
                row_left = X[rows, feature] <= threshold
                centre_left = teacher.centres[centres, feature] <= threshold
                n_left = np.count_nonzero(centre_left)
                left = rows[row_left], centres[centre_left], numbers[1:n_left]
                right = rows[~row_left], centres[~centre_left], numbers[n_left:]
                if row_left.all() or not row_left.any():
                    _, centres, numbers = left if row_left[0] else right
                    continue
                for child, side in zip(
                    sketch.cut(node, feature, threshold), (left, right), strict=True
                ):
                    waiting.append((child, *side))
                break
            else:
                sketch.cluster[node] = int(centres[0])
        return sketch

    def _numbers(self, count: int, random: np.random.RandomState) -> np.ndarray:
        """The uniform numbers of the cuts; of an int alone, whatever KMeans has drawn."""
        if isinstance(self.random_state, Integral):
            return np.random.default_rng(int(self.random_state)).random(count)
        return random.random_sample(count)


class Gaps:
    """The gaps between neighbouring centres of each feature, to place cuts in.

    Parameters
    ----------
    centres : ndarray of shape (n_centres, n_features)
    """

    def __init__(self, centres: np.ndarray) -> None:
        self.centres = centres
        # A row a feature.
        self.values = np.sort(centres, axis=0).T
        self.gaps = np.diff(self.values, axis=1)

    def cut(self, centres: np.ndarray, number: float) -> tuple[int, float]:
        """The cut at a share of the gaps between the centres, all features in a row.

        Returns
        -------
        feature : int
        threshold : float
            Some of the centres are on either side.
        """
        low, high = self.centres[centres].min(axis=0), self.centres[centres].max(axis=0)
        inside = (self.values[:, :-1] >= low[:, None]) & (self.values[:, 1:] <= high[:, None])
        gaps = np.where(inside, self.gaps, 0.0)
        # Relative to the largest, so that not all squares vanish.
        ends = np.cumsum((gaps / gaps.max()) ** 2 / 2)
        # Not the very end, which is of no gap.
        drawn = min(number * ends[-1], np.nextafter(ends[-1], 0.0))
        place = int(np.searchsorted(ends, drawn, side="right"))
        start = ends[place - 1] if place else 0.0
        feature, gap = np.unravel_index(place, gaps.shape)
        part = (drawn - start) / (ends[place] - start)
        before, after = self.values[feature, gap : gap + 2]
        if part <= 0.5:
            threshold = before + (after - before) * np.sqrt(part / 2)
        else:
            threshold = after - (after - before) * np.sqrt((1 - part) / 2)
        return int(feature), float(min(threshold, np.nextafter(after, -np.inf)))
