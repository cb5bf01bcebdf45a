"""Improve a greedy tree by a search: the entry point of this package for ``Kauri``.

The search works on points in the kernel's feature space, possibly of a sample. Its result and the
greedy tree are then compared by the objective of the fit on all rows, and the better one is
returned: a search never makes a tree worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from agathis._core.search.mutable_tree import MutableTree
from agathis._dataset.memory import InMemory
from agathis._growth.engines.protocol import GainEngine
from agathis._growth.engines.tuning import EXACT_ROWS
from agathis._growth.limits import Limits
from agathis._kernels.kernel import one_blas_thread
from agathis._kernels.space import Space
from agathis._kmeans.tuning import FACTOR_ROWS
from agathis._objective.centres import Centres
from agathis._search.equal_rows import merged
from agathis._search.local.evaluators import evaluator_of
from agathis._search.local.improvement import LocalImprovement
from agathis._search.local.local_search import LocalSearch, Step
from agathis._search.local.mutable_trees import mutable_tree_of, redrawn, tree_of
from agathis._search.local.oblique_splits import with_oblique_splits
from agathis._search.optimal.optimum import Optimum, optimum
from agathis._search.points import search_points
from agathis._search.rows import SearchRows
from agathis._search.spec import SearchSpec
from agathis._search.tuning import PAIR_PRICE, PAIR_ROUNDS
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis._trees.tree import Tree
from agathis._utils.progress import Progress

# Costs with a smaller relative difference are equal.
SAME_COST = 1e-9


@dataclass(frozen=True)
class SearchOptions(SearchSpec):
    """Search parameters with the time limit and the seed, which are not part of a spec.

    Attributes
    ----------
    time_limit : float or None
        Seconds for the proof of optimality.
    seed : int, numpy.random.RandomState or None
        ``None`` is NumPy's global state.
    """

    time_limit: float | None = None
    seed: int | np.random.RandomState | None = None


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes
    ----------
    tree : Tree
    labels : ndarray of shape (n_rows,)
    cost : float
        The inertia of the clusters.
    centres : Centres or None
    path : list of Step
    proof : Optimum or None
        With ``search="optimal"``.
    interrupted : bool
    """

    tree: Tree
    labels: np.ndarray
    cost: float
    centres: Centres | None
    path: list[Step]
    proof: Optimum | None = None
    interrupted: bool = False

    def fitted_attributes(self) -> dict[str, Any]:
        """The fitted attributes that describe the search."""
        out: dict[str, Any] = {"search_path_": self.path, "search_interrupted_": self.interrupted}
        if self.proof is not None:
            bound = float(min(self.proof.lower_bound, self.cost))
            gap = (self.cost - bound) / self.cost if self.cost > 0 else 0.0
            out |= {"lower_bound_": bound, "gap_": gap, "is_optimal_": self.proof.is_optimal}
        return out


def tree_of_start(start: object, n_features: int) -> Tree | None:
    """The tree of the ``start`` argument of ``fit``."""
    if start is None:
        return None
    tree = getattr(start, "tree_", start)
    if not isinstance(tree, Tree):
        raise ValueError(
            f"start is a {type(start).__name__}; it must be a Tree, or a fitted estimator of the "
            "package (with tree_)."
        )
    if tree.n_features != n_features:
        raise ValueError(f"start is a tree of {tree.n_features} features, and X has {n_features}.")
    return tree


def improved_tree(
    options: SearchOptions,
    data: InMemory,
    gain_engine: GainEngine,
    limits: Limits,
    trees: Sequence[Tree],
    progress: Progress,
    keep: bool,
) -> SearchResult:
    """The best tree found from the initial ``trees``, of which the greedy one is the first.

    Parameters
    ----------
    options : SearchOptions
    data : InMemory
    gain_engine : GainEngine
        The engine, in its state after greedy growth.
    limits : Limits
    trees : sequence of Tree
    progress : Progress
    keep : bool
        Whether training rows may be stored for the centres.
    """
    try:
        return _improved(options, data, gain_engine, limits, trees, progress, keep)
    except KeyboardInterrupt:
        # Interrupted before the search, or before its result was evaluated: keep the greedy tree.
        tree, cost = trees[0], 0.0 - gain_engine.objective
        labels = tree.predict(data.X, data.threads)
        proof = _no_proof(cost) if options.search == "optimal" else None
        return SearchResult(tree, labels, cost, gain_engine.centres(labels, keep), [], proof, True)


@dataclass
class _SearchState:
    """The state of a search, which remains valid after an interrupt."""

    mutable_tree: MutableTree | None = None
    drawn: TreeBuilder | None = None
    path: list[Step] = field(default_factory=list)
    proof: Optimum | None = None
    interrupted: bool = False


def _improved(
    options: SearchOptions,
    data: InMemory,
    gain_engine: GainEngine,
    limits: Limits,
    trees: Sequence[Tree],
    progress: Progress,
    keep: bool,
) -> SearchResult:
    evaluator, sought = evaluator_of(data, gain_engine), _SearchState()
    greedy_labels = trees[0].predict(data.X, data.threads)
    greedy_cost = evaluator.cost(greedy_labels)
    try:
        _seek(sought, options, data, evaluator.space, limits, trees, progress, greedy_cost)
    except KeyboardInterrupt:
        sought.interrupted = True
    if options.search == "optimal" and sought.proof is None:
        sought.proof = _no_proof(greedy_cost)

    def judged() -> SearchResult:
        tree, labels, cost = trees[0], greedy_labels, 0.0 - gain_engine.objective
        centres = None
        drawn = sought.drawn
        if drawn is None and sought.mutable_tree is not None:
            drawn = tree_of(sought.mutable_tree)
        if drawn is not None:
            better = _completed(drawn, data, evaluator.space)
            own = better.predict(data.X, data.threads)
            own_cost = evaluator.cost(own)
            if own_cost < greedy_cost * (1 - SAME_COST) and limits.allows_tree(better):
                tree, labels, cost = better, own, own_cost
        if tree is trees[0]:
            centres = gain_engine.centres(labels, keep)
        # If the search used a sample or approximate points, an initial tree may be better.
        for start in trees[1:]:
            if evaluator.cost(start.predict(data.X, data.threads)) < cost * (1 - SAME_COST):
                given = _completed(redrawn(start, data.fill is not None), data, evaluator.space)
                if limits.allows_tree(given):
                    tree, labels = given, given.predict(data.X, data.threads)
                    cost, centres = evaluator.cost(labels), None
        if centres is None:
            centres = evaluator.centres(labels, keep)
        return SearchResult(
            tree, labels, cost, centres, sought.path, sought.proof, sought.interrupted
        )

    try:
        return judged()
    except KeyboardInterrupt:
        # Interrupted during the evaluation: evaluate again, so that the result is not lost.
        sought.interrupted = True
        return judged()


def _seek(
    sought: _SearchState,
    options: SearchOptions,
    data: InMemory,
    space: Space | None,
    limits: Limits,
    trees: Sequence[Tree],
    progress: Progress,
    greedy_cost: float,
) -> None:
    """Run the search, storing intermediate results in ``sought``."""
    random = check_random_state(options.seed)
    if options.search == "optimal":
        _check_optimal(data, space)
    rows, share = _rows(data, space, random, options.search == "optimal")
    most = max(rows.n, *(tree.n_leaves for tree in trees))
    limits = replace(limits, max_leaves=min(limits.max_leaves, most))
    scaled = limits.scaled(share)
    if options.search == "greedy":
        mutable_tree = mutable_tree_of(
            trees[0], rows, limits.max_leaves, limits.n_clusters, data.threads
        )
    else:
        local = LocalSearch(
            rows,
            scaled,
            options.search_effort,
            options.n_init,
            random,
            data.threads,
            lambda cost, done: progress.search(cost / share, greedy_cost, done),
        )
        mutable_tree = sought.mutable_tree = local.run(trees)
        if options.search == "local" and not local.interrupted:
            local.simplify(mutable_tree)
        steps = local.path.steps
        sought.path = [Step(step.seconds, step.cost / share, step.move) for step in steps]
        sought.interrupted = local.interrupted
    sought.drawn = tree_of(mutable_tree)
    if options.search == "optimal":
        if sought.interrupted:
            # An interrupt of the search skips the proof.
            options = replace(options, time_limit=0.0)
        proof = _proven(rows, limits, rows.inertia - mutable_tree.objective, options, progress)
        sought.proof = proof
        sought.interrupted |= proof.interrupted
        if proof.cuts is not None:
            sought.drawn = proof.cuts
            seconds = proof.seconds + sought.path[-1].seconds
            sought.path.append(Step(seconds, proof.cost, "optimal"))
    if options.split == "pair" and not sought.interrupted:
        _pair(sought, rows, scaled, options)


def _no_proof(cost: float) -> Optimum:
    """The result of a proof that did not start: the lower bound is zero."""
    return Optimum(None, cost, min(0.0, cost), cost <= 0, 0, 0, 0.0, True)


def _completed(drawn: TreeBuilder, data: InMemory, space: Space | None) -> Tree:
    tree, _ = completed(drawn, data.X, data.weight, data.kernel, data.threads, space, data.matrix)
    return tree


def _check_optimal(data: InMemory, space: Space | None) -> None:
    """Raise if optimality cannot be proven for this dataset."""
    why = None
    if data.n_counted > EXACT_ROWS:
        why = f"X has {data.n_counted:,} rows, more than {EXACT_ROWS:,}"
    elif space is None and not data.kernel.has_features and data.n_counted > FACTOR_ROWS:
        why = f"{data.kernel} has no points, and X has more than {FACTOR_ROWS:,} rows"
    if why is not None:
        raise ValueError(f"search='optimal' cannot be used: {why}. search='local' can.")


def _proven(
    rows: SearchRows, limits: Limits, cost: float, options: SearchOptions, progress: Progress
) -> Optimum:
    """The best tree with one leaf per cluster; without a tree if none improves the cost."""
    return optimum(
        rows.points,
        rows.values.T,
        rows.weight,
        limits,
        incumbent=cost,
        time_limit=options.time_limit,
        on_progress=lambda now, bound: progress.search(now, cost, bound / now if now > 0 else 1.0),
        columns=rows.columns,
        category=rows.category,
        sources=rows.sources,
    )


def _pair(sought: _SearchState, rows: SearchRows, limits: Limits, options: SearchOptions) -> None:
    """Add splits on two columns whose gain exceeds the penalty."""
    assert sought.drawn is not None
    tree = sought.drawn.build(rows.n_features)
    mutable_tree = mutable_tree_of(tree, rows, limits.max_leaves, limits.n_clusters)
    for _ in range(PAIR_ROUNDS):
        if not with_oblique_splits(mutable_tree, limits, PAIR_PRICE):
            break
        if options.search == "local":
            LocalImprovement(mutable_tree, limits).run()
        sought.drawn = tree_of(mutable_tree)


def _rows(
    data: InMemory, space: Space | None, random: np.random.RandomState, exact: bool
) -> tuple[SearchRows, float]:
    """The rows used by the search, and their fraction of the total weight."""
    if data.n_counted > EXACT_ROWS:
        rows, weight = data.sample(EXACT_ROWS, random)
        weight = np.ones(len(rows)) if weight is None else weight
        share = float(weight.sum() / data.weights().sum())
    else:
        rows, weight, share = data.rows(), data.weights(), 1.0
    rows = np.asarray(rows, dtype=np.float64)
    if data.matrix is None:
        # With a precomputed kernel, rows with equal values may differ in the kernel.
        rows, weight = merged(rows, weight)
    # With one thread matrix products are reproducible to the last digit.
    with one_blas_thread():
        points = search_points(data, rows, weight, space, exact)
    features = data.features
    found = SearchRows.of(rows, points, weight, features.searched.columns, features.sources)
    return found, share
