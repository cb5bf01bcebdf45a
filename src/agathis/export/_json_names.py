"""The names in a model file: features, clusters, categories, values and date parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from agathis._encoding.date_parts import DatePart
from agathis._model.fitted_model import FittedModel
from agathis.export._json_checks import read_as, real, short, wrong


def names_record(model: FittedModel) -> dict[str, Any]:
    """The names of a model as entries of its file."""
    return {
        "feature_names": model.feature_names,
        "cluster_names": model.cluster_names,
        "one_hot": _one_hot_record(model.one_hot),
        "value_names": _pairs(model.value_names),
        **_date_parts_record(model.date_parts),
    }


def read_names(data: Mapping[str, Any], n_features: int, n_clusters: int) -> dict[str, Any]:
    """Read these entries as arguments of ``FittedModel``."""
    return {
        "feature_names": _names(data, "feature_names", n_features),
        "cluster_names": _names(data, "cluster_names", n_clusters),
        "one_hot": _one_hot(data.get("one_hot")),
        "value_names": _value_names(data.get("value_names")),
        "date_parts": _date_parts(data.get("date_parts"), data.get("feature_names")),
    }


def _one_hot_record(
    one_hot: Mapping[str, Mapping[str, object]] | None,
) -> Mapping[str, Mapping[str, object]] | None:
    """The columns of categorical features, if JSON can store their categories."""
    for feature, columns in (one_hot or {}).items():
        for category in columns.values():
            finite = not isinstance(category, float) or math.isfinite(category)
            if not finite or not isinstance(category, (str, bool, int, float, type(None))):
                raise TypeError(
                    f"one_hot[{feature!r}] has the category {category!r}; JSON stores strings, "
                    "finite numbers, booleans and None."
                )
    return one_hot


def _pairs(
    value_names: Mapping[str, Mapping[float, str]] | None,
) -> dict[str, list[list[object]]] | None:
    """Values and their names as pairs, because keys of JSON are strings."""
    if value_names is None:
        return None
    return {name: [list(pair) for pair in names.items()] for name, names in value_names.items()}


def _date_parts_record(date_parts: Mapping[str, DatePart] | None) -> dict[str, object]:
    if not date_parts:
        return {}
    return {"date_parts": {name: when.plain() for name, when in date_parts.items()}}


def _names(data: Mapping[str, Any], key: str, n: int) -> list[str] | None:
    names = data.get(key)
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise wrong(f"{key} is not a list of strings")
    if len(names) != n:
        raise wrong(f"{key} has {len(names)} names for {n}")
    return names


def _one_hot(value: object) -> dict[str, dict[str, object]] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not value:
        raise wrong(f"one_hot is {short(value)}, not an object with categorical features")
    for feature, columns in value.items():
        if not isinstance(columns, Mapping) or not columns:
            raise wrong(f"one_hot has {short(columns)} for {short(feature)}, not its columns")
        for category in columns.values():
            if isinstance(category, (int, float)) and not isinstance(category, bool):
                real(category, "a category of one_hot")
            elif not isinstance(category, (str, bool, type(None))):
                raise wrong(f"one_hot has the category {short(category)}")
    return value


def _value_names(value: object) -> dict[str, dict[float, str]] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value:
        raise wrong(f"value_names is {short(value)}, not an object with features")
    out: dict[str, dict[float, str]] = {}
    for name, pairs in value.items():
        names = out[name] = {}
        for pair in pairs if isinstance(pairs, list) else [None]:
            if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], str):
                raise wrong(f"value_names has no pairs of a value and a name for {short(name)}")
            names[real(pair[0], "a value of value_names")] = pair[1]
    return out


def _date_parts(value: object, names: object) -> dict[str, DatePart] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value:
        raise wrong(f"date_parts is {short(value)}, not an object with features")
    out = {}
    for name, when in value.items():
        if not isinstance(names, list) or name not in names:
            raise wrong(f"date_parts has {short(name)}, which is no feature")
        out[name] = part = read_as(DatePart, when, f"date_parts of {short(name)}")
        try:
            part.check()
        except ValueError as error:
            raise wrong(f"date_parts of {short(name)} is invalid: {error}") from error
    return out
