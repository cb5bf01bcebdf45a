"""The table encoder for distributed rows.

    partitions -> number of rows of each -> a sample, and the ranges of columns, in one pass
               -> types, categories, scales and weights from the sample
               -> features, lazily

The result is identical to that of :class:`agathis.TableEncoder` on the same rows in memory, as both
sample large tables at the same positions (``_encoding.row_sample``).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from agathis._columns.column_facts import Extent, joined
from agathis._columns.errors import BadTable
from agathis._columns.frames import as_arrow
from agathis._encoding import row_sample
from agathis._encoding.encoder_options import Options
from agathis._encoding.row_sample import SampledTable, drawn, sampled
from agathis._encoding.table_encoder import TableEncoder as LocalEncoder
from agathis._utils.extras import needed
from agathis.dask import _timeouts
from agathis.dask._column_types import cast, common_type
from agathis.dask._files import FilesInPieces
from agathis.dask._partitions import blocks_of, is_collection, kind_of, partitions_of
from agathis.dask._sampling import by_block, counted_blocks, sizes_of
from agathis.dask._short_thresholds import Origin, with_origin
from agathis.dask._workers import WorkerVersions


class TableEncoder(LocalEncoder):
    """Encode the columns of a distributed raw table as scaled features.

    The result is identical to that of :class:`agathis.TableEncoder` on the same rows in memory, for
    any partitions. With more than 50,000 rows it is fitted to a random sample of 50,000; extremes
    and counts of missing and infinite values are those of all rows. Rows are read once.

    Parameters
    ----------
    drop, keep, categorical, scale, weight, dates, no_split, no_count, show, max_categories, \
    ordered, strict
        See :class:`agathis.TableEncoder`.
    title : str
        The name of the table in messages.

    Attributes
    ----------
    n_rows_ : int
        The number of all rows.
    n_sampled_ : int
        The number of rows in the sample.

    See Also
    --------
    agathis.TableEncoder : The other attributes, and how columns are encoded.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from dask.distributed import Client
    >>> from sklearn.pipeline import make_pipeline
    >>> from agathis.dask import Kauri, TableEncoder
    >>> table = pd.DataFrame({"size": [1.5, 2.0, 9.0, 8.5], "paid": ["yes", "yes", "no", "no"]})
    >>> X = dd.from_pandas(table, npartitions=2)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     model = make_pipeline(TableEncoder(), Kauri(2)).fit(X)
    ...     model.predict(X).compute().tolist()
    [0, 0, 1, 1]
    """

    def fit(self, X: Any, y: object = None, *, client: Any = None) -> TableEncoder:
        """Fit the encoder; computes immediately.

        Parameters
        ----------
        X : dask.dataframe.DataFrame, or list of Delayed tables
        y : Ignored
            Not used, present for API consistency.
        client : distributed.Client, optional
            If None, the current client, or this process if there is none.

        Returns
        -------
        self : TableEncoder
            Fitted encoder.
        """
        self._learn(X, client)
        return self

    def _learn(self, X: Any, client: Any = None) -> Any:
        """Fit the encoder, and return the sample as an Arrow table; X may also be files."""
        sizes: list[int] | None = None
        names: list[str] | None
        if isinstance(X, FilesInPieces):
            blocks, sizes, names = X.blocks, X.sizes, X.names
        else:
            blocks, names = _tables(X)
        if names is not None:
            Options.of(self, names)  # raise errors before reading the table
        with nullcontext() if client is None else client.as_current():
            in_use = _timeouts.client_in_use()
            if in_use is not None:
                WorkerVersions(
                    in_use, _timeouts.LIMIT
                )  # raises for workers that do not fit the client
            if sizes is None:
                sizes = sizes_of(counted_blocks(X, blocks))
            sample = gather(blocks, sizes, names, self.title)
        self.n_rows_, self.n_sampled_ = sum(sizes), sample.table.num_rows
        self._fit_sample(sample.table, sample if self.n_sampled_ < self.n_rows_ else None)
        return sample.table

    def fit_transform(self, X: Any, y: object = None, *, client: Any = None) -> Any:
        """Fit the encoder, and transform X lazily.

        Parameters
        ----------
        X : dask.dataframe.DataFrame, or list of Delayed tables
        y : Ignored
            Not used, present for API consistency.
        client : distributed.Client, optional
            See :meth:`fit`.

        Returns
        -------
        X : dask.dataframe.DataFrame, or list of Delayed
        """
        return self.fit(X, client=client).transform(X)

    def transform(self, X: Any) -> Any:
        """Encode rows as scaled features; lazy for Dask collections.

        Parameters
        ----------
        X : dask.dataframe.DataFrame, list of Delayed tables, or a table in memory

        Returns
        -------
        X : dask.dataframe.DataFrame, list of Delayed, or EncodedRows
        """
        check_is_fitted(self, "scaler_")
        names: list[str] | None
        if isinstance(X, FilesInPieces):
            blocks, names = X.blocks, X.names
        elif is_collection(X):
            blocks, names = _tables(X)
        else:
            return super().transform(X)
        import dask
        import pandas as pd

        local = self.to_local()
        encode = partial(_encode_block, local)
        # Copy, as a frame may be modified in place later.
        now = X.copy() if hasattr(X, "npartitions") else X
        origin = Origin(local, partial(_with_columns, now, blocks, names))
        if names is None or isinstance(X, FilesInPieces):
            return with_origin([dask.delayed(encode)(block) for block in blocks], origin)
        meta = pd.DataFrame({name: pd.Series([], dtype=float) for name in self.feature_names_})
        return with_origin(X.map_partitions(encode, meta=meta), origin)

    def to_local(self) -> LocalEncoder:
        """Convert to a fitted :class:`agathis.TableEncoder` in memory.

        Returns
        -------
        encoder : agathis.TableEncoder
        """
        check_is_fitted(self, "scaler_")
        local = LocalEncoder(**self.get_params(deep=False))
        not_local = ("n_rows_", "n_sampled_")
        local.__dict__.update({k: v for k, v in vars(self).items() if k not in not_local})
        return local


def _tables(X: Any) -> tuple[list[Any], list[str] | None]:
    """The partitions of a table, and its column names, if known."""
    needed("dask.dataframe", "dask", "agathis.dask")
    if not is_collection(X):
        raise TypeError(
            "X must be a Dask data frame or a list of delayed tables; it is a "
            f"{type(X).__name__}. agathis.TableEncoder takes tables in memory."
        )
    if kind_of(X) == "array":
        raise TypeError("X is a Dask array: rows of numbers need no encoder.")
    names = None if isinstance(X, (list, tuple)) else [str(name) for name in X.columns]
    return partitions_of(X).blocks, names


def _with_columns(
    X: Any, blocks: list[Any], names: list[str] | None, columns: list[str]
) -> list[Any]:
    """The partitions with some columns; others are not read if possible."""
    if isinstance(X, FilesInPieces):
        return X.columns(columns)
    return blocks if names is None else blocks_of(X[[X.columns[names.index(n)] for n in columns]])


def gather(
    blocks: Sequence[Any], sizes: Sequence[int], names: list[str] | None, title: str
) -> SampledTable:
    """A sample of the rows, and the ranges of the columns."""
    import dask

    n = sum(sizes)
    if n == 0:
        raise BadTable(f"{title} has no rows.")
    rows = drawn(n, row_sample.MANY_ROWS)
    given = zip(blocks, sizes, by_block(rows, sizes), strict=True)
    pieces = [
        dask.delayed(_sampled_block)(block, number, names, size, some)
        for number, (block, size, some) in enumerate(given)
        if size
    ]
    (sample,) = _timeouts.computed([_timeouts.tree_reduced(pieces, _merged)])
    return replace(sample, rows=rows)


def _sampled_block(
    block: Any, number: int, names: list[str] | None, size: int, some: np.ndarray
) -> SampledTable:
    """The sampled rows and column ranges of a partition."""
    table = as_arrow(block)
    if names is not None and table.column_names != names:
        raise ValueError(
            f"X, partition {number}: it has the columns {table.column_names}, and the collection "
            f"{names}."
        )
    if table.num_rows != size:
        raise ValueError(
            f"X, partition {number}: it had {size} rows, and has {table.num_rows}. Partitions "
            "must be the same each time they are computed."
        )
    return sampled(table, some)


def _merged(pieces: Sequence[SampledTable]) -> SampledTable:
    """Merge the results of consecutive partitions."""
    import pyarrow as pa

    names = pieces[0].column_names
    for piece in pieces:
        if piece.column_names != names:
            raise ValueError(
                f"partitions of X have the columns {names} and {piece.column_names}; all "
                "must have the same."
            )
    extents: list[Extent] = []
    arrays = []
    for i in range(len(names)):
        extents.append(joined([piece.extents[i] for piece in pieces]))
        parts = [piece.table.column(i) for piece in pieces]
        kind = common_type([part.type for part in parts])
        chunks = [chunk for part in parts for chunk in part.chunks]
        arrays.append(pa.chunked_array([cast(chunk, kind) for chunk in chunks], kind))
    rows = np.concatenate([piece.rows for piece in pieces])
    return SampledTable(pa.Table.from_arrays(arrays, names=names), rows, extents)


def _encode_block(encoder: LocalEncoder, block: Any) -> Any:
    """The features of a block, as a frame with its index, or as rows without one."""
    rows = encoder.scaled(encoder.encode(block).X)
    rows.units = None  # the collection stores its origin; rows may be sent over the network
    if not hasattr(block, "index") or not hasattr(block, "iloc"):
        return rows
    return encoder.framed(rows, block.index)
