"""The moves of the local search, each with its exact gain.

A move proposes the best change of its kind at a node. Its gain is the increase of the objective
with all centres updated. ``saved = mutable_tree.save()`` before a change and
``mutable_tree.restore(saved)`` after it restore the tree exactly.

=========  ==========================================================================
re-split   replace the split of an internal node; its subtrees stay, or swap sides
reassign   move a leaf to another or a new cluster
cut        split a leaf, and move one side to another or a new cluster
split off  split some rows off above an internal node, as a new leaf
prune      remove a leaf, and send its rows down the subtree of its sibling
=========  ==========================================================================

All of them respect the limits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from agathis._core.search.leaf_splits import LeafSplits
from agathis._core.search.move_gains import best_assign, prune_gain
from agathis._core.search.mutable_tree import MutableTree
from agathis._core.search.node_splits import node_splits, split_offs
from agathis._growth.limits import Limits
from agathis._search.tuning import PROPOSALS


class Proposal(NamedTuple):
    """A change at a node, and its gain of the objective."""

    node: int
    gain: float
    change: tuple[Any, ...] = ()


class Move(ABC):
    """A kind of change to a tree.

    Parameters
    ----------
    limits : Limits

    Attributes
    ----------
    name : str
    method : str
        The method of mutable trees that applies a change.
    """

    name: str
    method: str

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    @abstractmethod
    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        """The best change of this kind at a node, or ``None``."""

    def apply(self, mutable_tree: MutableTree, proposal: Proposal) -> None:
        """Apply a change that was proposed for the current tree."""
        getattr(mutable_tree, self.method)(proposal.node, *proposal.change)


class Resplit(Move):
    """See the module."""

    name, method = "re-split", "resplit"

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        return next(iter(self.propose_some(mutable_tree, node, PROPOSALS)), None)

    def propose_some(
        self, mutable_tree: MutableTree, node: int, n_proposals: int
    ) -> list[Proposal]:
        """Up to ``n_proposals`` changes of one node, the best first."""
        if mutable_tree.is_leaf(node):
            return []
        splits = node_splits(mutable_tree, node, n_proposals, self.limits.record)
        return [Proposal(node, gain, (condition, swapped)) for gain, condition, swapped in splits]


class Reassign(Move):
    """See the module."""

    name, method = "reassign", "assign"

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        if not mutable_tree.is_leaf(node):
            return None
        gain, cluster = best_assign(mutable_tree, node)
        current = mutable_tree.cluster_of(node)
        return None if cluster == current else Proposal(node, gain, (cluster,))


class SplitLeaf(Move):
    """See the module.

    Parameters
    ----------
    mutable_tree : MutableTree
        The workspace is allocated once, for mutable trees of the same rows.
    limits : Limits
    only_found : bool
        Whether one side must form a new cluster.
    """

    name, method = "cut", "cut"

    def __init__(self, mutable_tree: MutableTree, limits: Limits, only_found: bool = False) -> None:
        super().__init__(limits)
        self.only_found, self.splits = only_found, LeafSplits(mutable_tree)

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        if not mutable_tree.is_leaf(node) or mutable_tree.n_leaves >= mutable_tree.max_leaves:
            return None
        if not self.limits.allows_split(mutable_tree.depth_of(node), mutable_tree.size_of(node)[1]):
            return None
        best = self.splits.best(mutable_tree, node, self.limits.record, self.only_found)
        return None if best is None else Proposal(node, best[0], best[1:])


class SplitOff(Move):
    """See the module."""

    name, method = "split off", "split_off"

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        columns = np.arange(mutable_tree.rows.n_columns)
        return next(iter(self.propose_some(mutable_tree, node, columns)), None)

    def propose_some(
        self, mutable_tree: MutableTree, node: int, columns: np.ndarray
    ) -> list[Proposal]:
        """New leaves above one node, by these columns or any category, the best first."""
        limits, cluster = self.limits, mutable_tree.empty_cluster()
        if (
            mutable_tree.is_leaf(node)
            or mutable_tree.n_leaves >= mutable_tree.max_leaves
            or cluster < 0
        ):
            return []
        if limits.max_depth is not None and mutable_tree.deepest_under(node) >= limits.max_depth:
            return []
        columns = np.ascontiguousarray(columns, dtype=np.int32)
        splits = split_offs(mutable_tree, node, columns, PROPOSALS, cluster, limits.record)
        return [
            Proposal(node, gain, (condition, left, cluster)) for gain, condition, left in splits
        ]


class Prune(Move):
    """See the module."""

    name, method = "prune", "prune"

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        if not mutable_tree.is_leaf(node) or node == 0:
            return None
        return Proposal(node, prune_gain(mutable_tree, node))


#: Moves that keep the number of leaves, in the order in which
#: :class:`~agathis._search.local.improvement.LocalImprovement` tries them. Add new moves here.
INNER_MOVES: tuple[Callable[[Limits], Move], ...] = (Resplit,)
LEAF_MOVES: tuple[Callable[[Limits], Move], ...] = (Reassign,)
