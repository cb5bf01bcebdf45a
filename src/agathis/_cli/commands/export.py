"""``agathis export``: write a tree in another format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from agathis._cli import options
from agathis._cli.console import Messages, one_line
from agathis._cli.errors import BadData, WrongUse, bad_data, needs
from agathis._cli.output import STDOUT, check_apart, check_target, write, write_binary
from agathis.export._dialects import DIALECTS
from agathis.export._formats import FORMATS

if TYPE_CHECKING:
    from agathis.export import FittedModel

    Dialect = str
    Form = str
else:
    Dialect = Literal[tuple(DIALECTS)]
    Form = Literal[tuple(FORMATS)]


def export(
    model: options.ModelFile,
    to: Annotated[Form, typer.Option(help="The format.")],
    output: options.Output = STDOUT,
    dialect: Annotated[Dialect | None, typer.Option(help="SQL dialect; default: ansi.")] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Write a query for this table, or schema.table (SQL)."),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of the column of clusters in the query; default: cluster (SQL).",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Write a tree as SQL, Python, Graphviz' dot, ONNX, JSON, text or rules.

    Columns, categories and units are those of the table that the model was fitted to.

    Example: agathis export model.json --to sql --dialect duckdb --table flowers
    """
    form = FORMATS[to]
    if not form.queries and (dialect is not None or table is not None):
        raise WrongUse(f"--dialect and --table go with --to sql, not {to}.")
    if table is not None and not all(table.split(".")):
        raise WrongUse(f"--table {table!r} has an empty name; give a table, or schema.table.")
    if column is not None and (table is None or not column):
        raise WrongUse("--column NAME names the column of a query: it goes with --table.")
    check_target(output)
    check_apart(model, o=output)

    from agathis import export as writers
    from agathis._cli.inputs import load_model

    loaded = load_model(model)
    writer, params = getattr(writers, form.writer), dict(form.options)
    if form.extra is not None:
        needs(*form.extra)
        with bad_data():
            data = writer(loaded, **params)
        write_binary(output, data)
        names = getattr(loaded, "feature_names_in_", [])
        Messages(quiet).say(f"Its input X has the columns {', '.join(map(one_line, names))}.")
        return
    if form.queries:
        params["dialect"] = dialect or "ansi"
        params["table"] = table.split(".") if table is not None else None
        if column is not None:
            params["column"] = column
        elif table is not None and _has_column(loaded, "cluster"):
            raise BadData(
                "the table has a column cluster already; --column NAME gives the clusters another."
            )
    try:
        with bad_data():
            text = writer(loaded, **params)
    except TypeError as error:
        # A category that the format cannot represent.
        raise BadData(str(error)) from error
    write(output, str(text).rstrip("\n") + "\n")


def _has_column(model: FittedModel, name: str) -> bool:
    """Return whether the model knows a column of this name, in upper or lower case."""
    known = [*getattr(model, "feature_names_in_", []), *getattr(model, "one_hot_", {})]
    known += [when.column for when in getattr(model, "date_parts_", {}).values()]
    return name.lower() in (str(one).lower() for one in known)
