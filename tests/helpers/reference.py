"""The Kauri tree, slow and obvious: the oracle that the fast code is tested against.

Nothing here is incremental. For every leaf, feature, threshold and move, the labels
that the move would give are written down, the objective ``sum_k sigma(C_k^2) / |C_k|``
is summed again from nothing, and the gain is its change. No formula for a gain appears
in this file, so none can be wrong: to trust it, read `objective` (the definition),
`moves` (what is allowed, in order of preference) and `choose` (which candidate wins).
One step costs on the order of n^3 d K^3 operations, so keep n below about 40. Of a source of
categories every subset is tried, so keep these below about 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOVES = ("leaf", "star", "switch", "double_star", "mixed", "reallocation")
LEAF, STAR, SWITCH, DOUBLE_STAR, MIXED, REALLOCATION = range(len(MOVES))


class Candidate(NamedTuple):
    """One way to cut one leaf: where, and which clusters the children join.

    Where some categories of a source go right, ``subset`` has their columns, ``feature`` is the
    first column of the source and ``threshold`` half of what is on.
    """

    feature: int
    threshold: float
    leaf: int
    move: int  # index into MOVES
    left: int  # cluster of the rows with x <= threshold
    right: int
    gain: float
    subset: tuple[int, ...] = ()

    @property
    def cut(self) -> tuple[int, float, tuple[int, ...], int]:
        """Feature, threshold or subset, and leaf: what orders the candidates of equal gain."""
        if self.subset:
            return self.feature, 0.0, (len(self.subset), *self.subset), self.leaf
        return self.feature, self.threshold, (), self.leaf


@dataclass
class ReferenceTree:
    """A grown tree: one entry a node, in order of creation, and what it achieves.

    Leaves have children -1, feature -2, threshold -2.0, gain 0 and move 0. The cluster
    of an inner node is the one it had when it was cut. Rows of weight 0 are in no
    count, but they have a label: that of the leaf they fall into. ``subset`` has the columns
    of the categories that go right; it is empty where a cut is along one column.
    """

    children_left: NDArray[np.intp]
    children_right: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    cluster: NDArray[np.intp]
    gain: NDArray[np.float64]
    move: NDArray[np.intp]
    n_node_samples: NDArray[np.intp]
    weighted_n_node_samples: NDArray[np.float64]
    depth: NDArray[np.intp]
    subset: list[tuple[int, ...]]
    labels: NDArray[np.intp]
    objective: float


def objective(gram: ArrayLike, labels: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Return ``sum_k sigma(C_k^2) / |C_k|``; a cluster of no weight contributes 0.

    With weights, ``sigma(A x B)`` is the sum of ``w_i w_j gram[i, j]`` and ``|A|`` the
    sum of ``w_i``, so that weight 2 is the row twice.
    """
    gram = np.asarray(gram, dtype=np.float64)
    labels = np.asarray(labels)
    weight = _weights(weight, len(labels))
    total = 0.0
    for k in set(labels.tolist()):
        w = np.where(labels == k, weight, 0.0)
        if w.sum() > 0:
            total += float(w @ gram @ w / w.sum())
    return total


def distance_form(gram: ArrayLike) -> NDArray[np.float64]:
    """Return ``gram[i, j] - gram[i, i] / 2 - gram[j, j] / 2``.

    Adding any ``a_i + a_j`` to a kernel adds the constant ``2 sum_i w_i a_i`` to the
    objective of every clustering, so gains do not change; but minus half the squared
    distances are small where a kernel far from its origin is large and loses digits.
    """
    gram = np.asarray(gram, dtype=np.float64)
    half = np.diag(gram) / 2
    return gram - (half[:, None] + half[None, :])


def tolerance(gram: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Return the gain below which a difference is taken for rounding."""
    gram = np.asarray(gram, dtype=np.float64)
    weight = _weights(weight, len(gram))
    scale = weight @ np.abs(distance_form(gram)) @ weight / weight.sum()
    lost = weight @ np.abs(np.diag(gram))  # what the distance form cannot recover
    return float(2.0**-52 * (2048 * scale + 16 * lost))


def threshold_between(low: float, high: float) -> float:
    """Return the midpoint, or `low` where rounding has it outside ``[low, high)``."""
    middle = low / 2 + high / 2  # halved first: low + high may overflow
    return middle if low <= middle < high else low


def moves(own: int, n_present: int, n_clusters: int, whole: bool) -> Iterator[tuple[int, int, int]]:
    """Yield each allowed (move, left cluster, right cluster), the preferred first.

    Parameters
    ----------
    own : int
        Cluster of the leaf that is cut.
    n_present : int
        Number of clusters now; a new cluster gets this number.
    n_clusters : int
        Number of clusters that there may be.
    whole : bool
        Whether the leaf is all of its cluster. Then one child must stay, or the
        cluster would be emptied.
    """
    new = n_present
    others = [q for q in range(n_present) if q != own]
    if n_present < n_clusters:
        yield STAR, own, new
        yield STAR, new, own
    for q in others:
        yield SWITCH, own, q
    for q in others:
        yield SWITCH, q, own
    if whole:
        return
    if n_present + 2 <= n_clusters:
        yield DOUBLE_STAR, new, new + 1
    if n_present < n_clusters:
        for q in others:
            yield MIXED, q, new
        for q in others:
            yield MIXED, new, q
    for a in others:
        for b in others:
            if a != b:
                yield REALLOCATION, a, b


def candidates(
    X: ArrayLike,
    gram: ArrayLike,
    leaf_of: ArrayLike,
    cluster_of_leaf: Mapping[int, int] | Sequence[int],
    weight: ArrayLike | None,
    n_clusters: int,
    *,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    max_depth: int | None = None,
    depth_of_leaf: Mapping[int, int] | Sequence[int] = (),
    split_features: Sequence[int] | None = None,
    one_hot: Sequence[Sequence[int]] = (),
) -> list[Candidate]:
    """Return every candidate of every leaf, those of one cut in order of preference.

    Parameters
    ----------
    X : array of shape (n, d)
    gram : array of shape (n, n)
    leaf_of : array of shape (n,)
        Node id of the leaf of each row.
    cluster_of_leaf : indexed by node id
        Cluster of each leaf; the clusters of all leaves are 0, ..., K - 1.
    weight : array of shape (n,) or None
        Rows of weight 0 are left out.
    n_clusters : int
        Number of clusters that there may be.
    min_samples_split, min_samples_leaf : int
        Least weight of a leaf that is cut and of each child. The defaults constrain
        nothing, also where weights are below 1.
    max_depth : int or None
        A leaf as deep as this is not cut.
    depth_of_leaf : indexed by node id
        Depth of each leaf; only `max_depth` needs it.
    split_features : sequence of int, optional
        The columns that are cut along; all by default.
    one_hot : sequence of sequences of int
        Columns that are the categories of one source, which is cut by subsets of them.
    """
    weight = _weights(weight, len(np.asarray(leaf_of)))
    kept = weight > 0
    X = np.asarray(X, dtype=np.float64)[kept]
    gram = distance_form(np.asarray(gram)[np.ix_(kept, kept)])
    leaf_of = np.asarray(leaf_of)[kept]
    weight = weight[kept]

    labels = np.array([cluster_of_leaf[leaf] for leaf in leaf_of.tolist()])
    n_present = len(set(labels.tolist()))
    before = objective(gram, labels, weight)
    found = []
    for leaf in sorted(set(leaf_of.tolist())):
        inside = leaf_of == leaf
        own = cluster_of_leaf[leaf]
        whole = np.array_equal(inside, labels == own)
        if max_depth is not None and depth_of_leaf[leaf] >= max_depth:
            continue
        if min_samples_split != 2 and weight[inside].sum() < min_samples_split:
            continue
        for feature, threshold, subset in cuts(X, inside, weight, split_features, one_hot):
            asked = X[:, list(subset)].sum(axis=1) if subset else X[:, feature]
            left = inside & (asked <= threshold)
            right = inside & ~left
            lighter = min(weight[left].sum(), weight[right].sum())
            if min_samples_leaf != 1 and lighter < min_samples_leaf:
                continue
            for move, a, b in moves(own, n_present, n_clusters, whole):
                after = labels.copy()
                after[left] = a
                after[right] = b
                gain = objective(gram, after, weight) - before
                found.append(Candidate(feature, threshold, leaf, move, a, b, gain, subset))
    return found


def cuts(
    X: NDArray[np.float64],
    inside: NDArray[np.bool_],
    weight: NDArray[np.float64],
    split_features: Sequence[int] | None,
    one_hot: Sequence[Sequence[int]],
) -> Iterator[tuple[int, float, tuple[int, ...]]]:
    """Yield (feature, threshold, subset) of every way to part the rows ``inside``."""
    searched = range(X.shape[1]) if split_features is None else split_features
    in_a_source = {column for columns in one_hot for column in columns}
    for feature in searched:
        if feature not in in_a_source:
            for low, high in pairwise(np.unique(X[inside, feature]).tolist()):
                yield feature, threshold_between(low, high), ()
    for columns in one_hot:
        if columns[0] in searched:
            on = X[:, columns].max()
            for subset in subsets(X[inside], weight[inside], sorted(columns)):
                yield min(columns), on / 2, subset


def subsets(
    X: NDArray[np.float64], weight: NDArray[np.float64], columns: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the categories that go right, of each way to part the rows by their category.

    Rows of no category go left. Where there are none, each way is told by its lighter side, and
    where both weigh the same, by the one without the first category.
    """
    present = [column for column in columns if (X[:, column] > 0).any()]
    weight_of = {column: weight[X[:, column] > 0].sum() for column in present}
    of_none = bool((X[:, columns] == 0).all(axis=1).any())
    total = sum(weight_of.values())
    for size in range(1, len(present) + of_none):
        for subset in combinations(present, size):
            own = sum(weight_of[column] for column in subset)
            apart = own - (total - own)
            if not of_none and (
                apart > 1e-10 * total or (abs(apart) <= 1e-10 * total and present[0] in subset)
            ):
                continue
            yield subset


def choose(found: Sequence[Candidate], tol: float) -> Candidate | None:
    """Return the candidate to take, or None if no gain is above the tolerance.

    Gains within `tol` of the best are equal: of these the lowest feature, threshold and
    leaf wins, and there the preferred of the moves within `tol` of the best move that have half of
    its gain at least: none is made that gains less than nothing.
    """
    best = max((c.gain for c in found), default=0.0)
    if best <= tol:
        return None
    cut = min(c.cut for c in found if c.gain >= best - tol)
    return preferred([c for c in found if c.cut == cut], tol)


def preferred(here: Sequence[Candidate], tol: float) -> Candidate:
    """Return the first move of a cut that gains about as much as the best of them."""
    most = max(c.gain for c in here)
    share = min(tol, most / 2) if most > 0 else tol
    return next(c for c in here if c.gain >= most - share)


def grow(
    X: ArrayLike,
    gram: ArrayLike,
    *,
    n_clusters: int,
    max_leaf_nodes: int | None = None,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    sample_weight: ArrayLike | None = None,
    split_features: Sequence[int] | None = None,
    one_hot: Sequence[Sequence[int]] = (),
) -> ReferenceTree:
    """Grow a tree greedily: take the best candidate of all leaves until none gains.

    Which columns the kernel sees is for whoever makes `gram`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> tree = grow(X, X @ X.T, n_clusters=2)
    >>> tree.labels.tolist(), tree.threshold[0].item(), tree.gain[0].item()
    ([0, 0, 1, 1], 5.5, 100.0)
    """
    every_row = np.asarray(X, dtype=np.float64)
    weight = _weights(sample_weight, len(every_row))
    kept = weight > 0
    X = every_row[kept]
    gram = np.asarray(gram, dtype=np.float64)[np.ix_(kept, kept)]
    weight = weight[kept]

    tol = tolerance(gram, weight)
    leaf_of = np.zeros(len(X), dtype=np.intp)
    nodes = [_new_node(cluster=0, depth=0, weight=weight)]
    n_leaves = 1
    while max_leaf_nodes is None or n_leaves < max_leaf_nodes:
        found = candidates(
            X,
            gram,
            leaf_of,
            [node["cluster"] for node in nodes],
            weight,
            n_clusters,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            max_depth=max_depth,
            depth_of_leaf=[node["depth"] for node in nodes],
            split_features=split_features,
            one_hot=one_hot,
        )
        chosen = choose(found, tol)
        if chosen is None:
            break
        inside = leaf_of == chosen.leaf
        feature = chosen.subset[0] if chosen.subset else chosen.feature
        asked = X[:, list(chosen.subset or (feature,))].sum(axis=1)
        goes_left = asked <= chosen.threshold
        parent = nodes[chosen.leaf]
        parent.update(
            children_left=len(nodes),
            children_right=len(nodes) + 1,
            feature=feature,
            threshold=chosen.threshold,
            subset=chosen.subset,
            gain=chosen.gain,
            move=chosen.move,
        )
        for rows, cluster in (
            (inside & goes_left, chosen.left),
            (inside & ~goes_left, chosen.right),
        ):
            leaf_of[rows] = len(nodes)
            nodes.append(_new_node(cluster, parent["depth"] + 1, weight[rows]))
        n_leaves += 1

    labels = np.array([_cluster_of_row(nodes, x) for x in every_row], dtype=np.intp)
    return ReferenceTree(
        **{name: np.array([node[name] for node in nodes]) for name in nodes[0] if name != "subset"},
        subset=[node["subset"] for node in nodes],
        labels=labels,
        objective=objective(gram, labels[kept], weight),
    )


def _new_node(cluster: int, depth: int, weight: NDArray[np.float64]) -> dict:
    """Return a leaf that holds rows of these weights, one entry a field of the tree."""
    return dict(
        children_left=-1,
        children_right=-1,
        feature=-2,
        threshold=-2.0,
        cluster=cluster,
        gain=0.0,
        move=LEAF,
        n_node_samples=len(weight),
        weighted_n_node_samples=float(weight.sum()),
        depth=depth,
        subset=(),
    )


def _cluster_of_row(nodes: Sequence[dict], x: NDArray[np.float64]) -> int:
    """Walk one row from the root to its leaf."""
    node = nodes[0]
    while node["move"] != LEAF:
        asked = x[list(node["subset"] or (node["feature"],))].sum()
        side = "left" if asked <= node["threshold"] else "right"
        node = nodes[node[f"children_{side}"]]
    return node["cluster"]


def _weights(weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    return np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
