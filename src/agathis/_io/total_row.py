"""A last row of a table that sums its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from agathis._columns.arrow_values import as_numbers, plain
from agathis._columns.errors import Advice
from agathis._io.table_reading import Assumption, LeftOut, ReadOptions
from agathis._io.table_start import Row

if TYPE_CHECKING:
    import pyarrow as pa

#: Fewer rows may be sums by chance.
ROWS = 4


def without_total(
    table: pa.Table, line: int, unsure: Row | None, options: ReadOptions
) -> tuple[pa.Table, tuple[LeftOut, ...], tuple[Assumption, ...]]:
    """Leave out the last row if its numbers are the sums of those above.

    ``unsure`` is the last row if it begins with the word of a totals row.
    """
    if options.skip_footer is not None:
        return table, (), ()
    if last_is_total(table, has_word=unsure is not None):
        return table.slice(0, table.num_rows - 1), (LeftOut("totals row", (line,)),), ()
    if unsure is None:
        return table, (), ()
    what = f"Line {unsure.line} begins as a totals row and was taken for a row; "
    return table, (), (Assumption((what, Advice("skip_footer", "1"), " leaves it out"), 0.7),)


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
