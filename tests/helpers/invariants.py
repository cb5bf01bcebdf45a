"""What holds for every tree, whatever grew it: one function that every test of a tree calls."""

from __future__ import annotations

import numpy as np

from agathis import Tree
from agathis._trees.tree import MISSING_GOES, MOVES
from agathis._utils.numbers import threshold_between

DTYPES = {
    "children_left": np.int32,
    "children_right": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "cluster": np.int32,
    "gain": np.float64,
    "move": np.int8,
    "missing": np.int8,
    "n_node_samples": np.int64,
    "weighted_n_node_samples": np.float64,
    "depth": np.int32,
}


def route(tree, X) -> np.ndarray:
    """Which nodes each row passes, of shape (n_samples, n_nodes), node by node."""
    X = np.asarray(X)
    passes = np.zeros((len(X), len(tree.feature)), dtype=bool)
    passes[:, 0] = True
    for node in np.flatnonzero(tree.children_left >= 0):
        values = asked_values(tree, node, X)
        goes_left = values <= tree.threshold[node]
        if np.isnan(values).any():
            goes_left |= np.isnan(values) & missing_goes_left(tree, node)
        passes[:, tree.children_left[node]] = passes[:, node] & goes_left
        passes[:, tree.children_right[node]] = passes[:, node] & ~goes_left
    return passes


def asked_values(tree, node: int, X) -> np.ndarray:
    """What a node compares with its threshold, row by row: a column, or the sum of its terms."""
    if isinstance(tree, Tree):
        terms = tree.terms(node)
    else:
        terms = [(column, 1.0) for column in tree.subset[node]]
    if not terms:
        return X[:, tree.feature[node]].astype(np.float64)
    return sum(weight * X[:, column].astype(np.float64) for column, weight in terms)


def missing_goes_left(tree, node: int) -> bool:
    """Where a row goes that misses the feature of a node."""
    if tree.missing[node] != 0:
        return MISSING_GOES[tree.missing[node]] == "left"
    left, right = (tree.n_node_samples[c[node]] for c in (tree.children_left, tree.children_right))
    return left >= right


def creation_order(tree) -> np.ndarray:
    """The nodes that were cut, the first cut first."""
    inner = np.flatnonzero(np.asarray(tree.children_left) >= 0)
    return inner[np.argsort(np.asarray(tree.children_left)[inner])]


def valid_tree(
    tree,
    X,
    labels=None,
    weight=None,
    n_clusters=None,
    *,
    max_leaf_nodes=None,
    max_depth=None,
    min_samples_split=2,
    min_samples_leaf=1,
    midpoints=True,
    kauri=True,
    positive=True,
) -> None:
    """Assert that a tree is one, that it is the tree of X, and that it keeps its limits.

    Parameters
    ----------
    tree : Tree or ReferenceTree
    X : array of shape (n_samples, n_features)
        The training rows.
    labels : array of shape (n_samples,), optional
        The clusters of the rows according to who grew the tree.
    weight : array of shape (n_samples,), optional
    n_clusters : int, optional
        The most clusters there may be.
    max_leaf_nodes, max_depth, min_samples_split, min_samples_leaf
        As given to the estimator.
    midpoints : bool, default=True
        Whether each threshold is half-way between the values that it separates, as it is
        unless bins hold several values.
    kauri : bool, default=True
        Whether Kauri grew it: each cut has a move and a gain above zero.
    positive : bool, default=True
        Whether the kernel is positive semi-definite: then no split of any tree has a gain below 0.
    """
    X = np.asarray(X)
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    counted = weight > 0
    _is_a_tree(tree, X.shape[1])
    inner = tree.children_left >= 0
    if kauri:
        assert np.all(tree.gain[inner] > 0.0)
        _moves_are_allowed(tree, n_clusters)
    else:
        assert not positive or np.all(tree.gain >= -1e-9 * max(1.0, tree.gain.sum()))
        assert np.all(tree.move[inner] == MOVES.index("cut"))
    passes = route(tree, X)
    _counts_its_rows(tree, passes[counted], weight[counted])
    _cuts_between_rows(tree, X[counted], passes[counted], midpoints)

    leaves = np.flatnonzero(tree.children_left < 0)
    found = np.unique(tree.cluster[leaves])
    np.testing.assert_array_equal(found, np.arange(len(found)))
    reached = leaves[np.argmax(passes[:, leaves], axis=1)]
    if labels is not None:
        np.testing.assert_array_equal(labels, tree.cluster[reached])
    if isinstance(tree, Tree):
        np.testing.assert_array_equal(tree.apply(X.astype(np.float64)), reached)
        assert tree.n_features == X.shape[1]
        assert tree.n_leaves == len(leaves)
        assert tree.n_clusters == len(found)
        assert tree.max_depth == tree.depth.max()

    weighted = tree.weighted_n_node_samples * (1 + 1e-12)
    if n_clusters is not None:
        assert len(found) <= n_clusters
    if max_leaf_nodes is not None:
        assert len(leaves) <= max_leaf_nodes
    if max_depth is not None:
        assert tree.depth.max() <= max_depth
    if min_samples_split != 2:
        least = min_samples_split
        least = least * weight.sum() if isinstance(least, float) else least
        assert np.all(weighted[inner] >= least)
    if min_samples_leaf != 1 and inner.any():
        least = min_samples_leaf
        least = least * weight.sum() if isinstance(least, float) else least
        assert np.all(weighted[leaves] >= least)


def _is_a_tree(tree, n_features: int) -> None:
    n_nodes = len(tree.feature)
    for name, dtype in DTYPES.items():
        if isinstance(tree, Tree):
            assert getattr(tree, name).dtype == dtype, name
        elif name == "missing":
            continue  # the oracle takes no missing values
        assert getattr(tree, name).shape == (n_nodes,), name
    leaf = tree.children_left == -1
    np.testing.assert_array_equal(tree.children_right == -1, leaf)
    assert n_nodes == 2 * leaf.sum() - 1
    # Numbered as they were made: the i-th cut appends 2 i + 1, its left child, and 2 i + 2.
    cuts = creation_order(tree)
    made = 2 * np.arange(len(cuts)) + 1
    np.testing.assert_array_equal(tree.children_left[cuts], made)
    np.testing.assert_array_equal(tree.children_right[cuts], made + 1)
    assert np.all(cuts < made)
    assert tree.depth[0] == 0
    np.testing.assert_array_equal(tree.depth[made], tree.depth[cuts] + 1)
    np.testing.assert_array_equal(tree.depth[made + 1], tree.depth[cuts] + 1)

    assert np.all(tree.feature[leaf] == -2)
    assert np.all(tree.threshold[leaf] == -2.0)
    assert np.all(tree.gain[leaf] == 0.0)
    assert np.all(tree.move[leaf] == 0)
    assert np.all((tree.feature[~leaf] >= 0) & (tree.feature[~leaf] < n_features))
    assert not np.any(np.isnan(tree.threshold) | (tree.threshold == -np.inf))
    assert np.all(np.isfinite(tree.gain))
    assert np.all((tree.move[~leaf] > 0) & (tree.move[~leaf] < len(MOVES)))


def _counts_its_rows(tree, passes: np.ndarray, weight: np.ndarray) -> None:
    assert np.all(tree.n_node_samples > 0)
    np.testing.assert_array_equal(tree.n_node_samples, passes.sum(axis=0))
    long = weight.astype(np.longdouble)
    exact = np.array([long[inside].sum() for inside in passes.T])
    # The rows of a node are added one by one, each addition a rounding of what is there.
    most = tree.n_node_samples * exact
    # With bins a node may have been weighed as what remains of its parent. A rounding of the weight
    # of all rows is then in the root's, one in all that was taken off on the way (the siblings have
    # no row in common), one of what remained in each difference, and one where rows that miss the
    # value are added.
    on_the_way = exact.copy()
    for node in creation_order(tree):
        for child in (tree.children_left[node], tree.children_right[node]):
            on_the_way[child] += on_the_way[node]
    most += 2 * weight.sum() + on_the_way + exact
    # Their weights lie on a grid (_dataset/fixed_point.py): each row is off by half a step.
    half_a_step = 2.0 ** (np.frexp(weight.sum())[1] - 62)
    most = 2.0**-53 * most + half_a_step * tree.n_node_samples
    assert np.all(np.abs(tree.weighted_n_node_samples - exact) <= most)


def _cuts_between_rows(tree, X: np.ndarray, passes: np.ndarray, midpoints: bool) -> None:
    """Each threshold is the midpoint of the values that it separates, guarded.

    Where only missing values are on the right it is infinite. The node says where missing values
    went, if there were any.
    """
    for node in creation_order(tree):
        column = asked_values(tree, node, X)
        left = column[passes[:, tree.children_left[node]]]
        right = column[passes[:, tree.children_right[node]]]
        missing = np.isnan(left).any(), np.isnan(right).any()
        assert missing != (True, True)
        if isinstance(tree, Tree):
            assert tree.missing[node] == {(0, 0): 0, (1, 0): 1, (0, 1): 2}[missing]
        if np.isnan(left).all():
            # On the left of a split on categories are those that the node does not have, too.
            assert tree.terms(node)
            assert tree.threshold[node] < np.nanmin(right)
            continue
        if np.isnan(right).all():
            # A search that changes an ancestor may leave a split on categories without those that
            # it sends right with the missing ones.
            searched = MOVES[tree.move[node]] == "cut" and tree.terms(node)
            assert tree.threshold[node] == np.inf or searched
            assert np.nanmax(left) < tree.threshold[node]
            continue
        low, high = np.nanmax(left), np.nanmin(right)
        assert low <= tree.threshold[node] < high
        if midpoints:
            assert tree.threshold[node] == threshold_between(float(low), float(high))


def _moves_are_allowed(tree, n_clusters: int | None) -> None:
    """Replay the clusters cut by cut: each child is where its parent's move puts it."""
    assert tree.cluster[0] == 0
    leaves_in = {0: 1}
    for node in creation_order(tree):
        own = int(tree.cluster[node])
        left = int(tree.cluster[tree.children_left[node]])
        right = int(tree.cluster[tree.children_right[node]])
        present = len(leaves_in)
        whole = leaves_in[own] == 1
        stays = (left == own) + (right == own)
        new = [c for c in (left, right) if c >= present]
        allowed = {
            "star": stays == 1 and new == [present],
            "switch": stays == 1 and not new,
            "double_star": stays == 0 and new == [present, present + 1],
            "mixed": stays == 0 and new == [present],
            "reallocation": stays == 0 and not new,
        }
        move = MOVES[tree.move[node]]
        assert allowed[move], f"node {node}: {own} -> {left}, {right} is no {move}"
        assert left != right
        if move == "star" and whole:
            assert left == own  # both ways give one partition; the left child keeps the cluster
        leaves_in[own] -= 1
        for cluster in (left, right):
            leaves_in[cluster] = leaves_in.get(cluster, 0) + 1
        assert min(leaves_in.values()) > 0, f"node {node} empties cluster {own}"
        assert n_clusters is None or len(leaves_in) <= n_clusters


def same_tree(a, b, *, gains: float = 0.0, thresholds: float = 0.0, counts: bool = True) -> None:
    """Assert that two trees are equal; gains and thresholds up to absolute errors."""
    names = ["children_left", "children_right", "feature", "cluster", "move", "depth"]
    if counts:
        names.append("n_node_samples")
    for name in names:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    np.testing.assert_allclose(a.threshold, b.threshold, rtol=0, atol=thresholds)
    np.testing.assert_allclose(a.gain, b.gain, rtol=0, atol=gains)
    np.testing.assert_allclose(
        a.weighted_n_node_samples, b.weighted_n_node_samples, rtol=1e-12 if counts else 1e-9
    )


def replay(tree, X) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Each cut with the clusters of the rows before and after it, in order of creation."""
    passes = route(tree, X)
    labels = np.zeros(len(X), dtype=np.intp)
    steps = []
    for node in creation_order(tree):
        before = labels.copy()
        for child in (tree.children_left[node], tree.children_right[node]):
            labels[passes[:, child]] = tree.cluster[child]
        steps.append((int(node), before, labels.copy()))
    return steps


def equal_trees(a, b):
    """The same tree, and gains that differ by rounding only."""
    same_tree(a, b, gains=1e-9 * max(1.0, a.gain.max()))
