"""Read JSON rows: one object per line, or a list of objects.

pyarrow reads lines if every column has one type; otherwise Python reads all of them, and mixed
columns become strings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._columns.arrow_values import of_cells, without_marks
from agathis._columns.errors import BadTable
from agathis._io.stream_limits import MAX_BYTES
from agathis._io.tuning import DEEP

if TYPE_CHECKING:
    import pyarrow as pa

#: Records in records are columns down to this level.
LEVELS = 5


def read_json_rows(data: bytes, name: str) -> pa.Table:
    """Read the rows as a table."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.lstrip().startswith(b"{") and not is_deep(data):
        try:
            # One block holds any row; only text above pyarrow's limit needs several.
            size = min(max(1 << 16, len(data)), MAX_BYTES)
            options = arrow_json.ReadOptions(use_threads=False, block_size=size)
            table = arrow_json.read_json(pa.BufferReader(data), read_options=options)
            table.validate(full=True)  # pyarrow does not check that strings are UTF-8
            _ = table.column_names  # nor that names are
            table = flattened(table)
            columns = [without_marks(column) for column in table.columns]
            return pa.Table.from_arrays(columns, names=table.column_names)
        except (pa.ArrowInvalid, UnicodeDecodeError):
            pass  # Python's reader reports the error, or converts mixed columns to strings
    try:
        rows = [flat(row) for row in _rows(data, name)]
        names = list(dict.fromkeys(key for row in rows for key in row))
        arrays = [of_cells([row.get(key) for row in rows], json.dumps) for key in names]
    except RecursionError as error:  # json.dumps allows a few levels less than json.loads
        raise BadTable(f"{name} has brackets in brackets too deep to read.") from error
    return pa.Table.from_arrays(arrays, names=names)


def flattened(table: pa.Table) -> pa.Table:
    """Make a column of each field of records: ``person.age``."""
    from pyarrow import types

    for _ in range(LEVELS):
        empty = [types.is_struct(one.type) and not len(one.type) for one in table.schema]
        if any(empty) or not any(types.is_struct(one.type) for one in table.schema):
            break
        table = table.flatten()
    return table


def flat(row: Mapping[str, Any], before: str = "", levels: int = LEVELS) -> dict[str, Any]:
    """Return the fields of a record with those of records in it.

    >>> flat({"id": 1, "person": {"age": 30, "home": {"city": "Rome"}}})
    {'id': 1, 'person.age': 30, 'person.home.city': 'Rome'}
    """
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value and levels:
            out |= flat(value, f"{before}{key}.", levels - 1)
        else:
            out[f"{before}{key}"] = value
    return out


def is_deep(data: bytes) -> bool:
    """Whether a line has more nested brackets, even in strings, than pyarrow is given.

    >>> is_deep(b'{"a": [1, 2]}'), is_deep(b"[" * 1000), is_deep(b'{"a": ":["}\\n' * 1000)
    (False, True, False)
    """
    return any(
        line.count(b"{") + line.count(b"[") > DEEP and _depth(line) > DEEP
        for line in data.split(b"\n")
    )


def _depth(line: bytes) -> int:
    letters = np.frombuffer(line, dtype=np.uint8) | 0x20  # maps [ and ] to { and }
    steps = (letters == ord("{")).astype(np.int8) - (letters == ord("}"))
    return int(np.cumsum(steps, dtype=np.int64).max())


def _rows(data: bytes, name: str) -> list[dict[str, Any]]:
    try:
        text = data.decode("utf-8")
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise BadTable(f"{name} looks like rows in JSON, and is not: {error}.") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadTable(
            f"{name} is JSON, but no table: rows are objects, one a line or in a list, such as "
            '{"size": 3, "colour": "red"}.'
        )
    return rows
