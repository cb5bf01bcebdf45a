"""Local improvement of a tree until no single move increases the objective.

Moves that failed at a node are cached, and tried again only after a change below the node: in the
rows of a leaf, or in the centre of its cluster.
"""

from __future__ import annotations

from collections.abc import Iterable

from agathis._core.search.move_gains import split_gain
from agathis._core.search.mutable_tree import MutableTree
from agathis._growth.limits import Limits
from agathis._search.local.moves import (
    INNER_MOVES,
    LEAF_MOVES,
    Move,
    Proposal,
    Prune,
    Resplit,
    SplitLeaf,
    SplitOff,
)
from agathis._search.tuning import MAX_SWEEPS, SHARE_IN_VAIN, SPENT_IN_VAIN

# Relative to the inertia of the rows, the minimum gain of a move; less may be rounding.
MIN_GAIN = 1e-10


class LocalImprovement:
    """Improves a mutable tree by single moves.

    Parameters
    ----------
    mutable_tree : MutableTree
    limits : Limits
    only_found : bool
        Whether splits must form new clusters.
    patience : float
        A factor of the number of failed prunings before ``resplit_elsewhere`` stops.
    again : bool
        Whether splits are searched again before the end if clusters have changed since. Not needed
        if perturbations follow.
    """

    def __init__(
        self,
        mutable_tree: MutableTree,
        limits: Limits,
        only_found: bool = False,
        patience: float = 1.0,
        again: bool = True,
    ) -> None:
        self.mutable_tree, self.patience, self.again = mutable_tree, patience, again
        self.inner_moves = tuple(move(limits) for move in INNER_MOVES)
        self.leaf_moves = tuple(move(limits) for move in LEAF_MOVES)
        self.resplit, self.prune = Resplit(limits), Prune(limits)
        self.cut, self.split_off = SplitLeaf(mutable_tree, limits, only_found), SplitOff(limits)
        self.tolerance = MIN_GAIN * mutable_tree.rows.inertia
        self._in_vain: set[tuple[str, int, int]] = set()
        self._cuts: dict[tuple[int, int, int], tuple[Proposal | None, tuple[int, ...]]] = {}
        self._looked_at: tuple[int, ...] = ()

    def run(
        self, sweeps: int = MAX_SWEEPS, resplit_elsewhere: bool = False, anywhere: bool = False
    ) -> None:
        """Apply moves until none improves the tree.

        With ``resplit_elsewhere`` leaves are also pruned and split elsewhere; with ``anywhere``
        also above internal nodes, which takes longer.
        """
        for _ in range(sweeps):
            changed = self.sweep()
            changed |= self.grow()
            if not changed and not (resplit_elsewhere and self.resplit_elsewhere(anywhere)):
                break

    def resplit_elsewhere(self, anywhere: bool = False) -> bool:
        """Prune the leaves with the lowest loss, and split where the gain is highest."""
        mutable_tree, changed, tries = self.mutable_tree, False, 0
        max_tries = self.patience * max(SPENT_IN_VAIN, SHARE_IN_VAIN * mutable_tree.n_leaves)
        while mutable_tree.n_leaves > 2 and tries < max_tries:
            proposals = [self.prune.propose(mutable_tree, leaf) for leaf in mutable_tree.leaves()]
            losses = sorted(
                (one for one in proposals if one is not None), key=lambda one: -one.gain
            )
            if tries >= len(losses):
                break
            saved, objective = mutable_tree.save(), mutable_tree.objective
            self.prune.apply(mutable_tree, losses[tries])
            self.grow(anywhere)
            if mutable_tree.objective > objective + self.tolerance:
                changed, tries = True, 0
            else:
                mutable_tree.restore(saved)
                tries += 1
        return changed

    def sweep(self) -> bool:
        """Try each move once at every node and leaf."""
        mutable_tree, changed = self.mutable_tree, False
        for move in self.inner_moves:
            for node in mutable_tree.nodes():
                # A change of an ancestor may have removed or changed the node.
                if mutable_tree.is_leaf(node) or not mutable_tree.is_used(node):
                    continue
                state = (move.name, node, mutable_tree.state_of(node))
                if state in self._in_vain:
                    continue
                if self._improves(move, node):
                    changed = True
                else:
                    self._in_vain.add(state)
        for move in self.leaf_moves:
            for leaf in mutable_tree.leaves():
                changed |= self._improves(move, leaf)
        return changed

    def _improves(self, move: Move, node: int) -> bool:
        """Apply the best change of a kind at a node if it increases the objective."""
        proposal = move.propose(self.mutable_tree, node)
        if proposal is None or proposal.gain <= self.tolerance:
            return False
        move.apply(self.mutable_tree, proposal)
        return True

    def grow(self, anywhere: bool = False) -> bool:
        """Split leaves, the best split first, within the limits and while the gain is positive.

        With ``anywhere`` leaves are also split off above internal nodes.
        """
        mutable_tree, changed = self.mutable_tree, False
        while mutable_tree.n_leaves < mutable_tree.max_leaves:
            best = self._best_of(map(self._best_split, mutable_tree.leaves()))
            move: Move = self.cut
            if anywhere:
                above = self._best_of(
                    self.split_off.propose(mutable_tree, node) for node in mutable_tree.nodes()
                )
                if above is not None and (best is None or above.gain > best.gain):
                    best, move = above, self.split_off
            if best is None or best.gain <= self.tolerance:
                if self.again and self._have_clusters_moved():
                    continue
                break
            move.apply(mutable_tree, best)
            changed = True
        return changed

    def _have_clusters_moved(self) -> bool:
        """Whether splits must be searched again because some cluster has other rows."""
        mutable_tree = self.mutable_tree
        clusters = tuple(
            mutable_tree.cluster_state(cluster) for cluster in range(mutable_tree.max_clusters)
        )
        if clusters == self._looked_at:
            return False
        self._cuts.clear()
        self._looked_at = clusters
        return True

    @staticmethod
    def _best_of(proposals: Iterable[Proposal | None]) -> Proposal | None:
        candidates = [one for one in proposals if one is not None]
        return max(candidates, key=lambda one: one.gain, default=None)

    def forget(self) -> None:
        """Clear the caches, for a tree unlike those before."""
        self._in_vain.clear()
        self._cuts.clear()

    def _best_split(self, leaf: int) -> Proposal | None:
        mutable_tree = self.mutable_tree
        state = (leaf, mutable_tree.state_of(leaf), mutable_tree.n_clusters)
        proposal, clusters = self._cuts.get(state, (None, ()))
        if state not in self._cuts:
            proposal = self.cut.propose(mutable_tree, leaf)
            clusters = () if proposal is None else self._clusters(proposal)
        elif proposal is not None and clusters != self._clusters(proposal):
            # The cluster that a side would join has changed.
            proposal = proposal._replace(gain=split_gain(mutable_tree, leaf, *proposal.change))
            clusters = self._clusters(proposal)
        self._cuts[state] = proposal, clusters
        return proposal

    def _clusters(self, proposal: Proposal) -> tuple[int, ...]:
        """The state of the clusters that the gain of a split depends on."""
        return tuple(self.mutable_tree.cluster_state(cluster) for cluster in proposal.change[1:])
