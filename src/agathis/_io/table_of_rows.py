"""The table of the rows that were read, without a last row that sums its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from agathis._columns.arrow_values import as_numbers, plain
from agathis._columns.errors import Advice
from agathis._io.table_end import End
from agathis._io.table_reading import Assumption, LeftOut, ReadOptions, TableReading
from agathis._io.table_start import Start, decided

if TYPE_CHECKING:
    import pyarrow as pa

#: Fewer rows may be sums by chance.
ROWS = 4


def table_of_rows(
    table: pa.Table,
    start: Start,
    end: End,
    options: ReadOptions,
    last_line: int,
    reading: TableReading,
) -> tuple[pa.Table, list[int], TableReading]:
    """Complete a table and its reading, for text and sheets alike.

    Columns without a name and values are left out, and the last row, in ``last_line``, if its
    numbers are the sums of those above.

    Returns
    -------
    table : pyarrow.Table
    used : list of int
        The positions of its columns.
    reading : TableReading
    """
    n_rows, total, doubt = table.num_rows, list[LeftOut](), list[Assumption]()
    used = [
        i
        for i, raw in enumerate(table.column_names)
        if raw.strip() or table.column(i).null_count < n_rows
    ]
    table = table.select(used)
    if options.skip_footer is None and last_is_total(table, has_word=end.unsure is not None):
        table = table.slice(0, n_rows - 1)
        total.append(LeftOut("totals row", (last_line,)))
    elif end.unsure is not None:
        what = f"Line {end.unsure.line} begins as a totals row and was taken for a row; "
        way = Advice("skip_footer", "1")
        doubt.append(Assumption((what, way, " leaves it out"), 0.7))
    reading = replace(
        reading,
        header=start.header,
        first_line=start.first_line,
        left_out=(*start.left_out, *total, *end.left_out),
        assumptions=(*start.assumptions, *reading.assumptions, *doubt),
        decided=decided(start, options, reading.decided),
    )
    return table, used, reading


def last_is_total(table: pa.Table, *, has_word: bool = False) -> bool:
    """Whether the last row has the sums of the numbers above, and no other values.

    Without a word, in all columns of numbers, and nothing in others.
    """
    from pyarrow import types

    if table.num_rows < ROWS or table.num_columns < 2:
        return False
    columns: list[np.ndarray] = []
    for column in table.columns:
        is_number = types.is_integer(column.type) or types.is_floating(column.type)
        if not column[-1].is_valid or (has_word and not is_number):
            continue
        if not is_number:
            return False
        columns.append(as_numbers(plain(column)))
        if len(columns) == 1 and not are_sums(columns, or_means=has_word):
            return False  # as nearly all rows
    return are_sums(columns, or_means=has_word)


def are_sums(columns: Sequence[np.ndarray], *, or_means: bool = True) -> bool:
    """Whether the last values are the sums, or all the means, of those above; no trivial ones.

    >>> sums, means = np.array([1.0, 2.0, 3.0, 6.0]), np.array([1.0, 2.0, 3.0, 2.0])
    >>> are_sums([sums]), are_sums([means]), are_sums([sums, means])
    (True, True, False)
    """
    last = [column[-1] for column in columns]
    known = [column[:-1][np.isfinite(column[:-1])] for column in columns]
    if not known or any(np.count_nonzero(values) < 3 for values in known):
        return False
    with np.errstate(over="ignore"):
        sums = np.array([values.sum() for values in known])
    means = sums / [len(values) for values in known]
    expected = (sums, means) if or_means else (sums,)
    return bool(np.isfinite(last).all()) and any(
        np.allclose(last, one, rtol=1e-6, atol=0.006) for one in expected
    )
