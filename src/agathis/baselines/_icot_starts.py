"""Initial trees of the local search: a leaf, random, greedy, from KMeans."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from agathis.baselines._icot_search import Node, RankedRows, SizeLimits

# The maximum number of leaves of an initial tree.
SOME_LEAVES = 8


@dataclass(frozen=True)
class Start:
    """An initial tree, whether to grow it greedily first, and the seed of the search."""

    root: Node
    greedy: bool
    seed: int


def starts(table: RankedRows, limits: SizeLimits, seeds: np.ndarray) -> list[Start]:
    """In turn a leaf (later random trees), greedy, and KMeans.

    KMeans begins with the maximum number of leaves, at most 8, and has one cluster less each time.
    """
    max_leaves = min(limits.max_leaves, 2 ** min(limits.max_depth, 30), SOME_LEAVES)
    made = []
    # With several threads, KMeans sums in varying order, and rounding varies.
    with threadpool_limits(limits=1, user_api="openmp"):
        for turn, seed in enumerate(seeds.tolist()):
            round_, kind = divmod(turn, 3)
            random = np.random.RandomState(seed)
            root = Node()
            if max_leaves > 1 and kind == 0 and round_ > 0:
                root = random_tree(table, limits, random.randint(2, max_leaves + 1), random)
            elif max_leaves > 1 and kind == 2:
                root = kmeans_tree(table, limits, max_leaves - round_ % (max_leaves - 1), random)
            made.append(Start(root, kind == 1, seed))
    return made


def random_tree(
    table: RankedRows, limits: SizeLimits, n_leaves: int, random: np.random.RandomState
) -> Node:
    """Split random leaves at random."""
    root = Node()
    open_leaves = [(root, 0, np.arange(table.n_samples))]
    while open_leaves and n_leaves > 1:
        node, depth, rows = open_leaves.pop(random.randint(len(open_leaves)))
        feature = int(random.randint(len(table.rank)))
        rank = table.rank[feature, rows]
        threshold = int(random.choice(rank))
        goes_left = rank <= threshold
        weight = table.weight[rows]
        if min(weight[goes_left].sum(), weight[~goes_left].sum()) < max(limits.min_weight, 1e-300):
            continue
        left, right = Node(), Node()
        node.become(Node(feature, threshold, left, right))
        n_leaves -= 1
        if depth + 1 < limits.max_depth:
            open_leaves.append((left, depth + 1, rows[goes_left]))
            open_leaves.append((right, depth + 1, rows[~goes_left]))
    return root


def kmeans_tree(
    table: RankedRows, limits: SizeLimits, n_clusters: int, random: np.random.RandomState
) -> Node:
    """A classification tree of the labels of KMeans, with one leaf per cluster at most."""
    min_fraction = limits.min_weight / table.weight.sum()
    n_clusters = min(n_clusters, table.n_samples)
    if min_fraction > 0.5 or n_clusters < 2:
        return Node()
    means = KMeans(n_clusters, n_init=1, random_state=random)
    with warnings.catch_warnings():
        # Fewer clusters, from rows that differ by rounding only, are fine here.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = means.fit_predict(table.values.T, sample_weight=table.weight)
    # Ranks, because the classifier rounds its data to float32.
    model = DecisionTreeClassifier(
        max_leaf_nodes=n_clusters,
        max_depth=min(limits.max_depth, 2**30),
        min_weight_fraction_leaf=min_fraction,
        random_state=random,
    ).fit(table.rank.T, labels, sample_weight=table.weight)
    tree = model.tree_
    nodes = [Node() for _ in range(tree.node_count)]
    for i in np.flatnonzero(tree.children_left >= 0):
        children = nodes[tree.children_left[i]], nodes[tree.children_right[i]]
        nodes[i].become(Node(int(tree.feature[i]), int(np.floor(tree.threshold[i])), *children))
    return nodes[0]
