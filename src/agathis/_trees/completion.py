"""Compute counts, gains and clusters of a tree from the rows, for all baselines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space
from agathis._objective.objective import (
    between_kernel_sums,
    kernel_blocks,
    moderate_weights,
    point_sums,
)
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import Tree


def completed(
    splits: TreeBuilder | Tree,
    X: np.ndarray,
    weight: np.ndarray | None,
    kernel: Kernel,
    threads: int,
    space: Space | None = None,
    matrix: np.ndarray | None = None,
) -> tuple[Tree, np.ndarray]:
    """Complete a tree; return it with the original numbers of its clusters.

    Clusters without a leaf are dropped and the others renumbered. The cluster of an internal node
    is the one with the largest weight in it. The gain of a split is the decrease of the sum of
    squares if every leaf is a cluster.

    Parameters
    ----------
    splits : TreeBuilder or Tree
        With the clusters of the leaves; everything else is replaced.
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
        None if all weights are 1.
    kernel : Kernel
    threads : int
    space : Space, optional
        The space of the points, if not given by the kernel.
    matrix : ndarray of shape (n_samples, n_samples), optional
        The kernel matrix of X, if given.
    """
    tree = splits if isinstance(splits, Tree) else splits.build(X.shape[1])
    left, right = tree.children_left, tree.children_right
    is_leaf, n_nodes = tree.is_leaf, tree.node_count
    kept, cluster = np.unique(tree.cluster[is_leaf], return_inverse=True)
    clusters = np.zeros(n_nodes, dtype=np.int32)
    clusters[is_leaf] = cluster
    leaves = tree.apply(X, threads)
    counted = np.ones(len(X)) if weight is None else weight
    n_rows = np.bincount(leaves, counted > 0, minlength=n_nodes).astype(np.int64)
    size = np.bincount(leaves, counted, minlength=n_nodes)
    share = np.zeros((n_nodes, len(kept)))
    share[np.arange(n_nodes), clusters] = size
    inner = ~is_leaf
    clusters[inner] = np.argmax(tree.summed(share), axis=1)[inner]
    kernel_sums = _normalised_kernel_sums(kernel, X, leaves, counted, tree, threads, space, matrix)
    gain = np.zeros(n_nodes)
    gain[inner] = (kernel_sums[left] + kernel_sums[right] - kernel_sums)[inner]
    filled = replace(
        tree,
        gain=gain,
        cluster=clusters,
        n_node_samples=tree.summed(n_rows),
        weighted_n_node_samples=tree.summed(size),
    )
    return filled, kept


def _normalised_kernel_sums(
    kernel: Kernel,
    X: np.ndarray,
    leaves: np.ndarray,
    weight: np.ndarray,
    tree: Tree,
    threads: int,
    space: Space | None,
    matrix: np.ndarray | None,
) -> np.ndarray:
    """The kernel sum of each node divided by its weight."""
    n, n_nodes, left, right = len(X), tree.node_count, tree.children_left, tree.children_right
    weight, unit = moderate_weights(weight)
    size = tree.summed(np.bincount(leaves, weight, minlength=n_nodes))
    if space is None and kernel.has_features:
        space = Space(kernel)
    if space is not None:
        sums, _ = point_sums(space, X, leaves, weight, threads, n_nodes)
        sums = tree.summed(sums)
        kernel_sum = np.einsum("ij,ij->i", sums, sums)
    else:
        member = sparse.csr_matrix((weight, (np.arange(n), leaves)), shape=(n, n_nodes))
        between = between_kernel_sums(kernel_blocks(kernel, X, threads, matrix), member)
        kernel_sum = np.diagonal(between).copy()
        for node in np.flatnonzero(~tree.is_leaf)[::-1]:
            first, second = left[node], right[node]
            kernel_sum[node] = kernel_sum[first] + kernel_sum[second] + 2 * between[first, second]
            between[node] = between[first] + between[second]
            between[:, node] = between[node]
    return unit * np.divide(kernel_sum, size, out=np.zeros_like(size), where=size > 0)
