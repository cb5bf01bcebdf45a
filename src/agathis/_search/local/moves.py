"""The moves of the local search, each with its exact gain.

A move proposes the best change of its kind at a node. Its gain is the increase of the objective
with all centres updated. ``saved = mutable_tree.save()`` before a change and
``mutable_tree.restore(saved)`` after it restore the tree exactly.

=========  ==========================================================================
re-split   replace the split of an internal node; its subtrees stay, or swap sides
reassign   move a leaf to another or a new cluster
cut        split a leaf, and move one side to another or a new cluster
part off   split some rows off above an internal node, as a new leaf
prune      remove a leaf, and send its rows down the subtree of its sibling
=========  ==========================================================================

All of them respect the limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from agathis._core.search.leaf_splits import LeafSplits
from agathis._core.search.move_gains import best_assign, prune_gain
from agathis._core.search.mutable_tree import MutableTree
from agathis._core.search.node_splits import node_splits
from agathis._core.search.split_off import offs
from agathis._growth.limits import Limits


class Proposal(NamedTuple):
    """A change at a node, and its gain of the objective."""

    node: int
    gain: float
    change: tuple[Any, ...] = ()


class Move(Protocol):
    """A kind of change to a tree."""

    name: str

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        """The best change of this kind at a node, or ``None``."""
        ...

    def apply(self, mutable_tree: MutableTree, proposal: Proposal) -> None:
        """Apply a change that was proposed for the current tree."""
        ...


class Resplit:
    """See the module.

    Parameters
    ----------
    limits : Limits
    proposals : int
        The number of splits, the best with fixed centres, whose exact gain is computed.
    """

    name = "re-split"

    def __init__(self, limits: Limits, proposals: int = 4) -> None:
        self.limits, self.proposals = limits, proposals

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        found = self.propose_some(mutable_tree, node, self.proposals)
        return found[0] if found else None

    def propose_some(self, mutable_tree: MutableTree, node: int, most: int) -> list[Proposal]:
        """Up to ``most`` changes of one node, the best first."""
        if mutable_tree.is_leaf(node):
            return []
        cuts = node_splits(mutable_tree, node, most, self.limits.record)
        return [Proposal(node, gain, (asks, swapped)) for gain, asks, swapped in cuts]

    def apply(self, mutable_tree: MutableTree, proposal: Proposal) -> None:
        mutable_tree.resplit(proposal.node, *proposal.change)


class Reassign:
    """See the module; the limits do not restrict the cluster of a leaf."""

    name = "reassign"

    def __init__(self, limits: Limits | None = None) -> None:
        pass

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        if not mutable_tree.is_leaf(node):
            return None
        gain, cluster = best_assign(mutable_tree, node)
        own = mutable_tree.cluster_of(node)
        return None if cluster == own else Proposal(node, gain, (cluster,))

    def apply(self, mutable_tree: MutableTree, proposal: Proposal) -> None:
        mutable_tree.assign(proposal.node, *proposal.change)


class SplitLeaf:
    """See the module.

    Parameters
    ----------
    mutable_tree : MutableTree
        The workspace is allocated once, for mutable trees of the same rows.
    limits : Limits
    only_found : bool
        Whether one side must form a new cluster.
    """

    name = "cut"

    def __init__(self, mutable_tree: MutableTree, limits: Limits, only_found: bool = False) -> None:
        self.limits, self.only_found = limits, only_found
        self.cuts = LeafSplits(mutable_tree)

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        if not mutable_tree.is_leaf(node) or mutable_tree.n_leaves >= mutable_tree.max_leaves:
            return None
        if not self.limits.allows_split(mutable_tree.depth_of(node), mutable_tree.size_of(node)[1]):
            return None
        found = self.cuts.best(mutable_tree, node, self.limits.record, self.only_found)
        return None if found is None else Proposal(node, found[0], found[1:])

    def apply(self, mutable_tree: MutableTree, proposal: Proposal) -> None:
        mutable_tree.cut(proposal.node, *proposal.change)


class SplitOff:
    """See the module.

    Parameters
    ----------
    limits : Limits
    proposals : int
        The number of splits, the best with fixed centres, whose exact gain is computed.
    """

    name = "part off"

    def __init__(self, limits: Limits, proposals: int = 4) -> None:
        self.limits, self.proposals = limits, proposals

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        found = self.propose_some(mutable_tree, node, np.arange(mutable_tree.rows.n_columns))
        return found[0] if found else None

    def propose_some(
        self, mutable_tree: MutableTree, node: int, columns: np.ndarray
    ) -> list[Proposal]:
        """Changes above one node that split on one of these columns, the best first."""
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
        cuts = offs(mutable_tree, node, columns, self.proposals, cluster, limits.record)
        return [Proposal(node, gain, (asks, left, cluster)) for gain, asks, left in cuts]

    def apply(self, mutable_tree: MutableTree, proposal: Proposal) -> None:
        mutable_tree.split_off(proposal.node, *proposal.change)


class Prune:
    """See the module."""

    name = "prune"

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        if not mutable_tree.is_leaf(node) or node == 0:
            return None
        return Proposal(node, prune_gain(mutable_tree, node))

    def apply(self, mutable_tree: MutableTree, proposal: Proposal) -> None:
        mutable_tree.prune(proposal.node)


#: Moves that keep the number of leaves, in the order in which
#: :class:`~agathis._search.local.improvement.LocalImprovement` tries them. Add new moves here.
INNER_MOVES: tuple[Callable[[Limits], Move], ...] = (Resplit,)
LEAF_MOVES: tuple[Callable[[Limits], Move], ...] = (Reassign,)
