"""The partitions of Dask collections, for fits and for lazy results.

A collection is a Dask array, a Dask data frame, or a list of delayed blocks of rows. Blocks are
converted to arrays on their workers, and never collected in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agathis._utils.extras import needed


@dataclass(frozen=True)
class Partitions:
    """The partitions of a collection.

    Attributes
    ----------
    blocks : list of Delayed
    weights : list of Delayed or None
    names : list of str or None
        The column names, if all are strings.
    n_features : int or None
        ``None`` if unknown before computing the blocks.
    """

    blocks: list[Any]
    weights: list[Any] | None
    names: list[str] | None
    n_features: int | None

    def __len__(self) -> int:
        return len(self.blocks)


def is_collection(X: object) -> bool:
    """Whether X is a Dask collection, or a list of delayed blocks."""
    import dask

    if isinstance(X, (list, tuple)):
        return len(X) > 0 and all(dask.is_dask_collection(block) for block in X)
    return dask.is_dask_collection(X)


def kind_of(X: object) -> str:
    """``"array"``, ``"frame"`` or ``"list"``."""
    import dask.array as da

    if isinstance(X, (list, tuple)):
        return "list"
    if isinstance(X, da.Array):
        return "array"
    if hasattr(X, "npartitions") and hasattr(X, "columns"):
        return "frame"
    raise TypeError(
        "X must be a Dask array, a Dask data frame or a list of delayed blocks of rows; it is a "
        f"{type(X).__name__}. agathis.Kauri takes tables in memory."
    )


def partitions_of(X: Any, sample_weight: Any = None) -> Partitions:
    """The partitions of a collection, with the weights of their rows."""
    kind = kind_of(X)
    names, n_features = None, None
    if kind == "array":
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, rows and columns; it has {X.ndim}.")
        blocks = whole_rows(X).to_delayed().ravel().tolist()
        n_features = int(X.shape[1])
    elif kind == "frame":
        columns = list(X.columns)
        names = columns if all(isinstance(name, str) for name in columns) else None
        blocks, n_features = blocks_of(X), len(columns)
    else:
        blocks = list(X)
    if n_features == 0:
        raise ValueError("X has no columns; at least one is needed.")
    if not blocks:
        raise ValueError("X has no partitions.")
    weights = None if sample_weight is None else _weights(sample_weight, len(blocks))
    return Partitions(blocks, weights, names, n_features)


def blocks_of(X: Any) -> list[Any]:
    """The partitions of a frame or column; only the columns used are read.

    Full optimisation by Dask could merge partitions, differently for the columns of one table.
    """
    return list(X.simplify().to_delayed(optimize_graph=False))


def whole_rows(X: Any) -> Any:
    """Rechunk a Dask array so that its chunks have all columns."""
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _weights(sample_weight: Any, n_blocks: int) -> list[Any]:
    if not is_collection(sample_weight):
        raise TypeError(
            "sample_weight must be a collection of Dask with the partitions of X; it is a "
            f"{type(sample_weight).__name__}."
        )
    if isinstance(sample_weight, (list, tuple)):
        weights = list(sample_weight)
    elif hasattr(sample_weight, "npartitions") and hasattr(sample_weight, "divisions"):
        weights = blocks_of(sample_weight)
    else:
        weights = np.ravel(np.array(sample_weight.to_delayed(), dtype=object)).tolist()
    if len(weights) != n_blocks:
        raise ValueError(
            f"sample_weight must have the partitions of X, {n_blocks}; it has {len(weights)}."
        )
    return weights


def mapped(X: Any, function: Callable[..., np.ndarray], columns: Sequence[str] | None) -> Any:
    """Apply a function to each block lazily.

    It returns a float64 array with these columns, or a one-dimensional int32 array without.
    """
    needed("dask.dataframe", "dask", "agathis.dask")
    import dask

    kind = kind_of(X)
    dtype = np.dtype(np.int32 if columns is None else np.float64)
    if kind == "list":
        return [dask.delayed(function)(block) for block in X]
    if kind == "array":
        rows = whole_rows(X)
        if columns is None:
            return rows.map_blocks(function, dtype=dtype, drop_axis=1, meta=np.empty(0, dtype))
        chunks = (rows.chunks[0], (len(columns),))
        meta = np.empty((0, 0), dtype)
        return rows.map_blocks(function, dtype=dtype, chunks=chunks, meta=meta)
    import pandas as pd

    meta = (
        pd.Series([], dtype=dtype, name="cluster")
        if columns is None
        else pd.DataFrame({name: pd.Series([], dtype=dtype) for name in columns})
    )
    return X.map_partitions(_framed, function, columns, meta=meta)


def _framed(frame: Any, function: Callable[..., np.ndarray], columns: Sequence[str] | None) -> Any:
    """The result of the function with the index of the frame."""
    import pandas as pd

    result = function(frame)
    if columns is None:
        return pd.Series(result, index=frame.index, name="cluster")
    return pd.DataFrame(result, index=frame.index, columns=list(columns))
