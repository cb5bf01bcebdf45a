"""What all rivals share: the flow of ``fit``, and what a fitted one tells.

The data are checked, rows of no weight put aside, the rival draws its tree (``_draw``), and the
tree is completed from the rows (:mod:`agathis._trees.completion`). A fit that fails leaves the
last one as it was.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from agathis._checks import data as checks
from agathis._checks.metrics import check_labels
from agathis._dataset.given import dataset_of
from agathis._describe.model_methods import ModelMethods
from agathis._describe.short_thresholds import short_thresholds
from agathis._partitions.centres import cluster_means, euclidean_distances
from agathis._partitions.cost import kernel_cost
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis._trees.model import TreeEstimator

Own = TypeVar("Own", bound="Rival")
#: A tree, and the attributes that its fit leaves besides those of all rivals.
Drawn = tuple[TreeBuilder, dict[str, Any]]


class Rival(TreeEstimator, ModelMethods, BaseEstimator):
    """A clustering tree that another method grows."""

    n_clusters: int | None
    n_jobs: int | None

    @checks.fit_context(prefer_skip_nested_validation=True)
    def fit(
        self: Own, X: ArrayLike, y: object = None, *, sample_weight: ArrayLike | None = None
    ) -> Own:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 is the row twice, weight 0 the row left out: exactly so, except where KMeans
            finds the centers (``centers=None``). It samples its starts row by row, so that repeated
            rows may give other starts, and scikit-learn's
            ``check_sample_weight_equivalence_on_dense_data`` fails, as it does for
            :class:`sklearn.cluster.KMeans` itself.

        Returns
        -------
        self : object
        """
        return self._fit(X, sample_weight)

    def _fit(
        self: Own,
        X: ArrayLike,
        sample_weight: ArrayLike | None,
        labels: ArrayLike | None = None,
    ) -> Own:
        """Grow the tree; ``labels`` are for a rival that learns given ones."""
        with checks.last_fit_kept(self):
            least = self.n_clusters if labels is None else 1
            data = dataset_of(self, X, sample_weight, n_clusters=least)
            X, weight, threads = data.X, data.weight, data.threads
            rows, share = data.rows(), None if weight is None else data.weights()
            told = {}
            if labels is not None:
                codes = check_labels(labels, n=len(X))
                told["labels"] = codes if data.ids is None else codes[data.ids]
            drawn, found = self._draw(rows, share, threads, **told)
            tree, kept = completed(drawn, rows, share, data.kernel, threads)
            labels = data.labels(tree)
            found["inertia_"] = kernel_cost(data.kernel, X, labels, weight, threads)
            if "teacher_labels_" in found:
                centres = found.get("cluster_centers_")
                found["teacher_labels_"] = _of_all_rows(
                    found["teacher_labels_"], X, data.ids, centres, kept
                )
            tree, meant = short_thresholds(tree, X, data.units)
        self.tree_ = tree
        self.raw_thresholds_ = meant
        self.labels_ = labels
        self.n_clusters_ = tree.n_clusters
        self.n_leaves_ = tree.n_leaves
        if data.kernel.metric == "linear":
            self.cluster_centers_ = cluster_means(X, labels, tree.n_clusters, weight)
        else:  # the last fit may have had centres
            self.__dict__.pop("cluster_centers_", None)
        for name, value in found.items():
            # What there is one of for each cluster is for those that the tree has.
            if name.startswith("cluster_"):
                value = value[kept]
            setattr(self, name, value)
        return self

    @abstractmethod
    def _draw(self, X: np.ndarray, weight: np.ndarray | None, threads: int) -> Drawn:
        """The tree of the rows, and the attributes that the fit leaves besides the common ones."""


def _of_all_rows(
    labels: np.ndarray,
    X: np.ndarray,
    ids: np.ndarray | None,
    centres: np.ndarray | None,
    kept: np.ndarray,
) -> np.ndarray:
    """The teacher's labels, of rows that it did not see too, numbered as the tree's clusters.

    ``ids`` are the rows that it saw; others have the nearest centre, or -1 where centres are no
    points of the data's space. Clusters that no leaf has come after those that are ``kept``.
    """
    count = int(labels.max()) + 1 if centres is None else len(centres)
    order = np.concatenate([kept, np.setdiff1d(np.arange(count), kept)])
    number = np.empty(count, dtype=np.int32)
    number[order] = np.arange(count, dtype=np.int32)
    if ids is None:
        return number[labels]
    every = np.full(len(X), -1, dtype=np.int32)
    if centres is not None:
        unseen = np.setdiff1d(np.arange(len(X)), ids)
        every[unseen] = number[
            np.argmin(euclidean_distances(X[unseen].astype(np.float64), centres), axis=1)
        ]
    every[ids] = number[labels]
    return every
