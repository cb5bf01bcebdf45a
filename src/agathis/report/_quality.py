"""Metrics of the clusters: explained variance, silhouette, stability, distance from the optimum.

All are computed in the space of the fit with the kernel of the model's spec, for many rows on a
sample whose size is stated. Trees are fitted again with the model's spec: to halves of the rows,
for the stability, and with more leaves (``_more_leaves``). A metric that cannot be computed is
None, with a reason.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.utils import get_tags

from agathis._checks.kernels import check_domain
from agathis._checks.roles import EncodedRows
from agathis._core.search.optimum import MAX_COMPONENTS
from agathis._growth.limits import Limits
from agathis._kernels.spec import KernelSpec
from agathis._methods import METHODS
from agathis._model.fitted_model import FittedModel
from agathis._objective.cost import scatter
from agathis._search.optimal.optimum import optimum
from agathis._search.optimal.spectral_bound import cost_lower_bound
from agathis._trees.tree import Tree
from agathis.report._fit_rows import FitRows, kernel_points, sample_of
from agathis.report._more_leaves import for_share, more_leaves
from agathis.report._node_rows import rounded
from agathis.report._tuning import (
    COST_ROUNDING,
    KMEANS_N_INIT,
    MAX_PAIRWISE_ROWS,
    MAX_PROVEN_LEAVES,
    MAX_ROWS,
    MAX_SETTINGS,
    N_HALVES,
    PROOF_WORK,
)


def quality_of(
    model: FittedModel, rows: FitRows, labels: np.ndarray, min_rows: int
) -> dict[str, object]:
    """The metrics of the page and the trees with more leaves.

    A metric is None if it is undefined: for one cluster, for equal rows, for fewer than
    ``min_rows`` rows, or if the model cannot be fitted again.
    """
    grower, why = grower_of(model, rows)
    # Only a model without settings has no known kernel.
    kernel = (KernelSpec() if grower is None else model.settings().kernel).resolve()
    # Other kernels need a matrix of all pairs.
    sample = sample_of(len(labels), MAX_ROWS if kernel.metric == "linear" else MAX_PAIRWISE_ROWS)
    out: dict[str, object] = {
        "n_rows": len(labels),
        "n_sampled": len(sample),
        **dict.fromkeys(("explained", "kmeans", "relative_cost", "gap", "silhouette")),
        "n_silhouette": 0,
        "stability": None,
        "leaves": [],
        "leaves_why": why,
    }
    known = grower is not None or model.why_no_spec is not None
    if model.agreement is not None or not (known or model.settings().kernel.kernel == "linear"):
        # Distances of the rows are not those of the fit, nor do they matter to given labels.
        return out
    points = kernel_points(kernel, rows.points[sample])
    if len(points):
        # No metric depends on the unit; divided by the maximum, no square overflows.
        points = points - points.mean(axis=0)
        points = points / (np.abs(points).max(initial=0.0) or 1.0)
    labels = labels[sample]
    n_clusters = len(np.unique(labels))
    if len(sample) < max(min_rows, 2) or not (points != points[0]).any():
        return out
    cost = scatter(points, labels)
    total = scatter(points, np.zeros(len(points), dtype=np.intp))
    out["explained"] = explained_by(cost, total)
    if 1 < n_clusters < len(points):
        kmeans = _kmeans_cost(points, n_clusters)
        out["kmeans"] = explained_by(kmeans, total)
        out["relative_cost"] = rounded(cost / kmeans) if kmeans > COST_ROUNDING * total else None
        some = sample_of(len(points), MAX_PAIRWISE_ROWS)
        if 1 < len(np.unique(labels[some])) < len(some):
            out["silhouette"] = rounded(silhouette_score(points[some], labels[some]))
            out["n_silhouette"] = len(some)
    if grower is None:
        return out
    encoded = rows.rows[sample]
    if n_clusters > 1 and cost > COST_ROUNDING * total and kernel.is_positive:
        values = split_values(grower, encoded) if len(sample) == len(rows.points) else None
        out["gap"] = rounded(gap_of(points, values, model.tree_, cost))
    if model.tree_.n_clusters < 2 or why is not None:
        return out
    if np.isnan(encoded).any() and not get_tags(grower).input_tags.allow_nan:
        out["leaves_why"] = (
            f"{type(grower).__name__} does not accept missing values with these settings"
        )
        return out
    grower = for_share(grower, len(sample) / len(rows.points))
    out["stability"] = stability(grower, encoded, labels)
    out["leaves"], out["leaves_why"] = more_leaves(
        grower,
        model.tree_ if model.fitted_tree is None else model.fitted_tree,
        model.tree_.n_clusters,
        encoded,
        _fitted,
        lambda other: explained_by(scatter(points, _labels(other, encoded)), total),
    )
    return out


def explained_by(cost: float, total: float) -> float | None:
    """The explained variance of clusters with this cost; None if there is no variance."""
    return rounded(1 - cost / total) if total > 0 and np.isfinite(total) else None


def gap_of(points: np.ndarray, values: np.ndarray | None, tree: Tree, cost: float) -> float:
    """The optimality gap: how much lower the cost of a tree of the same size can be at most.

    For a tree with few leaves and splits on ``values`` alone, the optimal tree is searched for.
    Otherwise the bound is that of any partition.
    """
    bound = cost_lower_bound(points, None, tree.n_clusters)
    few = tree.n_leaves <= MAX_PROVEN_LEAVES and len(points) <= MAX_PAIRWISE_ROWS
    if values is not None and few and points.shape[1] <= MAX_COMPONENTS:
        limits = Limits(tree.n_leaves, tree.n_leaves)
        best = optimum(points, values, None, limits, incumbent=cost, work_limit=PROOF_WORK)
        bound = max(bound, best.lower_bound)
    return max(0.0, 1 - bound / cost)


def split_values(grower: BaseEstimator, rows: EncodedRows) -> np.ndarray | None:
    """The columns whose thresholds are all the splits that the model could use; None if not.

    The search for the optimal tree has no splits on sets of categories, sums of two columns or
    missing values, so that its certificate would not cover these.
    """
    assert rows.roles is not None
    if rows.roles.groups or getattr(grower, "split", "axis") != "axis" or np.isnan(rows).any():
        return None
    return np.asarray(rows[:, rows.roles.searched], dtype=np.float64)


def _kmeans_cost(points: np.ndarray, n_clusters: int) -> float:
    with warnings.catch_warnings():
        # Fewer distinct rows than clusters: the cost is 0.
        warnings.simplefilter("ignore", ConvergenceWarning)
        kmeans = KMeans(n_clusters, n_init=KMEANS_N_INIT, random_state=0)
        return float(kmeans.fit(points).inertia_)


def grower_of(model: FittedModel, rows: FitRows) -> tuple[BaseEstimator | None, str | None]:
    """An estimator with the spec of the model, and the reason if no further trees are fitted.

    Without an estimator the kernel is unknown. A proof of optimality takes too long for a page:
    local search replaces it.
    """
    if model.why_no_spec is not None:
        return None, f"the settings of the fit are unknown: {model.why_no_spec}"
    spec = model.settings()
    seed = spec.random_state if isinstance(spec.random_state, int) else 0
    try:
        grower = spec.to_estimator(random_state=seed)
        if spec.kernel.kernel == "precomputed":
            return None, "kernel='precomputed' is a matrix of the training rows"
        if rows.why_unknown is not None:
            return None, f"the preprocessing of the fit is unknown: {rows.why_unknown}"
        check_domain(spec.kernel.resolve(), rows.points)
    except ValueError as error:
        return None, str(error).rstrip(".")
    known = grower.get_params(deep=False)
    params: dict[str, Any] = {"verbose": 0, "n_jobs": 1}
    for name, maximum in MAX_SETTINGS.items():
        # It may be "auto".
        if isinstance(known.get(name), (int, float)):
            params[name] = min(known[name], maximum)
    if known.get("search") == "optimal":
        params["search"] = "local"
    grower.set_params(**{name: value for name, value in params.items() if name in known})
    slow = any(m.slow and m.estimator == type(grower).__name__ for m in METHODS.values())
    return grower, f"{model.method} is too slow to fit more trees for a page" if slow else None


def stability(grower: BaseEstimator, rows: Any, labels: np.ndarray) -> dict[str, Any] | None:
    """The mean and minimum ARI between these clusters and those of trees of random halves."""
    random = np.random.default_rng(0)
    half = len(rows) // 2
    grower = for_share(grower, half / len(rows))
    if half < max(2, getattr(grower, "n_clusters", 2)):
        return None
    agreement = []
    for _ in range(N_HALVES):
        some = np.sort(random.choice(len(rows), half, replace=False))
        other = _fitted(grower, rows[some])
        agreement.append(adjusted_rand_score(labels, _labels(other, rows)))
    return {
        "mean": rounded(float(np.mean(agreement))),
        "least": rounded(float(np.min(agreement))),
        "n_trees": N_HALVES,
        "n_rows": half,
    }


def _fitted(grower: BaseEstimator, rows: Any, **start: Any) -> BaseEstimator:
    with warnings.catch_warnings():
        # The fit of all rows has raised the same warnings.
        warnings.simplefilter("ignore")
        return clone(grower).fit(rows, **start)


def _labels(model: BaseEstimator, rows: Any) -> np.ndarray:
    """The clusters of rows; missing values that the half did not have go to the larger child."""
    return np.asarray(
        model.tree_.predict(np.array(rows, dtype=np.float64, order="C", subok=False), 1)
    )
