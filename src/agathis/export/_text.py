"""A tree in words: one line a node, the leaves with their cluster and size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator

from agathis._describe.described_tree import Described, describe
from agathis._trees.tree import Tree


def to_text(
    model: BaseEstimator | Tree,
    *,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    digits: int | None = 4,
    numbers: str = "plain",
) -> str:
    """Write a tree in words.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, a pipeline that ends in such an estimator, or the tree
        itself. The steps of a pipeline are undone: conditions are on the raw columns.
    scaler : fitted scaler, ColumnTransformer or Pipeline of such steps, optional
        What was done to the rows before the tree was grown, where that was no pipeline: scalers,
        encoders, imputers and other steps that map each column by itself. A pipeline given as
        ``model`` brings its own.
    feature_names : sequence of str, optional
        By default those of the data frame that was fitted, or ``x[0]``, ``x[1]``, ... With steps
        that are undone they may be names of the raw columns.
    cluster_names : sequence of str, optional
        By default ``cluster 0``, ``cluster 1``, ...
    one_hot : mapping or OneHotEncoder, optional
        Columns that one-hot encoding made, by their source, such as
        ``{"color": ["color_red", "color_blue"]}``: they are read as "color is red" and "color is
        blue". The names of categories are the columns' without the source and "_", where all
        begin so. Or give them: ``{"color": {"column of red": "red", ...}}``. A category that has
        no column, as where the first one was dropped, has the key "". Of an encoder that made all
        columns, give the encoder.
    value_names : mapping, optional
        Words for values of features that hold codes, such as ``{-1: "no", 1: "yes"}``, for all
        features; or a mapping from features to such mappings.
    digits : int, default=4
        Significant digits of the thresholds, for reading; of a large number at least the whole
        part and one decimal are shown, and where two thresholds of a feature would read the same
        as many digits as tell them apart. ``None`` is all digits; so are thresholds shown that
        were rounded when the model was written (``FittedModel.rounded``).
    numbers : {"plain", "grouped", "words"}, default="plain"
        How large numbers are written: 52500000, or 52,500,000, or 52.5 million. What can only be
        years has no separators.

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
    described = describe(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
        value_names=value_names,
        digits=digits,
        numbers=numbers,
    )
    # A name may have several lines; a node has one.
    return "\n".join(" ".join(line.splitlines()) for line in _lines(described))


def _lines(described: Described) -> Iterator[str]:
    # The conditions that lead to a node; a condition is written before it.
    condition: dict[int, str] = {}
    tree = described.tree
    for node in described.nodes():
        if node.number in condition:
            yield "|   " * (node.depth - 1) + condition[node.number]
        if node.is_leaf:
            size = f"{node.size} sample{'s'[: node.size != 1]}"
            yield "|   " * node.depth + f"{node.cluster} ({size})"
        else:
            condition[int(tree.children_left[node.number])] = node.left
            condition[int(tree.children_right[node.number])] = node.right
