"""A table as numbers: what its columns are is learnt once, and applied to these rows and others.

    table -> verdicts on columns -> raw features: numbers, columns of 0 and 1, parts of dates
          -> one scale for all -> rows with roles: what may be split on, what counts

:class:`TableEncoder` is a transformer of scikit-learn's and all the preparation there is, on the
command line as in a pipeline. Its raw features are in the units of the table, and rules are told in
these; the scaler after them (``scaling``) never changes their order.
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
from agathis._tables import row_sample
from agathis._tables.arrow_values import holds_numbers
from agathis._tables.codes import FEW
from agathis._tables.column_facts import Extent
from agathis._tables.column_verdicts import Verdict, judge_all
from agathis._tables.encoder_notes import (
    columns_of,
    infinite,
    notes_of,
    nothing_left,
    too_large,
    weight_notes_of,
)
from agathis._tables.encoder_options import Options
from agathis._tables.errors import Advice, BadTable, Note
from agathis._tables.feature_rows import LARGEST, FeatureRows, feature_rows
from agathis._tables.frames import checked_table, is_table
from agathis._tables.relevance import relevance
from agathis._tables.row_sample import SampledTable, drawn, sampled
from agathis._tables.table_features import features_of, places_of, roles_of, scaler_of


class TableEncoder(TransformerMixin, BaseEstimator):
    """Columns of a raw table made into features on one scale.

    Numbers are scaled, so that all columns count alike. Text, truths and other categories become
    columns of 0 and 1, where 1 is as much as a standard deviation of numbers. Identifiers, codes,
    constants, free text and dates are left out. What became of each column and why stands in
    ``columns_``. Trees split a category by sets of its values, and every export, picture and report
    of a pipeline that begins with this speaks of the columns of the table, in its units.

    Parameters
    ----------
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns to use though they look like identifiers, codes or parts of dates, or are constant.
    categorical : sequence of str
        Columns whose values are categories, whatever they look like.
    scale : str or dict, default="auto"
        How numbers are scaled: "auto", to a standard deviation of 1 after values beyond the 1st and
        the 99th percentile are held there, where those that are far off all others, as typing
        errors are, do not count; "standard", without that; "minmax", to 0..1; "robust", by median
        and quartiles; "rank"; "log"; or "none". A dict gives it for some columns.
    weight : {"learned", "equal"} or dict, default="learned"
        How often columns count: 2 is as if a column were there twice. "learned" lets columns that
        have nothing to do with the others count less, down to a tenth: each counts by its
        correlation with the main components of other columns. With "equal" all count once.
        A dict gives it for some columns, and the others count once.
    dates : {"out", "parts"}, default="out"
        Whether dates and parts of dates (a month, a weekday) are left out, or made into parts: year
        or days, month, weekday, hour. Parts that go round can be cut as numbers are, and count as
        points on a circle, so that December lies beside January.
    no_split : sequence of str
        Columns that count, and that no rule may ask for.
    no_count : sequence of str
        Columns that rules may ask for, and that do not count.
    show : sequence of str
        Columns that neither split nor count; a report shows them beside the others.
    max_categories : int, default=20
        The most values of a text that are categories each; of more, the most frequent ones are, and
        the rest is "other".
    strict : bool, default=False
        Whether to raise where something about a column is in doubt, instead of a note.
    title : str
        Of the table, in messages.

    Attributes
    ----------
    columns_ : Table
        A row a column: its kind, what became of it, why, its share of the spread, its weight.
    verdicts_ : list of Verdict
        What each column is, in the order of the table, without those to drop.
    features_ : list of Feature
        What is made of the columns; ``feature_names_`` are their names, all different.
    one_hot_ : dict
        For each source its columns with their categories, as exporters take it.
    date_parts_ : dict
        For each feature that is a part of a date the column and the part.
    scaler_ : FeatureScaler
        From raw features to scaled ones.
    far_off_ : dict
        For each column with values that are far off, as typing errors are, these values.
    infinite_ : dict
        For each column with infinite numbers how many rows have one.
    ends_ : ndarray of shape (2, n_features)
        The least and the largest finite number of each feature, for which infinite ones are taken.
    roles_ : FeatureRoles
    feature_names_in_ : ndarray of str
        Where X was a table; the columns of an array are x0, x1 and so on.
    n_features_in_ : int
        How many columns X had.

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
        self.strict = strict
        self.title = title

    def fit(self, X: Any, y: object = None) -> TableEncoder:
        """Learn what the columns are.

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
        """Learn what the columns are, and make features of them.

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
        found = self._fit(checked_table(self, X, reset=True))
        if not is_table(X):
            del self.feature_names_in_
        return found

    def _fit(self, table: Any) -> FeatureRows:
        """Learn from a table of Arrow; its features in its own units."""
        rows = drawn(table.num_rows, row_sample.MANY_ROWS)
        if len(rows) == table.num_rows:
            return self._fit_sample(table)
        some = sampled(table, rows)
        self._fit_sample(some.table, some)
        return self._features(table).within(*self.ends_)

    def _fit_sample(self, table: Any, of: SampledTable | None = None) -> FeatureRows:
        """Learn from all rows of a table, or from some ``of`` a larger one; their features."""
        options = Options.of(self, table.column_names)
        if not table.num_rows:
            raise BadTable(f"{self.title} has no rows.")
        self.verdicts_ = judge_all(
            of or table,
            drop=self.drop,
            keep=self.keep,
            categorical=self.categorical,
            show=self.show,
            dates=self.dates,
            max_categories=self.max_categories,
            strict=self.strict,
            name=self.title,
        )
        if not self.used():
            raise nothing_left(self.title, self.verdicts_, table.num_rows)
        self._set_features(table.column_names)
        exact = {} if of is None else self._exact(of)
        found = self._features(table)
        # Too rare to be categories; whoever gives these rows again knows them.
        self._rare = {source: frozenset(words) for source, words in found.unseen.items()}
        self.infinite_ = dict(found.infinite)
        self.ends_ = _ends(found.X)
        for f, extent in exact.items():
            self.ends_[:, f] = extent.low, extent.high
            if extent.n_infinite:
                self.infinite_[self.features_[f].source] = extent.n_infinite
        raw = found.within(*self.ends_)
        weights = self._weights(options)
        scaler = self.scaler_ = scaler_of(self.features_, self.roles_, options.scale, weights)
        scaler.fit(raw.X)
        far = scaler.far_off(raw.X)
        self.far_off_ = {
            self.features_[f].source: raw.X[far[:, f], f].tolist()
            for f in np.flatnonzero(far.any(axis=0)).tolist()
        }
        if options.learns:
            X = scaler.transform(raw.X)
            X[far] = np.nan
            options = options.with_weights(self._learned(X))
            scaler.weigh(self._weights(options))
        self.columns_ = columns_of(self, np.nanvar(scaler.transform(raw.X), axis=0), options)
        return raw

    def _set_features(self, names: Sequence[str]) -> None:
        """Say which features are made of the columns of these names."""
        used = self.used()
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)
        self.features_ = features_of(used, names)
        self.feature_names_ = [feature.name for feature in self.features_]
        self.one_hot_: dict[str, dict[str, object]] = {}
        self.date_parts_ = {f.name: f.when for f in self.features_ if f.when and f.when.is_made}
        for feature in self.features_:
            if feature.kind == "category":
                self.one_hot_.setdefault(feature.source, {})[feature.name] = feature.category
        self._places = places_of(self.features_)
        self.roles_ = roles_of(self.features_, self.no_split, self.no_count)
        for mask, argument in ((self.roles_.split, "no_split"), (self.roles_.kernel, "no_count")):
            if not mask.any():
                raise BadTable(Advice(argument), f" leaves no other column of {self.title}.")

    def _exact(self, of: SampledTable) -> dict[int, Extent]:
        """For features that are numbers of the table their extents in all rows."""
        columns = dict(zip(of.column_names, range(len(of.column_names)), strict=True))
        found = {}
        for f, feature in enumerate(self.features_):
            place = columns[feature.source]
            made = feature.when is not None and feature.when.is_made
            if feature.kind != "number" or made:
                continue
            if holds_numbers(of.table.column(place).type):
                extent = of.extents[place]
                if extent.n_infinite:
                    self._check_infinite(feature.source, extent.n_infinite)
                if max(-extent.low, extent.high) > LARGEST:
                    raise too_large(feature.name)
                if extent.low <= extent.high:
                    found[f] = extent
        return found

    def _learned(self, X: np.ndarray) -> dict[str, float]:
        """How often each column counts, by what components of the others say of it."""
        kernel = self.roles_.kernel
        counted = {
            column: places[kernel[places]]
            for column, places in self.places().items()
            if kernel[places].any()
        }
        weights = relevance(X, list(counted.values()))
        return dict(zip(counted, weights.tolist(), strict=True))

    def _weights(self, options: Options) -> list[float]:
        """How often each feature counts; all parts of a date together do as a column does."""
        shares = {verdict.name: max(1, len(verdict.parts)) for verdict in self.used()}
        return [options.weight(f.source) / shares[f.source] for f in self.features_]

    def transform(self, X: Any) -> Any:
        """Features on one scale, NaN where a value is missing; columns are found by their names.

        A category that the fit has not seen is none of the known ones, and an infinite number is
        taken for the largest or least of the fit. A warning a column tells how many rows have one;
        ``encode(X).unseen`` has the words of each.

        Parameters
        ----------
        X : DataFrame of pandas or polars, pyarrow.Table, or array-like
            Columns of a table that are not used need not be there; an array has all of them.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self, "scaler_")
        found = self.encode(X)
        for text in found.odd(self._rare):
            warn(text, UserWarning)
        return self._as_asked(self.scaled(found.X), X)

    def _as_asked(self, rows: EncodedRows, X: Any) -> Any:
        """The rows, or where ``set_output`` asks for a frame of pandas one that has their roles."""
        asked = getattr(self, "_sklearn_output_config", {}).get("transform")
        if (asked or get_config()["transform_output"]) != "pandas":
            return rows
        return self.framed(rows, X.index if hasattr(X, "iloc") else None)

    def framed(self, rows: EncodedRows, index: Any = None) -> Any:
        """A frame of pandas of rows on one scale, which has their roles."""
        from pandas import DataFrame

        # It has copies: a view would be the rows of an array that has roles of its own.
        frame = DataFrame(np.array(rows), index=index, columns=self.feature_names_)
        return self.roles_.mark(frame)

    def scaled(self, raw: np.ndarray) -> EncodedRows:
        """Features on one scale, of those in the units of the table.

        Parameters
        ----------
        raw : ndarray of shape (n_samples, n_features)

        Returns
        -------
        X : EncodedRows of shape (n_samples, n_features)
        """
        return EncodedRows.of(self.scaler_.transform(raw), self.roles_, Units(self, raw))

    def encode(self, X: Any) -> FeatureRows:
        """The features in the units of the table, with the words that are no known categories.

        Parameters
        ----------
        X : DataFrame of pandas or polars, pyarrow.Table, or array-like
            Or rows that were encoded before, which are given back.

        Returns
        -------
        rows : FeatureRows
        """
        check_is_fitted(self, "scaler_")
        if isinstance(X, FeatureRows):
            return X
        return self._features(checked_table(self, X, reset=False)).within(*self.ends_)

    def _features(self, table: Any, asked: Sequence[str] | None = None) -> FeatureRows:
        """The features, or those that are asked for, in the units of the table.

        Some numbers may be infinite. Columns of what is not asked for need not be there.
        """
        found = feature_rows(
            table,
            self.feature_names_,
            self.one_hot_,
            asked,
            title=self.title,
            date_parts=self.date_parts_,
            gaps={v.name: v.gaps for v in self.verdicts_ if v.gaps},
            notations={v.name: v.notation for v in self.verdicts_ if v.notation is not None},
        )
        for column, n in found.infinite.items():
            self._check_infinite(column, n)
        finite = np.where(np.isinf(found.X), 0.0, found.X) if found.infinite else found.X
        large = np.nanmax(np.abs(finite), axis=0, initial=0.0) > LARGEST
        if large.any():
            raise too_large(self.feature_names_[int(np.argmax(large))])
        return found

    def _check_infinite(self, column: str, n: int) -> None:
        """Raise where rows with infinite numbers in a column are not to be taken."""
        if self.strict:
            raise infinite(self.title, column, n)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the features.

        Parameters
        ----------
        input_features : sequence of str, optional
            The names of the columns; other names than those of the fit raise.

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

    def used(self) -> list[Verdict]:
        """The verdicts on columns that features are made of."""
        return [verdict for verdict in self.verdicts_ if verdict.is_used]

    def notes(self) -> list[Note]:
        """What to say about the columns."""
        return notes_of(self)

    def notes_on_weights(self) -> list[Note]:
        """What to say of columns that count less than others."""
        return weight_notes_of(self)

    def places(self) -> dict[str, np.ndarray]:
        """For each column that is used the places of its features."""
        return self._places


def _ends(X: np.ndarray) -> np.ndarray:
    """The least and the largest finite number of each column; NaN where there is none."""
    finite = np.where(np.isinf(X), np.nan, X)
    return np.stack([np.fmin.reduce(finite, axis=0), np.fmax.reduce(finite, axis=0)])
