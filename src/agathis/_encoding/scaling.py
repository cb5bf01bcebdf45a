"""Scale features so that the columns of a table have equal influence.

Each feature has a monotonic map: clip at two percentiles, ignoring extreme outliers
(``_columns.outliers``); optionally take logarithms or ranks; then center and multiply. So a split
of scaled values is a split of raw ones. Columns of 0 and 1, and points on a circle, are in units of
a standard deviation: rows of two categories are as far apart as numbers that differ by 1.4 of
these. This is less than unit variance would give, and on the panel (``benchmarks/panel.py``) it
keeps binary columns, which a single split explains completely, from dominating. A weight of 2
equals having the column twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from agathis._columns.outliers import at_percentiles, outlier_limits

#: Scalings of numeric columns; "auto" is "standard" after clipping at two percentiles.
SCALES = ("auto", "standard", "minmax", "robust", "rank", "log", "none")
#: Descriptions of scalings.
SCALED_TO = {
    "auto": "standardised, with values clipped at the 1st and 99th percentiles",
    "standard": "scaled to a standard deviation of 1",
    "minmax": "scaled to 0..1",
    "robust": "scaled by their quartiles",
    "rank": "replaced by their ranks",
    "log": "scaled as logarithms",
    "none": "not scaled: columns with large numbers have the most influence",
}
#: Columns with fewer distinct values are not clipped.
FEWEST_VALUES = 10
#: Knots of the map from values to ranks.
RANK_POINTS = 1000


class FeatureScaler(TransformerMixin, BaseEstimator):
    """Scale each feature by a monotonic map.

    Parameters
    ----------
    how : sequence of str
        For each feature one of ``SCALES``, or "category" for columns of 0 and 1.
    sources : sequence of arrays of int
        The feature indices of each categorical or cyclical feature.
    weight : array-like, optional
        The weight of each feature; 1 by default.

    Attributes
    ----------
    low_, high_ : ndarray of shape (n_features,)
        Clipping bounds; infinite without clipping.
    outlier_low_, outlier_high_ : ndarray of shape (n_features,)
        Values beyond these are outliers.
    centre_, factor_ : ndarray of shape (n_features,)
        The offset to subtract, and the factor to multiply by.

    Examples
    --------
    >>> X = [[0.0, 1, 0], [4, 0, 1], [2, 0, 1], [2, 1, 0]]
    >>> scaler = FeatureScaler(["minmax", "category", "category"], [[1, 2]]).fit(X)
    >>> scaler.factor_.round(3)
    array([0.25 , 0.354, 0.354])
    """

    def __init__(
        self,
        how: Sequence[str],
        sources: Sequence[ArrayLike] = (),
        weight: ArrayLike | None = None,
    ) -> None:
        self.how = how
        self.sources = sources
        self.weight = weight

    def fit(self, X: ArrayLike, y: object = None) -> FeatureScaler:
        """Compute clipping bounds, offset and factor of each feature, ignoring missing values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : FeatureScaler
        """
        X = np.asarray(X, dtype=np.float64)
        self.n_features_in_ = n = X.shape[1]
        self._how = how = np.array(self.how, dtype=object)
        self.low_, self.high_ = np.full(n, -np.inf), np.full(n, np.inf)
        self.outlier_low_, self.outlier_high_ = self.low_.copy(), self.high_.copy()
        self.centre_, self.factor_ = np.zeros(n), np.ones(n)
        self._varies = np.zeros(n, dtype=bool)
        self.ranks_: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for f in np.flatnonzero(how == "rank").tolist():
            self._fit_ranks(f, X[:, f])
        numbers = np.flatnonzero((how != "category") & (how != "none"))
        if len(numbers):
            auto = numbers[how[numbers] == "auto"]
            ordered = np.sort(X[:, auto], axis=0)  # NaN are last
            self.outlier_low_[auto], self.outlier_high_[auto] = outlier_limits(ordered)
            far = self.outliers(X)
            if far.any():
                X = np.where(far, np.nan, X)
                ordered = np.sort(X[:, auto], axis=0)
            self._fit_bounds(auto, ordered, np.count_nonzero(far[:, auto], axis=0) > 0)
            self._fit_numbers(numbers, self._mapped(X[:, numbers], numbers))
        self._balance(X)
        self._unweighted = self.factor_
        return self.weigh(self.weight)

    def weigh(self, weight: ArrayLike | None) -> FeatureScaler:
        """Set feature weights, on top of the fitted scale.

        Parameters
        ----------
        weight : array-like of shape (n_features,), or None

        Returns
        -------
        self : FeatureScaler
        """
        self.weight = weight
        self.factor_ = self._unweighted
        if weight is not None:
            self.factor_ = self._unweighted * np.sqrt(np.asarray(weight, dtype=np.float64))
        return self

    def without_clipping(self) -> FeatureScaler:
        """Return the same maps for values of any size."""
        out = copy(self)
        out.low_, out.high_ = np.full_like(self.low_, -np.inf), np.full_like(self.high_, np.inf)
        return out

    def outliers(self, X: np.ndarray) -> np.ndarray:
        """Return which values are extreme outliers.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)

        Returns
        -------
        far : ndarray of bool, of the shape of X
        """
        return (self.outlier_low_ > X) | (self.outlier_high_ < X)

    def clipped(self, X: np.ndarray) -> np.ndarray:
        """Clip values at the bounds.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        return np.clip(X, self.low_, self.high_)

    def _fit_ranks(self, f: int, column: np.ndarray) -> None:
        ordered = np.sort(column[~np.isnan(column)])
        points = np.unique(ordered)
        if len(points) > RANK_POINTS:
            points = np.unique(np.quantile(ordered, np.linspace(0, 1, RANK_POINTS)))
        below, upto = (np.searchsorted(ordered, points, side) for side in ("left", "right"))
        self.ranks_[f] = points, (below + upto) / (2 * max(1, len(ordered)))

    def _fit_bounds(
        self, features: np.ndarray, ordered: np.ndarray, has_outliers: np.ndarray
    ) -> None:
        """Set clipping bounds from sorted columns without outliers."""
        with np.errstate(invalid="ignore"):
            several = np.count_nonzero(np.diff(ordered, axis=0) > 0, axis=0) >= FEWEST_VALUES
        low, high = at_percentiles(ordered)
        # Of a column that is nearly constant, the deviating values are all the information.
        clips = several & (low < high)
        self.low_[features[clips]], self.high_[features[clips]] = low[clips], high[clips]
        # Clip outliers to the nearest other value.
        rest = has_outliers & ~clips
        if rest.any():
            self.low_[features[rest]] = np.nanmin(ordered[:, rest], axis=0)
            self.high_[features[rest]] = np.nanmax(ordered[:, rest], axis=0)

    def _fit_numbers(self, features: np.ndarray, values: np.ndarray) -> None:
        """Set centres and factors from clipped and mapped values."""
        some = ~np.isnan(values).all(axis=0)
        features, values = features[some], values[:, some]
        how = self._how[features]
        centre, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        unit = how == "minmax"
        centre[unit], spread[unit] = low[unit], (high - low)[unit]
        robust = np.flatnonzero(how == "robust")
        if len(robust):
            first, median, third = np.nanpercentile(values[:, robust], [25, 50, 75], axis=0)
            centre[robust] = median
            spread[robust] = np.where(third > first, third - first, spread[robust])
        self.centre_[features] = centre
        size = np.maximum.reduce([np.abs(centre), np.abs(low), np.abs(high)])
        varies = _varies(spread, size)
        self._varies[features[varies]] = True
        self.factor_[features[varies]] = 1 / spread[varies]

    def _balance(self, X: np.ndarray) -> None:
        """Bring columns of 0 and 1 to the scale of numbers: 1 becomes a standard deviation."""
        groups = [np.asarray(group, dtype=np.intp) for group in self.sources]
        scaled = self._varies.copy()
        for group in groups:
            scaled[group] = False
        numbers = np.flatnonzero(scaled)
        variance = np.nanvar(self._scaled(X[:, numbers], numbers), axis=0)
        variance = variance[variance > 0]
        if len(variance):
            for group in groups:
                self.factor_[group] = np.sqrt(variance.mean())

    def _mapped(self, X: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Map values of some features, without centering."""
        out = np.clip(X, self.low_[features], self.high_[features])
        how = self._how[features]
        for i in np.flatnonzero(how == "rank").tolist():
            is_missing = np.isnan(out[:, i])
            out[:, i] = np.where(
                is_missing, np.nan, np.interp(out[:, i], *self.ranks_[int(features[i])])
            )
        logs = np.flatnonzero(how == "log")
        if len(logs):
            out[:, logs] = np.copysign(np.log1p(np.abs(out[:, logs])), out[:, logs])
        return out

    def _scaled(self, X: np.ndarray, features: np.ndarray) -> np.ndarray:
        out = self._mapped(X, features)
        out -= self.centre_[features]
        out *= self.factor_[features]
        return out

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Scale the values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X must have shape (n_samples, {self.n_features_in_}); it has shape {X.shape}."
            )
        return self._scaled(X, np.arange(self.n_features_in_))


def _varies(spread: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return which features are divided by their spread.

    Not those that vary only by rounding errors, or by less than the smallest normal number, by
    which division overflows.
    """
    normal = np.finfo(float)
    return spread > np.maximum(8 * normal.eps * size, normal.tiny)


def scaling_summary(scale: Iterable[object]) -> str:
    """Describe the scaling of numbers in a sentence.

    >>> scaling_summary(["minmax"])
    'Numbers are scaled to 0..1. Rules are in your units.'
    """
    chosen = next((one for one in scale if one in SCALED_TO), "auto")
    return f"Numbers are {SCALED_TO[str(chosen)]}. Rules are in your units."
