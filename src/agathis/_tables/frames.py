"""Tables of any make as tables of Arrow: pandas, polars, or Arrow's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._support.extras import needed
from agathis._tables.arrow_values import as_words, plain
from agathis._tables.errors import Advice, BadTable

if TYPE_CHECKING:
    import pyarrow as pa


def as_arrow(table: Any) -> pa.Table:
    """The columns of a table, its index left out; names are texts.

    Columns of mixed objects, of which Arrow makes nothing, become texts.
    """
    needed("pyarrow", "io", "raw tables")
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table])
    if hasattr(table, "to_arrow"):
        found = table.to_arrow()
        return found if isinstance(found, pa.Table) else pa.table(found)
    if not (hasattr(table, "iloc") and hasattr(table, "columns")):
        if hasattr(table, "__arrow_c_stream__") and not hasattr(table, "to_frame"):
            return pa.table(table)
        kind = type(table)
        raise TypeError(
            "X must be a table, of pandas, polars or Arrow; it is of type "
            f"{kind.__module__}.{kind.__qualname__}. Rows of numbers need no encoder: "
            "agathis.Kauri takes them; agathis.fit_file takes files."
        )
    names = [str(name) for name in table.columns]
    not_arrows = (pa.ArrowException, TypeError, OverflowError)
    try:
        if len(set(names)) == len(names):
            found = pa.Table.from_pandas(table, preserve_index=False)
            if not any(map(_is_odd, found.schema.types)):
                return found.rename_columns(names).replace_schema_metadata(None)
    except not_arrows:
        pass  # some column is mixed: one after another
    arrays = [_of_pandas(table.iloc[:, i], not_arrows) for i in range(table.shape[1])]
    return pa.Table.from_arrays(arrays, names=names)


def _of_pandas(column: Any, not_arrows: tuple[type[Exception], ...]) -> pa.Array | pa.ChunkedArray:
    import pyarrow as pa

    try:
        found = pa.Array.from_pandas(column)
        if not _is_odd(found.type):
            return found
    except not_arrows:
        pass  # texts say at least which values are the same
    if hasattr(column, "sparse"):
        return pa.Array.from_pandas(column.sparse.to_dense())
    gaps = zip(column, column.isna(), strict=True)
    return pa.array([None if gap else str(value) for value, gap in gaps], pa.string())


def _is_odd(kind: pa.DataType) -> bool:
    """Whether categories are of a kind that is neither number nor text, such as intervals."""
    import pyarrow as pa

    if not pa.types.is_dictionary(kind):
        return isinstance(kind, pa.BaseExtensionType)
    return isinstance(kind.value_type, pa.BaseExtensionType) or pa.types.is_nested(kind.value_type)


def classes_of(table: Any, name: str) -> np.ndarray:
    """The values of a column as texts, such as known classes to judge clusters by."""
    table = as_arrow(table)
    if table.column_names.count(name) > 1:
        raise BadTable(Advice("target", name), ": there are two columns of that name.")
    words = as_words(plain(table.column(name)))
    return np.array(["(missing)" if word is None else word for word in words])
