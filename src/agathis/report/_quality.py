"""How good clusters are: how much they explain, how far apart they are, whether they come again.

All is computed in the space of the fit, by the kernel of the model's spec, and of many rows on a
sample whose size is stated. Trees are grown again with the model's spec: from halves of the rows,
to see whether the same groups come out, and with more leaves (``_more_leaves``), to see what these
would buy. What cannot be computed is None, with a reason.
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
from agathis._kernels.kernel import at_most
from agathis._kernels.spec import KernelSpec
from agathis._methods import METHODS
from agathis._model.fitted_model import FittedModel
from agathis._objective.cost import scatter
from agathis._search.optimal.optimum import optimum
from agathis._search.optimal.spectral_bound import cost_lower_bound
from agathis._trees.tree import Tree
from agathis.report._fit_rows import PAIRS, SAMPLE, FitRows, kernel_points, sample_of
from agathis.report._more_leaves import for_share, more_leaves
from agathis.report._node_rows import rounded

#: Trees that are grown from halves of the rows.
HALVES = 8
#: Leaves of a tree that is compared with the best one, and the work that the proof may take: some
#: seconds. It is counted in operations, so that a page does not depend on the machine.
PROVEN_LEAVES = 4
PROOF_WORK = 5e9
#: A page grows eleven trees, maybe by the settings of somebody else's file: none is searched
#: longer than a fit usually is.
MOST = {"search_effort": 1.0, "n_init": 100}


def quality_of(
    model: FittedModel, rows: FitRows, labels: np.ndarray, least: int
) -> dict[str, object]:
    """The numbers of the box on quality, and of the section on leaves, as plain data.

    A number is None where it has no meaning: of one cluster, of rows that are all alike, of fewer
    than ``least`` rows, or where the model cannot be grown again.
    """
    # These are many fits of few rows: threads would wait for each other more than they work.
    with at_most(1):
        return _quality_of(model, rows, labels, least)


def _quality_of(
    model: FittedModel, rows: FitRows, labels: np.ndarray, least: int
) -> dict[str, object]:
    grower, why = grower_of(model, rows)
    # Only a model without settings has no known kernel.
    kernel = (KernelSpec() if grower is None else model.settings().kernel).resolve()
    # Other kernels need a matrix of all pairs.
    drawn = sample_of(len(labels), SAMPLE if kernel.metric == "linear" else PAIRS)
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
        "leaves_why": why,
    }
    if grower is None and not _is_linear(model):
        return out
    points = kernel_points(kernel, rows.points[drawn])
    if len(points):
        # None of these numbers changes with the unit; in this one no square is out of range.
        points = points - points.mean(axis=0)
        points = points / (np.abs(points).max(initial=0.0) or 1.0)
    labels = labels[drawn]
    n_clusters = len(np.unique(labels))
    if len(drawn) < max(least, 2) or not (points != points[0]).any():
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
    if grower is None:
        return out
    fit = rows.rows[drawn]
    if n_clusters > 1 and own > 1e-9 * total and kernel.is_positive:
        searched = split_values(grower, fit) if len(drawn) == out["n_rows"] else None
        out["gap"] = rounded(gap_of(points, searched, model.tree_, own))
    n_known = model.tree_.n_clusters
    if n_known < 2 or why is not None:
        return out
    if np.isnan(fit).any() and not get_tags(grower).input_tags.allow_nan:
        out["leaves_why"] = (
            f"{type(grower).__name__} does not accept missing values with these settings"
        )
        return out
    grower = for_share(grower, len(drawn) / len(rows.points))
    out["stability"] = stability(grower, fit, labels)
    found = more_leaves(
        grower,
        model.tree_ if model.fitted_tree is None else model.fitted_tree,
        n_known,
        fit,
        _fitted,
        lambda other: share(scatter(points, _labels(other, fit)), total),
    )
    return out | {"leaves": found.trees, "leaves_why": found.why}


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
    if values is not None and few and points.shape[1] <= MAX_COMPONENTS:
        limits = Limits(tree.n_leaves, tree.n_leaves)
        best = optimum(points, values, None, limits, incumbent=own, work_limit=PROOF_WORK)
        bound = max(bound, best.lower_bound)
    return max(0.0, 1 - bound / own)


def split_values(grower: BaseEstimator, rows: EncodedRows) -> np.ndarray | None:
    """The columns whose thresholds are all the splits that the model may have; None if not.

    Sets of categories, sums of two columns and missing values are splits that the search for the
    best tree does not look at: a certificate would not cover them.
    """
    assert rows.roles is not None
    if rows.roles.groups or getattr(grower, "split", "axis") != "axis" or np.isnan(rows).any():
        return None
    return np.asarray(rows[:, rows.roles.searched], dtype=np.float64)


def _kmeans_cost(points: np.ndarray, n_clusters: int) -> float:
    with warnings.catch_warnings():
        # Fewer different rows than clusters: the cost is 0 then.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return float(KMeans(n_clusters, n_init=5, random_state=0).fit(points).inertia_)


def grower_of(model: FittedModel, rows: FitRows) -> tuple[BaseEstimator | None, str | None]:
    """An estimator with the spec of the model, for the fits of a page; and why there are none.

    Without an estimator the kernel is not known. A proof of optimality takes too long for a page:
    such models are searched instead.
    """
    if model.why_no_spec is not None:
        return None, f"the settings of the fit are unknown: {model.why_no_spec}"
    spec = model.settings()
    seed = spec.random_state if isinstance(spec.random_state, int) else 0
    try:
        grower = spec.to_estimator(random_state=seed)
    except ValueError as error:
        return None, str(error).rstrip(".")
    known = grower.get_params(deep=False)
    if known.get("kernel") == "precomputed":
        return None, "kernel='precomputed' is a matrix of the training rows"
    if rows.why_unknown is not None:
        return None, f"the preprocessing of the fit is unknown: {rows.why_unknown}"
    try:
        check_domain(spec.kernel.resolve(), rows.points)
    except ValueError as error:
        return None, str(error).rstrip(".")
    params: dict[str, Any] = {"verbose": 0, "n_jobs": 1}
    for name, most in MOST.items():
        # It may be "auto".
        if isinstance(known.get(name), (int, float)):
            params[name] = min(known[name], most)
    if known.get("search") == "optimal":
        params["search"] = "local"
    grower.set_params(**{name: value for name, value in params.items() if name in known})
    slow = any(m.slow and m.estimator == type(grower).__name__ for m in METHODS.values())
    return grower, f"{model.method} is too slow to fit more trees for a page" if slow else None


def _is_linear(model: FittedModel) -> bool:
    """Whether distances of rows are those of the model, as far as is known."""
    return model.why_no_spec is not None or model.settings().kernel.kernel == "linear"


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
        other = _fitted(grower, rows[some])
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
