"""``agathis suggest``: how many clusters, and how many leaves."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages
from agathis._cli.errors import bad_data
from agathis._cli.options import Dates, Missing
from agathis._io.stream_limits import MAX_BYTES, MAX_LINE_BYTES

if TYPE_CHECKING:
    from rich.table import Table

    from agathis._suggest import Suggestion

BAR = 8


def suggest(
    data: options.Data,
    max_k: Annotated[
        int, typer.Option(min=2, metavar="K", help="Maximum number of clusters to try.")
    ] = 10,
    scale: options.Scaling = [],  # noqa: B006
    weight: options.Weights = [],  # noqa: B006
    drop: options.Drop = [],  # noqa: B006
    keep: options.Keep = [],  # noqa: B006
    categorical: options.Categorical = [],  # noqa: B006
    dates: options.DatesAre = Dates.out,
    missing: options.MissingValues = Missing.tree,
    strict: options.Strict = False,
    na: options.Na = [],  # noqa: B006
    encoding: options.Encoding = None,
    sep: options.Separator = None,
    decimal: options.DecimalPoint = None,
    max_line_bytes: options.MaxLineBytes = MAX_LINE_BYTES,
    max_bytes: options.MaxBytes = MAX_BYTES,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Suggest how many clusters and leaves suit a table, and why.

    silhouette, up to 1, is how tight clusters are and how far apart; chance, what it is in rows
    without groups; stability, how well halves of the rows agree on them. Of the stable ones the
    fewest that are as far above chance as any are suggested. explained is the share of the spread
    of the rows that they account for; leaves make 99 % of what a tree can gain.

    Example: agathis suggest iris.csv --drop species
    """
    reading = options.reading_of(na, encoding, sep, decimal, max_line_bytes, max_bytes)

    import agathis
    from agathis._cli.console import results
    from agathis._cli.fitting import ROWS_WITH_BAR, read_rows
    from agathis._cli.names import Wanted

    messages = Messages(quiet)
    wanted = Wanted(
        drop, keep, categorical, missing=missing.value, scale=scale, weight=weight,
        dates=dates.value, strict=strict,
    )  # fmt: skip
    rows, _ = read_rows(data, wanted, reading, messages)
    X = rows.X
    many = len(X) >= ROWS_WITH_BAR
    if many:
        messages.say(f"Trying 2 to {min(max_k, len(X) - 1)} clusters.")
    with bad_data():
        found = agathis.suggest(
            X,
            max_clusters=max_k,
            random_state=seed,
            n_jobs=jobs,
            verbose=int(not quiet and (many or sys.stderr.isatty())),
        )
    best = found.best
    words = ["agathis", "fit", data, "-k", str(best.clusters), "--leaves", str(best.leaves)]
    words += wanted.words()
    lists = {"--na": na}
    lists |= {"--encoding": [encoding] if encoding else [], "--sep": [sep] if sep else []}
    lists |= {"--decimal": [decimal.value] if decimal else []}
    lists |= {"--max-line-bytes": [str(max_line_bytes)] * (max_line_bytes != MAX_LINE_BYTES)}
    lists |= {"--max-bytes": [str(max_bytes)] * (max_bytes != MAX_BYTES)}
    words += [word for option, given in lists.items() for one in given for word in (option, one)]
    with results() as console:
        console.print(_table(found))
        console.print()
        console.print(found.in_words("--max-k"))
        console.print()
        words += ["-o", "model.json", "--report", "report.html"]
        console.print(shlex.join(words), style="bold", soft_wrap=True)


def _table(found: Suggestion) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("clusters", justify="right")
    table.add_column("leaves", justify="right")
    table.add_column("explained", justify="right", no_wrap=True)
    table.add_column("silhouette", no_wrap=True)
    table.add_column("chance", justify="right")
    table.add_column("stability", no_wrap=True)
    table.add_column("")
    for one in found.candidates:
        best = one is found.best
        table.add_row(
            str(one.clusters),
            str(one.leaves),
            f"{100 * one.explained:.0f} %",
            f"{_bar(one.silhouette)} {one.silhouette:5.2f}",
            f"{one.chance:.2f}",
            f"{_bar(one.stability)} {one.stability:5.2f}",
            "<- suggested" if best else found.column_type(one),
            style="bold" if best else None,
        )
    return table


def _bar(share: float) -> str:
    """A bar of a share.

    >>> _bar(0.5)
    '####----'
    """
    full = round(BAR * min(1.0, max(0.0, share)))
    return "#" * full + "-" * (BAR - full)
