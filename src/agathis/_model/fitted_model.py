"""A fitted model, the same object after a fit and after it was read from a file.

It is read from a file (:func:`agathis.export.from_json`), which stores this object, or made from an
estimator, a pipeline or a tree (``conversion``).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from agathis._checks import data as checks
from agathis._checks import kernels as kernel_checks
from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._encoding.date_parts import DatePart
from agathis._encoding.feature_rows import column_names, rows_for_tree
from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space
from agathis._model.agreement import Agreement
from agathis._model.encoding import Encoding, Unavailable
from agathis._model.evidence import Evidence
from agathis._model.facts import CentrePoints, FitMetrics, Provenance
from agathis._model.spec import FitSpec, NotRestorable
from agathis._objective.centres import PointCentres
from agathis._objective.objective import kernel_objective, objective, point_kernel_sums
from agathis._rules.columns import is_missing
from agathis._rules.estimator_methods import ModelMethods
from agathis._trees.model import TreeModel
from agathis._trees.tree import Tree


@dataclass(eq=False, repr=False)
class FittedModel(TreeModel, ModelMethods, BaseEstimator):
    """Fitted clustering tree with its settings, preprocessing and provenance.

    It predicts as the model it was made from, and every export, plot and report accepts it.
    ``fit`` does nothing, so that it can be the last step of a pipeline.

    ``predict``, ``apply`` and ``decision_path`` accept a DataFrame of pandas or polars, a
    ``pyarrow.Table`` or a ``pyarrow.RecordBatch`` with the raw rows, before encoding: columns are
    selected by name, other columns are ignored, and the categorical features of ``one_hot`` are
    encoded. Unknown categories raise a warning and are treated as none of the known ones. An array
    has one column per feature, in order.

    ``encode`` returns rows in the space of the fit, which ``score``, ``transform``,
    :func:`agathis.refine` and reports use if the spec and the preparation are known. Training rows
    are not part of the model.

    Parameters
    ----------
    tree : Tree
        The tree over raw columns, in their units.
    feature_names : sequence of str, optional
    cluster_names : sequence of str, optional
    one_hot, value_names : mapping, optional
        As for :func:`agathis.export.to_text`.
    date_parts : mapping, optional
        The column and the date part of each feature that is a date part.
    takes_missing : bool, default=True
        Whether rows may have missing values.
    method : str, optional
        The class name of the estimator.
    rounded : bool, default=False
        Whether the thresholds were rounded to the digits that the rows require. They are then
        displayed in full.
    spec : FitSpec or Unavailable, optional
        The settings of the fit, or the reason why they are unknown.
    preparation : Encoding, Unavailable or None
        The computation of the fitted columns from raw features; None if they are the same.
    fitted_tree : Tree, optional
        The tree over the fitted columns, if these are not the raw ones.
    roles : FeatureRoles, optional
        The roles of the fitted columns; by default all are used for splits and distances.
    centres : CentrePoints, optional
        Cluster centres in the space of the fit, if they are points.
    fit_metrics : FitMetrics, optional
    provenance : Provenance, optional
        The table that the model was fitted to.
    evidence : Evidence, optional
        Whether the table has more than one group, and the evidence of each split.
    agreement : Agreement, optional
        The agreement with the labels that the model explains (:func:`agathis.explain`).
    n_jobs : int, optional
        The number of threads of ``predict``; by default all cores.

    Attributes
    ----------
    tree_ : Tree
    n_clusters_, n_leaves_, n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if feature names were given.
    cluster_names_ : list of str
    one_hot_, value_names_, date_parts_ : mapping
        Defined only if they were given; exports use them.
    evidence_ : Evidence or None
        As given.
    classes_ : ndarray of shape (n_clusters_,)
        The given label of each cluster, for a model that explains labels.
    objective_, inertia_ : float
        In the space of the fit. Defined only if they are known.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import from_json, to_json
    >>> model = from_json(to_json(Kauri(2).fit([[0.0], [1.0], [9.0]])))
    >>> model
    FittedModel(Kauri, 2 leaves, 2 clusters, depth 1, 1 features)
    >>> model.predict([[7.5]])
    array([1], dtype=int32)

    A DataFrame needs no encoding.

    >>> import pandas as pd
    >>> plans = {"plan": ["plan_free", "plan_basic"]}
    >>> tree = Kauri(2).fit(pd.DataFrame({"plan_free": [1, 0, 0], "plan_basic": [0, 1, 1]}))
    >>> model = from_json(to_json(tree, one_hot=plans))
    >>> model.predict(pd.DataFrame({"id": [7, 8], "plan": ["free", "basic"]}))
    array([1, 0], dtype=int32)
    """

    tree: Tree
    _: KW_ONLY
    feature_names: Sequence[str] | None = None
    cluster_names: Sequence[str] | None = None
    one_hot: Mapping[Any, Any] | None = None
    value_names: Mapping[Any, Any] | None = None
    date_parts: Mapping[str, DatePart] | None = None
    takes_missing: bool = True
    method: str | None = None
    rounded: bool = False
    spec: FitSpec | Unavailable | None = None
    preparation: Encoding | Unavailable | None = None
    fitted_tree: Tree | None = None
    roles: FeatureRoles | None = None
    centres: CentrePoints | None = None
    fit_metrics: FitMetrics | None = None
    provenance: Provenance | None = None
    evidence: Evidence | None = None
    agreement: Agreement | None = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        self.tree_ = self.tree
        self.evidence_ = self.evidence
        self.n_clusters_ = self.tree.n_clusters
        self.n_leaves_ = self.tree.n_leaves
        self.n_features_in_ = self.tree.n_features
        if self.feature_names is not None:
            self.feature_names_in_ = np.asarray(self.feature_names, dtype=object)
        if self.cluster_names is not None:
            self.cluster_names_ = list(self.cluster_names)
        metrics = self.fit_metrics or FitMetrics()
        known: dict[str, Any] = {
            "one_hot_": self.one_hot,
            "value_names_": self.value_names,
            "date_parts_": self.date_parts,
            "classes_": self.agreement and self.agreement.classes(self.tree.n_clusters),
            "objective_": metrics.objective,
            "inertia_": metrics.inertia,
        }
        for name, value in known.items():
            if value is not None:
                setattr(self, name, value)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"FittedModel({self.method or 'a tree'}, {repr(self.tree)[5:]}"

    def encode(self, X: ArrayLike) -> EncodedRows:
        """Encode raw rows as the fit did, with the roles of their columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Raw rows, as for ``predict``.

        Returns
        -------
        Z : EncodedRows of shape (n_samples, n_columns)
        """
        rows, _ = self._rows_and_threads(X, every=True)
        return self.encoded(rows)

    def encoded(self, rows: np.ndarray) -> EncodedRows:
        """Encode raw features, an array with one column per feature."""
        if isinstance(self.preparation, Unavailable):
            raise ValueError(f"rows cannot be encoded: {self.preparation.why}.")
        if self.preparation is not None:
            rows = self.preparation.encode(rows)
        return EncodedRows.of(rows, self.roles or FeatureRoles.plain(rows.shape[1]))

    def is_complete(self, rows: np.ndarray) -> np.ndarray:
        """Mask of the rows of raw features without missing values or categories for them."""
        named = getattr(self, "feature_names_in_", ())
        index = {name: f for f, name in enumerate(named)}
        absent = [
            index[feature]
            for features in (self.one_hot or {}).values()
            for feature, category in features.items()
            if is_missing(category) and feature in index
        ]
        return ~(np.isnan(rows).any(axis=1) | (rows[:, absent] > 0).any(axis=1))

    def settings(self) -> FitSpec:
        """The spec; raises ValueError with the reason if it is unknown."""
        if self.spec is None or isinstance(self.spec, Unavailable):
            raise ValueError(f"the settings of the fit are unknown: {self.why_no_spec}.")
        return self.spec

    @property
    def why_no_spec(self) -> str | None:
        """The reason why the settings of the fit are unknown, or None."""
        if isinstance(self.spec, Unavailable):
            return self.spec.why
        return "a tree does not store them" if self.spec is None else None

    def score(
        self, X: ArrayLike, y: object = None, *, sample_weight: ArrayLike | None = None
    ) -> float:
        """Objective of the clusters of X; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Raw rows.
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
            As ``score`` of the fitted estimator.
        """
        rows, threads = self._rows_and_threads(X, every=True)
        Z = np.asarray(self.encoded(rows))
        weight = checks.check_sample_weight(sample_weight, len(Z))
        labels = self.tree_.predict(rows, threads)
        kernel = self._kernel()
        kernel_checks.check_domain(kernel, Z)
        if self.centres is not None:
            space = self._space(kernel)
            return objective(*point_kernel_sums(space, Z, labels, weight, threads))
        return kernel_objective(kernel, Z, labels, weight, threads, None)

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Distance of each row to each cluster centre, in the space of the fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Raw rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        rows, threads = self._rows_and_threads(X, every=True)
        Z = np.asarray(self.encoded(rows))
        kernel = self._kernel()
        if self.centres is None:
            raise ValueError(
                f"transform is not available for {kernel}: its cluster centres are not points, and "
                "distances to them require the training rows, which the model does not store."
            )
        points, origin = np.array(self.centres.points), np.array(self.centres.origin)
        return PointCentres(self._space(kernel), points, origin).distances(Z, threads)

    def _kernel(self) -> Kernel:
        """The kernel of the objective, over the columns that it sees."""
        spec = self.settings()
        if spec.approximation.n_components is not None:
            raise ValueError(
                "the kernel was approximated by a feature map (n_components), which the model "
                "does not store."
            )
        if spec.kernel.kernel == "precomputed":
            raise ValueError("kernel='precomputed': the kernel values are not stored.")
        if isinstance(spec.kernel.kernel, NotRestorable):
            name = spec.kernel.kernel.name
            raise ValueError(f"the kernel was {name}, which a file cannot store.")
        return spec.kernel.resolve(None if self.roles is None else self.roles.kernel_columns)

    def _space(self, kernel: Kernel) -> Space:
        assert self.centres is not None
        fill = self.centres.fill
        return Space(kernel, None, None if fill is None else np.array(fill))

    def has_names(self, X: object) -> bool:
        """Whether X is a table, whose columns are selected by name."""
        columns = column_names(X) if hasattr(self, "feature_names_in_") else []
        return len(columns) > 0 and all(isinstance(name, str) for name in columns)

    def features_of(self, X: ArrayLike) -> np.ndarray:
        """Convert raw rows to numbers, one column per feature, including missing values."""
        if self.has_names(X):
            return self._rows_of_frame(X, every=True)
        return checks.check_table(X, missing=True, n_features=self.n_features_in_)

    def fit(self, X: ArrayLike, y: object = None) -> FittedModel:
        """Do nothing and return the model.

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
        """Predict the cluster of each row.

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

    def _rows_and_threads(self, X: ArrayLike, every: bool = False) -> tuple[np.ndarray, int]:
        if self.has_names(X):
            X = self._rows_of_frame(X, every)
        threads = checks.n_threads(self.n_jobs)
        # The names may be for display only, so rows without names are valid too.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            X, _ = checks.check_X(self, X, reset=False, missing=True, threads=threads)
        if not self.takes_missing:
            self._check_known(X)
        return X, threads

    def _rows_of_frame(self, frame: Any, every: bool = False) -> np.ndarray:
        """The features in their order; 0 where the tree does not split on one, unless ``every``."""
        names = list(self.feature_names_in_)
        rows = rows_for_tree(
            frame, self.tree_, names, self.one_hot or {}, every=every, date_parts=self.date_parts
        )
        for message in rows.odd():
            checks.warn(message, UserWarning)
        return rows.X

    def _check_known(self, X: np.ndarray) -> None:
        missing = np.isnan(X).any(axis=0)
        if missing.any():
            column = int(np.argmax(missing))
            names = getattr(self, "feature_names_in_", None)
            where = column if names is None else repr(names[column])
            raise ValueError(
                f"Input X contains NaN, for example in column {where}, but the tree was fitted "
                "without missing values. Impute them, drop these rows, or set takes_missing=True "
                "to send them to the child with more samples at each split."
            )

    @property
    def _takes_missing(self) -> bool:
        return self.takes_missing
