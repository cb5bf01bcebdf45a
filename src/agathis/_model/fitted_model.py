"""A fitted model, the same object after a fit and after it was read from a file.

It comes from a file (:func:`agathis.export.from_json`) or from an estimator, a pipeline or a tree
(``conversion``); a file is this object written down.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from agathis._checks import data as checks
from agathis._checks import kernels as kernel_checks
from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._describe.columns import is_missing
from agathis._describe.model_methods import ModelMethods
from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space
from agathis._model.encoding import Encoding, Unavailable
from agathis._model.facts import CentrePoints, FitMetrics, Provenance
from agathis._model.spec import FitSpec, NotRestorable
from agathis._partitions.centres import PointCentres
from agathis._partitions.objective import kernel_objective, objective, point_stocks
from agathis._tables.date_parts import DatePart
from agathis._tables.feature_rows import column_names, rows_for_tree
from agathis._trees.model import TreeModel
from agathis._trees.tree import Tree


class FittedModel(TreeModel, ModelMethods, BaseEstimator):
    """A fitted clustering tree with all that describes it.

    It predicts as the model it comes from, and every exporter, picture and report takes it.
    ``fit`` leaves the tree as it is, so that it may stand at the end of a pipeline.

    Of a data frame of pandas or polars, a ``pyarrow.Table`` or a ``pyarrow.RecordBatch``,
    ``predict``, ``apply`` and ``decision_path`` take the rows as they were before encoding: columns
    are found by their names, others are ignored, and sources of ``one_hot`` are encoded here. A
    category that the tree has not seen is none of the known ones, with a warning. Arrays have a
    column for each feature, in their order.

    ``encode`` gives rows in the space of the fit; ``score``, ``transform``, :func:`agathis.refine`
    and reports work there, wherever the spec and the preparation are known. Training rows are not
    part of the model.

    Parameters
    ----------
    tree : Tree
        Over raw columns, in their units.
    feature_names : sequence of str, optional
    cluster_names : sequence of str, optional
    one_hot, value_names : mapping, optional
        As for :func:`agathis.export.to_text`.
    date_parts : mapping, optional
        For each feature that is a part of a date the column and the part.
    takes_missing : bool, default=True
        Whether rows may miss values.
    method : str, optional
        The class of the estimator that the tree comes from.
    rounded : bool, default=False
        Whether thresholds have no more digits than rows needed; texts then show them in full.
    spec : FitSpec or Unavailable, optional
        All settings that decide the tree, or why they are not known.
    preparation : Encoding, Unavailable or None
        How the columns of the fit come from raw features; None where these are the same.
    fitted_tree : Tree, optional
        The tree over the columns of the fit, where these are not the raw ones.
    roles : FeatureRoles, optional
        Of the columns of the fit; by default all are split on and counted.
    centres : CentrePoints, optional
        Cluster centres in the space of the fit, where they are points.
    fit_metrics : FitMetrics, optional
    provenance : Provenance, optional
        The table that the model was fitted to.
    n_jobs : int, optional
        Threads of ``predict``; by default as many as cores.

    Attributes
    ----------
    tree_ : Tree
    n_clusters_, n_leaves_, n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where names were given.
    cluster_names_ : list of str
        Where names were given; exporters use them.
    one_hot_, value_names_, date_parts_ : mapping
        Where they were given; exporters use them.
    objective_, inertia_ : float
        Where they are known; in the space of the fit.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import from_json, to_json
    >>> model = from_json(to_json(Kauri(2).fit([[0.0], [1.0], [9.0]])))
    >>> model
    FittedModel(Kauri, 2 leaves, 2 clusters, depth 1, 1 features)
    >>> model.predict([[7.5]])
    array([1], dtype=int32)

    Rows of a data frame need no encoding.

    >>> import pandas as pd
    >>> plans = {"plan": ["plan_free", "plan_basic"]}
    >>> tree = Kauri(2).fit(pd.DataFrame({"plan_free": [1, 0, 0], "plan_basic": [0, 1, 1]}))
    >>> model = from_json(to_json(tree, one_hot=plans))
    >>> model.predict(pd.DataFrame({"id": [7, 8], "plan": ["free", "basic"]}))
    array([1, 0], dtype=int32)
    """

    def __init__(
        self,
        tree: Tree,
        *,
        feature_names: Sequence[str] | None = None,
        cluster_names: Sequence[str] | None = None,
        one_hot: Mapping[Any, Any] | None = None,
        value_names: Mapping[Any, Any] | None = None,
        date_parts: Mapping[str, DatePart] | None = None,
        takes_missing: bool = True,
        method: str | None = None,
        rounded: bool = False,
        spec: FitSpec | Unavailable | None = None,
        preparation: Encoding | Unavailable | None = None,
        fitted_tree: Tree | None = None,
        roles: FeatureRoles | None = None,
        centres: CentrePoints | None = None,
        fit_metrics: FitMetrics | None = None,
        provenance: Provenance | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.tree = tree
        self.feature_names = feature_names
        self.cluster_names = cluster_names
        self.one_hot = one_hot
        self.value_names = value_names
        self.date_parts = date_parts
        self.takes_missing = takes_missing
        self.method = method
        self.rounded = rounded
        self.spec = spec
        self.preparation = preparation
        self.fitted_tree = fitted_tree
        self.roles = roles
        self.centres = centres
        self.fit_metrics = fit_metrics
        self.provenance = provenance
        self.n_jobs = n_jobs
        self.tree_ = tree
        self.n_clusters_ = tree.n_clusters
        self.n_leaves_ = tree.n_leaves
        self.n_features_in_ = tree.n_features
        if feature_names is not None:
            self.feature_names_in_ = np.asarray(feature_names, dtype=object)
        if cluster_names is not None:
            self.cluster_names_ = list(cluster_names)
        if one_hot is not None:
            self.one_hot_ = one_hot
        if value_names is not None:
            self.value_names_ = value_names
        if date_parts is not None:
            self.date_parts_ = date_parts
        if fit_metrics is not None and fit_metrics.objective is not None:
            self.objective_ = fit_metrics.objective
        if fit_metrics is not None and fit_metrics.inertia is not None:
            self.inertia_ = fit_metrics.inertia

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"FittedModel({self.method or 'a tree'}, {repr(self.tree)[5:]}"

    def encode(self, X: ArrayLike) -> EncodedRows:
        """Rows in the space of the fit, with the roles of their columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Raw rows, as for ``predict``.

        Returns
        -------
        Z : EncodedRows of shape (n_samples, n_columns)
        """
        rows, _ = self._every_column(X)
        return self.encoded(rows)

    def encoded(self, rows: np.ndarray) -> EncodedRows:
        """The same of raw features as numbers, an array with a column for each."""
        if isinstance(self.preparation, Unavailable):
            raise ValueError(f"rows cannot be encoded: {self.preparation.why}.")
        if self.preparation is not None:
            rows = self.preparation.encode(rows)
        return EncodedRows.of(rows, self.roles or FeatureRoles.plain(rows.shape[1]))

    def is_complete(self, rows: np.ndarray) -> np.ndarray:
        """Which rows, raw features as numbers, miss no value; a category of missing ones is one."""
        named = getattr(self, "feature_names_in_", ())
        place = {name: f for f, name in enumerate(named)}
        absent = [
            place[feature]
            for features in (self.one_hot or {}).values()
            for feature, category in features.items()
            if is_missing(category) and feature in place
        ]
        return ~(np.isnan(rows).any(axis=1) | (rows[:, absent] > 0).any(axis=1))

    def settings(self) -> FitSpec:
        """The spec; raises ValueError with the reason where it is not known."""
        if self.spec is None or isinstance(self.spec, Unavailable):
            raise ValueError(f"the settings of the fit are unknown: {self.why_no_spec}.")
        return self.spec

    @property
    def why_no_spec(self) -> str | None:
        """Why the settings of the fit are not known; None where they are."""
        if isinstance(self.spec, Unavailable):
            return self.spec.why
        return "a tree does not store them" if self.spec is None else None

    def score(
        self, X: ArrayLike, y: object = None, *, sample_weight: ArrayLike | None = None
    ) -> float:
        """The objective of the clusters that the tree makes of X; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Raw rows.
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
            As of the estimator that the model comes from.
        """
        rows, threads = self._every_column(X)
        Z = np.asarray(self.encoded(rows))
        weight = checks.check_sample_weight(sample_weight, len(Z))
        labels = self.tree_.predict(rows, threads)
        kernel = self._kernel()
        kernel_checks.check_domain(kernel, Z)
        if self.centres is not None:
            space = self._space(kernel)
            return objective(*point_stocks(space, Z, labels, weight, threads))
        return kernel_objective(kernel, Z, labels, weight, threads, None)

    def transform(self, X: ArrayLike) -> np.ndarray:
        """The distance of each row to the centre of each cluster, in the space of the fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Raw rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        rows, threads = self._every_column(X)
        Z = np.asarray(self.encoded(rows))
        kernel = self._kernel()
        if self.centres is None:
            raise ValueError(
                f"{kernel} has centres that are no points: distances to them need the training "
                "rows, which the model does not hold."
            )
        points, origin = np.array(self.centres.points), np.array(self.centres.origin)
        return PointCentres(self._space(kernel), points, origin).distances(Z, threads)

    def _kernel(self) -> Kernel:
        """The kernel of the objective, over the columns that it sees."""
        spec = self.settings()
        if spec.approximation.n_components is not None:
            raise ValueError(
                "the kernel was approximated by a feature map (n_components), which the model "
                "does not hold."
            )
        if spec.kernel.kernel == "precomputed":
            raise ValueError("kernel='precomputed': the values of the kernel are not known.")
        if isinstance(spec.kernel.kernel, NotRestorable):
            raise ValueError(f"the kernel was {spec.kernel.kernel.name}, which a file cannot hold.")
        return spec.kernel.resolve(None if self.roles is None else self.roles.kernel_columns)

    def _space(self, kernel: Kernel) -> Space:
        assert self.centres is not None
        fill = self.centres.fill
        return Space(kernel, None, None if fill is None else np.array(fill))

    def has_names(self, X: object) -> bool:
        """Whether these are rows of a table, whose columns are found by their names."""
        columns = column_names(X) if hasattr(self, "feature_names_in_") else []
        return len(columns) > 0 and all(isinstance(name, str) for name in columns)

    def features_of(self, X: ArrayLike) -> np.ndarray:
        """Raw rows as numbers, a column for each feature, missing values and all."""
        if self.has_names(X):
            return self._rows_of_frame(X, every=True)
        return checks.check_table(X, missing=True, n_features=self.n_features_in_)

    def _every_column(self, X: ArrayLike) -> tuple[np.ndarray, int]:
        """Raw features of X, all of them, not only those of the splits."""
        if self.has_names(X):
            X = self._rows_of_frame(X, every=True)
        return self._rows_and_threads(X)

    def fit(self, X: ArrayLike, y: object = None) -> FittedModel:
        """Nothing: the tree is grown already.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : FittedModel
        """
        return self

    # Nothing is fitted, so there are no parameters of ``fit`` to take.
    def fit_predict(self, X: ArrayLike, y: object = None) -> np.ndarray:  # type: ignore[override]
        """The cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self.predict(X)

    def __sklearn_clone__(self) -> FittedModel:
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.takes_missing
        return tags

    def _rows_and_threads(self, X: ArrayLike) -> tuple[np.ndarray, int]:
        if self.has_names(X):
            X = self._rows_of_frame(X)
        threads = checks.n_threads(self.n_jobs)
        # The names may have been given for reading only: rows without names are as welcome.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            X, _ = checks.check_X(self, X, reset=False, missing=True, threads=threads)
        if not self.takes_missing:
            self._check_known(X)
        return X, threads

    def _rows_of_frame(self, frame: Any, every: bool = False) -> np.ndarray:
        """The features in their order; 0 where the tree does not split on one, unless ``every``."""
        names = list(self.feature_names_in_)
        found = rows_for_tree(
            frame, self.tree_, names, self.one_hot or {}, every=every, date_parts=self.date_parts
        )
        for text in found.odd():
            checks.warn(text, UserWarning)
        return found.X

    def _check_known(self, X: np.ndarray) -> None:
        missing = np.isnan(X).any(axis=0)
        if missing.any():
            column = int(np.argmax(missing))
            names = getattr(self, "feature_names_in_", None)
            where = column if names is None else repr(names[column])
            raise ValueError(
                f"Input X contains NaN, for example in column {where}; the tree was grown from "
                "rows without missing values. Fill them in or drop these rows, or set "
                "takes_missing=True: they then go with the larger part at each split."
            )

    @property
    def _takes_missing(self) -> bool:
        return self.takes_missing
