"""The fit in a model file: settings, preparation, roles, centres, scores, provenance.

All entries are optional, plain data, and validated when they are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

import numpy as np

from agathis._checks.roles import FeatureRoles
from agathis._model.encoding import (
    CategoryColumn,
    Encoding,
    Logarithm,
    NumberColumn,
    Operation,
    Ranks,
    Unavailable,
)
from agathis._model.facts import CentrePoints, ColumnUse, FitMetrics, Provenance
from agathis._model.fitted_model import FittedModel
from agathis._model.spec import FitSpec
from agathis._trees.stepped import OPERATIONS, Step
from agathis._trees.tree import Tree
from agathis.export._json_checks import real, short, truth, whole, wrong
from agathis.export._json_tree import fitted_nodes_record, read_nodes

# More than any encoder makes.
MAX_OPERATIONS, MAX_POINTS, MAX_COLUMNS = 100, 100_000, 1 << 20
MAX_TEXT = 1 << 20
T = TypeVar("T")
READING = {"na": list, "encoding": str, "separator": str, "decimal": str}


def fit_record(model: FittedModel) -> dict[str, Any]:
    """The entries of the fit in a model file."""
    preparation = _preparation_record(model.preparation)
    # Roles and centres of columns that cannot be computed again are of no use.
    unknown = preparation is not None and "unavailable" in preparation
    roles, centres, tree = model.roles, model.centres, model.fitted_tree
    return {
        "spec": _spec_record(model),
        "preparation": preparation,
        "fitted_nodes": None if unknown else fitted_nodes_record(tree),
        "roles": None if unknown or roles is None else _roles_record(roles),
        "centres": None if unknown or centres is None else asdict(centres),
        "fit": None if model.fit_metrics is None else asdict(model.fit_metrics),
        "provenance": None if model.provenance is None else asdict(model.provenance),
    }


def read_fit(data: Mapping[str, Any], tree: Tree, version: int) -> dict[str, Any]:
    """Read these entries as arguments of ``FittedModel``."""
    preparation = _entry(data, "preparation", _preparation, tree.n_features)
    out: dict[str, Any] = {
        "spec": _entry(data, "spec", _spec),
        "preparation": preparation,
        "fit_metrics": _entry(data, "fit", _metrics),
        "provenance": _entry(data, "provenance", _provenance),
    }
    if isinstance(preparation, Unavailable):
        return out
    n = tree.n_features
    if preparation is not None:
        n = len(preparation.columns)
        out["fitted_tree"] = _fitted_tree(data.get("fitted_nodes"), tree, n, version)
    out["roles"] = _entry(data, "roles", _roles, n)
    out["centres"] = _entry(data, "centres", _centres, n, tree.n_clusters)
    return out


def _spec_record(model: FittedModel) -> dict[str, Any] | None:
    if isinstance(model.spec, Unavailable):
        return {"unavailable": model.spec.why}
    if model.spec is None:
        return None
    try:
        return model.spec.to_dict()
    except (TypeError, ValueError) as error:
        return {"unavailable": str(error).rstrip(".")}


def _preparation_record(found: Encoding | Unavailable | None) -> dict[str, Any] | None:
    if found is None:
        return None
    why = found.why if isinstance(found, Unavailable) else found.why_not_written
    if why is not None or isinstance(found, Unavailable):
        return {"unavailable": why}
    return {"steps": found.steps, "columns": [_column_record(column) for column in found.columns]}


def _column_record(column: Any) -> dict[str, Any]:
    if isinstance(column, CategoryColumn):
        return {
            "categories": [list(pair) for pair in column.values],
            "unknown": _or_null(column.unknown),
            "missing": _or_null(column.missing),
        }
    return {"feature": column.feature, "operations": [_operation(o) for o in column.operations]}


def _operation(operation: Operation) -> list[Any]:
    if isinstance(operation, Logarithm):
        return ["log"]
    if isinstance(operation, Ranks):
        return ["rank", list(operation.points), list(operation.ranks)]
    return [operation.operation, operation.by]


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value


def _roles_record(roles: FeatureRoles) -> dict[str, Any]:
    return {
        "one_hot": [columns.tolist() for columns in roles.one_hot],
        "split": roles.split.tolist(),
        "kernel": roles.kernel.tolist(),
    }


# ---- reading ----


def _entry(
    data: Mapping[str, Any], name: str, reader: Callable[..., T], *sizes: object
) -> T | None:
    """Read an optional object of the file."""
    found = data.get(name)
    if found is None:
        return None
    if not isinstance(found, Mapping):
        raise wrong(f"{name} is {short(found)}, not an object")
    return reader(found, *sizes)


def _spec(found: Mapping[str, Any]) -> FitSpec | Unavailable:
    if "unavailable" in found:
        return Unavailable(_text(found["unavailable"], "spec"))
    try:
        return FitSpec.from_dict(found)
    except ValueError as error:
        raise wrong(f"its spec cannot be read, {short(str(error))}") from error


def _preparation(found: Mapping[str, Any], n_features: int) -> Encoding | Unavailable:
    if "unavailable" in found:
        return Unavailable(_text(found["unavailable"], "preparation"))
    columns = _list(found.get("columns"), "the columns of preparation", MAX_COLUMNS)
    if not columns:
        raise wrong("preparation has no columns")
    return Encoding(
        tuple(_column(column, n_features) for column in columns),
        _text(found.get("steps"), "the steps of preparation"),
    )


def _fitted_tree(found: object, tree: Tree, n_columns: int, version: int) -> Tree:
    out = read_nodes(found, n_columns, version)
    if out.node_count != tree.node_count or out.n_clusters != tree.n_clusters:
        raise wrong("fitted_nodes is another tree than nodes")
    return out


def _column(found: object, n_features: int) -> NumberColumn | CategoryColumn:
    if not isinstance(found, Mapping):
        raise wrong(f"preparation has the column {short(found)}, not an object")
    if "categories" in found:
        pairs = _list(found["categories"], "categories", n_features)
        values = []
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                raise wrong(f"preparation has the category {short(pair)}, not a pair")
            feature = whole(pair[0], "a feature of preparation", 0, n_features - 1)
            values.append((feature, real(pair[1], "a value of preparation", -math.inf)))
        if not values:
            raise wrong("preparation has a column without categories")
        unknown, missing = (_nan_or_real(found.get(name), name) for name in ("unknown", "missing"))
        return CategoryColumn(tuple(values), unknown, missing)
    feature = whole(found.get("feature"), "a feature of preparation", 0, n_features - 1)
    operations = _list(found.get("operations"), "operations", MAX_OPERATIONS)
    return NumberColumn(feature, tuple(map(_read_operation, operations)))


def _read_operation(found: object) -> Operation:
    if found == ["log"]:
        return Logarithm()
    if isinstance(found, list) and len(found) == 3 and found[0] == "rank":
        points, ranks = (_numbers(one, "ranks", MAX_POINTS) for one in found[1:])
        if len(points) != len(ranks) or not points or any(np.diff(points) <= 0):
            raise wrong("preparation has ranks of points that do not rise")
        return Ranks(points, ranks)
    if not isinstance(found, list) or len(found) != 2 or found[0] not in OPERATIONS:
        raise wrong(f"preparation has the operation {short(found)}")
    by = real(found[1], "the number of an operation", -math.inf)
    if by == 0 and found[0] == "divide":
        raise wrong("preparation divides by 0")
    return Step(found[0], by)


def _roles(found: Mapping[str, Any], n: int) -> FeatureRoles:
    groups = []
    taken: set[int] = set()
    for group in _list(found.get("one_hot"), "one_hot of roles", n):
        columns = [whole(c, "a column of roles", 0, n - 1) for c in _list(group, "a group", n)]
        if not columns or len(set(columns)) < len(columns) or taken.intersection(columns):
            raise wrong("roles has a group that is empty or has a column twice")
        taken.update(columns)
        groups.append(np.array(columns, dtype=np.intp))
    masks = []
    for name in ("split", "kernel"):
        mask = _list(found.get(name), f"{name} of roles", n)
        booleans = [truth(one, f"{name} of roles") for one in mask]
        if len(booleans) != n or not any(booleans):
            raise wrong(f"{name} of roles has no column, or not one entry for each")
        masks.append(np.array(booleans, dtype=bool))
    split = masks[0]
    if any(split[group].any() and not split[group].all() for group in groups):
        raise wrong("roles splits on some columns of a group only")
    return FeatureRoles(tuple(groups), *masks)


def _centres(found: Mapping[str, Any], n: int, n_clusters: int) -> CentrePoints:
    origin = _numbers(found.get("origin"), "the origin of centres", n)
    rows = _list(found.get("points"), "points of centres", MAX_COLUMNS)
    points = tuple(_numbers(row, "a centre", n) for row in rows)
    if len(points) != n_clusters or {len(row) for row in points} != {len(origin)} or not origin:
        raise wrong("centres has not one point for each cluster")
    fill = found.get("fill")
    filled = None if fill is None else _numbers(fill, "fill of centres", n)
    if filled is not None and len(filled) != n:
        raise wrong("fill of centres has not one number for each column")
    return CentrePoints(points, origin, filled)


def _metrics(found: Mapping[str, Any]) -> FitMetrics:
    out: dict[str, Any] = {}
    for name in ("objective", "inertia", "lower_bound", "gap"):
        value = found.get(name)
        out[name] = None if value is None else real(value, f"{name} of fit", -math.inf)
    optimal, n = found.get("is_optimal"), found.get("n_samples")
    out["is_optimal"] = None if optimal is None else truth(optimal, "is_optimal")
    out["n_samples"] = None if n is None else whole(n, "n_samples", 0, 2**63 - 1)
    return FitMetrics(**out)


def _provenance(found: Mapping[str, Any]) -> Provenance:
    out: dict[str, Any] = {}
    for name in ("source", "rows_why", "scaling", "target", "identifier"):
        value = found.get(name)
        out[name] = None if value is None else _text(value, f"{name} of provenance")
    for name in ("rows_read", "rows_used"):
        value = found.get(name)
        out[name] = None if value is None else whole(value, name, 0, 2**63 - 1)
    for name in ("show", "notes"):
        texts = _list(found.get(name), f"{name} of provenance", MAX_COLUMNS)
        out[name] = tuple(_text(one, f"{name} of provenance") for one in texts)
    out["missing"] = found.get("missing")
    if out["missing"] not in ("tree", "drop", "error"):
        raise wrong(f"missing of provenance is {short(out['missing'])}, not tree, drop or error")
    columns = _list(found.get("columns"), "columns of provenance", MAX_COLUMNS)
    out["columns"] = tuple(map(_column_use, columns))
    reading = found.get("reading")
    if not isinstance(reading, Mapping):
        raise wrong(f"reading of provenance is {short(reading)}, not an object")
    for name, value in reading.items():
        if not isinstance(value, READING.get(name, ())):
            raise wrong(f"reading of provenance has {short(name)}: {short(value)}")
        for text in value if isinstance(value, list) else [value]:
            _text(text, f"{short(name)} of reading")
    out["reading"] = dict(reading)
    return Provenance(**out)


def _column_use(found: object) -> ColumnUse:
    names = {field.name for field in fields(ColumnUse)}
    if not isinstance(found, Mapping) or set(found) != names:
        raise wrong(f"provenance has the column {short(found)}")
    texts = {name: _text(found[name], "columns of provenance") for name in names - {"used"}}
    used = found["used"]
    return ColumnUse(**texts, used=None if used is None else truth(used, "used"))


def _list(found: object, name: str, most: int) -> list[Any]:
    if not isinstance(found, list) or len(found) > most:
        raise wrong(f"{name} is {short(found)}, not a list of at most {most}")
    return found


def _numbers(found: object, name: str, most: int) -> tuple[float, ...]:
    return tuple(real(value, name, -math.inf) for value in _list(found, name, most))


def _nan_or_real(found: object, name: str) -> float:
    return math.nan if found is None else real(found, f"{name} of preparation", -math.inf)


def _text(found: object, name: str) -> str:
    if not isinstance(found, str) or len(found) > MAX_TEXT:
        raise wrong(f"{name} is {short(found)}, not a string of at most {MAX_TEXT} characters")
    return found
