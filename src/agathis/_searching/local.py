"""Local search: from several trees down to the best in reach, then on by random changes.

The greedy tree, trees that are given and trees on the clusters of KMeans are each brought down to
a tree that hardly any single change betters (:mod:`agathis._searching.descent`). From the best of
these the search goes on: a random change near the tree, a descent, and what comes out is gone on
from where it is not worse, or hardly (:mod:`agathis._searching.kicks`). Of very many rows a sample
is searched, and what is found there is brought down with all of them. How long it takes is counted
in numbers looked at and not in seconds, so that the same seed gives the same tree with any number
of threads. Each start and each random change draws from numbers of its own, so that what happens
to one changes nothing for the others: two cells that change then lead elsewhere less often.
The objective never falls below that of the trees that were given. Last, what was found is made
plainer where that costs next to nothing (:mod:`agathis._searching.plainness`).

The moves are in the line of swap-based KMeans and of the re-split and swap searches for decision
trees; unlike alternating optimisation over nodes with fixed costs, a change is kept only where the
objective itself rises, with all centres moving.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from agathis._core.search.draft import Draft
from agathis._growing.limits import Limits
from agathis._kernels.kernel import one_blas_thread
from agathis._partitions.cost import scatter
from agathis._searching import tuning
from agathis._searching.descent import Descent
from agathis._searching.drafts import draft_of, repair, tree_of
from agathis._searching.kicks import Kicks
from agathis._searching.moves import Resplit
from agathis._searching.plainness import explanation_size, simplify
from agathis._searching.rows import SearchRows
from agathis._searching.starts import (
    centred_start,
    kmeans,
    learned_start,
    shallow_start,
)
from agathis._trees.tree import Tree

# What random numbers are drawn for.
KMEANS, LEARNED, KICKS = range(3)
# Of the rows' inertia, what objectives of one partition may differ by.
SAME = 1e-12


@dataclass(frozen=True)
class Step:
    """One betterment: seconds since the search began, the cost then, and what was changed.

    The last one may be ``simplify``, which gives a little back for shorter explanations.
    """

    seconds: float
    cost: float
    move: str


@dataclass
class Path:
    """What a search came by, with all rows."""

    inertia: float
    started: float = field(default_factory=time.perf_counter)
    steps: list[Step] = field(default_factory=list)
    objective: float = -np.inf

    def reached(self, objective: float, move: str) -> None:
        """Write down an objective that is the best so far."""
        self.objective = objective
        seconds = time.perf_counter() - self.started
        self.steps.append(Step(seconds, self.inertia - objective, move))


class Valley(NamedTuple):
    """A tree that was found, as a draft saves it, and the number of the start that it came from."""

    objective: float
    saved: Any
    start: int


class LocalSearch:
    """Searches better trees of some rows.

    Parameters
    ----------
    rows : SearchRows
    limits : Limits
    effort : float
        How many times the work of a short search is spent.
    n_init : int or None
        Runs of KMeans whose clusters are made trees to begin with; ``None`` lets the effort say.
    random : numpy.random.RandomState
    threads : int
    on_progress : callable, optional
        Called after each round with the cost and the share of the work that is done.
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
        # What grows with the effort, but not as fast.
        self.scale = max(1.0, effort) ** 0.5
        self.asked_for_starts = n_init is not None
        # Trees with a leaf a cluster depend more on where they begin, and are cheap.
        few = limits.max_leaves <= limits.n_clusters
        if n_init is None:
            n_init = round(
                tuning.STARTS_OF_SMALL * self.scale**2 if few else tuning.STARTS * self.scale**1.3
            )
        self.n_init, self.random, self.threads = n_init, random, threads
        self.seed = random.randint(2**31)
        self.slack = tuning.SLACK if few and self.scale > 1 else 0.0
        # Whether leaves are spent above any node: in small trees that takes little.
        self.anywhere = few and (self.scale > 1 or limits.max_leaves <= tuning.FEW_LEAVES)
        self.share_of_starts = tuning.SHARE_OF_STARTS / self.scale
        if not few:
            self.share_of_starts = 1 - self.share_of_starts
        self.path, self.on_progress = Path(rows.inertia), on_progress
        # Of few rows greedy growth looks at pairs, which are fewer than components then.
        width = min(rows.points.shape[1], max(8, rows.n // 8)) + 8
        values = rows.n * (rows.n_columns + rows.n_sources) * width
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
        # The best of the trees that the search began with, of all rows.
        self.begun = -np.inf
        self.interrupted = False

    def run(self, trees: Sequence[Tree]) -> Draft:
        """The best draft that was found, from these trees among others.

        An interrupt ends the search; what was found until then is the answer.
        """
        draft = self._load(self.rows, trees[0])
        self._begin(draft)
        if self.limits.max_leaves > 1:
            try:
                self._search(trees)
            except KeyboardInterrupt:
                self.interrupted = True
        draft.restore(self.best)
        return draft

    def simplify(self, draft: Draft) -> None:
        """Shorten the explanations of what was found, at next to no cost.

        With a leaf a cluster only what costs nothing is changed.
        """
        allowance = 0.0
        if self.limits.max_leaves > self.limits.n_clusters:
            allowance = min(
                tuning.PLAIN_SHARE * (self.rows.inertia - draft.objective),
                tuning.PLAIN_SHARE_OF_GAIN * (draft.objective - self.begun),
            )
            allowance *= max(0.0, tuning.LOWEST_COSTS / self.scale**2 - 1) / (
                tuning.LOWEST_COSTS - 1
            )
        found = draft.save()
        try:
            if simplify(draft, Resplit(self.limits), max(0.0, allowance)):
                self.path.reached(draft.objective, "simplify")
        except KeyboardInterrupt:
            draft.restore(found)
            self.interrupted = True

    def _search(self, trees: Sequence[Tree]) -> None:
        for tree in trees[1:]:
            self._begin(self._load(self.rows, tree))
        if self.limits.max_leaves == 2:
            self._single_cut(trees)
            return
        most = int(max(tuning.SAMPLE * self.scale, tuning.ROWS_PER_LEAF * self.limits.max_leaves))
        rows = self.rows.sample(most, self.random)
        found = self._wandered(rows, self._settled_starts(rows, trees))
        if rows is self.rows:
            return
        sample = self._draft(rows)
        # What the sample made of the greedy tree is among what was found.
        brought = list(trees[1:])
        for valley in found[: round(tuning.BROUGHT * self.scale)]:
            sample.restore(valley.saved)
            brought.append(tree_of(sample).build(rows.n_features))
        for tree in brought:
            draft = self._load(self.rows, tree)
            Descent(draft, self.limits).run(tuning.ALL_ROWS_SWEEPS)
            self._keep(draft, "descent")

    def _single_cut(self, trees: Sequence[Tree]) -> None:
        """The best tree of two leaves: all cuts can be looked at, and no start hides any."""
        for draft in (self._draft(self.rows), *(self._load(self.rows, tree) for tree in trees)):
            Descent(draft, self.limits).run()
            self._keep(draft, "descent")

    def _settled_starts(self, rows: SearchRows, trees: Sequence[Tree]) -> list[Valley]:
        """Starts after a short descent, the best first; those that are the same but once."""
        found: list[Valley] = []
        limits = self._limits_of(rows)

        def settle(draft: Draft, name: str, start: int) -> None:
            self._begin(draft)
            descent = Descent(draft, limits, patience=self.scale, again=False)
            descent.run(tuning.START_SWEEPS, spend=True)
            self.spent += draft.work + tuning.ROUND_WORK
            self._keep(draft, name)
            if all(abs(draft.objective - one.objective) > descent.tolerance for one in found):
                found.append(Valley(draft.objective, draft.save(), start))
            self._say()

        for place, tree in enumerate(trees):
            settle(self._load(rows, tree), "descent", place)
        few = min(limits.n_clusters, limits.max_leaves)
        for place, labels in enumerate(self._clusterings(rows, few)):
            start = len(trees) + 3 * place
            drawn = shallow_start(rows, labels, self.threads)
            if drawn is not None:
                settle(self._load(rows, drawn.build(rows.n_features)), "kmeans", start)
            if drawn is None or limits.max_leaves > limits.n_clusters:
                settle(centred_start(rows, labels, limits, self.threads), "kmeans", start + 1)
            if self.scale > 1:
                drawn = learned_start(rows, labels, limits, self._random(LEARNED, place))
                if drawn is not None:
                    settle(self._load(rows, drawn.build(rows.n_features)), "kmeans", start + 2)
        return sorted(found, key=lambda one: -one.objective)

    def _clusterings(self, rows: SearchRows, n_clusters: int) -> Iterator[np.ndarray]:
        """Clusters of KMeans, while there is work left for starts.

        With more leaves than clusters a tree comes close to the clusters that it learns, so that of
        some runs the best are taken; else any may lead to the best tree.
        """
        runs = 1 if self.limits.max_leaves <= n_clusters else tuning.RUNS_OF_A_START
        wide = max(rows.n_columns, rows.points.shape[1])
        seen: list[float] = []
        for place in range(self.n_init):
            enough = self.spent > self.share_of_starts * self.work
            if place > 0 and not self.asked_for_starts and enough:
                break
            self.spent += tuning.START_WORK * rows.n * n_clusters * wide * (1 + runs) / 2
            random = self._random(KMEANS, place)
            # With one thread a product has the same last digits whatever else is running.
            with one_blas_thread():
                found = [kmeans(rows, n_clusters, random) for _ in range(runs)]
                costs = [scatter(rows.points, labels, rows.weight) for labels in found]
            # The best that has not come before: a tree on the same clusters is the same.
            fresh = [cost for cost in costs if not np.isclose(cost, seen, rtol=1e-9).any()]
            if fresh:
                seen.append(min(fresh))
                yield found[costs.index(seen[-1])]

    def _wandered(self, rows: SearchRows, found: list[Valley]) -> list[Valley]:
        """What random changes make of the best starts, the best first."""
        draft = self._draft(rows)
        descent = Descent(draft, self._limits_of(rows), patience=self.scale, again=False)
        left, some = max(0.0, self.work - self.spent), found[: round(tuning.VALLEYS * self.scale)]
        kicks = {
            one.start: Kicks(draft, descent.resplit, self.seed, KICKS, one.start) for one in some
        }
        # Three, then one; nine, three, one: who falls behind is left.
        rounds = 1 + sum(len(some) > 3**n for n in range(4))
        last = min(1.0, tuning.SHARE_OF_LAST / rounds) * left
        rest: list[Valley] = []
        for place in reversed(range(rounds)):
            if place < rounds - 1:
                rest, some = some[3**place :] + rest, some[: 3**place]
            share = last if place == 0 else (left - last) / (rounds - 1)
            some = [self._from(one, kicks[one.start], descent, share / len(some)) for one in some]
            some.sort(key=lambda one: -one.objective)
        return sorted(some + rest, key=lambda one: -one.objective)

    def _from(self, valley: Valley, kicks: Kicks, descent: Descent, work: float) -> Valley:
        """Go on from a tree by random changes until so much work is done.

        With slack a tree that is a little worse is gone on from, too, ever less so.
        """
        draft = kicks.draft
        descent.forget()
        draft.restore(valley.saved)
        begun, before = self.spent, draft.work
        name, now = "descent", valley
        while True:
            descent.run(spend=name == "descent", anywhere=self.anywhere)
            done = min(1.0, (self.spent - begun) / work) if work > 0 else 1.0
            slack = self.slack * (1 - done) ** 2 * (draft.rows.inertia - valley.objective)
            if draft.objective >= now.objective - slack:
                if draft.objective > valley.objective + descent.tolerance:
                    # What is known of trees that will not come back only takes room.
                    descent.forget()
                now = Valley(draft.objective, draft.save(), valley.start)
                if now.objective >= valley.objective:
                    valley = now
                    self._keep(draft, name)
                elif now.objective < valley.objective - tuning.FARTHEST * slack:
                    now = valley
            if draft.objective != now.objective:
                draft.restore(now.saved)
            self.spent += draft.work - before + tuning.ROUND_WORK
            before = draft.work
            self._say()
            if self.spent >= begun + work:
                return valley
            name = kicks.make()

    def _random(self, *place: int) -> np.random.RandomState:
        """Random numbers that do not depend on what was drawn elsewhere."""
        return np.random.RandomState((self.seed, *place))

    def _begin(self, draft: Draft) -> None:
        """Write a tree down that the search begins with."""
        if draft.rows is self.rows:
            self.begun = max(self.begun, draft.objective)
        self._keep(draft, "start")

    def _keep(self, draft: Draft, move: str) -> None:
        """Write a draft of all rows down, where it is the best so far: of equals the plainest."""
        if draft.rows is not self.rows:
            return
        apart = draft.objective - self.path.objective
        if abs(apart) <= SAME * self.rows.inertia:
            size = explanation_size(draft)
            if size < self.size:
                self.best, self.size = draft.save(), size
        elif apart > 0:
            self.best, self.size = draft.save(), explanation_size(draft)
            self.path.reached(draft.objective, move)

    def _say(self) -> None:
        if self.on_progress is not None:
            self.on_progress(self.rows.inertia - self.path.objective, self.spent / self.work)

    def _draft(self, rows: SearchRows) -> Draft:
        return Draft(rows, self.limits.max_leaves, self.limits.n_clusters, self.threads)

    def _load(self, rows: SearchRows, tree: Tree) -> Draft:
        limits = self._limits_of(rows)
        draft = draft_of(tree, rows, limits.max_leaves, limits.n_clusters, self.threads)
        repair(draft, limits)
        return draft

    def _limits_of(self, rows: SearchRows) -> Limits:
        """The limits of a sample: its leaves weigh less."""
        if rows is self.rows:
            return self.limits
        share = float(rows.weight.sum() / self.rows.weight.sum())
        return self.limits.scaled(share)
