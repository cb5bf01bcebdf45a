"""What the type of a column is inferred from: its values, their counts, and its extent.

Of a large table the values are those of a sample of rows (``row_sample``); missing and infinite
values are counted, and extremes found, in one pass over all rows. So it does not matter where the
rows are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from agathis._tables.arrow_values import as_numbers, different, holds_numbers, plain
from agathis._tables.calendar import moments_of_arrow

if TYPE_CHECKING:
    import pyarrow as pa


class Extent(NamedTuple):
    """What all rows of a column tell.

    Attributes
    ----------
    n_rows, n_missing, n_infinite : int
    low, high : float
        Extremes of finite numbers; infinite the other way round where there are none.
    """

    n_rows: int
    n_missing: int
    n_infinite: int = 0
    low: float = np.inf
    high: float = -np.inf


def extent_of(column: pa.Array) -> Extent:
    """The extent of a column of plain values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> extent_of(pa.array([2.0, None, 5.0, float("inf")]))
    Extent(n_rows=4, n_missing=1, n_infinite=1, low=2.0, high=5.0)
    """
    found = Extent(len(column), column.null_count)
    if not holds_numbers(column.type):
        return found
    numbers = as_numbers(column)
    finite = np.isfinite(numbers)
    return found._replace(
        n_infinite=int(np.isinf(numbers).sum()),
        low=float(np.min(numbers, where=finite, initial=np.inf)),
        high=float(np.max(numbers, where=finite, initial=-np.inf)),
    )


def joined(extents: Sequence[Extent]) -> Extent:
    """The extent of the rows of several parts of a column."""
    n_rows, n_missing, n_infinite, low, high = zip(*extents, strict=True)
    return Extent(sum(n_rows), sum(n_missing), sum(n_infinite), min(low), max(high))


class ColumnFacts:
    """What the rows that an encoder learns from tell of a column; computed when asked for.

    Parameters
    ----------
    column : pyarrow.ChunkedArray or pyarrow.Array
    rows : ndarray of int, optional
        Their positions in the table, where they are a sample of its rows.
    extent : Extent, optional
        Of all rows of the table, where they are a sample.

    Attributes
    ----------
    type : pyarrow.DataType
        Without a dictionary; all kinds of text are one kind.
    n_rows, n_missing : int
        Of the rows that are here.

    Examples
    --------
    >>> import pyarrow as pa
    >>> facts = ColumnFacts(pa.array(["b", "a", None, "b"]))
    >>> facts.n_rows, facts.n_missing, facts.some, list(facts.counts())
    (4, 1, ['b', 'a'], [('b', 2), ('a', 1)])
    """

    def __init__(
        self,
        column: pa.ChunkedArray | pa.Array,
        rows: np.ndarray | None = None,
        extent: Extent | None = None,
    ) -> None:
        self.values, self.rows, self.extent = plain(column), rows, extent
        self.type = self.values.type
        self.n_rows, self.n_missing = len(self.values), self.values.null_count

    @property
    def has_missing(self) -> bool:
        """Whether any row of the table misses a value."""
        return (self.n_missing if self.extent is None else self.extent.n_missing) > 0

    @cached_property
    def some(self) -> list[Any]:
        """The different values in the order in which they first come."""
        return different(self.values)

    @property
    def n_different(self) -> int:
        return len(self.some)

    @cached_property
    def _known(self) -> np.ndarray:
        return as_numbers(self.values)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The finite numbers, in the order of the rows."""
        return self._known[np.isfinite(self._known)]

    @property
    def places(self) -> np.ndarray:
        """Where these stand: among each other, or of a sample in the table."""
        if self.rows is None:
            return np.arange(len(self.numbers))
        return self.rows[np.isfinite(self._known)]

    @cached_property
    def are_whole(self) -> bool:
        """Whether all numbers are whole."""
        return bool((self.numbers == np.floor(self.numbers)).all())

    @property
    def n_words(self) -> float:
        """The words of a text, on average."""
        from pyarrow import compute

        known = self.values.drop_null()
        return compute.mean(compute.count_substring_regex(known, r"\S+")).as_py()

    def counts(self) -> Iterable[tuple[Any, int]]:
        """The different values, and how many rows have each."""
        from pyarrow import compute

        found = compute.value_counts(self.values.drop_null()).to_pylist()
        return [(one["values"], one["counts"]) for one in found]

    def moments(self) -> np.ndarray:
        """The dates of a column of dates."""
        return moments_of_arrow(self.values)


def facts_of(column: Any) -> ColumnFacts:
    """The facts of an array of Arrow; facts as they are."""
    return column if isinstance(column, ColumnFacts) else ColumnFacts(column)


def is_quantity(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers, and no truths."""
    from pyarrow import types

    return holds_numbers(kind) and not types.is_boolean(kind)
