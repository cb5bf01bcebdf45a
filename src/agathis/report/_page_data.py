"""All contents of a page as one plain dict.

It combines rules and code (``agathis.export``), the data of plots (``agathis._rules``), and counts
and quartiles of the rows of each node (``_node_rows``, ``_bins``). It holds numbers, strings, lists
and dicts and no HTML, so that it can be tested, stored as JSON, or displayed in another way.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
from agathis._kernels.kernel import at_most
from agathis._model.conversion import model_of
from agathis._model.encoding import Encoding
from agathis._rules.columns import Indicator, date_parts_of, is_missing, on_circle, one_hot_of
from agathis._rules.described_tree import Described, describe, last_step
from agathis._rules.profile import without
from agathis._rules.rows_in_units import check_columns, table_of
from agathis._rules.tree_layout import layout_of
from agathis._trees.tree import Tree
from agathis.export import FittedModel, to_python, to_sql
from agathis.export._dialects import DIALECTS
from agathis.report._chart_data import plane_data
from agathis.report._distributions import by_table_column, display_data, profile_data
from agathis.report._fit_rows import fit_rows_of
from agathis.report._groups import clusters_of, kind_of, nodes_of
from agathis.report._node_rows import are_of_years, named_classes, rows_by_node, spread_of
from agathis.report._private import RARE, without_rare
from agathis.report._provenance import provenance_of
from agathis.report._quality import quality_of
from agathis.report._short_names import with_short_names
from agathis.report._tuning import FEW, MAX_IDS
from agathis.report._typical import private_profile, unit_of
from agathis.report._wording import titles_of


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
    """Return the contents of a report as a dict that JSON can hold.

    Parameters
    ----------
    model, X
        As for :func:`agathis.report.write`.
    y : array-like of shape (n_samples,), optional
        Known classes of the rows; the page shows their proportions in each cluster and node.
    cluster_names : sequence of str, optional
        By default short titles that distinguish the clusters, such as "flipper > 206".
    title : str, optional
        The title of the page.
    target_name : str, optional
        The name of y, as in "67 % survived: yes". By default that of its data frame column.
    ids : array-like of shape (n_samples,), optional
        An identifier of each row, to look it up on the page. They are included for at most 5000
        rows, and the page says so.
    id_name : str, optional
        The name of the identifiers; by default that of ``ids``.
    provenance : mapping, optional
        The source of the rows: ``source``, ``rows_read``, ``rows_used``, ``rows_why`` (why some
        were not used), ``scaling`` in words, and ``columns``, a list of mappings with ``column``,
        ``kind``, ``became`` (how it was handled), ``why`` and ``used`` (False if it was left out,
        None if it is only shown). By default that of the model, whose doubts the page shows first;
        ``doubts``, a list of sentences, adds to them; ``reading`` has pairs of a label and a fact
        about the file.
    show : DataFrame of pandas or polars, or pyarrow.Table, optional
        Further columns to show, with the rows of X. By default those of ``show`` of
        :class:`agathis.TableEncoder`.
    rows : bool, default=False
        Whether the page includes the values of the rows and their classes.
    scaler, feature_names, one_hot, value_names, digits : optional
        As for :func:`agathis.export.to_text`. By default features have the names of the data
        frame.

    Returns
    -------
    summary : dict
        ``about`` (numbers of rows, features, clusters, leaves), ``clusters`` (rule, size, typical
        values), ``nodes`` (rule, size, histogram of the split, quartiles), ``quality`` (explained
        variance, silhouette, stability, trees with more leaves), ``provenance``, ``features``,
        ``classes``, ``profile``, ``plane``, ``code``, ``lookup`` (the leaf of each row) and, if
        requested, ``ids`` and ``rows``.

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
    strings = {"title": title, "target_name": target_name, "id_name": id_name}
    for name, value in strings.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be a str; it is {value!r}.")
    if show is None:
        show = _columns_to_show(model, X)
    if isinstance(model, FittedModel) and feature_names is None and model.has_names(X):
        X = model.features_of(X)
    described = _described(
        model, X, cluster_names, scaler, feature_names, one_hot, value_names, digits
    )
    fitted = model_of(described, model, scaler)
    X = table_of(described, X, missing=bool(getattr(described.model, "_takes_missing", True)))
    # The minimum number of rows whose values are shown.
    min_rows = 1 if rows else FEW
    exact, described = described, without_rare(described, X, min_rows, _names_of(show))
    private = described
    described, full = with_short_names(described)
    titles = titles_of(described)
    # Groups without a name of their own get a title.
    names = [
        title if not described.named_clusters or name == f"cluster {k}" else name
        for k, (name, title) in enumerate(zip(described.clusters, titles, strict=True))
    ]
    described = replace(described, clusters=names)
    tree, columns = described.tree, described.columns
    indicators = [column for column in columns if isinstance(column, Indicator)]
    by_node = rows_by_node(tree, X, described.leaves(), columns)
    codes = None if y is None else check_labels(y, "y", len(X))
    classes = None if codes is None else named_classes(np.asarray(y).ravel(), codes, min_rows)
    layout = layout_of(described)
    labels = tree.cluster[by_node.leaves][by_node.leaf]
    fit_rows = fit_rows_of(fitted, described, X)
    # The coordinates on a circle are for distances only; the hour or the month is shown instead.
    hidden = {f for f, column in enumerate(columns) if on_circle(column)}
    profile = without(private_profile(X, labels, columns, described.clusters, min_rows), hidden)
    evidence = fitted.evidence
    with at_most(1):
        # Many fits of few rows: threads would mostly wait for each other.
        quality = quality_of(fitted, fit_rows, labels, min_rows)
    return {
        "title": title or f"{tree.n_clusters} groups in {len(X):,} rows",
        "about": {
            "n_rows": len(X),
            "n_features": len({column.column for column in columns}),
            "n_told": len(by_table_column(profile, columns)),
            "n_clusters": tree.n_clusters,
            "n_leaves": tree.n_leaves,
            "depth": tree.max_depth,
            "method": fitted.method or "Tree",
            "scaled": isinstance(fitted.preparation, Encoding),
            "few": FEW,
            # None if the rules have all digits of the thresholds.
            "digits": described.digits,
            "version": agathis.__version__,
        },
        "features": [
            {
                "name": column.label,
                "hidden": f in hidden,
                "year": are_of_years(column, X[:, f]),
                **kind_of(column),
                "unit": 0.0 if isinstance(column, Indicator) else unit_of(X[:, f]),
                **spread_of(X[:, f], min_rows, column),
            }
            for f, column in enumerate(columns)
        ],
        "classes": None if classes is None else classes[0],
        "target": _name_of(target_name, y),
        "clusters": clusters_of(described, X, profile, labels, classes, min_rows),
        "nodes": nodes_of(described, by_node, layout, profile, classes, min_rows),
        "quality": quality,
        "agreement": None if fitted.agreement is None else fitted.agreement.on_page(),
        "provenance": provenance_of(provenance, fitted.provenance, described, X, fit_rows),
        "profile": [
            *profile_data(profile, columns, X, labels, min_rows),
            *(
                []
                if show is None
                else display_data(show, labels, described.clusters, digits, min_rows)
            ),
        ],
        "plane": plane_data(described, X, fit_rows, labels, bool(rows)),
        "code": _code(private, exact),
        "full": full,
        # Whether the rows show more than one group; None if that was not tested.
        "shown": None if evidence is None else evidence.shown,
        "rare": RARE if any(RARE in (c.category, c.rest) for c in indicators) else None,
        "n_shown": len(_names_of(show)),
        # Rows are looked up by what the owner of the table lets readers see of them.
        "lookup": {
            "leaves": by_node.leaves,
            **_packed(by_node.leaf, _unsigned(len(by_node.leaves))),
        }
        if rows or ids is not None
        else None,
        "ids": _ids(ids, _name_of(id_name, ids) or "identifier", len(X)),
        "rows": _raw_rows(X, classes) if rows else None,
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
    """The described tree; features without names have those of the columns of X."""
    columns = getattr(X, "columns", None)
    owners = (scaler, model, last_step(model))
    known = (getattr(each, "feature_names_in_", None) for each in owners)
    fitted = next((names for names in known if names is not None), None)
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
    """The first step of a pipeline if it encodes raw tables."""
    first = model.steps[0][1] if isinstance(model, Pipeline) else None
    return first if isinstance(first, TableEncoder) else None


def _columns_to_show(model: object, X: Any) -> Any:
    """The columns of a raw table that the fit left out of the model, only to show them."""
    if isinstance(model, FittedModel) and model.provenance is not None and model.has_names(X):
        present = set(column_names(X))
        names = [name for name in model.provenance.show if name in present]
        return as_arrow(X).select(names) if names else None
    encoder = _encoder_of(model)
    if encoder is None or not encoder.show:
        return None
    table = checked_table(encoder, X, reset=False)
    return table.select([name for name in encoder.show if name in table.column_names])


def _names_of(show: Any) -> list[str]:
    """The columns that are shown, whose values the page may name."""
    return [] if show is None else list(map(str, column_names(show)))


def _name_of(given: str | None, values: object) -> str | None:
    """The given name, or that of a column of a data frame."""
    name = getattr(values, "name", None) if given is None else given
    return name if isinstance(name, str) and name else None


def _ids(ids: ArrayLike | None, name: str, n_rows: int) -> dict[str, object] | None:
    """Identifiers as strings, without the values if there are many rows."""
    if ids is None:
        return None
    values = np.asarray(ids).ravel().tolist()
    if len(values) != n_rows:
        raise ValueError(f"ids has {len(values)} values; X has {n_rows} rows.")
    strings = ["" if is_missing(value) else str(value) for value in values[: MAX_IDS + 1]]
    return {"name": name, "most": MAX_IDS, "values": strings if n_rows <= MAX_IDS else None}


def _code(described: Described, exact: Described) -> dict[str, object]:
    """The code of the exact tree, unless it names categories that the described one does not."""
    models = [
        FittedModel(
            one.tree,
            feature_names=one.features,
            cluster_names=one.clusters if one.named_clusters else None,
            one_hot=one_hot_of(one.features, one.columns) or None,
            date_parts=date_parts_of(one.features, one.columns) or None,
        )
        for one in (exact, described)
    ]
    return {
        "sql": {
            name: _source(to_sql, *models, dialect=name, table="your_table") for name in DIALECTS
        },
        "python": _source(to_python, *models),
    }


def _source(
    writer: Callable[..., str], model: FittedModel, described: FittedModel, **options: object
) -> dict[str, str]:
    """The source code, or why there is none, such as two columns with the same name."""
    try:
        text = writer(model, **options)
        if text != writer(described, **options):
            why = f"it names values of fewer than {FEW} rows. agathis export MODEL writes it."
            return {"error": why}
        return {"text": text}
    except ValueError as error:
        return {"error": str(error)}


def _unsigned(count: int) -> np.dtype:
    """The smallest unsigned type for integers below ``count``."""
    return np.min_scalar_type(max(count - 1, 0))


def _packed(values: np.ndarray, dtype: np.dtype) -> dict[str, object]:
    """Values as base64, in little-endian order."""
    content = np.ascontiguousarray(values, dtype=dtype.newbyteorder("<")).tobytes()
    return {"bytes": dtype.itemsize, "data": base64.b64encode(content).decode("ascii")}


def _raw_rows(X: np.ndarray, classes: tuple[list[str], np.ndarray] | None) -> dict[str, object]:
    """The table itself, column by column, without loss."""
    return {
        "bytes": X.dtype.itemsize,
        "columns": [_packed(column, X.dtype)["data"] for column in X.T],
        "classes": None if classes is None else _packed(classes[1], _unsigned(len(classes[0]))),
    }
