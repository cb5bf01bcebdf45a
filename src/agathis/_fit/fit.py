"""Fit a tree: build an engine, grow a greedy tree, and optionally search for a better one.

Estimators, files and Dask are front ends of :func:`fit`: they convert their arguments into a
dataset and a spec, and set the result as fitted attributes. A baseline builds its tree instead
(:mod:`agathis._fit.baseline`).

The result is not a :class:`~agathis._model.fitted_model.FittedModel`: that predicts from the raw
columns, which need the encoder and the provenance of the table, and an estimator without them also
has the labels and the training rows' attributes. It is made from the fitted estimator or pipeline
(:mod:`agathis._model.conversion`), also after its parameters or encoder were used elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._checks.kernels import check_engine
from agathis._dataset.memory import InMemory
from agathis._dataset.protocol import Dataset
from agathis._fit.baseline import baseline_tree
from agathis._growth.engines.choice import build, choose_engine
from agathis._growth.grower import FeatureDraws, Grower
from agathis._methods import BY_KEY
from agathis._model.spec import FitSpec
from agathis._objective.centres import Centres, PointCentres, cluster_means
from agathis._rules.short_thresholds import RawThresholds, short_thresholds
from agathis._search.tree_search import improved_tree, tree_of_start
from agathis._trees.tree import Tree
from agathis._utils.progress import Clocks, Progress

#: Fitted attributes that not every fit sets.
OPTIONAL_ATTRIBUTES = (
    *("cluster_centers_", "search_path_", "search_interrupted_"),
    *("lower_bound_", "gap_", "is_optimal_"),
)
#: Rounds the thresholds of a tree to as few digits as the rows of its dataset allow.
Shorten = Callable[[Tree, Any], tuple[Tree, RawThresholds]]


@dataclass(frozen=True, eq=False)
class FitResult:
    """The result of a fit.

    Attributes
    ----------
    tree : Tree
    raw_thresholds : dict
        The thresholds in original units, if known.
    labels : ndarray of shape (n_samples,), or a lazy collection
    others : dict
        The fitted attributes that not every method or fit has.
    """

    tree: Tree
    raw_thresholds: RawThresholds
    labels: Any
    others: dict[str, Any]

    def attributes(self) -> dict[str, Any]:
        """The fitted attributes of an estimator."""
        return {
            "tree_": self.tree,
            "raw_thresholds_": self.raw_thresholds,
            "labels_": self.labels,
            "n_clusters_": self.tree.n_clusters,
            "n_leaves_": self.tree.n_leaves,
            **self.others,
        }

    def set_attributes(self, estimator: BaseEstimator) -> None:
        """Replace the attributes of the last fit of an estimator."""
        for name in OPTIONAL_ATTRIBUTES:
            vars(estimator).pop(name, None)
        vars(estimator).update(self.attributes())


def shortened(tree: Tree, dataset: InMemory) -> tuple[Tree, RawThresholds]:
    """Round the thresholds, for rows in memory."""
    return short_thresholds(tree, dataset.X, dataset.units)


def fit(
    dataset: Dataset,
    spec: FitSpec,
    *,
    start: object = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    keep_training_data: bool = False,
    shorten: Shorten = shortened,
    labels: np.ndarray | None = None,
) -> FitResult:
    """Fit a tree to a dataset.

    Parameters
    ----------
    dataset : Dataset
        With the kernel of the spec.
    spec : FitSpec
    start : Tree or fitted estimator, optional
        An initial tree.
    progress : Progress, optional
    time_limit : float, optional
        Seconds for the proof of ``search="optimal"``.
    keep_training_data : bool
        Whether the centres may store training rows.
    shorten : callable
        Rounds thresholds, given the tree and the dataset.
    labels : ndarray of shape (n_samples,), optional
        Cluster labels to learn, for a baseline that can. The other optional arguments are for
        the method ``"kauri"``.

    Raises
    ------
    ValueError
        If parameters are incompatible with each other or with the dataset.
    """
    method = BY_KEY[spec.method]
    if method.is_baseline:
        if not isinstance(dataset, InMemory):
            raise ValueError(f"{method.name} needs all rows in one place.")
        tree, clusters, others = baseline_tree(dataset, method, spec, labels)
        return FitResult(*shorten(tree, dataset), clusters, others)
    _check(spec)
    progress = progress or Progress(0, spec.max_leaves, spec.n_clusters or 0)
    first = tree_of_start(start, dataset.features.n_features)
    limits, clocks = spec.limits(dataset), Clocks()
    chosen = choose_engine(spec.engine, dataset, spec.approximation)
    seed = spec.seed
    built = build(chosen, dataset, limits, spec.approximation, progress, seed)
    for message in built.warnings:
        checks.warn(message, UserWarning)
    gain_engine = built.gain_engine
    progress.trace = gain_engine.trace
    clocks.gain_engine = time.perf_counter() - progress.started
    greedy = spec.search.search == "greedy"
    draws = _draws(spec, dataset.features.n_candidates)
    tree = Grower(gain_engine, limits, progress, clocks, draws, first if greedy else None).grow()
    searched: dict[str, Any] = {}
    if greedy and spec.search.split == "axis":
        clusters = dataset.labels(tree)
        centres = gain_engine.centres(clusters, keep=keep_training_data)
        cost = 0.0 - gain_engine.objective
    else:
        if not isinstance(dataset, InMemory):
            raise ValueError("a search needs all rows in one place: use search='greedy'.")
        trees = [tree] if first is None else [tree, first]
        if spec.max_leaves is None:
            # Without a limit the search uses at most as many leaves as its initial trees.
            limits = replace(limits, max_leaves=max(tree.n_leaves for tree in trees))
        best = improved_tree(
            *(spec.search, dataset, gain_engine, limits, trees, progress, keep_training_data),
            *(seed, time_limit),
        )
        tree, clusters, centres, cost = best.tree, best.labels, best.centres, best.cost
        searched = best.fitted_attributes()
        if best.interrupted:
            checks.warn("The search was interrupted: the tree is the best so far.", UserWarning)
    others = {
        "inertia_": cost,
        "objective_": gain_engine.trace - cost,
        "engine_": chosen,
        "roles_": dataset.features.roles,
        "n_components_": built.n_components,
        "residual_trace_": built.residual,
        "_centres": centres,
        **searched,
    }
    means = _cluster_means(dataset, clusters, centres)
    if means is not None:
        others["cluster_centers_"] = means
    tree, raw_thresholds = shorten(tree, dataset)
    progress.done(tree.n_leaves, tree.n_clusters, -cost, clocks)
    return FitResult(tree, raw_thresholds, clusters, others)


def _cluster_means(dataset: Dataset, labels: Any, centres: Centres | None) -> np.ndarray | None:
    """The mean of each cluster in the columns of X, if rows are points.

    For rows that are not in memory only if the engine has summed them; others need another pass.
    """
    if not isinstance(centres, PointCentres):
        return None
    if centres.space.is_identity:
        return centres.points + centres.origin
    if not isinstance(dataset, InMemory):
        return None
    n_clusters = len(centres.points)
    return cluster_means(dataset.X, labels, n_clusters, dataset.weight, dataset.fill)


def _check(spec: FitSpec) -> None:
    """Raise ValueError for incompatible parameters."""
    check_engine(spec.engine, spec.kernel.resolve(), spec.approximation.n_components)
    if spec.search.search != "optimal":
        return
    if spec.search.split == "pair":
        raise ValueError(
            "split='pair' is not supported by search='optimal', which proves optimality for splits "
            "on single columns. Use split='axis', or search='local'."
        )
    max_leaf_nodes = spec.constraints.max_leaf_nodes
    if max_leaf_nodes not in ("auto", None, spec.n_clusters):
        raise ValueError(
            f"max_leaf_nodes={max_leaf_nodes} is not supported by search='optimal', which finds "
            f"the best tree with one leaf for each of n_clusters={spec.n_clusters} clusters. Use "
            "max_leaf_nodes='auto', or search='local'."
        )


def _draws(spec: FitSpec, n_candidates: int) -> FeatureDraws | None:
    """The sampling of features for ``max_features``."""
    count = checks.resolve_max_features(spec.max_features, n_candidates)
    return None if count is None else FeatureDraws(count, check_random_state(spec.seed))
