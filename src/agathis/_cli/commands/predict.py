"""``agathis predict``: the clusters of new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages
from agathis._cli.errors import BadData, WrongUse
from agathis._cli.output import STDIN, STDOUT, check_apart, check_target, write, write_binary
from agathis._io.stream_limits import MAX_BYTES, MAX_LINE_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

COLUMN = "cluster"
#: Ends of names that programs open as something else than text.
NOT_WRITTEN = (
    ".arrow", ".feather", ".gz", ".ipc", ".json", ".jsonl", ".ndjson", ".ods", ".xls", ".xlsx",
)  # fmt: skip


def predict(
    model: options.ModelFile,
    data: options.Data,
    output: options.Output = STDOUT,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="Put the clusters beside the columns of DATA.")
    ] = False,
    keep_formulas: Annotated[
        bool,
        typer.Option(
            "--keep-formulas",
            help="Write strings of CSV and TSV that a spreadsheet evaluates as formulas unchanged, "
            "without an apostrophe before them.",
        ),
    ] = False,
    na: options.Na = [],  # noqa: B006
    encoding: options.Encoding = None,
    sep: options.Separator = None,
    decimal: options.DecimalPoint = None,
    max_line_bytes: options.MaxLineBytes = MAX_LINE_BYTES,
    max_bytes: options.MaxBytes = MAX_BYTES,
    quiet: options.Quiet = False,
) -> None:
    """Tell the cluster of each row of a table.

    Writes CSV, or what the name of the output says: .tsv, .parquet. Columns are found by their
    names; others are ignored.

    Example: agathis predict model.json new.csv -o labels.csv
    """
    if model == data == STDIN:
        raise WrongUse("MODEL and DATA are both -; one of them has to be a file.")
    check_target(output)
    if output.lower().endswith(NOT_WRITTEN):
        raise WrongUse(f"-o {output}: predict writes .csv, .tsv and .parquet files.")
    check_apart(data, o=output)
    check_apart(model, o=output)
    reading = options.reading_of(na, encoding, sep, decimal, max_line_bytes, max_bytes)

    from agathis._cli.inputs import load_model, read_for, rows_for_model

    messages = Messages(quiet)
    # Whatever is missing goes where the tree sends it, and is said.
    loaded = load_model(model, takes_missing=True)
    read = read_for(loaded, data, reading, messages)
    X = rows_for_model(loaded, read.table, data, messages)
    labels = loaded.predict(X).tolist()
    if hasattr(loaded, "cluster_names_"):
        # A file may have a name that is no Unicode; it is written as ``export`` writes it.
        names = [name.encode(errors="backslashreplace").decode() for name in loaded.cluster_names_]
        labels = [names[label] for label in labels]
    _write(output, read.cells() if with_data else None, labels, keep_formulas)
    if output != STDOUT:
        messages.say(f"Wrote {output}.")


def _write(output: str, table: pa.Table | None, labels: list, keep_formulas: bool) -> None:
    import pyarrow as pa

    column = pa.array(labels)
    if table is None:
        table = pa.table({COLUMN: column})
    elif COLUMN in table.column_names:
        raise BadData(f"--with-data: the table has a column {COLUMN} already; rename it.")
    else:
        table = table.append_column(COLUMN, column)
    if output.lower().endswith((".parquet", ".pq")):
        from pyarrow import parquet

        sink = pa.BufferOutputStream()
        parquet.write_table(table, sink)
        write_binary(output, sink.getvalue().to_pybytes())
        return
    from agathis._utils.result_table import csv_text

    separator = "\t" if output.lower().endswith((".tsv", ".tab")) else ","
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    write(output, csv_text(table.column_names, rows, separator, keep_formulas=keep_formulas))
