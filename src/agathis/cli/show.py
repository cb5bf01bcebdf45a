"""``agathis show``: a tree in the terminal."""

from __future__ import annotations

from agathis.cli import _options as options


def show(model: options.ModelFile) -> None:
    """Draw the tree of a model in the terminal, with the rules of its clusters.

    Colours are left out where the output is no terminal, or NO_COLOR is set.

    Example: agathis show model.json
    """
    from rich.text import Text

    from agathis.cli._console import one_line, results
    from agathis.cli._rows import load_model
    from agathis.cli._tree_view import chip, tree_view
    from agathis.export import to_rules

    loaded = load_model(model)
    console = results()
    console.print(tree_view(loaded))
    console.print()
    names = getattr(loaded, "cluster_names_", None)
    for cluster, row in enumerate(to_rules(loaded)):
        name = names[cluster] if names else f"cluster {cluster}"
        line = chip(name, cluster)
        line.append_text(Text(f" {one_line(row['rule'])}", style="not bold default on default"))
        console.print(line)
