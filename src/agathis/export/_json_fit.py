"""The fit in a model file: settings, preparation, roles, centres, scores, provenance, evidence.

All entries are optional, plain data, and validated when they are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np

from agathis._checks.roles import FeatureRoles
from agathis._model.agreement import Agreement
from agathis._model.encoding import (
    CategoryColumn,
    Encoding,
    NumberColumn,
    Unavailable,
)
from agathis._model.evidence import Evidence
from agathis._model.facts import CentrePoints, FitMetrics, Provenance
from agathis._model.fitted_model import FittedModel
from agathis._model.spec import FitSpec
from agathis._trees.stepped import Logarithm, Operation, Ranks
from agathis._trees.tree import Tree
from agathis.export._json_checks import (
    boolean,
    integer,
    items,
    mapping,
    read_as,
    read_step,
    real,
    short,
    string,
    wrong,
)
from agathis.export._json_tree import fitted_nodes_record, read_nodes

# More than any encoder makes.
MAX_OPERATIONS = 100
T = TypeVar("T")


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
        **({} if model.evidence is None else {"evidence": asdict(model.evidence)}),
        **({} if model.agreement is None else {"agreement": asdict(model.agreement)}),
    }


def read_fit(data: Mapping[str, Any], tree: Tree) -> dict[str, Any]:
    """Read these entries as arguments of ``FittedModel``."""
    preparation = _entry(data, "preparation", _preparation, tree.n_features)
    out: dict[str, Any] = {
        "spec": _entry(data, "spec", _spec),
        "preparation": preparation,
        "fit_metrics": read_as(FitMetrics | None, data.get("fit"), "fit"),
        "provenance": read_as(Provenance | None, data.get("provenance"), "provenance"),
        "evidence": _evidence(data.get("evidence"), tree),
        "agreement": _agreement(data, tree),
    }
    if isinstance(preparation, Unavailable):
        return out
    n = tree.n_features
    if preparation is not None:
        n = len(preparation.columns)
        out["fitted_tree"] = fitted = read_nodes(data.get("fitted_nodes"), n)
        if fitted.node_count != tree.node_count or fitted.n_clusters != tree.n_clusters:
            raise wrong("fitted_nodes is another tree than nodes")
    out["roles"] = _entry(data, "roles", _roles, n)
    out["centres"] = centres = read_as(CentrePoints | None, data.get("centres"), "centres")
    if centres is not None:
        _check_centres(centres, n, tree.n_clusters)
    return out


def _evidence(value: object, tree: Tree) -> Evidence | None:
    evidence: Evidence | None = read_as(Evidence | None, value, "evidence")
    if evidence is None:
        return None
    if {split.node for split in evidence.splits} != set(np.flatnonzero(~tree.is_leaf).tolist()):
        raise wrong("evidence is that of another tree than nodes")
    if evidence.rules and [one.cluster for one in evidence.rules] != list(range(tree.n_clusters)):
        raise wrong("evidence is that of other clusters than those of nodes")
    return evidence


def _spec_record(model: FittedModel) -> dict[str, Any] | None:
    if isinstance(model.spec, Unavailable):
        return {"unavailable": model.spec.why}
    if model.spec is None:
        return None
    try:
        return model.spec.to_dict()
    except (TypeError, ValueError) as error:
        return {"unavailable": str(error).rstrip(".")}


def _preparation_record(encoding: Encoding | Unavailable | None) -> dict[str, Any] | None:
    if encoding is None:
        return None
    why = encoding.why if isinstance(encoding, Unavailable) else encoding.why_not_written
    if why is not None or isinstance(encoding, Unavailable):
        return {"unavailable": why}
    return {"steps": encoding.steps, "columns": list(map(_column_record, encoding.columns))}


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
    data: Mapping[str, Any], name: str, reader: Callable[..., T], *known: Any
) -> T | Unavailable | None:
    """Read an optional object of the file."""
    if data.get(name) is None:
        return None
    entry = mapping(data[name], name)
    if "unavailable" in entry:
        return Unavailable(string(entry["unavailable"], name))
    return reader(entry, *known)


def _spec(entry: Mapping[str, Any]) -> FitSpec:
    try:
        return FitSpec.from_dict(entry)
    except ValueError as error:
        raise wrong(f"its spec cannot be read, {short(str(error))}") from error


def _preparation(entry: Mapping[str, Any], n_features: int) -> Encoding:
    columns = items(entry.get("columns"), "the columns of preparation")
    if not columns:
        raise wrong("preparation has no columns")
    return Encoding(
        tuple(
            _column(mapping(column, "a column of preparation"), n_features) for column in columns
        ),
        string(entry.get("steps"), "the steps of preparation"),
    )


def _column(column: Mapping[str, Any], n_features: int) -> NumberColumn | CategoryColumn:
    def feature(value: object) -> int:
        return integer(value, "a feature of preparation", 0, n_features - 1)

    if "categories" not in column:
        operations = items(column.get("operations"), "operations", MAX_OPERATIONS)
        return NumberColumn(feature(column.get("feature")), tuple(map(_read_operation, operations)))
    values = []
    for pair in items(column["categories"], "categories", n_features):
        if not isinstance(pair, list) or len(pair) != 2:
            raise wrong(f"preparation has the category {short(pair)}, not a pair")
        values.append((feature(pair[0]), real(pair[1], "a value of preparation")))
    if not values:
        raise wrong("preparation has a column without categories")
    unknown, missing = (
        math.nan if column.get(name) is None else real(column[name], f"{name} of preparation")
        for name in ("unknown", "missing")
    )
    return CategoryColumn(tuple(values), unknown, missing)


def _read_operation(value: object) -> Operation:
    if value == ["log"]:
        return Logarithm()
    if isinstance(value, list) and len(value) == 3 and value[0] == "rank":
        points, ranks = (read_as(tuple[float, ...], one, "ranks") for one in value[1:])
        if len(points) != len(ranks) or not points or any(np.diff(points) <= 0):
            raise wrong("preparation has ranks of points that do not rise")
        return Ranks(points, ranks)
    return read_step(value, "an operation of preparation")


def _roles(entry: Mapping[str, Any], n: int) -> FeatureRoles:
    groups = []
    taken: set[int] = set()
    for group in items(entry.get("one_hot"), "one_hot of roles", n):
        columns = [integer(c, "a column of roles", 0, n - 1) for c in items(group, "a group", n)]
        if not columns or len(set(columns)) < len(columns) or taken.intersection(columns):
            raise wrong("roles has a group that is empty or has a column twice")
        taken.update(columns)
        groups.append(np.array(columns, dtype=np.intp))
    masks = []
    for name in ("split", "kernel"):
        mask = items(entry.get(name), f"{name} of roles", n)
        booleans = [boolean(one, f"{name} of roles") for one in mask]
        if len(booleans) != n or not any(booleans):
            raise wrong(f"{name} of roles has no column, or not one entry for each")
        masks.append(np.array(booleans, dtype=bool))
    split = masks[0]
    if any(split[group].any() and not split[group].all() for group in groups):
        raise wrong("roles splits on some columns of a group only")
    return FeatureRoles(tuple(groups), *masks)


def _agreement(data: Mapping[str, Any], tree: Tree) -> Agreement | None:
    agreement: Agreement | None
    agreement = read_as(Agreement | None, data.get("agreement"), "agreement")
    if agreement is None:
        return None
    if len(agreement.labels) < tree.n_clusters:
        raise wrong("agreement has not one label for each cluster")
    if [leaf.node for leaf in agreement.leaves] != np.flatnonzero(tree.is_leaf).tolist():
        raise wrong("agreement has other leaves than nodes")
    try:
        agreement.classes(tree.n_clusters)
    except ValueError as error:
        raise wrong("agreement has a label that is no integer") from error
    return agreement


def _check_centres(centres: CentrePoints, n: int, n_clusters: int) -> None:
    sizes = {len(centres.origin), *map(len, centres.points)}
    if len(centres.points) != n_clusters or len(sizes) > 1 or not 0 < len(centres.origin) <= n:
        raise wrong("centres has not one point for each cluster")
    if centres.fill is not None and len(centres.fill) != n:
        raise wrong("fill of centres has not one number for each column")
