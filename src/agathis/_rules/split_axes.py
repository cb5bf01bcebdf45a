"""The quantities that splits test, and the text of their conditions.

An axis is a quantity that a split tests: a numeric feature, a categorical feature, or a sum of
columns. The one-hot columns of a categorical feature are one axis, whether a split tests one of
them or several: a row has one category, so that "male" excludes "female". This is known of columns
in ``one_hot``; others are numbers, and several are a sum.

A value that matches no category is ``UNSEEN``: all one-hot columns are 0. It is not mentioned in
conditions. In a tree with splits on categories it follows the larger child.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from agathis._rules.admissible_values import (
    ABSENT,
    INFINITY,
    UNSEEN,
    AdmissibleValues,
    Categories,
    Range,
)
from agathis._rules.columns import (
    NO_CATEGORY,
    Around,
    Column,
    Indicator,
    Number,
    is_missing,
    listed,
)
from agathis._rules.linear_terms import SumDescription, describe_sum, shape_of
from agathis._trees.stepped import Steps, after, steps_of
from agathis._trees.tree import Tree

# The maximum number of listed categories; otherwise the excluded ones are listed.
_MAX_NAMED = 5

# Keys of axes: a categorical feature, a feature, or a sum by its terms and their steps.
_Key = str | int | tuple[tuple[tuple[int, float], ...], tuple[Steps, ...]]

Answers = TypeVar("Answers", bound=AdmissibleValues)


class Axis(Protocol[Answers]):
    """A quantity that a split may test: a number, a sum or a categorical feature."""

    @property
    def name(self) -> str: ...

    @property
    def features(self) -> tuple[int, ...]: ...

    @property
    def everything(self) -> Answers: ...

    def around(self, allowed: Answers) -> Around: ...

    def inside(self, X: np.ndarray, allowed: Answers) -> np.ndarray: ...


class NumericAxis:
    """A number of each row: a feature, or a sum of columns."""

    has_missing: bool

    @property
    def everything(self) -> Range:
        return Range(missing=self.has_missing)

    def around(self, allowed: Range) -> Around:
        # Bounds that no value satisfies are written as they are: such a node has no rows.
        if allowed.low == INFINITY or (allowed.missing and not allowed.has_values):
            return "", " is missing", False
        return self._text.around(allowed.low, allowed.high, allowed.missing)

    def inside(self, X: np.ndarray, allowed: Range) -> np.ndarray:
        """Return which rows are in the interval."""
        values = self.total(X)
        known = (values > allowed.low) & (values <= allowed.high)
        return known | np.isnan(values) if allowed.missing else known

    @property
    def _text(self) -> Number | SumDescription:
        raise NotImplementedError

    def total(self, X: np.ndarray) -> np.ndarray:
        """Compute the number of each row as the tree does."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class NumberAxis(NumericAxis):
    """A numeric feature; ``has_missing`` tells whether training rows had missing values."""

    column: Number
    feature: int
    has_missing: bool

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def features(self) -> tuple[int, ...]:
        return (self.feature,)

    @property
    def _text(self) -> Number:
        return self.column

    def total(self, X: np.ndarray) -> np.ndarray:
        return X[:, self.feature]


@dataclass(frozen=True, eq=False)
class SumAxis(NumericAxis):
    """A weighted sum of columns; it is missing if one of them is.

    Each column may be transformed before. ``description`` is the sum as text, and ``closed`` are
    the categorical features with a category for missing values: their columns have none.
    """

    terms: tuple[tuple[int, float], ...]
    steps: tuple[Steps, ...]
    columns: tuple[Column, ...]
    closed: frozenset[str]
    description: SumDescription
    has_missing: bool

    @property
    def name(self) -> str:
        return self.description.name

    @property
    def features(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(feature for feature, _ in self.terms))

    @property
    def _text(self) -> SumDescription:
        return self.description

    def total(self, X: np.ndarray) -> np.ndarray:
        """Compute the sum of each row as the tree does."""
        out = np.zeros(len(X))
        for (feature, weight), steps in zip(self.terms, self.steps, strict=True):
            out += weight * after(X[:, feature], steps)
        return out

    def total_as_written(self, X: np.ndarray) -> np.ndarray:
        """Compute the sum of each row with the weights of its text."""
        total = np.zeros(len(X))
        for (feature, _), steps, weight in zip(
            self.terms, self.steps, self.description.weights, strict=True
        ):
            total += weight * shape_of(steps).values(X[:, feature])
        return total


@dataclass(frozen=True, eq=False)
class CategoryAxis:
    """A categorical feature.

    Attributes
    ----------
    name : str
    features : tuple of int
        Its one-hot columns; rows have indices into this tuple.
    categories : tuple
        Their categories; None is that of missing values, and then no row is missing.
    rest : object
        The category without a column, if it is known, else ``NO_CATEGORY``. Unknown values are
        treated as this category.
    has_missing : bool
        Whether training rows had missing values.
    """

    name: str
    features: tuple[int, ...]
    categories: tuple[object, ...]
    rest: object
    has_missing: bool

    @property
    def closed(self) -> bool:
        """Whether missing values are a category."""
        return None in (*self.categories, self.rest)

    @property
    def everything(self) -> Categories:
        known = frozenset({*range(len(self.features)), UNSEEN})
        return Categories(known | {ABSENT} if self.has_missing and not self.closed else known)

    @property
    def is_boolean(self) -> bool:
        return all(isinstance(category, bool) for category in self.categories)

    def label(self, index: int) -> str:
        """Return the label of a category."""
        if index == ABSENT:
            return "missing"
        category = self.rest if index == UNSEEN else self.categories[index]
        if category is None:
            return "missing"
        return str(category).lower() if isinstance(category, bool) else str(category)

    def labels(self, indices: Iterable[int]) -> list[str]:
        """Return the labels of categories, each once: rare ones of a page share one."""
        return list(dict.fromkeys(map(self.label, indices)))

    @property
    def named(self) -> list[int]:
        """Return the indices of categories with labels."""
        known = [i for i, category in enumerate(self.categories) if category is not None]
        return known if self.rest in (NO_CATEGORY, None) else [*known, UNSEEN]

    @property
    def missing_index(self) -> int:
        """Return the index of missing values."""
        if None in self.categories:
            return self.categories.index(None)
        return ABSENT if self.rest is not None else UNSEEN

    def around(self, allowed: Categories) -> Around:
        chosen = [index for index in self.named if index in allowed.indices]
        others = [index for index in self.named if index not in allowed.indices]
        missing = self.missing_index in allowed.indices
        if not chosen and (UNSEEN not in allowed.indices or self.missing_index == UNSEEN):
            return "", " is missing" if missing else " is no value", False
        if not others and UNSEEN in allowed.indices:
            return "", " is known or missing" if missing else " is known", missing
        # If all categories with a label are included, none can be excluded.
        if chosen and (len(chosen) <= max(_MAX_NAMED, len(others)) or not others):
            labels = self.labels(chosen) + ["missing"] * missing
            return "", f" is {listed(labels)}", len(labels) > 1
        labels = self.labels(others)
        none = f"not {labels[0]}" if len(labels) == 1 else f"none of {', '.join(labels)}"
        if missing:
            return "", f" is missing or {none}", True
        if self.has_missing or self.closed:
            return "", f" is known and {none}", False
        return "", f" is {none}", False

    def inside(self, X: np.ndarray, allowed: Categories) -> np.ndarray:
        """Return which rows are in one of the categories."""
        index = self.indices(X)
        return np.isin(index, list(allowed.indices))

    def indices(self, X: np.ndarray) -> np.ndarray:
        """Return the category index of each row."""
        indicators = X[:, list(self.features)]
        on = indicators > 0.5
        out = np.where(on.any(axis=1), on.argmax(axis=1), UNSEEN)
        out[np.isnan(indicators).any(axis=1)] = ABSENT
        return out


@dataclass(frozen=True)
class Split:
    """A split: its axis, and the values that go left and right, including missing ones."""

    axis: Axis
    left: AdmissibleValues
    right: AdmissibleValues

    @property
    def left_first(self) -> bool:
        """Whether the left side can be described by listing values.

        For categorical features it is the side without unknown categories.
        """
        return not isinstance(self.left, Categories) or UNSEEN not in self.left.indices


def splits_of(
    tree: Tree, columns: Sequence[Column], digits: int | None = 4, numbers: str = "plain"
) -> dict[int, Split]:
    """Return the split of each internal node.

    Parameters
    ----------
    tree : Tree
    columns : sequence of Column
        The meaning of each feature.
    digits, numbers
        The format of thresholds of sums.
    """
    sources = _sources(columns)
    numbers_of = {f: column for f, column in enumerate(columns) if isinstance(column, Number)}
    nodes: dict[_Key, list[int]] = {}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        terms = tree.terms(node)
        feature = int(tree.feature[node])
        owners = {_owner(columns[f]) for f, _ in terms} or {_owner(columns[feature])}
        owner = owners.pop()
        key: _Key = feature if owner is None else owner
        if owners or (owner is None and terms):
            key = terms, steps_of(tree, node)
        nodes.setdefault(key, []).append(node)
    out: dict[int, Split] = {}
    missing_left = tree.missing_left
    for key, split_nodes in nodes.items():
        axis: Axis
        has_missing = bool(
            (tree.missing[split_nodes] > 0).any() or np.isinf(tree.threshold[split_nodes]).any()
        )
        if isinstance(key, str):
            axis = replace(sources[key], has_missing=has_missing)
        elif isinstance(key, tuple):
            terms, steps = key
            summed = tuple(columns[f] for f, _ in terms)
            description = describe_sum(
                [weight for _, weight in terms],
                steps,
                [column.label for column in summed],
                tree.threshold[split_nodes].tolist(),
                digits,
                numbers,
            )
            closed = frozenset(name for name, source in sources.items() if source.closed)
            axis = SumAxis(terms, steps, summed, closed, description, has_missing)
        else:
            axis = NumberAxis(numbers_of[key], key, has_missing)
        for node in split_nodes:
            out[node] = _split(tree, node, axis, bool(missing_left[node]))
    return {node: out[node] for node in sorted(out)}


def _owner(column: Column) -> str | None:
    return column.source if isinstance(column, Indicator) else None


def _sources(columns: Sequence[Column]) -> dict[str, CategoryAxis]:
    """Return the axis of each categorical feature."""
    indicators: dict[str, dict[int, Indicator]] = {}
    for f, column in enumerate(columns):
        if isinstance(column, Indicator):
            indicators.setdefault(column.source, {})[f] = column
    out = {}
    for source, group in indicators.items():
        categories = tuple(None if c.of_missing else c.category for c in group.values())
        rest = next(iter(group.values())).rest
        rest = None if is_missing(rest) else rest
        if rest is NO_CATEGORY and len(group) == 1 and isinstance(categories[0], bool):
            # One column of a boolean determines both.
            rest = not categories[0]
        out[source] = CategoryAxis(source, tuple(group), categories, rest, has_missing=False)
    return out


def _split(tree: Tree, node: int, axis: Axis, missing_left: bool) -> Split:
    threshold = float(tree.threshold[node])
    if not isinstance(axis, CategoryAxis):
        return Split(
            axis,
            Range(high=threshold, missing=missing_left),
            Range(low=threshold, missing=not missing_left),
        )
    weights = dict(tree.terms(node)) or {int(tree.feature[node]): 1.0}
    left = {index for index, f in enumerate(axis.features) if weights.get(f, 0.0) <= threshold} | (
        {UNSEEN} if threshold >= 0 else set()
    )
    right = {*range(len(axis.features)), UNSEEN} - left
    if not axis.closed:
        (left if missing_left else right).add(ABSENT)
    return Split(axis, Categories(frozenset(left)), Categories(frozenset(right)))
