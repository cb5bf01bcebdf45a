"""Fit a tree to given labels: the one-hot labels are the space of the objective.

With one cluster per leaf the objective is the Gini criterion, so that engines, growth and searches
are those of every fit. The labels are further columns of the rows: the kernel uses only these, and
splits only the others. Of several trees the one that agrees with the labels most often is taken,
and scikit-learn's decision tree is always among them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from agathis._checks.roles import FeatureRoles
from agathis._dataset.features import Features
from agathis._dataset.memory import InMemory
from agathis._fit.fit import fit
from agathis._growth.engines.tuning import EXACT_ROWS
from agathis._growth.limits import WEIGHT_ROUNDING
from agathis._kernels.kernel import Kernel
from agathis._model.spec import FitSpec
from agathis._search.local.surrogate_tree import surrogate_tree
from agathis._trees.completion import completed
from agathis._trees.tree import MOVES, Tree

#: The rows that are searched where there are more than ``EXACT_ROWS``.
SEARCHED_ROWS = 20_000
#: Agreements with a smaller difference are equal.
DIGITS = 12


@dataclass(frozen=True, eq=False)
class LabelTree:
    """A tree whose clusters are labels.

    Attributes
    ----------
    tree : Tree
        Without the columns of the labels.
    labels : ndarray of int
        The label of each cluster, sorted; labels without a leaf have none.
    method : {"greedy", "local", "optimal", "CART"}
        How the tree was found.
    attributes : dict
        The fitted attributes of the search, if it found the tree.
    interrupted : bool
    """

    tree: Tree
    labels: np.ndarray
    method: str
    attributes: dict[str, Any]
    interrupted: bool


def with_labels(dataset: InMemory, labels: np.ndarray, n_labels: int) -> InMemory:
    """The dataset with the one-hot labels as the columns of the kernel.

    Parameters
    ----------
    dataset : InMemory
    labels : ndarray of int of shape (n_rows,)
        From 0 to ``n_labels - 1``.
    n_labels : int
    """
    n_rows, n_columns = dataset.X.shape
    X = np.zeros((n_rows, n_columns + n_labels), dataset.X.dtype)
    X[:, :n_columns] = dataset.X
    X[np.arange(n_rows), n_columns + labels] = 1
    roles = dataset.features.roles
    is_label = np.arange(n_columns + n_labels) >= n_columns
    split = np.append(roles.split, np.zeros(n_labels, dtype=bool))
    return replace(
        dataset,
        X=X,
        features=Features(FeatureRoles(roles.one_hot, split, is_label), dataset.features.on),
        kernel=Kernel("linear", columns=tuple(np.flatnonzero(is_label).tolist())),
        mapped=False,
        fill=None if dataset.fill is None else np.append(dataset.fill, np.zeros(n_labels)),
        units=None,
    )


def label_tree(
    dataset: InMemory, spec: FitSpec, n_labels: int, time_limit: float | None = None
) -> LabelTree:
    """The tree that agrees with the labels of most rows, by weight.

    Parameters
    ----------
    dataset : InMemory
        From :func:`with_labels`.
    spec : FitSpec
        Of Kauri, with as many clusters as leaves.
    n_labels : int
    time_limit : float, optional
        Seconds for the proof of ``search="optimal"``.
    """
    n_leaves, sample = spec.n_clusters, dataset
    assert n_leaves is not None
    fits = [spec]
    if n_leaves > n_labels and spec.search.search != "optimal":
        # Leaves of one label count as one cluster, which spends leaves where labels differ.
        fits.append(replace(spec, n_clusters=n_labels))
    found: list[tuple[str, Tree, dict[str, Any]]] = []
    if dataset.n_counted > EXACT_ROWS and spec.search.search != "optimal":
        # One more tree is grown with bins on all rows; searching a sample is enough for the others.
        sample = _sampled(dataset, SEARCHED_ROWS, spec.seed)
        result = fit(dataset, replace(spec, search=replace(spec.search, search="greedy")))
        found.append(("greedy", result.tree, {}))
    interrupted = False
    for each in fits:
        result = fit(sample, each, time_limit=time_limit)
        found.append((spec.search.search, result.tree, result.others))
        interrupted = result.others.get("search_interrupted_", False)
        if interrupted:
            break
    found.append(("CART", _cart(sample, spec, n_labels), {}))
    labels = labels_of(dataset, n_labels)
    votes = [_votes(tree, dataset, labels, n_labels) for _, tree, _ in found]
    # Leaves of a tree that was fitted to a sample may be too small.
    least = spec.limits(dataset).min_leaf * (1 - WEIGHT_ROUNDING)
    able = [i for i, each in enumerate(votes) if each.sum(axis=1)[each.any(axis=1)].min() >= least]
    best = max(able or [0], key=lambda index: _quality(votes[index]))
    method, tree, attributes = found[best]
    move = np.where(tree.is_leaf, MOVES.index("leaf"), MOVES.index("cut")).astype(np.int8)
    voted = replace(tree, cluster=np.argmax(votes[best], axis=1).astype(np.int32), move=move)
    done, kept = completed(voted, dataset.X, dataset.weight, dataset.kernel, dataset.threads)
    n_columns = dataset.features.n_features - n_labels
    return LabelTree(replace(done, n_features=n_columns), kept, method, attributes, interrupted)


def _votes(tree: Tree, dataset: InMemory, labels: np.ndarray, n_labels: int) -> np.ndarray:
    """The weight of each label at each node, zero at internal nodes."""
    cells = tree.apply(dataset.X, dataset.threads) * n_labels + labels
    cells = np.bincount(cells, dataset.weight, minlength=tree.node_count * n_labels)
    return cells.reshape(tree.node_count, n_labels).astype(np.float64)


def _quality(votes: np.ndarray) -> tuple[float, int, int]:
    """The agreement after a majority vote, then labels with a leaf, then few leaves."""
    is_leaf = votes.any(axis=1)
    won = np.unique(np.argmax(votes[is_leaf], axis=1))
    agreement = votes.max(axis=1).sum() / votes.sum()
    return round(float(agreement), DIGITS), len(won), -int(is_leaf.sum())


def labels_of(dataset: InMemory, n_labels: int) -> np.ndarray:
    """The labels that :func:`with_labels` added."""
    return np.argmax(dataset.X[:, -n_labels:], axis=1)


def _cart(dataset: InMemory, spec: FitSpec, n_labels: int) -> Tree:
    """The tree of scikit-learn's ``DecisionTreeClassifier`` with as many leaves."""
    rows = np.arange(len(dataset.X)) if dataset.ids is None else dataset.ids
    limits, columns = spec.limits(dataset), np.flatnonzero(dataset.features.roles.split)
    builder = surrogate_tree(
        np.asarray(dataset.X[np.ix_(rows, columns)], dtype=np.float64),
        None if dataset.weight is None else dataset.weight[rows],
        labels_of(dataset, n_labels)[rows],
        limits.max_leaves,
        limits.max_depth,
        limits.min_leaf * (1 - WEIGHT_ROUNDING) / dataset.total_weight,
        check_random_state(spec.seed),
    )
    builder.feature = [int(columns[f]) if f >= 0 else f for f in builder.feature]
    return builder.build(dataset.features.n_features)


def _sampled(dataset: InMemory, n_rows: int, seed: int | np.random.RandomState | None) -> InMemory:
    """The dataset of some rows of positive weight."""
    X, weight = dataset.sample(n_rows, check_random_state(seed))
    return replace(dataset, X=np.ascontiguousarray(X), weight=weight, ids=None)
