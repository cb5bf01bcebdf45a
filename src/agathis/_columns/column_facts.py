"""Statistics of a column from which its type is inferred.

For a large table, values come from a sample of rows (``row_sample``); missing and infinite values
are counted, and extremes found, in one pass over all rows. The result does not depend on where the
rows are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from agathis._columns.arrow_values import (
    as_numbers,
    different,
    holds_numbers,
    levels_of,
    plain,
)
from agathis._columns.datetimes import datetimes_of_arrow
from agathis._columns.spellings import merged

if TYPE_CHECKING:
    import pyarrow as pa


class Extent(NamedTuple):
    """Statistics of all rows of a column.

    Attributes
    ----------
    n_rows, n_missing, n_infinite : int
    low, high : float
        Extremes of the finite numbers; inf and -inf if there are none.
    """

    n_rows: int
    n_missing: int
    n_infinite: int = 0
    low: float = np.inf
    high: float = -np.inf


def extent_of(column: pa.Array) -> Extent:
    """Compute the extent of a column.

    Examples
    --------
    >>> import pyarrow as pa
    >>> extent_of(pa.array([2.0, None, 5.0, float("inf")]))
    Extent(n_rows=4, n_missing=1, n_infinite=1, low=2.0, high=5.0)
    """
    extent = Extent(len(column), column.null_count)
    if not holds_numbers(column.type):
        return extent
    numbers = as_numbers(column)
    finite = np.isfinite(numbers)
    return extent._replace(
        n_infinite=int(np.isinf(numbers).sum()),
        low=float(np.min(numbers, where=finite, initial=np.inf)),
        high=float(np.max(numbers, where=finite, initial=-np.inf)),
    )


def joined(extents: Sequence[Extent]) -> Extent:
    """Combine the extents of several partitions of a column."""
    n_rows, n_missing, n_infinite, low, high = zip(*extents, strict=True)
    return Extent(sum(n_rows), sum(n_missing), sum(n_infinite), min(low), max(high))


class ColumnFacts:
    """Statistics of the rows from which an encoder is fitted; computed lazily.

    Parameters
    ----------
    column : pyarrow.ChunkedArray or pyarrow.Array
    rows : ndarray of int, optional
        Their positions in the table, if they are a sample.
    extent : Extent, optional
        Of all rows of the table, if they are a sample.

    Attributes
    ----------
    type : pyarrow.DataType
        The value type of dictionaries; all string types are one.
    n_rows, n_missing : int
        Of the given rows.

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
        #: Those of an ordered categorical, from low to high.
        self.levels = levels_of(column)
        self.values, self.rows, self.extent = plain(column), rows, extent
        self.type = self.values.type
        self.n_rows, self.n_missing = len(self.values), self.values.null_count

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Strings that are other spellings of a value, with that value."""
        from pyarrow import types

        return merged(dict(self.counts())) if types.is_string(self.type) else {}

    def merged(self) -> ColumnFacts:
        """Return the facts after other spellings are replaced."""
        import pyarrow as pa

        if not self.spellings:
            return self
        encoded = self.values.dictionary_encode()
        words = [self.spellings.get(one, one) for one in encoded.dictionary.to_pylist()]
        # A blank cell is a missing value, as an empty one is.
        words = [word or None for word in words]
        facts = ColumnFacts(pa.array(words, pa.string()).take(encoded.indices), self.rows)
        if self.extent is not None:
            n_blank = facts.n_missing - self.n_missing
            facts.extent = self.extent._replace(n_missing=self.extent.n_missing + n_blank)
        return facts

    @property
    def has_missing(self) -> bool:
        """Whether any row of the table has a missing value."""
        return (self.n_missing if self.extent is None else self.extent.n_missing) > 0

    @cached_property
    def some(self) -> list[Any]:
        """The distinct values in order of first occurrence."""
        return different(self.values)

    @property
    def n_different(self) -> int:
        return len(self.some)

    @cached_property
    def _known(self) -> np.ndarray:
        return as_numbers(self.values)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The finite numbers, in row order."""
        return self._known[np.isfinite(self._known)]

    @property
    def places(self) -> np.ndarray:
        """Positions of the finite numbers, in the table if the rows are a sample."""
        if self.rows is None:
            return np.arange(len(self.numbers))
        return self.rows[np.isfinite(self._known)]

    @cached_property
    def are_integers(self) -> bool:
        """Whether all numbers are integers."""
        return bool((self.numbers == np.floor(self.numbers)).all())

    @property
    def n_words(self) -> float:
        """The mean number of words per string."""
        from pyarrow import compute

        known = self.values.drop_null()
        return compute.mean(compute.count_substring_regex(known, r"\S+")).as_py()

    def counts(self) -> Iterable[tuple[Any, int]]:
        """The distinct values, each with its number of rows."""
        from pyarrow import compute

        counted = compute.value_counts(self.values.drop_null()).to_pylist()
        return [(entry["values"], entry["counts"]) for entry in counted]

    def moments(self) -> np.ndarray:
        """The datetimes of a date column."""
        return datetimes_of_arrow(self.values)


def facts_of(column: Any) -> ColumnFacts:
    """Wrap an Arrow array; facts are returned unchanged."""
    return column if isinstance(column, ColumnFacts) else ColumnFacts(column)


def is_quantity(kind: pa.DataType) -> bool:
    """Whether a type is numeric and not boolean."""
    from pyarrow import types

    return holds_numbers(kind) and not types.is_boolean(kind)
