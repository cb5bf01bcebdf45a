"""Encode a table as numeric features; fitted once, applied to any rows.

    table -> column roles -> raw features: numbers, columns of 0 and 1, parts of dates
          -> scaling -> rows with roles: what may be split on, what counts for distances

:class:`TableEncoder` is a scikit-learn transformer and does all preparation, in pipelines and on
the command line. Raw features are in the units of the table, in which rules are written; scaling
(``scaling``) is monotonic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from agathis._checks.data import warn
from agathis._checks.parameters import check_feature_names_in
from agathis._checks.roles import EncodedRows, Units
from agathis._columns.arrow_values import holds_numbers
from agathis._columns.column_facts import Extent
from agathis._columns.errors import Advice, BadTable, Note
from agathis._columns.frames import checked_table, is_table
from agathis._columns.identifiers import FEW
from agathis._encoding import row_sample
from agathis._encoding.column_roles import ColumnType
from agathis._encoding.column_types import infer_column_types
from agathis._encoding.copies import families, features_within, learned_weights
from agathis._encoding.encoder_notes import (
    columns_of,
    infinite,
    notes_of,
    nothing_left,
    too_large,
    weight_notes_of,
)
from agathis._encoding.encoder_options import Options
from agathis._encoding.feature_rows import LARGEST, FeatureRows, finite_ends
from agathis._encoding.row_sample import SampledTable, drawn, sampled
from agathis._encoding.scaling import FeatureScaler
from agathis._encoding.table_features import (
    date_parts_of,
    features_of,
    one_hot_of,
    places_of,
    raw_rows,
    roles_of,
    scaler_of,
)


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode a table as features on one scale.

    Numbers are scaled, so that all columns have equal influence. Strings, booleans and other
    categories are one-hot encoded, where 1 equals a standard deviation of numbers; ordered answers,
    such as low and high, become ranks. Identifiers, codes, constants, free text and dates are left
    out. ``columns_`` lists how each column was handled, and why. Trees split categorical features
    by sets of categories, and every export, figure and report of a pipeline with this encoder uses
    the columns and units of the table.

    Parameters
    ----------
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns to use even if they are constant or look like identifiers, codes or date parts.
    categorical : sequence of str
        Columns to treat as categorical, whatever their values.
    scale : str or dict, default="auto"
        The scaling of numbers. "auto": clip values at the 1st and 99th percentiles, then scale to
        a standard deviation of 1; extreme outliers are ignored. "standard": the same without
        clipping. "minmax": to 0..1. "robust": by median and quartiles. "rank". "log". "none". A
        dict sets it for some columns.
    weight : {"learned", "equal"} or dict, default="learned"
        The weight of each column; 2 equals having the column twice. "learned" reduces the weight
        of columns that are uncorrelated with the others, down to 0.1: it is the correlation with
        the principal components of other columns. "equal" is 1 for all. A dict sets it for some
        columns; the others have weight 1.
    dates : {"out", "parts"}, default="out"
        Whether dates and date parts (a month, a weekday) are left out, or encoded as parts: year
        or days, month, weekday, hour. Trees split on cyclical parts as numbers; for distances they
        are points on a circle, so that December lies beside January.
    no_split : sequence of str
        Columns to use for distances only, never in rules.
    no_count : sequence of str
        Columns to use in rules only, not for distances.
    show : sequence of str
        Columns to display in reports only, neither in rules nor for distances.
    max_categories : int, default=20
        The maximum number of categories of a column of strings. Of more, the most frequent are
        kept, and the rest become "other".
    ordered : dict of str to sequence of str, optional
        The values of ordered columns, low to high. Common scales (agreement, sizes, education, age
        bands) and ordered categoricals are recognised.
    strict : bool, default=False
        Whether to raise an error if a column is ambiguous, instead of adding a note.
    title : str
        Name of the table in messages.

    Attributes
    ----------
    columns_ : Table
        One row per column: its type, how it was handled and why, its fraction of the variance and
        its weight.
    column_types_ : list of ColumnType
        Inferred role of each column, in the order of the table, without ``drop``.
    features_ : list of Feature
        The features; ``feature_names_`` are their unique names.
    one_hot_ : dict
        For each categorical feature its columns with their categories, as exporters take it.
    date_parts_ : dict
        For each feature that is a date part its column and part.
    scaler_ : FeatureScaler
        From raw to scaled features.
    families_ : list of Family
        Columns that say the same, such as a price and its logarithm.
    outliers_, infinite_ : dict
        For each column with outliers, such as typing errors, their values; for each with infinite
        values the number of rows with one.
    ends_ : ndarray of shape (2, n_features)
        Minimum and maximum finite value of each feature, which replace infinite values.
    roles_ : FeatureRoles
    feature_names_in_ : ndarray of str
        Names of the columns seen during `fit`. Those of an array are x0, x1 and so on.
    n_features_in_ : int
        Number of columns seen during `fit`.

    See Also
    --------
    fit_table : This, and a tree, in one call.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from agathis import Kauri, TableEncoder
    >>> from agathis.export import to_rules
    >>> table = pd.DataFrame({"size": [1.5, 2.0, 9.0, 8.5], "paid": ["yes", "yes", "no", "no"]})
    >>> model = make_pipeline(TableEncoder(), Kauri(2)).fit(table)
    >>> model.predict(table)
    array([0, 0, 1, 1], dtype=int32)
    >>> model[0].columns_["became"]
    ['number', '2 columns of 0 and 1']
    """

    def __init__(
        self,
        *,
        drop: Sequence[str] = (),
        keep: Sequence[str] = (),
        categorical: Sequence[str] = (),
        scale: str | Mapping[str, str] = "auto",
        weight: str | Mapping[str, float] = "learned",
        dates: str = "out",
        no_split: Sequence[str] = (),
        no_count: Sequence[str] = (),
        show: Sequence[str] = (),
        max_categories: int = FEW,
        ordered: Mapping[str, Sequence[str]] | None = None,
        strict: bool = False,
        title: str = "the table",
    ) -> None:
        self.drop = drop
        self.keep = keep
        self.categorical = categorical
        self.scale = scale
        self.weight = weight
        self.dates = dates
        self.no_split = no_split
        self.no_count = no_count
        self.show = show
        self.max_categories = max_categories
        self.ordered = ordered
        self.strict = strict
        self.title = title

    def fit(self, X: Any, y: object = None) -> TableEncoder:
        """Infer column roles and scaling from a table.

        Parameters
        ----------
        X : DataFrame of pandas or polars, pyarrow.Table, or array-like of shape \
                (n_samples, n_columns)
            The columns of an array are named x0, x1 and so on.
        y : Ignored

        Returns
        -------
        self : TableEncoder
        """
        self._fit_rows(X)
        return self

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Fit to a table and return its encoded rows.

        Parameters
        ----------
        X : DataFrame of pandas or polars, pyarrow.Table, or array-like
            As for :meth:`fit`.
        y : Ignored

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        return self._as_asked(self.scaled(self._fit_rows(X).X), X)

    def _fit_rows(self, X: Any) -> FeatureRows:
        rows = self._fit(checked_table(self, X, reset=True))
        if not is_table(X):
            del self.feature_names_in_
        return rows

    def _fit(self, table: Any) -> FeatureRows:
        """Fit to an Arrow table; return its features in original units."""
        rows = drawn(table.num_rows, row_sample.MANY_ROWS)
        if len(rows) == table.num_rows:
            return self._fit_sample(table)
        some = sampled(table, rows)
        self._fit_sample(some.table, some)
        return self._features(table).within(*self.ends_)

    def _fit_sample(self, table: Any, of: SampledTable | None = None) -> FeatureRows:
        """Fit to all rows of a table, or to a sample ``of`` a larger one; return their features."""
        options = Options.of(self, table.column_names)
        if not table.num_rows:
            raise BadTable(f"{self.title} has no rows.")
        self.column_types_ = infer_column_types(
            of or table,
            drop=self.drop,
            keep=self.keep,
            categorical=self.categorical,
            show=self.show,
            dates=self.dates,
            max_categories=self.max_categories,
            ordered=self.ordered,
            strict=self.strict,
            name=self.title,
        )
        if not self.used():
            raise nothing_left(self.title, self.column_types_, table.num_rows)
        self._set_features(table.column_names)
        exact = {} if of is None else self._exact(of)
        rows = self._features(table)
        # Rare categories without a feature of their own; they are not unknown in other rows.
        self._rare = {column: frozenset(categories) for column, categories in rows.unseen.items()}
        self.infinite_ = dict(rows.infinite)
        self.ends_ = finite_ends(rows.X)
        for f, extent in exact.items():
            self.ends_[:, f] = extent.low, extent.high
            if extent.n_infinite:
                self.infinite_[self.features_[f].source] = extent.n_infinite
        raw = rows.within(*self.ends_)
        self.families_ = families(raw.X, self.features_)
        self.scaler_, options = self._scaler_of(raw.X, options)
        scaler, far = self.scaler_, self.scaler_.outliers(raw.X)
        self.outliers_ = {
            self.features_[f].source: raw.X[far[:, f], f].tolist()
            for f in np.flatnonzero(far.any(axis=0)).tolist()
        }
        self.columns_ = columns_of(self, np.nanvar(scaler.transform(raw.X), axis=0), options)
        return raw

    def scaler_of(self, raw: np.ndarray) -> FeatureScaler:
        """Fit the scaling and weights of the same features to other rows, in original units."""
        return self._scaler_of(raw, Options.of(self, self.feature_names_in_))[0]

    def _scaler_of(self, raw: np.ndarray, options: Options) -> tuple[FeatureScaler, Options]:
        weights = self._weights(options)
        scaler = scaler_of(self.features_, self.roles_, options.scale, weights).fit(raw)
        if options.learns:
            X = scaler.transform(raw)
            X[scaler.outliers(raw)] = np.nan
            places = features_within(self.places(), self.roles_.kernel)
            options = options.with_weights(learned_weights(X, places, self.families_))
            scaler.weigh(self._weights(options))
        return scaler, options

    def _set_features(self, names: Sequence[str]) -> None:
        """Set the attributes that follow from the columns in use."""
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)
        self.features_ = features_of(self.used(), names)
        self.feature_names_ = [feature.name for feature in self.features_]
        self.one_hot_ = one_hot_of(self.features_)
        self.date_parts_ = date_parts_of(self.features_)
        self._places = places_of(self.features_)
        self.roles_ = roles_of(self.features_, self.no_split, self.no_count)
        for mask, argument in ((self.roles_.split, "no_split"), (self.roles_.kernel, "no_count")):
            if not mask.any():
                raise BadTable(Advice(argument), f" leaves no other column of {self.title}.")

    def _exact(self, of: SampledTable) -> dict[int, Extent]:
        """Return the extents, in all rows, of features that are numbers of the table."""
        columns = dict(zip(of.column_names, range(len(of.column_names)), strict=True))
        out = {}
        for f, feature in enumerate(self.features_):
            index = columns[feature.source]
            is_made = feature.when is not None and feature.when.is_made
            if feature.kind != "number" or is_made:
                continue
            if holds_numbers(of.table.column(index).type):
                extent = of.extents[index]
                if self.strict and extent.n_infinite:
                    raise infinite(self.title, feature.source, extent.n_infinite)
                if max(-extent.low, extent.high) > LARGEST:
                    raise too_large(feature.name)
                if extent.low <= extent.high:
                    out[f] = extent
        return out

    def _weights(self, options: Options) -> list[float]:
        """Expand weights to features; the parts of a date share the weight of one column."""
        shares = {column_type.name: max(1, len(column_type.parts)) for column_type in self.used()}
        return [options.weight(f.source) / shares[f.source] for f in self.features_]

    def transform(self, X: Any) -> Any:
        """Encode a table on one scale, with NaN for missing values; columns are found by name.

        Unknown categories match none of the known ones, and infinite values are replaced by the
        maximum or minimum seen during fit. A warning per column reports the number of such rows;
        ``encode(X).unseen`` has the unknown categories.

        Parameters
        ----------
        X : DataFrame of pandas or polars, pyarrow.Table, or array-like
            Unused columns of a table may be absent; an array must have all columns.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self, "scaler_")
        rows = self.encode(X)
        for message in rows.odd(self._rare):
            warn(message, UserWarning)
        return self._as_asked(self.scaled(rows.X), X)

    def _as_asked(self, rows: EncodedRows, X: Any) -> Any:
        """Return rows, or with ``set_output`` a DataFrame of pandas that has their roles."""
        asked = getattr(self, "_sklearn_output_config", {}).get("transform")
        if (asked or get_config()["transform_output"]) != "pandas":
            return rows
        return self.framed(rows, X.index if hasattr(X, "iloc") else None)

    def framed(self, rows: EncodedRows, index: Any = None) -> Any:
        """Return scaled rows as a DataFrame of pandas that has their roles."""
        from pandas import DataFrame

        # Copy: a view would share the array that has its own roles.
        frame = DataFrame(np.array(rows), index=index, columns=self.feature_names_)
        return self.roles_.mark(frame)

    def scaled(self, raw: np.ndarray) -> EncodedRows:
        """Scale features given in the units of the table.

        Parameters
        ----------
        raw : ndarray of shape (n_samples, n_features)

        Returns
        -------
        X : EncodedRows of shape (n_samples, n_features)
        """
        return EncodedRows.of(self.scaler_.transform(raw), self.roles_, Units(self, raw))

    def encode(self, X: Any) -> FeatureRows:
        """Encode a table in its original units, and collect unknown categories.

        Parameters
        ----------
        X : DataFrame of pandas or polars, pyarrow.Table, or array-like
            Encoded rows are decoded.

        Returns
        -------
        rows : FeatureRows
        """
        check_is_fitted(self, "scaler_")
        if isinstance(X, FeatureRows):
            return X
        return self._features(checked_table(self, X, reset=False)).within(*self.ends_)

    def _features(self, table: Any, asked: Sequence[str] | None = None) -> FeatureRows:
        """Return the features in original units; numbers may be infinite."""
        rows = raw_rows(table, self.features_, self.column_types_, self.title, asked)
        if self.strict and rows.infinite:
            raise infinite(self.title, *next(iter(rows.infinite.items())))
        finite = np.where(np.isinf(rows.X), 0.0, rows.X) if rows.infinite else rows.X
        large = np.nanmax(np.abs(finite), axis=0, initial=0.0) > LARGEST
        if large.any():
            raise too_large(self.feature_names_[int(np.argmax(large))])
        return rows

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """Get output feature names.

        Parameters
        ----------
        input_features : sequence of str, optional
            The names of the columns, which must match those seen during `fit`.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self, "scaler_")
        check_feature_names_in(self, input_features)
        return np.array(self.feature_names_, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def used(self) -> list[ColumnType]:
        """The roles of the columns that have features."""
        return [column_type for column_type in self.column_types_ if column_type.is_used]

    def notes(self) -> list[Note]:
        """Return notes on the columns."""
        return notes_of(self)

    def notes_on_weights(self) -> list[Note]:
        """Return notes on columns of low weight."""
        return weight_notes_of(self)

    def places(self) -> dict[str, np.ndarray]:
        """Map each used column to its feature indices."""
        return self._places
