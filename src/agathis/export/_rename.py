"""Rename the clusters of a model or of a model file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._model.conversion import fitted_model
from agathis._model.fitted_model import FittedModel
from agathis._rules.described_tree import describe
from agathis._rules.titles import cluster_titles
from agathis._trees.tree import Tree
from agathis.export._json import from_json


def renamed(
    model: BaseEstimator | Pipeline | Tree, names: Sequence[str] | Mapping[int | str, str]
) -> FittedModel:
    """Rename clusters and return a new model.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`; mostly what :func:`agathis.export.from_json` gave.
    names : sequence of str, or mapping
        A name for each cluster, or a mapping from numbers or current names to new names, such as
        ``{0: "heavy", "flipper <= 206": "light"}``. Names must be unique. Others keep
        their names; a sequence names every cluster.

    Returns
    -------
    model : FittedModel
        Exports, plots and reports use its names.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import renamed, to_rules
    >>> model = renamed(Kauri(2).fit([[0.0], [1.0], [9.0]]), {1: "far"})
    >>> [rule["cluster"] for rule in to_rules(model)]
    ['cluster 0', 'far']
    >>> renamed(model, {"far": "near", 0: "near"})
    Traceback (most recent call last):
        ...
    ValueError: names gives 'near' to the clusters 0 and 1; names must be unique.
    """
    return fitted_model(model, cluster_names=_of_model(model, names))


def renamed_text(text: str, names: Sequence[str] | Mapping[int | str, str]) -> str:
    """Rename the clusters in a text of :func:`agathis.export.to_json`; all else is unchanged."""
    model = from_json(text)
    data = json.loads(text)
    data["cluster_names"] = _of_model(model, names)
    lines = text.strip().splitlines()
    # As it was laid out: in one line, or with as many spaces as its second line has.
    indent = len(lines[1]) - len(lines[1].lstrip(" ")) if len(lines) > 1 else None
    return json.dumps(data, allow_nan=False, indent=indent) + text[len(text.rstrip()) :]


def present_names(model: BaseEstimator | Pipeline | Tree) -> list[str]:
    """The names of the clusters, or the titles that reports display."""
    described = describe(model)
    return described.clusters if described.named_clusters else cluster_titles(described)


def _of_model(
    model: BaseEstimator | Pipeline | Tree, names: Sequence[str] | Mapping[int | str, str]
) -> list[str]:
    """The new names; clusters without a name remain "cluster 0" and so on."""
    return new_names(present_names(model), names, describe(model).clusters)


def new_names(
    present: Sequence[str],
    names: Sequence[str] | Mapping[int | str, str],
    kept: Sequence[str] | None = None,
) -> list[str]:
    """The new names of all clusters; others are ``kept``, by default the present ones."""
    out = list(present if kept is None else kept)
    if isinstance(names, Mapping):
        seen: dict[int, int | str] = {}
        for key, name in names.items():
            k = cluster_of(key, present)
            if k in seen:
                raise ValueError(f"names has cluster {k} twice, as {seen[k]!r} and as {key!r}.")
            seen[k] = key
            out[k] = _name(name)
    elif isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(
            "names must be a name for each cluster, or map numbers of clusters to names; it is "
            f"{names!r}."
        )
    else:
        if len(names) != len(present):
            raise ValueError(f"names has {len(names)} names; the tree has {len(present)} clusters.")
        out = [_name(name) for name in names]
    for k, name in enumerate(out):
        if name in out[:k]:
            raise ValueError(
                f"names gives {name!r} to the clusters {out.index(name)} and {k}; names "
                "must be unique."
            )
    return out


def cluster_of(key: object, present: Sequence[str]) -> int:
    """The number of a cluster, given by number or name."""
    if isinstance(key, str) and key in present:
        return list(present).index(key)
    known = ", ".join(f"{k} ({name})" for k, name in enumerate(present))
    number = key.strip().removeprefix("cluster ") if isinstance(key, str) else ""
    if number.isdecimal():
        key = int(number)
    if isinstance(key, Integral) and not isinstance(key, bool) and 0 <= int(key) < len(present):
        return int(key)
    raise ValueError(f"names has {key!r}, which is not a cluster; clusters are {known}.")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"names must be strings; one is {name!r}.")
    name = name.strip()
    if not name:
        raise ValueError("names has an empty name; each cluster needs one.")
    return name
