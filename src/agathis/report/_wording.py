"""Rules and categories as text of the page."""

from __future__ import annotations

from collections.abc import Sequence

from agathis._rules import rules
from agathis._rules.boxes import Box
from agathis._rules.columns import NO_CATEGORY, Indicator, is_missing
from agathis._rules.described_tree import Described
from agathis._rules.titles import cluster_titles

#: Boxes of conditions in three parts, such as ``["2.4 < ", "petal length", " ≤ 5.1"]``.
Rule = list[list[list[str]]]

#: Typographic signs.
SIGNS = {"<=": "≤", ">=": "≥"}


def displayed_rule(boxes: Sequence[Box]) -> Rule:
    """The rule of some boxes, with typographic signs."""
    return [
        [[_below(before), name, at_most(after)] for before, name, after in box]
        for box in rules.rule_of(boxes)
    ]


def at_most(after: str) -> str:
    """Replace the sign of a condition; other text, such as a category, is unchanged.

    >>> at_most(" <= 3"), at_most(" is <=50K")
    (' ≤ 3', ' is <=50K')
    """
    signs = after.lstrip()
    space = after[: len(after) - len(signs)]
    for plain, sign in SIGNS.items():
        if signs.startswith(f"{plain} "):
            return f"{space}{sign}{signs[2:]}"
    return after


def _below(before: str) -> str:
    return f"{before[:-4]} ≤ " if before.endswith(" <= ") else before


def titles_of(described: Described) -> list[str]:
    """Titles of clusters without names, from the conditions that distinguish them."""
    titles = cluster_titles(described)
    for plain, sign in SIGNS.items():
        titles = [title.replace(f" {plain} ", f" {sign} ") for title in titles]
    return titles


def category_of(column: Indicator) -> str:
    """The category of an indicator as text."""
    return _label(column.category)


def rest_of(column: Indicator) -> str | None:
    """The category without an indicator as text; None if there is none or it is unknown."""
    if column.rest is not NO_CATEGORY:
        return _label(column.rest)
    return str(not column.category).lower() if isinstance(column.category, bool) else None


def _label(category: object) -> str:
    if is_missing(category):
        return "missing"
    return str(category).lower() if isinstance(category, bool) else str(category)


def otherwise(column: Indicator) -> str:
    """Return the text for rows that are not in the category.

    >>> otherwise(Indicator("paid", True)), otherwise(Indicator("plan", "free"))
    ('false', 'not free')
    """
    if isinstance(column.category, bool):
        return str(not column.category).lower()
    return f"not {category_of(column)}"


def often(share: float, more: bool) -> str:
    """Describe the fraction of a category in a cluster, ``more`` or less than in all rows.

    >>> [often(share, share > 0.3) for share in (0, 0.02, 0.2, 0.4, 0.7, 1)]
    ['never', 'rarely', 'less often', 'more often', 'mostly', 'always']
    """
    if more:
        return "always" if share == 1 else "mostly" if share > 0.5 else "more often"
    return "never" if share == 0 else "rarely" if share <= 0.1 else "less often"
