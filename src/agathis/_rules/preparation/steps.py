"""Create a :class:`~agathis._rules.preparation.preparation.Preparation` from fitted steps.

The first step is a transformer of scikit-learn, whose columns are followed one by one, or an
encoder that knows its raw features.
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

from agathis._rules.preparation.column_transforms import Is, Line, Link, transformed_by
from agathis._rules.preparation.known_steps import (
    RawEncoder,
    encoding,
    lines_after,
    takes_missing,
    takes_unknown,
)
from agathis._rules.preparation.preparation import Preparation
from agathis._rules.preparation.raw_columns import RawColumn, RawFeature, features_of, plain


def preparation_of(
    steps: Sequence[tuple[str, Any]],
    n_features: int,
    names: Sequence[Any] | None = None,
    title: str = "model[:-1]",
) -> Preparation | None:
    """Return the preparation of a tree; None without steps.

    Parameters
    ----------
    steps : sequence of names and fitted steps
        The names are for errors.
    n_features : int
        The number of features of the tree.
    names : sequence, optional
        The features of the tree; names of raw columns without names, if each becomes one feature.
    title : str
        The name of all steps, for errors.
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
        lines = lines_after(step, lines, name)
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
    """Return the number of columns of the raw table, and their names."""
    for _, step in steps:
        n_features_in = getattr(step, "n_features_in_", None)
        if n_features_in is not None:
            names = getattr(step, "feature_names_in_", None)
            return int(n_features_in), None if names is None else list(names)
        if not isinstance(step, FunctionTransformer):
            break
    return n_features, None


def _sources(lines: Sequence[Line], names: list[Any] | None) -> tuple[list[RawColumn], list[Line]]:
    """Return the raw columns of the lines, and the lines with their indices."""
    by_column: dict[int, list[Line]] = {}
    for line in lines:
        by_column.setdefault(line.source, []).append(line)
    sources: list[RawColumn] = []
    index: dict[int, int] = {}
    for column, group in sorted(by_column.items()):
        name = f"x[{column}]" if names is None else str(names[column])
        index[column] = len(sources)
        encoders = [link for line in group if (link := encoding(line)) is not None]
        if not encoders:
            filled = all(_fills(line) for line in group)
            sources.append(RawColumn(name, column, fills_missing=filled))
            continue
        if len(encoders) < len(group):
            raise ValueError(
                f"column {name!r} is a number for one step and categories for another, "
                "which cannot be inverted."
            )
        values = [plain(v) for link in encoders for v in link.step.categories_[link.input_column]]
        sources.append(
            RawColumn(
                name,
                column,
                tuple(dict.fromkeys(values)),
                takes_unknown=all(map(takes_unknown, group)),
                takes_missing=all(map(takes_missing, group)),
                fills_missing=all(map(takes_missing, group)),
            )
        )
    return sources, [replace(line, source=index[line.source]) for line in lines]


def _fills(line: Line) -> bool:
    """Return whether a line of numbers imputes missing values."""
    return not np.isnan(transformed_by(line, np.array([np.nan]))).any()


def _of_encoder(step: RawEncoder, steps: Sequence[tuple[str, Any]], title: str) -> Preparation:
    """Return the preparation of a first step that knows its raw features."""
    if not hasattr(step, "feature_names_"):
        raise NotFittedError(f"{steps[0][0]} must be fitted; {step!r} is not fitted.")
    source_of = {f: source for source, features in step.one_hot_.items() for f in features}
    sources: list[RawColumn] = []
    features: list[RawFeature] = []
    lines: list[Line] = []
    index: dict[str, int] = {}
    parts = getattr(step, "date_parts_", {})
    for f, name in enumerate(step.feature_names_):
        source = source_of.get(name)
        if source is None:
            line = Line(len(sources))
            features.append(RawFeature(name, len(sources), when=parts.get(name)))
            sources.append(RawColumn(name, f, fills_missing=False))
        else:
            one_hot = step.one_hot_[source]
            categories = tuple(plain(category) for category in one_hot.values())
            if source not in index:
                index[source] = len(sources)
                sources.append(RawColumn(source, f, categories, fills_missing=False))
            category = plain(one_hot[name])
            features.append(RawFeature(name, index[source], category))
            line = Line(index[source], (Link(Is(category, None in categories), 1, 0, 0),))
        lines.append(line)
    scaler = getattr(step, "scaler_", None)
    if scaler is not None:
        lines = [line.then(Link(scaler, len(lines), i, i)) for i, line in enumerate(lines)]
    for name, later in steps[1:]:
        lines = lines_after(later, lines, name)
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
