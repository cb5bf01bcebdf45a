"""A tree for the terminal: splits as branches, leaves in the colours of their clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._cli.console import count, one_line

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree as Branches

    from agathis.export import FittedModel


#: The style of text after a coloured name.
PLAIN = "not bold default on default"


def tree_view(model: FittedModel) -> Branches:
    """Return the tree as a renderable of rich."""
    from rich.text import Text
    from rich.tree import Tree as Branches

    from agathis._rules.described_tree import describe

    described = describe(model)
    tree = described.tree
    total = max(1, int(tree.n_node_samples[0]))
    head = f"{count(total, 'row')}, {count(model.n_clusters_, 'cluster')}"
    top = Branches(Text(head, style="bold"), guide_style="dim")
    at: dict[int, Branches] = {0: top}
    condition: dict[int, str] = {}
    for node in described.nodes():
        number = node.number
        if number in condition:
            line = Text(one_line(condition[number]))
            if node.is_leaf:
                line.append("  ")
                line.append_text(_leaf(node.cluster, int(tree.cluster[number]), node.size, total))
            at[number] = at[number].add(line)
        elif node.is_leaf:
            top.add(_leaf(node.cluster, int(tree.cluster[number]), node.size, total))
        if not node.is_leaf:
            left, right = int(tree.children_left[number]), int(tree.children_right[number])
            condition[left], condition[right] = node.left, node.right
            at[left] = at[right] = at[number]
    return top


def chip(name: str, cluster: int) -> Text:
    """Return the name of a cluster on its colour, readable on dark and light terminals."""
    from rich.text import Text

    from agathis._rules.colours import cluster_style

    style = cluster_style(cluster)
    return Text(f" {one_line(name)} ", style=f"bold {style.text_colour} on {style.colour}")


def _leaf(name: str, cluster: int, size: int, total: int) -> Text:
    out = chip(name, cluster)
    out.append(f" {count(size, 'row')}, {100 * size / total:.1f} %", style=PLAIN)
    return out
