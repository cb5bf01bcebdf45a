"""Short titles for unnamed clusters: what distinguishes each of them from the others.

A title consists of the most discriminative conditions of the cluster's rule, those that most rows
of other clusters do not satisfy: two of them if one is not sufficient, and more if they are short.
If the rule has alternatives, the title is of the one with most rows and says "mostly". Missing
values are mentioned if the rule does. All titles are different, and those of clusters with one rule
exclude each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from agathis._rules.admissible_values import INFINITY, AdmissibleValues, Categories, Range
from agathis._rules.boxes import Box, contains
from agathis._rules.columns import Codes, Indicator, Number, listed
from agathis._rules.described_tree import Described
from agathis._rules.rules import cluster_boxes
from agathis._rules.split_axes import Axis, CategoryAxis, NumberAxis, SumAxis

# The maximum number of columns in a title, unless more are needed to distinguish two clusters, and
# the maximum length of a title with more columns.
_MAX_COLUMNS, _MAX_LENGTH = 2, 40
# The maximum number of listed categories.
_MAX_NAMED = 3

# Categories that are ambiguous without the name of the feature, which comes before or after them.
_ANSWERS = {"yes", "no", "y", "n", "true", "false", "t", "f"}
_RELATIVE = {
    "always", "average", "bad", "big", "fair", "fifth", "first", "fourth", "good", "high", "large",
    "left", "long", "low", "lower", "medium", "mid", "middle", "never", "new", "none", "old",
    "other", "poor", "right", "second", "short", "small", "third", "unknown", "upper",
}  # fmt: skip
_ORDINAL = re.compile(r"\d+(st|nd|rd|th)")


def cluster_titles(described: Described) -> list[str]:
    """Return a unique title for each cluster.

    Parameters
    ----------
    described : Described

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis._rules.described_tree import describe
    >>> model = Kauri(2).fit([[180.0], [190.0], [217.0], [221.0]])
    >>> cluster_titles(describe(model, feature_names=["flipper"]))
    ['flipper <= 203.5', 'flipper > 203.5']
    """
    formatter = _TitleFormatter(described)
    leaves = _leaves(described)
    ranked = [
        _ranked(boxes, cluster, leaves) for cluster, boxes in enumerate(cluster_boxes(described))
    ]
    count = [
        max(
            n
            for n in range(needed + 1)
            if n <= 1
            or _n_columns(conditions[:n]) <= _MAX_COLUMNS
            or len(formatter.title(conditions[:n], several)) <= _MAX_LENGTH
        )
        for conditions, needed, several in ranked
    ]
    while True:
        titles = [
            formatter.title(conditions[:n], several)
            for (conditions, _, several), n in zip(ranked, count, strict=True)
        ]
        seen = Counter(titles)
        # Of titles that exclude each other no row satisfies two.
        said = [dict(conditions[:n]) for (conditions, _, _), n in zip(ranked, count, strict=True)]
        both = {
            k
            for i, j in combinations(range(len(said)), 2)
            if _overlap(said[i], said[j]) and not (ranked[i][2] or ranked[j][2])
            for k in (i, j)
        }
        longer = [
            k
            for k, title in enumerate(titles)
            if (seen[title] > 1 or k in both) and count[k] < len(ranked[k][0])
        ]
        if not longer:
            break
        for k in longer:
            count[k] += 1
    # Equal titles, as of two clusters with the same main alternative, get the name of the cluster.
    return [
        f"{title} ({described.clusters[k]})" if seen[title] > 1 else title
        for k, title in enumerate(titles)
    ]


Condition = tuple[Axis, AdmissibleValues]


def _n_columns(conditions: Sequence[Condition]) -> int:
    """Return the number of columns; a sum has several."""
    return sum(len(axis.columns) if isinstance(axis, SumAxis) else 1 for axis, _ in conditions)


def _leaves(described: Described) -> list[tuple[int, int, Box]]:
    """Return the cluster, the number of training rows and the box of each leaf."""
    tree, boxes = described.tree, described.boxes
    sizes = tree.n_node_samples
    return [(int(tree.cluster[n]), int(sizes[n]), boxes[n]) for n in described.leaves()]


def _ranked(
    boxes: Sequence[Box], cluster: int, leaves: Sequence[tuple[int, int, Box]]
) -> tuple[list[Condition], int, bool]:
    """Return the conditions of the main box, sorted by the rows they exclude.

    Also the number of conditions that are needed, and whether there are other boxes.
    """
    if not boxes:
        return [], 0, False
    inside = [(rows, box) for k, rows, box in leaves if k == cluster]
    others = [(rows, box) for k, rows, box in leaves if k != cluster]
    covered = [sum(rows for rows, leaf in inside if contains(box, leaf)) for box in boxes]
    main = dict(boxes[int(np.argmax(covered))])
    out: list[Condition] = []
    needed = 0
    while main:
        # The rows that each condition excludes besides those before.
        excluded = {
            axis: sum(rows for rows, leaf in others if not _meets({axis: allowed}, leaf))
            for axis, allowed in main.items()
        }
        best = max(main, key=lambda axis: excluded[axis])
        chosen = {best: main.pop(best)}
        out += chosen.items()
        if excluded[best] or not needed:
            needed = len(out)
        others = [(rows, leaf) for rows, leaf in others if _meets(chosen, leaf)]
    return out, needed, len(boxes) > 1


def _meets(box: Box, leaf: Box) -> bool:
    return not any(
        allowed.intersection(leaf.get(axis, axis.everything)).is_empty
        for axis, allowed in box.items()
    )


def _overlap(first: Box, second: Box) -> bool:
    return not any(
        second[axis].intersection(allowed).is_empty
        for axis, allowed in first.items()
        if axis in second
    )


class _TitleFormatter:
    """Formats conditions in few words."""

    def __init__(self, described: Described) -> None:
        categories = {
            (column.source, str(column.category))
            for column in described.columns
            if isinstance(column, Indicator)
        }
        self.sources = Counter(label for _, label in categories)
        self.axes = list(dict.fromkeys(split.axis for split in described.splits.values()))

    def title(self, conditions: Sequence[Condition], several: bool) -> str:
        if not conditions:
            return "all rows"
        # In the order of the tree, so that all titles have the same order.
        conditions = sorted(conditions, key=lambda condition: self.axes.index(condition[0]))
        text = ", ".join(self._of(axis, allowed) for axis, allowed in conditions)
        return f"mostly {text}" if several else text

    def _of(self, axis: Axis, allowed: AdmissibleValues) -> str:
        if isinstance(axis, CategoryAxis) and isinstance(allowed, Categories):
            return self._categories(axis, allowed)
        column = axis.column if isinstance(axis, NumberAxis) else None
        if isinstance(allowed, Range) and allowed.has_values:
            inner = allowed.low > -INFINITY and allowed.high < INFINITY
            if isinstance(column, Number) and not isinstance(column, Codes) and inner:
                ends = f"{column.text(allowed.low)} to {column.text(allowed.high)}"
                return f"{axis.name} {ends}{' or missing' * allowed.missing}"
        before, after, _ = axis.around(allowed)
        return f"{before}{axis.name}{after}"

    def _categories(self, axis: CategoryAxis, allowed: Categories) -> str:
        chosen = axis.labels(index for index in axis.named if index in allowed.indices)
        others = axis.labels(index for index in axis.named if index not in allowed.indices)
        missing = axis.missing_index in allowed.indices
        if axis.is_boolean and len(chosen) == 1 and not missing:
            return axis.name if chosen == ["true"] else f"not {axis.name}"
        if chosen and len(chosen) <= max(_MAX_NAMED, len(others)):
            text = listed(chosen + ["missing"] * missing)
            if len(chosen) > _MAX_NAMED:
                text = f"{', '.join(chosen[:2])} and {len(chosen) - 2} more"
                text += " or missing" * missing
            if missing:
                return f"{axis.name} {text}"
            if all(self._stands_alone(label) for label in chosen):
                return text
            before = all(
                label.lower() in _RELATIVE or _ORDINAL.fullmatch(label) for label in chosen
            )
            return f"{text} {axis.name}" if before else f"{axis.name} {text}"
        if others and len(others) <= _MAX_NAMED:
            known = "missing or " if missing else "known and " * (axis.has_missing or axis.closed)
            return f"{axis.name} {known}not {listed(others)}"
        return f"{axis.name}{axis.around(allowed)[1]}"

    def _stands_alone(self, label: str) -> bool:
        """Return whether a category is unambiguous without the name of its feature."""
        letters = sum(map(str.isalpha, label))
        known = label.lower() in _ANSWERS | _RELATIVE
        return letters >= 3 and label[:1].isalpha() and not known and self.sources[label] == 1
