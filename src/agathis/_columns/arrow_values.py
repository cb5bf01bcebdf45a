"""Values of an Arrow column as numbers and strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from agathis._columns.indicators import word

if TYPE_CHECKING:
    import pyarrow as pa

    from agathis._columns.number_notation import Notation


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Decode a dictionary and combine chunks; all string types become one."""
    import pyarrow as pa

    types = pa.types
    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if types.is_large_string(kind) or types.is_string_view(kind):
        column = column.cast(pa.string())
    if not isinstance(column, pa.Array):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        # Which of the two it is depends on the version of pyarrow and the number of chunks.
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if types.is_floating(kind) and np.isnan(_known(column).to_numpy()).any():
        from pyarrow import compute

        # Strings that are no number are missing values.
        column = compute.if_else(compute.is_nan(column), pa.scalar(None, kind), column)
    return column


def _known(column: pa.Array) -> pa.Array:
    """Drop missing values, without a copy where there are none."""
    return column.drop_null() if column.null_count else column


def holds_numbers(kind: pa.DataType) -> bool:
    """Whether a type is numeric; booleans count as numeric."""
    from pyarrow import types

    return (
        types.is_floating(kind)
        or types.is_integer(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    )


def different(column: pa.Array) -> list:
    """The distinct values of a column, without missing ones."""
    from pyarrow import compute

    return compute.unique(_known(column)).to_pylist()


def as_numbers(column: pa.Array) -> np.ndarray:
    """Convert to float64; missing values become NaN."""
    import pyarrow as pa

    kind = column.type
    if kind == pa.float64():
        # Each call costs time, which adds up over thousands of columns.
        return np.array(column.to_numpy(zero_copy_only=False))
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.array(values, dtype=np.float64)


def numbers_of_strings(column: pa.ChunkedArray | pa.Array, notation: Notation) -> pa.Array:
    """Parse strings in a given notation as numbers."""
    import pyarrow as pa

    encoded = plain(column).dictionary_encode()
    numbers = notation.values(encoded.dictionary.to_pylist())
    return pa.array(numbers, pa.float64()).take(encoded.indices)


def as_words(column: pa.Array) -> list[str | None]:
    """Convert values to strings, with None for missing ones."""
    return [word(value) for value in column.to_pylist()]
