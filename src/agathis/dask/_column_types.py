"""Common types for columns whose types differ between partitions."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyarrow import types

from agathis._columns.arrow_values import holds_numbers
from agathis._columns.indicators import word

#: The type of columns with incompatible types, such as dates and numbers.
MIXED = pa.struct([])


def common_type(kinds: Sequence[pa.DataType]) -> pa.DataType:
    """A common type: string for numbers and strings, ``MIXED`` for dates and others."""
    different = list(dict.fromkeys(kinds))
    if len(different) == 1:
        return different[0]
    families = {_family(kind) for kind in different} - {"null"}
    if len(families) > 1:
        return pa.string() if families <= {"number", "truth", "text"} else MIXED
    if any(map(types.is_decimal, different)):
        return pa.float64()
    schemas = [pa.schema([("value", kind)]) for kind in different]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowTypeError:
        return MIXED


def _family(kind: pa.DataType) -> str:
    for name, belongs in (
        ("null", types.is_null),
        ("text", types.is_string),
        ("truth", types.is_boolean),
        ("number", holds_numbers),
        ("duration", types.is_duration),
        ("time", types.is_time),
        ("date", types.is_temporal),
    ):
        if belongs(kind):
            return name
    return str(kind)


def cast(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Convert values to another type; strings are normalised as category names."""
    if values.type == kind:
        return values
    if kind == MIXED:
        return pa.nulls(len(values), kind)
    if not types.is_string(kind) or types.is_null(values.type):
        return values.cast(kind, safe=False)
    return pa.array([word(value) for value in values.to_pylist()], kind)
