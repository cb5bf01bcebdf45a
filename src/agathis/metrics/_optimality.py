"""An upper bound on how much better another tree of the same size can be."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks import kernels as kernel_checks
from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space
from agathis._kmeans.tuning import FACTOR_ROWS
from agathis._objective.cost import kernel_cost
from agathis._search.optimal.lower_bounds import tree_lower_bound
from agathis._search.optimal.spectral_bound import cost_lower_bound
from agathis._search.points import factor_points
from agathis._trees.model import tree_of
from agathis._trees.tree import Tree


class OptimalityGap(NamedTuple):
    """The cost of a tree, and a lower bound for all trees of its size.

    Attributes
    ----------
    cost : float
        The inertia of its clusters.
    lower_bound : float
        No tree with as many leaves and clusters has a lower cost.
    gap : float
        The maximum relative reduction of the cost by another tree; 0 proves optimality.
    """

    cost: float
    lower_bound: float
    gap: float


def optimality_gap(
    model: BaseEstimator | Tree,
    X: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    time_limit: float = 10.0,
) -> OptimalityGap:
    """Upper bound on how much better another tree of the same size can be.

    The bound holds for every tree with axis-aligned splits and as many leaves and clusters. It is
    the better of two: the bound of KMeans from the spectrum of the rows, and that of a search over
    trees with one leaf per cluster, as far as the time allows. Such trees have no splits on
    categories or on two columns: if the model has some, the bound is that of KMeans.

    Parameters
    ----------
    model : fitted estimator of the package, Tree, or Pipeline that ends with such an estimator
        A tree alone is evaluated with the linear kernel, one that was fitted with
        ``n_components`` with the exact kernel. The kernel must be positive semi-definite.
    X : array-like of shape (n_samples, n_features)
        The training rows, without missing values; for a pipeline, its raw table.
    sample_weight : array-like of shape (n_samples,), optional
    time_limit : float, default=10
        Seconds for the search; 0 disables it.

    Returns
    -------
    gap : OptimalityGap

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.metrics import optimality_gap
    >>> X = load_iris().data
    >>> model = Kauri(3, max_leaf_nodes=3, search="local").fit(X)
    >>> round(optimality_gap(model, X).gap, 6)
    0.0
    """
    if isinstance(model, Pipeline):
        model, X = model[-1], model[:-1].transform(X) if len(model) > 1 else X
    tree = tree_of(model)
    X = checks.check_table(X, n_features=tree.n_features)
    if not 0 <= time_limit < math.inf:
        raise ValueError(f"time_limit={time_limit!r} must be a number of seconds, at least 0.")
    weight = checks.check_sample_weight(sample_weight, len(X))
    rows = np.asarray(X, dtype=np.float64)
    if weight is not None:
        rows, weight = rows[weight > 0], weight[weight > 0]
    roles = getattr(model, "roles_", None)
    kernel = kernel_checks.kernel_of(model, None if roles is None else roles.kernel_columns)
    points = _points(kernel, rows, weight)
    cost = kernel_cost(kernel, rows, tree.predict(rows), weight, 1)
    if tree.has_terms or (roles is not None and len(roles.one_hot)):
        bound = cost_lower_bound(points, weight, tree.n_clusters)
    else:
        values = rows if roles is None else rows[:, np.flatnonzero(roles.split)]
        bound = tree_lower_bound(
            points,
            values,
            weight,
            tree.n_clusters,
            tree.n_leaves,
            cost=cost,
            time_limit=time_limit,
        )
    bound = min(bound, cost)
    return OptimalityGap(cost, bound, (cost - bound) / cost if cost > 0 else 0.0)


def _points(kernel: Kernel, rows: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    if kernel.has_features:
        return Space(kernel).points(rows)
    if kernel.metric == "precomputed":
        raise ValueError(
            "optimality_gap cannot be used with kernel='precomputed': the kernel must be linear, "
            "cosine, or one that is computed from X."
        )
    if len(rows) > FACTOR_ROWS:
        raise ValueError(
            f"{kernel} with {len(rows):,} rows has no bound: the kernel must be linear, cosine, or "
            f"one that is computed for at most {FACTOR_ROWS:,} rows."
        )
    seen = kernel.seen(rows)
    share = np.ones(len(rows)) if weight is None else weight
    unit = None if kernel.is_positive else float(np.finfo(np.float64).eps)
    return factor_points(kernel.matrix(seen - kernel.origin(seen), 1), share, unit)
