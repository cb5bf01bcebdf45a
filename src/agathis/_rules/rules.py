"""Rules of clusters and nodes, as conditions and as text.

All rules of the package are built here, from boxes (``boxes``) and the text of splits
(``split_axes``). A condition has three parts, ``("2.4 < ", "petal length", " <= 5.1")``, so that a
page can highlight the name. A rule is a list of alternatives, each a conjunction of conditions:
``[]`` matches no row, ``[[]]`` all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from agathis._rules.admissible_values import AdmissibleValues
from agathis._rules.boxes import Box, boxes_of
from agathis._rules.described_tree import Described
from agathis._rules.split_axes import Axis

Condition = tuple[str, str, str]
Rule = list[list[Condition]]


def cluster_boxes(described: Described) -> list[list[Box]]:
    """Return the boxes of the rule of each cluster."""
    cluster = described.tree.cluster
    leaves = ((int(cluster[leaf]), described.boxes[leaf]) for leaf in described.leaves())
    return boxes_of(described.tree.n_clusters, leaves)


def rule_of(boxes: Sequence[Box]) -> Rule:
    """Return some boxes as a rule."""
    alone = len(boxes) == 1 and len(boxes[0]) == 1
    return [[_condition(axis, allowed, alone) for axis, allowed in box.items()] for box in boxes]


def rule_text(boxes: Sequence[Box]) -> str:
    """Return some boxes as text."""
    if not boxes:
        return "no row at all"
    rule = rule_of(boxes)
    texts = [" and ".join(map("".join, box)) or "all rows" for box in rule]
    if len(texts) == 1:
        return texts[0]
    pairs = zip(rule, texts, strict=True)
    return " or ".join(f"({text})" if len(box) > 1 else text for box, text in pairs)


def _condition(axis: Axis, allowed: AdmissibleValues, alone: bool) -> Condition:
    before, after, joins = axis.around(allowed)
    # Next to other conditions "or" needs parentheses.
    opening, closing = ("(", ")") if joins and not alone else ("", "")
    return opening + before, axis.name, after + closing
