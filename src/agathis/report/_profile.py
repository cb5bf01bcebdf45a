"""A page about the columns of a table, before anything is clustered.

``column_profiles`` is plain data, which ``agathis inspect`` prints and ``write`` shows. As in a
report, no value of a column is there that fewer than ``FEW`` rows share.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._columns.arrow_values import as_numbers, holds_numbers, plain
from agathis._columns.errors import Note
from agathis._encoding.column_roles import ColumnType
from agathis._encoding.column_types import infer_column_types
from agathis._io.table_reading import TableReading
from agathis._utils.files import target_of, write_atomic
from agathis.report._bins import scale_of
from agathis.report._page import page_of
from agathis.report._tuning import FEW, MAX_CATEGORIES, PROFILE_BINS

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ColumnProfile:
    """A column and its values.

    Attributes
    ----------
    name, type, role, why, note : str
        How it was read, what a fit uses it as, why, and the note on its numbers.
    n_missing, n_distinct : int
    counts : list of int
        Rows in bins of equal width from ``low`` to ``high``; of categories, the frequent ones.
    labels : list of str
        The names of categories, the most frequent first.
    n_rare : int
        Rows of other categories.
    low, high, mean : float or None
        The ends of the bins, and the mean of numbers.
    """

    name: str
    type: str
    role: str
    why: str
    note: str
    n_missing: int
    n_distinct: int
    counts: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    n_rare: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None


def column_profiles(table: pa.Table, notes: Mapping[str, Note]) -> list[ColumnProfile]:
    """The profile of each column, in the order of the table; with notes on numbers."""
    from pyarrow import compute

    out = []
    for role, column in zip(infer_column_types(table), table.columns, strict=True):
        values, kind = plain(column), type_of(column)
        is_nested = kind == "lists or records"
        note = notes.get(role.name)
        out.append(
            ColumnProfile(
                role.name,
                kind,
                *_role(role),
                "" if note is None else note.on_page(),
                values.null_count,
                0 if is_nested else compute.count_distinct(values).as_py(),
                **({} if is_nested else _distribution(values)),
            )
        )
    return out


def type_of(column: pa.ChunkedArray) -> str:
    """The type of a column as people call it."""
    from pyarrow import types

    checks = {
        "yes or no": types.is_boolean,
        "numbers": holds_numbers,
        "dates": types.is_temporal,
        "categories": types.is_dictionary,
        "lists or records": types.is_nested,
        "empty": types.is_null,
    }
    return next((name for name, is_it in checks.items() if is_it(column.type)), "text")


def _role(role: ColumnType) -> tuple[str, str]:
    """What a column is used as, and why."""
    used = role.otherwise if role.kind == "problem" and role.otherwise is not None else role
    name = {"out": "left out", "calendar": "date part"}.get(used.kind, used.kind)
    return name, role.why or used.why


def _distribution(values: pa.Array) -> dict[str, Any]:
    """Counts of numbers and years in bins, or of categories."""
    from pyarrow import compute, types

    kind = values.type
    if types.is_timestamp(kind) or types.is_date(kind):
        values = compute.year(values)
    if holds_numbers(values.type) and not types.is_boolean(kind):
        numbers = as_numbers(values)
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers) < FEW:
            return {}
        scale = scale_of(numbers, PROFILE_BINS)
        counts = np.bincount(scale.bin_of(numbers), minlength=scale.count)
        ends = {"low": float(scale.edges[0]), "high": float(scale.edges[-1])}
        return {"counts": counts.tolist(), "mean": float(numbers.mean()), **ends}
    if not (types.is_string(kind) or types.is_boolean(kind)):
        return {}
    found = [
        (one["counts"], one["values"]) for one in values.drop_null().value_counts().to_pylist()
    ]
    found.sort(key=lambda pair: (-pair[0], str(pair[1])))
    shown = [(n, value) for n, value in found if n >= FEW][:MAX_CATEGORIES]
    return {
        "counts": [n for n, _ in shown],
        "labels": [str(value) for _, value in shown],
        "n_rare": sum(n for n, _ in found) - sum(n for n, _ in shown),
    }


def write(
    path: str | os.PathLike[str],
    title: str,
    reading: TableReading,
    profiles: Sequence[ColumnProfile],
    doubts: Sequence[str] = (),
) -> None:
    """Write the page as one HTML file."""
    content = {
        "title": title,
        "reading": reading.facts(),
        "doubts": list(doubts),
        "columns": [asdict(one) for one in profiles],
        "n_rows": reading.n_rows,
        "few": FEW,
        "clusters": [],
    }
    page = page_of("_profile.html.j2", content)
    write_atomic(target_of(path), page.encode("utf-8", "xmlcharrefreplace"))
