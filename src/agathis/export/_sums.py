"""Sums of columns in SQL and Python, with the very operations of the model.

A node may sum columns after scaling. What is written does the same with the raw columns: the same
operations on float64, in the same order. So a sum is the number that the model compares with its
threshold, to the last bit, and no row at a threshold goes the other way. What no such operation is,
a logarithm or a rank, would differ in its last bits from one program to another, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agathis._rules.columns import Column, Indicator
from agathis._rules.split_axes import SumAxis
from agathis._trees.stepped import Step, Steps
from agathis.export._dialects import Dialect

_SIGNS = {"subtract": "-", "add": "+", "multiply": "*", "divide": "/"}
_BEYOND = {"at_least": "<", "at_most": ">"}


@dataclass(frozen=True)
class Writers:
    """How columns are written in SQL.

    Attributes
    ----------
    number : callable
        A column of numbers, or what is made of one, such as the part of a date.
    known : callable
        What is NULL where a column is missing.
    on_or_off : callable
        A category as 1 or 0; the last argument says whether it is never missing.
    """

    number: Callable[[Dialect, Column], str]
    known: Callable[[Dialect, Column], str]
    on_or_off: Callable[[Dialect, Indicator, bool], str]


def sum_of(writer: Dialect, axis: SumAxis, writers: Writers) -> tuple[str, list[str], list[str]]:
    """A sum in SQL, the columns that make it NULL, and those of them that hold numbers.

    Parameters
    ----------
    writer : Dialect
    axis : SumAxis
    writers : Writers
    """
    parts, names, numbers = [], [], []
    for (_, weight), column, steps in zip(axis.terms, axis.columns, axis.steps, strict=True):
        filled = any(_fills(step) for step in steps)
        if isinstance(column, Indicator):
            closed = column.source in axis.closed
            value = writers.on_or_off(writer, column, closed)
            missing = not (closed or filled)
        else:
            # Whole numbers would be divided as such, and decimals be added without rounding.
            value, missing = writers.number(writer, column), not filled
            plain, name = column.when is None, writer.name(column.name)
            if writer.typed or not plain:
                value = f"CAST({value} AS {writer.double})"
            if filled and plain and not writer.typed:
                value = f"CASE WHEN {name} GLOB '*[0-9]*' THEN {value} END"
            numbers += [name] if missing and plain else []
        names += [writers.known(writer, column)] if missing else []
        value = _stepped_sql(writer, value, operations(column, steps, "SQL"))
        parts.append(value if weight == 1 else f"{_number(writer, weight)} * {value}")
    return f"({' + '.join(parts)})", list(dict.fromkeys(names)), list(dict.fromkeys(numbers))


def _number(writer: Dialect, value: float) -> str:
    # Two signs side by side may be a comment.
    written = writer.number(value)
    return f"({written})" if written.startswith("-") else written


def _stepped_sql(writer: Dialect, value: str, steps: list[Step]) -> str:
    todo = list(steps)
    while todo:
        step = todo.pop(0)
        by = _number(writer, step.by)
        if _fills(step):
            value = f"COALESCE({value}, {by})"
        elif step.operation in _SIGNS:
            value = f"({value} {_SIGNS[step.operation]} {by})"
        else:
            tests = f"WHEN {value} {_BEYOND[step.operation]} {by} THEN {by}"
            # What is below one bound is not above the next, if that is the upper one.
            upper = todo and (step.operation, todo[0].operation) == ("at_least", "at_most")
            if upper and step.by <= todo[0].by:
                by = _number(writer, todo.pop(0).by)
                tests += f" WHEN {value} > {by} THEN {by}"
            value = f"CASE {tests} ELSE {value} END"
    return value


def python_sum(
    axis: SumAxis,
    on_or_off: Callable[[Indicator, bool, str], str],
    variable: Callable[[Column], str],
) -> str:
    """A sum in Python; ``variable`` is that of a column, ``on_or_off`` a category as 1 or 0."""
    parts = []
    for (_, weight), column, steps in zip(axis.terms, axis.columns, axis.steps, strict=True):
        x = variable(column)
        if isinstance(column, Indicator):
            x = on_or_off(column, column.source in axis.closed, x)
        x = _stepped_python(x, operations(column, steps, "Python"))
        parts.append(x if weight == 1 else f"{weight!r} * {x}")
    return f"({' + '.join(parts)})"


def _stepped_python(x: str, steps: list[Step]) -> str:
    for step in steps:
        if _fills(step):
            x = f"({step.by!r} if {x} != {x} else {x})"
        elif step.operation in _SIGNS:
            x = f"({x} {_SIGNS[step.operation]} {step.by!r})"
        else:
            # The first of two is what is returned where it is NaN.
            x = f"{'max' if step.operation == 'at_least' else 'min'}({x}, {step.by!r})"
    return x


def operations(column: Column, steps: Steps, form: str) -> list[Step]:
    """The steps before a term, all of which must be operations that can be written down."""
    out = []
    for step in steps:
        if not isinstance(step, Step):
            told = step.words.format(column.label)
            raise ValueError(
                f"column {column.name!r} stands in a sum as {told!r}, which {form} would not "
                "compute to the last bit as the model does: rows could go the other way. Without "
                "this step, or with steps that shift, scale or clip, the sum can be written."
            )
        out.append(step)
    return out


def _fills(step: object) -> bool:
    return isinstance(step, Step) and step.operation == "fill"
