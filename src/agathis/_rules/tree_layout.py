"""The layout of a tree, and the labels of its nodes.

A tidy layout after Reingold and Tilford: sibling subtrees are moved as near to each other as their
outlines allow, with the parent half-way between them. Nodes of one depth are at least 1 apart and
in order; subtrees interlock, so a tree of 40 leaves is some 15 wide. Nodes are numbered after their
parents, so that iterating backwards needs no recursion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks.parameters import PLOT_CONSTRAINTS
from agathis._rules.described_tree import Described, describe
from agathis._trees.tree import LEAF, MOVES, Tree

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from agathis._rules.described_tree import Names


@dataclass(frozen=True)
class LayoutNode:
    """A node of a drawing.

    Attributes
    ----------
    node, parent : int
        Node ids; the parent of the root is -1.
    x : float
        Horizontal position, from 0.
    depth : int
        0 at the root.
    kind : {"leaf", "split", "cropped"}
        The subtree of a cropped node is not drawn.
    condition : str
        The condition of the node without the name of the feature; empty at the root.
    feature : str
        The feature of the split; empty at a leaf.
    move : str
        Kind of split, one of ``agathis._trees.tree.MOVES``; ``"leaf"`` at a leaf.
    gain, gain_share : float
        The gain of the split, and its fraction of all gains.
    cluster : int
        The cluster of a leaf; for a split the one with most weight below.
    cluster_name : str
    shares : tuple of float
        The fraction of each cluster in the weight of the node.
    size : int
        The number of training rows.
    size_share : float
        The fraction of the weight of all training rows.
    n_leaves : int
        The number of leaves of its subtree in the full tree.
    """

    node: int
    parent: int
    x: float
    depth: int
    kind: str
    condition: str
    feature: str
    move: str
    gain: float
    gain_share: float
    cluster: int
    cluster_name: str
    shares: tuple[float, ...]
    size: int
    size_share: float
    n_leaves: int


@dataclass(frozen=True)
class TreeLayout:
    """The layout of a tree.

    Attributes
    ----------
    nodes : tuple of LayoutNode
        In the order of node ids: a parent before its children.
    width : float
        The largest x; the smallest is 0.
    depth : int
        The maximum drawn depth.
    n_clusters : int
    """

    nodes: tuple[LayoutNode, ...]
    width: float
    depth: int
    n_clusters: int


def layout_tree(
    model: BaseEstimator | Pipeline | Tree,
    *,
    max_depth: int | None = None,
    **names: Unpack[Names],
) -> TreeLayout:
    """Compute the layout of a tree, the data of :func:`plot_tree`.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.
    max_depth : int, optional
        Nodes below this depth are omitted.
    **names : optional
        ``scaler``, ``feature_names``, ``cluster_names``, ``one_hot``, ``value_names``, ``digits``
        and ``numbers``, as for :func:`agathis.export.to_text`.

    Returns
    -------
    layout : TreeLayout

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.plot import layout_tree
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(load_iris().data)
    >>> for node in layout_tree(model).nodes:
    ...     print(node.depth, node.x, node.kind, node.condition or "-", node.size)
    0 0.5 split - 150
    1 0.0 leaf <= 3.4 53
    1 1.0 split > 3.4 97
    2 0.5 leaf <= 5.15 63
    2 1.5 leaf > 5.15 34
    """
    checks.check_arguments("layout_tree", PLOT_CONSTRAINTS, max_depth=max_depth)
    described = describe(model, **names)
    return layout_of(described, max_depth)


def layout_of(described: Described, max_depth: int | None = None) -> TreeLayout:
    """Compute the layout of a described tree."""
    tree, clusters = described.tree, described.clusters
    below, n_leaves = _below(tree)
    weight = below.sum(axis=1, keepdims=True)
    shares = np.divide(below, weight, out=np.zeros_like(below), where=weight > 0)
    main = np.where(tree.is_leaf, tree.cluster, np.argmax(below, axis=1))
    gains = np.maximum(tree.gain, 0.0)
    total = gains.sum() or 1.0
    last = tree.max_depth if max_depth is None else min(max_depth, tree.max_depth)
    # The first position is 0: half a node is left of it.
    x = positions(tree, last) - 0.5
    parent = tree.parents()

    nodes = []
    for i in np.flatnonzero(tree.depth <= last):
        is_leaf, up = bool(tree.is_leaf[i]), int(parent[i])
        condition = ""
        if up >= 0:
            side = int(tree.children_right[up] == i)
            # The node above names the feature.
            condition = "".join(described.around(up)[side]).strip()
        nodes.append(
            LayoutNode(
                node=int(i),
                parent=up,
                x=float(x[i]),
                depth=int(tree.depth[i]),
                kind="leaf" if is_leaf else "cropped" if tree.depth[i] == last else "split",
                condition=condition,
                feature="" if is_leaf else described.splits[int(i)].axis.name,
                move=MOVES[tree.move[i]],
                gain=float(tree.gain[i]),
                gain_share=float(gains[i] / total),
                cluster=int(main[i]),
                cluster_name=str(clusters[main[i]]),
                shares=tuple(shares[i].tolist()),
                size=int(tree.n_node_samples[i]),
                size_share=float(weight[i, 0] / weight[0, 0]) if weight[0, 0] else 0.0,
                n_leaves=int(n_leaves[i]),
            )
        )
    return TreeLayout(tuple(nodes), max(n.x for n in nodes), last, tree.n_clusters)


def _below(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of each cluster in each node, and the number of leaves below it."""
    weight = np.zeros((tree.node_count, tree.n_clusters))
    leaf = np.flatnonzero(tree.is_leaf)
    weight[leaf, tree.cluster[leaf]] = tree.weighted_n_node_samples[leaf]
    return tree.summed(weight), tree.summed(tree.is_leaf.astype(np.int64))


def positions(tree: Tree, last: int, extent: np.ndarray | None = None) -> np.ndarray:
    """Return the horizontal position of each node down to depth ``last``.

    ``extent`` is the width of each node, centred at its position; by default 1.
    """
    left, right = tree.children_left, tree.children_right
    margin = np.full(tree.node_count, 0.5) if extent is None else np.asarray(extent) / 2
    drawn = np.flatnonzero(tree.depth <= last)
    # Half the distance between the children of a node.
    half = np.zeros(tree.node_count)
    # Outlines of the subtrees that wait for their parent: of each depth the minimum and maximum
    # position, relative to the subtree's root.
    outline: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for node in drawn[::-1]:
        around = margin[[node]]
        if left[node] == LEAF or tree.depth[node] == last:
            outline[node] = -around, around
            continue
        (a_low, a_high), (b_low, b_high) = outline.pop(left[node]), outline.pop(right[node])
        shared = min(len(a_low), len(b_low))
        half[node] = np.max(a_high[:shared] - b_low[:shared]) / 2
        low = np.concatenate([-around, a_low - half[node], b_low[shared:] + half[node]])
        high = np.concatenate([around, b_high + half[node], a_high[shared:] - half[node]])
        outline[node] = low, high
    x = np.zeros(tree.node_count)
    x[0] = -outline[0][0].min()
    for node in drawn:
        if half[node]:
            x[left[node]] = x[node] - half[node]
            x[right[node]] = x[node] + half[node]
    return x
