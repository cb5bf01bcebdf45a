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
    ] = 10,
    columns: Annotated[Columns, "no_split", "no_count", "show", "target"] = options.COLUMNS,
    text: TextFile = options.TEXT_FILE,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Suggest how many clusters and leaves suit a table, and why.

    silhouette, up to 1, is how tight clusters are and how far apart; chance, what it is in rows
    without clusters; stability, how well halves of the rows agree on them. Of the stable ones the
    fewest that are as far above chance as any are suggested. explained is the fraction of the
    variance of the rows that they account for; leaves make 99 % of what a tree can gain.

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
        messages.say(f"Trying 2 to {min(max_k, len(X) - 1)} clusters.")
    with bad_data():
        suggestion = agathis.suggest(
            X,
            max_clusters=max_k,
            random_state=seed,
            n_jobs=jobs,
            verbose=int(not quiet and (is_large or sys.stderr.isatty())),
        )
    best = suggestion.best
    words = ["agathis", "fit", data, "-k", str(best.clusters), "--leaves", str(best.leaves)]
    words += options_typed(columns) + options_typed(text)
    words += ["-o", "model.json", "--report", "report.html"]
    with results() as console:
        console.print(_table(suggestion))
        console.print()
        console.print(suggestion.in_words("--max-k"))
        console.print()
        console.print(shlex.join(words), style="bold", soft_wrap=True)


def _table(suggestion: Suggestion) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("clusters", justify="right")
    table.add_column("leaves", justify="right")
    table.add_column("explained", justify="right", no_wrap=True)
    table.add_column("silhouette", no_wrap=True)
    table.add_column("chance", justify="right")
    table.add_column("stability", no_wrap=True)
    table.add_column("")
    for one in suggestion.candidates:
        best = one is suggestion.best
        table.add_row(
            str(one.clusters),
            str(one.leaves),
            f"{100 * one.explained:.0f} %",
            f"{_bar(one.silhouette)} {one.silhouette:5.2f}",
            f"{one.chance:.2f}",
            f"{_bar(one.stability)} {one.stability:5.2f}",
            "<- suggested" if best else suggestion.column_type(one),
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
