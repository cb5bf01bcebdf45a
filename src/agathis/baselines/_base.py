"""The estimators of baselines: parameters, and the arguments of ``fit``.

The trees are built by :func:`agathis._fit.fit.fit`, with ``_build_tree`` of the class.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from agathis._checks import data as checks
from agathis._checks.metrics import check_labels
from agathis._dataset.fit_input import dataset_of
from agathis._fit.baseline import BuiltTree, CountedRows
from agathis._fit.fit import fit
from agathis._model.spec import FitSpec
from agathis._rules.estimator_methods import ModelMethods
from agathis._trees.model import TreeEstimator

AnyBaseline = TypeVar("AnyBaseline", bound="Baseline")


class Baseline(TreeEstimator, ModelMethods, BaseEstimator):
    """A clustering tree grown by a baseline method."""

    n_clusters: int | None
    n_jobs: int | None

    @checks.fit_context(prefer_skip_nested_validation=True)
    def fit(
        self: AnyBaseline, X: ArrayLike, y: object = None, *, sample_weight: ArrayLike | None = None
    ) -> AnyBaseline:
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
        self: AnyBaseline,
        X: ArrayLike,
        sample_weight: ArrayLike | None,
        labels: ArrayLike | None = None,
    ) -> AnyBaseline:
        """Grow the tree; ``labels`` are for a baseline that can learn given ones."""
        with checks.last_fit_kept(self):
            n_clusters = self.n_clusters if labels is None else 1
            dataset = dataset_of(self, X, sample_weight, n_clusters=n_clusters)
            codes = None if labels is None else check_labels(labels, n=len(dataset.X))
            spec = FitSpec.of(self)
            if spec.options.get("centers") is not None:
                centers = checks.check_centers(self, dataset.X.shape[1])
                spec = replace(spec, options={**spec.options, "centers": centers})
            result = fit(dataset, spec, labels=codes)
        result.set_attributes(self)
        return self

    @staticmethod
    @abstractmethod
    def _build_tree(rows: CountedRows, spec: FitSpec) -> BuiltTree:
        """Build the tree of a spec, from the rows of positive weight."""


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
