"""How much each column has to do with the others: what groups of the others show in it.

Groups show in many columns at once, and a column that has nothing to do with any other can show
none but its own. So the columns are halved at random, the rows are clustered by one half, and of
each column of the other half it is measured which share of its spread the clusters explain; then
the halves change places. The root of the mean over several halvings is the column's correlation
ratio with groups of the others; beside that of the best column, it is how often a column counts. No
column helps to find the groups that it is measured by.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

#: How often columns are halved, and into how many groups the rows are clustered in turn. The more
#: columns there are, the less it matters which are in which half.
HALVINGS, FEWEST_HALVINGS, GROUPS = 48, 6, (2, 4, 8)
#: More rows than that say the same.
ROWS = 1000
#: No column counts less than that: it may be of interest all the same.
LEAST = 0.1
#: Of fewer columns no half says anything.
FEWEST = 4
#: Where clusters explain no more of any column, or no more than so many rows of all, there are no
#: groups to go by: of few rows chance explains some.
NOTHING, BY_CHANCE = 0.02, 6


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
    n, d = len(X), len(sources)
    if d < FEWEST or n < 2 * max(GROUPS):
        return np.ones(d)
    random = np.random.RandomState(0)
    # Of all rows: among some a column may have no value at all.
    mean = np.nanmean(X, axis=0)
    if n > ROWS:
        X = X[np.sort(random.permutation(n)[:ROWS])]
    points = np.where(np.isnan(X), mean, X)
    points -= points.mean(axis=0)
    total = np.array([(points[:, places] ** 2).sum() for places in sources])
    values = np.count_nonzero(np.diff(np.sort(points, axis=0), axis=0), axis=0) + 1
    explained, times = np.zeros(d), np.zeros(d)
    with threadpool_limits(1):  # so that sums do not depend on the number of threads
        for halving in range(max(FEWEST_HALVINGS, min(HALVINGS, 50 * HALVINGS // d))):
            k = GROUPS[halving % len(GROUPS)]
            order = random.permutation(d)
            for seen, others in (
                (order[: d // 2], order[d // 2 :]),
                (order[d // 2 :], order[: d // 2]),
            ):
                columns = np.concatenate([sources[j] for j in seen])
                part, groups = points[:, columns], k
                if values[columns].max() < k:
                    # Of rows that are alike KMeans would warn that there are too few.
                    groups = min(k, len(np.unique(part, axis=0)))
                labels = KMeans(groups, n_init=1, random_state=halving).fit_predict(part)
                explained[others] += _explained(
                    points, labels, [sources[j] for j in others], total[others]
                )
                times[others] += 1
    shares = explained / times
    if shares.max() <= max(NOTHING, BY_CHANCE / len(points)):
        return np.ones(d)
    return np.maximum(np.sqrt(shares / shares.max()), LEAST)


def _explained(
    points: np.ndarray, labels: np.ndarray, sources: Sequence[np.ndarray], total: np.ndarray
) -> np.ndarray:
    """The share of the spread of each source that clusters explain, beyond what chance does."""
    n, k = len(points), int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=k)
    members = np.zeros((k, n))
    members[labels, np.arange(n)] = 1.0
    means = members @ points / np.maximum(sizes, 1)[:, None]
    between = sizes @ means**2
    ends = np.cumsum([len(places) for places in sources])
    found = np.add.reduceat(between[np.concatenate(sources)], ends - [len(p) for p in sources])
    share = np.divide(found, total, out=np.zeros(len(total)), where=total > 0)
    chance = (k - 1) / (n - 1)
    return np.maximum((share - chance) / (1 - chance), 0.0)
