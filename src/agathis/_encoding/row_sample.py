"""The rows from which an encoder is fitted: all, or a sample of a large table by position.

Types, categories, scales and weights come from the sample; missing and infinite values are counted,
and extremes found, in one pass over all rows. Rows in memory and in partitions are sampled at the
same positions, so that both give the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.random import sample_without_replacement

from agathis._columns.arrow_values import levels_of, plain
from agathis._columns.column_facts import ColumnFacts, Extent, extent_of

if TYPE_CHECKING:
    import pyarrow as pa

#: The maximum number of sampled rows.
MANY_ROWS = 50_000


def drawn(n: int, maximum: int, random_state: int = 0) -> np.ndarray:
    """Return the sorted positions of sampled rows.

    Parameters
    ----------
    n : int
        The number of rows of the table.
    maximum : int
        The maximum size of the sample; all rows, if there are no more.
    random_state : int, default=0

    Examples
    --------
    >>> drawn(3, 5), len(drawn(50, 5))
    (array([0, 1, 2]), 5)
    """
    if n <= maximum:
        return np.arange(n)
    return np.sort(sample_without_replacement(n, maximum, random_state=random_state))


@dataclass(frozen=True, eq=False)
class SampledTable:
    """A sample of the rows of a table, and statistics of all its rows.

    Attributes
    ----------
    table : pyarrow.Table
        The sampled rows.
    rows : ndarray of int
        Their positions, in increasing order.
    extents : sequence of Extent
        Of each column in all rows.
    """

    table: pa.Table
    rows: np.ndarray
    extents: Sequence[Extent]

    @property
    def column_names(self) -> list[str]:
        return self.table.column_names

    def column(self, index: int) -> ColumnFacts:
        return ColumnFacts(self.table.column(index), self.rows, self.extents[index])


def sampled(table: pa.Table, rows: np.ndarray) -> SampledTable:
    """Return the rows at some positions, with statistics from one pass over all rows."""
    import pyarrow as pa

    positions, columns, extents = pa.array(rows), [], []
    for column in table.columns:
        values = plain(column)
        # An ordered categorical keeps its order.
        columns.append((column if levels_of(column) else values).take(positions))
        extents.append(extent_of(values))
    return SampledTable(pa.Table.from_arrays(columns, table.column_names), rows, extents)
