"""The optimal tree with one leaf per cluster, and a proof of optimality.

Branch and bound (``_core/search/optimum_search.c``) over trees with axis-aligned splits, with
missing values on either side, and splits into two sets of categories. The cost of a tree is the
sum over its leaves of the weighted squared distances of points to their mean.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from agathis._core.search.optimum import MAX_COMPONENTS, MAX_LEAVES, find_optimum
from agathis._dataset.features import CategoryGroups
from agathis._growth.limits import Limits
from agathis._search.optimal.distinct_rows import DistinctRows
from agathis._search.optimal.spectral_bound import cost_lower_bound
from agathis._trees.builder import TreeBuilder

#: Costs that differ by less than this fraction of the scatter are equal.
SLACK = 1e-12
#: Additions between two calls of the callback (``_core/search/optimum_search.c``).
WORK_BETWEEN_POLLS = 1 << 23
#: The relative rounding error of sums of weights.
SUM_ROUNDING = 1e-12


@dataclass(frozen=True)
class Optimum:
    """The result of a search for the optimal tree.

    Attributes
    ----------
    cuts : TreeBuilder or None
        The best tree, with leaves numbered as clusters from left to right; None if no tree
        improves on the incumbent.
    cost : float
        The cost of the tree, or of the incumbent.
    lower_bound : float
        A lower bound of the cost; equal to the cost if optimality is proven.
    is_optimal : bool
        Whether the cost is proven to be minimal.
    n_scans : int
        The number of row sets whose splits were scanned.
    seconds : float
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    cuts: TreeBuilder | None
    cost: float
    lower_bound: float
    is_optimal: bool
    n_scans: int
    seconds: float
    interrupted: bool = False

    @property
    def gap(self) -> float:
        """The optimality gap, as a fraction of the cost."""
        return (self.cost - self.lower_bound) / self.cost if self.cost > 0 else 0.0


def optimum(
    points: np.ndarray,
    values: np.ndarray,
    weight: np.ndarray | None,
    limits: Limits,
    *,
    incumbent: float = math.inf,
    time_limit: float | None = None,
    work_limit: float | None = None,
    on_progress: Callable[[float, float], None] | None = None,
    columns: np.ndarray | None = None,
    category: np.ndarray | None = None,
    sources: CategoryGroups | None = None,
) -> Optimum:
    """Find the tree of minimum cost within the limits, with one leaf per cluster.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_components)
        The rows in the space of the objective.
    values : ndarray of shape (n_samples, n_features)
        The columns to split on; NaN if missing.
    weight : ndarray of shape (n_samples,) or None
    limits : Limits
        With 2 to 16 leaves; more than six are slow except on small data.
    incumbent : float
        The cost of a known tree; only better ones are searched for.
    time_limit : float or None
        Seconds until the best tree so far is returned.
    work_limit : float or None
        The same in additions, checked every ``WORK_BETWEEN_POLLS``, for results that do not depend
        on the machine.
    on_progress : callable, optional
        Called at intervals with the cost and the lower bound.
    columns : ndarray of int, optional
        The feature indices of the columns of ``values``.
    category : ndarray of shape (n_category_groups, n_samples), optional
        The category code of each row in each categorical feature.
    sources : CategoryGroups, optional
        The one-hot columns of the categorical features.

    Returns
    -------
    Optimum

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])
    >>> best = optimum(X, X, None, Limits(3, 3))
    >>> round(best.cost, 6), best.is_optimal, best.cuts.build(1).n_leaves
    (1.0, True, 3)
    """
    started, n_leaves = time.perf_counter(), limits.max_leaves
    if not 1 <= n_leaves <= MAX_LEAVES:
        raise ValueError(
            f"n_leaves={n_leaves}: the optimum is searched for 1 to {MAX_LEAVES} leaves."
        )
    if points.shape[1] > MAX_COMPONENTS:
        raise ValueError(
            f"points have {points.shape[1]} components; the optimum is searched for at most "
            f"{MAX_COMPONENTS}."
        )
    rows = DistinctRows(points, values, weight, columns, category, sources)
    min_weight = rows.weight.min(initial=math.inf)
    # Sums of weights may be slightly too low by rounding.
    limits = replace(limits, min_leaf=limits.min_leaf - SUM_ROUNDING * rows.weight.sum())

    n_polls = 0

    def ask(cost: float, bound: float) -> bool:
        nonlocal n_polls
        n_polls += 1
        if on_progress is not None:
            on_progress(cost + rows.within, bound + rows.within)
        if work_limit is not None and n_polls * WORK_BETWEEN_POLLS >= work_limit:
            return True
        return time_limit is not None and time.perf_counter() - started >= time_limit

    # A single leaf is a tree within any limits.
    improves, splits = rows.scatter + rows.within < incumbent, []
    bound, counts, ended, error = 0.0, (0, 0), False, None
    if len(rows.weight) > 1 and n_leaves > 1:
        cost, bound, better, counts, ended, error = find_optimum(
            rows.point,
            rows.weight,
            rows.square,
            rows.code,
            rows.order,
            rows.key,
            replace(limits, max_leaves=min(n_leaves, len(rows.weight))).record,
            rows.scatter,
            min(rows.scatter, incumbent - rows.within),
            SLACK * rows.scatter,
            limits.min_leaf > min_weight or limits.min_split > 2 * min_weight,
            ask,
        )
        if cost is not None:
            splits, improves = better, True
    if error is not None and not isinstance(error, KeyboardInterrupt):
        raise error
    tree, best = rows.tree(splits) if improves else (None, incumbent)
    lower_bound = best
    if ended:
        bound = max(bound, cost_lower_bound(rows.means, rows.weight, n_leaves))
        lower_bound = min(best, bound + rows.within)
    return Optimum(
        cuts=tree,
        cost=best,
        lower_bound=lower_bound,
        is_optimal=not ended,
        n_scans=counts[0],
        seconds=time.perf_counter() - started,
        interrupted=error is not None,
    )
