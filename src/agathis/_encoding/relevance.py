"""Column weights: how well the principal components of the other columns explain each column.

Clusters show in many columns at once; a column that is unrelated to all others can show none but
its own. So the columns are halved at random, and for each column of one half the fraction of its
variance explained by the principal components of the other half is measured, and vice versa. The
root of the mean over several halvings is a correlation; relative to that of the best column, it is
the weight. No column contributes to the components it is compared with.

Components are robust to small changes of the rows. KMeans clusters in their place give similar
weights for most tables, but may change entirely with a single row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

#: The number of random halvings, and of components, used in turn. With many columns a single
#: halving matters less.
HALVINGS, FEWEST_HALVINGS, COMPONENTS = 48, 6, (1, 2, 3)
#: The maximum rows and values bound the time; some rows are needed.
MAX_ROWS, MAX_VALUES, SOME_ROWS = 10_000, 2_000_000, 200
#: The minimum weight: an unrelated column may still be of interest.
LEAST = 0.1
#: With fewer columns or rows, weights are not learned.
FEWEST, FEWEST_ROWS = 4, 16
#: If components explain no more of any column, or no more than chance does with that many rows, all
#: weights are equal.
NOTHING, BY_CHANCE = 0.02, 12
#: Components with a smaller fraction of the variance of the first are rounding errors.
ROUNDING = 1e-9


def relevance(X: np.ndarray, sources: Sequence[np.ndarray]) -> np.ndarray:
    """Compute the weight of each column, from ``LEAST`` to 1.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Scaled features; NaN where a value is missing.
    sources : sequence of arrays of int
        The feature indices of each column.

    Examples
    --------
    >>> random = np.random.RandomState(0)
    >>> group = random.randint(2, size=(200, 1))
    >>> X = np.hstack([3 * group + random.normal(size=(200, 4)), random.normal(size=(200, 1))])
    >>> relevance(X / X.std(axis=0), np.arange(5)[:, None]) > 0.5
    array([ True,  True,  True,  True, False])
    """
    d = len(sources)
    if d < FEWEST or len(X) < FEWEST_ROWS:
        return np.ones(d)
    random = np.random.RandomState(0)
    features = np.concatenate(sources)
    points = _points(X[:, features], random)
    n = len(points)
    # The features of column j begin at begins[j].
    sizes = np.array([len(one) for one in sources])
    begins = np.cumsum(sizes) - sizes
    features_of = [
        np.arange(begin, begin + size) for begin, size in zip(begins, sizes, strict=True)
    ]
    explained, times = np.zeros(d), np.zeros(d)
    with threadpool_limits(1):  # so that sums do not depend on the number of threads
        total = np.add.reduceat(np.einsum("ij,ij->j", points, points), begins)
        for halving in range(max(FEWEST_HALVINGS, min(HALVINGS, 50 * HALVINGS // d))):
            order = random.permutation(d)
            for seen, others in (
                (order[: d // 2], order[d // 2 :]),
                (order[d // 2 :], order[: d // 2]),
            ):
                half = points[:, np.concatenate([features_of[j] for j in seen])]
                scores = main_components(half, COMPONENTS[halving % len(COMPONENTS)])
                explained_here = np.add.reduceat(((scores.T @ points) ** 2).sum(axis=0), begins)
                share = np.divide(explained_here, total, out=np.zeros(d), where=total > 0)
                chance = scores.shape[1] / (n - 1)
                explained[others] += np.maximum((share - chance) / (1 - chance), 0.0)[others]
                times[others] += 1
    shares = explained / times
    if shares.max() <= max(NOTHING, BY_CHANCE / n):
        return np.ones(d)
    return np.maximum(np.sqrt(shares / shares.max()), LEAST)


def _points(X: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Sample and center rows; missing values are replaced by the mean."""
    # Means are of all rows: in a sample, a column may have no value at all.
    mean = np.nanmean(X, axis=0)
    maximum = min(MAX_ROWS, max(SOME_ROWS, MAX_VALUES // X.shape[1]))
    if len(X) > maximum:
        X = X[np.sort(random.permutation(len(X))[:maximum])]
    points = np.where(np.isnan(X), mean, X)
    points -= points.mean(axis=0)
    return points


def main_components(points: np.ndarray, count: int) -> np.ndarray:
    """Return the scores of the rows on the first principal components, each of length 1.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Centered.
    count : int
        The maximum number of components.

    Returns
    -------
    scores : ndarray of shape (n_samples, n_components)

    Examples
    --------
    >>> abs(main_components(np.array([[3.0, 0], [-3, 0], [0, 1], [0, -1]]), 1)).round(2).ravel()
    array([0.71, 0.71, 0.  , 0.  ])
    """
    n, d = points.shape
    count = min(count, n, d)
    wide = d > n
    square = points @ points.T if wide else points.T @ points
    last = len(square) - 1
    spread, vectors = eigh(square, subset_by_index=[last - count + 1, last])
    if len(spread) < count:  # with many equal eigenvalues, LAPACK may return fewer
        spread, vectors = np.linalg.eigh(square)
        spread, vectors = spread[-count:], vectors[:, -count:]
    real = spread > ROUNDING * max(spread[-1], 0.0)
    vectors = vectors[:, real]
    return vectors if wide else points @ vectors / np.sqrt(spread[real])
