"""Scalers of tables in which a column of categories counts as much as one of numbers.

A category becomes several columns of 0 and 1, and numbers are mostly in between: scaled alike, one
category would outweigh many numbers. So the columns of a source are scaled together, to vary as
much in sum as a number does on average. Both are scikit-learn's scalers in all but ``fit``, and
whoever knows those, as the exporters do, can undo these.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import MinMaxScaler, StandardScaler


class SourceMinMaxScaler(MinMaxScaler):
    """Numbers to 0..1; columns of 0 and 1 by a factor that the columns of a source share.

    Parameters
    ----------
    sources : sequence of arrays of int
        For each source the places of the columns that were made of it.

    Attributes
    ----------
    balanced_ : bool
        Whether there are such columns beside numbers, so that some were scaled by a factor.

    Examples
    --------
    >>> X = [[0.0, 1, 0], [4, 0, 1], [2, 0, 1], [2, 1, 0]]
    >>> SourceMinMaxScaler([[1, 2]]).fit(X).scale_
    array([0.25, 0.5 , 0.5 ])
    """

    def __init__(self, sources: Sequence[ArrayLike] = ()) -> None:
        super().__init__()
        self.sources = sources

    def fit(self, X: ArrayLike, y: object = None) -> SourceMinMaxScaler:
        super().fit(X)
        factors = _factors(self, X)
        self.balanced_ = bool(factors)
        for places, factor in factors:
            self.min_[places], self.scale_[places] = 0.0, factor
        return self


class SourceStandardScaler(StandardScaler):
    """Numbers to mean 0 and variance 1; columns of 0 and 1 by a factor that a source shares.

    Parameters
    ----------
    sources : sequence of arrays of int
        For each source the places of the columns that were made of it.
    """

    def __init__(self, sources: Sequence[ArrayLike] = ()) -> None:
        super().__init__()
        self.sources = sources

    def fit(
        self, X: ArrayLike, y: object = None, sample_weight: object = None
    ) -> SourceStandardScaler:
        super().fit(X, sample_weight=sample_weight)
        factors = _factors(self, X)
        self.balanced_ = bool(factors)
        for places, factor in factors:
            self.mean_[places], self.scale_[places] = 0.0, 1 / factor
        return self


#: By the names of the command line.
SCALERS: dict[str, type[SourceMinMaxScaler] | type[SourceStandardScaler]] = {
    "minmax": SourceMinMaxScaler,
    "standard": SourceStandardScaler,
}


def _factors(
    scaler: SourceMinMaxScaler | SourceStandardScaler, X: ArrayLike
) -> list[tuple[np.ndarray, float]]:
    """The places of each source and their factor; none where no number varies."""
    X = np.asarray(X, dtype=np.float64)
    variance = np.nanvar(scaler.transform(X), axis=0)
    sources = [np.asarray(places, dtype=np.intp) for places in scaler.sources]
    numbers = np.delete(variance, np.concatenate(sources)) if sources else variance
    if not numbers.any():
        return []
    raw = np.nanvar(X, axis=0)
    tiny = np.finfo(float).tiny
    return [
        (places, float(np.sqrt(numbers.mean() / max(raw[places].sum(), tiny))))
        for places in sources
    ]
