"""Fitted steps as a :class:`~agathis._rules.preparation.preparation.Preparation`.

Two kinds of first steps: scikit-learn's, whose columns are followed one by one, and an encoder that
tells its raw features itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from agathis._rules.preparation.known_steps import (
    RawEncoder,
    encoding,
    follow,
    takes_missing,
    takes_unknown,
)
from agathis._rules.preparation.links import Is, Line, Link, carried
from agathis._rules.preparation.preparation import Preparation
from agathis._rules.preparation.raw_columns import RawColumn, RawFeature, features_of, plain


def preparation_of(
    steps: Sequence[tuple[str, Any]],
    n_features: int,
    names: Sequence[Any] | None = None,
    title: str = "model[:-1]",
) -> Preparation | None:
    """What stands before a tree; None where nothing does.

    Parameters
    ----------
    steps : sequence of names and fitted steps
        Names are for errors.
    n_features : int
        Of the tree.
    names : sequence, optional
        Of the features of the tree, for raw columns that have no names and become one each.
    title : str
        Of all steps, for errors.
    """
    steps = [
        (name, step)
        for name, step in steps
        if step is not None and not (isinstance(step, str) and step == "passthrough")
    ]
    if not steps:
        return None
    first = steps[0][1]
    while isinstance(first, (Pipeline, FrozenEstimator)):
        first = first.estimator if isinstance(first, FrozenEstimator) else first.steps[0][1]
    if not isinstance(steps[0][1], Pipeline) and isinstance(first, RawEncoder):
        return _of_encoder(first, steps, title)
    n_columns, fitted = _raw_table(steps, n_features)
    lines = [Line(column) for column in range(n_columns)]
    for name, step in steps:
        lines = follow(step, lines, name)
    one_each = [line.source for line in lines] == list(range(n_columns))
    if fitted is None and names is not None and one_each:
        fitted = list(names)
    sources, lines = _sources(lines, fitted)
    return Preparation(
        lines,
        sources,
        features_of(sources),
        fitted,
        n_columns,
        by_name=isinstance(first, ColumnTransformer),
        title=title,
    )


def _raw_table(steps: Sequence[tuple[str, Any]], n_features: int) -> tuple[int, list[Any] | None]:
    """How many columns the raw table has, and their names."""
    for _, step in steps:
        found = getattr(step, "n_features_in_", None)
        if found is not None:
            names = getattr(step, "feature_names_in_", None)
            return int(found), None if names is None else list(names)
        if not isinstance(step, FunctionTransformer):
            break
    return n_features, None


def _sources(lines: Sequence[Line], names: list[Any] | None) -> tuple[list[RawColumn], list[Line]]:
    """The raw columns that lines come from, and the lines with the places of these."""
    by_column: dict[int, list[Line]] = {}
    for line in lines:
        by_column.setdefault(line.source, []).append(line)
    sources: list[RawColumn] = []
    place: dict[int, int] = {}
    for column, own in sorted(by_column.items()):
        name = f"x[{column}]" if names is None else str(names[column])
        place[column] = len(sources)
        encoders = [link for line in own if (link := encoding(line)) is not None]
        if not encoders:
            filled = all(_fills(line) for line in own)
            sources.append(RawColumn(name, column, fills_missing=filled))
            continue
        if any(encoding(line) is None and not _asks(line) for line in own):
            raise ValueError(
                f"column {name!r} is taken for a number by one step and for categories by another, "
                "which cannot be undone."
            )
        found = [plain(v) for link in encoders for v in link.step.categories_[link.enters]]
        sources.append(
            RawColumn(
                name,
                column,
                tuple(dict.fromkeys(found)),
                takes_unknown=all(map(takes_unknown, own)),
                takes_missing=all(map(takes_missing, own)),
                fills_missing=all(map(takes_missing, own)),
            )
        )
    return sources, [replace(line, source=place[line.source]) for line in lines]


def _asks(line: Line) -> bool:
    return any(link.asks for link in line.links)


def _fills(line: Line) -> bool:
    """Whether a line of numbers makes a known value of a missing one."""
    return not np.isnan(carried([line], np.full((1, 1), np.nan))).any()


def _of_encoder(step: RawEncoder, steps: Sequence[tuple[str, Any]], title: str) -> Preparation:
    """What a first step that knows its raw features tells of itself."""
    if not hasattr(step, "feature_names_"):
        raise NotFittedError(f"{steps[0][0]} must be fitted; {step!r} is not fitted.")
    home = {feature: source for source, made in step.one_hot_.items() for feature in made}
    sources: list[RawColumn] = []
    features: list[RawFeature] = []
    lines: list[Line] = []
    place: dict[str, int] = {}
    parts = getattr(step, "date_parts_", {})
    for f, name in enumerate(step.feature_names_):
        source = home.get(name)
        if source is None:
            line = Line(len(sources))
            features.append(RawFeature(name, len(sources), when=parts.get(name)))
            sources.append(RawColumn(name, f, fills_missing=False))
        else:
            made = step.one_hot_[source]
            categories = tuple(plain(category) for category in made.values())
            if source not in place:
                place[source] = len(sources)
                sources.append(RawColumn(source, f, categories, fills_missing=False))
            category = plain(made[name])
            features.append(RawFeature(name, place[source], category))
            line = Line(place[source], (Link(Is(category, None in categories), 1, 0, 0),))
        lines.append(line)
    scaler = getattr(step, "scaler_", None)
    if scaler is not None:
        lines = [line.then(Link(scaler, len(lines), i, i)) for i, line in enumerate(lines)]
    for name, later in steps[1:]:
        lines = follow(later, lines, name)
    return Preparation(
        lines,
        sources,
        features,
        list(step.feature_names_),
        len(features),
        by_name=True,
        title=title,
        encode=lambda table: np.asarray(step.encode(table).X),
    )
