"""``agathis export``: a tree in another form."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agathis._cli import options
from agathis._cli.console import Messages, one_line
from agathis._cli.errors import BadData, WrongUse, bad_data, needs
from agathis._cli.output import STDOUT, check_apart, check_target, write, write_binary

if TYPE_CHECKING:
    from agathis.export import FittedModel


class Form(str, Enum):
    sql = "sql"
    python = "python"
    dot = "dot"
    onnx = "onnx"
    json = "json"
    text = "text"
    rules = "rules"


class Dialect(str, Enum):
    ansi = "ansi"
    bigquery = "bigquery"
    duckdb = "duckdb"
    mssql = "mssql"
    mysql = "mysql"
    postgres = "postgres"
    snowflake = "snowflake"
    sqlite = "sqlite"


def export(
    model: options.ModelFile,
    to: Annotated[Form, typer.Option(help="The form.")],
    output: options.Output = STDOUT,
    dialect: Annotated[
        Dialect | None, typer.Option(help="Of SQL; by default ansi.", show_default=False)
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of SQL: a whole query for this table, or schema.table."),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of a query in SQL: the column of clusters; by default cluster.",
            show_default=False,
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Write a tree as SQL, Python, Graphviz' dot, ONNX, JSON, text or rules.

    Columns, categories and units are those of the table that the model was fitted to.

    Example: agathis export model.json --to sql --dialect duckdb --table flowers
    """
    if to is not Form.sql and (dialect is not None or table is not None):
        raise WrongUse(f"--dialect and --table go with --to sql, not {to.value}.")
    if table is not None and not all(table.split(".")):
        raise WrongUse(f"--table {table!r} has an empty name; give a table, or schema.table.")
    if column is not None and (table is None or not column):
        raise WrongUse("--column NAME names the column of a query: it goes with --table.")
    check_target(output)
    check_apart(model, o=output)

    from agathis import export as writers
    from agathis._cli.inputs import load_model

    loaded = load_model(model)
    if to is Form.onnx:
        needs("skl2onnx", "onnx", "ONNX")
        with bad_data():
            data = writers.to_onnx(loaded)
        write_binary(output, data)
        names = getattr(loaded, "feature_names_in_", [])
        Messages(quiet).say(f"Its input X has the columns {', '.join(map(one_line, names))}.")
        return
    params: dict[str, Any] = {}
    if to is Form.sql:
        params["dialect"] = (dialect or Dialect.ansi).value
        params["table"] = table.split(".") if table is not None else None
        if column is not None:
            params["column"] = column
        elif table is not None and _has_column(loaded, "cluster"):
            raise BadData(
                "the table has a column cluster already; --column NAME gives the clusters another."
            )
    elif to is Form.json:
        params["indent"] = 1
    try:
        with bad_data():
            text = getattr(writers, f"to_{to.value}")(loaded, **params)
    except TypeError as error:
        # A category that the form cannot hold.
        raise BadData(str(error)) from error
    write(output, str(text).rstrip("\n") + "\n")


def _has_column(model: FittedModel, name: str) -> bool:
    """Whether the table of a model has a column, as far as the model tells; in any case."""
    known = [*getattr(model, "feature_names_in_", []), *getattr(model, "one_hot_", {})]
    known += [when.column for when in getattr(model, "date_parts_", {}).values()]
    return name.lower() in (str(one).lower() for one in known)
