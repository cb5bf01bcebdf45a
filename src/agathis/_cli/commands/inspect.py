"""``agathis inspect``: how a table is read, before anything is clustered."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, one_line
from agathis._cli.options import TextFile
from agathis._cli.output import check_apart
from agathis._cli.reporting import check_report, open_page

if TYPE_CHECKING:
    from agathis.report._profile import ColumnProfile


def inspect(
    data: options.Data,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="A page about the columns, as HTML."),
    ] = None,
    open_report: options.Open = False,
    text: TextFile = options.TEXT_FILE,
    quiet: options.Quiet = False,
) -> None:
    """Show how a table is read: its rows and columns, what was left out and what was assumed.

    Nothing is clustered. A doubtful assumption is a note, which names the option that sets it.

    Example: agathis inspect iris.csv -o columns.html
    """
    check_report(output, "-o")
    check_apart(data, o=output)
    reading = text.reading()

    from agathis._cli.console import results
    from agathis._cli.errors import BadData, bad_data
    from agathis._cli.inputs import notes_on_numbers, read_input, title_of_input
    from agathis._columns.errors import as_options, message_of
    from agathis._model.facts import doubts_of
    from agathis.report import _profile

    messages = Messages(quiet)
    read = read_input(data, reading)
    with bad_data():
        profiles = _profile.column_profiles(read.table, read.notes)
    notes = [*read.doubts, *notes_on_numbers(read.notes, read.table.column_names)]
    with results() as console:
        for label, value in read.reading.facts():
            console.print(f"{label + ':':<14}{one_line(value)}")
        console.print()
        console.print(_columns(profiles))
        console.print()
        for one in read.reading.assumptions:
            sentence = one_line(message_of(one.parts, as_options))
            console.print(f"{sentence} (confidence {one.confidence:.0%}).")
    messages.tell(notes)
    if output is None:
        return
    title = os.path.basename(title_of_input(data))
    try:
        _profile.write(output, title, read.reading, profiles, doubts_of(notes))
    except OSError as error:
        raise BadData(f"{output} is not written: {error.strerror or error}.") from error
    messages.say(f"Wrote {output}.")
    if open_report:
        open_page(output, messages)


def _columns(profiles: list[ColumnProfile]) -> object:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("column", "read as", "used as", "missing", "different", "why"):
        right = name in ("missing", "different")
        table.add_column(name, justify="right" if right else "left", no_wrap=right)
    for one in profiles:
        missing = f"{one.n_missing:,}" if one.n_missing else ""
        table.add_row(
            one_line(one.name or "(no name)"),
            one.type,
            one_line(one.role),
            missing,
            f"{one.n_distinct:,}",
            one_line(one.why),
        )
    return table
