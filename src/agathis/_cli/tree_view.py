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
    branches: dict[int, Branches] = {-1: top}
    for node in described.nodes():
        line = Text(one_line(node.condition))
        if node.is_leaf:
            line.append("  " if node.condition else "")
            cluster = int(tree.cluster[node.number])
            line.append_text(_leaf(node.cluster, cluster, node.size, total))
        above = branches[node.parent]
        branches[node.number] = above.add(line) if node.condition or node.is_leaf else above
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
