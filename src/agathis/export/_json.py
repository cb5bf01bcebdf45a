"""A tree as JSON, and back: nothing of what is read is executed, and all of it is checked.

``format`` is "agathis-tree" and ``version`` 1 or, where nodes have terms, 2, or 3 where these have
steps. ``nodes`` has an array for each property of nodes; node 0 is the root, and children come
after their parent. A row goes to ``left`` where its value of ``feature`` is at most ``threshold``,
to ``right`` where it is more; where it misses the value ``missing`` says which way, and "unseen"
means to the child with more ``samples``. At a leaf ``left``, ``right``, ``feature`` and
``threshold`` are null. The threshold "inf" tells known values from missing ones. Numbers are
written so that they are read as the same float64.

In version 2 ``nodes`` has ``terms`` too: null, or pairs of a feature and its weight. Then it is the
sum of the weighted features that is compared with the threshold, and it is missing where one of
them is. A split on the categories of a source is such a sum of its columns, all of weight 1: rows
in one of the categories go right, and all others left, those in a category that is new among them.
Any other sum is of numbers, such as one of two columns with any weights.

In version 3 a term may have a third part, pairs of an operation and a number such as
``["subtract", 3.5]``: what is done with the feature before it is multiplied by its weight, one
after the other on float64. Operations are "subtract", "add", "multiply", "divide", "at_least" and
"at_most", which hold values at the number, and "fill", which puts it in the place of a missing
value. They are what the model computed, so that every row goes where it went there.

``one_hot`` has, for each source, its columns and their categories, ``{"color": {"color_red":
"red"}}``: texts, numbers, true or false, and null for a missing value. A category that has no
column has the key "". ``value_names`` has, for each feature that holds codes, pairs of a value and
its word. Either may be null. ``date_parts`` is there where features are parts of dates, with the
column and the part of each, ``{"joined: month": {"column": "joined", "part": "month"}}``: Monday is
weekday 1, and days are counted from 1970 on. ``holds`` says "numbers" or "names" of a column that
has parts of dates already, ``circle`` "sin" or "cos" of the angle of a part, and ``first_is_day``
how texts such as 3/4/2020 are read. ``form`` is how dates are written that are texts: "iso",
"year first" and "year last" where each part has its place, and "other". ``rounded`` is there, and
true, where thresholds have no more digits than the rows needed.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from sklearn.base import BaseEstimator

from agathis import __version__
from agathis._describe.described_tree import describe
from agathis._support.files import write_whole
from agathis._tables.date_parts import DatePart, date_part_of
from agathis._trees.stepped import Steps, with_steps
from agathis._trees.tree import LEAF, MISSING_GOES, MOVES, UNDEFINED, Tree
from agathis.export._json_checks import real, short, truth, whole, wrong
from agathis.export._json_terms import (
    VERSION,
    VERSION_WITH_STEPS,
    VERSION_WITH_TERMS,
    read_terms,
    terms_of,
    version_of,
)
from agathis.export._loaded import LoadedTree, loaded

FORMAT = "agathis-tree"
# More than any tree that a person would read; a file beyond it is not read at all.
MAX_BYTES = 1 << 26
MAX_FEATURES = 1 << 20
NODES = (
    "left", "right", "feature", "threshold", "cluster", "samples", "weight", "missing", "move",
    "gain",
)  # fmt: skip


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
    """Write a tree as JSON.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    path : str or PathLike, optional
        A file, which is replaced as a whole; without it the text is returned.
    scaler, feature_names, cluster_names, one_hot, value_names : optional
        As for :func:`agathis.export.to_text`. With a scaler the tree that is written is for rows
        that are not scaled. Names, one-hot columns and words for values are kept in the file:
        exporters need not be told again.
    indent : int, optional
        Spaces for each level, for reading.

    Returns
    -------
    text : str or None

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import from_json, to_json
    >>> text = to_json(Kauri(2).fit([[0.0], [1.0], [9.0]]), feature_names=["age"])
    >>> text[:40]
    '{"format": "agathis-tree", "version": 1,'
    >>> from_json(text).predict([[7.5]])
    array([1], dtype=int32)
    """
    written = loaded(
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
    write_whole(path, text.encode())
    return None


def _record(model: LoadedTree) -> dict[str, Any]:
    """What the file holds."""
    tree = model.tree_
    leaf = tree.is_leaf.tolist()

    def of_cuts(values: np.ndarray) -> list[Any]:
        return [None if ends else value for value, ends in zip(values.tolist(), leaf, strict=True)]

    return {
        "format": FORMAT,
        "version": version_of(tree),
        "agathis": __version__,
        "model": model.source,
        "n_features": tree.n_features,
        "n_clusters": tree.n_clusters,
        "feature_names": model.feature_names,
        "cluster_names": model.cluster_names,
        "one_hot": _held(model.one_hot),
        "value_names": _pairs(model.value_names),
        **_date_parts_held(model.date_parts),
        "takes_missing": model.takes_missing,
        "objective": model.objective,
        **({"rounded": True} if model.rounded else {}),
        "nodes": {
            "left": of_cuts(tree.children_left),
            "right": of_cuts(tree.children_right),
            "feature": of_cuts(tree.feature),
            "threshold": ["inf" if t == math.inf else t for t in of_cuts(tree.threshold)],
            "cluster": tree.cluster.tolist(),
            "samples": tree.n_node_samples.tolist(),
            "weight": tree.weighted_n_node_samples.tolist(),
            "missing": [MISSING_GOES[i] for i in tree.missing],
            "move": [MOVES[i] for i in tree.move],
            "gain": tree.gain.tolist(),
            **({"terms": terms_of(tree, describe(model).columns)} if tree.has_terms else {}),
        },
    }


def _held(
    one_hot: Mapping[str, Mapping[str, object]] | None,
) -> Mapping[str, Mapping[str, object]] | None:
    """The columns of sources, if JSON holds their categories."""
    for source, columns in (one_hot or {}).items():
        for category in columns.values():
            finite = not isinstance(category, float) or math.isfinite(category)
            if not finite or not isinstance(category, (str, bool, int, float, type(None))):
                raise TypeError(
                    f"one_hot[{source!r}] has the category {category!r}; JSON holds texts, finite "
                    "numbers, booleans and None."
                )
    return one_hot


def _pairs(
    value_names: Mapping[str, Mapping[float, str]] | None,
) -> dict[str, list[list[object]]] | None:
    """Values and words as pairs: a key of JSON is a text."""
    if value_names is None:
        return None
    return {name: [list(pair) for pair in words.items()] for name, words in value_names.items()}


def _date_parts_held(date_parts: Mapping[str, DatePart] | None) -> dict[str, object]:
    if not date_parts:
        return {}
    return {"date_parts": {name: when.plain() for name, when in date_parts.items()}}


def from_json(source: str | os.PathLike[str], *, takes_missing: bool | None = None) -> LoadedTree:
    """Read a tree that :func:`to_json` wrote.

    Parameters
    ----------
    source : str or PathLike
        The text, or the path of a file: a str is a text where its first character that is not
        space is a "{".
    takes_missing : bool, optional
        Whether rows may miss values; by default what is written there. Where the tree has seen no
        missing values, they go with the larger part at each split.

    Returns
    -------
    model : LoadedTree
        With ``predict``, ``apply`` and ``decision_path``; every exporter takes it.

    Raises
    ------
    ValueError
        Where it is not such a tree, or of a newer version. Files may come from anywhere: nothing
        in them is executed, and what cannot be walked is refused.

    Examples
    --------
    >>> from agathis.export import from_json
    >>> from_json('{"format": "agathis-tree", "version": 4}')
    Traceback (most recent call last):
        ...
    ValueError: source has version 4 of the format; this version of agathis reads versions 1 to 3.
    """
    data = _parsed(_text_of(source))
    if data.get("format") != FORMAT:
        raise wrong(f"its format is {data.get('format')!r}, not {FORMAT!r}")
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int):
        raise wrong(f"its version is {version!r}, not a whole number")
    if not VERSION <= version <= VERSION_WITH_STEPS:
        raise ValueError(
            f"source has version {version} of the format; this version of agathis reads versions "
            f"{VERSION} to {VERSION_WITH_STEPS}."
        )
    n_features = whole(data.get("n_features"), "n_features", 1, MAX_FEATURES)
    tree = _tree(data.get("nodes"), n_features, version)
    written = truth(data.get("takes_missing"), "takes_missing")
    model = data.get("model")
    if not isinstance(model, str):
        raise wrong(f"model is {model!r}, not a text")
    if data.get("n_clusters") != tree.n_clusters:
        raise wrong(f"n_clusters is {data.get('n_clusters')!r}; its leaves have {tree.n_clusters}")
    out = LoadedTree(
        tree,
        feature_names=_names(data, "feature_names", n_features),
        cluster_names=_names(data, "cluster_names", tree.n_clusters),
        one_hot=_one_hot(data.get("one_hot")),
        value_names=_value_names(data.get("value_names")),
        date_parts=_date_parts(data.get("date_parts"), data.get("feature_names")),
        takes_missing=written if takes_missing is None else takes_missing,
        source=model,
        objective=_objective(data.get("objective")),
        rounded=truth(data.get("rounded", False), "rounded"),
    )
    try:
        # Columns must be features, and can only be what the cuts of the tree allow.
        describe(out)
    except ValueError as error:
        raise wrong(str(error).partition(". ")[0].rstrip(".")) from error
    return out


def _objective(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, float) or not math.isfinite(value):
        raise wrong(f"objective is {value!r}, not a finite number")
    return float(value)


def _text_of(source: str | os.PathLike[str]) -> str:
    if isinstance(source, str) and source.lstrip()[:1] == "{":
        size = len(source)
    else:
        try:
            path = os.fspath(source)
        except TypeError:
            raise TypeError(f"source must be a text or a path; it is {source!r}.") from None
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
        raise wrong(f"{name} is no number of JSON")

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
        # What the two functions above have said stands; the rest comes from json, or from a
        # number of more digits than Python reads.
        if str(error).startswith("source is not"):
            raise
        raise wrong(f"it is not JSON, {error}") from error
    if not isinstance(data, dict):
        raise wrong(f"it is a {type(data).__name__}, not an object")
    return data


def _names(data: Mapping[str, Any], key: str, n: int) -> list[str] | None:
    names = data.get(key)
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise wrong(f"{key} is not a list of texts")
    if len(names) != n:
        raise wrong(f"{key} has {len(names)} names for {n}")
    return names


def _one_hot(found: object) -> dict[str, dict[str, object]] | None:
    if found is None:
        return None
    if not isinstance(found, dict) or not found:
        raise wrong(f"one_hot is {short(found)}, not an object with sources")
    for source, columns in found.items():
        if not isinstance(columns, Mapping) or not columns:
            raise wrong(f"one_hot has {short(columns)} for {short(source)}, not its columns")
        for category in columns.values():
            if isinstance(category, (int, float)) and not isinstance(category, bool):
                real(category, "a category of one_hot", -math.inf)
            elif not isinstance(category, (str, bool, type(None))):
                raise wrong(f"one_hot has the category {short(category)}")
    return found


def _value_names(found: object) -> dict[str, dict[float, str]] | None:
    if found is None:
        return None
    if not isinstance(found, Mapping) or not found:
        raise wrong(f"value_names is {short(found)}, not an object with features")
    out: dict[str, dict[float, str]] = {}
    for name, pairs in found.items():
        words = out[name] = {}
        for pair in pairs if isinstance(pairs, list) else [None]:
            if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], str):
                raise wrong(f"value_names has no pairs of a value and a word for {short(name)}")
            words[real(pair[0], "a value of value_names", -math.inf)] = pair[1]
    return out


def _date_parts(found: object, names: object) -> dict[str, DatePart] | None:
    if found is None:
        return None
    if not isinstance(found, Mapping) or not found:
        raise wrong(f"date_parts is {short(found)}, not an object with features")
    out = {}
    for name, when in found.items():
        if not isinstance(names, list) or name not in names:
            raise wrong(f"date_parts has {short(name)}, which is no feature")
        try:
            out[name] = date_part_of(when)
        except ValueError as error:
            raise wrong(f"date_parts has {short(name)}, and {error}") from error
    return out


def _tree(nodes: object, n_features: int, version: int) -> Tree:
    if not isinstance(nodes, Mapping):
        raise wrong("it has no nodes")
    for name in NODES:
        if not isinstance(nodes.get(name), list):
            raise wrong(f"nodes has no list {name}")
    n = len(nodes["left"])
    lengths = {len(nodes[name]) for name in NODES}
    if lengths != {n} or not 0 < n < 2**31:
        raise wrong(f"the lists of nodes have the lengths {sorted(lengths)}")
    leaf = [value is None for value in nodes["left"]]
    for name in ("right", "feature", "threshold"):
        if [value is None for value in nodes[name]] != leaf:
            raise wrong(f"left and {name} are not null at the same nodes")

    def of_cuts(name: str, missing: int, high: int) -> list[int]:
        return [missing if v is None else whole(v, name, 0, high) for v in nodes[name]]

    def word(name: str, words: tuple[str, ...]) -> list[int]:
        for value in nodes[name]:
            if not isinstance(value, str) or value not in words:
                raise wrong(f"{name} is {short(value)}, none of {', '.join(words)}")
        return [words.index(value) for value in nodes[name]]

    def at(threshold: object) -> float:
        if threshold is None or threshold == "inf":
            return float(UNDEFINED) if threshold is None else math.inf
        return real(threshold, "threshold", -math.inf)

    arrays = {
        "children_left": of_cuts("left", LEAF, n - 1),
        "children_right": of_cuts("right", LEAF, n - 1),
        "feature": of_cuts("feature", UNDEFINED, n_features - 1),
        "threshold": [at(value) for value in nodes["threshold"]],
        "cluster": [whole(v, "cluster", 0, n - 1) for v in nodes["cluster"]],
        "gain": [real(v, "gain", -math.inf) for v in nodes["gain"]],
        "move": word("move", MOVES),
        "missing": word("missing", MISSING_GOES),
        "n_node_samples": [whole(v, "samples", 0, 2**63 - 1) for v in nodes["samples"]],
        "weighted_n_node_samples": [real(v, "weight", 0.0) for v in nodes["weight"]],
        "depth": [0] * n,
        "n_features": n_features,
    }
    steps: list[Steps] = []
    if version >= VERSION_WITH_TERMS:
        found, steps = read_terms(nodes.get("terms"), n, n_features, version)
        arrays |= found
    try:
        # Children come after their parent, each of one: there is no cycle once this holds.
        tree = with_steps(Tree.from_dict(arrays), steps)
    except ValueError as error:
        raise wrong(str(error).rstrip(".").removeprefix("data is not a tree: ")) from error
    for node in np.flatnonzero(~tree.is_leaf):
        tree.depth[[tree.children_left[node], tree.children_right[node]]] = tree.depth[node] + 1
    return tree
