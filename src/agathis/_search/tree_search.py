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
from agathis._growth.engines.points import PointEngine
from agathis._growth.engines.protocol import GainEngine
from agathis._growth.engines.tuning import EXACT_ROWS
from agathis._growth.limits import Limits
from agathis._kernels.kernel import one_blas_thread
from agathis._kernels.space import Space
from agathis._kmeans.tuning import FACTOR_ROWS
from agathis._objective.centres import Centres
from agathis._search.equal_rows import merged
from agathis._search.evaluation import ObjectiveEvaluator
from agathis._search.local.improvement import LocalImprovement
from agathis._search.local.local_search import LocalSearch, Step
from agathis._search.local.mutable_trees import mutable_tree_of, tree_of
from agathis._search.local.oblique_splits import with_oblique_splits
from agathis._search.optimal.optimum import Optimum, optimum
from agathis._search.points import search_points
from agathis._search.rows import SearchRows
from agathis._search.spec import SearchSpec
from agathis._search.tuning import PAIR_PRICE, PAIR_ROUNDS
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis._trees.tree import MISSING_GOES, MOVES, Tree
from agathis._utils.progress import Progress

# Costs with a smaller relative difference are equal.
SAME_COST = 1e-9


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
    spec: SearchSpec,
    data: InMemory,
    gain_engine: GainEngine,
    limits: Limits,
    trees: Sequence[Tree],
    progress: Progress,
    keep: bool,
    seed: int | np.random.RandomState | None = None,
    time_limit: float | None = None,
) -> SearchResult:
    """The best tree found from the initial ``trees``, of which the greedy one is the first.

    Parameters
    ----------
    spec : SearchSpec
    data : InMemory
    gain_engine : GainEngine
        The engine, in its state after greedy growth.
    limits : Limits
    trees : sequence of Tree
    progress : Progress
    keep : bool
        Whether training rows may be stored for the centres.
    seed : int, numpy.random.RandomState or None
        ``None`` is NumPy's global state.
    time_limit : float or None
        Seconds for the proof of optimality.
    """
    search = TreeSearch(spec, data, gain_engine, limits, trees, progress, keep, seed, time_limit)
    try:
        search.run()
    except KeyboardInterrupt:
        search.interrupted = True
    # A result whose evaluation is interrupted is evaluated again, so that it is not lost.
    for _ in range(2):
        try:
            return search.result()
        except KeyboardInterrupt:
            search.interrupted = True
    search.path, search.proof = [], None
    return search.greedy_result()


@dataclass
class TreeSearch:
    """A search from a greedy tree, whose best tree so far remains valid after an interrupt.

    Parameters
    ----------
    spec, data, gain_engine, limits, trees, progress, keep, seed, time_limit
        See :func:`improved_tree`.
    """

    spec: SearchSpec
    data: InMemory
    gain_engine: GainEngine
    limits: Limits
    trees: Sequence[Tree]
    progress: Progress
    keep: bool
    seed: int | np.random.RandomState | None
    time_limit: float | None
    best: TreeBuilder | None = None
    path: list[Step] = field(default_factory=list)
    proof: Optimum | None = None
    interrupted: bool = False

    @property
    def _space(self) -> Space | None:
        """Maps rows to points, if the engine uses points."""
        return self.gain_engine.space if isinstance(self.gain_engine, PointEngine) else None

    def run(self) -> None:
        """Search, storing each intermediate result."""
        spec, random = self.spec, check_random_state(self.seed)
        if spec.search == "optimal":
            self._check_optimal()
        rows, share = self._rows(random)
        n_leaves = max(rows.n, *(tree.n_leaves for tree in self.trees))
        limits = replace(self.limits, max_leaves=min(self.limits.max_leaves, n_leaves))
        scaled = limits.scaled(share)
        if spec.search == "greedy":
            mutable_tree = mutable_tree_of(
                self.trees[0], rows, limits.max_leaves, limits.n_clusters, self.data.threads
            )
        else:
            mutable_tree = self._improve(rows, scaled, share, random)
        self.best = tree_of(mutable_tree)
        if spec.search == "optimal":
            self.prove(rows, limits, rows.inertia - mutable_tree.objective)
        if spec.split == "pair" and not self.interrupted:
            self._split_on_pairs(self.best.build(rows.n_features), rows, scaled)

    def result(self) -> SearchResult:
        """The best of the result, the greedy tree and the other initial trees, on all rows."""
        evaluator, data = ObjectiveEvaluator(self.data, self.gain_engine), self.data
        best = greedy = self.greedy_result()
        cost = evaluator.cost(greedy.labels)
        candidates = [] if self.best is None else [self.best.build(data.features.n_features)]
        # If the search used a sample or approximate points, an initial tree may be better.
        candidates += [_splits_of(tree, data.fill is not None) for tree in self.trees[1:]]
        for candidate in candidates:
            tree = _completed(candidate, data, evaluator.space)
            labels = tree.predict(data.X, data.threads)
            candidate_cost = evaluator.cost(labels)
            if candidate_cost < cost * (1 - SAME_COST) and self.limits.allows_tree(tree):
                cost = candidate_cost
                best = replace(greedy, tree=tree, labels=labels, cost=cost)
        if best is not greedy:
            best = replace(best, centres=evaluator.centres(best.labels, self.keep))
        return best

    def greedy_result(self) -> SearchResult:
        """The greedy tree, as if the search had found none that is better."""
        cost = 0.0 - self.gain_engine.objective
        labels = self.trees[0].predict(self.data.X, self.data.threads)
        proof = self.proof
        if self.spec.search == "optimal" and proof is None:
            # A proof that did not start: the lower bound is zero.
            proof = Optimum(None, cost, min(0.0, cost), cost <= 0, 0, 0.0, True)
        centres = self.gain_engine.centres(labels, self.keep)
        return SearchResult(
            self.trees[0], labels, cost, centres, self.path, proof, self.interrupted
        )

    def _improve(
        self, rows: SearchRows, limits: Limits, share: float, random: np.random.RandomState
    ) -> MutableTree:
        """The result of the local search; costs of its path are scaled to all rows."""
        spec, greedy_cost = self.spec, 0.0 - self.gain_engine.objective
        local = LocalSearch(
            rows,
            limits,
            spec.search_effort,
            spec.n_init,
            random,
            self.data.threads,
            lambda cost, done: self.progress.search(cost / share, greedy_cost, done),
        )
        mutable_tree = local.run(self.trees)
        if spec.search == "local" and not local.interrupted:
            local.simplify(mutable_tree)
        self.path = [replace(step, cost=step.cost / share) for step in local.path]
        self.interrupted = local.interrupted
        return mutable_tree

    def prove(self, rows: SearchRows, limits: Limits, cost: float) -> None:
        """Search for the best tree with one leaf per cluster, and prove that it is the best."""
        proof = optimum(
            rows.points,
            rows.values.T,
            rows.weight,
            limits,
            incumbent=cost,
            # An interrupt of the local search skips the proof.
            time_limit=0.0 if self.interrupted else self.time_limit,
            on_progress=lambda now, bound: self.progress.search(
                now, cost, bound / now if now > 0 else 1.0
            ),
            columns=rows.columns,
            category=rows.category,
            sources=rows.sources,
        )
        self.proof = proof
        self.interrupted |= proof.interrupted
        if proof.cuts is not None:
            self.best = proof.cuts
            seconds = proof.seconds + self.path[-1].seconds
            self.path.append(Step(seconds, proof.cost, "optimal"))

    def _split_on_pairs(self, tree: Tree, rows: SearchRows, limits: Limits) -> None:
        """Add splits on two columns whose gain exceeds the penalty."""
        mutable_tree = mutable_tree_of(tree, rows, limits.max_leaves, limits.n_clusters)
        for _ in range(PAIR_ROUNDS):
            if not with_oblique_splits(mutable_tree, limits, PAIR_PRICE):
                break
            if self.spec.search == "local":
                LocalImprovement(mutable_tree, limits).run()
            self.best = tree_of(mutable_tree)

    def _check_optimal(self) -> None:
        """Raise if optimality cannot be proven for this dataset."""
        data, why = self.data, None
        if data.n_counted > EXACT_ROWS:
            why = f"X has {data.n_counted:,} rows, more than {EXACT_ROWS:,}"
        elif self._space is None and not data.kernel.has_features and data.n_counted > FACTOR_ROWS:
            why = f"{data.kernel} has no points, and X has more than {FACTOR_ROWS:,} rows"
        if why is not None:
            raise ValueError(f"search='optimal' cannot be used: {why}. search='local' can.")

    def _rows(self, random: np.random.RandomState) -> tuple[SearchRows, float]:
        """The rows used by the search, and their fraction of the total weight."""
        data = self.data
        if data.n_counted > EXACT_ROWS:
            rows, sampled = data.sample(EXACT_ROWS, random)
            weight = np.ones(len(rows)) if sampled is None else sampled
            share = float(weight.sum() / data.weights().sum())
        else:
            rows, weight, share = data.rows(), data.weights(), 1.0
        rows = np.asarray(rows, dtype=np.float64)
        if data.matrix is None:
            # With a precomputed kernel, rows with equal values may differ in the kernel.
            rows, weight = merged(rows, weight)
        # With one thread matrix products are reproducible to the last digit.
        with one_blas_thread():
            points = search_points(data, rows, weight, self._space, self.spec.search == "optimal")
        features = data.features
        columns, sources = features.searched.columns, features.sources
        return SearchRows.of(rows, points, weight, columns, sources), share


def _splits_of(tree: Tree, gaps: bool) -> Tree:
    """A tree whose directions for missing values do not depend on the rows it was fitted to.

    Without missing values in the new rows (``gaps``) there are no directions.
    """
    missing = 2 - tree.missing_left if gaps else np.zeros(tree.node_count)
    kind = np.where(tree.is_leaf, MOVES.index("leaf"), MOVES.index("cut"))
    missing = np.where(tree.is_leaf, MISSING_GOES.index("unseen"), missing)
    return replace(tree, missing=missing.astype(np.int8), move=kind.astype(np.int8))


def _completed(tree: Tree, data: InMemory, space: Space | None) -> Tree:
    return completed(tree, data.X, data.weight, data.kernel, data.threads, space, data.matrix)[0]
