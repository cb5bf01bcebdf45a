"""Choose the columns of a file for a tree: numeric ones that are quantities.

Identifiers, codes and date parts are left out, as everywhere. Roles are inferred from the first
rows (``column_types``), since the file may not fit in memory; columns that are constant or empty
only there are used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from agathis._checks.data import warn
from agathis._columns.arrow_values import holds_numbers
from agathis._columns.wording import some, suggestion
from agathis._encoding.column_roles import CALENDAR, CODE, IDENTIFIER
from agathis._encoding.column_types import infer_column_type

if TYPE_CHECKING:
    import pyarrow as pa

    from agathis._io.table_reader import TableReader

# More names make a message unreadable.
SHOWN = 12


def choose_columns(
    reader: TableReader, columns: Sequence[str] | None, weight: str | None
) -> list[str]:
    """Choose the features, after validating the given names.

    Parameters
    ----------
    reader : TableReader
    columns : list of str or None
        ``None`` is every numeric column; a warning lists what is left out.
    weight : str or None

    Returns
    -------
    names : list of str
    """
    counts = Counter(reader.names)
    if weight is not None:
        _check_name(reader, counts, "weight", weight)
    if columns is None:
        names = _all_numbers(reader, counts, weight)
    else:
        names = _named(reader, counts, columns, weight)
    for name in [*names, *([weight] if weight is not None else [])]:
        note = reader.notes.get(name)
        if note is not None and note.doubtful:
            warn(f"file {reader.path!r}: in {name!r} {note}.", UserWarning)
    return names


def _named(
    reader: TableReader, counts: Counter[str], columns: Sequence[str], weight: str | None
) -> list[str]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError(f"columns must be a list of names; it is {columns!r}.")
    names = list(columns)
    if not names:
        raise ValueError("columns is empty; name at least one, or leave it at None.")
    for name in names:
        _check_name(reader, counts, "columns", name)
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"columns names {twice!r} twice.")
    if weight in names:
        raise ValueError(f"weight={weight!r} is among columns; a weight cannot be a feature.")
    return [str(name) for name in names]


def common_dtype(kinds: Iterable[pa.DataType]) -> np.dtype:
    """Return float32 if it represents all values of these types exactly, else float64."""
    from pyarrow import types

    narrow = all(
        types.is_boolean(kind)
        or (types.is_integer(kind) and kind.bit_width <= 16)
        or (types.is_floating(kind) and kind.bit_width <= 32)
        for kind in kinds
    )
    return np.dtype(np.float32 if narrow else np.float64)


def _all_numbers(reader: TableReader, counts: Counter[str], weight: str | None) -> list[str]:
    index = reader.index_names
    names, left_out = [], []
    for field in reader.schema:
        if field.name == weight:
            continue
        if not field.name:
            left_out.append("'' (no name)")
        elif field.name in index:
            left_out.append(f"{field.name!r} (index of pandas)")
        elif not holds_numbers(field.type):
            left_out.append(f"{field.name!r} ({field.type})")
        else:
            names.append(field.name)
    for name in counts:
        if name:
            _check_single(reader, counts, name)
    no_quantities = _no_quantities(reader, names)
    left_out += [f"{name!r} ({why})" for name, why in no_quantities.items()]
    names = [name for name in names if name not in no_quantities]
    if not names:
        raise ValueError(
            f"file {reader.path!r} has no column of numbers to use. "
            f"Left out: {some(left_out, SHOWN)}.{reader.hint}"
        )
    if left_out:
        warn(
            f"file {reader.path!r}: not used are {some(left_out, SHOWN)}. "
            "Give columns= to choose, and to silence this.",
            UserWarning,
        )
    return names


def _no_quantities(reader: TableReader, names: list[str]) -> dict[str, str]:
    """Return numeric columns that identify rows or entities or hold dates, with reasons."""
    first = reader.head(names) if names else None
    if first is None:
        return {}
    reasons = {}
    for name in names:
        column_type = infer_column_type(name, first.column(name))
        if column_type.kind == "out" and column_type.why in (IDENTIFIER, CODE, CALENDAR):
            reasons[name] = column_type.why
        elif column_type.kind == "category" and column_type.holds_kind == "code":
            reasons[name] = CODE  # a category elsewhere; this reader has numbers only
    return reasons


def _check_name(reader: TableReader, counts: Counter[str], argument: str, name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{argument} takes names of columns, as str; it has {name!r}.")
    if name not in counts:
        raise ValueError(
            f"{argument} names {name!r}, which file {reader.path!r} does not have."
            f"{suggestion(name, counts)} Its columns are {some(map(repr, counts), SHOWN)}."
            f"{reader.hint}"
        )
    _check_single(reader, counts, name)
    kind = reader.schema.field(name).type
    if not holds_numbers(kind):
        numbers = [repr(field.name) for field in reader.schema if holds_numbers(field.type)]
        raise ValueError(
            f"{argument} names {name!r}, which is not a column of numbers but of type {kind} in "
            f"file {reader.path!r}. Columns of numbers are {some(numbers, SHOWN)}."
        )


def _check_single(reader: TableReader, counts: Counter[str], name: str) -> None:
    if counts[name] > 1:
        raise ValueError(
            f"file {reader.path!r} has {counts[name]} columns of the name {name!r}; "
            "names must differ."
        )
