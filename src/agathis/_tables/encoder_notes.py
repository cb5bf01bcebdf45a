"""Notes on an encoded table, and the table that lists how each column was handled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from agathis._support.result_table import Table
from agathis._tables.codes import FEW
from agathis._tables.column_notes import notes_on
from agathis._tables.column_verdicts import CONSTANT, KEEP, PARTS, Verdict
from agathis._tables.encoder_options import Options
from agathis._tables.errors import Advice, BadTable, Note
from agathis._tables.feature_rows import LARGEST
from agathis._tables.wording import count, listed, some, title_of

if TYPE_CHECKING:
    from agathis._tables.encode import TableEncoder

#: Report columns with a weight below this.
LITTLE = 0.5


def notes_of(encoder: TableEncoder) -> list[Note]:
    """Return notes on the columns."""
    weighed = encoder.weight if isinstance(encoder.weight, Mapping) else ()
    asked = [*encoder.no_split, *encoder.no_count, *weighed]
    out = {verdict.name for verdict in encoder.verdicts_ if not verdict.is_used}
    lost = [title_of(name) for name in dict.fromkeys(asked) if name in out]
    notes = notes_on(encoder.verdicts_)
    if lost:
        text = f"{listed(lost)}: options have no effect on columns that are left out."
        notes.append(Note((text,), doubtful=True))
    if encoder.infinite_:
        told = (f"{title_of(name)} ({count(n, 'row')})" for name, n in encoder.infinite_.items())
        text = "Infinite values are replaced by the largest or smallest finite value"
        notes.append(Note((f"{text}: {listed(told)}.",), doubtful=True))
    if encoder.far_off_:
        told = (
            f"{title_of(name)} ({some([f'{value:.15g}' for value in values], 3)})"
            for name, values in encoder.far_off_.items()
        )
        text = f"Outliers are clipped and do not affect the scale: {listed(told)}"
        notes.append(Note((text, " (", Advice("scale", "standard"), " does not clip).")))
    return notes


def weight_notes_of(encoder: TableEncoder) -> list[Note]:
    """Return notes on columns of low weight."""
    if encoder.weight != "learned":
        return []
    little = [
        title_of(row["column"])
        for row in encoder.columns_
        if row["weight"] is not None and row["weight"] < LITTLE
    ]
    if not little:
        return []
    text = f"{listed(little)}: nearly uncorrelated with the other columns, so they get less weight"
    if len(little) == 1:
        text = f"{little[0]} is nearly uncorrelated with the other columns, so it gets less weight"
    return [Note((text, " (", Advice("weight", "equal"), " weights all columns equally)."))]


def columns_of(encoder: TableEncoder, variances: np.ndarray, options: Options) -> Table:
    """List how each column was handled; variances are of scaled features."""
    spread = np.where(encoder.roles_.kernel, variances, 0.0)
    total = spread.sum()
    places = encoder.places()
    shares = {
        source: float(spread[own].sum() / total) if total > 0 else 0.0
        for source, own in places.items()
    }
    return Table(
        [
            {
                "column": verdict.name,
                "kind": "" if verdict.kind == "out" else verdict.kind,
                "became": _became(verdict, len(places.get(verdict.name, ()))),
                "why": verdict.why,
                "share": shares.get(verdict.name),
                "weight": options.weight(verdict.name) if verdict.is_used else None,
            }
            for verdict in encoder.verdicts_
        ],
        ["column", "kind", "became", "why", "share", "weight"],
    )


def _became(verdict: Verdict, n: int) -> str:
    if verdict.kind == "out":
        return "left out"
    if verdict.shown:
        return "only shown"
    if verdict.kind == "category":
        return f"{count(n, 'column')} of 0 and 1"
    if verdict.kind == "number":
        return "number"
    return listed(verdict.parts)


def nothing_left(title: str, verdicts: Sequence[Verdict], n_rows: int) -> BadTable:
    """Return the error that no column can be used."""
    reasons = "".join(f" {title_of(v.name)}: {v.why}." for v in verdicts[:FEW])
    ways = {v.way for v in verdicts if not v.why.startswith(CONSTANT)}
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
