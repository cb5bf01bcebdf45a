"""Admissible values of a condition: an interval of numbers, or some categories, and missing values.

Boxes (:mod:`~agathis._rules.boxes`) consist of these. Both are sets, which may intersect,
contain each other or be merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

INFINITY = float("inf")

#: Values of a categorical feature besides its categories 0, 1, ...: unknown ones, and missing ones.
UNSEEN, ABSENT = -1, -2

SameKind = TypeVar("SameKind", bound="AdmissibleValues")


class AdmissibleValues(Protocol):
    """An interval or some categories; operations are with another one of the same axis."""

    @property
    def low(self) -> float: ...

    @property
    def is_empty(self) -> bool: ...

    @property
    def n_conditions(self) -> int: ...

    def contains(self: SameKind, other: SameKind) -> bool: ...

    def intersection(self: SameKind, other: SameKind) -> SameKind: ...

    def union(self: SameKind, other: SameKind) -> SameKind | None: ...

    def relaxed(self: SameKind) -> Sequence[SameKind]: ...


@dataclass(frozen=True)
class Range:
    """Values above ``low`` and up to ``high``, and missing ones with ``missing``."""

    low: float = -INFINITY
    high: float = INFINITY
    missing: bool = True

    @property
    def has_values(self) -> bool:
        return self.low < self.high

    @property
    def is_empty(self) -> bool:
        return not self.has_values and not self.missing

    @property
    def n_conditions(self) -> int:
        """The number of conditions: each bound is one, and so is "known"."""
        bounds = (self.low > -INFINITY) + (self.high < INFINITY)
        return max(1, bounds) if self.has_values else 1

    def contains(self, other: Range) -> bool:
        if other.missing and not self.missing:
            return False
        return not other.has_values or (self.low <= other.low and other.high <= self.high)

    def intersection(self, other: Range) -> Range:
        """The intersection."""
        return Range(
            max(self.low, other.low), min(self.high, other.high), self.missing and other.missing
        )

    def union(self, other: Range) -> Range | None:
        """The union, if it is an interval."""
        missing = self.missing or other.missing
        if not (self.has_values and other.has_values):
            some = self if self.has_values else other
            return replace(some, missing=missing)
        if max(self.low, other.low) > min(self.high, other.high):
            return None
        return Range(min(self.low, other.low), max(self.high, other.high), missing)

    def relaxed(self) -> list[Range]:
        """The interval without one of its bounds; with missing values alone it has none."""
        if not self.has_values:
            return []
        return [replace(self, low=-INFINITY), replace(self, high=INFINITY)]


@dataclass(frozen=True)
class Categories:
    """Some categories of a feature by index, ``UNSEEN`` and ``ABSENT``."""

    indices: frozenset[int]

    @property
    def is_empty(self) -> bool:
        return not self.indices

    @property
    def n_conditions(self) -> int:
        """One condition, a single list."""
        return 1

    #: Where a range begins; categories have no order.
    low = 0.0

    def contains(self, other: Categories) -> bool:
        return self.indices >= other.indices

    def intersection(self, other: Categories) -> Categories:
        """The intersection."""
        return Categories(self.indices & other.indices)

    def union(self, other: Categories) -> Categories:
        """The union."""
        return Categories(self.indices | other.indices)

    def relaxed(self) -> list[Categories]:
        """Nothing to drop: a list with more categories is no shorter."""
        return []
