"""How much each column of a table counts: values brought to a common scale, feature by feature.

Each feature goes by a map of its own that never decreases: values beyond two percentiles are held
there, those that are far off (``typing_errors``) tell nothing about the scale, maybe logarithms or
ranks are taken, and then there is a centre and a factor. So a cut of
the scaled values is a cut of the raw ones. Columns of 0 and 1, and points of a circle, are in units
of a standard deviation: rows in two categories are as far apart as numbers that differ by 1.4 of
these. That is less than a category as spread out as a number would get, and on the panel
(``benchmarks/panel.py``) keeps a column of two values, of which any split explains all, from
deciding alone. A weight of 2 counts as much as the column given twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from agathis._tables.typing_errors import at_percentiles, far_limits

#: Ways to scale a column of numbers; "auto" is "standard" of values held at two percentiles.
SCALES = ("auto", "standard", "minmax", "robust", "rank", "log", "none")
#: Columns with fewer different values are not clipped at percentiles.
FEWEST_VALUES = 10
#: Points of the map from values to ranks.
RANK_POINTS = 1000


class FeatureScaler(TransformerMixin, BaseEstimator):
    """Each feature by its own map, which never decreases.

    Parameters
    ----------
    how : sequence of str
        For each feature one of ``SCALES``, or "category" for columns of 0 and 1.
    sources : sequence of arrays of int
        The features that were made of each source of categories, or of a circle.
    weight : array-like, optional
        How often each feature counts; 1 by default.

    Attributes
    ----------
    low_, high_ : ndarray of shape (n_features,)
        Where values are held; infinite where they are not.
    far_low_, far_high_ : ndarray of shape (n_features,)
        Beyond which values are far off.
    centre_, factor_ : ndarray of shape (n_features,)
        What is taken off, and what the rest is multiplied by.

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
        """Find the maps; missing values are not looked at.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : FeatureScaler
        """
        X = np.asarray(X, dtype=np.float64)
        how = self._begin(X.shape[1])
        for f in np.flatnonzero(how == "rank").tolist():
            self._fit_ranks(f, X[:, f])
        numbers = np.flatnonzero((how != "category") & (how != "none"))
        if len(numbers):
            auto = numbers[how[numbers] == "auto"]
            ordered = np.sort(X[:, auto], axis=0)  # NaN come last
            self.far_low_[auto], self.far_high_[auto] = far_limits(ordered)
            far = self.far_off(X)
            if far.any():
                X = np.where(far, np.nan, X)
                ordered = np.sort(X[:, auto], axis=0)
            self._hold(auto, ordered, np.count_nonzero(far[:, auto], axis=0) > 0)
            self._fit_numbers(numbers, self._mapped(X[:, numbers], numbers))
        scaled = self._own_scale()
        self._balance(np.nanvar(self._scaled(X[:, scaled], scaled), axis=0))
        self._unweighted = self.factor_
        return self.weigh(self.weight)

    def _begin(self, n: int) -> np.ndarray:
        """Maps that change nothing; how each of so many features is to be scaled."""
        self.n_features_in_ = n
        self._how = np.array(self.how, dtype=object)
        self.low_, self.high_ = np.full(n, -np.inf), np.full(n, np.inf)
        self.far_low_, self.far_high_ = self.low_.copy(), self.high_.copy()
        self.centre_, self.factor_ = np.zeros(n), np.ones(n)
        self._varies = np.zeros(n, dtype=bool)
        self.ranks_: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        return self._how

    def weigh(self, weight: ArrayLike | None) -> FeatureScaler:
        """Let each feature count so often, on the scale that was found.

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

    def far_off(self, X: np.ndarray) -> np.ndarray:
        """Which values are so far from all others that they measure nothing.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)

        Returns
        -------
        far : ndarray of bool, of the shape of X
        """
        return (self.far_low_ > X) | (self.far_high_ < X)

    def held(self, X: np.ndarray) -> np.ndarray:
        """The values, those beyond where values are held as the last that are not.

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

    def _hold(self, places: np.ndarray, ordered: np.ndarray, has_far: np.ndarray) -> None:
        """Find where values are held, of columns in order without what is far off."""
        with np.errstate(invalid="ignore"):
            several = np.count_nonzero(np.diff(ordered, axis=0) > 0, axis=0) >= FEWEST_VALUES
        low, high = at_percentiles(ordered)
        # Of a column that is nearly always the same, the rest is all there is.
        held = several & (low < high)
        self.low_[places[held]], self.high_[places[held]] = low[held], high[held]
        # What is far off becomes the next of the others.
        rest = has_far & ~held
        if rest.any():
            self.low_[places[rest]] = np.nanmin(ordered[:, rest], axis=0)
            self.high_[places[rest]] = np.nanmax(ordered[:, rest], axis=0)

    def _fit_numbers(self, places: np.ndarray, values: np.ndarray) -> None:
        """Find centres and factors of values that are held and mapped."""
        some = ~np.isnan(values).all(axis=0)
        places, values = places[some], values[:, some]
        how = self._how[places]
        centre, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        least, most = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        unit = how == "minmax"
        centre[unit], spread[unit] = least[unit], (most - least)[unit]
        robust = np.flatnonzero(how == "robust")
        if len(robust):
            low, middle, high = np.nanpercentile(values[:, robust], [25, 50, 75], axis=0)
            centre[robust] = middle
            spread[robust] = np.where(high > low, high - low, spread[robust])
        self.centre_[places] = centre
        size = np.maximum.reduce([np.abs(centre), np.abs(least), np.abs(most)])
        varies = _varies(spread, size)
        self._varies[places[varies]] = True
        self.factor_[places[varies]] = 1 / spread[varies]

    def _own_scale(self) -> np.ndarray:
        """The features that were divided by their spread; the others vary not, or as they may."""
        chosen = self._varies.copy()
        for places in self.sources:
            chosen[np.asarray(places, dtype=np.intp)] = False
        return np.flatnonzero(chosen)

    def _balance(self, spread: np.ndarray) -> None:
        """Bring columns of 0 and 1 to the scale of numbers, which are spread out so.

        1 becomes a standard deviation.
        """
        spread = spread[spread > 0]
        if len(spread):
            for places in self.sources:
                self.factor_[np.asarray(places, dtype=np.intp)] = np.sqrt(spread.mean())

    def _mapped(self, X: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Values of some features before their centres are taken off."""
        out = np.clip(X, self.low_[places], self.high_[places])
        how = self._how[places]
        for i in np.flatnonzero(how == "rank").tolist():
            gap = np.isnan(out[:, i])
            out[:, i] = np.where(gap, np.nan, np.interp(out[:, i], *self.ranks_[int(places[i])]))
        logs = np.flatnonzero(how == "log")
        if len(logs):
            out[:, logs] = np.copysign(np.log1p(np.abs(out[:, logs])), out[:, logs])
        return out

    def _scaled(self, X: np.ndarray, places: np.ndarray) -> np.ndarray:
        out = self._mapped(X, places)
        out -= self.centre_[places]
        out *= self.factor_[places]
        return out

    def transform(self, X: ArrayLike) -> np.ndarray:
        """The values on their common scale.

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
    """Which features are divided by their spread.

    Values that are the same but for rounding stay together, and so do those that differ by less
    than any normal number, by which nothing can be divided.
    """
    normal = np.finfo(float)
    return spread > np.maximum(8 * normal.eps * size, normal.tiny)
