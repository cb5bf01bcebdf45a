"""Grow a tree best-first: select the leaf to split next, and stop at the limits.

The engine stores for each leaf the gain of its last search, and an upper bound of its current gain
after changes of the clusters. A leaf is searched again only if its bound reaches the best certain
gain, so that most splits need few searches. Gains within the engine's tolerance of the best are
ties, resolved by the lowest feature, then threshold or subset of categories (``Split.order``),
then node.
"""

from __future__ import annotations

import time

import numpy as np

from agathis._dataset.splits import Split
from agathis._growth.engines.protocol import GainEngine
from agathis._growth.limits import Limits
from agathis._growth.warm_start import (
    check_leaf_weights,
    check_start,
    split_again,
    split_order,
    tells_growth,
)
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import Tree
from agathis._utils.progress import Clocks, Progress

# The number of leaves searched at a time: enough for several threads, few unnecessary searches.
TOGETHER = 4


class FeatureDraws:
    """Samples the features for a search: columns, and categorical features as one each.

    Parameters
    ----------
    max_features : int
    random_state : numpy.random.RandomState
    """

    def __init__(self, max_features: int, random_state: np.random.RandomState) -> None:
        self.max_features, self.random_state = max_features, random_state

    def draw(self, useful: np.ndarray) -> np.ndarray:
        """A mask of some of the candidates in the mask ``useful``."""
        sampled = np.zeros(len(useful), dtype=np.uint8)
        order = self.random_state.permutation(np.flatnonzero(useful))
        sampled[order[: self.max_features]] = 1
        return sampled


class Grower:
    """Grows a tree with an engine, best split first.

    Parameters
    ----------
    gain_engine : GainEngine
        The engine, with one leaf.
    limits : Limits
    progress : Progress
    clocks : Clocks
        The times of search and commit are added to it.
    draws : FeatureDraws, optional
        Samples features; by default all are used.
    start : Tree, optional
        An initial tree, by default a single leaf. Its splits are applied to the rows of the
        engine; gains and split kinds are kept. Its leaves must have consecutive clusters 0, 1, ...
        and at least one row each; nodes are renumbered. With bins, a threshold must not separate
        rows of one bin. From a tree of Kauri with the same data and limits, growth continues as if
        it had not stopped, except for the sampling of features.
    """

    def __init__(
        self,
        gain_engine: GainEngine,
        limits: Limits,
        progress: Progress,
        clocks: Clocks,
        draws: FeatureDraws | None = None,
        start: Tree | None = None,
    ) -> None:
        self.gain_engine, self.limits, self.draws = gain_engine, limits, draws
        self.progress, self.clocks = progress, clocks
        self.builder = TreeBuilder()
        self.n_leaves = 1
        # By leaf index: its node, and whether the limits forbid splitting it.
        self.node = np.zeros(limits.max_leaves, dtype=np.int64)
        self.closed = np.zeros(limits.max_leaves, dtype=bool)
        self.some_closed = False
        self._settle(0, 0, 0)
        if start is not None:
            started = time.perf_counter()
            self._begin_with(start)
            self.clocks.commit += time.perf_counter() - started

    def grow(self) -> Tree:
        while self.n_leaves < self.limits.max_leaves:
            started = time.perf_counter()
            best = self._best_gain()
            gains = best > self.gain_engine.tolerance
            if gains:
                leaf_index, split = self._choose(best)
            searched = time.perf_counter()
            self.clocks.search += searched - started
            if not gains:
                break
            self._cut(leaf_index, split)
            self.clocks.commit += time.perf_counter() - searched
            if self.progress.verbose:
                self.progress.leaves(
                    self.n_leaves, self.gain_engine.n_clusters, self.gain_engine.objective
                )
        return self.builder.build(self.gain_engine.n_features)

    def _best_gain(self) -> float:
        """The best gain of all leaves, after the searches needed to be certain."""
        gain, bound = (
            self.gain_engine.gain[: self.n_leaves],
            self.gain_engine.bound[: self.n_leaves],
        )
        closed = self.closed[: self.n_leaves]
        if self.some_closed:
            gain[closed] = bound[closed] = -np.inf
        if self.draws is not None:
            # Each search samples other features, so that earlier results are void.
            bound[~closed] = np.inf
        tolerance = self.gain_engine.tolerance
        unknown = (bound == np.inf).nonzero()[0]
        if len(unknown) < len(bound):
            best = float(gain.max(where=gain == bound, initial=-np.inf))
        else:
            best = -np.inf
        if best == -np.inf:
            # Search the most promising leaves first: their gains are a floor for the others.
            known = (bound < np.inf).nonzero()[0]
            promising = known[np.argsort(-bound[known], kind="stable")[:TOGETHER]]
            unknown = np.concatenate([unknown, promising[bound[promising] > tolerance]])
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

    def _search(self, leaf_indices: np.ndarray, floor: float) -> None:
        if len(leaf_indices) == 0:
            return
        sampled = None
        if self.draws is not None:
            useful = map(self.gain_engine.has_threshold, leaf_indices.tolist())
            sampled = np.array([self.draws.draw(features) for features in useful])
        self.gain_engine.search(leaf_indices.astype(np.int32), sampled, floor)
        self.clocks.searches += len(leaf_indices)

    def _choose(self, best: float) -> tuple[int, Split]:
        """The split to apply: the first of the ties, by its order and node."""
        floor = best - self.gain_engine.tolerance
        gain, bound = (
            self.gain_engine.gain[: self.n_leaves],
            self.gain_engine.bound[: self.n_leaves],
        )
        tied = ((gain == bound) & (gain >= floor)).nonzero()[0].tolist()
        splits = [(leaf_index, self.gain_engine.locate(leaf_index, floor)) for leaf_index in tied]
        return min(splits, key=lambda s: (s[1].order, self.node[s[0]]))

    def _begin_with(self, tree: Tree) -> None:
        """Apply the splits of a tree; see :mod:`agathis._growth.warm_start`."""
        check_start(tree, self.gain_engine.n_features, self.limits)
        order = split_order(tree)
        is_recorded = tells_growth(tree, order)
        leaf_index_of = {0: 0}
        self.builder.cluster[0] = int(tree.cluster[0])
        for node in order:
            leaf_index = leaf_index_of.pop(node)
            split = split_again(tree, node, self.gain_engine, leaf_index)
            made = split if is_recorded else split._replace(left=0, right=0)
            other = self._record(leaf_index, self.gain_engine.commit(leaf_index, made), split)
            leaf_index_of[int(tree.children_left[node])] = leaf_index
            leaf_index_of[int(tree.children_right[node])] = other
        weights = {
            leaf: self.gain_engine.leaf_size(leaf_index)[1]
            for leaf, leaf_index in leaf_index_of.items()
        }
        check_leaf_weights(weights, self.limits)
        if not is_recorded:
            # Clusters must be created in the order of their numbers.
            for leaf in sorted(leaf_index_of, key=lambda leaf: tree.cluster[leaf]):
                if tree.cluster[leaf] > 0:
                    self.gain_engine.move(leaf_index_of[leaf], int(tree.cluster[leaf]))

    def _cut(self, leaf_index: int, split: Split) -> None:
        self._record(leaf_index, self.gain_engine.commit(leaf_index, split), split)

    def _record(self, leaf_index: int, other: int, split: Split) -> int:
        """Record a split in the tree; return the leaf index of the right child."""
        left, right = self.builder.cut(
            int(self.node[leaf_index]),
            split.feature,
            split.threshold,
            gain=split.gain,
            move=split.move,
            missing=split.missing,
            terms=split.terms,
        )
        self.n_leaves += 1
        self._settle(leaf_index, left, split.left)
        self._settle(other, right, split.right)
        return other

    def _settle(self, leaf_index: int, node: int, cluster: int) -> None:
        """Record a new leaf, and close it if the limits forbid splitting it."""
        n_samples, weight = self.gain_engine.leaf_size(leaf_index)
        self.node[leaf_index], self.builder.cluster[node] = node, cluster
        self.builder.n_node_samples[node] = n_samples
        self.builder.weighted_n_node_samples[node] = weight
        may_split = self.limits.allows_split(self.builder.depth[node], weight)
        closed = not (may_split and self.gain_engine.has_threshold(leaf_index).any())
        self.closed[leaf_index] = closed
        self.some_closed |= closed
