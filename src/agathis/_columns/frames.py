"""Convert DataFrames of pandas and polars, and arrays, to Arrow tables."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from agathis._columns.arrow_values import as_words, plain
from agathis._columns.errors import Advice, BadTable
from agathis._columns.missing_values import NO_NUMBERS
from agathis._utils.extras import needed

if TYPE_CHECKING:
    import pyarrow as pa


def is_table(X: object) -> bool:
    """Whether X has named columns: a table of pandas, polars or Arrow."""
    kind = type(X)  # instances of DataFrame have columns as attributes
    return (
        hasattr(kind, "to_arrow")
        or (hasattr(kind, "iloc") and hasattr(X, "columns"))
        or (hasattr(kind, "__arrow_c_stream__") and not hasattr(kind, "to_frame"))
    )


def checked_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> pa.Table:
    """Convert X of a fit (``reset``) or a later call to an Arrow table.

    Arrays are validated by scikit-learn and get the column names of the fit, or x0, x1 and so on
    after a fit without names.
    """
    known = None if reset else getattr(estimator, "feature_names_in_", None)
    if is_table(X) or isinstance(X, (str, PathLike, Mapping)):
        table = as_arrow(X, takes_arrays=True)
        if reset or known is not None:
            return table
        # Fitted without names: scikit-learn warns and uses columns by position.
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return table.rename_columns(_numbered(table.num_columns))
    # numpy would convert a list of numbers and strings to strings.
    kind = object if isinstance(X, (list, tuple)) else None
    rows = validate_data(estimator, X, reset=reset, dtype=kind, ensure_all_finite=False)
    return _of_array(rows, _numbered(rows.shape[1]) if known is None else list(known))


def _numbered(n: int) -> list[str]:
    return [f"x{i}" for i in range(n)]


def _of_array(X: np.ndarray, names: list[str]) -> pa.Table:
    """Convert the columns of an array; objects are converted as in a DataFrame."""
    needed("pyarrow", "io", "raw tables")
    import pyarrow as pa

    if X.dtype.kind == "f" and X.dtype.itemsize not in (4, 8):
        X = X.astype(np.float64)
    # Arrow requires native byte order.
    X = X.astype(X.dtype.newbyteorder("="), copy=False)
    return pa.Table.from_arrays([_of_values(np.ascontiguousarray(x)) for x in X.T], names=names)


def as_arrow(table: Any, *, takes_arrays: bool = False) -> pa.Table:
    """Convert a table to Arrow without its index; names become strings.

    Columns of mixed objects become strings. ``takes_arrays`` tells the error message whether the
    caller accepts arrays.
    """
    needed("pyarrow", "io", "raw tables")
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table])
    if not is_table(table):
        accepted, others = (
            ("a pyarrow.Table or a 2D array", "a dict")
            if takes_arrays
            else ("or a pyarrow.Table", "a dict or an array")
        )
        sparse = "sparse " if hasattr(table, "toarray") else ""
        raise TypeError(
            f"X must be a DataFrame of pandas or polars, {accepted}; it is of type "
            f"{sparse}{type(table).__qualname__}. Use pandas.DataFrame(X) for {others}, "
            "agathis.fit_file for a file."
        )
    if hasattr(type(table), "to_arrow"):
        converted = table.to_arrow()
        return converted if isinstance(converted, pa.Table) else pa.table(converted)
    if not hasattr(table, "iloc"):
        return pa.table(table)
    names = [str(name) for name in table.columns]
    try:
        if len(set(names)) == len(names):
            converted = pa.Table.from_pandas(table, preserve_index=False)
            if not any(map(_is_odd, converted.schema.types)):
                return converted.rename_columns(names).replace_schema_metadata(None)
    except (pa.ArrowException, TypeError, OverflowError):
        pass  # some column is mixed: convert them one by one
    arrays = [_of_values(table.iloc[:, i]) for i in range(table.shape[1])]
    return pa.Table.from_arrays(arrays, names=names)


def _of_values(column: Any) -> pa.Array | pa.ChunkedArray:
    """Convert a column of pandas or NumPy; to strings if Arrow has no type for it."""
    import pyarrow as pa

    try:
        converted = pa.array(column, from_pandas=True)
        if not _is_odd(converted.type):
            return converted
    except (pa.ArrowException, TypeError, OverflowError):
        pass  # as strings, equal values at least stay equal
    if hasattr(column, "sparse"):
        return pa.Array.from_pandas(column.sparse.to_dense())
    return pa.array([None if _is_missing(value) else str(value) for value in column], pa.string())


def _is_missing(value: object) -> bool:
    """Whether an object is a missing value: None, NaN, NaT or NA."""
    return not isinstance(value, str) and str(value).lower() in NO_NUMBERS


def _is_odd(kind: pa.DataType) -> bool:
    """Whether categories are neither numbers nor strings, such as intervals."""
    import pyarrow as pa

    if not pa.types.is_dictionary(kind):
        return isinstance(kind, pa.BaseExtensionType)
    return isinstance(kind.value_type, pa.BaseExtensionType) or pa.types.is_nested(kind.value_type)


def classes_of(table: Any, name: str) -> np.ndarray:
    """Return a column as strings, such as known classes for evaluation."""
    table = as_arrow(table)
    if table.column_names.count(name) > 1:
        raise BadTable(Advice("target", name), ": there are two columns of that name.")
    words = as_words(plain(table.column(name)))
    return np.array(["(missing)" if word is None else word for word in words])
