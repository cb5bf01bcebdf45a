"""How much each column has to do with the others: what their main components say of it.

Groups show in many columns at once, and a column that has nothing to do with any other can show
none but its own. So the columns are halved at random, the main components of one half are found,
and of each column of the other half it is measured which share of its spread they explain; then the
halves change places. The root of the mean over several halvings is the column's correlation with
what the others have in common; beside that of the best column, it is how often a column counts. No
column helps to find the components that it is measured by.

Components change as little as the rows do. Clusters of KMeans in their place say the same of most
tables, but with a row more or less they may be quite different ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

#: How often columns are halved, and how many components of a half are taken in turn. The more
#: columns there are, the less it matters which are in which half.
HALVINGS, FEWEST_HALVINGS, COMPONENTS = 48, 6, (1, 2, 3)
#: More rows than the most say the same, and more values take long; but some rows are needed.
MOST_ROWS, MOST_VALUES, SOME_ROWS = 10_000, 2_000_000, 200
#: No column counts less than that: it may be of interest all the same.
LEAST = 0.1
#: Of fewer columns no half says anything, nor do fewer rows.
FEWEST, FEWEST_ROWS = 4, 16
#: Where components explain no more of any column, or no more than so many rows of all, there is
#: nothing to go by: of few rows chance explains some.
NOTHING, BY_CHANCE = 0.02, 12
#: Components with a smaller share of the spread of the first are rounding.
ROUNDING = 1e-9


def relevance(X: np.ndarray, sources: Sequence[np.ndarray]) -> np.ndarray:
    """How often each source is to count, from ``LEAST`` to 1.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Scaled features; NaN where a value is missing.
    sources : sequence of arrays of int
        The features of each column.

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
    places = np.concatenate(sources)
    points = _points(X[:, places], random)
    n = len(points)
    # The features of source j are those from begins[j] on.
    sizes = np.array([len(one) for one in sources])
    begins = np.cumsum(sizes) - sizes
    own = [np.arange(begin, begin + size) for begin, size in zip(begins, sizes, strict=True)]
    explained, times = np.zeros(d), np.zeros(d)
    with threadpool_limits(1):  # so that sums do not depend on the number of threads
        total = np.add.reduceat(np.einsum("ij,ij->j", points, points), begins)
        for halving in range(max(FEWEST_HALVINGS, min(HALVINGS, 50 * HALVINGS // d))):
            order = random.permutation(d)
            for seen, others in (
                (order[: d // 2], order[d // 2 :]),
                (order[d // 2 :], order[: d // 2]),
            ):
                half = points[:, np.concatenate([own[j] for j in seen])]
                scores = main_components(half, COMPONENTS[halving % len(COMPONENTS)])
                found = np.add.reduceat(((scores.T @ points) ** 2).sum(axis=0), begins)
                share = np.divide(found, total, out=np.zeros(d), where=total > 0)
                chance = scores.shape[1] / (n - 1)
                explained[others] += np.maximum((share - chance) / (1 - chance), 0.0)[others]
                times[others] += 1
    shares = explained / times
    if shares.max() <= max(NOTHING, BY_CHANCE / n):
        return np.ones(d)
    return np.maximum(np.sqrt(shares / shares.max()), LEAST)


def _points(X: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Some rows about their mean, which stands where values are missing."""
    # Of all rows: among some a column may have no value at all.
    mean = np.nanmean(X, axis=0)
    most = min(MOST_ROWS, max(SOME_ROWS, MOST_VALUES // X.shape[1]))
    if len(X) > most:
        X = X[np.sort(random.permutation(len(X))[:most])]
    points = np.where(np.isnan(X), mean, X)
    points -= points.mean(axis=0)
    return points


def main_components(points: np.ndarray, count: int) -> np.ndarray:
    """Scores of the rows on the components of most spread, each of length 1.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        About their mean.
    count : int
        There are fewer where points have fewer.

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
    most = len(square) - 1
    spread, vectors = eigh(square, subset_by_index=[most - count + 1, most])
    if len(spread) < count:  # LAPACK loses some of those that it is asked for where many are equal
        spread, vectors = np.linalg.eigh(square)
        spread, vectors = spread[-count:], vectors[:, -count:]
    real = spread > ROUNDING * max(spread[-1], 0.0)
    vectors = vectors[:, real]
    return vectors if wide else points @ vectors / np.sqrt(spread[real])
