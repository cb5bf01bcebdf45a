"""What numbers that are far off were meant to be: as those of the rows that are most like theirs.

A row with a typing error is right in its other columns. The rows that are nearest to it by these
tell what the number may have been, better than the mean of its column does, and with that number
the row can be counted where it belongs.
"""

from __future__ import annotations

import numpy as np

#: So many rows are asked for their numbers.
NEIGHBOURS = 5
#: Of more rows than that some are looked at.
MOST_ROWS = 1000


def meant(X: np.ndarray, far: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Estimates of cells that are far off; NaN where cells stand for themselves.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Scaled features about their means; NaN where a value is missing.
    far : ndarray of bool, of the shape of X
    counts : ndarray of bool, of shape (n_features,)
        The features that say how near rows are.

    Returns
    -------
    estimates : ndarray of the shape of X
        The mean of the nearest rows that have a number there; 0 where none has.

    Examples
    --------
    >>> X = np.array([[1.0, 1], [1, 9], [1, 1], [-1, -1], [-1, -1]])
    >>> meant(X, X > 5, np.array([True, True]))[1]
    array([nan,  0.])
    >>> meant(np.vstack([X] * 5), np.vstack([X] * 5) > 5, np.array([True, True]))[1]
    array([nan,  1.])
    """
    out = np.full(X.shape, np.nan)
    known = ~np.isnan(X) & ~far
    asked = np.arange(len(X))
    if len(X) > MOST_ROWS:
        asked = np.sort(np.random.RandomState(0).permutation(len(X))[:MOST_ROWS])
    others = np.where(known, X, 0.0)[asked]
    for row in np.flatnonzero(far.any(axis=1)).tolist():
        there = counts & known[row]
        apart = ((others[:, there] - X[row, there]) ** 2).sum(axis=1)
        order = asked[np.argsort(apart, kind="stable")]
        for column in np.flatnonzero(far[row]).tolist():
            # No row has a number where it is far off, so none is asked for its own.
            near = order[known[order, column]][:NEIGHBOURS]
            out[row, column] = X[near, column].mean() if len(near) else 0.0
    return out
