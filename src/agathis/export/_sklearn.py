"""Export a tree to a fitted ``DecisionTreeClassifier``, for the tools of scikit-learn.

scikit-learn rounds rows to float32 before it compares them, so thresholds must be float32 too, such
that rounded rows reach the leaves of the exact rows. Rounding may make two values equal but never
swaps them, so only rows that round to the same float32 as a threshold are affected. A threshold
halfway between two values is rounded down, which separates them if any float32 does. The thresholds
of a model with few digits may be values of rows, such as 12.6: these are rounded as the rows are,
so that rows equal to a threshold stay equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

from agathis._rules.described_tree import Described, describe
from agathis._rules.rows_in_units import table_of
from agathis._trees.chains import without_terms
from agathis._trees.tree import Tree


def to_sklearn(
    model: BaseEstimator | Tree,
    X: ArrayLike | None = None,
    *,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
) -> DecisionTreeClassifier:
    """Export a tree to a fitted decision tree classifier of scikit-learn.

    Its classes are the clusters. ``plot_tree``, ``export_text`` and other tools for such trees
    accept it. It rounds rows to float32, so rows closer to a threshold than the precision of
    float32 may change sides. Pass rows to choose thresholds that reproduce their clusters.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    X : array-like of shape (n_samples, n_features), optional
        Rows whose clusters must be reproduced, for example the training rows; with a scaler,
        before scaling. Raises an error if a node separates two rows that are equal as float32.
    scaler, feature_names : optional
        As for :func:`agathis.export.to_text`.
    cluster_names : sequence of str, optional
        The classes; by default the cluster numbers.

    Returns
    -------
    classifier : DecisionTreeClassifier
        ``predict_proba`` is 1 for the cluster of the leaf. Node numbers are those of ``tree_``,
        unless it splits on several categories, which become several nodes each. The values of an
        internal node are the fractions of its training rows in each cluster.

    Raises
    ------
    ValueError
        If a split is on a sum of two columns: trees of scikit-learn split on single columns.

    Examples
    --------
    >>> from sklearn.tree import export_text
    >>> from agathis import Kauri
    >>> from agathis.export import to_sklearn
    >>> print(export_text(to_sklearn(Kauri(2).fit([[0.0], [1.0], [9.0]]))))
    |--- feature_0 <= 5.00
    |   |--- class: 0
    |--- feature_0 >  5.00
    |   |--- class: 1
    <BLANKLINE>
    """
    described = describe(
        model, scaler=scaler, feature_names=feature_names, cluster_names=cluster_names
    )
    if described.sums:
        node = min(described.sums)
        raise ValueError(
            f"node {node} splits on a sum of columns, {described.sides(node)[0]!r}; trees of "
            "scikit-learn split on single columns. to_onnx, to_sql, to_python and to_json write "
            "such trees."
        )
    return classifier_of(described, X)


def classifier_of(described: Described, X: ArrayLike | None) -> DecisionTreeClassifier:
    """Convert a tree that splits on categories and single columns only."""
    # A tree of scikit-learn splits on one column at a node: one category at a time.
    described = replace(described, tree=without_terms(described.tree))
    tree = described.tree
    with np.errstate(over="ignore"):
        if getattr(described.model, "rounded", False):
            threshold = tree.threshold.astype(np.float32).astype(np.float64)
        else:
            threshold = _rounded_down(tree.threshold)
    if X is not None:
        rows = table_of(described, X, missing=True)
        threshold = _separating_thresholds(described, threshold, rows)
    return _classifier(described, threshold)


def _rounded_down(values: np.ndarray) -> np.ndarray:
    """Round down to float32, as float64."""
    near = values.astype(np.float32)
    below = np.nextafter(near, np.float32(-np.inf))
    return np.where(near > values, below, near).astype(np.float64)


def _separating_thresholds(
    described: Described, threshold: np.ndarray, X: np.ndarray
) -> np.ndarray:
    """Thresholds by which rounded rows reach the leaves of the exact rows."""
    tree, out = described.tree, threshold.copy()
    X = np.asarray(X, dtype=np.float64)
    with np.errstate(over="ignore"):
        rounded = X.astype(np.float32).astype(np.float64)
    if np.isinf(rounded).any():
        raise ValueError("X has values that float32 does not hold, more than 3.4e38 in size.")
    rows_of = {0: np.arange(len(X))}
    missing_left = tree.missing_left
    for node in range(tree.node_count):
        rows = rows_of.pop(node)
        if tree.is_leaf[node]:
            continue
        f = tree.feature[node]
        values, missing = X[rows, f], np.isnan(X[rows, f])
        left = (values <= tree.threshold[node]) | (missing & missing_left[node])
        low = rounded[rows[left & ~missing], f].max(initial=-np.inf)
        high = rounded[rows[~left & ~missing], f].min(initial=np.inf)
        if low >= high:
            raise ValueError(
                f"float32 does not tell apart rows of X that node {node} separates: "
                f"{described.features[f]} <= {float(tree.threshold[node])!r}, and both sides have "
                f"rows that round to {high!r}. Without X such rows may go the other way."
            )
        if not low <= out[node] < high:
            out[node] = low
        rows_of[int(tree.children_left[node])] = rows[left]
        rows_of[int(tree.children_right[node])] = rows[~left]
    return out


def _cluster_fractions(tree: Tree) -> np.ndarray:
    """The fraction of each cluster in the weight of each node."""
    values = np.zeros((tree.node_count, tree.n_clusters))
    leaves = np.flatnonzero(tree.is_leaf)
    # A leaf without rows still has a cluster.
    weight = np.maximum(tree.weighted_n_node_samples[leaves], np.finfo(np.float64).tiny)
    values[leaves, tree.cluster[leaves]] = weight
    total = tree.summed(values)
    return total / total.sum(axis=1, keepdims=True)


def _classifier(described: Described, threshold: np.ndarray) -> DecisionTreeClassifier:
    tree = described.tree
    n_clusters = tree.n_clusters
    # The dtype of nodes is private to scikit-learn: take it from a tree that it has grown.
    sample = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    nodes = np.zeros(tree.node_count, dtype=sample.__getstate__()["nodes"].dtype)
    shares = _cluster_fractions(tree)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    nodes["feature"] = tree.feature
    nodes["threshold"] = threshold
    nodes["impurity"] = 1.0 - (shares**2).sum(axis=1)
    nodes["n_node_samples"] = tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weighted_n_node_samples
    nodes["missing_go_to_left"] = tree.missing_left
    grown = type(sample)(tree.n_features, np.array([n_clusters], dtype=np.intp), 1)
    grown.__setstate__(
        {
            "max_depth": tree.max_depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": np.ascontiguousarray(shares[:, None, :]),
        }
    )
    out = DecisionTreeClassifier()
    out.tree_ = grown
    out.n_outputs_ = 1
    out.n_classes_ = np.int64(n_clusters)
    out.classes_ = np.array(
        described.clusters if described.named_clusters else np.arange(n_clusters)
    )
    out.n_features_in_ = out.max_features_ = tree.n_features
    if described.named_features:
        out.feature_names_in_ = np.array(described.features, dtype=object)
    return out
