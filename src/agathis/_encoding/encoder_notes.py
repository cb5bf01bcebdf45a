"""Notes on an encoded table, and the table that lists how each column was handled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from agathis._columns.errors import Advice, BadTable, Cells, Note
from agathis._columns.identifiers import FEW
from agathis._columns.wording import count, listed, some, title_of
from agathis._encoding.column_notes import notes_on
from agathis._encoding.column_roles import CONSTANT, KEEP, PARTS, ColumnType
from agathis._encoding.copies import copies_of, notes_on_families
from agathis._encoding.encoder_options import Options
from agathis._encoding.feature_rows import LARGEST
from agathis._utils.result_table import Table

if TYPE_CHECKING:
    from agathis._encoding.table_encoder import TableEncoder

#: Report columns with a weight below this.
LITTLE = 0.5


def notes_of(encoder: TableEncoder) -> list[Note]:
    """Return notes on the columns."""
    weighed = encoder.weight if isinstance(encoder.weight, Mapping) else ()
    asked = [*encoder.no_split, *encoder.no_count, *weighed]
    out = {column_type.name for column_type in encoder.column_types_ if not column_type.is_used}
    lost = [title_of(name) for name in dict.fromkeys(asked) if name in out]
    notes = notes_on(encoder.column_types_)
    if lost:
        text = f"{listed(lost)}: options have no effect on columns that are left out."
        notes.append(Note((text,), doubtful=True))
    if encoder.infinite_:
        shown = (f"{title_of(name)} ({count(n, 'row')})" for name, n in encoder.infinite_.items())
        text = "Infinite values are replaced by the largest or smallest finite value"
        notes.append(Note((f"{text}: {listed(shown)}.",), doubtful=True))
    if encoder.outliers_:
        outliers = Cells(
            listed(
                f"{title_of(name)} ({some([_short(value) for value in values], 3)})"
                for name, values in encoder.outliers_.items()
            ),
            listed(map(title_of, encoder.outliers_)),
        )
        text = "Outliers are clipped and do not affect the scale: "
        way = Advice("scale", "standard")
        notes.append(Note((text, outliers, " (", way, " does not clip)."), doubtful=True))
    return notes + notes_on_families(encoder.families_, encoder.weight == "learned")


def weight_notes_of(encoder: TableEncoder) -> list[Note]:
    """Return notes on columns of low weight."""
    if encoder.weight != "learned":
        return []
    known = {name for family in encoder.families_ for name in family.members}
    little = [
        title_of(row["column"])
        for row in encoder.columns_
        if row["weight"] is not None and row["weight"] < LITTLE and row["column"] not in known
    ]
    if not little:
        return []
    text = f"{listed(little)}: nearly uncorrelated with the other columns, so they get less weight"
    if len(little) == 1:
        text = f"{little[0]} is nearly uncorrelated with the other columns, so it gets less weight"
    return [
        Note(
            (text, " (", Advice("weight", "equal"), " weights all columns equally)."), doubtful=True
        )
    ]


def columns_of(encoder: TableEncoder, variances: np.ndarray, options: Options) -> Table:
    """List how each column was handled; variances are of scaled features."""
    spread = np.where(encoder.roles_.kernel, variances, 0.0)
    total = spread.sum()
    places, copies = encoder.places(), copies_of(encoder.families_)
    shares = {
        column: float(spread[features].sum() / total) if total > 0 else 0.0
        for column, features in places.items()
    }
    return Table(
        [
            {
                "column": column_type.name,
                "kind": f"copy of {copies[column_type.name]}"
                if column_type.name in copies
                else column_type.holds_kind,
                "became": _became(column_type, len(places.get(column_type.name, ()))),
                "why": column_type.why or column_type.evidence,
                "share": shares.get(column_type.name),
                "weight": options.weight(column_type.name) if column_type.is_used else None,
            }
            for column_type in encoder.column_types_
        ],
        ["column", "kind", "became", "why", "share", "weight"],
    )


def _short(value: float) -> str:
    """Format a number for a note: four digits, and no fewer than before the point."""
    return f"{round(value):d}" if abs(value) >= 1e4 else f"{float(f'{value:.4g}'):.15g}"


def _became(column_type: ColumnType, n: int) -> str:
    if column_type.kind == "out":
        return "left out"
    if column_type.shown:
        return "only shown"
    if column_type.kind == "category":
        return f"{count(n, 'column')} of 0 and 1"
    if column_type.kind == "ordered":
        return f"rank of {count(len(column_type.categories), 'value')}"
    if column_type.kind == "number":
        return "number"
    return listed(column_type.parts)


def nothing_left(title: str, column_types: Sequence[ColumnType], n_rows: int) -> BadTable:
    """Return the error that no column can be used."""
    reasons = "".join(f" {title_of(v.name)}: {v.why}." for v in column_types[:FEW])
    ways = {v.way for v in column_types if not v.why.startswith(CONSTANT)}
    keep = [" ", Advice("keep"), " uses a column all the same."] * (KEEP in ways)
    parts = [" ", Advice("dates", "parts"), " uses parts of dates."] * (PARTS in ways)
    one = " It has only one sample." if n_rows == 1 else ""
    return BadTable(f"{title} has no column left to cluster by.{one}{reasons}", *keep, *parts)


def too_large(name: str) -> BadTable:
    """Return the problem that numbers are too large to be squared."""
    return BadTable(
        f"{title_of(name)} has numbers beyond {LARGEST:g}: ",
        Advice("drop", (name,)),
        " leaves it out.",
    )


def infinite(title: str, column: str, n: int) -> BadTable:
    """Return the error that infinite values are not accepted."""
    return BadTable(
        f"{title}: {title_of(column)} has infinite values in {count(n, 'row')}; "
        "values must be finite or missing. ",
        Advice("na"),
        " treats a string as a missing value.",
    )
