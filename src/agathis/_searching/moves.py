"""What a search may change in a tree, each change with its exact gain.

A move proposes at a node the best change of its kind that it knows, and its gain is the objective
after it less the objective before, with all centres moving along. Whoever applies a change can
undo it: ``saved = draft.save()`` before and ``draft.restore(saved)`` after bring the tree back bit
by bit.

=========  ==========================================================================
re-split   an inner node asks something else; both of its subtrees stay, or change sides
reassign   a leaf goes to another cluster, or founds one
cut        a leaf is cut, and one side goes to another cluster, or founds one
part off   some rows of an inner node become a leaf, before anything else is asked of them
prune      a leaf is taken away, and its rows go down the tree of its sibling
=========  ==========================================================================

All of them keep the limits: an illegal change is never proposed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from agathis._core.search.draft import Draft
from agathis._core.search.leaf_cuts import LeafCuts
from agathis._core.search.move_gains import best_assign, prune_gain
from agathis._core.search.node_cuts import node_cuts
from agathis._core.search.part_off import offs
from agathis._growing.limits import Limits


class Proposal(NamedTuple):
    """A change of a tree at a node, and what it adds to the objective."""

    node: int
    gain: float
    change: tuple[Any, ...] = ()


class Move(Protocol):
    """A kind of change."""

    name: str

    def propose(self, draft: Draft, node: int) -> Proposal | None:
        """The best change of this kind at a node; ``None`` where there is none."""
        ...

    def apply(self, draft: Draft, proposal: Proposal) -> None:
        """Make the change that was proposed for the draft as it is."""
        ...


class Resplit:
    """See the module.

    Parameters
    ----------
    limits : Limits
    proposals : int
        How many of the cuts that look best with the centres held have their gain worked out.
    """

    name = "re-split"

    def __init__(self, limits: Limits, proposals: int = 4) -> None:
        self.limits, self.proposals = limits, proposals

    def propose(self, draft: Draft, node: int) -> Proposal | None:
        found = self.propose_some(draft, node, self.proposals)
        return found[0] if found else None

    def propose_some(self, draft: Draft, node: int, most: int) -> list[Proposal]:
        """Several changes of one node, the best first."""
        if draft.is_leaf(node):
            return []
        cuts = node_cuts(draft, node, most, self.limits.record)
        return [Proposal(node, gain, (asks, swapped)) for gain, asks, swapped in cuts]

    def apply(self, draft: Draft, proposal: Proposal) -> None:
        draft.resplit(proposal.node, *proposal.change)


class Reassign:
    """See the module."""

    name = "reassign"

    def propose(self, draft: Draft, node: int) -> Proposal | None:
        if not draft.is_leaf(node):
            return None
        gain, cluster = best_assign(draft, node)
        return Proposal(node, gain, (cluster,)) if cluster != draft.cluster_of(node) else None

    def apply(self, draft: Draft, proposal: Proposal) -> None:
        draft.assign(proposal.node, *proposal.change)


class Cut:
    """See the module.

    Parameters
    ----------
    draft : Draft
        Room for the search is made once, for drafts of the same rows.
    limits : Limits
    only_found : bool
        Whether a side may only found a cluster.
    """

    name = "cut"

    def __init__(self, draft: Draft, limits: Limits, only_found: bool = False) -> None:
        self.limits, self.only_found = limits, only_found
        self.cuts = LeafCuts(draft)

    def propose(self, draft: Draft, node: int) -> Proposal | None:
        if not draft.is_leaf(node) or draft.n_leaves >= draft.most_leaves:
            return None
        if not self.limits.allows_split(draft.depth_of(node), draft.size_of(node)[1]):
            return None
        found = self.cuts.best(draft, node, self.limits.record, self.only_found)
        return None if found is None else Proposal(node, found[0], found[1:])

    def apply(self, draft: Draft, proposal: Proposal) -> None:
        draft.cut(proposal.node, *proposal.change)


class PartOff:
    """See the module.

    Parameters
    ----------
    limits : Limits
    proposals : int
        How many of the cuts that look best with the centres held have their gain worked out.
    """

    name = "part off"

    def __init__(self, limits: Limits, proposals: int = 4) -> None:
        self.limits, self.proposals = limits, proposals

    def propose(self, draft: Draft, node: int) -> Proposal | None:
        found = self.propose_some(draft, node, np.arange(draft.rows.n_columns))
        return found[0] if found else None

    def propose_some(self, draft: Draft, node: int, columns: np.ndarray) -> list[Proposal]:
        """Several changes above one node, the best first; only these columns are asked about."""
        limits, cluster = self.limits, draft.empty_cluster()
        if draft.is_leaf(node) or draft.n_leaves >= draft.most_leaves or cluster < 0:
            return []
        if limits.max_depth is not None and draft.deepest_under(node) >= limits.max_depth:
            return []
        columns = np.ascontiguousarray(columns, dtype=np.int32)
        cuts = offs(draft, node, columns, self.proposals, cluster, limits.record)
        return [Proposal(node, gain, (asks, left, cluster)) for gain, asks, left in cuts]

    def apply(self, draft: Draft, proposal: Proposal) -> None:
        draft.part_off(proposal.node, *proposal.change)


class Prune:
    """See the module."""

    name = "prune"

    def propose(self, draft: Draft, node: int) -> Proposal | None:
        if not draft.is_leaf(node) or node == 0:
            return None
        return Proposal(node, prune_gain(draft, node))

    def apply(self, draft: Draft, proposal: Proposal) -> None:
        draft.prune(proposal.node)


def _reassign(limits: Limits) -> Move:
    return Reassign()  # no limit is on the cluster of a leaf


#: Moves that keep the number of leaves, tried in this order at inner nodes and at leaves by
#: :class:`~agathis._searching.descent.Descent`. A new one is a class above and its place here.
INNER_MOVES: tuple[Callable[[Limits], Move], ...] = (Resplit,)
LEAF_MOVES: tuple[Callable[[Limits], Move], ...] = (_reassign,)
