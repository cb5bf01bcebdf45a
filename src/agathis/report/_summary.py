"""All that a page tells of a tree and its rows, as one plain dict.

It is put together from parts: what the exporters say (``agathis.export``), the data behind the
pictures (``agathis._describe``), and counts and quartiles of the rows of each node (``_rows``,
``_bins``). It holds numbers, texts, lists and dicts and nothing of HTML, so that it can be
checked, kept as JSON, or shown in another way.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

import agathis
from agathis._checks.metrics import check_labels
from agathis._describe.colours import cluster_style
from agathis._describe.columns import Codes, Indicator, one_hot_of, value_names_of
from agathis._describe.described_tree import Described, describe, last_step
from agathis._describe.layout import TreeLayout, layout_tree
from agathis._describe.profile import ClusterProfile, cluster_profile
from agathis._describe.rows import check_columns, table_of
from agathis._describe.rules import cluster_boxes, node_box
from agathis._trees.tree import Tree
from agathis.export import LoadedTree, to_python, to_sql
from agathis.export._dialects import DIALECTS
from agathis.report._bins import histogram
from agathis.report._chart_data import curve_data, plane_data, profile_data
from agathis.report._rows import (
    FEW,
    NodeRows,
    by_cover,
    counts_by_node,
    named_classes,
    rounded,
    rows_by_node,
    spread_of,
    telling_features,
)
from agathis.report._typical import typical_of, whole_shares, without_few
from agathis.report._wording import at_most, category_of, otherwise, rule_of


def summarise(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    y: ArrayLike | None = None,
    cluster_names: Sequence[str] | None = None,
    *,
    title: str | None = None,
    rows: bool = False,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    digits: int = 4,
) -> dict[str, object]:
    """All that :func:`agathis.report.write` shows, as a dict that JSON can hold.

    Parameters
    ----------
    model, X, y, cluster_names, title, rows, scaler, feature_names, one_hot, value_names, digits
        As for :func:`agathis.report.write`.

    Returns
    -------
    summary : dict
        ``about`` (counts of rows, features, clusters, leaves), ``clusters`` (rule, size, what is
        typical), ``nodes`` (rule, size, histogram of the split, quartiles), ``features``,
        ``classes``, ``profile``, ``plane``, ``curve``, ``code``, ``lookup`` (the leaf of each
        row) and, where asked for, ``rows``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.report import summarise
    >>> iris = load_iris(as_frame=True)
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(iris.data)
    >>> summary = summarise(model, iris.data, cluster_names=["small", "medium", "large"])
    >>> [(cluster["name"], cluster["rule"]) for cluster in summary["clusters"]][0]
    ('small', [[['', 'petal length (cm)', ' ≤ 3.4']]])
    >>> summary["rows"] is None
    True
    """
    if not isinstance(rows, (bool, np.bool_)):
        raise TypeError(f"rows must be True or False; it is {rows!r}.")
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title must be a text; it is {title!r}.")
    described = _described(
        model, X, cluster_names, scaler, feature_names, one_hot, value_names, digits
    )
    tree = described.tree
    X = table_of(described, X, missing=bool(getattr(described.model, "_takes_missing", True)))
    held = rows_by_node(tree, X, [path[-1] for path in described.paths()])
    codes = None if y is None else check_labels(y, "y", len(X))
    classes = None if codes is None else named_classes(np.asarray(y).ravel(), codes)
    # A model that was read from a file knows what its columns are.
    if one_hot is None:
        one_hot = one_hot_of(described.features, described.columns)
    if value_names is None:
        value_names = value_names_of(described.columns) or None
    layout = layout_tree(
        tree,
        feature_names=described.features,
        cluster_names=described.clusters,
        one_hot=one_hot,
        value_names=value_names,
        digits=described.digits,
    )
    # Values are told of so many rows or more.
    least = 1 if rows else FEW
    labels = tree.cluster[held.leaves][held.leaf]
    # A file does not tell whether its tree was grown from scaled rows. Units may be of any size:
    # without scaling one column alone could be the plane.
    standardise = described.scaled or isinstance(described.model, LoadedTree)
    profile = cluster_profile(
        tree,
        X,
        feature_names=described.features,
        cluster_names=described.clusters,
        max_features=None,
    )
    profile = without_few(whole_shares(profile, described.columns, X, labels), X, labels, least)
    return {
        "title": title or f"{tree.n_clusters} clusters in {len(X):,} rows",
        "about": {
            "n_rows": len(X),
            "n_features": _n_sources(described),
            "n_clusters": tree.n_clusters,
            "n_leaves": tree.n_leaves,
            "depth": tree.max_depth,
            "method": _method(described.model),
            "scaled": described.scaled,
            "few": FEW,
            "digits": int(digits),
            "version": agathis.__version__,
        },
        "features": [
            {"name": column.label, **_kind(column), **spread_of(X[:, f], least)}
            for f, column in enumerate(described.columns)
        ],
        "classes": None if classes is None else classes[0],
        "clusters": _clusters(described, X, profile, labels, classes, least),
        "nodes": _nodes(described, held, layout, profile, classes, least),
        "profile": profile_data(profile),
        "plane": plane_data(described, X, standardise, bool(rows)),
        "curve": curve_data(described.model, tree),
        "code": _code(described, one_hot),
        "lookup": {"leaves": held.leaves, **_packed(held.leaf, len(held.leaves))},
        "rows": _whole_table(X, classes) if rows else None,
    }


def _described(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    cluster_names: Sequence[str] | None,
    scaler: object,
    feature_names: Sequence[str] | None,
    one_hot: object,
    value_names: Mapping[Any, Any] | None,
    digits: int,
) -> Described:
    """The tree in words; where nobody named the features, with the names of the columns of X."""
    columns = getattr(X, "columns", None)
    owners = (scaler, model, last_step(model))
    known = (getattr(each, "feature_names_in_", None) for each in owners)
    fitted = next((found for found in known if found is not None), None)
    if not isinstance(model, Pipeline):
        check_columns(X, fitted)
    if feature_names is None and fitted is None and columns is not None:
        feature_names = [str(name) for name in columns]
    return describe(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
        value_names=value_names,
        digits=digits,
    )


def _method(model: object) -> str:
    return str(getattr(model, "source", None) or type(model).__name__)


def _n_sources(described: Described) -> int:
    """Columns of the table: the indicators of a source are one."""
    columns = described.columns
    sources = {column.source for column in columns if isinstance(column, Indicator)}
    return len(sources) + sum(not isinstance(column, Indicator) for column in columns)


def _kind(column: object) -> dict[str, object]:
    """What a page needs to put a value of the feature into words."""
    if isinstance(column, Indicator):
        return {
            "kind": "indicator",
            "source": column.source,
            "category": category_of(column),
            "otherwise": otherwise(column),
        }
    if isinstance(column, Codes):
        return {"kind": "codes", "codes": [[v, word] for v, word in column.codes.items()]}
    return {"kind": "number"}


def _nodes(
    described: Described,
    held: NodeRows,
    layout: TreeLayout,
    profile: ClusterProfile,
    classes: tuple[list[str], np.ndarray] | None,
    least: int,
) -> list[dict[str, object]]:
    tree = described.tree
    cluster = tree.cluster[held.leaves][held.leaf]
    mix = counts_by_node(held, cluster, tree.n_clusters)
    if classes is not None:
        by_class = counts_by_node(held, classes[1], len(classes[0]))
    mean, spread = np.zeros((2, tree.n_features))
    mean[profile.features], spread[profile.features] = profile.overall, profile.spread
    out = []
    for node in layout.nodes:
        i, size = node.node, int(held.size[node.node])
        told = size >= least
        is_leaf = bool(tree.is_leaf[i])
        box = node_box(described, tree.path(i))
        telling = telling_features(held, i, mean, spread, profile.features, least)
        out.append(
            {
                "parent": node.parent,
                "children": []
                if is_leaf
                else [int(tree.children_left[i]), int(tree.children_right[i])],
                "name": node.cluster_name if is_leaf else node.feature,
                "feature": None if is_leaf else int(tree.feature[i]),
                "condition": at_most(node.condition),
                "rule": rule_of([box]),
                "cluster": node.cluster,
                "n_leaves": node.n_leaves,
                "move": node.move,
                "gain": rounded(node.gain_share),
                "size": size,
                "share": rounded(size / len(held.X)),
                "mix": mix[i].tolist(),
                "classes": by_class[i].tolist() if classes is not None and told else None,
                "telling": [
                    {"feature": f, **spread_of(held.X[held.of(i), f], least)} for f in telling
                ],
                "histogram": None if is_leaf else _histogram(described, held, i),
            }
        )
    return out


def _histogram(described: Described, held: NodeRows, node: int) -> dict[str, object] | None:
    tree = described.tree
    f = int(tree.feature[node])
    sides = (tree.children_left[node], tree.children_right[node])
    left, right = (held.X[held.of(side), f] for side in sides)
    return histogram(left, right, described.columns[f], float(tree.threshold[node]))


def _clusters(
    described: Described,
    X: np.ndarray,
    profile: ClusterProfile,
    labels: np.ndarray,
    classes: tuple[list[str], np.ndarray] | None,
    least: int,
) -> list[dict[str, object]]:
    tree = described.tree
    total, out = len(labels), []
    for k, boxes in enumerate(cluster_boxes(described)):
        style, size = cluster_style(k), int(profile.sizes[k])
        order = by_cover(X, boxes)
        counts = None
        if classes is not None and size >= least:
            counts = np.bincount(classes[1][labels == k], minlength=len(classes[0])).tolist()
        out.append(
            {
                "name": described.clusters[k],
                "colour": style.colour,
                "ink": style.text_colour,
                "marker": style.marker,
                "rule": rule_of([boxes[i] for i, _ in order]),
                "rule_sizes": [count for _, count in order],
                "size": size,
                "share": rounded(size / total),
                "n_leaves": int(np.count_nonzero(tree.is_leaf & (tree.cluster == k))),
                "typical": typical_of(profile, k, described.columns, X[labels == k]),
                "classes": counts,
            }
        )
    return out


def _code(described: Described, one_hot: object) -> dict[str, object]:
    options = {"feature_names": described.features, "one_hot": one_hot}
    if described.named_clusters:
        options["cluster_names"] = described.clusters
    return {
        "sql": {
            name: _text(to_sql, described.tree, dialect=name, table="your_table", **options)
            for name in DIALECTS
        },
        "python": _text(to_python, described.tree, **options),
    }


def _text(writer: Callable[..., str], tree: Tree, **options: object) -> dict[str, str]:
    """The source, or why there is none, such as two columns with one name: the page says it."""
    try:
        return {"text": writer(tree, **options)}
    except ValueError as error:
        return {"error": str(error)}


def _packed(values: np.ndarray, count: int) -> dict[str, object]:
    """Whole numbers below ``count`` as base64, in as few bytes as do."""
    width = next(w for w in (1, 2, 4) if count <= 256**w)
    return {"bytes": width, "data": _base64(values, f"<u{width}")}


def _base64(values: np.ndarray, dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")


def _whole_table(X: np.ndarray, classes: tuple[list[str], np.ndarray] | None) -> dict[str, object]:
    """The table itself, a column after the other, bit by bit."""
    dtype = "<f4" if X.dtype == np.float32 else "<f8"
    return {
        "bytes": int(dtype[-1]),
        "columns": [_base64(column, dtype) for column in X.T],
        "classes": None if classes is None else _packed(classes[1], len(classes[0])),
    }
