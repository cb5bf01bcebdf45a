"""How good clusters are: how much they explain, how far apart they are, whether they come again.

All is computed in the scaling of the fit and, of many rows, of some that are drawn; the number of
these is told. Trees are grown again in the way of the model: from halves of the rows, to see
whether the same groups come out, and with more leaves (``_more_leaves``), to see what these would
buy.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, silhouette_score

from agathis._core.search.optimum import MOST_COMPONENTS
from agathis._growing.limits import Limits
from agathis._kernels.kernel import at_most
from agathis._methods import METHODS, make_method
from agathis._partitions.cost import scatter
from agathis._searching.bounds import cost_lower_bound
from agathis._searching.optimum import optimum
from agathis._suggest import default_min_leaf
from agathis._trees.model import TreeModel
from agathis._trees.tree import Tree
from agathis.export import LoadedTree
from agathis.report._fit_rows import PAIRS, SAMPLE, FitRows, kernel_points, sample_of, take
from agathis.report._more_leaves import for_share, more_leaves
from agathis.report._node_rows import rounded

#: Trees that are grown from halves of the rows.
HALVES = 8
#: Leaves of a tree that is held against the best one, and how long that may take.
PROVEN_LEAVES = 4
PROOF_SECONDS = 5.0


def quality_of(
    model: BaseEstimator | Tree, tree: Tree, rows: FitRows, labels: np.ndarray, least: int
) -> dict[str, object]:
    """The numbers of the box on quality, and of the section on leaves, as plain data.

    A number is None where it has no meaning: of one cluster, of rows that are all alike, of fewer
    than ``least`` rows, or where the model cannot be grown again.
    """
    # These are many fits of few rows: threads would wait for each other more than they work.
    with at_most(1):
        return _quality_of(model, tree, rows, labels, least)


def _quality_of(
    model: BaseEstimator | Tree, tree: Tree, rows: FitRows, labels: np.ndarray, least: int
) -> dict[str, object]:
    linear = getattr(model, "kernel", "linear") == "linear"
    # Kernels have no points but by all pairs.
    drawn = sample_of(len(labels), SAMPLE if linear else PAIRS)
    points = kernel_points(model, rows.points[drawn])
    out: dict[str, object] = {
        "n_rows": len(labels),
        "n_sampled": len(drawn),
        "explained": None,
        "kmeans": None,
        "relative_cost": None,
        "gap": None,
        "silhouette": None,
        "n_silhouette": 0,
        "stability": None,
        "leaves": [],
        "leaves_why": None,
    }
    if points is not None and len(points):
        # None of these numbers changes with the unit; in this one no square is out of range.
        points = points - points.mean(axis=0)
        points = points / (np.abs(points).max(initial=0.0) or 1.0)
    labels = labels[drawn]
    n_clusters = len(np.unique(labels))
    if points is None or len(drawn) < max(least, 2) or not (points != points[0]).any():
        return out
    own = scatter(points, labels)
    total = scatter(points, np.zeros(len(points), dtype=np.intp))
    out["explained"] = share(own, total)
    if n_clusters > 1 and n_clusters < len(points):
        best = _kmeans_cost(points, n_clusters)
        out["kmeans"] = share(best, total)
        # Where KMeans leaves nothing but rounding there is no ratio.
        out["relative_cost"] = rounded(own / best) if best > 1e-9 * total else None
        some = sample_of(len(points), PAIRS)
        if 1 < len(np.unique(labels[some])) < len(some):
            out["silhouette"] = rounded(silhouette_score(points[some], labels[some]))
            out["n_silhouette"] = len(some)
    grower, fit = grower_of(model, tree), take(rows.rows, drawn)
    values = np.asarray(fit, dtype=np.float64)
    missing = np.isnan(values).any()
    if n_clusters > 1 and own > 1e-9 * total:
        plain = not (missing or tree.has_terms or _has_sources(model, rows.rows))
        plain = plain and len(drawn) == out["n_rows"]
        out["gap"] = rounded(gap_of(points, values if plain else None, tree, own))
    if tree.n_clusters < 2:
        return out
    if grower is None:
        out["leaves_why"] = f"{_source(model)} takes too long to grow trees for a page"
    elif missing and type(grower).__name__ != METHODS["Kauri"].estimator:
        out["leaves_why"] = f"{type(grower).__name__} takes no missing values"
    else:
        grower = for_share(grower, len(drawn) / len(rows.points))
        out["stability"] = stability(grower, fit, labels)
        begin = None if isinstance(model, LoadedTree) else getattr(model, "tree_", None)
        found = more_leaves(
            grower,
            begin,
            tree.n_clusters,
            fit,
            _fitted,
            lambda other: share(scatter(points, _labels(other, fit)), total),
        )
        out |= {"leaves": found.trees, "leaves_why": found.why}
    return out


def share(part: float, total: float) -> float | None:
    """What is explained where ``part`` of the cost is left; None where there is none at all."""
    return rounded(1 - part / total) if total > 0 and np.isfinite(total) else None


def gap_of(points: np.ndarray, values: np.ndarray | None, tree: Tree, own: float) -> float:
    """By what share of its cost no tree of the same size can be better.

    With ``values``, where trees cut columns of numbers that are all there, the best tree is looked
    for if there are few leaves and rows; else the bound is that of any clusters.
    """
    bound = cost_lower_bound(points, None, tree.n_clusters)
    few = tree.n_leaves <= PROVEN_LEAVES and len(points) <= PAIRS
    if values is not None and few and points.shape[1] <= MOST_COMPONENTS:
        limits = Limits(tree.n_leaves, tree.n_leaves)
        best = optimum(points, values, None, limits, time_limit=PROOF_SECONDS)
        # What a proof that was cut short has shown depends on the machine.
        if best.is_optimal:
            bound = max(bound, best.lower_bound)
    return max(0.0, 1 - bound / own)


def _has_sources(model: object, rows: Any) -> bool:
    """Whether a tree may part categories into any two sets, which is more than cuts of columns."""
    told = (getattr(rows, "roles", None), getattr(model, "roles_", None))
    return any(roles is not None and len(roles.groups) > 0 for roles in told)


def _kmeans_cost(points: np.ndarray, n_clusters: int) -> float:
    with warnings.catch_warnings():
        # Fewer different rows than clusters: the cost is 0 then.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return float(KMeans(n_clusters, n_init=5, random_state=0).fit(points).inertia_)


def grower_of(model: BaseEstimator | Tree, tree: Tree) -> BaseEstimator | None:
    """An estimator that grows trees as the model does; None where that takes long or is unknown.

    A tree that has left its method behind is grown by that method with the settings of the command
    line, for as many clusters and leaves.
    """
    if isinstance(model, TreeModel) and not isinstance(model, LoadedTree):
        if type(model).__name__ == METHODS["ICOT"].estimator:
            return None
        grower = clone(model)
        known = grower.get_params(deep=False)
        # A page has eleven of these trees: none is searched longer than a fit usually is.
        effort = min(known.get("search_effort", 1), 1)
        # A page of the same model and rows is always the same.
        seed = 0 if known.get("random_state") is None else known["random_state"]
        others = {"verbose": 0, "n_jobs": 1, "search_effort": effort, "random_state": seed}
        return grower.set_params(**{n: v for n, v in others.items() if n in known})
    source = _source(model)
    method = next((m for m in METHODS.values() if m.estimator == source), METHODS["Kauri"])
    if method.slow:
        return None
    grower = make_method(method.name, tree.n_clusters, max_leaf_nodes=tree.n_leaves, random_state=0)
    usual = {"min_samples_leaf": default_min_leaf(tree.n_leaves), "search": "local"}
    known = grower.get_params(deep=False)
    return grower.set_params(**{name: value for name, value in usual.items() if name in known})


def _source(model: object) -> str:
    """The method that made a tree; one that does not tell is taken for Kauri's."""
    if isinstance(model, TreeModel) and not isinstance(model, LoadedTree):
        return type(model).__name__
    return str(getattr(model, "source", None) or "Kauri")


def stability(grower: BaseEstimator, rows: Any, labels: np.ndarray) -> dict[str, Any] | None:
    """How far trees of random halves agree with this one: the mean ARI over all rows."""
    random = np.random.default_rng(0)
    half = len(rows) // 2
    grower = for_share(grower, half / len(rows))
    if half < max(2, getattr(grower, "n_clusters", 2)):
        return None
    found = []
    for _ in range(HALVES):
        some = np.sort(random.choice(len(rows), half, replace=False))
        other = _fitted(grower, take(rows, some))
        found.append(adjusted_rand_score(labels, _labels(other, rows)))
    return {
        "mean": rounded(float(np.mean(found))),
        "least": rounded(float(np.min(found))),
        "n_trees": HALVES,
        "n_rows": half,
    }


def _fitted(grower: BaseEstimator, rows: Any, **more: Any) -> BaseEstimator:
    with warnings.catch_warnings():
        # What a fit has to say of these rows it has said of the whole.
        warnings.simplefilter("ignore")
        return clone(grower).fit(rows, **more)


def _labels(model: BaseEstimator, rows: Any) -> np.ndarray:
    """Where a row misses a value that no row of the half missed, the larger part is its way."""
    return np.asarray(
        model.tree_.predict(np.array(rows, dtype=np.float64, order="C", subok=False), 1)
    )
