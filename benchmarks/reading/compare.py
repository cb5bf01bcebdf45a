"""Hold what was read of a file against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from reading.adapter import ColumnRead, WhatWasRead
from reading.tables import LabelledColumn
from reading.truth import ReadingFile, plain_name

#: What a kind is used for: a column is read rightly if its use is right. Which of the kinds of a
#: use it is makes no difference to the groups, except where a file is there for that (``exact``).
USES = {
    "quantity": "number",
    "count": "number",
    "ordered": "order",
    "category": "name",
    "code": "name",
    "outcome-like": "name",
    "identifier": "none",
    "free text": "none",
    "date": "date",
    "copy-of": "copy",
}
#: The groups of a file are found if the adjusted Rand index is at least this.
GROUPS_FOUND = 0.8
#: What may become of a file; "silent" is wrong without a note, which must not happen.
OUTCOMES = ("right", "noted", "silent", "refused")


@dataclass(frozen=True)
class Comparison:
    """What became of a file.

    Attributes
    ----------
    outcome : str
        One of ``OUTCOMES``.
    wrong : tuple of str
        What is wrong.
    kinds_right, n_columns : int
        Columns of the truth whose kind is exactly right, and all.
    noted : int
        Columns that a note doubts.
    """

    outcome: str
    wrong: tuple[str, ...]
    kinds_right: int
    n_columns: int
    noted: int


def refusal(file: ReadingFile, message: str) -> Comparison:
    """A file that was refused."""
    return Comparison("refused", (message,), 0, len(file.kinds), 0)


def compare(file: ReadingFile, read: WhatWasRead, ari: float | None) -> Comparison:
    """Compare rows, names, uses and values of columns, notes and groups."""
    names = {name for doubt in read.doubts for name in doubt.columns}
    of_file = any(not doubt.columns for doubt in read.doubts)
    wrong: list[str] = []
    silent = False
    if read.n_rows != len(file.table):
        wrong.append(f"{read.n_rows:,} rows instead of {len(file.table):,}")
        silent = silent or not of_file
    pairs = paired(file, read.columns)
    if pairs is None:
        found = ", ".join(repr(one.name) for one in read.columns[:4])
        wrong.append(f"{len(read.columns)} columns: {found}")
        return Comparison(
            "noted" if of_file and not silent else "silent",
            tuple(wrong), 0, len(file.kinds), len(names),
        )  # fmt: skip
    exact = 0
    for name, column in pairs.items():
        accepted = file.accepted(name)
        exact += column.kind in accepted
        fault = fault_of(file, name, column) if read.n_rows == len(file.table) else ""
        if fault:
            wrong.append(f"{name}: {fault}")
            silent = silent or not (column.name in names or of_file)
    missing = [name for name in file.noted if pairs[name].name not in names]
    if missing:
        wrong.append(f"no note on {', '.join(missing)}")
        silent = True
    if ari is not None and ari < GROUPS_FOUND:
        wrong.append(f"groups not found, ARI {ari:.2f}")
        silent = silent or not read.doubts
    outcome = "right" if not wrong else "silent" if silent else "noted"
    return Comparison(outcome, tuple(wrong), exact, len(pairs), len(names))


def paired(file: ReadingFile, columns: Sequence[ColumnRead]) -> dict[str, ColumnRead] | None:
    """The column that was read for each of the truth; None if there are others."""
    if len(columns) != len(file.kinds):
        return None
    if not file.has_names:
        return dict(zip(file.kinds, columns, strict=True))
    out = {}
    for name, column in zip(file.kinds, columns, strict=True):
        if plain_name(column.name) not in file.names_of(name):
            return None
        out[name] = column
    return out


def fault_of(file: ReadingFile, name: str, column: ColumnRead) -> str:
    """What is wrong about a column, or nothing."""
    accepted = file.accepted(name)
    known = column.kind or "none of the kinds"
    if name in file.exact and column.kind not in accepted:
        return f"{known} instead of {accepted[0]}"
    if USES.get(column.kind) not in {USES[kind] for kind in accepted}:
        return f"{known} instead of {accepted[0]}"
    if not same_values(file.table[name], column.values, name in file.any_unit):
        return "other values"
    return ""


def same_values(truth: pd.Series, found: pd.Series, any_unit: bool = False) -> bool:
    """Whether numbers and dates are equal, and whether names divide the rows in the same way."""
    truth, found = truth.reset_index(drop=True), found.reset_index(drop=True)
    if (truth.isna() != found.isna()).any():
        return False
    known = truth.notna().to_numpy()
    truth, found = truth[known], found[known]
    if not len(truth):
        return True
    if pd.api.types.is_datetime64_any_dtype(truth):
        days = pd.to_datetime(found, errors="coerce", utc=True).dt.tz_localize(None)
        return bool((days.dt.normalize() == truth.dt.normalize()).all())
    if pd.api.types.is_numeric_dtype(truth):
        numbers = pd.to_numeric(found, errors="coerce").to_numpy(dtype=float)
        expected = truth.to_numpy(dtype=float)
        if any_unit:
            return bool(np.corrcoef(numbers, expected)[0, 1] > 0.9999)
        return bool(np.allclose(numbers, expected, rtol=1e-6))
    pairs = set(zip(truth.astype(str), found.astype(str), strict=True))
    return len(pairs) == truth.astype(str).nunique() == found.astype(str).nunique()


def right_kinds(labels: Sequence[LabelledColumn], read: WhatWasRead) -> list[bool]:
    """For each label of a table, whether the kind that was read is right.

    Of an original and its copy either may be called the copy.
    """
    found = {one.name: one for one in read.columns}
    label_of = {label.column: label for label in labels}

    def swapped(original: LabelledColumn, copy: LabelledColumn) -> bool:
        first, second = found.get(original.column), found.get(copy.column)
        return (
            first is not None
            and second is not None
            and first.kind == "copy-of"
            and first.copy_of == copy.column
            and second.kind in (original.kind, *original.accepts)
        )

    out = []
    for label in labels:
        right = label.column in found and label.is_right(found[label.column].kind)
        if label.copy_of in label_of:
            right = right or swapped(label_of[label.copy_of], label)
        copies = [one for one in labels if one.copy_of == label.column]
        out.append(right or any(swapped(label, copy) for copy in copies))
    return out
