"""A tree as its grower draws it, and how it becomes a :class:`~agathis.Tree`.

A grower only says which leaf is cut where, and which cluster a leaf is. Everything that can be
told from the rows alone - how many pass a node, what a cut is worth - is worked out once at the
end, the same way for every rival.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from agathis._kernels.kernel import Kernel
from agathis._partitions.objective import in_units, kernel_blocks
from agathis._trees.tree import LEAF, MOVES, UNDEFINED, Tree

CUT = MOVES.index("cut")


class Sketch:
    """Nodes as they are made: the root is 0, a cut appends its left child, then its right.

    Attributes
    ----------
    left, right, feature, threshold : list
        Of each node; -1, -1, -2 and -2.0 at a leaf.
    cluster : list of int
        Of each node; it counts where the node stays a leaf.
    """

    def __init__(self) -> None:
        self.left: list[int] = [LEAF]
        self.right: list[int] = [LEAF]
        self.feature: list[int] = [UNDEFINED]
        self.threshold: list[float] = [float(UNDEFINED)]
        self.cluster: list[int] = [0]

    def cut(self, node: int, feature: int, threshold: float) -> tuple[int, int]:
        """Give a leaf two children, rows with ``x[feature] <= threshold`` left; their numbers."""
        children = len(self.left), len(self.left) + 1
        self.left[node], self.right[node] = children
        self.feature[node], self.threshold[node] = int(feature), float(threshold)
        for _ in children:
            self.left.append(LEAF)
            self.right.append(LEAF)
            self.feature.append(UNDEFINED)
            self.threshold.append(float(UNDEFINED))
            self.cluster.append(0)
        return children

    def tree(
        self, X: np.ndarray, weight: np.ndarray | None, kernel: Kernel, threads: int
    ) -> tuple[Tree, np.ndarray]:
        """The tree of the rows of X, and which of the sketch's clusters its clusters are.

        Clusters that no leaf has are left out and those after them move up, so that the tree's
        are 0, 1, ... without a gap. An inner node's cluster is that of most of its weight. A
        cut's gain is what it takes off the sum of squares where every leaf is a cluster of its
        own: where leaves are clusters, the change of the objective.
        """
        n_nodes = len(self.left)
        left, right = np.array(self.left), np.array(self.right)
        is_leaf = left == LEAF
        kept, cluster = np.unique(np.array(self.cluster)[is_leaf], return_inverse=True)
        clusters = np.zeros(n_nodes, dtype=np.int32)
        clusters[is_leaf] = cluster
        depth = np.zeros(n_nodes, dtype=np.int32)
        for node in np.flatnonzero(~is_leaf):
            depth[[left[node], right[node]]] = depth[node] + 1
        arrays = {
            "children_left": left.astype(np.int32),
            "children_right": right.astype(np.int32),
            "feature": np.array(self.feature, dtype=np.int32),
            "threshold": np.array(self.threshold),
            "move": np.where(is_leaf, 0, CUT).astype(np.int8),
            "missing": np.zeros(n_nodes, dtype=np.int8),
            "depth": depth,
        }
        blank = {
            "gain": np.zeros(n_nodes),
            "cluster": clusters,
            "n_node_samples": np.zeros(n_nodes, dtype=np.int64),
            "weighted_n_node_samples": np.zeros(n_nodes),
        }
        walker = Tree(**arrays, **blank, n_features=X.shape[1])
        leaves = walker.apply(X, threads)
        counted = np.ones(len(X)) if weight is None else weight
        held = np.bincount(leaves, counted > 0, minlength=n_nodes).astype(np.int64)
        size = np.bincount(leaves, counted, minlength=n_nodes)
        share = np.zeros((n_nodes, len(kept)))
        share[np.arange(n_nodes), clusters] = size
        inner = ~is_leaf
        clusters[inner] = np.argmax(_summed(left, right, share), axis=1)[inner]
        worth = _worth(kernel, X, leaves, counted, left, right, threads)
        gain = np.zeros(n_nodes)
        gain[inner] = (worth[left] + worth[right] - worth)[inner]
        filled = {
            "gain": gain,
            "cluster": clusters,
            "n_node_samples": _summed(left, right, held),
            "weighted_n_node_samples": _summed(left, right, size),
        }
        return Tree(**arrays, **filled, n_features=X.shape[1]), kept


def _summed(left: np.ndarray, right: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sum over the leaves under each node, of ``values`` that are given at the leaves."""
    total = values.copy()
    # Children have higher numbers than their parent.
    for node in np.flatnonzero(left != LEAF)[::-1]:
        total[node] = total[left[node]] + total[right[node]]
    return total


def _worth(
    kernel: Kernel,
    X: np.ndarray,
    leaves: np.ndarray,
    weight: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    threads: int,
) -> np.ndarray:
    """Of each node the sum of the kernel over its pairs of rows, over its weight."""
    n, n_nodes = len(X), len(left)
    weight, unit = in_units(weight)
    member = sparse.csr_matrix((weight, (leaves, np.arange(n))), shape=(n_nodes, n))
    size = _summed(left, right, np.bincount(leaves, weight, minlength=n_nodes))
    if kernel.has_features:
        points = kernel.features(X.astype(np.float64, copy=False))
        sums = _summed(left, right, member @ (points - (weight @ points) / weight.sum()))
        stock = np.einsum("ij,ij->i", sums, sums)
    else:
        stock = _pair_stocks(kernel, X, member, left, right, threads)
    return unit * np.divide(stock, size, out=np.zeros_like(size), where=size > 0)


def _pair_stocks(
    kernel: Kernel,
    X: np.ndarray,
    member: sparse.csr_matrix,
    left: np.ndarray,
    right: np.ndarray,
    threads: int,
) -> np.ndarray:
    """Of each node the sum of the kernel over its pairs of rows."""
    between = np.zeros((len(left), len(left)))
    for rows, values in kernel_blocks(kernel, X, threads, None):
        between += member[:, rows] @ (member @ values.T).T
    stock = np.diagonal(between).copy()
    for node in np.flatnonzero(left != LEAF)[::-1]:
        first, second = left[node], right[node]
        stock[node] = stock[first] + stock[second] + 2 * between[first, second]
        between[node] = between[first] + between[second]
        between[:, node] = between[node]
    return stock
