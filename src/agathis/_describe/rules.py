"""Which rows a cluster or a node has, as conditions and as text.

All rules of the package are made here: of boxes (``boxes``), with the words of columns
(``columns``). A condition is in three parts, ``("2.4 < ", "petal length", " <= 5.1")``, so that a
page can set the name apart. A rule is a list of alternatives, each a list of conditions that hold
together: ``[]`` is no row at all, ``[[]]`` is all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from agathis._describe.boxes import INFINITY, Box, Range, box_of, boxes_of
from agathis._describe.columns import Column, Indicator
from agathis._describe.described_tree import Described

Condition = tuple[str, str, str]
Rule = list[list[Condition]]


def cluster_boxes(described: Described) -> list[list[Box]]:
    """Of each cluster the boxes that its rule speaks of."""
    found = boxes_of(described.tree, described.paths())
    return [[_without_implied(described.columns, box) for box in boxes] for boxes in found]


def node_box(described: Described, path: Sequence[int]) -> Box:
    """What the rule of a node speaks of, at the end of a path from the root."""
    return _without_implied(described.columns, box_of(described.tree, path))


def rule_of(columns: Sequence[Column], boxes: Sequence[Box]) -> Rule:
    """The rows of some boxes as conditions."""
    return [
        [
            _condition(columns[f], allowed, alone=len(box) == len(boxes) == 1)
            for f, allowed in box.items()
        ]
        for box in boxes
    ]


def rule_text(columns: Sequence[Column], boxes: Sequence[Box]) -> str:
    """The rows of some boxes as a text."""
    if not boxes:
        return "no row at all"
    rule = rule_of(columns, boxes)
    texts = [" and ".join(map("".join, box)) or "all rows" for box in rule]
    if len(texts) == 1:
        return texts[0]
    pairs = zip(rule, texts, strict=True)
    return " or ".join(f"({text})" if len(box) > 1 else text for box, text in pairs)


def _condition(column: Column, allowed: Range, alone: bool) -> Condition:
    # Bounds that no value meets are told as they are: such a node has no rows.
    if allowed.low == INFINITY or (allowed.missing and not allowed.has_values):
        return "", column.name, " is missing"
    before, after = column.around(allowed.low, allowed.high)
    if not allowed.missing:
        return before, column.name, after
    # Beside other conditions "or" needs to say what it joins.
    opening, closing = ("", "") if alone else ("(", ")")
    return opening + before, column.name, f"{after} or missing{closing}"


def _without_implied(columns: Sequence[Column], box: Box) -> Box:
    """Where a source is in one category, that it is in no other one goes without saying."""
    sided = [(f, columns[f], allowed) for f, allowed in box.items()]
    said = {
        column.source
        for _, column, allowed in sided
        if isinstance(column, Indicator) and 0 <= allowed.low < 1 <= allowed.high
    }
    return {
        f: allowed
        for f, column, allowed in sided
        if not isinstance(column, Indicator) or column.source not in said or (0 <= allowed.low < 1)
    }
