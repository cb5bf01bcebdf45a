"""Columns of a table that was read: their types, and a last row that sums them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from agathis._columns.arrow_values import as_numbers, holds_numbers, plain
from agathis._columns.errors import Advice, Note
from agathis._columns.wording import count
from agathis._io.table_end import are_sums
from agathis._io.table_reading import Assumption, LeftOut, ReadOptions
from agathis._io.table_start import Row

if TYPE_CHECKING:
    import pyarrow as pa

#: Fewer rows may be sums by chance.
ROWS = 4


def is_empty(column: pa.ChunkedArray) -> bool:
    """Whether a column has no values."""
    return column.null_count == len(column)


def type_of(column: pa.ChunkedArray, note: Note | None) -> tuple[str, str]:
    """The type of a column as people call it, and the evidence for it."""
    from pyarrow import types

    kind = column.type
    checks = {
        "yes or no": types.is_boolean,
        "numbers": holds_numbers,
        "dates": types.is_temporal,
        "categories": types.is_dictionary,
        "lists or records": types.is_nested,
        "empty": types.is_null,
    }
    name = next((name for name, is_it in checks.items() if is_it(kind)), "text")
    n_known = len(column) - column.null_count
    evidence = f"{n_known:,} of {count(len(column), 'cell')}"
    return name, f"{evidence}; {note.on_page()}" if note is not None else evidence


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
    what = f"line {unsure.line} begins as a totals row and was taken for a row; "
    return table, (), (Assumption((what, Advice("skip_footer", "1"), " leaves it out"), 0.7),)


def last_is_total(table: pa.Table, *, has_word: bool = False) -> bool:
    """Whether the last row has the sums of the numbers above, and no other values.

    Without a word, in all columns of numbers, and nothing in others.
    """
    from pyarrow import types

    if table.num_rows < ROWS or table.num_columns < 2:
        return False
    last, columns = [], []
    for column in table.columns:
        is_number = types.is_integer(column.type) or types.is_floating(column.type)
        if not column[-1].is_valid or (has_word and not is_number):
            continue
        if not is_number:
            return False
        numbers = as_numbers(plain(column))
        last.append(float(numbers[-1]))
        columns.append(numbers[:-1].tolist())
        if len(last) == 1 and not are_sums(last, columns, or_means=has_word):
            return False  # as nearly all rows
    is_finite = bool(last) and bool(np.isfinite(last).all())
    return is_finite and are_sums(last, columns, or_means=has_word)
