"""Values of an Arrow column as numbers and strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._columns.indicators import word
from agathis._columns.missing_values import MARKS

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


def levels_of(column: pa.ChunkedArray | pa.Array) -> tuple[str, ...]:
    """Return the strings of an ordered categorical that occur, from low to high; else ()."""
    from pyarrow import compute, types

    if not types.is_dictionary(column.type) or not column.type.ordered:
        return ()
    if not types.is_string(column.type.value_type) and not types.is_large_string(
        column.type.value_type
    ):
        return ()
    chunks = getattr(column, "chunks", [column])
    levels = dict.fromkeys(one for chunk in chunks for one in chunk.dictionary.to_pylist())
    there = set(compute.unique(column.cast(column.type.value_type)).to_pylist())
    return tuple(level for level in levels if level in there)


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


def as_floats(column: pa.ChunkedArray | pa.Array, dtype: np.dtype) -> np.ndarray:
    """Convert to float32 or float64; missing values become NaN."""
    import pyarrow as pa

    # Casting integers beyond 2**53 to float64 rounds them, which counts as unsafe.
    floats = column.cast(pa.from_numpy_dtype(dtype), safe=False)
    return floats.to_numpy() if isinstance(floats, pa.ChunkedArray) else floats.to_numpy(False)


def of_cells(cells: Sequence[Any], as_string: Callable[[Any], str] = str) -> pa.Array:
    """Convert Python values to a column; of mixed or nested values to one of strings.

    >>> of_cells([1, "NA", 2.5]).to_pylist(), of_cells([1, "x", None]).to_pylist()
    ([1.0, None, 2.5], ['1', 'x', None])
    """
    import pyarrow as pa

    marks = set(MARKS)
    known = [None if isinstance(cell, str) and cell.strip() in marks else cell for cell in cells]
    if not any(isinstance(cell, (dict, list)) for cell in known):
        try:
            return pa.array(known)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            pass  # mixed types become strings
    return pa.array(
        [cell if isinstance(cell, str | None) else as_string(cell) for cell in known], pa.string()
    )


def without_marks(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Replace strings for missing values by missing values."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_string(column.type):
        return column
    is_mark = compute.is_in(column, value_set=pa.array(list(MARKS), pa.string()))
    return compute.if_else(is_mark, pa.scalar(None, pa.string()), column)


def numbers_of_strings(column: pa.ChunkedArray | pa.Array, notation: Notation) -> pa.Array:
    """Parse strings in a given notation as numbers."""
    import pyarrow as pa

    encoded = plain(column).dictionary_encode()
    numbers = notation.values(encoded.dictionary.to_pylist())
    return pa.array(numbers, pa.float64()).take(encoded.indices)


def as_words(column: pa.Array) -> list[str | None]:
    """Convert values to strings, with None for missing ones."""
    return [word(value) for value in column.to_pylist()]
