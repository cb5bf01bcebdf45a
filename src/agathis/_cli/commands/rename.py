"""``agathis rename``: rename the clusters of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, one_line
from agathis._cli.errors import WrongUse
from agathis._cli.output import STDIN, STDOUT, check_target, write

if TYPE_CHECKING:
    from agathis.export import FittedModel


def rename(
    model: options.ModelFile,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="CLUSTER=NAME...",
            help="A cluster, by number or name, and its new name.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The output file; default: the model itself."
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Rename clusters; rules, reports and exports use the names.

    Other clusters keep their names.

    Example: agathis rename model.json 0=small 1=medium 2=large
    """
    if output is None:
        output = STDOUT if model == STDIN else model
    check_target(output)

    from agathis.export._rename import present_names, renamed_text

    text, tree = _read(model)
    try:
        renamed = renamed_text(text, wanted_names(names, present_names(tree)))
    except ValueError as error:
        # The argument has another name in the library.
        raise WrongUse(f"CLUSTER=NAME {str(error).removeprefix('names ')}") from error
    write(output, renamed)
    if output != STDOUT:
        Messages(quiet).say(f"Wrote {output}. Next: agathis show {output}")


def wanted_names(given: Sequence[str], present: Sequence[str]) -> dict[int | str, str]:
    """Parse the arguments into a mapping from clusters to names.

    >>> wanted_names(["1=a=b", "age <= 3=young"], ["age <= 3", "age > 3"])
    {1: 'a=b', 0: 'young'}
    """
    from agathis.export._rename import cluster_of

    out: dict[int | str, str] = {}
    for one in given:
        key, sign, name = one.partition("=")
        # Current names may contain the sign: take the longest that matches.
        for at in reversed([i for i, letter in enumerate(one) if letter == "="]):
            if one[:at].strip() in present:
                key, name = one[:at], one[at + 1 :]
                break
        if not sign:
            raise WrongUse(f"{one_line(one)} must be a cluster and its name, such as 0=small.")
        k = cluster_of(key.strip(), present)
        if k in out:
            raise WrongUse(f"cluster {k} is named twice, {one_line(out[k])} and {one_line(name)}.")
        out[k] = name
    return out


def _read(path: str) -> tuple[str, FittedModel]:
    """Read the text of a model, and load it."""
    from agathis._cli.inputs import load_model, model_from_stdin

    if path != STDIN:
        # First, for its messages about files that are not models.
        tree = load_model(path)
        return Path(path).read_text(encoding="utf-8"), tree
    text = model_from_stdin()
    return text, load_model(path, text=text)
