"""How much each column of a table counts: values brought to a common scale, feature by feature.

Each feature goes by a map of its own that never decreases: values beyond two percentiles are held
there, maybe logarithms or ranks are taken, and then there is a centre and a factor. So a cut of
the scaled values is a cut of the raw ones. The columns of 0 and 1 that were made of one source
share a factor, by which the source counts as much as a number does, whatever its values are
called; a weight of 2 counts as much as the column given twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

#: Ways to scale a column of numbers; "auto" is "standard" of values held at two percentiles.
SCALES = ("auto", "standard", "minmax", "robust", "rank", "log", "none")
PERCENTILES = (1.0, 99.0)
#: Columns with fewer different values have no typing errors that percentiles could tell.
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
    centre_, factor_ : ndarray of shape (n_features,)
        What is taken off, and what the rest is multiplied by.

    Examples
    --------
    >>> X = [[0.0, 1, 0], [4, 0, 1], [2, 0, 1], [2, 1, 0]]
    >>> scaler = FeatureScaler(["minmax", "category", "category"], [[1, 2]]).fit(X)
    >>> scaler.factor_
    array([0.25, 0.5 , 0.5 ])
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
        n = self.n_features_in_ = X.shape[1]
        self.low_, self.high_ = np.full(n, -np.inf), np.full(n, np.inf)
        self.centre_, self.factor_ = np.zeros(n), np.ones(n)
        self.ranks_: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for f, how in enumerate(self.how):
            if how not in ("category", "none"):
                self._fit_number(f, how, X[:, f])
        self._balance(X)
        if self.weight is not None:
            self.factor_ *= np.sqrt(np.asarray(self.weight, dtype=np.float64))
        return self

    def _fit_number(self, f: int, how: str, column: np.ndarray) -> None:
        known = column[~np.isnan(column)]
        if not len(known):
            return
        if how == "rank":
            points = np.unique(known)
            if len(points) > RANK_POINTS:
                points = np.unique(np.quantile(known, np.linspace(0, 1, RANK_POINTS)))
            ordered = np.sort(known)
            share = np.searchsorted(ordered, points, "left") + np.searchsorted(
                ordered, points, "right"
            )
            self.ranks_[f] = points, share / (2 * len(known))
        elif how == "auto" and len(np.unique(known)) > FEWEST_VALUES:
            # Values of the column itself: in a short one the largest is held at the next.
            low = np.percentile(known, PERCENTILES[0], method="higher")
            high = np.percentile(known, PERCENTILES[1], method="lower")
            # Of a column that is nearly always the same, the rest is all there is.
            if low < high:
                self.low_[f], self.high_[f] = low, high
        values = self._mapped(f, known)
        if how == "minmax":
            centre, spread = values.min(), np.ptp(values)
        elif how == "robust":
            centre, spread = np.median(values), np.subtract(*np.percentile(values, [75, 25]))
            spread = spread or values.std()
        else:
            centre, spread = values.mean(), values.std()
        self.centre_[f] = centre
        # Values that are the same but for rounding stay together.
        if spread > 8 * np.finfo(float).eps * max(abs(centre), np.abs(values).max()):
            self.factor_[f] = 1 / spread

    def _balance(self, X: np.ndarray) -> None:
        """Let a source count as much as a number does on average."""
        in_source = np.zeros(self.n_features_in_, dtype=bool)
        places = [np.asarray(some, dtype=np.intp) for some in self.sources]
        for some in places:
            in_source[some] = True
        scaled = ~in_source & (np.array(self.how) != "none")
        if not scaled.any() and not in_source.all():
            return  # nobody wants values to be scaled
        spread = np.nanvar(self._scaled(X[:, scaled], scaled), axis=0)
        spread = spread[spread > 0]
        target = spread.mean() if len(spread) else 1.0
        for some in places:
            own = np.nanvar(X[:, some], axis=0).sum()
            if own > np.finfo(float).eps:
                self.factor_[some] = np.sqrt(target / own)

    def _mapped(self, f: int, values: np.ndarray) -> np.ndarray:
        """Values of a feature before its centre is taken off."""
        values = np.clip(values, self.low_[f], self.high_[f])
        how = self.how[f]
        if how == "rank":
            return np.interp(values, *self.ranks_[f])
        if how == "log":
            return np.copysign(np.log1p(np.abs(values)), values)
        return values

    def _scaled(self, X: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        out = np.empty(X.shape)
        for i, f in enumerate(np.flatnonzero(chosen).tolist()):
            out[:, i] = (self._mapped(f, X[:, i]) - self.centre_[f]) * self.factor_[f]
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
        return self._scaled(X, np.ones(self.n_features_in_, dtype=bool))
