"""Local improvement of a tree until no single move increases the objective.

Moves that failed at a node are cached, and tried again only after a change below the node: in the
rows of a leaf, or in the centre of its cluster.
"""

from __future__ import annotations

from collections.abc import Iterable

from agathis._core.search.draft import Draft
from agathis._core.search.move_gains import cut_gain
from agathis._growing.limits import Limits
from agathis._searching.moves import (
    INNER_MOVES,
    LEAF_MOVES,
    Cut,
    Move,
    PartOff,
    Proposal,
    Prune,
    Resplit,
)
from agathis._searching.tuning import MOST_SWEEPS, SHARE_IN_VAIN, SPENT_IN_VAIN

# Relative to the inertia of the rows, the minimum gain of a move; less may be rounding.
LEAST_GAIN = 1e-10


class Descent:
    """Improves a mutable tree by single moves.

    Parameters
    ----------
    draft : Draft
    limits : Limits
    only_found : bool
        Whether splits must form new clusters.
    patience : float
        A factor of the number of failed prunings before ``spend`` stops.
    again : bool
        Whether splits are searched again before the end if clusters have changed since. Not needed
        if perturbations follow.
    """

    def __init__(
        self,
        draft: Draft,
        limits: Limits,
        only_found: bool = False,
        patience: float = 1.0,
        again: bool = True,
    ) -> None:
        self.draft, self.patience, self.again = draft, patience, again
        self.inner_moves = tuple(move(limits) for move in INNER_MOVES)
        self.leaf_moves = tuple(move(limits) for move in LEAF_MOVES)
        self.resplit, self.prune = Resplit(limits), Prune()
        self.cut, self.part_off = Cut(draft, limits, only_found), PartOff(limits)
        self.tolerance = LEAST_GAIN * draft.rows.inertia
        self._in_vain: set[tuple[str, int, int]] = set()
        self._cuts: dict[tuple[int, int, int], tuple[Proposal | None, tuple[int, ...]]] = {}
        self._looked_at: tuple[int, ...] = ()

    def run(self, sweeps: int = MOST_SWEEPS, spend: bool = False, anywhere: bool = False) -> None:
        """Apply moves until none improves the tree.

        With ``spend`` leaves are also pruned and split elsewhere; with ``anywhere`` also above
        internal nodes, which takes longer.
        """
        for _ in range(sweeps):
            changed = self.sweep()
            changed |= self.grow()
            if not changed and not (spend and self.spend(anywhere)):
                break

    def spend(self, anywhere: bool = False) -> bool:
        """Prune the leaves with the lowest loss, and split where the gain is highest."""
        draft, changed, tries = self.draft, False, 0
        most = self.patience * max(SPENT_IN_VAIN, SHARE_IN_VAIN * draft.n_leaves)
        while draft.n_leaves > 2 and tries < most:
            found = [self.prune.propose(draft, leaf) for leaf in draft.leaves()]
            losses = sorted((one for one in found if one is not None), key=lambda one: -one.gain)
            if tries >= len(losses):
                break
            saved, objective = draft.save(), draft.objective
            self.prune.apply(draft, losses[tries])
            self.grow(anywhere)
            if draft.objective > objective + self.tolerance:
                changed, tries = True, 0
            else:
                draft.restore(saved)
                tries += 1
        return changed

    def sweep(self) -> bool:
        """Try each move once at every node and leaf."""
        draft, changed = self.draft, False
        for move in self.inner_moves:
            for node in draft.nodes():
                # A change of an ancestor may have removed or changed the node.
                if draft.is_leaf(node) or not draft.is_used(node):
                    continue
                state = (move.name, node, draft.state_of(node))
                if state in self._in_vain:
                    continue
                if self._improves(move, node):
                    changed = True
                else:
                    self._in_vain.add(state)
        for move in self.leaf_moves:
            for leaf in draft.leaves():
                changed |= self._improves(move, leaf)
        return changed

    def _improves(self, move: Move, node: int) -> bool:
        """Apply the best change of a kind at a node if it increases the objective."""
        found = move.propose(self.draft, node)
        if found is None or found.gain <= self.tolerance:
            return False
        move.apply(self.draft, found)
        return True

    def grow(self, anywhere: bool = False) -> bool:
        """Split leaves, the best split first, within the limits and while the gain is positive.

        With ``anywhere`` leaves are also split off above internal nodes.
        """
        draft, changed = self.draft, False
        while draft.n_leaves < draft.most_leaves:
            best = self._best_of(map(self._best_cut, draft.leaves()))
            move: Move = self.cut
            if anywhere:
                above = self._best_of(self.part_off.propose(draft, node) for node in draft.nodes())
                if above is not None and (best is None or above.gain > best.gain):
                    best, move = above, self.part_off
            if best is None or best.gain <= self.tolerance:
                if self.again and self._have_clusters_moved():
                    continue
                break
            move.apply(draft, best)
            changed = True
        return changed

    def _have_clusters_moved(self) -> bool:
        """Whether splits must be searched again because some cluster has other rows."""
        draft = self.draft
        clusters = tuple(draft.cluster_state(cluster) for cluster in range(draft.most_clusters))
        if clusters == self._looked_at:
            return False
        self._cuts.clear()
        self._looked_at = clusters
        return True

    @staticmethod
    def _best_of(proposals: Iterable[Proposal | None]) -> Proposal | None:
        found = [one for one in proposals if one is not None]
        return max(found, key=lambda one: one.gain, default=None)

    def forget(self) -> None:
        """Clear the caches, for a tree unlike those before."""
        self._in_vain.clear()
        self._cuts.clear()

    def _best_cut(self, leaf: int) -> Proposal | None:
        draft = self.draft
        state = (leaf, draft.state_of(leaf), draft.n_clusters)
        found, seen = self._cuts.get(state, (None, ()))
        if state not in self._cuts:
            found = self.cut.propose(draft, leaf)
            seen = () if found is None else self._clusters(found)
        elif found is not None and seen != self._clusters(found):
            # The cluster that a side would join has changed.
            found = found._replace(gain=cut_gain(draft, leaf, *found.change))
            seen = self._clusters(found)
        self._cuts[state] = found, seen
        return found

    def _clusters(self, cut: Proposal) -> tuple[int, ...]:
        """The state of the clusters that the gain of a split depends on."""
        return tuple(self.draft.cluster_state(cluster) for cluster in cut.change[1:])
