"""Values of a column of Arrow as numbers and as words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


def plain(column: pa.ChunkedArray) -> pa.Array:
    """One array without a dictionary; all kinds of text are one kind."""
    import pyarrow as pa

    types = pa.types
    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if types.is_large_string(kind) or types.is_string_view(kind):
        column = column.cast(pa.string())
    array = column.combine_chunks()
    # Which of the two it is depends on the version of pyarrow and the number of chunks.
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def is_number(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers, or all of them are missing."""
    from pyarrow import types

    from agathis._tables import columns

    return types.is_null(kind) or columns.is_number(kind)


def as_numbers(column: pa.Array) -> np.ndarray:
    """Float64; what is missing or infinite is NaN."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    values = np.array(values, dtype=np.float64)
    values[~np.isfinite(values)] = np.nan
    return values


def as_words(column: pa.Array) -> list[str | None]:
    """Values as text, None where one is missing."""
    from agathis._tables.indicators import word

    return [word(value) for value in column.to_pylist()]
