"""Iterated local search over trees.

1. Initial trees: the greedy tree, given trees, and trees fitted to KMeans clusters
   (:mod:`agathis._search.local.kmeans_trees`).
2. Each is improved to a local optimum (:mod:`agathis._search.local.improvement`).
3. The best ones are perturbed at random and improved again; a result that is not worse, or only
   slightly, is the next current tree (:mod:`agathis._search.local.perturbations`).
4. With very many rows steps 1 to 3 use a sample, and the best trees are improved on all rows.
5. The result is simplified if that costs next to nothing
(:mod:`agathis._search.local.simplification`).

The objective is never below that of the given trees. The budget counts operations, not seconds,
so that a seed gives the same tree with any number of threads. Each initial tree and each
perturbation has its own random stream, so that small changes of the data rarely change the tree.

The moves follow swap-based KMeans and the re-split and swap searches for decision trees. Unlike
alternating optimisation over nodes with fixed costs, a move is accepted by the change of the
objective itself, with all centres updated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agathis._core.search.mutable_tree import MutableTree
from agathis._growth.limits import Limits
from agathis._kernels.kernel import one_blas_thread
from agathis._objective.cost import scatter
from agathis._search import tuning
from agathis._search.local.improvement import LocalImprovement
from agathis._search.local.kmeans_trees import (
    centred_start,
    kmeans,
    shallow_start,
    surrogate_start,
)
from agathis._search.local.moves import Resplit
from agathis._search.local.mutable_trees import mutable_tree_of, repair, tree_of
from agathis._search.local.perturbations import Perturbations
from agathis._search.local.simplification import explanation_size, simplify
from agathis._search.rows import SearchRows
from agathis._trees.tree import Tree

# The random streams.
KMEANS, LEARNED, PERTURBATIONS = range(3)
# Relative to the inertia of the rows, the rounding error between objectives of one partition.
SAME = 1e-12


@dataclass(frozen=True)
class Step:
    """One improvement: seconds since the start of the search, the cost, and the move.

    The last one may be ``simplify``, which may increase the cost slightly.
    """

    seconds: float
    cost: float
    move: str


class LocalOptimum(NamedTuple):
    """A local optimum, as saved by a mutable tree, and the index of its initial tree."""

    objective: float
    saved: Any
    start: int


class LocalSearch:
    """Iterated local search; see the module.

    Parameters
    ----------
    rows : SearchRows
    limits : Limits
    effort : float
        The work budget, relative to a short search.
    n_init : int or None
        The number of KMeans runs for initial trees. If None, it follows from ``effort``.
    random : numpy.random.RandomState
    threads : int
    on_progress : callable, optional
        Called after each round with the cost and the fraction of the budget used.
    """

    def __init__(
        self,
        rows: SearchRows,
        limits: Limits,
        effort: float,
        n_init: int | None,
        random: np.random.RandomState,
        threads: int = 1,
        on_progress: Callable[[float, float], None] | None = None,
    ) -> None:
        self.rows, self.limits = rows, limits
        # Many settings grow with the effort, but more slowly.
        self.scale = max(1.0, effort) ** 0.5
        self.asked_for_starts = n_init is not None
        # With one leaf per cluster trees depend more on their initial tree, and are cheap.
        few = limits.max_leaves <= limits.n_clusters
        if n_init is None:
            n_init = round(
                tuning.STARTS_OF_SMALL * self.scale**2 if few else tuning.STARTS * self.scale**1.3
            )
        self.n_init, self.random, self.threads = n_init, random, threads
        self.seed = random.randint(2**31)
        self.slack = tuning.SLACK if few and self.scale > 1 else 0.0
        # Whether leaves may be split off above any node, which is cheap in small trees.
        self.anywhere = few and (self.scale > 1 or limits.max_leaves <= tuning.FEW_LEAVES)
        self.share_of_starts = tuning.SHARE_OF_STARTS / self.scale
        if not few:
            self.share_of_starts = 1 - self.share_of_starts
        self.on_progress, self.started = on_progress, time.perf_counter()
        # The improvements and the best objective, on all rows.
        self.path: list[Step] = []
        self.objective = -np.inf
        # With few rows greedy growth uses pairwise values, of which there are fewer.
        width = min(rows.points.shape[1], max(8, rows.n // 8)) + 8
        values = rows.n * (rows.n_columns + rows.n_category_groups) * width
        fixed = (
            tuning.FIXED_WORK_OF_FEW
            if limits.max_leaves <= tuning.FEW_LEAVES
            else tuning.FIXED_WORK
        )
        per_value = tuning.WORK_PER_VALUE * self.scale**0.5
        if few:
            per_value = tuning.WORK_PER_VALUE_OF_SMALL * self.scale**1.25
        if limits.max_leaves <= 3:
            per_value *= tuning.TIMES_OF_FEW
        self.work = effort * (fixed + per_value * values)
        self.work += (
            max(0.0, effort - 1)
            * tuning.PATIENT_WORK
            * max(1.0, rows.points.shape[1] / tuning.WIDE)
        )
        self.spent = 0.0
        self.best: Any = None
        self.size = np.inf
        # The best objective of the initial trees, on all rows.
        self.begun = -np.inf
        self.interrupted = False

    def run(self, trees: Sequence[Tree]) -> MutableTree:
        """Search from these and further initial trees, and return the best mutable tree.

        An interrupt ends the search, and the best tree so far is returned.
        """
        mutable_tree = self._load(self.rows, trees[0])
        self._begin(mutable_tree)
        if self.limits.max_leaves > 1:
            try:
                self._search(trees)
            except KeyboardInterrupt:
                self.interrupted = True
        mutable_tree.restore(self.best)
        return mutable_tree

    def simplify(self, mutable_tree: MutableTree) -> None:
        """Simplify the result at next to no cost; at no cost with one leaf per cluster."""
        allowance = 0.0
        if self.limits.max_leaves > self.limits.n_clusters:
            allowance = min(
                tuning.PLAIN_SHARE * (self.rows.inertia - mutable_tree.objective),
                tuning.PLAIN_SHARE_OF_GAIN * (mutable_tree.objective - self.begun),
            )
            allowance *= max(0.0, tuning.LOWEST_COSTS / self.scale**2 - 1) / (
                tuning.LOWEST_COSTS - 1
            )
        saved = mutable_tree.save()
        try:
            if simplify(mutable_tree, Resplit(self.limits), max(0.0, allowance)):
                self._reached(mutable_tree.objective, "simplify")
        except KeyboardInterrupt:
            mutable_tree.restore(saved)
            self.interrupted = True

    def _search(self, trees: Sequence[Tree]) -> None:
        for tree in trees[1:]:
            self._begin(self._load(self.rows, tree))
        if self.limits.max_leaves == 2:
            self._single_split(trees)
            return
        max_rows = int(
            max(tuning.SAMPLE * self.scale, tuning.ROWS_PER_LEAF * self.limits.max_leaves)
        )
        rows = self.rows.sample(max_rows, self.random)
        optima = self._perturbed(rows, self._improved_starts(rows, trees))
        if rows is self.rows:
            return
        sample = self._mutable_tree(rows)
        # The greedy tree, improved on the sample, is one of the results.
        brought = list(trees[1:])
        for local_optimum in optima[: round(tuning.BROUGHT * self.scale)]:
            sample.restore(local_optimum.saved)
            brought.append(tree_of(sample).build(rows.n_features))
        for tree in brought:
            mutable_tree = self._load(self.rows, tree)
            LocalImprovement(mutable_tree, self.limits).run(tuning.ALL_ROWS_SWEEPS)
            self._keep(mutable_tree, "improvement")

    def _single_split(self, trees: Sequence[Tree]) -> None:
        """The best tree of two leaves: all splits can be evaluated, so that one start is enough."""
        for mutable_tree in (
            self._mutable_tree(self.rows),
            *(self._load(self.rows, tree) for tree in trees),
        ):
            LocalImprovement(mutable_tree, self.limits).run()
            self._keep(mutable_tree, "improvement")

    def _improved_starts(self, rows: SearchRows, trees: Sequence[Tree]) -> list[LocalOptimum]:
        """The distinct initial trees after a short local improvement, the best first."""
        optima: list[LocalOptimum] = []
        limits = self._limits_of(rows)

        def settle(mutable_tree: MutableTree, name: str, start: int) -> None:
            self._begin(mutable_tree)
            improvement = LocalImprovement(mutable_tree, limits, patience=self.scale, again=False)
            improvement.run(tuning.START_SWEEPS, resplit_elsewhere=True)
            self.spent += mutable_tree.work + tuning.ROUND_WORK
            self._keep(mutable_tree, name)
            if all(
                abs(mutable_tree.objective - one.objective) > improvement.tolerance
                for one in optima
            ):
                optima.append(LocalOptimum(mutable_tree.objective, mutable_tree.save(), start))
            self._say()

        for index, tree in enumerate(trees):
            settle(self._load(rows, tree), "improvement", index)
        few = min(limits.n_clusters, limits.max_leaves)
        for index, labels in enumerate(self._clusterings(rows, few)):
            start = len(trees) + 3 * index
            builder = shallow_start(rows, labels, self.threads)
            if builder is not None:
                settle(self._load(rows, builder.build(rows.n_features)), "kmeans", start)
            if builder is None or limits.max_leaves > limits.n_clusters:
                settle(centred_start(rows, labels, limits, self.threads), "kmeans", start + 1)
            if self.scale > 1:
                builder = surrogate_start(rows, labels, limits, self._random(LEARNED, index))
                if builder is not None:
                    settle(self._load(rows, builder.build(rows.n_features)), "kmeans", start + 2)
        return sorted(optima, key=lambda one: -one.objective)

    def _clusterings(self, rows: SearchRows, n_clusters: int) -> Iterator[np.ndarray]:
        """Clusters of KMeans, until the budget for initial trees is used up.

        With more leaves than clusters a tree approximates its clusters closely, so that the best
        of several runs is taken; otherwise any clusters may lead to the best tree.
        """
        runs = 1 if self.limits.max_leaves <= n_clusters else tuning.RUNS_OF_A_START
        wide = max(rows.n_columns, rows.points.shape[1])
        seen: list[float] = []
        for index in range(self.n_init):
            enough = self.spent > self.share_of_starts * self.work
            if index > 0 and not self.asked_for_starts and enough:
                break
            self.spent += tuning.START_WORK * rows.n * n_clusters * wide * (1 + runs) / 2
            random = self._random(KMEANS, index)
            # With one thread matrix products are reproducible to the last digit.
            with one_blas_thread():
                clusterings = [kmeans(rows, n_clusters, random) for _ in range(runs)]
                costs = [scatter(rows.points, labels, rows.weight) for labels in clusterings]
            # Skip costs seen before: the same clusters give the same tree.
            fresh = [cost for cost in costs if not np.isclose(cost, seen, rtol=1e-9).any()]
            if fresh:
                seen.append(min(fresh))
                yield clusterings[costs.index(seen[-1])]

    def _perturbed(self, rows: SearchRows, optima: list[LocalOptimum]) -> list[LocalOptimum]:
        """Improve the best initial trees by perturbations; the local optima, the best first."""
        mutable_tree = self._mutable_tree(rows)
        improvement = LocalImprovement(
            mutable_tree, self._limits_of(rows), patience=self.scale, again=False
        )
        left, current = (
            max(0.0, self.work - self.spent),
            optima[: round(tuning.LOCAL_OPTIMA * self.scale)],
        )
        perturbations = {
            optimum.start: Perturbations(
                mutable_tree, improvement.resplit, self.seed, PERTURBATIONS, optimum.start
            )
            for optimum in current
        }
        # Successive halving by three: only the best third of the trees enters the next round.
        rounds = 1 + sum(len(current) > 3**n for n in range(4))
        last = min(1.0, tuning.SHARE_OF_LAST / rounds) * left
        rest: list[LocalOptimum] = []
        for index in reversed(range(rounds)):
            if index < rounds - 1:
                rest, current = current[3**index :] + rest, current[: 3**index]
            share = last if index == 0 else (left - last) / (rounds - 1)
            current = [
                self._from(optimum, perturbations[optimum.start], improvement, share / len(current))
                for optimum in current
            ]
            current.sort(key=lambda optimum: -optimum.objective)
        return sorted(current + rest, key=lambda optimum: -optimum.objective)

    def _from(
        self,
        local_optimum: LocalOptimum,
        perturbations: Perturbations,
        improvement: LocalImprovement,
        work: float,
    ) -> LocalOptimum:
        """Perturb and improve a tree until the work budget is used up.

        With slack a slightly worse tree is accepted as the current one, less so towards the end.
        """
        mutable_tree = perturbations.mutable_tree
        improvement.forget()
        mutable_tree.restore(local_optimum.saved)
        begun, before = self.spent, mutable_tree.work
        name, now = "improvement", local_optimum
        while True:
            improvement.run(resplit_elsewhere=name == "improvement", anywhere=self.anywhere)
            done = min(1.0, (self.spent - begun) / work) if work > 0 else 1.0
            slack = (
                self.slack * (1 - done) ** 2 * (mutable_tree.rows.inertia - local_optimum.objective)
            )
            if mutable_tree.objective >= now.objective - slack:
                if mutable_tree.objective > local_optimum.objective + improvement.tolerance:
                    # Free the cache entries of trees that will not occur again.
                    improvement.forget()
                now = LocalOptimum(mutable_tree.objective, mutable_tree.save(), local_optimum.start)
                if now.objective >= local_optimum.objective:
                    local_optimum = now
                    self._keep(mutable_tree, name)
                elif now.objective < local_optimum.objective - tuning.FARTHEST * slack:
                    now = local_optimum
            if mutable_tree.objective != now.objective:
                mutable_tree.restore(now.saved)
            self.spent += mutable_tree.work - before + tuning.ROUND_WORK
            before = mutable_tree.work
            self._say()
            if self.spent >= begun + work:
                return local_optimum
            name = perturbations.make()

    def _random(self, *key: int) -> np.random.RandomState:
        """An independent random generator for each key."""
        return np.random.RandomState((self.seed, *key))

    def _begin(self, mutable_tree: MutableTree) -> None:
        """Record an initial tree."""
        if mutable_tree.rows is self.rows:
            self.begun = max(self.begun, mutable_tree.objective)
        self._keep(mutable_tree, "start")

    def _keep(self, mutable_tree: MutableTree, move: str) -> None:
        """Keep a tree of all rows if it is the best so far, or as good and simpler."""
        if mutable_tree.rows is not self.rows:
            return
        apart = mutable_tree.objective - self.objective
        if abs(apart) <= SAME * self.rows.inertia:
            size = explanation_size(mutable_tree)
            if size < self.size:
                self.best, self.size = mutable_tree.save(), size
        elif apart > 0:
            self.best, self.size = mutable_tree.save(), explanation_size(mutable_tree)
            self._reached(mutable_tree.objective, move)

    def _reached(self, objective: float, move: str) -> None:
        """Record a new best objective."""
        self.objective, seconds = objective, time.perf_counter() - self.started
        self.path.append(Step(seconds, self.rows.inertia - objective, move))

    def _say(self) -> None:
        if self.on_progress is not None:
            self.on_progress(self.rows.inertia - self.objective, self.spent / self.work)

    def _mutable_tree(self, rows: SearchRows) -> MutableTree:
        return MutableTree(rows, self.limits.max_leaves, self.limits.n_clusters, self.threads)

    def _load(self, rows: SearchRows, tree: Tree) -> MutableTree:
        limits = self._limits_of(rows)
        mutable_tree = mutable_tree_of(
            tree, rows, limits.max_leaves, limits.n_clusters, self.threads
        )
        repair(mutable_tree, limits)
        return mutable_tree

    def _limits_of(self, rows: SearchRows) -> Limits:
        """The limits, scaled to the weight of a sample."""
        if rows is self.rows:
            return self.limits
        share = float(rows.weight.sum() / self.rows.weight.sum())
        return self.limits.scaled(share)
