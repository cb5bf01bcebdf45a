"""The terms of a sum of columns, for writers of languages and formats.

A node may sum columns after scaling. What is written does the same with the raw columns: the same
operations on float64, in the same order. So a sum is bit-identical to the number that the model
compares with its threshold, and no row at a threshold changes sides. Other functions, such as a
logarithm or ranks, would differ in their last bits from one program to another, and are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agathis._rules.columns import Column, Indicator
from agathis._rules.split_axes import SumAxis
from agathis._trees.stepped import Step, Steps

#: The operators of arithmetic steps in SQL and Python.
SIGNS = {"subtract": "-", "add": "+", "multiply": "*", "divide": "/"}


class Term(NamedTuple):
    """A column in a sum, the operations applied to it, and its weight.

    ``is_closed`` tells whether the column is of a categorical feature with a category for missing
    values, so that it has none.
    """

    feature: int
    weight: float
    column: Column
    is_closed: bool
    steps: list[Step]

    @property
    def is_filled(self) -> bool:
        """Whether missing values are replaced by a number."""
        return any(step.operation == "fill" for step in self.steps)


def terms_of(axis: SumAxis, language: str) -> Iterator[Term]:
    """Yield the terms of a sum, all of whose operations can be written in a language."""
    for (feature, weight), column, steps in zip(axis.terms, axis.columns, axis.steps, strict=True):
        is_closed = isinstance(column, Indicator) and column.source in axis.closed
        yield Term(feature, weight, column, is_closed, operations(column, steps, language))


def operations(column: Column, steps: Steps, language: str) -> list[Step]:
    """Return the steps before a term, all of which must be operations that can be written."""
    out = []
    for step in steps:
        if not isinstance(step, Step):
            what = step.template.format(column.label)
            raise ValueError(
                f"column {column.name!r} stands in a sum as {what!r}, which {language} would not "
                "compute to the last bit as the model does: rows could go the other way. Without "
                "this step, or with steps that shift, scale or clip, the sum can be written."
            )
        out.append(step)
    return out
