"""Export a tree to Graphviz: ``dot -Tsvg tree.dot > tree.svg``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sklearn.base import BaseEstimator

from agathis._rules.described_tree import Described, describe
from agathis._trees.tree import Tree

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from agathis._rules.described_tree import Names

# Fills of leaves, by cluster; light enough for black text, and distinguishable by most people.
FILLS = (
    "#a6cee3", "#fdbf6f", "#b2df8a", "#fb9a99", "#cab2d6", "#ffff99", "#e0e0e0", "#99d8c9",
)  # fmt: skip


def to_dot(
    model: BaseEstimator | Tree,
    **names: Unpack[Names],
) -> str:
    r"""Export a tree to the DOT language of Graphviz.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    **names : optional
        ``scaler``, ``feature_names``, ``cluster_names``, ``one_hot``, ``value_names``, ``digits``
        and ``numbers``, as for :func:`agathis.export.to_text`.

    Returns
    -------
    text : str
        Node numbers are those of ``tree_``.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import to_dot
    >>> print(to_dot(Kauri(2).fit([[0.0], [1.0], [9.0]]), feature_names=["age"]))
    digraph tree {
        node [shape=box, style="rounded,filled", fillcolor="white", fontname="helvetica"];
        edge [fontname="helvetica"];
        0 [label="3 samples"];
        1 [label="cluster 0\n2 samples", fillcolor="#a6cee3"];
        2 [label="cluster 1\n1 sample", fillcolor="#fdbf6f"];
        0 -> 1 [label="age <= 5"];
        0 -> 2 [label="age > 5"];
    }
    """
    described = describe(model, **names)
    return "\n".join(["digraph tree {", *(f"    {line};" for line in _lines(described)), "}"])


def _lines(described: Described) -> Iterator[str]:
    yield 'node [shape=box, style="rounded,filled", fillcolor="white", fontname="helvetica"]'
    yield 'edge [fontname="helvetica"]'
    tree, nodes = described.tree, sorted(described.nodes(), key=lambda node: node.number)
    for node in nodes:
        label = f"{node.size} sample{'s'[: node.size != 1]}"
        fill = ""
        if node.is_leaf:
            label = f"{node.cluster}\n{label}"
            fill = f', fillcolor="{FILLS[tree.cluster[node.number] % len(FILLS)]}"'
        yield f"{node.number} [label={quoted(label)}{fill}]"
    # The left child first: Graphviz draws children in this order.
    left = tree.children_left
    for node in sorted(nodes[1:], key=lambda node: (node.parent, node.number != left[node.parent])):
        yield f"{node.parent} -> {node.number} [label={quoted(node.condition)}]"


def quoted(text: str) -> str:
    r"""Quote a label, escaping ``\``, ``"`` and HTML's ``&``.

    >>> print(quoted('a "b" & c'))
    "a \"b\" &amp; c"
    """
    text = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return '"' + "\\n".join(text.splitlines() or [""]) + '"'
