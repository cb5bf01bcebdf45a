"""What the splits of a tree ask for, and the words for the answers.

An axis is a question that a split may put to a row: how large is a feature, which category does a
source have, how large is a sum of columns. A split sends some answers left and the others right.
The columns that one-hot encoding made of a source are one axis, whether a split asks for one of
them or for several: a source has one category, so that to be male is not to be female. This is
known of columns that ``one_hot`` names; without it they are numbers, and several are a sum.

A value of a source that none of its categories is, is ``UNSEEN``: all its columns are 0. It has no
words of its own. In a tree with splits on categories it goes with the larger part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from agathis._describe.allowed import ABSENT, INFINITY, UNSEEN, Allowed, Categories, Range
from agathis._describe.columns import NO_CATEGORY, Column, Indicator, Number, is_missing, listed
from agathis._describe.sums import ToldSum, shape_of, told_sum
from agathis._trees.stepped import Steps, after, steps_of
from agathis._trees.tree import Tree

# Categories that are named rather than those that are not meant.
_MOST_NAMED = 5

#: What stands before and after the name of an axis in a condition, and whether it joins several
#: things by "or".
Around = tuple[str, str, bool]

# What several nodes may ask for: a source, a feature, or a sum by its terms and their steps.
_Asked = str | int | tuple[tuple[tuple[int, float], ...], tuple[Steps, ...]]

Answers = TypeVar("Answers", bound=Allowed)


class Axis(Protocol[Answers]):
    """What a split may ask for: a number, a sum or a source, with answers of its own kind."""

    @property
    def name(self) -> str: ...

    @property
    def features(self) -> tuple[int, ...]: ...

    @property
    def everything(self) -> Answers: ...

    def around(self, allowed: Answers) -> Around: ...

    def inside(self, X: np.ndarray, allowed: Answers) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class NumberAxis:
    """A feature whose values are numbers; ``seen`` says whether training rows missed some."""

    column: Number
    feature: int
    seen: bool

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def everything(self) -> Range:
        return Range(missing=self.seen)

    @property
    def features(self) -> tuple[int, ...]:
        return (self.feature,)

    def around(self, allowed: Range) -> Around:
        # Bounds that no value meets are told as they are: such a node has no rows.
        if allowed.low == INFINITY or (allowed.missing and not allowed.has_values):
            return "", " is missing", False
        return self.column.around(allowed.low, allowed.high, allowed.missing)

    def inside(self, X: np.ndarray, allowed: Range) -> np.ndarray:
        """Which rows are in the range."""
        return _within(X[:, self.feature], allowed)


@dataclass(frozen=True, eq=False)
class SumAxis:
    """A sum of columns, each times its weight; it is missing where one of them is.

    Each column may go through some steps before. ``told`` is the sum in words, and ``closed`` are
    the sources that have missing values for a category: their columns miss none.
    """

    terms: tuple[tuple[int, float], ...]
    steps: tuple[Steps, ...]
    columns: tuple[Column, ...]
    closed: frozenset[str]
    told: ToldSum
    seen: bool

    @property
    def name(self) -> str:
        return self.told.name

    @property
    def everything(self) -> Range:
        return Range(missing=self.seen)

    @property
    def features(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(feature for feature, _ in self.terms))

    def around(self, allowed: Range) -> Around:
        if allowed.low == INFINITY or (allowed.missing and not allowed.has_values):
            return "", " is missing", False
        return self.told.around(allowed.low, allowed.high, allowed.missing)

    def inside(self, X: np.ndarray, allowed: Range) -> np.ndarray:
        """Which rows have such a sum."""
        return _within(self.total(X), allowed)

    def total(self, X: np.ndarray) -> np.ndarray:
        """The sum of each row, as the tree computes it."""
        out = np.zeros(len(X))
        for (feature, weight), steps in zip(self.terms, self.steps, strict=True):
            out += weight * after(X[:, feature], steps)
        return out

    def in_words(self, X: np.ndarray) -> np.ndarray:
        """The sum of each row as a reader finds it with the weights in words."""
        total = np.zeros(len(X))
        for (feature, _), steps, weight in zip(
            self.terms, self.steps, self.told.weights, strict=True
        ):
            total += weight * shape_of(steps).values(X[:, feature])
        return total


@dataclass(frozen=True, eq=False)
class SourceAxis:
    """A source of categories.

    Attributes
    ----------
    name : str
    features : tuple of int
        Its columns; the categories of a row are the places in this.
    categories : tuple
        Theirs; None is that of missing values, and then no row misses its category.
    rest : object
        The category that has no column, if it is known, else ``NO_CATEGORY``. Values that are
        none of the others are taken for it.
    seen : bool
        Whether training rows missed some values.
    """

    name: str
    features: tuple[int, ...]
    categories: tuple[object, ...]
    rest: object
    seen: bool

    @property
    def closed(self) -> bool:
        """Whether missing values are a category of their own."""
        return None in (*self.categories, self.rest)

    @property
    def everything(self) -> Categories:
        known = frozenset({*range(len(self.features)), UNSEEN})
        return Categories(known | {ABSENT} if self.seen and not self.closed else known)

    @property
    def is_truth(self) -> bool:
        return all(isinstance(category, bool) for category in self.categories)

    def word(self, place: int) -> str:
        """A category in words."""
        if place == ABSENT:
            return "missing"
        category = self.rest if place == UNSEEN else self.categories[place]
        if category is None:
            return "missing"
        return str(category).lower() if isinstance(category, bool) else str(category)

    @property
    def named(self) -> list[int]:
        """The places that have words of their own."""
        known = [i for i, category in enumerate(self.categories) if category is not None]
        return known if self.rest in (NO_CATEGORY, None) else [*known, UNSEEN]

    @property
    def missing_place(self) -> int:
        """The place of missing values."""
        if None in self.categories:
            return self.categories.index(None)
        return ABSENT if self.rest is not None else UNSEEN

    def around(self, allowed: Categories) -> Around:
        chosen = [place for place in self.named if place in allowed.places]
        others = [place for place in self.named if place not in allowed.places]
        missing = self.missing_place in allowed.places
        if not chosen and (UNSEEN not in allowed.places or self.missing_place == UNSEEN):
            return "", " is missing" if missing else " is no value", False
        if not others and UNSEEN in allowed.places:
            return "", " is known or missing" if missing else " is known", missing
        # Where all that have a name are meant, and no other, there is nothing to take off.
        if chosen and (len(chosen) <= max(_MOST_NAMED, len(others)) or not others):
            words = [self.word(place) for place in chosen] + ["missing"] * missing
            return "", f" is {listed(words)}", len(words) > 1
        words = [self.word(place) for place in others]
        none = f"not {words[0]}" if len(words) == 1 else f"none of {', '.join(words)}"
        if missing:
            return "", f" is missing or {none}", True
        if self.seen or self.closed:
            return "", f" is known and {none}", False
        return "", f" is {none}", False

    def inside(self, X: np.ndarray, allowed: Categories) -> np.ndarray:
        """Which rows are in one of the categories."""
        place = self.places(X)
        return np.isin(place, list(allowed.places))

    def places(self, X: np.ndarray) -> np.ndarray:
        """The place of the category of each row."""
        own = X[:, list(self.features)]
        on = own > 0.5
        out = np.where(on.any(axis=1), on.argmax(axis=1), UNSEEN)
        out[np.isnan(own).any(axis=1)] = ABSENT
        return out


@dataclass(frozen=True)
class Split:
    """A split: what it asks for, and the answers that go left and right, missing ones included."""

    axis: Axis
    left: Allowed
    right: Allowed

    @property
    def left_first(self) -> bool:
        """Whether the left side is the one that can be told by naming values.

        Of a source it is the side without values that have no name.
        """
        return not isinstance(self.left, Categories) or UNSEEN not in self.left.places


def splits_of(
    tree: Tree, columns: Sequence[Column], digits: int | None = 4, numbers: str = "plain"
) -> dict[int, Split]:
    """The split of each node that has one.

    Parameters
    ----------
    tree : Tree
    columns : sequence of Column
        What each feature is.
    digits, numbers
        How thresholds of sums are written.
    """
    sources = _sources(columns)
    numbers_of = {f: column for f, column in enumerate(columns) if isinstance(column, Number)}
    nodes: dict[_Asked, list[int]] = {}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        terms = tree.terms(node)
        feature = int(tree.feature[node])
        owners = {_owner(columns[f]) for f, _ in terms} or {_owner(columns[feature])}
        owner = owners.pop()
        key: _Asked = feature if owner is None else owner
        if owners or (owner is None and terms):
            key = terms, steps_of(tree, node)
        nodes.setdefault(key, []).append(node)
    out: dict[int, Split] = {}
    missing_left = tree.missing_left
    for key, asked in nodes.items():
        axis: Axis
        seen = bool((tree.missing[asked] > 0).any() or np.isinf(tree.threshold[asked]).any())
        if isinstance(key, str):
            axis = replace(sources[key], seen=seen)
        elif isinstance(key, tuple):
            terms, steps = key
            own = tuple(columns[f] for f, _ in terms)
            told = told_sum(
                [weight for _, weight in terms],
                steps,
                [column.label for column in own],
                tree.threshold[asked].tolist(),
                digits,
                numbers,
            )
            closed = frozenset(name for name, source in sources.items() if source.closed)
            axis = SumAxis(terms, steps, own, closed, told, seen)
        else:
            axis = NumberAxis(numbers_of[key], key, seen)
        for node in asked:
            out[node] = _split(tree, node, axis, bool(missing_left[node]))
    return {node: out[node] for node in sorted(out)}


def _owner(column: Column) -> str | None:
    return column.source if isinstance(column, Indicator) else None


def _sources(columns: Sequence[Column]) -> dict[str, SourceAxis]:
    """The axis of each source."""
    indicators: dict[str, dict[int, Indicator]] = {}
    for f, column in enumerate(columns):
        if isinstance(column, Indicator):
            indicators.setdefault(column.source, {})[f] = column
    out = {}
    for source, own in indicators.items():
        categories = tuple(None if c.of_missing else c.category for c in own.values())
        rest = next(iter(own.values())).rest
        rest = None if is_missing(rest) else rest
        if rest is NO_CATEGORY and len(own) == 1 and isinstance(categories[0], bool):
            # Of a truth one column tells both.
            rest = not categories[0]
        out[source] = SourceAxis(source, tuple(own), categories, rest, seen=False)
    return out


def _split(tree: Tree, node: int, axis: Axis, missing_left: bool) -> Split:
    threshold = float(tree.threshold[node])
    if not isinstance(axis, SourceAxis):
        return Split(
            axis,
            Range(high=threshold, missing=missing_left),
            Range(low=threshold, missing=not missing_left),
        )
    weights = dict(tree.terms(node)) or {int(tree.feature[node]): 1.0}
    left = {place for place, f in enumerate(axis.features) if weights.get(f, 0.0) <= threshold} | (
        {UNSEEN} if threshold >= 0 else set()
    )
    right = {*range(len(axis.features)), UNSEEN} - left
    if not axis.closed:
        (left if missing_left else right).add(ABSENT)
    return Split(axis, Categories(frozenset(left)), Categories(frozenset(right)))


def _within(values: np.ndarray, allowed: Range) -> np.ndarray:
    # A value that is missing is neither above nor below anything.
    known = (values > allowed.low) & (values <= allowed.high)
    return known | np.isnan(values) if allowed.missing else known
