"""What the package reads of a file without options: the one place that knows how it is asked.

    path -> reading_of -> WhatWasRead, which ``compare`` holds against the truth

A file is read as by ``agathis fit FILE``. When the package has another way to say what it reads,
only this module changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from agathis import fit_table
from agathis._columns import datetimes
from agathis._columns.arrow_values import plain
from agathis._columns.errors import Note
from agathis._columns.wording import title_of
from agathis._encoding.column_roles import ColumnType
from agathis._encoding.copies import copies_of
from agathis._encoding.table_encoder import TableEncoder
from agathis._fit_table import prepare
from agathis._io.read_table import read_table


@dataclass(frozen=True)
class ColumnRead:
    """A column as it was read.

    Attributes
    ----------
    name : str
    kind : str
        As in ``tables``, or empty if it is none of these.
    values : Series
        Numbers, dates or strings; missing ones are None or NaN.
    copy_of : str
        The original of a copy.
    """

    name: str
    kind: str
    values: pd.Series
    copy_of: str = ""


@dataclass(frozen=True)
class Doubt:
    """A note that the result may be wrong; without columns it is about the file."""

    text: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class WhatWasRead:
    """A file as it was read.

    Attributes
    ----------
    columns : list of ColumnRead
    n_rows : int
    doubts : list of Doubt
    table : pyarrow.Table
    """

    columns: list[ColumnRead]
    n_rows: int
    doubts: list[Doubt] = field(default_factory=list)
    table: Any = None


def reading_of(path: Path) -> WhatWasRead:
    """Read a file without options; raises ValueError where it is refused."""
    read = read_table(str(path))
    prepared = prepare(read.table, TableEncoder())
    types = {one.name: one for one in prepared.encoder.column_types_}
    copies = copies_of(prepared.encoder.families_)
    columns = [
        _column(types[name], read.table.column(position), copies.get(name, ""))
        for position, name in enumerate(read.table.column_names)
    ]
    names = [one.name for one in columns]
    doubts = [Doubt(str(one)) for one in read.doubts if one.doubtful]
    doubts += [
        Doubt(f"{name}: {note}", (name,)) for name, note in read.notes.items() if note.doubtful
    ]
    doubts += [_doubt(one, names) for one in prepared.notes if one.doubtful]
    return WhatWasRead(columns, read.table.num_rows, doubts, read.table)


def _doubt(note: Note, names: list[str]) -> Doubt:
    text = str(note)
    return Doubt(text, tuple(name for name in names if title_of(name) in text))


def _column(read: ColumnType, column: Any, copy_of: str) -> ColumnRead:
    """A column and its values, as the encoder takes them."""
    found = read if read.kind != "problem" or read.otherwise is None else read.otherwise
    kind = found.holds_kind
    array = plain(column)
    values = pd.Series(array.to_pylist(), dtype=object)
    if found.spellings:
        values = values.map(lambda value: found.spellings.get(value, value))
    if found.kind == "number":
        if found.notation is not None:
            values = values.map(dict(_numbers(found, values)))
        values = pd.to_numeric(values, errors="coerce")
    elif kind == "date":
        values = _moments(array, found, values)
    return ColumnRead(read.name, "copy-of" if copy_of else kind, values, copy_of)


def _numbers(read: ColumnType, values: pd.Series) -> list[tuple[object, float]]:
    known = [one for one in values.dropna().unique() if one not in read.na_values]
    return list(zip(known, read.notation.values(known), strict=True))


def _moments(array: Any, read: ColumnType, values: pd.Series) -> pd.Series:
    """Dates; parts of dates stay as they are, and so do times of a day."""
    types = pa.types
    if not (
        types.is_string(array.type) or types.is_timestamp(array.type) or types.is_date(array.type)
    ):
        return values
    moments = datetimes.datetimes_of_arrow(array, read.first_is_day)
    return values if np.isnat(moments).all() else pd.Series(moments)


def groups_of(read: WhatWasRead, n_groups: int) -> np.ndarray:
    """The group of each row, as a fit without further options finds them."""
    return fit_table(read.table, n_groups, random_state=0).predict(read.table)
