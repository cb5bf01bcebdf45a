"""Baselines that approximate the clusters of given centres with a tree.

First comes the reference clustering: centres of KMeans, or given ones, and the nearest centre of
each row. Centres without rows are ignored. Then the tree is grown (``_grow``) from rows, centres
and distances; the cluster of each leaf is the index of a centre.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._core.centres.distances import distances
from agathis._kernels.kernel import at_most
from agathis._trees.builder import TreeBuilder
from agathis.baselines._base import Baseline, Drawn

LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class ReferenceClustering:
    """Centres, and the distances of the rows to them.

    Attributes
    ----------
    centres : ndarray of shape (n_centres, n_features)
    distance : ndarray of shape (n_samples, width)
        Squared distances in the first ``n_centres`` columns.
    labels : ndarray of int32, shape (n_samples,)
        The nearest centre of each row; ties go to the first.
    """

    centres: np.ndarray
    distance: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, centres: np.ndarray, X: np.ndarray, threads: int) -> ReferenceClustering:
        distance = distances(X, centres, threads)
        # Distances of all rows are summed, so the sum must be finite too.
        if not distance[:, : len(centres)].max() <= LARGEST / len(X):
            raise ValueError(
                "centers or X are too large: sums of squared distances between them are not "
                "finite. Scale the data, for example with sklearn.preprocessing.StandardScaler."
            )
        labels = np.argmin(distance[:, : len(centres)], axis=1).astype(np.int32)
        return cls(centres, distance, labels)


class CentreTree(Baseline):
    """Base of the baselines with centres, and their common parameters."""

    n_clusters: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        centers: object = None,
        n_init: int | str = 10,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.centers = centers
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _draw(self, X: np.ndarray, weight: np.ndarray | None, threads: int) -> Drawn:
        random = check_random_state(self.random_state)
        weight = np.ones(len(X)) if weight is None else weight
        reference_clustering = self._teach(X, weight, random, threads)
        builder = self._grow(X, weight, reference_clustering, random, threads)
        return builder, {
            "cluster_centers_": reference_clustering.centres,
            "teacher_labels_": reference_clustering.labels,
        }

    def _teach(
        self, X: np.ndarray, weight: np.ndarray, random: np.random.RandomState, threads: int
    ) -> ReferenceClustering:
        """Compute the reference clustering; centres without rows are left out."""
        if self.centers is None:
            with at_most(threads):
                centres = self._found_centres(X, weight, random)
        else:
            centres = checks.check_centers(self, X.shape[1])
        reference_clustering = ReferenceClustering.of(centres, X, threads)
        used = np.unique(reference_clustering.labels)
        if len(used) == self.n_clusters:
            return reference_clustering
        checks.warn(
            f"Only {len(used)} of n_clusters={self.n_clusters} centres are nearest to some row; "
            "the others are ignored. Duplicate rows or centres can be the reason.",
            UserWarning,
        )
        return (
            reference_clustering
            if len(used) == len(centres)
            else ReferenceClustering.of(centres[used], X, threads)
        )

    def _found_centres(
        self, X: np.ndarray, weight: np.ndarray, random: np.random.RandomState
    ) -> np.ndarray:
        with warnings.catch_warnings():
            # _teach warns of fewer distinct rows than clusters.
            warnings.simplefilter("ignore", ConvergenceWarning)
            reference_clustering = KMeans(self.n_clusters, n_init=self.n_init, random_state=random)
            labels = reference_clustering.fit(X, sample_weight=weight).labels_
        # KMeans sums its centres by thread. Means taken in the order of the rows are the same
        # to the last bit for any number of threads.
        _, labels = np.unique(labels, return_inverse=True)
        size = np.bincount(labels, weight)
        return np.stack([np.bincount(labels, weight * x) / size for x in X.T], axis=1)

    @abstractmethod
    def _grow(
        self,
        X: np.ndarray,
        weight: np.ndarray,
        reference_clustering: ReferenceClustering,
        random: np.random.RandomState,
        threads: int,
    ) -> TreeBuilder:
        """Grow the tree; the cluster of a leaf is the index of a centre."""


def first_minimum(values: np.ndarray, slack: float) -> int:
    """The index of the first value that equals the minimum up to rounding."""
    return int(np.argmax(values <= values.min() + slack))
