"""The features of a table and their names.

A number gives one feature, a category one for each value, and a date part one to split on and two
on its circle. All names are unique, and generated ones differ from those of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agathis._checks.roles import FeatureRoles
from agathis._columns import datetimes
from agathis._encoding.column_roles import ColumnType
from agathis._encoding.date_parts import CIRCLE, DatePart
from agathis._encoding.feature_rows import FeatureRows, feature_rows
from agathis._encoding.scaling import FeatureScaler


@dataclass(frozen=True)
class Feature:
    """A feature computed from a column.

    ``category`` is that of a one-hot column of the categorical feature ``source``; ``when`` is the
    date part, if it is one.
    """

    name: str
    source: str
    kind: str
    category: object = None
    when: DatePart | None = None

    @property
    def circle(self) -> tuple[str, str] | None:
        """Column and part of a sine or cosine; else None."""
        if self.when is None or not self.when.circle:
            return None
        return self.when.column, self.when.part


def features_of(used: Sequence[ColumnType], names: Collection[str] = ()) -> list[Feature]:
    """List the features of the used columns; ``names`` are those of all columns."""
    out: list[Feature] = []
    taken = {*names, *(column_type.name for column_type in used)}

    def new(name: str) -> str:
        # Another column may have the same name.
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    def add_part(name: str, when: DatePart) -> None:
        out.append(Feature(name, when.column, "number", when=when))
        if when.part in datetimes.PARTS and datetimes.PARTS[when.part].period is not None:
            for side in CIRCLE:
                turned = replace(when, circle=side)
                circle_name = new(f"{name}{datetimes.OF}{side}")
                out.append(Feature(circle_name, when.column, "number", when=turned))

    for column_type in used:
        column = column_type.name
        if column_type.kind == "category":
            for category in column_type.categories:
                name = new(f"{column}_{'missing' if category is None else category}")
                out.append(Feature(name, column, "category", category))
        elif column_type.kind == "ordered":
            levels = tuple(map(str, column_type.categories))
            rank = DatePart(column, "rank", "levels", levels=levels)
            out.append(Feature(column, column, "number", when=rank))
        elif column_type.kind == "calendar":
            add_part(column, DatePart(column, column_type.parts[0], column_type.holds))
        elif column_type.kind == "date":
            for part in column_type.parts:
                name = new(f"{column}{datetimes.OF}{part}")
                first, form = column_type.first_is_day, column_type.form
                add_part(name, DatePart(column, part, first_is_day=first, form=form))
        else:
            out.append(Feature(column, column, "number"))
    return out


def one_hot_of(features: Sequence[Feature]) -> dict[str, dict[str, object]]:
    """Map each categorical feature to its columns with their categories."""
    out: dict[str, dict[str, object]] = {}
    for feature in features:
        if feature.kind == "category":
            out.setdefault(feature.source, {})[feature.name] = feature.category
    return out


def date_parts_of(features: Sequence[Feature]) -> dict[str, DatePart]:
    """Map each feature that differs from its column of dates to its definition."""
    return {f.name: f.when for f in features if f.when and f.when.is_made}


def raw_rows(
    table: Any,
    features: Sequence[Feature],
    column_types: Sequence[ColumnType],
    title: str,
    asked: Collection[str] | None = None,
) -> FeatureRows:
    """Compute features of a table in original units; 0 for those that are not ``asked`` for."""
    return feature_rows(
        table,
        [feature.name for feature in features],
        one_hot_of(features),
        asked,
        title=title,
        na_values={v.name: v.na_values for v in column_types if v.na_values},
        notations={v.name: v.notation for v in column_types if v.notation is not None},
        date_parts=date_parts_of(features),
    )


def places_of(features: Sequence[Feature]) -> dict[str, np.ndarray]:
    """Return the feature indices of each categorical or cyclical feature."""
    out: dict[str, list[int]] = {}
    for i, feature in enumerate(features):
        out.setdefault(feature.source, []).append(i)
    return {column: np.array(places) for column, places in out.items()}


def roles_of(
    features: Sequence[Feature], no_split: Collection[str], no_count: Collection[str]
) -> FeatureRoles:
    """Return which features may be split on and which count for distances."""
    split = [f.circle is None and f.source not in no_split for f in features]
    turns = {f.circle for f in features if f.circle is not None}
    kernel = [
        f.source not in no_count
        and (f.when is None or f.circle is not None or (f.source, f.when.part) not in turns)
        for f in features
    ]
    groups = places_of([f for f in features if f.kind == "category"])
    places = places_of(features)
    return FeatureRoles(tuple(places[s] for s in groups), np.array(split), np.array(kernel))


def scaler_of(
    features: Sequence[Feature],
    roles: FeatureRoles,
    scale: Callable[[str], str],
    weights: Sequence[float],
) -> FeatureScaler:
    """Create the scaler of all features; ``scale`` applies to numeric columns."""
    how = []
    for feature, counts in zip(features, roles.kernel, strict=True):
        if feature.kind == "category" or feature.circle is not None:
            how.append("category")
        else:
            how.append(scale(feature.source) if counts else "none")
    sources = [list(places) for places in roles.one_hot]
    circles: dict[tuple[str, str], list[int]] = {}
    for i, feature in enumerate(features):
        if feature.circle is not None:
            circles.setdefault(feature.circle, []).append(i)
    return FeatureScaler(how, [*sources, *circles.values()], weights)
