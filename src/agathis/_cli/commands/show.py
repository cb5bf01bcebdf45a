"""``agathis show``: a tree in the terminal."""

from __future__ import annotations

from agathis._cli import options


def show(model: options.ModelFile) -> None:
    """Draw the tree of a model in the terminal, with the rules of its clusters.

    Colours are left out where the output is no terminal, or NO_COLOR is set.

    Example: agathis show model.json
    """
    from agathis._cli.console import one_line, results
    from agathis._cli.inputs import load_model
    from agathis._cli.tree_view import PLAIN, chip, tree_view
    from agathis.export import to_rules

    loaded = load_model(model)
    names = getattr(loaded, "cluster_names_", None)
    with results() as console:
        console.print(tree_view(loaded))
        console.print()
        for cluster, row in enumerate(to_rules(loaded)):
            line = chip(names[cluster] if names else f"cluster {cluster}", cluster)
            line.append(f" {one_line(row['rule'])}", style=PLAIN)
            console.print(line)
