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

from agathis._core.search.move_gains import assign_gain, loss_without, prune_gain
from agathis._core.search.mutable_tree import MutableTree
from agathis._search.local.moves import Resplit, SplitOff
from agathis._search.local.mutable_trees import COLUMN, CONDITION
from agathis._search.tuning import COLUMNS, DRAWN_SPLITS, FEW_LEAVES


class Perturbations:
    """Random perturbations of a mutable tree.

    Parameters
    ----------
    mutable_tree : MutableTree
    resplit : Resplit
    *seed : int
        The seed of the random stream; unique to this object.
    """

    def __init__(self, mutable_tree: MutableTree, resplit: Resplit, *seed: int) -> None:
        self.mutable_tree, self.resplit, self.seed, self.made = mutable_tree, resplit, seed, 0
        self.random = np.random.default_rng(seed)
        self.split_off = SplitOff(resplit.limits)
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
            (1.0 if mutable_tree.max_leaves <= FEW_LEAVES else 0.02, self.replant),
        )

    def _chance_of_lifts(self) -> float:
        """The weight of ``lift``: it needs a new cluster, and small trees use ``replant``."""
        if self.mutable_tree.max_leaves > self.mutable_tree.max_clusters:
            return 0.0
        return 0.2 if self.mutable_tree.max_leaves <= FEW_LEAVES else 1.0

    def make(self) -> str:
        """Apply a random perturbation, and return its name."""
        self.random = np.random.default_rng((*self.seed, self.made))
        self.made += 1
        chances = np.cumsum([chance for chance, _ in self.kinds])
        index = int(np.searchsorted(chances, self.random.uniform() * chances[-1], side="right"))
        perturb = self.kinds[min(index, len(self.kinds) - 1)][1]
        perturb()
        return perturb.__name__

    def prune(self) -> None:
        """Prune some leaves."""
        for _ in range(1 + self.random.integers(max(2, self.mutable_tree.n_leaves // 10))):
            self._prune_one()

    def lift(self) -> None:
        """Prune a leaf, and split one off above a node.

        Leaves with distant rows may be split off in any order, and each order leaves other rows
        to the nodes below.
        """
        mutable_tree = self.mutable_tree
        if mutable_tree.n_leaves == mutable_tree.max_leaves:
            self._prune_one()
        node = self._inner_node()
        if node is not None:
            columns = self.random.permutation(mutable_tree.rows.n_columns)
            some = columns[: max(COLUMNS, len(columns) // 4)]
            proposals = self.split_off.propose_some(mutable_tree, node, some)
            if proposals:
                self.split_off.apply(mutable_tree, proposals[0])

    def ask(self) -> None:
        """Replace the split of a node by another of the best ones."""
        node = self._inner_node()
        if node is not None:
            self._replace_split(node)

    def collapse(self) -> None:
        """Replace a small subtree by a leaf, in the cluster of its heaviest leaf."""
        mutable_tree = self.mutable_tree
        max_leaves = max(3, mutable_tree.n_leaves // 4)
        small = [
            node
            for node in mutable_tree.nodes()
            if 1 < len(mutable_tree.leaves_under(node)) <= max_leaves
        ]
        if small:
            node = small[self.random.integers(len(small))]
            mutable_tree.collapse(node, mutable_tree.main_cluster(node))

    def regrow(self) -> None:
        """Replace the split of a node by another good one, and collapse both subtrees.

        What grows there afterwards may differ entirely, even if the subtrees were large.
        """
        mutable_tree, node = self.mutable_tree, self._inner_node()
        if node is None:
            return
        self._replace_split(node)
        if not mutable_tree.is_used(node) or mutable_tree.is_leaf(node):
            return
        for child in mutable_tree.children(node):
            if not mutable_tree.is_leaf(child):
                mutable_tree.collapse(child, mutable_tree.main_cluster(child))

    def empty(self) -> None:
        """Reassign the leaves of a cluster, preferably a light one, and free a leaf."""
        mutable_tree = self.mutable_tree
        clusters = sorted({mutable_tree.cluster_of(leaf) for leaf in mutable_tree.leaves()})
        if len(clusters) < 2:
            return
        losses = np.array([loss_without(mutable_tree, cluster) for cluster in clusters])
        emptied = clusters[self._one_of(losses)]
        for leaf in mutable_tree.leaves():
            if mutable_tree.cluster_of(leaf) == emptied:
                others = [cluster for cluster in clusters if cluster != emptied]
                gains = [assign_gain(mutable_tree, leaf, cluster) for cluster in others]
                mutable_tree.assign(leaf, others[int(np.argmax(gains))])
        if mutable_tree.n_leaves == mutable_tree.max_leaves and mutable_tree.n_leaves > 1:
            gains = [prune_gain(mutable_tree, leaf) for leaf in mutable_tree.leaves()]
            mutable_tree.prune(mutable_tree.leaves()[int(np.argmax(gains))])

    def reassign(self) -> None:
        """Reassign a leaf to a random cluster."""
        leaves = self.mutable_tree.leaves()
        leaf = leaves[self.random.integers(len(leaves))]
        self.mutable_tree.assign(leaf, int(self.random.integers(self.mutable_tree.max_clusters)))

    def replant(self) -> None:
        """Restart from a random root split, cycling through the columns."""
        mutable_tree, rows, limits = self.mutable_tree, self.mutable_tree.rows, self.resplit.limits
        if rows.n_columns == 0 or mutable_tree.max_leaves < 2 or limits.max_depth == 0:
            return
        if not self.columns:
            self.columns = self.random.permutation(rows.n_columns).tolist()
        column = self.columns.pop()
        present = int(rows.present[column])
        if present < 2:
            return
        rank = rows.rank[column, :present]
        position = int(np.searchsorted(rank, rank[self.random.integers(present)], side="right")) - 1
        if position == present - 1:
            return
        condition = np.zeros((), CONDITION)
        condition["kind"], condition["column"], condition["cut"] = COLUMN, column, position
        if self._weigh_enough(column, position):
            mutable_tree.collapse(0, 0)
            mutable_tree.cut(0, condition.tobytes(), 0, min(1, mutable_tree.max_clusters - 1))

    def _inner_node(self) -> int | None:
        """A random internal node, if there is one."""
        inner = [node for node in self.mutable_tree.nodes() if not self.mutable_tree.is_leaf(node)]
        return inner[self.random.integers(len(inner))] if inner else None

    def _replace_split(self, node: int) -> None:
        """Replace the split of a node by a random one of the best."""
        splits = self.resplit.propose_some(self.mutable_tree, node, DRAWN_SPLITS)
        if splits:
            self.resplit.apply(self.mutable_tree, splits[self.random.integers(len(splits))])

    def _prune_one(self) -> None:
        """Prune a leaf, preferably one with a low loss."""
        mutable_tree, leaves = self.mutable_tree, self.mutable_tree.leaves()
        if len(leaves) > 1:
            gains = np.array([prune_gain(mutable_tree, leaf) for leaf in leaves])
            mutable_tree.prune(leaves[self._one_of(-gains)])

    def _weigh_enough(self, column: int, position: int) -> bool:
        """Whether a root split keeps the limits; missing values go right."""
        rows, limits = self.mutable_tree.rows, self.resplit.limits
        total = float(rows.weight.sum())
        left = float(rows.weight[rows.order[column, : position + 1]].sum())
        return total >= limits.min_split and min(left, total - left) >= limits.min_leaf

    def _one_of(self, price: np.ndarray) -> int:
        """A random index, with a higher probability for low prices."""
        rank = np.argsort(np.argsort(price, kind="stable"), kind="stable")
        chance = np.exp(-rank / max(1.0, len(price) / 4))
        total = np.cumsum(chance)
        index = np.searchsorted(total, self.random.uniform() * total[-1], side="right")
        return int(min(index, len(price) - 1))
