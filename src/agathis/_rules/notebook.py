"""The display of a fitted model in a notebook: its tree, its rules, and scikit-learn's diagram.

Estimators derive from ``NotebookDisplayMixin``. Nothing is imported or drawn before a notebook
displays the model, and names are escaped. The picture is an SVG of ``layout_tree``.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agathis._rules.described_tree import Described
    from agathis._rules.tree_layout import LayoutNode, TreeLayout
    from agathis._trees.tree import Tree

# The maximum number of drawn leaves; rules are of all clusters.
_MAX_LEAVES = 24
# In pixels: the height of a line, the width of a letter, and the limits of the widths of boxes and
# of the text between them.
_LINE, _LETTER = 46, 6.9
_BOX, _BETWEEN = (96, 240), (58, 260)


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
    from agathis._rules.titles import cluster_titles
    from agathis._rules.tree_layout import layout_tree

    described = describe(model)
    names = described.clusters if described.named_clusters else cluster_titles(described)
    depth = _drawn_depth(tree)
    layout = layout_tree(model, max_depth=depth, cluster_names=names)
    cropped = (
        "" if depth is None else "<div>The upper part of the tree; the rules are of all.</div>"
    )
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:12px 32px;align-items:flex-start">'
        f'<div style="min-width:0;overflow-x:auto">{tree_svg(layout)}{cropped}'
        f"{_rules(described, names)}</div><div>{box}</div></div>"
    )


def _drawn_depth(tree: Tree) -> int | None:
    """Return the maximum drawn depth of a tree; None is all."""
    if tree.n_leaves <= _MAX_LEAVES:
        return None
    depth = 1
    while ((tree.depth == depth + 1).sum() + (tree.is_leaf & (tree.depth <= depth)).sum()) <= (
        _MAX_LEAVES
    ):
        depth += 1
    return depth


def _rules(described: Described, names: list[str]) -> str:
    from agathis._rules.colours import cluster_style
    from agathis._rules.rules import cluster_boxes, rule_text

    tree = described.tree
    lines = []
    for k, boxes in enumerate(cluster_boxes(described)):
        leaves = tree.is_leaf & (tree.cluster == k)
        share = tree.weighted_n_node_samples[leaves].sum() / tree.weighted_n_node_samples[0]
        dot = f"background:{cluster_style(k).colour};border-radius:50%;width:10px;height:10px"
        cell = '<td style="text-align:left;vertical-align:top;white-space:normal">'
        lines.append(
            f'<tr>{cell}<span style="display:inline-block;{dot}"></span> '
            f"<b>{escape(names[k])}</b></td>"
            f"{cell}{escape(rule_text(boxes))}</td>"
            f"{cell}{100 * share:.0f}&nbsp;%</td></tr>"
        )
    return f'<table style="margin-top:8px"><tbody>{"".join(lines)}</tbody></table>'


def tree_svg(layout: TreeLayout) -> str:
    """Draw a tree from left to right, as an SVG element.

    >>> from agathis import Kauri
    >>> from agathis._rules.tree_layout import layout_tree
    >>> text = tree_svg(layout_tree(Kauri(2).fit([[0.0], [9.0]]), feature_names=["<age>"]))
    >>> text.count("<rect"), "&lt;age&gt;" in text, "<age>" in text
    (3, True, False)
    """
    nodes = layout.nodes
    levels = [[node for node in nodes if node.depth == d] for d in range(layout.depth + 1)]
    wide = _within(max(len(_name(node)) for node in nodes) * _LETTER + 22, _BOX)
    between = [
        _within(max(len(node.condition) for node in level) * _LETTER + 22, _BETWEEN)
        for level in levels
    ]
    left = [4.0]
    for gap in between[1:]:
        left.append(left[-1] + wide + gap)
    width, height = left[-1] + wide + 4, layout.width * _LINE + 44
    at = {node.node: (left[node.depth], 4 + node.x * _LINE) for node in nodes}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12" '
        'fill="currentColor" role="img" aria-label="The tree">'
    ]
    for node in nodes:
        if node.parent >= 0:
            parts.append(_link(at[node.parent], at[node.node], wide, node, between[node.depth]))
    parts += [_box(node, *at[node.node], wide) for node in nodes]
    return "".join(parts) + "</svg>"


def _within(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])


def _name(node: LayoutNode) -> str:
    return node.cluster_name if node.kind == "leaf" else node.feature


def _link(
    parent: tuple[float, float],
    child: tuple[float, float],
    wide: float,
    node: LayoutNode,
    width: float,
) -> str:
    (x0, y0), (x1, y1) = parent, child
    x0, y0, y1 = x0 + wide, y0 + 18, y1 + 18
    label = _short(node.condition, width - 16)
    return (
        f'<path d="M{x0:.1f} {y0:.1f}C{x0 + 12:.1f} {y0:.1f} {x0 + 2:.1f} {y1:.1f} '
        f'{x0 + 16:.1f} {y1:.1f}H{x1:.1f}" fill="none" stroke="currentColor" '
        f'stroke-opacity="0.35" stroke-width="{1 + 5 * node.size_share:.1f}"/>'
        f'<text x="{x1 - 4:.1f}" y="{y1 - 5:.1f}" text-anchor="end">{label}</text>'
    )


def _box(node: LayoutNode, x: float, y: float, wide: float) -> str:
    from agathis._rules.colours import cluster_style

    leaf = node.kind == "leaf"
    style = cluster_style(node.cluster)
    fill = f'fill="{style.colour}"' if leaf else 'fill="none" stroke="currentColor"'
    ink = f' fill="{style.text_colour}"' if leaf else ""
    more = f", {node.n_leaves} leaves" if node.kind == "cropped" else ""
    rows = f"{node.size:,} row{'s'[: node.size != 1]}{more}"
    return (
        f'<g{ink}><title>{escape(_name(node))}</title><rect x="{x:.1f}" y="{y:.1f}" '
        f'width="{wide:.0f}" height="36" rx="6" {fill}/>'
        f'<text x="{x + 9:.1f}" y="{y + 15:.1f}" font-weight="600">{_short(_name(node), wide - 18)}'
        f'</text><text x="{x + 9:.1f}" y="{y + 29:.1f}" font-size="11">{rows}</text></g>'
    )


def _short(text: str, width: float) -> str:
    """Shorten a text to a width, and escape it."""
    n = max(1, int(width / _LETTER + 1e-9))
    return escape(text if len(text) <= n else f"{text[: n - 1]}…")
