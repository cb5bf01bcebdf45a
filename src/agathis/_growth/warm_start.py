"""Resume growth from an existing tree, by applying its splits again.

Splits are applied in the order of the nodes. In trees of Kauri an internal node stores the cluster
that it had when it was split, so that the growth can be reproduced to the last bit. Other trees
have clusters of leaves only: all splits are applied within the first cluster, and the leaves are
then moved to theirs.
"""

from __future__ import annotations

import numpy as np

from agathis._dataset.splits import Split
from agathis._growth.engines.protocol import SUM_ROUNDING, GainEngine
from agathis._growth.limits import Limits
from agathis._trees.tree import MISSING_GOES, Tree


def check_start(tree: Tree, n_features: int, limits: Limits) -> None:
    """Raise ValueError if the tree is invalid as a start or exceeds the limits.

    :func:`check_leaf_weights` checks the weights of the leaves, which depend on the rows.
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
    """Raise ValueError if a leaf is below the minimum weight; ``weight_of`` is by node.

    A single leaf is always valid, as growth without a start begins with one.
    """
    # The weight may be slightly less than during the search, by rounding.
    minimum = limits.min_leaf - SUM_ROUNDING * sum(weight_of.values())
    light = min(weight_of, key=lambda node: weight_of[node])
    if len(weight_of) > 1 and weight_of[light] < minimum:
        raise ValueError(
            f"start has a leaf, node {light}, of weight {weight_of[light]:.6g}; the minimum weight "
            f"of a leaf is {limits.min_leaf:.6g}."
        )


def split_order(tree: Tree) -> list[int]:
    """The internal nodes in the order of their creation; parents come before children."""
    inner = np.flatnonzero(~tree.is_leaf)
    first = np.minimum(tree.children_left[inner], tree.children_right[inner])
    return inner[np.argsort(first)].tolist()


def tells_growth(tree: Tree, order: list[int]) -> bool:
    """Whether the clusters of the nodes are consistent with growth in that order.

    Then clusters are created in the order of their numbers, and none becomes empty.
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


def split_again(tree: Tree, node: int, gain_engine: GainEngine, leaf_index: int) -> Split:
    """The split of a node of the tree, applied to the corresponding leaf."""
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    missing_left = bool(tree.missing_left[node])
    terms = tree.terms(node)
    operands = " + ".join(f"{weight:g} x[{column}]" for column, weight in terms) or f"x[{feature}]"
    where = f"start splits node {node} at {operands} <= {threshold:.17g}"
    try:
        place = gain_engine.place(leaf_index, feature, threshold, missing_left, terms)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    n_samples, _ = gain_engine.leaf_size(leaf_index)
    if not 0 < place.n_left < n_samples:
        raise ValueError(
            f"{where}, and all {n_samples} rows of the node are on one side of it: every leaf of "
            "start must have rows."
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
