"""Which leaf is cut next, and when growth ends. No gain is computed here.

The stocks keep for each leaf the best gain that its last search found, and a bound of what it
may have become since, because clusters changed. A leaf is searched again only when its bound
reaches the best gain that is certain, so after most splits a few leaves are looked at and the
rest are not touched. Gains within the stocks' tolerance of the best are ties; they go to the
lowest feature, then threshold, then node.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from agathis._growing.protocol import Split, Stocks
from agathis._support.progress import Clocks, Progress
from agathis._trees.tree import Tree, TreeBuilder

# Leaves in doubt that are searched in one go: threads share them, and few are searched in vain.
TOGETHER = 4


@dataclass(frozen=True)
class Limits:
    """When growth ends.

    Attributes
    ----------
    max_leaves : int
    max_depth : int or None
    min_split : float
        Least weight of a leaf that is cut.
    max_features : int or None
        Features drawn for each search of a leaf; ``None`` looks at all.
    """

    max_leaves: int
    max_depth: int | None = None
    min_split: float = 0.0
    max_features: int | None = None


class Grower:
    """Grows a tree from its stocks, best split first.

    Parameters
    ----------
    stocks : Stocks
    n_features : int
    limits : Limits
    random_state : numpy.random.RandomState
    progress : Progress
    clocks : Clocks
        Seconds of search and commit are added to it.
    """

    def __init__(
        self,
        stocks: Stocks,
        n_features: int,
        limits: Limits,
        random_state: np.random.RandomState,
        progress: Progress,
        clocks: Clocks,
    ) -> None:
        self.stocks, self.n_features, self.limits = stocks, n_features, limits
        self.random_state, self.progress, self.clocks = random_state, progress, clocks
        self.builder = TreeBuilder(n_features, *stocks.leaf_size(0))
        self.n_leaves = 1
        # By slot: the leaf's node, and whether the limits forbid to cut it.
        self.node = np.zeros(limits.max_leaves, dtype=np.int64)
        self.closed = np.zeros(limits.max_leaves, dtype=bool)
        self.some_closed = False
        self._close_if_done(0)

    def grow(self) -> Tree:
        while self.n_leaves < self.limits.max_leaves:
            started = time.perf_counter()
            best = self._best_gain()
            found = best > self.stocks.tolerance
            if found:
                slot, split = self._choose(best)
            searched = time.perf_counter()
            self.clocks.search += searched - started
            if not found:
                break
            self._cut(slot, split)
            self.clocks.commit += time.perf_counter() - searched
            if self.progress.verbose:
                self.progress.leaves(self.n_leaves, self.stocks.n_clusters, self.stocks.objective)
        return self.builder.build()

    def _best_gain(self) -> float:
        """The best gain of all leaves, after every search that it takes to be certain."""
        gain, bound = self.stocks.gain[: self.n_leaves], self.stocks.bound[: self.n_leaves]
        closed = self.closed[: self.n_leaves]
        if self.some_closed:
            gain[closed] = bound[closed] = -np.inf
        if self.limits.max_features is not None:
            # Each search draws features of its own, so no old search speaks for a new one.
            bound[~closed] = np.inf
        tolerance = self.stocks.tolerance
        unknown = (bound == np.inf).nonzero()[0]
        if len(unknown) < len(bound):
            best = float(gain.max(where=gain == bound, initial=-np.inf))
        else:
            best = -np.inf
        self._search(unknown, best)
        best = float(gain.max(where=gain == bound, initial=-np.inf))
        floor = max(best, tolerance) - tolerance
        doubtful = ((gain != bound) & (bound >= floor)).nonzero()[0]
        if len(doubtful) > TOGETHER:
            doubtful = doubtful[np.argsort(-bound[doubtful], kind="stable")]
        for first in range(0, len(doubtful), TOGETHER):
            floor = max(best, tolerance) - tolerance
            some = doubtful[first : first + TOGETHER]
            some = some[bound[some] >= floor]
            if len(some) == 0:
                break
            self._search(some, best)
            best = max(best, float(gain[some].max()))
        return best

    def _search(self, slots: np.ndarray, floor: float) -> None:
        if len(slots) == 0:
            return
        drawn = None
        if self.limits.max_features is not None:
            drawn = np.array([self._draw(slot) for slot in slots.tolist()])
        self.stocks.search(slots.astype(np.int32), drawn, floor)
        self.clocks.searches += len(slots)

    def _draw(self, slot: int) -> np.ndarray:
        """Some of the features along which the leaf can be cut, as a mask."""
        drawn = np.zeros(self.n_features, dtype=np.uint8)
        useful = np.flatnonzero(self.stocks.has_threshold(slot))
        drawn[self.random_state.permutation(useful)[: self.limits.max_features]] = 1
        return drawn

    def _choose(self, best: float) -> tuple[int, Split]:
        """The split to make: the first, by feature, threshold and node, of those that tie."""
        floor = best - self.stocks.tolerance
        gain, bound = self.stocks.gain[: self.n_leaves], self.stocks.bound[: self.n_leaves]
        tied = ((gain == bound) & (gain >= floor)).nonzero()[0].tolist()
        splits = [(slot, self.stocks.locate(slot, floor)) for slot in tied]
        return min(splits, key=lambda s: (s[1].feature, s[1].threshold, self.node[s[0]]))

    def _cut(self, slot: int, split: Split) -> None:
        other = self.stocks.commit(slot, split)
        left, right = self.stocks.leaf_size(slot), self.stocks.leaf_size(other)
        self.node[slot], self.node[other] = self.builder.cut(
            int(self.node[slot]), split, left, right
        )
        self.n_leaves += 1
        self._close_if_done(slot)
        self._close_if_done(other)

    def _close_if_done(self, slot: int) -> None:
        """Keep a new leaf from being cut where the limits forbid it."""
        _, weight = self.stocks.leaf_size(slot)
        max_depth = self.limits.max_depth
        closed = (
            not self.stocks.has_threshold(slot).any()
            or weight < self.limits.min_split
            or (max_depth is not None and self.builder.depth(int(self.node[slot])) >= max_depth)
        )
        self.closed[slot] = closed
        self.some_closed |= closed
