"""Conditions in three parts, so that a page can set the name of the feature apart.

A condition is ``[before, name, after]``, such as ``["2.4 < ", "petal length", " ≤ 5.1"]``. A rule
is a list of alternatives, each a list of conditions that hold together: ``[]`` is no row at all,
``[[]]`` is all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agathis.export._boxes import Box, Range
from agathis.export._columns import Column, Indicator

# Stands for the name while the rest is put into words; what is before it is a number.
_MARK = "\0"

Condition = list[str]
Rule = list[list[Condition]]


def rule_of(columns: Sequence[Column], boxes: Sequence[Box]) -> Rule:
    """The rows of some boxes, in words."""
    return [[_condition(columns[f], allowed) for f, allowed in box.items()] for box in boxes]


def _condition(column: Column, allowed: Range) -> Condition:
    if not allowed.has_values:
        return ["", column.name, " is missing"]
    if isinstance(column, Indicator):
        marked = replace(column, source=_MARK)
    else:
        marked = replace(column, name=_MARK)
    before, _, after = marked.words(allowed.low, allowed.high).partition(_MARK)
    return [before, column.name, at_most(after) + " or missing" * allowed.missing]


def at_most(after: str) -> str:
    """With the sign that people write; words of the data that begin otherwise stay.

    >>> at_most(" <= 3"), at_most(" is <=50K")
    (' ≤ 3', ' is <=50K')
    """
    signs = after.lstrip()
    space = after[: len(after) - len(signs)]
    return f"{space}≤{signs[2:]}" if signs.startswith("<= ") else after


def label_of(column: Column) -> str:
    """The name of a column that stands by itself; of an indicator with its category."""
    return column.words(0.0, 1.0) if isinstance(column, Indicator) else column.name


def in_words(rule: Rule) -> str:
    """A rule as plain text.

    >>> in_words([[["", "age", " ≤ 3"], ["", "sex", " is male"]], [["", "age", " > 60"]]])
    'age ≤ 3 and sex is male, or age > 60'
    """
    if not rule:
        return "no row at all"
    return ", or ".join(" and ".join(map("".join, box)) or "all rows" for box in rule)
