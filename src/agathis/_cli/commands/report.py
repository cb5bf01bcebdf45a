"""``agathis report``: write a report about the clusters of a table."""

from __future__ import annotations

from agathis._cli import options
from agathis._cli.console import Messages, one_line
from agathis._cli.errors import WrongUse
from agathis._cli.options import Columns, TextFile
from agathis._cli.output import STDIN, check_apart
from agathis._cli.reporting import check_report, write_report


def report(
    model: options.ModelFile,
    data: options.Data,
    output: options.Output = "report.html",
    open_report: options.Open = False,
    target: options.Target = None,
    identifier: options.Identifier = None,
    show: options.Show = [],  # noqa: B006
    title: options.Title = None,
    text: TextFile = options.TEXT_FILE,
    quiet: options.Quiet = False,
) -> None:
    """Write a report about a model and the rows of a table, as one HTML file.

    It needs no network access.

    Example: agathis report model.json iris.csv -o report.html --target species
    """
    check_report(output, "-o")
    if model == data == STDIN:
        raise WrongUse("MODEL and DATA are both -; one of them has to be a file.")
    check_apart(data, o=output)
    check_apart(model, o=output)
    reading = text.reading()

    from agathis._cli.inputs import load_model, read_for
    from agathis._cli.names import columns_of, lacks

    messages = Messages(quiet)
    # Rows with missing values are described too, with a warning.
    loaded = load_model(model, takes_missing=True)
    read = read_for(loaded, data, reading, messages)
    table = read.table
    shown = columns_of(Columns(show=show, target=target), table.column_names).show
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
        show=shown,
        title=title,
        tell=True,
        reading=read.reading,
    )
