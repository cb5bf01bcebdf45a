"""How files are read without options, beside what they say: the second part of ``make panel``.

``python benchmarks/panel.py --reading``: each file of ``files`` is written into a folder and read
as by ``agathis fit FILE``; rows, names, values, uses and kinds of columns and, where there are any,
groups are compared with the truth (``compare``). ``--kinds open`` compares the kinds of the columns
of real tables with the labels of ``kinds.csv`` instead, and names what is wrong; of ``--kinds
closed`` only shares are shown, so that these tables stay unseen. ``--write FOLDER`` writes the
files.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from reading.adapter import groups_of, reading_of
from reading.compare import OUTCOMES, Comparison, compare, refusal, right_kinds
from reading.files import reading_files
from reading.tables import KINDS, labelled_columns, load_table
from reading.truth import ReadingFile
from sklearn.metrics import adjusted_rand_score

Tell = Callable[[str], None]
#: Of the files: at least, at most, and at most are to be right, refused and silently wrong.
RIGHT, REFUSED, SILENT = 0.90, 0.05, 0.0
#: Of the columns of clean files at most so many have a note, and of kinds at least so many are
#: right.
NOTED, KINDS_RIGHT = 0.05, 0.95


def measure_reading(tell: Tell, only: list[str] | None = None) -> list[dict[str, Any]]:
    """A row per file."""
    rows = []
    with TemporaryDirectory() as folder:
        for file in reading_files():
            if only is not None and file.name not in only:
                continue
            tell(file.name)
            found, ari = read_one(file, Path(folder) / file.name)
            rows.append(
                {
                    "file": file.name,
                    "item": file.item,
                    "outcome": found.outcome,
                    "kinds": f"{found.kinds_right} of {found.n_columns}",
                    "noted": found.noted,
                    "ari": ari,
                    "wrong": "; ".join(found.wrong)[:200],
                }
            )
    return rows


def read_one(file: ReadingFile, path: Path) -> tuple[Comparison, float | None]:
    """Write a file, read it, and compare; with the adjusted Rand index if there are groups."""
    file.write(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read = reading_of(path)
            ari = None
            if file.groups is not None and read.n_rows == len(file.groups):
                n_groups = len(np.unique(file.groups))
                ari = float(adjusted_rand_score(file.groups, groups_of(read, n_groups)))
        except ValueError as error:
            return refusal(file, " ".join(str(error).replace(str(path.parent), "").split())), None
    return compare(file, read, ari), ari


def reading_summary(rows: list[dict[str, Any]]) -> str:
    """Shares beside the bars."""
    counts = Counter(row["outcome"] for row in rows)
    share = {outcome: counts[outcome] / len(rows) for outcome in OUTCOMES}
    clean = [row for row in rows if row["item"] == "clean"]
    columns = [sum(_columns(row)[1] for row in part) for part in (clean, rows)]
    noted = sum(row["noted"] for row in clean) / max(columns[0], 1)
    right = sum(_columns(row)[0] for row in rows) / max(columns[1], 1)
    means = [row["ari"] for row in rows if row["ari"] is not None]
    return "\n".join(
        [
            f"{len(rows)} files, {len(clean)} of them clean.",
            f"Right without options: {share['right']:.1%} (at least {RIGHT:.0%}).",
            f"Refused: {share['refused']:.1%} (at most {REFUSED:.0%}).",
            f"Wrong with a note: {share['noted']:.1%}.",
            f"Wrong without a note: {counts['silent']} files, {share['silent']:.1%} "
            f"(at most {SILENT:.0%}).",
            f"Columns of clean files with a note: {noted:.1%} (at most {NOTED:.0%}).",
            f"Kinds of all columns exactly right: {right:.1%}; mean ARI of {len(means)} files "
            f"{np.mean(means) if means else float('nan'):.3f}.",
        ]
    )


def _columns(row: dict[str, Any]) -> tuple[int, int]:
    right, columns = row["kinds"].split(" of ")
    return int(right), int(columns)


def measure_kinds(half: str, tell: Tell) -> list[dict[str, Any]]:
    """A row per kind, over the real tables of a half."""
    labels = labelled_columns(half)
    right, totals = Counter(), Counter(label.kind for label in labels)
    wrong: dict[str, Counter] = {kind: Counter() for kind in KINDS}
    for name, package in sorted({(label.table, label.package) for label in labels}):
        part = [label for label in labels if label.table == name]
        with TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / "table.csv"
            load_table(name, package).to_csv(path, index=False)
            try:
                read = reading_of(path)
            except ValueError as error:
                tell(f"{name}: refused, {error}")
                for label in part:
                    wrong[label.kind]["refused"] += 1
                continue
        kinds = {column.name: column.kind or "none" for column in read.columns}
        for label, is_right in zip(part, right_kinds(part, read), strict=True):
            right[label.kind] += is_right
            if not is_right:
                kind = kinds.get(label.column, "no such column")
                wrong[label.kind][kind] += 1
                if half == "open":
                    tell(f"{name}: {label.column} is read as {kind}, and is {label.kind}")
    return [
        {
            "kind": kind,
            "columns": totals[kind],
            "right": right[kind],
            "share": right[kind] / totals[kind],
            "read as": ", ".join(f"{other} {n}" for other, n in wrong[kind].most_common(4)),
        }
        for kind in KINDS
    ]


def kinds_summary(rows: list[dict[str, Any]]) -> str:
    """The share of all columns beside the bar."""
    right, columns = (sum(row[name] for row in rows) for name in ("right", "columns"))
    return f"Kinds right: {right / columns:.1%} of {columns} columns (at least {KINDS_RIGHT:.0%})."
