"""A tree that is there already, as steps that stocks can take again: growth goes on from it.

The cuts of a tree are made in the order of its nodes. In Kauri's own trees an inner node has the
cluster that it had when it was cut, so that the steps of the growth are known, and to take them
again gives the same sums to the last bit. Other trees tell the clusters of their leaves only:
there all cuts are made within the first cluster, and then the leaves are brought to their own.
"""

from __future__ import annotations

import numpy as np

from agathis._dataset.splits import Split
from agathis._growing.engines.protocol import SUM_ROUNDING, Stocks
from agathis._growing.limits import Limits
from agathis._trees.tree import MISSING_GOES, Tree


def check_start(tree: Tree, n_features: int, limits: Limits) -> None:
    """Raise ValueError where no growth within the limits can begin with the tree.

    What its leaves weigh depends on the rows: :func:`check_leaf_weights` looks when they are known.
    """
    tree.check()
    if tree.n_features != n_features:
        raise ValueError(f"start is a tree of {tree.n_features} features, and X has {n_features}.")
    clusters = np.unique(tree.cluster[tree.is_leaf])
    if not np.array_equal(clusters, np.arange(len(clusters))):
        raise ValueError(
            "start must have leaves of all clusters 0, 1, ... up to its last; its leaves are of "
            f"{clusters.tolist()}."
        )
    if len(clusters) > limits.n_clusters:
        raise ValueError(
            f"start has {len(clusters)} clusters, more than n_clusters={limits.n_clusters}."
        )
    if tree.n_leaves > limits.max_leaves:
        raise ValueError(
            f"start has {tree.n_leaves} leaves, and there may be {limits.max_leaves} of them."
        )
    if limits.max_depth is not None and tree.max_depth > limits.max_depth:
        raise ValueError(
            f"start has a leaf at depth {tree.max_depth}, deeper than max_depth={limits.max_depth}."
        )


def check_leaf_weights(weight_of: dict[int, float], limits: Limits) -> None:
    """Raise ValueError where some leaf of the tree weighs less than a leaf may.

    ``weight_of`` has the leaves by their nodes in ``start``. A single leaf may weigh anything: that
    is how growth begins without a tree.
    """
    # A side that the search saw weigh enough may weigh less by the rounding of a sum.
    least = limits.min_leaf - SUM_ROUNDING * sum(weight_of.values())
    light = min(weight_of, key=lambda node: weight_of[node])
    if len(weight_of) > 1 and weight_of[light] < least:
        raise ValueError(
            f"start has a leaf, node {light}, of rows that weigh {weight_of[light]:.6g}; each leaf "
            f"must weigh min_leaf={limits.min_leaf:.6g} at least."
        )


def cut_order(tree: Tree) -> list[int]:
    """The inner nodes, those made first first; any node comes after its parent."""
    inner = np.flatnonzero(~tree.is_leaf)
    first = np.minimum(tree.children_left[inner], tree.children_right[inner])
    return inner[np.argsort(first)].tolist()


def tells_growth(tree: Tree, order: list[int]) -> bool:
    """Whether the clusters of the nodes are those that some growth in that order gave them.

    Each cluster is then founded when its number is the next, and none is ever left empty.
    """
    if tree.cluster[0] != 0:
        return False
    leaves_in = [1]
    for node in order:
        leaves_in[tree.cluster[node]] -= 1
        for child in (tree.children_left[node], tree.children_right[node]):
            cluster = int(tree.cluster[child])
            if cluster > len(leaves_in):
                return False
            if cluster == len(leaves_in):
                leaves_in.append(0)
            leaves_in[cluster] += 1
        if leaves_in[tree.cluster[node]] == 0:
            return False
    return True


def split_again(tree: Tree, node: int, stocks: Stocks, slot: int) -> Split:
    """The cut of a node of the tree, as a split of the leaf that is in its place."""
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    missing_left = bool(tree.missing_left[node])
    terms = tree.terms(node)
    asked = " + ".join(f"{weight:g} x[{column}]" for column, weight in terms) or f"x[{feature}]"
    where = f"start splits node {node} at {asked} <= {threshold:.17g}"
    try:
        place = stocks.place(slot, feature, threshold, missing_left, terms)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    n_samples, _ = stocks.leaf_size(slot)
    if not 0 < place.n_left < n_samples:
        raise ValueError(
            f"{where}, and all {n_samples} rows that come there are on one side of it: growth "
            "goes on from a tree whose leaves all have rows."
        )
    missing = int(tree.missing[node])
    if place.misses and missing == 0:
        missing = MISSING_GOES.index("left" if missing_left else "right")
    return Split(
        feature,
        threshold,
        float(tree.gain[node]),
        int(tree.move[node]),
        int(tree.cluster[tree.children_left[node]]),
        int(tree.cluster[tree.children_right[node]]),
        place.position,
        missing,
        terms,
    )
