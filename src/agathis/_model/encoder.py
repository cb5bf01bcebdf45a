"""The preparation of a ``FittedModel`` as the first step of a pipeline with another tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from agathis._encoding.feature_rows import FeatureRows
from agathis._model.encoding import CategoryColumn, Encoding, NumberColumn
from agathis._model.fitted_model import FittedModel
from agathis._trees.stepped import Step


class ModelEncoder(TransformerMixin, BaseEstimator):
    """Encode raw rows as the fit of a model did.

    Exports of a pipeline that starts with it are in terms of raw columns, because it has the same
    attributes for its raw features as :class:`agathis.TableEncoder`.

    Parameters
    ----------
    model : FittedModel
    """

    def __init__(self, model: FittedModel) -> None:
        self.model = model
        names = model.feature_names
        n = model.n_features_in_
        self.feature_names_ = [f"x{i}" for i in range(n)] if names is None else list(names)
        self.one_hot_: Mapping[str, Mapping[str, object]] = model.one_hot or {}
        self.date_parts_ = model.date_parts or {}
        if isinstance(model.preparation, Encoding):
            self.scaler_ = _ColumnScaler(model.preparation, n)

    def fit(self, X: Any, y: object = None) -> ModelEncoder:
        """Do nothing: the model is fitted."""
        return self

    def transform(self, X: Any) -> Any:
        """Encode rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Raw rows, as for ``predict`` of the model.

        Returns
        -------
        Z : EncodedRows of shape (n_samples, n_columns)
        """
        return self.model.encoded(self.encode(X).X)

    def encode(self, table: Any) -> FeatureRows:
        """Convert rows to raw features."""
        X = self.model.features_of(table)
        return FeatureRows(X, {}, int(np.isnan(X).any(axis=1).sum()))


class _ColumnScaler:
    """Map each raw feature to the column of the fit in the same position."""

    def __init__(self, encoding: Encoding, n_features: int) -> None:
        self.columns = encoding.columns
        one_each = len(self.columns) == n_features and all(
            _is_rising(column, i) for i, column in enumerate(self.columns)
        )
        if not one_each:
            raise ValueError(
                "the columns of the fit do not correspond to the features one to one, so that a "
                "tree over them has no equivalent over raw columns. Refine the fitted pipeline."
            )

    def transform(self, X: np.ndarray) -> np.ndarray:
        out = np.empty(X.shape)
        for i, column in enumerate(self.columns):
            if isinstance(column, CategoryColumn):
                on, off = _values_of(column, i)
                out[:, i] = np.where(np.isnan(X[:, i]), np.nan, np.where(X[:, i] == 1, on, off))
            else:
                out[:, i] = column.encode(X)
        return out


def _values_of(column: CategoryColumn, feature: int) -> tuple[float, float]:
    """The encoded values of rows in the category of a feature and of other rows."""
    values = dict(column.values)
    on = values.pop(feature)
    return on, next(iter(values.values()), column.unknown)


def _is_rising(column: object, feature: int) -> bool:
    """Whether a column is an increasing function of this feature alone."""
    if isinstance(column, CategoryColumn):
        if feature not in dict(column.values):
            return False
        on, off = _values_of(column, feature)
        others = {value for f, value in column.values if f != feature} | {column.unknown}
        return on > off and others == {off}
    if not isinstance(column, NumberColumn) or column.feature != feature:
        return False
    factors = [
        step.by
        for step in column.operations
        if isinstance(step, Step) and step.operation in ("multiply", "divide")
    ]
    filled = any(isinstance(step, Step) and step.operation == "fill" for step in column.operations)
    return all(by > 0 for by in factors) and not filled
