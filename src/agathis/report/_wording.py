"""Conditions in three parts, so that a page can set the name of the feature apart.

A condition is ``[before, name, after]``, such as ``["2.4 < ", "petal length", " ≤ 5.1"]``. A rule
is a list of alternatives, each a list of conditions that hold together: ``[]`` is no row at all,
``[[]]`` is all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agathis._describe.boxes import Box, Range
from agathis._describe.columns import Column, Indicator

# Stands for the name while the rest is put into words; what is before it is a number.
_MARK = "\0"

Condition = list[str]
Rule = list[list[Condition]]


def rule_of(columns: Sequence[Column], boxes: Sequence[Box]) -> Rule:
    """The rows of some boxes, in words."""
    return [
        [
            _condition(columns[f], allowed, alone=len(box) == len(boxes) == 1)
            for f, allowed in box.items()
        ]
        for box in boxes
    ]


def _condition(column: Column, allowed: Range, alone: bool) -> Condition:
    if not allowed.has_values:
        return ["", column.name, " is missing"]
    if isinstance(column, Indicator):
        marked = replace(column, source=_MARK)
    else:
        marked = replace(column, name=_MARK)
    before, _, after = marked.words(allowed.low, allowed.high).partition(_MARK)
    after = at_most(after)
    if not allowed.missing:
        return [before, column.name, after]
    # Beside other conditions "or" needs to say what it joins.
    opening, closing = ("", "") if alone else ("(", ")")
    return [opening + before, column.name, f"{after} or missing{closing}"]


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


def category_of(column: Indicator) -> str:
    """The category of an indicator as a word."""
    if column.of_missing:
        return "missing"
    text = str(column.category)
    return text.lower() if isinstance(column.category, bool) else text


def otherwise(column: Indicator) -> str:
    """What a source is that is not in the category.

    >>> otherwise(Indicator("paid", True)), otherwise(Indicator("plan", "free"))
    ('false', 'not free')
    """
    if isinstance(column.category, bool):
        return str(not column.category).lower()
    return f"not {category_of(column)}"


def often(share: float, more: bool, known: bool) -> str:
    """How often a cluster is in a category; ``more`` than all rows, or less.

    ``known`` says that no row misses its category.

    >>> [often(share, share > 0.3, True) for share in (0, 0.02, 0.2, 0.4, 0.7, 1)]
    ['never', 'rarely', 'less often', 'more often', 'mostly', 'always']
    """
    if more:
        return "always" if share == 1 and known else "mostly" if share > 0.5 else "more often"
    return "never" if share == 0 else "rarely" if share <= 0.1 else "less often"


def in_words(rule: Rule) -> str:
    """A rule as plain text.

    >>> in_words([[["", "age", " ≤ 3"], ["", "sex", " is male"]], [["", "age", " > 60"]]])
    'age ≤ 3 and sex is male, or age > 60'
    """
    if not rule:
        return "no row at all"
    return ", or ".join(" and ".join(map("".join, box)) or "all rows" for box in rule)
