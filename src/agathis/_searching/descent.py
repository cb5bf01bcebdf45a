"""Down to a tree that no single change betters: re-splits and reassignments, and cuts while there
is room for leaves.

What was looked at in vain is not looked at again until something changed under the node: the rows
of one of its leaves, or the centre of one of their clusters. A move so costs what it touches.
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

# Of the rows' inertia, what a change must gain: less may be rounding.
LEAST_GAIN = 1e-10


class Descent:
    """Betters a draft by single moves.

    Parameters
    ----------
    draft : Draft
    limits : Limits
    only_found : bool
        Whether cuts may only found clusters.
    patience : float
        How many times as many leaves are cut off in vain before that is given up.
    again : bool
        Whether cuts are sought again before it ends, where clusters have moved since. Who goes on
        with random changes anyhow can spare that.
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
        """Better the draft until nothing helps; with ``spend`` leaves are spent elsewhere, too.

        With ``anywhere`` that may be above any node, which takes longer.
        """
        for _ in range(sweeps):
            changed = self.sweep()
            changed |= self.grow()
            if not changed and not (spend and self.spend(anywhere)):
                break

    def spend(self, anywhere: bool = False) -> bool:
        """Cut leaves off that are missed least, and spend them where they gain most."""
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
        """Look once at every node for another question, at every leaf for another cluster."""
        draft, changed = self.draft, False
        for move in self.inner_moves:
            for node in draft.nodes():
                # A change above may have taken the node away, or cut it anew.
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
        """Apply the best change of a kind at a node if the objective rises."""
        found = move.propose(self.draft, node)
        if found is None or found.gain <= self.tolerance:
            return False
        move.apply(self.draft, found)
        return True

    def grow(self, anywhere: bool = False) -> bool:
        """Cut leaves, the best cut first, while there is room and something is gained.

        With ``anywhere`` a leaf may be parted off above any node as well.
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
        """Whether cuts are sought again: sides may go to any cluster, and some have other rows."""
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
        """Let go of what is known of trees that will not come back."""
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
            # The cluster that a side would go to has other rows now.
            found = found._replace(gain=cut_gain(draft, leaf, *found.change))
            seen = self._clusters(found)
        self._cuts[state] = found, seen
        return found

    def _clusters(self, cut: Proposal) -> tuple[int, ...]:
        """What the gain of a cut depends on besides the leaf."""
        return tuple(self.draft.cluster_state(cluster) for cluster in cut.change[1:])
