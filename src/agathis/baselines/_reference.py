"""The clusters that a baseline approximates: centres, and the nearest centre of each row.

The centres are those of KMeans or given ones; centres without rows are ignored. The baselines of
:class:`~agathis.baselines._base.CentreTree` grow their trees from rows, centres and distances; the
cluster of each leaf is the index of a centre.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from agathis._checks.data import warn
from agathis._core.centres.costs import distances
from agathis._fit.baseline import BuiltTree, CountedRows
from agathis._kernels.kernel import at_most
from agathis._model.spec import FitSpec
from agathis._trees.builder import TreeBuilder

LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class ReferenceClustering:
    """Rows with centres, and the distances between them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,)
    centres : ndarray of shape (n_centres, n_features)
    distance : ndarray of shape (n_samples, width)
        Squared distances in the first ``n_centres`` columns.
    labels : ndarray of int32, shape (n_samples,)
        The nearest centre of each row; ties go to the first.
    """

    X: np.ndarray
    weight: np.ndarray
    centres: np.ndarray
    distance: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, rows: CountedRows, spec: FitSpec) -> ReferenceClustering:
        """Compute the reference clustering; centres without rows are left out."""
        weight = np.ones(len(rows.X)) if rows.weight is None else rows.weight
        centres = spec.options["centers"]
        if centres is None:
            with at_most(rows.threads):
                centres = _kmeans_centres(rows.X, weight, spec)
        reference = cls.of_centres(rows, weight, centres)
        used = np.unique(reference.labels)
        if len(used) == spec.n_clusters:
            return reference
        warn(
            f"Only {len(used)} of n_clusters={spec.n_clusters} centres are nearest to some row; "
            "the others are ignored. Duplicate rows or centres can be the reason.",
            UserWarning,
        )
        if len(used) == len(centres):
            return reference
        return cls.of_centres(rows, weight, centres[used])

    @classmethod
    def of_centres(
        cls, rows: CountedRows, weight: np.ndarray, centres: np.ndarray
    ) -> ReferenceClustering:
        """Assign each row to its nearest centre."""
        distance = distances(rows.X, centres, rows.threads)
        # Distances of all rows are summed, so the sum must be finite too.
        if not distance[:, : len(centres)].max() <= LARGEST / len(rows.X):
            raise ValueError(
                "centers or X are too large: sums of squared distances between them are not "
                "finite. Scale the data, for example with sklearn.preprocessing.StandardScaler."
            )
        labels = np.argmin(distance[:, : len(centres)], axis=1).astype(np.int32)
        return cls(rows.X, weight, centres, distance, labels)

    def built(self, builder: TreeBuilder) -> BuiltTree:
        """The tree with the attributes of a reference clustering."""
        attributes = {"cluster_centers_": self.centres, "teacher_labels_": self.labels}
        return BuiltTree(builder, attributes)


def _kmeans_centres(X: np.ndarray, weight: np.ndarray, spec: FitSpec) -> np.ndarray:
    random = check_random_state(spec.seed)
    with warnings.catch_warnings():
        # Fewer distinct rows than clusters are reported for given centres, too.
        warnings.simplefilter("ignore", ConvergenceWarning)
        kmeans = KMeans(spec.n_clusters, n_init=spec.options["n_init"], random_state=random)
        labels = kmeans.fit(X, sample_weight=weight).labels_
    # KMeans sums its centres by thread. Means taken in the order of the rows are the same
    # to the last bit for any number of threads.
    _, labels = np.unique(labels, return_inverse=True)
    size = np.bincount(labels, weight)
    return np.stack([np.bincount(labels, weight * x) / size for x in X.T], axis=1)


def first_minimum(values: np.ndarray, slack: float) -> int:
    """The index of the first value that equals the minimum up to rounding."""
    return int(np.argmax(values <= values.min() + slack))
