"""``agathis predict``: predict the clusters of new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages
from agathis._cli.errors import BadData, WrongUse
from agathis._cli.options import TextFile
from agathis._cli.output import STDIN, STDOUT, check_apart, check_target, write, write_binary

if TYPE_CHECKING:
    import pyarrow as pa

COLUMN = "cluster"
#: Extensions of files that are not text tables.
NOT_WRITTEN = (
    ".arrow", ".feather", ".gz", ".ipc", ".json", ".jsonl", ".ndjson", ".ods", ".xls", ".xlsx",
)  # fmt: skip


def predict(
    model: options.ModelFile,
    data: options.Data,
    output: options.Output = STDOUT,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="Write the columns of DATA too.")
    ] = False,
    keep_formulas: Annotated[
        bool,
        typer.Option(
            "--keep-formulas",
            help="Write strings that a spreadsheet evaluates as formulas unchanged, without a "
            "leading apostrophe (CSV and TSV).",
        ),
    ] = False,
    text: TextFile = options.TEXT_FILE,
    quiet: options.Quiet = False,
) -> None:
    """Predict the cluster of each row of a table.

    Writes CSV, or TSV and Parquet if the name of the output ends in .tsv or .parquet. Columns are
    found by their names; others are ignored.

    Example: agathis predict model.json new.csv -o labels.csv
    """
    if model == data == STDIN:
        raise WrongUse("MODEL and DATA are both -; one of them has to be a file.")
    check_target(output)
    if output.lower().endswith(NOT_WRITTEN):
        raise WrongUse(f"-o {output}: predict writes .csv, .tsv and .parquet files.")
    check_apart(data, o=output)
    check_apart(model, o=output)
    reading = text.reading()

    from agathis._cli.inputs import load_model, read_for, rows_for_model

    messages = Messages(quiet)
    # Rows with missing values are predicted too, with a warning.
    loaded = load_model(model, takes_missing=True)
    read = read_for(loaded, data, reading, messages)
    X, _ = rows_for_model(loaded, read.table, data, messages)
    labels = loaded.predict(X).tolist()
    if hasattr(loaded, "cluster_names_"):
        # Names may be invalid Unicode; they are escaped as in exports.
        # Without a name of its own a cluster is its number.
        names = [
            str(k) if name == f"cluster {k}" else name.encode(errors="backslashreplace").decode()
            for k, name in enumerate(loaded.cluster_names_)
        ]
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
