"""What all rivals share: the flow of ``fit``, and what a fitted one tells.

The data are checked, rows of no weight put aside, the rival draws its tree (``_draw``), and the
tree is completed from the rows (``_sketch``). A fit that fails leaves the last one as it was.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from agathis import _validation as checks
from agathis._kernels import Kernel
from agathis._model import TreeModel
from agathis._partition import kernel_cost, kernel_objective
from agathis.rivals._sketch import Sketch


def numbered(labels: np.ndarray, kept: np.ndarray, count: int) -> np.ndarray:
    """Labels 0, ..., count - 1 with ``kept`` first, in that order, then the others; -1 stays."""
    order = np.concatenate([kept, np.setdiff1d(np.arange(count), kept)])
    number = np.empty(count, dtype=np.int32)
    number[order] = np.arange(count, dtype=np.int32)
    return np.where(labels < 0, -1, number[labels]).astype(np.int32)


class Rival(TreeModel, BaseEstimator):
    """A clustering tree that another method grows."""

    n_clusters: int | None
    n_jobs: int | None

    @checks.fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: object = None, *, sample_weight: ArrayLike | None = None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 is the row twice, weight 0 the row left out.

        Returns
        -------
        self : object
        """
        with checks.last_fit_kept(self):
            threads = checks.n_threads(self.n_jobs)
            X, _ = checks.check_X(self, X, reset=True, missing=False, threads=threads)
            weight = checks.check_sample_weight(sample_weight, len(X))
            ids = checks.counted_rows(len(X), weight, self.n_clusters or 1)
            kernel = self._kernel()
            checks.check_domain(kernel, X)
            rows = np.ascontiguousarray(X if ids is None else X[ids], dtype=np.float64)
            share = weight if ids is None else weight[ids]
            sketch, found = self._draw(rows, share, threads)
            tree, kept = sketch.tree(rows, share, kernel, threads)
            labels = tree.predict(X, threads)
            found["inertia_"] = kernel_cost(kernel, X, labels, weight, threads)
            # The grower saw no rows without weight.
            if ids is not None and "teacher_labels_" in found:
                every = np.full(len(X), -1, dtype=np.int32)
                every[ids] = found["teacher_labels_"]
                found["teacher_labels_"] = every
            found = self._complete(found, X, kept, threads)
        self.tree_ = tree
        self.labels_ = labels
        self.n_clusters_ = tree.n_clusters
        self.n_leaves_ = tree.n_leaves
        # The last fit may have had centres where this one has none.
        vars(self).pop("cluster_centers_", None)
        for name, value in found.items():
            # What there is one of for each cluster is for those that the tree has.
            if name.startswith("cluster_"):
                value = value[kept]
            setattr(self, name, value)
        return self

    def score(
        self, X: ArrayLike, y: object = None, *, sample_weight: ArrayLike | None = None
    ) -> float:
        """The kernel KMeans objective of the clusters that the tree makes of X, as Kauri's.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
            Higher is better.
        """
        X, threads = self._rows_and_threads(X)
        weight = checks.check_sample_weight(sample_weight, len(X))
        kernel = self._kernel()
        checks.check_domain(kernel, X)
        labels = self.tree_.predict(X, threads)
        return kernel_objective(kernel, X, labels, weight, threads)

    def _kernel(self) -> Kernel:
        """The kernel by whose KMeans objective the tree is judged."""
        return Kernel("linear")

    def _complete(
        self, found: dict[str, object], X: np.ndarray, kept: np.ndarray, threads: int
    ) -> dict[str, object]:
        """The attributes, where rows of weight 0 have a part in them or clusters are renumbered.

        ``kept`` are the sketch's clusters that the tree has, in the tree's order. The teacher's
        label of rows of weight 0 is -1 so far.
        """
        return found

    @abstractmethod
    def _draw(
        self, X: np.ndarray, weight: np.ndarray | None, threads: int
    ) -> tuple[Sketch, dict[str, object]]:
        """The tree of the rows, and the attributes that the fit leaves besides the common ones."""
