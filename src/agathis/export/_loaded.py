"""A tree with its words and without the method that grew it, as an estimator that predicts.

It comes from a file (:func:`agathis.export.from_json`) or, by ``loaded``, straight from a model; a
file is this estimator written down (``_json``).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags

from agathis._checks import data as checks
from agathis._describe.columns import Indicator, date_parts_of, one_hot_of, value_names_of
from agathis._describe.described_tree import describe
from agathis._describe.model_methods import ModelMethods
from agathis._describe.rounding import rounded
from agathis._describe.rows_in_units import table_of
from agathis._tables.date_parts import DatePart
from agathis._tables.feature_rows import column_names, rows_for_tree
from agathis._trees.model import TreeModel
from agathis._trees.tree import Tree


class LoadedTree(TreeModel, ModelMethods, BaseEstimator):
    """A fitted tree without the method that grew it.

    It predicts as the model did that it comes from, and every exporter takes it. ``fit`` leaves
    the tree as it is, so that it may stand at the end of a pipeline.

    Of a data frame of pandas or polars, a ``pyarrow.Table`` or a ``pyarrow.RecordBatch``,
    ``predict``, ``apply`` and ``decision_path`` take the rows as they were before encoding: columns
    are found by their names, others are ignored, and sources of ``one_hot`` are encoded here. A
    category that the tree has not seen is none of the known ones, with a warning. Arrays have a
    column for each feature, in their order.

    Parameters
    ----------
    tree : Tree
    feature_names : sequence of str, optional
    cluster_names : sequence of str, optional
    one_hot, value_names : mapping, optional
        As for :func:`agathis.export.to_text`.
    date_parts : mapping, optional
        For each feature that is a part of a date what it is made of, as
        :class:`agathis.TableEncoder` tells it.
    takes_missing : bool, default=True
        Whether rows may miss values.
    source : str, optional
        The class of the model that the tree comes from.
    objective : float, optional
        Kauri's objective of the rows that the tree was grown from.
    rounded : bool, default=False
        Whether thresholds have no more digits than rows needed; texts then show them in full.
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
    objective_ : float
        Where it was given; in the units of the rows that the tree was grown from.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import from_json, to_json
    >>> model = from_json(to_json(Kauri(2).fit([[0.0], [1.0], [9.0]])))
    >>> model
    LoadedTree(objective=81.5, source='Kauri', takes_missing=False,
               tree=Tree(2 leaves, 2 clusters, depth 1, 1 features))
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
        source: str | None = None,
        objective: float | None = None,
        rounded: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.tree = tree
        self.feature_names = feature_names
        self.cluster_names = cluster_names
        self.one_hot = one_hot
        self.value_names = value_names
        self.date_parts = date_parts
        self.takes_missing = takes_missing
        self.source = source
        self.objective = objective
        self.rounded = rounded
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
        if objective is not None:
            self.objective_ = objective

    def fit(self, X: ArrayLike, y: object = None) -> LoadedTree:
        """Nothing: the tree is grown already.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : LoadedTree
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

    def __sklearn_clone__(self) -> LoadedTree:
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.takes_missing
        return tags

    def _rows_and_threads(self, X: ArrayLike) -> tuple[np.ndarray, int]:
        if self._has_columns(X):
            X = self._rows_of_frame(X)
        threads = checks.n_threads(self.n_jobs)
        # The names may have been given for reading only: rows without names are as welcome.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            X, _ = checks.check_X(self, X, reset=False, missing=True, threads=threads)
        if not self.takes_missing:
            self._check_known(X)
        return X, threads

    def _has_columns(self, X: ArrayLike) -> bool:
        """Whether these are rows of a table, whose columns are found by their names."""
        columns = column_names(X) if hasattr(self, "feature_names_in_") else []
        return len(columns) > 0 and all(isinstance(name, str) for name in columns)

    def _rows_of_frame(self, frame: Any) -> np.ndarray:
        """The features in their order; 0 where the tree does not ask for one."""
        names = list(self.feature_names_in_)
        found = rows_for_tree(
            frame, self.tree_, names, self.one_hot or {}, date_parts=self.date_parts
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


def loaded(
    model: BaseEstimator | Pipeline | Tree,
    *,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    X: Any = None,
) -> LoadedTree:
    """What :func:`agathis.export.from_json` reads of what :func:`to_json` writes of a model.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    scaler, feature_names, cluster_names, one_hot, value_names : optional
        As for :func:`agathis.export.to_text`. With a scaler the tree is for rows that are not
        scaled.
    X : array-like of shape (n_samples, n_features), optional
        Rows in the units of the thresholds: with a scaler, from before scaling. Thresholds then
        become the shortest numbers that send all of them where the model sends them
        (``_describe.rounding``), in the tree itself, and so in whatever is made of it. Of a
        pipeline that begins with a TableEncoder, a raw table, or what its ``encode`` made of one.

    Returns
    -------
    model : LoadedTree

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export._loaded import loaded
    >>> X = [[0.0], [1.25], [9.0]]
    >>> loaded(Kauri(2).fit(X)).predict([[7.5]])
    array([1], dtype=int32)
    >>> [loaded(Kauri(2).fit(X), X=Z).tree_.threshold[0].item() for Z in (None, X)]
    [5.125, 5.0]
    """
    described = describe(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
        value_names=value_names,
    )
    source, tree = described.model, described.tree
    objective = getattr(source, "objective_", None)
    kind = source.source if isinstance(source, LoadedTree) else None
    if X is not None:
        rows = table_of(described, X, missing=True)
        words = [f for f, column in enumerate(described.columns) if isinstance(column, Indicator)]
        tree = rounded(tree, rows, but=words, threads=checks.n_threads(None))
    return LoadedTree(
        tree,
        feature_names=described.features if described.named_features else None,
        cluster_names=described.clusters if described.named_clusters else None,
        one_hot=one_hot_of(described.features, described.columns) or None,
        value_names=value_names_of(described.columns) or None,
        date_parts=date_parts_of(described.features, described.columns) or None,
        takes_missing=described.takes_missing,
        source=kind or type(source).__name__,
        objective=None if objective is None else float(objective),
        rounded=X is not None or bool(getattr(source, "rounded", False)),
    )
