"""Write the report of a model, and open it on request."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agathis._cli.console import Messages
from agathis._cli.errors import BadData, WrongUse, bad_data, needs
from agathis._cli.output import STDOUT, check_target

if TYPE_CHECKING:
    import pyarrow as pa

    from agathis._io.table_reading import TableReading
    from agathis.export import FittedModel


def check_report(path: str | None, option: str) -> None:
    """Raise before the work if a report could not be written after it."""
    if path == STDOUT:
        raise WrongUse(f"{option} - : a report is a file, for a browser.")
    check_target(path, option)
    if path is not None:
        needs("jinja2", "report", "a report")


def write_report(
    path: str,
    model: FittedModel,
    table: pa.Table,
    source: str,
    open_it: bool,
    messages: Messages,
    *,
    target: str | None = None,
    identifier: str | None = None,
    show: Sequence[str] = (),
    title: str | None = None,
    tell: bool = False,
    provenance: Mapping[str, Any] | None = None,
    reading: TableReading | None = None,
) -> None:
    """Write the report of a model about the rows of a table, for ``fit`` and ``report``.

    Parameters
    ----------
    path : str
    model : FittedModel
    table : pyarrow.Table
        All rows that were read.
    source : str
        The file of the table.
    open_it : bool
    messages : Messages
    target, identifier, show : optional
        Columns; by default those of the fit that exist in the table.
    title : str, optional
        By default that of the fit, or the file.
    tell : bool
        Whether to warn about unusual values.
    provenance : mapping, optional
        Replaces the provenance of the rows.
    reading : TableReading, optional
        How their file was read.
    """
    import numpy as np

    from agathis import report
    from agathis._cli.inputs import rows_for_model, title_of_input
    from agathis._columns.frames import classes_of
    from agathis._model.facts import Provenance, doubts_of

    known = model.provenance or Provenance()
    there = set(table.column_names)
    target = known.target if target is None and known.target in there else target
    identifier = (
        known.identifier if identifier is None and known.identifier in there else identifier
    )
    shown = list(show) or [name for name in known.show if name in there]
    n_read = table.num_rows
    X, notes = rows_for_model(model, table, source, messages if tell else None, every=True)
    if known.missing == "drop":
        complete = np.flatnonzero(model.is_complete(X))
        if not len(complete):
            raise BadData(f"{title_of_input(source)} has no row without missing values.")
        table, X = table.take(complete), X[complete]
    name = os.path.basename(title_of_input(source))
    rows = {
        "source": name,
        "rows_read": n_read,
        "rows_used": len(X),
        "rows_why": "rows with missing values were dropped" if len(X) < n_read else None,
        "doubts": doubts_of(notes),
        "reading": None if reading is None else reading.facts(),
    }
    with bad_data():
        try:
            report.write(
                model,
                X,
                path,
                y=None if target is None else classes_of(table, target),
                title=title or known.title or name,
                target_name=target,
                ids=None if identifier is None else table.column(identifier).to_pylist(),
                id_name=identifier,
                provenance={**rows, **(provenance or {})},
                show=table.select(shown) if shown else None,
            )
        except OSError as error:
            raise BadData(f"{path} is not written: {error.strerror or error}.") from error
    messages.say(f"Wrote {path}.")
    if open_it:
        open_page(path, messages)


def open_page(path: str, messages: Messages) -> None:
    """Open a page in the browser."""
    import webbrowser

    if not webbrowser.open(Path(path).resolve().as_uri()):
        messages.warn(f"no browser was found; open {path} in one.")
