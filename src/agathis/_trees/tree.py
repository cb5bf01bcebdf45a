"""The tree as arrays with one entry per node, for every estimator of the package.

Nodes are numbered in the order of creation: the root is 0, and each split appends its left child,
then its right child. A row goes left if ``x[feature] <= threshold``. ``Tree.missing`` has the
direction of missing values (NaN).

A node may split on a weighted sum of columns, its *terms*: a row goes left if the sum of
``weight * x[feature]`` is at most the threshold, and a missing value in any term makes the sum
missing. Splits on categories are of this form: the terms are the one-hot columns of some
categories of one feature, all of weight 1 and sorted, and the threshold is half of the positive
value. Rows of these categories go right, all others left, including unseen categories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from agathis._core.shared.predict import descend

#: Kinds of split; ``Tree.move`` has indices into this. Splits of baselines are "cut".
MOVES = ("leaf", "star", "switch", "double_star", "mixed", "reallocation", "cut")
LEAF = -1
UNDEFINED = -2
#: Directions of missing values; ``Tree.missing`` has indices into this.
MISSING_GOES = ("unseen", "left", "right")

# Default of the arrays of terms, replaced by empty arrays.
_NOT_GIVEN: Any = None

# Rows per block, between which interrupts are handled.
_ROWS_AT_ONCE = 1 << 20

#: The arrays of a tree with one entry per node.
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
#: The arrays of terms; empty, or zero, if no node has terms.
TERM_DTYPES = {"term_start": np.int32, "term_feature": np.int32, "term_weight": np.float64}


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary tree whose leaves belong to clusters.

    Attributes
    ----------
    children_left, children_right : ndarray of shape (n_nodes,)
        Node ids; -1 at a leaf.
    feature, threshold : ndarray of shape (n_nodes,)
        The split; -2 at a leaf.
    cluster : ndarray of shape (n_nodes,)
        The cluster of a leaf; for an internal node the one before it was split.
    gain : ndarray of shape (n_nodes,)
        The gain of the objective by the split; 0 at a leaf.
    move : ndarray of shape (n_nodes,)
        Kind of split, an index into ``MOVES``.
    missing : ndarray of shape (n_nodes,)
        Direction of missing values, an index into ``MISSING_GOES``. If none were seen in training,
        they go to the child with more rows.
    n_node_samples, weighted_n_node_samples : ndarray of shape (n_nodes,)
        Number and weight of training rows, except rows of weight 0.
    depth : ndarray of shape (n_nodes,)
        The depth; 0 at the root.
    n_features : int
    term_start : ndarray of shape (n_nodes + 1,)
        The terms of node i are ``term_start[i]`` to ``term_start[i + 1]`` (exclusive); none if it
        splits on ``feature`` alone.
    term_feature, term_weight : ndarray of shape (n_terms,)
        The columns of the terms and their weights. ``feature`` of the node is the first column.

    Examples
    --------
    >>> from agathis import Kauri
    >>> tree = Kauri(2).fit([[0.0], [1.0], [9.0]]).tree_
    >>> tree
    Tree(2 leaves, 2 clusters, depth 1, 1 features)
    >>> tree.threshold.tolist(), tree.cluster[tree.is_leaf].tolist()
    ([5.0, -2.0, -2.0], [0, 1])
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    cluster: np.ndarray
    gain: np.ndarray
    move: np.ndarray
    missing: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    depth: np.ndarray
    n_features: int
    term_start: np.ndarray = _NOT_GIVEN
    term_feature: np.ndarray = _NOT_GIVEN
    term_weight: np.ndarray = _NOT_GIVEN

    def __post_init__(self) -> None:
        for name, dtype in TERM_DTYPES.items():
            if getattr(self, name) is None:
                entries = len(self.feature) + 1 if name == "term_start" else 0
                object.__setattr__(self, name, np.zeros(entries, dtype))

    def __repr__(self) -> str:
        return (
            f"Tree({self.n_leaves} leaves, {self.n_clusters} clusters, depth {self.max_depth}, "
            f"{self.n_features} features)"
        )

    @property
    def node_count(self) -> int:
        return len(self.feature)

    @property
    def is_leaf(self) -> np.ndarray:
        return self.children_left == LEAF

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.is_leaf))

    @property
    def n_clusters(self) -> int:
        return int(self.cluster[self.is_leaf].max()) + 1

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    @property
    def has_terms(self) -> bool:
        """Whether some node splits on a weighted sum of columns."""
        return len(self.term_feature) > 0

    def terms(self, node: int) -> tuple[tuple[int, float], ...]:
        """Columns and weights of the terms of a node; empty if it splits on one column."""
        part = slice(self.term_start[node], self.term_start[node + 1])
        columns, weights = self.term_feature[part].tolist(), self.term_weight[part].tolist()
        return tuple(zip(columns, weights, strict=True))

    @property
    def missing_left(self) -> np.ndarray:
        """Whether missing values go left at each node."""
        n = self.n_node_samples
        # For leaves (children -1) the value is not used.
        unseen = n[self.children_left] >= n[self.children_right]
        return (self.missing == 1) | ((self.missing == 0) & unseen & ~self.is_leaf)

    def apply(self, X: np.ndarray, threads: int = 1) -> np.ndarray:
        """The leaf of each row, as a node id; float32 and float64 are not copied."""
        return self._descend(X, np.arange(self.node_count, dtype=np.int32), threads).astype(np.intp)

    def predict(self, X: np.ndarray, threads: int = 1) -> np.ndarray:
        """The cluster of each row."""
        return self._descend(X, self.cluster, threads)

    def _descend(self, X: np.ndarray, answer: np.ndarray, threads: int) -> np.ndarray:
        """``answer`` of the leaf of each row."""
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"X must have shape (n_samples, {self.n_features}); it has shape {X.shape}."
            )
        if X.dtype not in (np.float32, np.float64) or not X.dtype.isnative:
            X = X.astype(np.float64)
        out = np.empty(len(X), dtype=np.int32)
        missing_left = self.missing_left.astype(np.uint8)
        for begin in range(0, len(X), _ROWS_AT_ONCE):
            part = slice(begin, begin + _ROWS_AT_ONCE)
            descend(
                np.require(X[part], requirements="A"),
                self.children_left,
                self.children_right,
                self.feature,
                self.threshold,
                missing_left,
                self.term_start,
                self.term_feature,
                self.term_weight,
                answer,
                out[part],
                self.max_depth,
                threads,
            )
        return out

    def parents(self) -> np.ndarray:
        """The parent of each node; -1 for the root."""
        parent = np.full(self.node_count, -1, dtype=np.int32)
        inner = np.flatnonzero(~self.is_leaf)
        parent[self.children_left[inner]] = inner
        parent[self.children_right[inner]] = inner
        return parent

    def path(self, node: int) -> list[int]:
        """The nodes from the root to ``node``, both inclusive."""
        parent = self.parents()
        path = [int(node)]
        while parent[path[-1]] >= 0:
            path.append(int(parent[path[-1]]))
        return path[::-1]

    def decision_path(self, X: np.ndarray, threads: int = 1) -> sparse.csr_matrix:
        """The decision path of each row, a sparse indicator matrix (n_samples, n_nodes)."""
        paths: list[list[int]] = []
        for node, parent in enumerate(self.parents().tolist()):
            paths.append([*paths[parent], node] if parent >= 0 else [node])
        indptr = np.cumsum([0, *map(len, paths)])
        ones = np.ones(indptr[-1], dtype=np.int64)
        nodes = sparse.csr_matrix((ones, np.concatenate(paths), indptr))
        return nodes[self.apply(X, threads)]

    def summed(self, values: np.ndarray) -> np.ndarray:
        """Sum the ``values`` of the leaves below each node."""
        total = values.copy()
        # Children have larger ids than their parent.
        for node in np.flatnonzero(~self.is_leaf)[::-1]:
            total[node] = total[self.children_left[node]] + total[self.children_right[node]]
        return total

    def feature_importances(self) -> np.ndarray:
        """The fraction of the total gain due to each feature.

        The gain of a node with terms is divided equally among their columns.
        """
        n_terms = np.diff(self.term_start)
        one = ~self.is_leaf & (n_terms == 0)
        total = np.bincount(self.feature[one], self.gain[one], minlength=self.n_features)
        if self.has_terms:
            part = np.repeat(self.gain / np.maximum(n_terms, 1), n_terms)
            total = total + np.bincount(self.term_feature, part, minlength=self.n_features)
        return total / total.sum() if total.sum() > 0 else total

    def to_dict(self) -> dict[str, Any]:
        """The tree as lists and numbers; with terms only if there are some."""
        names = [*DTYPES, *TERM_DTYPES] if self.has_terms else DTYPES
        out: dict[str, Any] = {name: getattr(self, name).tolist() for name in names}
        return {"n_features": self.n_features, **out}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tree:
        """Create a tree from :meth:`to_dict`."""
        expected = [*DTYPES, "n_features"]
        if any(name in data for name in TERM_DTYPES):
            expected += TERM_DTYPES
        missing = [name for name in expected if name not in data]
        if missing:
            raise ValueError(f"data is not a tree: it has no {', '.join(missing)}.")
        arrays = {}
        for name, dtype in {**DTYPES, **TERM_DTYPES}.items():
            if name not in expected:
                continue
            try:
                arrays[name] = np.asarray(data[name], dtype=dtype)
            except (OverflowError, TypeError, ValueError) as error:
                raise ValueError(f"data is not a tree: see {name}, {error}.") from error
        tree = cls(**arrays, n_features=int(data["n_features"]))
        tree.check()
        return tree

    def check(self) -> None:
        """Raise ValueError if the arrays are not a valid tree."""
        shapes = {getattr(self, name).shape for name in DTYPES}
        if len(shapes) != 1 or len(next(iter(shapes))) != 1 or self.node_count == 0:
            raise ValueError(f"data is not a tree: its arrays have the shapes {sorted(shapes)}.")
        inner = np.flatnonzero(~self.is_leaf)
        children = np.concatenate([self.children_left[inner], self.children_right[inner]])
        # Children have larger ids, and every node but the root has one parent.
        if (
            (self.children_right[self.is_leaf] != LEAF).any()
            or (children <= np.tile(inner, 2)).any()
            or not np.array_equal(np.sort(children), np.arange(1, self.node_count))
        ):
            raise ValueError("data is not a tree: see children_left and children_right.")
        feature = self.feature[inner]
        if ((feature < 0) | (feature >= self.n_features)).any():
            raise ValueError(f"data is not a tree of {self.n_features} features: see feature.")
        if (
            (self.cluster < 0).any()
            or (self.cluster >= self.node_count).any()
            or np.isnan(self.threshold).any()
            or not np.isin(self.move, np.arange(len(MOVES))).all()
            or not np.isin(self.missing, np.arange(len(MISSING_GOES))).all()
        ):
            raise ValueError("data is not a tree: see cluster, threshold, move and missing.")
        beyond = np.flatnonzero(self.cluster >= self.n_clusters)
        if len(beyond):
            raise ValueError(
                f"data is not a tree: node {beyond[0]} has the cluster {self.cluster[beyond[0]]}, "
                f"and its leaves have the clusters 0 to {self.n_clusters - 1}."
            )
        self._check_terms()

    def _check_terms(self) -> None:
        start, column, weight = self.term_start, self.term_feature, self.term_weight
        if (
            start.shape != (self.node_count + 1,)
            or column.ndim != 1
            or column.shape != weight.shape
            or start[0] != 0
            or start[-1] != len(column)
            or (np.diff(start) < 0).any()
        ):
            raise ValueError("data is not a tree: see term_start, term_feature and term_weight.")
        if ((column < 0) | (column >= self.n_features)).any() or not np.isfinite(weight).all():
            raise ValueError(
                f"data is not a tree of {self.n_features} features: see term_feature and "
                "term_weight."
            )
        with_terms = np.flatnonzero(np.diff(start) > 0)
        if (
            self.is_leaf[with_terms].any()
            or (self.feature[with_terms] != column[start[with_terms]]).any()
        ):
            raise ValueError(
                "data is not a tree: a leaf has no terms, and another node's feature is the first "
                "of its terms."
            )
