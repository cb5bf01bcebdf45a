"""Thresholds in the units that the data had before they were scaled.

A scaler maps each feature by itself, by a product and a sum. Computed in floating point such a
map never decreases, so there is a largest value that it maps to at most the threshold: that is the
threshold in the units before. It is found by bisection over all numbers of float64, with the
scaler's own arithmetic. So each row goes the same way before scaling as after it, the rows on
both sides of a cut as well as those to come.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

SCALERS = (MinMaxScaler, StandardScaler, MaxAbsScaler, RobustScaler)


def scalers_of(scaler: object, name: str = "scaler") -> list[BaseEstimator]:
    """The fitted scalers, in the order in which they are applied."""
    found = list(_steps(scaler, name))
    for step in found:
        try:
            check_is_fitted(step)
        except NotFittedError:
            raise NotFittedError(
                f"{name} must be fitted to the rows from before scaling; {step!r} is not fitted."
            ) from None
    return found


def _steps(scaler: object, name: str) -> Iterator[BaseEstimator]:
    if scaler is None or scaler == "passthrough":
        return
    if isinstance(scaler, Pipeline):
        for _, step in scaler.steps:
            yield from _steps(step, name)
    # A class of one's own may do something else in its transform.
    elif isinstance(scaler, SCALERS) and type(scaler).transform is _kind(scaler).transform:
        yield scaler
    else:
        accepted = ", ".join(kind.__name__ for kind in SCALERS)
        raise TypeError(
            f"{name} must be a fitted {accepted} or a Pipeline of these; it is {scaler!r}. Without "
            "it thresholds stand in the units of the rows that the tree was grown from."
        )


def unscaled(
    feature: np.ndarray, threshold: np.ndarray, n_features: int, scalers: list[BaseEstimator]
) -> np.ndarray:
    """For each cut, the largest value that goes left once it is scaled.

    Parameters
    ----------
    feature, threshold : ndarray of shape (n_cuts,)
        Cuts of scaled rows; infinite thresholds stay as they are.
    n_features : int
    scalers : list of fitted scalers
    """
    out = np.array(threshold, dtype=np.float64)
    cuts = np.flatnonzero(np.isfinite(out))
    if not scalers or not len(cuts):
        return out
    for step in scalers:
        if step.n_features_in_ != n_features:
            raise ValueError(
                f"scaler was fitted with {step.n_features_in_} features; the tree has {n_features}."
            )
    # A row of the table holds a cut of each feature: few rows, however many features.
    feature, place = feature[cuts], np.zeros(len(cuts), dtype=np.intp)
    seen: dict[int, int] = {}
    for i, f in enumerate(feature.tolist()):
        place[i] = seen[f] = seen.get(f, -1) + 1
    table = np.zeros((place.max() + 1, n_features))

    def goes_left(keys: np.ndarray) -> np.ndarray:
        table[place, feature] = _number_at(keys)
        return _scaled(table, scalers)[place, feature] <= out[cuts]

    largest = np.full(len(cuts), _key_of(np.finfo(np.float64).max))
    low, high = -largest, largest
    none, every = ~goes_left(low), goes_left(high)
    if none.any():
        f = int(feature[np.argmax(none)])
        raise ValueError(
            f"scaler maps no value of feature {f} to {out[cuts][np.argmax(none)]!r} or less, where "
            "the tree cuts it: the tree was not grown from what this scaler gives."
        )
    # Between a key that goes left and one that does not; half the way is taken without overflow.
    while (high - 1 > low).any():
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        left = goes_left(middle)
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    out[cuts] = np.where(every, np.inf, _number_at(low))
    return out


def _scaled(X: np.ndarray, scalers: list[BaseEstimator]) -> np.ndarray:
    # Values at the ends of float64 overflow to infinity, which scalers refuse: by hand, with the
    # steps of each in its own order.
    X = X.copy()
    with np.errstate(over="ignore", under="ignore"):
        for step in scalers:
            if isinstance(step, MinMaxScaler):
                X *= step.scale_
                X += step.min_
                if step.clip:
                    np.clip(X, *step.feature_range, out=X)
                continue
            centre = {StandardScaler: "mean_", RobustScaler: "center_"}.get(_kind(step))
            wanted = getattr(step, "with_mean", True) and getattr(step, "with_centering", True)
            if centre and wanted:
                X -= getattr(step, centre)
            wanted = getattr(step, "with_std", True) and getattr(step, "with_scaling", True)
            if wanted:
                X /= step.scale_
            if getattr(step, "clip", False):
                np.clip(X, -1.0, 1.0, out=X)
    return X


def _kind(step: BaseEstimator) -> type[BaseEstimator]:
    return next(kind for kind in SCALERS if isinstance(step, kind))


def _key_of(value: float) -> int:
    """The place of a number among all of its type, 0 at zero."""
    bits = int(np.float64(abs(value)).view(np.int64))
    return bits if value >= 0 else -bits


def _number_at(keys: np.ndarray) -> np.ndarray:
    """The number at each place."""
    return np.copysign(np.abs(keys).view(np.float64), np.where(keys < 0, -1.0, 1.0))
