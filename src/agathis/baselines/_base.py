"""The flow of ``fit`` that all baselines share.

The data are checked, rows of weight 0 left out, the baseline builds its tree (``_draw``), and
counts and gains are computed from the rows (:mod:`agathis._trees.completion`). A fit that fails
leaves the estimator unchanged.
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
from agathis._objective.centres import cluster_means
from agathis._objective.cost import kernel_cost
from agathis._rules.model_methods import ModelMethods
from agathis._rules.short_thresholds import short_thresholds
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis._trees.model import TreeEstimator

Own = TypeVar("Own", bound="Baseline")
#: A tree, and the fitted attributes that only some baselines have.
Drawn = tuple[TreeBuilder, dict[str, Any]]


class Baseline(TreeEstimator, ModelMethods, BaseEstimator):
    """A clustering tree grown by a baseline method."""

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
            Weight 2 is equivalent to repeating the row, weight 0 to removing it. With
            ``centers=None`` this holds up to the random initialisation of KMeans, as for
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
        """Grow the tree; ``labels`` are for a baseline that can learn given ones."""
        with checks.last_fit_kept(self):
            least = self.n_clusters if labels is None else 1
            data = dataset_of(self, X, sample_weight, n_clusters=least)
            X, weight, threads = data.X, data.weight, data.threads
            rows, share = data.rows(), None if weight is None else data.weights()
            learned = {}
            if labels is not None:
                codes = check_labels(labels, n=len(X))
                learned["labels"] = codes if data.ids is None else codes[data.ids]
            drawn, found = self._draw(rows, share, threads, **learned)
            tree, kept = completed(drawn, rows, share, data.kernel, threads)
            labels = data.labels(tree)
            found["inertia_"] = kernel_cost(data.kernel, X, labels, weight, threads)
            if "teacher_labels_" in found:
                reference = _renumbered(found["teacher_labels_"], kept)
                found["teacher_labels_"] = np.full(len(X), -1, dtype=np.int32)
                found["teacher_labels_"][slice(None) if data.ids is None else data.ids] = reference
            tree, meant = short_thresholds(tree, X, data.units)
        self.tree_ = tree
        self.raw_thresholds_ = meant
        self.labels_ = labels
        self.n_clusters_ = tree.n_clusters
        self.n_leaves_ = tree.n_leaves
        if data.kernel.metric == "linear":
            self.cluster_centers_ = cluster_means(X, labels, tree.n_clusters, weight)
        else:  # an earlier fit may have set it
            self.__dict__.pop("cluster_centers_", None)
        for name, value in found.items():
            # Attributes with one entry per cluster keep those of clusters that have a leaf.
            if name.startswith("cluster_"):
                value = value[kept]
            setattr(self, name, value)
        return self

    @abstractmethod
    def _draw(self, X: np.ndarray, weight: np.ndarray | None, threads: int) -> Drawn:
        """Build the tree; return it with the fitted attributes beyond the common ones."""


def _renumbered(labels: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Number reference labels as the tree's clusters, then those that no leaf has."""
    order = np.concatenate([kept, np.setdiff1d(np.arange(labels.max() + 1), kept)])
    return np.argsort(order)[labels]
