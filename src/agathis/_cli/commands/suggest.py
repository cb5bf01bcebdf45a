"""``agathis suggest``: suggest the numbers of clusters and leaves."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages
from agathis._cli.errors import bad_data
from agathis._cli.options import Columns, TextFile, options_typed

if TYPE_CHECKING:
    from rich.table import Table

    from agathis._suggest import Suggestion

BAR = 8


def suggest(
    data: options.Data,
    max_k: Annotated[
        int, typer.Option(min=2, metavar="K", help="Maximum number of clusters to try.")
    ] = 8,
    columns: Annotated[Columns, "no_split", "no_count", "show", "target"] = options.COLUMNS,
    text: TextFile = options.TEXT_FILE,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Suggest how many clusters a table has, or say that none could be shown.

    Random halves of the rows are split, and the other halves test whether the rows at a split have
    more than one mode: p is the p-value of one mode. recurrence is the fraction of the halves that
    give the same split; explained, the fraction of the variance that the clusters account for. That
    no groups could be shown does not mean that there are none.

    Example: agathis suggest iris.csv --drop species
    """
    reading = text.reading()

    import agathis
    from agathis._cli.console import results
    from agathis._cli.fitting import ROWS_WITH_BAR, read_rows

    messages = Messages(quiet)
    rows, _ = read_rows(data, columns, reading, messages)
    X = rows.X
    is_large = len(X) >= ROWS_WITH_BAR
    if is_large:
        messages.say(f"Trying 2 to {max_k} clusters.")
    with bad_data():
        suggestion = agathis.suggest(
            X,
            max_clusters=max_k,
            random_state=seed,
            verbose=int(not quiet and (is_large or sys.stderr.isatty())),
        )
    words = ["agathis", "fit", data, "-k", str(suggestion.n_clusters)]
    words += options_typed(columns) + options_typed(text)
    words += ["-o", "model.json", "--report", "report.html"]
    with results() as console:
        console.print(_table(suggestion))
        console.print()
        console.print(suggestion.in_words("--max-k"))
        if suggestion.evidence.shown:
            console.print()
            console.print(shlex.join(words), style="bold", soft_wrap=True)


def _table(suggestion: Suggestion) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("clusters", justify="right")
    table.add_column("explained", justify="right", no_wrap=True)
    table.add_column("p", justify="right", no_wrap=True)
    table.add_column("recurrence", no_wrap=True)
    table.add_column("")
    for one in suggestion.candidates:
        best = one.clusters == suggestion.n_clusters
        table.add_row(
            str(one.clusters),
            f"{100 * one.explained:.0f} %",
            f"{one.pvalue:.2g}",
            f"{_bar(one.recurrence)} {one.recurrence:5.2f}",
            "<- suggested" if best else suggestion.decided(one),
            style="bold" if best else None,
        )
    return table


def _bar(fraction: float) -> str:
    """Draw a fraction as a bar.

    >>> _bar(0.5)
    '####----'
    """
    full = round(BAR * min(1.0, max(0.0, fraction)))
    return "#" * full + "-" * (BAR - full)
