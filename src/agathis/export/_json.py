"""Export a model to JSON and read it: nothing is executed, and everything is validated.

``format`` is "agathis-tree" and ``version`` 4; versions 1 to 3 are converted when they are read.
``nodes`` has an array for each property of nodes; node 0 is the root, and children come after their
parent. A row goes to ``left`` if its value of ``feature`` is at most ``threshold``, else to
``right``; ``missing`` is the direction of missing values, where "unseen" is the child with more
``samples``. At a leaf ``left``, ``right``, ``feature`` and ``threshold`` are null. The threshold
"inf" separates known from missing values. Numbers are written so that they are read as the same
float64.

Since version 2 ``nodes`` may have ``terms``: null, or pairs of a feature and its weight. Then the
weighted sum of the features is compared with the threshold; it is missing if one of them is. A
split on the categories of a feature is such a sum of its one-hot columns, all of weight 1: rows in
one of the categories go right, and all others left, including unknown categories. Any other sum is
of numbers, such as one of two columns with any weights.

Since version 3 a term may have a third part, pairs of an operation and a number such as
``["subtract", 3.5]``: they are applied to the feature in order, as float64, before it is multiplied
by its weight. Operations are "subtract", "add", "multiply", "divide", "at_least" and "at_most",
which clip values at the number, and "fill", which replaces missing values by it. They are the
operations of the model, so that every row reaches the same leaf.

``one_hot`` has, for each categorical feature, its columns and their categories, ``{"color":
{"color_red": "red"}}``: strings, numbers, true or false, and null for a missing value. A category
without a column has the key "". ``value_names`` has, for each feature with coded values, pairs of a
value and its name. Either may be null. ``date_parts`` is defined if features are date parts, with
the column and the part of each, ``{"joined: month": {"column": "joined", "part": "month"}}``:
Monday is weekday 1, and days are counted from 1970-01-01. ``holds`` is "numbers" or "names" for a
column that holds date parts itself, ``circle`` is "sin" or "cos" of the angle of a part, and
``first_is_day`` tells how strings such as 3/4/2020 are read. ``form`` is the format of date
strings: "iso", "year first" and "year last" of fixed width, or "other". ``rounded`` is true if
thresholds have no more digits than the rows require.

Version 4 stores the fit as well, each entry or null. ``spec`` are the settings that determine the
tree, and ``preparation`` is the computation of the fitted columns from features: ``columns`` has
for each a ``feature`` and its ``operations`` (those of terms, "log" for sign(x) log(1 + |x|), and
"rank" with points and their ranks), or ``categories``, pairs of a 0/1 feature and the encoded value
of its category, with the values of ``unknown`` and ``missing`` ones. Either may be
``{"unavailable": reason}``; a preparation of null is the identity. With one, ``fitted_nodes`` are
the nodes over the fitted columns. ``roles`` are those of the fitted columns, ``centres`` the
cluster centres if they are points, about ``origin``, and ``fill`` imputes missing values; ``fit``
has ``objective``, ``inertia``, ``lower_bound``, ``gap``, ``is_optimal`` and ``n_samples``.
``provenance`` describes the table: its source, reading options, rows, columns and how each was
handled, target, identifiers, shown columns, notes, and ``doubts``, those of them that a page shows.
``evidence``, if it was computed, has the p-value of one group, the number of rows tested, the
distance and fraction of groups that could be shown, and the evidence of each split and cluster.
``agreement`` is only there for a tree that explains labels: how well it agrees with them, overall,
for each label and each leaf. Training rows are not stored: what requires them, such as distances
in the space of most kernels, is unavailable.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, overload

from sklearn.base import BaseEstimator

from agathis import __version__
from agathis._model.conversion import fitted_model
from agathis._model.fitted_model import FittedModel
from agathis._rules.described_tree import describe
from agathis._trees.tree import Tree
from agathis._utils.files import write_atomic
from agathis.export._json_checks import boolean, integer, short, wrong
from agathis.export._json_fit import fit_record, read_fit
from agathis.export._json_names import names_record, read_names
from agathis.export._json_tree import nodes_record, read_nodes

FORMAT = "agathis-tree"
OLDEST_VERSION, VERSION = 1, 4
# Older files have no terms.
VERSION_WITH_TERMS = 2
# Larger than any tree that a person would read.
MAX_BYTES = 1 << 26
MAX_FEATURES = 1 << 20


@overload
def to_json(
    model: BaseEstimator | Tree,
    path: None = None,
    *,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    indent: int | None = None,
) -> str: ...
@overload
def to_json(
    model: BaseEstimator | Tree,
    path: str | os.PathLike[str],
    *,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    indent: int | None = None,
) -> None: ...
def to_json(
    model: BaseEstimator | Tree,
    path: str | os.PathLike[str] | None = None,
    *,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    indent: int | None = None,
) -> str | None:
    """Export a tree to JSON.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    path : str or PathLike, optional
        The file to write. By default the text is returned.
    scaler, feature_names, cluster_names, one_hot, value_names : optional
        As for :func:`agathis.export.to_text`. With a scaler, the tree takes unscaled rows. The file
        stores feature, cluster, category and value names, so that exports of the loaded model use
        them.
    indent : int, optional
        The number of spaces per level. By default the text is one line.

    Returns
    -------
    text : str or None

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import from_json, to_json
    >>> text = to_json(Kauri(2).fit([[0.0], [1.0], [9.0]]), feature_names=["age"])
    >>> text[:40]
    '{"format": "agathis-tree", "version": 4,'
    >>> from_json(text).predict([[7.5]])
    array([1], dtype=int32)
    """
    written = fitted_model(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
        value_names=value_names,
    )
    text = json.dumps(_record(written), allow_nan=False, indent=indent)
    if path is None:
        return text
    write_atomic(path, text.encode())
    return None


def _record(model: FittedModel) -> dict[str, Any]:
    """The content of the file."""
    tree = model.tree_
    return {
        "format": FORMAT,
        "version": VERSION,
        "agathis": __version__,
        "model": model.method,
        "n_features": tree.n_features,
        "n_clusters": tree.n_clusters,
        **names_record(model),
        "takes_missing": model.takes_missing,
        "rounded": model.rounded,
        "nodes": nodes_record(model),
        **fit_record(model),
    }


def from_json(source: str | os.PathLike[str], *, takes_missing: bool | None = None) -> FittedModel:
    """Read a tree that :func:`to_json` wrote.

    Parameters
    ----------
    source : str or PathLike
        The JSON text or the path of a file. A str that starts with "{" is JSON text.
    takes_missing : bool, optional
        Whether rows may have missing values; by default as stored in the file. Where the tree was
        fitted without missing values, they go to the child with more samples at each split.

    Returns
    -------
    model : FittedModel
        It predicts as the saved model, and every export accepts it.

    Raises
    ------
    ValueError
        If the file is invalid or of a newer version. Files from untrusted sources are safe to
        read: nothing in them is executed.

    Examples
    --------
    >>> from agathis.export import from_json
    >>> from_json('{"format": "agathis-tree", "version": 5}')
    Traceback (most recent call last):
        ...
    ValueError: source has version 5 of the format; this version of agathis reads versions 1 to 4.
    """
    data = _parsed(_text_of(source))
    if data.get("format") != FORMAT:
        raise wrong(f"its format is {data.get('format')!r}, not {FORMAT!r}")
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int):
        raise wrong(f"its version is {version!r}, not an integer")
    if not OLDEST_VERSION <= version <= VERSION:
        raise ValueError(
            f"source has version {version} of the format; this version of agathis reads versions "
            f"{OLDEST_VERSION} to {VERSION}."
        )
    if version < VERSION:
        data = _upgraded(data, version)
    n_features = integer(data.get("n_features"), "n_features", 1, MAX_FEATURES)
    tree = read_nodes(data.get("nodes"), n_features)
    stored = boolean(data.get("takes_missing"), "takes_missing")
    method = data.get("model")
    if not isinstance(method, str | None):
        raise wrong(f"model is {short(method)}, not a string")
    if data.get("n_clusters") != tree.n_clusters:
        raise wrong(f"n_clusters is {data.get('n_clusters')!r}; its leaves have {tree.n_clusters}")
    out = FittedModel(
        tree,
        **read_names(data, n_features, tree.n_clusters),
        takes_missing=stored if takes_missing is None else takes_missing,
        method=method,
        rounded=boolean(data.get("rounded", False), "rounded"),
        **read_fit(data, tree),
    )
    try:
        # Columns must be features, of a kind that the splits of the tree allow.
        describe(out)
    except ValueError as error:
        raise wrong(str(error).partition(". ")[0].rstrip(".")) from error
    return out


def _upgraded(data: dict[str, Any], version: int) -> dict[str, Any]:
    """Convert a file of versions 1 to 3, which store at most the objective of the fit."""
    nodes, unknown = data.get("nodes"), f"model files of version {version} do not store it"
    if version < VERSION_WITH_TERMS and isinstance(nodes, dict):
        nodes = {**nodes, "terms": None}
    return {
        **data,
        "nodes": nodes,
        "spec": {"unavailable": unknown},
        "preparation": {"unavailable": unknown},
        "fit": None if data.get("objective") is None else {"objective": data["objective"]},
    }


def _text_of(source: str | os.PathLike[str]) -> str:
    if isinstance(source, str) and source.lstrip()[:1] == "{":
        size = len(source)
    else:
        try:
            path = os.fspath(source)
        except TypeError:
            raise TypeError(f"source must be a string or a path; it is {source!r}.") from None
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        size = len(data)
        try:
            source = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise wrong(f"it is not UTF-8, {error}") from error
    if size > MAX_BYTES:
        raise wrong(f"it has more than {MAX_BYTES} bytes")
    return source


def _parsed(text: str) -> dict[str, Any]:
    def constant(name: str) -> None:
        raise wrong(f"{name} is not a JSON number")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(pairs)
        if len(out) < len(pairs):
            raise wrong("an object has a key twice")
        return out

    try:
        data = json.loads(text, parse_constant=constant, object_pairs_hook=unique)
    except RecursionError:
        raise wrong("it is nested too deeply") from None
    except ValueError as error:
        # Errors of the two functions above are complete; others come from json, or from a
        # number of more digits than Python parses.
        if str(error).startswith("source is not"):
            raise
        raise wrong(f"it is not JSON, {error}") from error
    if not isinstance(data, dict):
        raise wrong(f"it is a {type(data).__name__}, not an object")
    return data
