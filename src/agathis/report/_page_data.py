"""All that a page tells of a tree and its rows, as one plain dict.

It is put together from parts: what the exporters say (``agathis.export``), the data behind the
pictures (``agathis._rules``), and counts and quartiles of the rows of each node (``_rows``,
``_bins``). It holds numbers, texts, lists and dicts and nothing of HTML, so that it can be
checked, kept as JSON, or shown in another way.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

import agathis
from agathis._checks.metrics import check_labels
from agathis._columns.frames import as_arrow, checked_table
from agathis._encoding.feature_rows import column_names
from agathis._encoding.table_encoder import TableEncoder
from agathis._model.conversion import model_of
from agathis._model.encoding import Encoding
from agathis._rules.columns import (
    Indicator,
    date_parts_of,
    is_missing,
    on_circle,
    one_hot_of,
)
from agathis._rules.described_tree import Described, describe, last_step
from agathis._rules.profile import cluster_profile, without
from agathis._rules.rows_in_units import check_columns, table_of
from agathis._rules.tree_layout import layout_tree
from agathis._trees.tree import Tree
from agathis.export import FittedModel, to_python, to_sql
from agathis.export._dialects import DIALECTS
from agathis.report._chart_data import plane_data
from agathis.report._distributions import page_data, profile_data
from agathis.report._fit_rows import fit_rows_of
from agathis.report._groups import clusters_of, kind_of, nodes_of
from agathis.report._node_rows import FEW, are_of_years, named_classes, rows_by_node, spread_of
from agathis.report._provenance import provenance_of
from agathis.report._quality import quality_of
from agathis.report._typical import whole_shares, without_few
from agathis.report._wording import titles_of

#: Rows up to which a page holds their identifiers.
MAX_IDS = 5000


def summarise(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    y: ArrayLike | None = None,
    cluster_names: Sequence[str] | None = None,
    *,
    title: str | None = None,
    target_name: str | None = None,
    ids: ArrayLike | None = None,
    id_name: str | None = None,
    provenance: Mapping[str, Any] | None = None,
    show: Any = None,
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
    model, X
        As for :func:`agathis.report.write`.
    y : array-like of shape (n_samples,), optional
        Classes of the rows, where they are known: the page then shows their mix in each cluster
        and node.
    cluster_names : sequence of str, optional
        By default short titles of what tells each from the others, such as "flipper > 206".
    title : str, optional
        What stands on top.
    target_name : str, optional
        What y is: the page says "67 % survived: yes". By default the name of y, where that is a
        column of a data frame.
    ids : array-like of shape (n_samples,), optional
        An identifier of each row, by which it is found on the page. Up to 5000 rows have theirs
        in the file, and the page says so.
    id_name : str, optional
        What the identifiers are; by default the name of ``ids``.
    provenance : mapping, optional
        Where the rows come from, for the page to tell: ``source``, ``rows_read``, ``rows_used``,
        ``rows_why`` (why some are not used), ``scaling`` in words, and ``columns``, a list of
        mappings with ``column``, ``kind``, ``became`` (what was made of it), ``why`` and ``used``
        (False where it was left out, None where it is only shown).
    show : DataFrame of pandas or polars, or pyarrow.Table, optional
        Columns that the tree knows nothing of, with the rows of X: they are shown beside its own.
        By default those that :class:`agathis.TableEncoder` was told to show.
    rows : bool, default=False
        Whether the values of the rows, and their classes, are put into the file.
    scaler, feature_names, one_hot, value_names, digits : optional
        As for :func:`agathis.export.to_text`. By default features have the names of the data
        frame.

    Returns
    -------
    summary : dict
        ``about`` (counts of rows, features, clusters, leaves), ``clusters`` (rule, size, what is
        typical), ``nodes`` (rule, size, histogram of the split, quartiles), ``quality`` (share
        explained, silhouette, stability, what more leaves buy), ``provenance``, ``features``,
        ``classes``, ``profile``, ``plane``, ``code``, ``lookup`` (the leaf of each row) and,
        where asked for, ``ids`` and ``rows``.

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
    texts = {"title": title, "target_name": target_name, "id_name": id_name}
    for name, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{name} must be a text; it is {text!r}.")
    if show is None:
        show = _to_show(model, X)
    if isinstance(model, FittedModel) and feature_names is None and model.has_names(X):
        X = model.features_of(X)
    described = _described(
        model, X, cluster_names, scaler, feature_names, one_hot, value_names, digits
    )
    fitted = model_of(described, model, scaler)
    if not described.named_clusters:
        described = replace(described, clusters=titles_of(described))
    tree = described.tree
    X = table_of(described, X, missing=bool(getattr(described.model, "_takes_missing", True)))
    held = rows_by_node(tree, X, described.leaves(), described.columns)
    codes = None if y is None else check_labels(y, "y", len(X))
    classes = None if codes is None else named_classes(np.asarray(y).ravel(), codes)
    layout = layout_tree(
        tree,
        feature_names=described.features,
        cluster_names=described.clusters,
        one_hot=fitted.one_hot,
        value_names=fitted.value_names,
        digits=described.digits,
        numbers=described.numbers,
    )
    # Values are told of so many rows or more.
    least = 1 if rows else FEW
    labels = tree.cluster[held.leaves][held.leaf]
    scaled = fit_rows_of(fitted, described, X)
    profile = cluster_profile(
        tree,
        X,
        feature_names=described.features,
        cluster_names=described.clusters,
        max_features=None,
    )
    # The two sides of a circle are for distances alone; people read the hour or the month.
    hidden = {f for f, column in enumerate(described.columns) if on_circle(column)}
    profile = without(profile, hidden)
    profile = without_few(whole_shares(profile, described.columns, X, labels), X, labels, least)
    return {
        "title": title or f"{tree.n_clusters} clusters in {len(X):,} rows",
        "about": {
            "n_rows": len(X),
            "n_features": len({column.column for column in described.columns}),
            "n_told": _n_category_groups(described) - len(hidden),
            "n_clusters": tree.n_clusters,
            "n_leaves": tree.n_leaves,
            "depth": tree.max_depth,
            "method": fitted.method or "Tree",
            "scaled": isinstance(fitted.preparation, Encoding),
            "few": FEW,
            # None where the rules have all that their numbers have.
            "digits": described.digits,
            "version": agathis.__version__,
        },
        "features": [
            {
                "name": column.label,
                "hidden": f in hidden,
                "year": are_of_years(column, X[:, f]),
                **kind_of(column),
                **spread_of(X[:, f], least, column),
            }
            for f, column in enumerate(described.columns)
        ],
        "classes": None if classes is None else classes[0],
        "target": _name_of(target_name, y),
        "clusters": clusters_of(described, X, profile, labels, classes, least),
        "nodes": nodes_of(described, held, layout, profile, classes, least),
        "quality": quality_of(fitted, scaled, labels, least),
        "provenance": provenance_of(_told(fitted, provenance), described, X, scaled),
        "profile": [
            *profile_data(profile, described.columns, X, labels, least),
            *([] if show is None else page_data(show, labels, described.clusters, digits, least)),
        ],
        "plane": plane_data(described, X, scaled, labels, bool(rows)),
        "code": _code(described),
        "lookup": {"leaves": held.leaves, **_packed(held.leaf, len(held.leaves))},
        "ids": _ids(ids, _name_of(id_name, ids) or "identifier", len(X)),
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
    if feature_names is None and fitted is None and columns is not None and not _encoder_of(model):
        feature_names = [str(name) for name in columns]
    return describe(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
        value_names=value_names,
        digits=digits,
        numbers="grouped",
    )


def _encoder_of(model: object) -> TableEncoder | None:
    """The first step of a pipeline, where it takes raw tables."""
    first = model.steps[0][1] if isinstance(model, Pipeline) else None
    return first if isinstance(first, TableEncoder) else None


def _told(model: FittedModel, given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """What the model knows of its table, and what the caller says of this one."""
    known = model.provenance
    if known is None or not isinstance(given, (Mapping, type(None))):
        return given
    columns = [asdict(column) for column in known.columns]
    return {"scaling": known.scaling, "columns": columns or None, **(given or {})}


def _to_show(model: object, X: Any) -> Any:
    """The columns of a raw table that the model was told to leave for this."""
    if isinstance(model, FittedModel) and model.provenance is not None and model.has_names(X):
        there = set(column_names(X))
        names = [name for name in model.provenance.show if name in there]
        return as_arrow(X).select(names) if names else None
    first = _encoder_of(model)
    if first is None or not first.show:
        return None
    table = checked_table(first, X, reset=False)
    return table.select([name for name in first.show if name in table.column_names])


def _name_of(given: str | None, values: object) -> str | None:
    """What was given, or the name that a column of a data frame has."""
    name = getattr(values, "name", None) if given is None else given
    return name if isinstance(name, str) and name else None


def _ids(ids: ArrayLike | None, name: str, n_rows: int) -> dict[str, object] | None:
    """Identifiers as texts; of many rows only that they are not there."""
    if ids is None:
        return None
    found = np.asarray(ids).ravel()
    if len(found) != n_rows:
        raise ValueError(f"ids has {len(found)} values; X has {n_rows} rows.")
    return {
        "name": name,
        "most": MAX_IDS,
        "values": ["" if is_missing(value) else str(value) for value in found.tolist()]
        if n_rows <= MAX_IDS
        else None,
    }


def _n_category_groups(described: Described) -> int:
    """Columns of the profile: the indicators of a source are one."""
    columns = described.columns
    sources = {column.source for column in columns if isinstance(column, Indicator)}
    return len(sources) + sum(not isinstance(column, Indicator) for column in columns)


def _code(described: Described) -> dict[str, object]:
    columns = described.columns
    model = FittedModel(
        described.tree,
        feature_names=described.features,
        cluster_names=described.clusters if described.named_clusters else None,
        one_hot=one_hot_of(described.features, columns) or None,
        date_parts=date_parts_of(described.features, columns) or None,
    )
    return {
        "sql": {name: _text(to_sql, model, dialect=name, table="your_table") for name in DIALECTS},
        "python": _text(to_python, model),
    }


def _text(writer: Callable[..., str], model: FittedModel, **options: object) -> dict[str, str]:
    """The source, or why there is none, such as two columns with one name: the page says it."""
    try:
        return {"text": writer(model, **options)}
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
