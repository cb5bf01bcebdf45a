"""Trees of baselines: what all of them share before and after the tree is built.

``_build_tree(rows, spec)`` of the estimator's class gets the rows of positive weight, and returns
splits and the clusters of leaves; counts, gains and labels are computed here from the rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agathis._dataset.memory import InMemory
from agathis._methods import Method
from agathis._model.spec import FitSpec
from agathis._objective.centres import cluster_means
from agathis._objective.cost import kernel_cost
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis._trees.tree import Tree


class CountedRows(NamedTuple):
    """The rows of positive weight.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
        ``None`` if all weights are 1.
    threads : int
    labels : ndarray of shape (n_samples,) or None
        Cluster labels to learn, if given.
    """

    X: np.ndarray
    weight: np.ndarray | None
    threads: int
    labels: np.ndarray | None


class BuiltTree(NamedTuple):
    """A tree, and the fitted attributes that only some baselines have.

    Those with one entry per cluster (``cluster_centers_``) are those of all clusters of the
    builder, and ``teacher_labels_`` are numbered as these.
    """

    builder: TreeBuilder
    attributes: dict[str, Any]


def baseline_tree(
    dataset: InMemory, method: Method, spec: FitSpec, labels: np.ndarray | None
) -> tuple[Tree, np.ndarray, dict[str, Any]]:
    """Build a tree; return it with the cluster of each row and the fitted attributes."""
    ids = slice(None) if dataset.ids is None else dataset.ids
    rows = CountedRows(
        dataset.rows(),
        None if dataset.weight is None else dataset.weights(),
        dataset.threads,
        None if labels is None else labels[ids],
    )
    built: BuiltTree = method.estimator_class._build_tree(rows, spec)
    attributes = dict(built.attributes)
    tree, with_leaf = completed(built.builder, rows.X, rows.weight, dataset.kernel, rows.threads)
    clusters = dataset.labels(tree)
    attributes["inertia_"] = kernel_cost(
        dataset.kernel, dataset.X, clusters, dataset.weight, rows.threads
    )
    if "teacher_labels_" in attributes:
        reference = _renumbered(attributes["teacher_labels_"], with_leaf)
        attributes["teacher_labels_"] = np.full(len(dataset.X), -1, dtype=np.int32)
        attributes["teacher_labels_"][ids] = reference
    if "cluster_centers_" in attributes:
        attributes["cluster_centers_"] = attributes["cluster_centers_"][with_leaf]
    elif dataset.kernel.metric == "linear":
        attributes["cluster_centers_"] = cluster_means(
            dataset.X, clusters, tree.n_clusters, dataset.weight
        )
    return tree, clusters, attributes


def _renumbered(labels: np.ndarray, with_leaf: np.ndarray) -> np.ndarray:
    """Number reference labels as the tree's clusters, then those that no leaf has."""
    order = np.concatenate([with_leaf, np.setdiff1d(np.arange(labels.max() + 1), with_leaf)])
    return np.argsort(order)[labels]
