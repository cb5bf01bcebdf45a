"""Metrics of trees: the depth of their leaves, the length of their explanations.

All are averages over leaves, weighted by the rows that reach them: those of X or, by default, the
training rows, whose numbers are stored in the tree.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks.parameters import METRIC_CONSTRAINTS
from agathis._rules.described_tree import Described, TreeInUnits, describe
from agathis._rules.rows_in_units import rows_of
from agathis._rules.rules import rule_text
from agathis._trees.tree import Tree
from agathis._utils.result_table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from agathis._rules.described_tree import Names


def weighted_average_depth(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike | None = None,
    root_depth: float = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Weighted average depth (WAD): the mean depth of the leaves of all rows; lower is simpler.

    A split on a sum of two columns counts as two.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.
    X : array-like of shape (n_samples, n_features), optional
        Rows as the model takes them. By default the training rows, with their weights.
    root_depth : float, default=1
        The depth of the root. With 1, as the literature counts, a tree of two leaves has a WAD
        of 2; with 0 it is the mean number of conditions per row.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows of X.

    Returns
    -------
    depth : float

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.metrics import weighted_average_depth
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> model = Kauri(n_clusters=2, max_leaf_nodes=2).fit(X)
    >>> weighted_average_depth(model, X)
    2.0
    """
    checks.check_arguments("weighted_average_depth", METRIC_CONSTRAINTS, root_depth=root_depth)
    described = describe(model)
    _, share = _reached(described, X, sample_weight)
    return float(share @ _paths(described)[0] + root_depth)


def weighted_average_explanation_size(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike | None = None,
    offset: float = 0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Weighted average explanation size (WAES) over all rows; lower is simpler.

    The size is the number of different (feature, direction) pairs on the path to the leaf: of
    ``a <= 3`` and ``a <= 2`` only the tighter condition is needed, so the two count as one. A
    condition on a sum of two columns counts as two, besides those on either column alone.

    Parameters
    ----------
    model, X, sample_weight
        As for :func:`weighted_average_depth`.
    offset : float, default=0
        Added to the mean. The Kauri paper reports WAES with ``offset=1``, as its WAD counts the
        root as 1; the definition has 0.

    Returns
    -------
    size : float

    References
    ----------
    Eduardo Laber, Lucas Murtinho, Felipe Oliveira. "Shallow decision trees for explainable
    k-means clustering", 2023.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.metrics import weighted_average_explanation_size
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> model = Kauri(n_clusters=4).fit(X)
    >>> weighted_average_explanation_size(model, X)
    1.5
    """
    checks.check_arguments("weighted_average_explanation_size", METRIC_CONSTRAINTS, offset=offset)
    described = describe(model)
    _, share = _reached(described, X, sample_weight)
    return float(share @ _paths(described)[1] + offset)


def explanation_table(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    **names: Unpack[Names],
) -> Table:
    """List the leaves of a tree with their rules, the merged conditions of their rows.

    Missing values are included where training rows had some, as in
    :func:`agathis.export.to_rules`, which gives one rule per cluster.

    Parameters
    ----------
    model, X, sample_weight
        As for :func:`weighted_average_depth`; with a scaler, rows from before scaling.
    **names : optional
        ``scaler``, ``feature_names``, ``cluster_names``, ``one_hot``, ``value_names``, ``digits``
        and ``numbers``, as for :func:`agathis.export.to_text`: bounds in the units before
        scaling, and labels of categories and codes. Clusters without names are shown by their
        numbers.

    Returns
    -------
    table : Table
        One row per leaf, from left to right: ``leaf`` (its node number), ``cluster``, ``size``
        (its number of rows with positive weight), ``share`` (of the total weight),
        ``depth`` (the root counted as 1, as in :func:`weighted_average_depth`),
        ``explanation_size``, ``rule``. It behaves as a list of dictionaries, is printed as a
        table, and has ``to_pandas``, ``to_csv``, ``to_markdown`` and ``to_dict``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.metrics import explanation_table
    >>> iris = load_iris()
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(iris.data)
    >>> table = explanation_table(model, feature_names=["sl", "sw", "petal", "pw"])
    >>> print(table)
    leaf  cluster  size   share  depth  explanation_size  rule
       1        0    53  0.3533      2                 1  petal <= 3.4
       3        1    63  0.4200      3                 2  3.4 < petal <= 5.15
       4        2    34  0.2267      3                 1  petal > 5.15
    """
    described = describe(model, **names)
    size, share = _reached(described, X, sample_weight)
    depths, lengths = _paths(described)
    rows = []
    for leaf in described.leaves():
        rows.append(
            {
                "leaf": leaf,
                "cluster": described.label(leaf),
                "size": size[leaf],
                "share": share[leaf],
                "depth": depths[leaf] + 1,
                "explanation_size": lengths[leaf],
                "rule": rule_text([described.boxes[leaf]]),
            }
        )
    return Table(rows)


def _reached(
    described: TreeInUnits, X: ArrayLike | None, sample_weight: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that end at each node and their fraction of the weight; 0 for splits."""
    tree = described.tree
    if X is None:
        if sample_weight is not None:
            raise ValueError("sample_weight goes with X; without X the training rows are counted.")
        size = np.where(tree.is_leaf, tree.n_node_samples, 0)
        weight = np.where(tree.is_leaf, tree.weighted_n_node_samples, 0.0)
        return size, weight / weight.sum()
    leaves = tree.apply(*rows_of(described, X))
    given = checks.check_sample_weight(sample_weight, len(leaves))
    counted = np.ones(len(leaves)) if given is None else given
    size = np.bincount(leaves[counted > 0], minlength=tree.node_count)
    total = np.bincount(leaves, counted, minlength=tree.node_count)
    return size, total / total.sum()


def _paths(described: Described) -> tuple[np.ndarray, np.ndarray]:
    """Return the depth and the explanation size of each node.

    The depth is the number of columns in the conditions on its path, the explanation size the
    number of different (feature, direction) pairs.
    """
    tree = described.tree
    depth = np.zeros(tree.node_count, dtype=np.int64)
    pairs: list[frozenset[tuple[Hashable, int]]] = [frozenset()] * tree.node_count
    # Parents are numbered before their children.
    for node in sorted(described.splits):
        axis = described.sums.get(node)
        # A condition on a column alone differs from one on the sum.
        columns: list[Hashable] = [int(tree.feature[node])]
        if axis is not None and len(axis.features):
            columns = [(axis, feature) for feature in axis.features]
        for side, children in enumerate((tree.children_left, tree.children_right)):
            depth[children[node]] = depth[node] + len(columns)
            pairs[children[node]] = pairs[node] | {(one, side) for one in columns}
    return depth, np.array([len(one) for one in pairs])
