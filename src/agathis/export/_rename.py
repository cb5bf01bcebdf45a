"""Other names for the clusters of a model, or of the file that it is kept in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._describe.described_tree import describe
from agathis._describe.titles import cluster_titles
from agathis._model.conversion import fitted_model
from agathis._model.fitted_model import FittedModel
from agathis._trees.tree import Tree
from agathis.export._json import from_json


def renamed(
    model: BaseEstimator | Pipeline | Tree, names: Sequence[str] | Mapping[int | str, str]
) -> FittedModel:
    """The model with other names for its clusters; the model itself stays as it is.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`; mostly what :func:`agathis.export.from_json` gave.
    names : sequence of str, or mapping
        A name for each cluster, or for some of them by number or by the name that they have:
        ``{0: "heavy", "flipper <= 206": "light"}``. No two clusters have one name. Of a model
        without names the others get titles of what tells them apart.

    Returns
    -------
    model : FittedModel
        Every export, picture and page uses its names.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import renamed, to_rules
    >>> model = renamed(Kauri(2).fit([[0.0], [1.0], [9.0]]), {1: "far"})
    >>> [rule["cluster"] for rule in to_rules(model)]
    ['x[0] <= 5', 'far']
    >>> renamed(model, {"far": "near", 0: "near"})
    Traceback (most recent call last):
        ...
    ValueError: names gives 'near' to the clusters 0 and 1; each needs a name of its own.
    """
    return fitted_model(model, cluster_names=new_names(present_names(model), names))


def renamed_text(text: str, names: Sequence[str] | Mapping[int | str, str]) -> str:
    """The same of what :func:`agathis.export.to_json` wrote; all else in the file stays."""
    model = from_json(text)
    data = json.loads(text)
    data["cluster_names"] = new_names(present_names(model), names)
    lines = text.strip().splitlines()
    # As it was laid out: in one line, or with as many spaces as its second line has.
    indent = len(lines[1]) - len(lines[1].lstrip(" ")) if len(lines) > 1 else None
    return json.dumps(data, allow_nan=False, indent=indent) + text[len(text.rstrip()) :]


def present_names(model: BaseEstimator | Pipeline | Tree) -> list[str]:
    """The names that clusters were given, or else the titles by which pages speak of them."""
    described = describe(model)
    return described.clusters if described.named_clusters else cluster_titles(described)


def new_names(present: Sequence[str], names: Sequence[str] | Mapping[int | str, str]) -> list[str]:
    """The names after the change, one for each cluster."""
    out = list(present)
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
                f"names gives {name!r} to the clusters {out.index(name)} and {k}; each needs a "
                "name of its own."
            )
    return out


def cluster_of(key: object, present: Sequence[str]) -> int:
    """The number of a cluster that is told by its number or its name."""
    if isinstance(key, str) and key in present:
        return list(present).index(key)
    known = ", ".join(f"{k} ({name})" for k, name in enumerate(present))
    number = key.strip().removeprefix("cluster ") if isinstance(key, str) else ""
    if number.isdecimal():
        key = int(number)
    if isinstance(key, Integral) and not isinstance(key, bool) and 0 <= int(key) < len(present):
        return int(key)
    raise ValueError(f"names has {key!r}, which is no cluster; there are {known}.")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"names must be texts; one is {name!r}.")
    name = name.strip()
    if not name:
        raise ValueError("names has an empty name; each cluster needs one.")
    return name
