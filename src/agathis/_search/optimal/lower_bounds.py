"""A lower bound of the cost of any tree with given numbers of leaves and clusters.

The maximum of two relaxations: the bound of any partition, and the optimal tree with one cluster
per leaf, as leaves that share a cluster never cost less than separate ones.
"""

from __future__ import annotations

import math

import numpy as np

from agathis._core.search.optimum import MAX_COMPONENTS, MAX_LEAVES
from agathis._growth.limits import Limits
from agathis._search.optimal.distinct_rows import DistinctRows
from agathis._search.optimal.optimum import optimum
from agathis._search.optimal.spectral_bound import cost_lower_bound


def tree_lower_bound(
    points: np.ndarray,
    values: np.ndarray,
    weight: np.ndarray | None,
    n_clusters: int,
    n_leaves: int,
    *,
    cost: float = math.inf,
    time_limit: float | None = None,
) -> float:
    """A lower bound of the cost of trees with ``n_leaves`` leaves in ``n_clusters`` clusters.

    Parameters
    ----------
    points, values, weight
        See :func:`~agathis._search.optimal.optimum.optimum`.
    n_clusters, n_leaves : int
        The maximum numbers.
    cost : float
        The cost of a known tree; the bound need not exceed it.
    time_limit : float or None
        Seconds for the search of the optimal tree; its lower bound at that time is used. With 0
        the search is skipped.

    Returns
    -------
    bound : float

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])
    >>> round(tree_lower_bound(X, X, None, n_clusters=3, n_leaves=3), 6)
    1.0
    """
    rows = DistinctRows(points, values, weight)
    # Rows with equal values are in one cluster of any tree.
    bound = rows.within + cost_lower_bound(rows.means, rows.weight, n_clusters)
    small = n_leaves <= MAX_LEAVES and points.shape[1] <= MAX_COMPONENTS
    if bound < cost and small and time_limit != 0:
        best = optimum(
            points,
            values,
            weight,
            Limits(n_leaves, n_leaves),
            incumbent=cost,
            time_limit=time_limit,
        )
        bound = max(bound, best.lower_bound)
    return min(bound, cost)
