"""Random perturbations of a tree, to escape a local optimum.

Each one changes a part of the tree: leaves of low gain, a small subtree, a light cluster, one
split, or one split with its subtrees. The local improvement that follows uses the freed leaves
where they gain most.

Each perturbation has its own random stream, from the seed of the search, the initial tree and the
number of earlier perturbations. So a rejected one does not affect later ones, and small changes
of the data change the tree less often.
"""

from __future__ import annotations

import numpy as np

from agathis._core.search.draft import Draft
from agathis._core.search.move_gains import assign_gain, loss_without, prune_gain
from agathis._searching.drafts import COLUMN, CONDITION
from agathis._searching.moves import PartOff, Resplit
from agathis._searching.tuning import COLUMNS, DRAWN_SPLITS, FEW_LEAVES


class Kicks:
    """Random perturbations of a mutable tree.

    Parameters
    ----------
    draft : Draft
    resplit : Resplit
    *seed : int
        The seed of the random stream; unique to this object.
    """

    def __init__(self, draft: Draft, resplit: Resplit, *seed: int) -> None:
        self.draft, self.resplit, self.seed, self.made = draft, resplit, seed, 0
        self.random = np.random.default_rng(seed)
        self.part_off = PartOff(resplit.limits)
        # Columns that have not been used for a root split yet.
        self.columns: list[int] = []
        self.kinds = (
            (0.35, self.prune),
            (self._chance_of_lifts(), self.lift),
            (0.25, self.ask),
            (0.2, self.collapse),
            (0.1, self.regrow),
            (0.15, self.empty),
            (0.05, self.reassign),
            (1.0 if draft.most_leaves <= FEW_LEAVES else 0.02, self.replant),
        )

    def _chance_of_lifts(self) -> float:
        """The weight of ``lift``: it needs a new cluster, and small trees use ``replant``."""
        if self.draft.most_leaves > self.draft.most_clusters:
            return 0.0
        return 0.2 if self.draft.most_leaves <= FEW_LEAVES else 1.0

    def make(self) -> str:
        """Apply a random perturbation, and return its name."""
        self.random = np.random.default_rng((*self.seed, self.made))
        self.made += 1
        chances = np.cumsum([chance for chance, _ in self.kinds])
        place = int(np.searchsorted(chances, self.random.uniform() * chances[-1], side="right"))
        kick = self.kinds[min(place, len(self.kinds) - 1)][1]
        kick()
        return kick.__name__

    def prune(self) -> None:
        """Prune some leaves."""
        for _ in range(1 + self.random.integers(max(2, self.draft.n_leaves // 10))):
            self._prune_one()

    def lift(self) -> None:
        """Prune a leaf, and split one off above a node.

        Leaves with distant rows may be split off in any order, and each order leaves other rows
        to the nodes below.
        """
        draft = self.draft
        if draft.n_leaves == draft.most_leaves:
            self._prune_one()
        inner = [node for node in draft.nodes() if not draft.is_leaf(node)]
        if inner:
            node = inner[self.random.integers(len(inner))]
            columns = self.random.permutation(draft.rows.n_columns)
            some = columns[: max(COLUMNS, len(columns) // 4)]
            found = self.part_off.propose_some(draft, node, some)
            if found:
                self.part_off.apply(draft, found[0])

    def ask(self) -> None:
        """Replace the split of a node by another of the best ones."""
        inner = [node for node in self.draft.nodes() if not self.draft.is_leaf(node)]
        if inner:
            node = inner[self.random.integers(len(inner))]
            found = self.resplit.propose_some(self.draft, node, DRAWN_SPLITS)
            if found:
                self.resplit.apply(self.draft, found[self.random.integers(len(found))])

    def collapse(self) -> None:
        """Replace a small subtree by a leaf, in the cluster of its heaviest leaf."""
        draft = self.draft
        most = max(3, draft.n_leaves // 4)
        small = [node for node in draft.nodes() if 1 < len(draft.leaves_under(node)) <= most]
        if small:
            node = small[self.random.integers(len(small))]
            draft.collapse(node, draft.main_cluster(node))

    def regrow(self) -> None:
        """Replace the split of a node by another good one, and collapse both subtrees.

        What grows there afterwards may differ entirely, even if the subtrees were large.
        """
        draft = self.draft
        inner = [node for node in draft.nodes() if not draft.is_leaf(node)]
        if not inner:
            return
        node = inner[self.random.integers(len(inner))]
        found = self.resplit.propose_some(draft, node, DRAWN_SPLITS)
        if found:
            self.resplit.apply(draft, found[self.random.integers(len(found))])
        if not draft.is_used(node) or draft.is_leaf(node):
            return
        for child in draft.children(node):
            if not draft.is_leaf(child):
                draft.collapse(child, draft.main_cluster(child))

    def empty(self) -> None:
        """Reassign the leaves of a cluster, preferably a light one, and free a leaf."""
        draft = self.draft
        clusters = sorted({draft.cluster_of(leaf) for leaf in draft.leaves()})
        if len(clusters) < 2:
            return
        worth = np.array([loss_without(draft, cluster) for cluster in clusters])
        gone = clusters[self._one_of(worth)]
        for leaf in draft.leaves():
            if draft.cluster_of(leaf) == gone:
                others = [cluster for cluster in clusters if cluster != gone]
                gains = [assign_gain(draft, leaf, cluster) for cluster in others]
                draft.assign(leaf, others[int(np.argmax(gains))])
        if draft.n_leaves == draft.most_leaves and draft.n_leaves > 1:
            gains = [prune_gain(draft, leaf) for leaf in draft.leaves()]
            draft.prune(draft.leaves()[int(np.argmax(gains))])

    def reassign(self) -> None:
        """Reassign a leaf to a random cluster."""
        leaves = self.draft.leaves()
        leaf = leaves[self.random.integers(len(leaves))]
        self.draft.assign(leaf, int(self.random.integers(self.draft.most_clusters)))

    def replant(self) -> None:
        """Restart from a random root split, cycling through the columns."""
        draft, rows, limits = self.draft, self.draft.rows, self.resplit.limits
        if rows.n_columns == 0 or draft.most_leaves < 2 or limits.max_depth == 0:
            return
        if not self.columns:
            self.columns = self.random.permutation(rows.n_columns).tolist()
        column = self.columns.pop()
        present = int(rows.present[column])
        if present < 2:
            return
        rank = rows.rank[column, :present]
        place = int(np.searchsorted(rank, rank[self.random.integers(present)], side="right")) - 1
        if place == present - 1:
            return
        asks = np.zeros((), CONDITION)
        asks["kind"], asks["column"], asks["cut"] = COLUMN, column, place
        if self._weigh_enough(column, place):
            draft.collapse(0, 0)
            draft.cut(0, asks.tobytes(), 0, min(1, draft.most_clusters - 1))

    def _prune_one(self) -> None:
        """Prune a leaf, preferably one with a low loss."""
        draft, leaves = self.draft, self.draft.leaves()
        if len(leaves) > 1:
            gains = np.array([prune_gain(draft, leaf) for leaf in leaves])
            draft.prune(leaves[self._one_of(-gains)])

    def _weigh_enough(self, column: int, place: int) -> bool:
        """Whether a root split keeps the limits; missing values go right."""
        rows, limits = self.draft.rows, self.resplit.limits
        total = float(rows.weight.sum())
        left = float(rows.weight[rows.order[column, : place + 1]].sum())
        return total >= limits.min_split and min(left, total - left) >= limits.min_leaf

    def _one_of(self, price: np.ndarray) -> int:
        """A random index, with a higher probability for low prices."""
        place = np.argsort(np.argsort(price, kind="stable"), kind="stable")
        chance = np.exp(-place / max(1.0, len(price) / 4))
        total = np.cumsum(chance)
        drawn = np.searchsorted(total, self.random.uniform() * total[-1], side="right")
        return int(min(drawn, len(price) - 1))
