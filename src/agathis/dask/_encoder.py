"""The encoder of raw tables whose rows are in partitions.

    partitions -> rows of each -> a sample of rows, and the extents of columns, in one pass
               -> types, categories, scales and weights by the sample
               -> features, lazily

What is learnt is what :class:`agathis.TableEncoder` learns of the same rows in memory, to the last
bit: both sample large tables at the same positions (``_tables.row_sample``).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from agathis._support.extras import needed
from agathis._tables import row_sample
from agathis._tables.column_facts import Extent, joined
from agathis._tables.encode import TableEncoder as LocalEncoder
from agathis._tables.encoder_options import Options
from agathis._tables.errors import BadTable
from agathis._tables.frames import as_arrow
from agathis._tables.row_sample import SampledTable, drawn, sampled
from agathis.dask import _waiting
from agathis.dask._column_types import cast, common_type
from agathis.dask._files import FilesInPieces
from agathis.dask._partitions import blocks_of, is_collection, kind_of, partitions_of
from agathis.dask._roster import Roster
from agathis.dask._sampling import by_block, counted_blocks, sizes_of
from agathis.dask._short_thresholds import Origin, remembering


class TableEncoder(LocalEncoder):
    """Columns of a raw table in partitions made into features on one scale.

    It learns what :class:`agathis.TableEncoder` learns of the same rows in memory, to the last bit,
    whatever the partitions are: of more than 50,000 rows from a sample of so many, drawn by their
    positions, and from extremes and counts of missing and infinite values, which are those of all
    rows. Rows are read once.

    Parameters
    ----------
    drop, keep, categorical, scale, weight, dates, no_split, no_count, show, max_categories, strict
        As for :class:`agathis.TableEncoder`.
    title : str
        Of the table, in messages.

    Attributes
    ----------
    n_rows_ : int
        All rows.
    n_sampled_ : int
        Rows that it was learnt from.

    See Also
    --------
    agathis.TableEncoder : The other attributes, and what becomes of columns.

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
        """Learn what the columns are; computes at once.

        Parameters
        ----------
        X : dask.dataframe.DataFrame, or list of Delayed tables
        y : Ignored
        client : distributed.Client, optional
            ``None`` is the current one, or where there is none, this process.

        Returns
        -------
        self : TableEncoder
        """
        self._learn(X, client)
        return self

    def _learn(self, X: Any, client: Any = None) -> Any:
        """Learn; the rows that it was learnt from, as a table of Arrow.

        X may be files too, of which names and lengths are known beforehand.
        """
        sizes: list[int] | None = None
        names: list[str] | None
        if isinstance(X, FilesInPieces):
            blocks, sizes, names = X.blocks, X.sizes, X.names
        else:
            blocks, names = _tables(X)
        if names is not None:
            Options.of(self, names)  # what is wrong is said before the table is read
        with nullcontext() if client is None else client.as_current():
            in_use = _waiting.client_in_use()
            if in_use is not None:
                Roster(in_use, _waiting.LIMIT)  # raises for workers that do not fit the client
            if sizes is None:
                sizes = sizes_of(counted_blocks(X, blocks))
            sample = gather(blocks, sizes, names, self.title)
        self.n_rows_, self.n_sampled_ = sum(sizes), sample.table.num_rows
        self._fit_sample(sample.table, sample if self.n_sampled_ < self.n_rows_ else None)
        return sample.table

    def fit_transform(self, X: Any, y: object = None, *, client: Any = None) -> Any:
        """Learn what the columns are, and make features of them, lazily.

        Parameters
        ----------
        X : dask.dataframe.DataFrame, or list of Delayed tables
        y : Ignored
        client : distributed.Client, optional
            As for :meth:`fit`.

        Returns
        -------
        X : dask.dataframe.DataFrame, or list of Delayed
        """
        return self.fit(X, client=client).transform(X)

    def transform(self, X: Any) -> Any:
        """Features on one scale; lazily, in the partitions of X, where that is a collection.

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
        encode = partial(_encoded, local)
        # A frame may be given other columns in place; features are of what it is now.
        now = X.copy() if hasattr(X, "npartitions") else X
        origin = Origin(local, partial(_with_columns, now, blocks, names))
        if names is None or isinstance(X, FilesInPieces):
            return remembering([dask.delayed(encode)(block) for block in blocks], origin)
        meta = pd.DataFrame({name: pd.Series([], dtype=float) for name in self.feature_names_})
        return remembering(X.map_partitions(encode, meta=meta), origin)

    def to_local(self) -> LocalEncoder:
        """An ordinary :class:`agathis.TableEncoder` that has learnt the same.

        Returns
        -------
        encoder : agathis.TableEncoder
        """
        check_is_fitted(self, "scaler_")
        local = LocalEncoder(**self.get_params(deep=False))
        own = ("n_rows_", "n_sampled_")
        local.__dict__.update({k: v for k, v in vars(self).items() if k not in own})
        return local


def _tables(X: Any) -> tuple[list[Any], list[str] | None]:
    """The partitions of a table, and the names of its columns where they are known."""
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
    X: Any, blocks: list[Any], names: list[str] | None, asked: list[str]
) -> list[Any]:
    """Partitions that have some columns, and no others where these need not be read with them."""
    if isinstance(X, FilesInPieces):
        return X.columns(asked)
    return blocks if names is None else blocks_of(X[[X.columns[names.index(n)] for n in asked]])


def gather(
    blocks: Sequence[Any], sizes: Sequence[int], names: list[str] | None, title: str
) -> SampledTable:
    """A sample of the rows, and the extents of the columns."""
    import dask

    n = sum(sizes)
    if n == 0:
        raise BadTable(f"{title} has no rows.")
    rows, begins = drawn(n, row_sample.MANY_ROWS), (np.cumsum(sizes) - sizes).tolist()
    told = zip(blocks, sizes, by_block(rows, begins, sizes), strict=True)
    pieces = [
        dask.delayed(_look)(block, number, names, size, some)
        for number, (block, size, some) in enumerate(told)
        if size
    ]
    (found,) = _waiting.computed([_waiting.put_together(pieces, _together)])
    return replace(found, rows=rows)


def _look(
    block: Any, number: int, names: list[str] | None, size: int, some: np.ndarray
) -> SampledTable:
    """What a partition tells."""
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


def _together(pieces: Sequence[SampledTable]) -> SampledTable:
    """What several neighbours tell."""
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


def _encoded(encoder: LocalEncoder, block: Any) -> Any:
    """The features of a block: a frame with its index, or rows where it has none."""
    rows = encoder.scaled(encoder.encode(block).X)
    rows.units = None  # the whole collection knows its origin, and rows may travel
    if not hasattr(block, "index") or not hasattr(block, "iloc"):
        return rows
    return encoder.framed(rows, block.index)
