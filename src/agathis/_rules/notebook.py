"""The display of a fitted model in a notebook: its tree, its rules, and scikit-learn's diagram.

Estimators derive from ``NotebookDisplayMixin``. Nothing is imported before a notebook displays the
model, and names are escaped. The tree is lines of text, as in a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agathis._rules.described_tree import Described
    from agathis._trees.tree import Tree

# The maximum number of displayed leaves; rules are of all clusters.
_MAX_LEAVES = 24


class NotebookDisplayMixin:
    """Display an estimator with a ``tree_`` in notebooks; stands before ``BaseEstimator``."""

    def _repr_html_inner(self) -> str:
        return html_of(self, super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        out: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in out:
            out["text/html"] = html_of(self, out["text/html"])
        return out


def html_of(model: Any, box: str) -> str:
    """Return the tree and the rules of a fitted model beside ``box``."""
    from agathis._rules.described_tree import describe, last_step

    tree = getattr(last_step(model), "tree_", None)
    if tree is None:
        return box
    described = describe(model)
    depth = _displayed_depth(tree)
    lines = "\n".join(_tree_lines(described, depth))
    cropped = ""
    if depth < tree.max_depth:
        cropped = "<div>The upper part of the tree; the rules are of all.</div>"
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:12px 32px;align-items:flex-start">'
        f'<div style="min-width:0;overflow-x:auto"><pre role="img" aria-label="The tree">{lines}'
        f"</pre>{cropped}{_rules(described)}</div><div>{box}</div></div>"
    )


def _displayed_depth(tree: Tree) -> int:
    """Return the maximum displayed depth of a tree."""
    if tree.n_leaves <= _MAX_LEAVES:
        return tree.max_depth
    depth = 1
    while ((tree.depth == depth + 1).sum() + (tree.is_leaf & (tree.depth <= depth)).sum()) <= (
        _MAX_LEAVES
    ):
        depth += 1
    return depth


def _tree_lines(described: Described, depth: int) -> Iterator[str]:
    """Yield a line for each node: its condition, and the cluster and size of a leaf."""
    tree = described.tree
    n_leaves = tree.summed(tree.is_leaf.astype(int))
    for node in described.nodes():
        line = "    " * (node.depth - 1) + escape(" ".join(node.condition.split()))
        rows = f"{node.size:,} row{'s'[: node.size != 1]}"
        if node.is_leaf:
            cluster = int(tree.cluster[node.number])
            line += f"  {_dot(cluster)} <b>{escape(node.cluster)}</b>, {rows}"
        elif node.depth == depth:
            line += f"  {rows}, {n_leaves[node.number]} leaves"
        if node.depth <= depth and line:
            yield line


def _rules(described: Described) -> str:
    from agathis._rules.rules import cluster_boxes, rule_text

    tree = described.tree
    lines = []
    for k, boxes in enumerate(cluster_boxes(described)):
        leaves = tree.is_leaf & (tree.cluster == k)
        share = tree.weighted_n_node_samples[leaves].sum() / tree.weighted_n_node_samples[0]
        cell = '<td style="text-align:left;vertical-align:top;white-space:normal">'
        lines.append(
            f"<tr>{cell}{_dot(k)} <b>{escape(described.clusters[k])}</b></td>"
            f"{cell}{escape(rule_text(boxes))}</td>"
            f"{cell}{100 * share:.0f}&nbsp;%</td></tr>"
        )
    return f'<table style="margin-top:8px"><tbody>{"".join(lines)}</tbody></table>'


def _dot(cluster: int) -> str:
    """Return a dot in the colour of a cluster."""
    from agathis._rules.colours import cluster_style

    style = f"background:{cluster_style(cluster).colour};border-radius:50%;width:10px;height:10px"
    return f'<span style="display:inline-block;{style}"></span>'
