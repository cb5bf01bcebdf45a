"""Tables of data sets as files: gzip-compressed CSV, a line of names, the class in the last column.

The files may come from anywhere, so what is read is held against what is known of the set. A
table that passes has the columns, rows and classes that it should have, and numbers that are
finite.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paper.datasets.entry import Entry

# The largest set has 2 MB of text.
MOST_BYTES = 100_000_000


@dataclass(frozen=True)
class RawTable:
    """Values, float64 or str where they are categories, and the label of each row, a str."""

    values: np.ndarray
    labels: np.ndarray


def make_table(
    entry: Entry, rows: Iterable[Iterable[object]], labels: Iterable[object]
) -> RawTable:
    """A table of a set from its rows; a ValueError says what is wrong with them."""
    dtype = str if entry.categorical else np.float64
    values = np.asarray(rows if isinstance(rows, np.ndarray) else list(rows)).astype(dtype)
    labels = np.array([str(label) for label in labels])
    n, d = entry.n_samples, len(entry.features)
    if values.shape != (n, d):
        raise ValueError(f"it has {values.shape} values, not {(n, d)}.")
    counts = Counter(labels.tolist())
    if counts != entry.classes:
        raise ValueError(
            f"its classes and their sizes are {dict(sorted(counts.items()))}, not "
            f"{dict(entry.classes)}."
        )
    if not entry.categorical and not np.isfinite(values).all():
        raise ValueError("it has values that are missing or infinite.")
    return RawTable(values, labels)


def read_table(entry: Entry, path: Path) -> RawTable:
    """The table in a file."""
    try:
        with gzip.open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES} bytes.")
        rows = csv.reader(io.StringIO(text.decode("utf-8"), newline=""), strict=True)
        names = [*entry.features, "target"]
        if (found := next(rows, [])) != names:
            raise ValueError(f"its columns are {found}, not {names}.")
        # As one list: a row of another length is an error, not a shorter row.
        cells = [row for row in rows if row]
        if wrong := next((row for row in cells if len(row) != len(names)), None):
            raise ValueError(f"it has a row of {len(wrong)} values, not {len(names)}: {wrong}.")
        return make_table(entry, [row[:-1] for row in cells], [row[-1] for row in cells])
    except (ValueError, EOFError, csv.Error, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is not the table of {entry.name!r}: {error}") from error


def table_bytes(entry: Entry, table: RawTable) -> bytes:
    """The table as such a file: the same bytes each time, and all digits of the numbers."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*entry.features, "target"])
    for row, label in zip(table.values.tolist(), table.labels.tolist(), strict=True):
        writer.writerow([*row, label])
    return gzip.compress(text.getvalue().encode("utf-8"), mtime=0)
