"""Conditions on the columns of a table in SQL, for databases whose columns have types.

``_sqlite`` overrides what differs without types.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from agathis._rules.admissible_values import AdmissibleValues, Categories, Range
from agathis._rules.columns import Column, Indicator
from agathis._rules.split_axes import Axis, CategoryAxis, NumberAxis, SumAxis
from agathis._trees.stepped import Step
from agathis.export._dialects import Dialect
from agathis.export._sql_dates import part_of
from agathis.export._terms import SIGNS, Term, terms_of

_BEYOND = {"at_least": "<", "at_most": ">"}


class SqlColumns:
    """Expressions and conditions in a dialect.

    Parameters
    ----------
    dialect : Dialect
    """

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    def condition(self, axis: Axis, allowed: AdmissibleValues) -> str:
        """The condition that the value of an axis is admissible."""
        if isinstance(axis, CategoryAxis) and isinstance(allowed, Categories):
            name = self.dialect.name(axis.name)
            chosen = [axis.categories[i] for i in sorted(allowed.indices) if i >= 0]
            conditions = self.one_of(name, [c for c in chosen if c is not None])
            if axis.missing_index in allowed.indices:
                conditions += self.is_missing(name, axis.categories)
            return any_of(conditions)
        if not isinstance(axis, (NumberAxis, SumAxis)) or not isinstance(allowed, Range):
            raise TypeError(f"{axis.name!r} does not go with {allowed!r}.")
        if isinstance(axis, SumAxis):
            value, names, numbers = self._sum(axis)
        else:
            value, names = self.number(axis.column), [self._nullable(axis.column)]
            numbers = [self.dialect.name(axis.name)] if axis.column.when is None else []
        bound = None if allowed.high == math.inf else self.dialect.number(allowed.high)
        return self.at_most(value, bound, allowed.missing, names, numbers)

    def at_most(
        self, value: str, bound: str | None, missing: bool, names: list[str], numbers: list[str]
    ) -> str:
        """The condition that a value is at most a bound, or only known; or missing.

        Parameters
        ----------
        value : str
            An expression, NULL if one of ``names`` is.
        bound : str or None
        missing : bool
            Whether missing values satisfy the condition.
        names : list of str
            All columns in the expression.
        numbers : list of str
            Those that hold numbers.
        """
        if bound is None:
            return " AND ".join(f"{name} IS NOT NULL" for name in names) or "TRUE"
        absent = [f"{name} IS NULL" for name in names] if missing else []
        return any_of([f"{value} <= {bound}", *absent])

    def one_of(self, name: str, categories: Sequence[object]) -> list[str]:
        """Conditions one of which is true if a value is one of some categories."""
        if not categories:
            return []
        if any(isinstance(category, str) for category in categories):
            name = self.dialect.as_is.replace("{}", name)
        return [is_in(name, map(self.literal, categories))]

    def is_missing(self, name: str, categories: Collection[object]) -> list[str]:
        """Conditions one of which is true if a categorical feature is missing."""
        return [f"{name} IS NULL"]

    def number(self, column: Column) -> str:
        """A numeric column, or the part of a date."""
        if isinstance(column, Indicator):
            raise TypeError(f"{column.label!r} is no number.")
        name = self.dialect.name(column.column)
        if column.when is None:
            return name
        return part_of(column.when, name, self.dialect.dates, self.dialect.text)

    def double(self, column: Column, filled: bool) -> str:
        """A numeric column as float64; integer division and decimals would be rounded."""
        return f"CAST({self.number(column)} AS {self.dialect.double})"

    def literal(self, category: object) -> str:
        if isinstance(category, str):
            return self.dialect.text(category)
        if isinstance(category, bool):
            return "TRUE" if category else "FALSE"
        if isinstance(category, int):
            return str(category)
        if isinstance(category, float) and math.isfinite(category):
            return self.dialect.number(category)
        raise TypeError(
            f"one_hot has the category {category!r}, a {type(category).__name__}; only strings and "
            "numbers can be written."
        )

    def _nullable(self, column: Column) -> str:
        """The expression that is NULL if a column is missing: itself, or the part of a date."""
        is_part = not isinstance(column, Indicator) and column.when is not None
        return self.number(column) if is_part else self.dialect.name(column.name)

    def _sum(self, axis: SumAxis) -> tuple[str, list[str], list[str]]:
        """A sum, the columns that make it NULL, and those of them that hold numbers."""
        parts, names, numbers = [], [], []
        for term in terms_of(axis, "SQL"):
            column, missing = term.column, not (term.is_closed or term.is_filled)
            if isinstance(column, Indicator):
                value = self._zero_or_one(column, term.is_closed)
            else:
                value = self.double(column, term.is_filled)
                if missing and column.when is None:
                    numbers.append(self.dialect.name(column.name))
            if missing:
                names.append(self._nullable(column))
            parts.append(self._weighted(value, term))
        return f"({' + '.join(parts)})", list(dict.fromkeys(names)), list(dict.fromkeys(numbers))

    def _zero_or_one(self, column: Indicator, is_closed: bool) -> str:
        """1 if a row has the category, else 0."""
        name = self.dialect.name(column.source)
        is_it = [f"{name} IS NULL"]
        if not column.of_missing:
            is_it = self.one_of(name, [column.category])
        rest = (
            "ELSE 0" if is_closed else f"WHEN {self.dialect.name(column.name)} IS NOT NULL THEN 0"
        )
        return f"CASE WHEN {is_it[0]} THEN 1 {rest} END"

    def _weighted(self, value: str, term: Term) -> str:
        """The value of a term after its operations and times its weight."""
        steps = list(term.steps)
        while steps:
            step = steps.pop(0)
            by = self._constant(step.by)
            if step.operation == "fill":
                value = f"COALESCE({value}, {by})"
            elif step.operation in SIGNS:
                value = f"({value} {SIGNS[step.operation]} {by})"
            else:
                tests = f"WHEN {value} {_BEYOND[step.operation]} {by} THEN {by}"
                # A value below the lower bound is not above the upper one.
                if steps and _is_interval(step, steps[0]):
                    by = self._constant(steps.pop(0).by)
                    tests += f" WHEN {value} > {by} THEN {by}"
                value = f"CASE {tests} ELSE {value} END"
        return value if term.weight == 1 else f"{self._constant(term.weight)} * {value}"

    def _constant(self, value: float) -> str:
        # Two adjacent signs may be a comment.
        literal = self.dialect.number(value)
        return f"({literal})" if literal.startswith("-") else literal


def any_of(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({' OR '.join(conditions)})"


def is_in(name: str, literals: Iterable[str]) -> str:
    literals = list(literals)
    return f"{name} = {literals[0]}" if len(literals) == 1 else f"{name} IN ({', '.join(literals)})"


def _is_interval(step: Step, following: Step) -> bool:
    bounds = step.operation, following.operation
    return bounds == ("at_least", "at_most") and step.by <= following.by
