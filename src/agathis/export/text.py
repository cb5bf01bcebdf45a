"""A tree in words: one line a node, the leaves with their cluster and size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sklearn.base import BaseEstimator

from agathis._tree import Tree
from agathis.export._words import conditions, named_tree


def to_text(
    model: BaseEstimator | Tree,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    digits: int = 4,
) -> str:
    """Write a tree in words.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator with ``tree_``, or the tree itself.
    feature_names : sequence of str, optional
        By default those of the data frame that was fitted, or ``x[0]``, ``x[1]``, ...
    cluster_names : sequence of str, optional
        By default ``cluster 0``, ``cluster 1``, ...
    digits : int, default=4
        Significant digits of the thresholds, for reading; of a large number at least the whole
        part and one decimal are shown. ``tree_.threshold`` has them in full.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.export import to_text
    >>> iris = load_iris()
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(iris.data)
    >>> print(to_text(model, feature_names=iris.feature_names))
    petal length (cm) <= 3.4
    |   cluster 0 (53 samples)
    petal length (cm) > 3.4
    |   petal length (cm) <= 5.15
    |   |   cluster 1 (63 samples)
    |   petal length (cm) > 5.15
    |   |   cluster 2 (34 samples)
    """
    tree, feature_names, cluster_names = named_tree(model, feature_names, cluster_names)
    return "\n".join(_lines(tree, feature_names, cluster_names, digits))


def _lines(
    tree: Tree, features: Sequence[str], clusters: Sequence[str], digits: int
) -> Iterator[str]:
    # Nodes to write, the next one last; a condition is written before the node it leads to.
    todo: list[tuple[int, str]] = [(0, "")]
    while todo:
        node, condition = todo.pop()
        depth = int(tree.depth[node])
        if condition:
            yield "|   " * (depth - 1) + condition
        if tree.is_leaf[node]:
            n = int(tree.n_node_samples[node])
            yield "|   " * depth + f"{clusters[tree.cluster[node]]} ({n} sample{'s'[: n != 1]})"
            continue
        name = features[tree.feature[node]]
        left, right = conditions(name, float(tree.threshold[node]), tree.missing[node], digits)
        todo.append((int(tree.children_right[node]), right))
        todo.append((int(tree.children_left[node]), left))
