"""Parquet files as partitions, each read on a worker in the same way as in ``fit_file``.

The reader of Dask does not verify checksums or metadata, so that a damaged file may crash a worker
or give wrong results. Here a partition is a file or some of its row groups, and is read and
validated by :class:`~agathis._io.table_reader.ParquetReader`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agathis._columns.errors import BadTable
from agathis._io.table_reader import ParquetReader, TableReader

if TYPE_CHECKING:
    import pyarrow as pa

#: The maximum uncompressed size of a partition in bytes; a larger row group is one partition.
PARTITION = 128 << 20
ROWS_AT_ONCE = 1 << 16


class Piece(NamedTuple):
    """Some row groups of a file."""

    path: str
    shown: str
    groups: Sequence[int]
    n_rows: int


class FilesInPieces(NamedTuple):
    """A table in files: its pieces and the columns to read."""

    pieces: list[Piece]
    names: list[str]

    @property
    def sizes(self) -> list[int]:
        return [piece.n_rows for piece in self.pieces]

    @property
    def blocks(self) -> list[Any]:
        return self.columns(self.names)

    def columns(self, names: list[str]) -> list[Any]:
        """Lazy partitions with some columns; others are not read."""
        import dask

        return [dask.delayed(read, pure=False)(piece, names) for piece in self.pieces]


def in_pieces(reader: TableReader, names: list[str]) -> FilesInPieces:
    """Some columns of one or more Parquet files, read lazily."""
    files = [file for file in getattr(reader, "files", [reader]) if isinstance(file, ParquetReader)]
    pieces = [piece for file in files for piece in pieces_of(file)]
    if not pieces:
        raise BadTable(f"{reader.shown} has no rows.")
    return FilesInPieces(pieces, names)


def pieces_of(file: ParquetReader) -> list[Piece]:
    """Group consecutive row groups into partitions; none for a file without rows."""
    # Workers may run in another directory.
    path = os.path.abspath(file.path)
    pieces: list[Piece] = []
    groups: list[int] = []
    rows = filled = 0
    for number, group in enumerate(file.row_groups()):
        if groups and filled + group.n_bytes > PARTITION:
            pieces.append(Piece(path, file.shown, groups, rows))
            groups, rows, filled = [], 0, 0
        if group.n_rows:
            groups, rows, filled = [*groups, number], rows + group.n_rows, filled + group.n_bytes
    return pieces + ([Piece(path, file.shown, groups, rows)] if groups else [])


def read(piece: Piece, names: list[str]) -> pa.Table:
    """Read the rows of a piece; raise an error if the file is damaged or has changed."""
    import pyarrow as pa

    file = ParquetReader(piece.path, piece.shown)
    row_groups = file.row_groups()
    n_rows = sum(row_groups[number].n_rows for number in piece.groups if number < len(row_groups))
    if n_rows != piece.n_rows:
        raise file.fault(
            f"some row groups had {piece.n_rows:,} rows, and have {n_rows:,}: it has changed."
        )
    return pa.Table.from_batches(list(file.batches(names, ROWS_AT_ONCE, piece.groups)))
