"""The report of a model, written whole and opened if asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agathis._cli.console import Messages
from agathis._cli.errors import BadData, WrongUse, bad_data, needs
from agathis._cli.output import STDOUT, check_target

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from agathis._cli.names import Wanted
    from agathis._fit_table import PreparedTable
    from agathis.export import FittedModel


def check_report(path: str | None, option: str) -> None:
    """Raise now where a report could not be written later."""
    if path == STDOUT:
        raise WrongUse(f"{option} - : a report is a file, for a browser.")
    check_target(path, option)
    if path is not None:
        needs("jinja2", "report", "a report")


@dataclass(frozen=True)
class PageRows:
    """The rows that a page tells of.

    Attributes
    ----------
    X : ndarray
        As the model takes them.
    target : ndarray or None
        Known classes, and the name of their column.
    ids : list or None
        Identifiers, and the name of their column.
    provenance : mapping, optional
        As for :func:`agathis.report.write`.
    show : pyarrow.Table, optional
        Columns that are only shown.
    """

    X: np.ndarray
    target: np.ndarray | None = None
    target_name: str | None = None
    ids: list[Any] | None = None
    id_name: str | None = None
    provenance: Mapping[str, Any] | None = None
    show: pa.Table | None = None


def write_report(
    path: str,
    model: FittedModel,
    rows: PageRows,
    source: str,
    open_it: bool,
    messages: Messages,
) -> None:
    """Write the page about these rows."""
    from agathis import report
    from agathis._cli.inputs import title_of_input

    title = os.path.basename(title_of_input(source))
    with bad_data():
        try:
            report.write(
                model,
                rows.X,
                path,
                y=rows.target,
                title=title,
                target_name=rows.target_name,
                ids=rows.ids,
                id_name=rows.id_name,
                provenance=rows.provenance,
                show=rows.show,
            )
        except OSError as error:
            raise BadData(f"{path} is not written: {error.strerror or error}.") from error
    messages.say(f"Wrote {path}.")
    if open_it:
        import webbrowser

        if not webbrowser.open(Path(path).resolve().as_uri()):
            messages.warn(f"no browser was found; open {path} in one.")


def page_rows(rows: PreparedTable, wanted: Wanted, source: str, scaling: str) -> PageRows:
    """What a page tells of a table that was just fitted: its rows, and where they come from."""
    from agathis._cli.inputs import title_of_input
    from agathis._tables.column_verdicts import IDENTIFIER
    from agathis._tables.told import told_columns

    encoder = rows.encoder
    names = [verdict.name for verdict in encoder.verdicts_ if verdict.why == IDENTIFIER]
    columns = told_columns(encoder)
    columns += [
        {"column": name, "became": "left out", "why": "as was asked for", "used": False}
        for name in wanted.drop
    ]
    used, read = len(rows.rows), rows.n_read
    return PageRows(
        rows.raw,
        rows.target,
        wanted.target,
        rows.table.column(names[0]).to_pylist() if names else None,
        names[0] if names else None,
        {
            "source": os.path.basename(title_of_input(source)),
            "rows_read": read,
            "rows_used": used,
            "rows_why": "they miss values" if used < read else None,
            "scaling": scaling,
            "columns": columns,
        },
        rows.table.select(list(encoder.show)) if encoder.show else None,
    )
