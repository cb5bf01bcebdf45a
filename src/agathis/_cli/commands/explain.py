"""``agathis explain``: a tree that explains the labels in a column."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Annotated, Literal

import typer

from agathis._cli import options
from agathis._cli.console import Messages, count, one_line
from agathis._cli.errors import WrongUse, bad_data
from agathis._cli.options import Columns, TextFile
from agathis._cli.output import STDOUT, check_apart, check_target, write
from agathis._cli.reporting import check_report, write_report


def explain(
    data: options.Data,
    labels: Annotated[
        str, typer.Option(metavar="COLUMN", help="The labels to explain; never a feature.")
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The model, as JSON; - is stdout."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="A report about the labels, as HTML.")
    ] = None,
    open_report: options.Open = False,
    leaves: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="Maximum number of leaves; default: one per label, more if one has none.",
        ),
    ] = None,
    min_leaf: Annotated[
        float,
        typer.Option(
            min=0, metavar="N", help="Minimum number of rows in a leaf, or their fraction."
        ),
    ] = 1,
    search: Annotated[
        options.Search, typer.Option(help="optimal proves that no tree has a lower Gini criterion.")
    ] = "local",
    noise: Annotated[
        Literal["ignore", "label"],
        typer.Option(help="Whether the label -1 is noise of weight 0, or a label like others."),
    ] = "ignore",
    columns: Annotated[
        Columns, "scale", "weight", "no_split", "no_count", "target"
    ] = options.COLUMNS,
    text: TextFile = options.TEXT_FILE,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Explain labels that a table has, such as clusters or segments, by a few short rules.

    The rules, one per label, go to stdout, with the fraction of their rows that have the label.

    Example: agathis explain iris.csv --labels species -o explained.json
    """
    check_target(output)
    check_report(report, "--report")
    check_apart(data, o=output, report=report)
    if open_report and report is None:
        raise WrongUse("--open opens the report: give its file with --report.")
    messages, reading = Messages(quiet), replace(text.reading(), strict=columns.strict)

    import agathis
    from agathis._cli.inputs import notes_on_numbers, read_input, title_of_input
    from agathis._cli.names import columns_of, lacks, split_names
    from agathis._columns.frames import classes_of
    from agathis.export import to_json, to_rules

    read = read_input(data, reading, lambda names: split_names(columns.categorical, names))
    names = read.table.column_names
    if labels not in names:
        raise WrongUse(f"--labels {one_line(labels)}: {lacks(labels, names)}")
    columns = columns_of(columns, names)
    messages.tell(read.doubts)
    messages.say(f"Read {count(read.table.num_rows, 'row')} and {count(len(names), 'column')}.")
    with bad_data():
        model = agathis.explain(
            read.table,
            labels,
            max_leaf_nodes=leaves or "auto",
            min_samples_leaf=int(min_leaf) if min_leaf >= 1 else min_leaf,
            search=search,
            noise=noise,
            missing="error" if columns.strict else columns.missing,
            **{name: getattr(columns, name) for name in ("drop", "keep", "categorical", "dates")},
            show=columns.show,
            strict=columns.strict,
            random_state=seed,
            n_jobs=jobs,
        )
    known, agreement = model.provenance, model.agreement
    assert known is not None
    assert agreement is not None
    numbers = notes_on_numbers(read.notes, model.feature_names_in_)
    model.provenance = replace(
        known,
        source=os.path.basename(title_of_input(data)),
        reading=read.reading.decided,
        notes=(*map(str, [*read.doubts, *numbers]), *known.notes),
        doubts=(*(note.on_page() for note in read.doubts), *known.doubts),
    )
    messages.tell(numbers)
    for note in known.doubts:
        messages.warn(note)
    messages.say(agreement.summary())
    messages.tell(note for note in agreement.notes() if not note.doubtful)
    if output is not None:
        write(output, to_json(model, indent=1) + "\n")
    if output != STDOUT:
        write(STDOUT, f"{to_rules(model, read.table, classes_of(read.table, labels))}\n")
    if output not in (None, STDOUT):
        messages.say(f"Wrote {output}. Next: agathis show {output}")
    if report is not None:
        write_report(report, model, read.table, data, open_report, messages, reading=read.reading)
