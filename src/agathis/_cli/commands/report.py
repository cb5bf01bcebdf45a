"""``agathis report``: a page about the clusters of a table."""

from __future__ import annotations

from typing import Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, one_line
from agathis._cli.errors import WrongUse
from agathis._cli.output import STDIN, check_apart
from agathis._cli.reporting import check_report, write_report
from agathis._io.stream_limits import MAX_BYTES, MAX_LINE_BYTES


def report(
    model: options.ModelFile,
    data: options.Data,
    output: options.Output = "report.html",
    open_report: options.Open = False,
    target: options.Target = None,
    identifier: Annotated[
        str | None,
        typer.Option("--id", metavar="COLUMN", help="Find rows on the page by this column."),
    ] = None,
    show: options.Show = [],  # noqa: B006
    na: options.Na = [],  # noqa: B006
    encoding: options.Encoding = None,
    sep: options.Separator = None,
    decimal: options.DecimalPoint = None,
    max_line_bytes: options.MaxLineBytes = MAX_LINE_BYTES,
    max_bytes: options.MaxBytes = MAX_BYTES,
    quiet: options.Quiet = False,
) -> None:
    """Write a page about a model and the rows of a table, as one HTML file.

    It needs nothing but a browser, and fetches nothing from anywhere.

    Example: agathis report model.json iris.csv -o report.html --target species
    """
    check_report(output, "-o")
    if model == data == STDIN:
        raise WrongUse("MODEL and DATA are both -; one of them has to be a file.")
    check_apart(data, o=output)
    check_apart(model, o=output)
    reading = options.reading_of(na, encoding, sep, decimal, max_line_bytes, max_bytes)

    from agathis._cli.inputs import load_model, read_for
    from agathis._cli.names import Wanted, lacks

    messages = Messages(quiet)
    # Whatever is missing goes where predict sends it, and is said.
    loaded = load_model(model, takes_missing=True)
    table = read_for(loaded, data, reading, messages).table
    wanted = Wanted(show=show, target=target).of(table.column_names)
    if identifier is not None and identifier not in table.column_names:
        raise WrongUse(f"--id {one_line(identifier)}: {lacks(identifier, table.column_names)}")
    write_report(
        output,
        loaded,
        table,
        data,
        open_report,
        messages,
        target=target,
        identifier=identifier,
        show=wanted.show,
        tell=True,
    )
