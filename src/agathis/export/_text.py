"""Export a tree as text: one line per node, leaves with their cluster and size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator

from agathis._rules.described_tree import Described, describe
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
    """Export a tree as text.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, a pipeline that ends in such an estimator, or the tree
        itself. The steps of a pipeline are inverted, so that conditions are on raw columns.
    scaler : fitted scaler, ColumnTransformer or Pipeline of such steps, optional
        The preprocessing of the rows, if ``model`` is not a pipeline: scalers, encoders, imputers
        and other steps that transform each column independently.
    feature_names : sequence of str, optional
        By default those of the fitted DataFrame, or ``x[0]``, ``x[1]``, ... With preprocessing
        they may be names of the raw columns.
    cluster_names : sequence of str, optional
        By default ``cluster 0``, ``cluster 1``, ...
    one_hot : mapping, optional
        The one-hot encoded columns of each categorical feature, such as
        ``{"color": ["color_red", "color_blue"]}``, which are displayed as "color is red" and
        "color is blue". A prefix such as ``"color_"`` is removed from the category names. To name
        them explicitly: ``{"color": {"column of red": "red", ...}}``; a category without a
        column, such as a dropped first one, has the key "". If an encoder made the columns, pass
        it as ``scaler`` instead.
    value_names : mapping, optional
        Names of coded values, such as ``{-1: "no", 1: "yes"}``, for all features, or a mapping from
        features to such mappings.
    digits : int, default=4
        The number of significant digits of the thresholds. More are shown for the integer part of
        large numbers, and where two thresholds of a feature would look the same. ``None`` shows all
        digits, as do thresholds with few digits (``FittedModel.rounded``).
    numbers : {"plain", "grouped", "words"}, default="plain"
        The format of large numbers: 52500000, 52,500,000 or 52.5 million. Years have no
        separators.

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
    for node in described.nodes():
        if node.condition:
            yield "|   " * (node.depth - 1) + node.condition
        if node.is_leaf:
            size = f"{node.size} sample{'s'[: node.size != 1]}"
            yield "|   " * node.depth + f"{node.cluster} ({size})"
