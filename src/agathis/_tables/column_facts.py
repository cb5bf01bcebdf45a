"""What a verdict on a column goes by: its type, its different values, how often they come.

A column that is here as a whole tells all of it (:class:`ArrayFacts`). One whose rows are on many
machines is told by what was gathered from them (``agathis.dask``): the verdicts are the same code.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from agathis._tables.arrow_values import as_numbers, different, holds_numbers, plain
from agathis._tables.calendar import moments_of_arrow

if TYPE_CHECKING:
    import pyarrow as pa


class ColumnFacts(Protocol):
    """What is known of a column.

    Attributes
    ----------
    type : pyarrow.DataType
        Without a dictionary; all kinds of text are one kind.
    n_rows, n_missing : int
    n_different : int
        How many different values there are, without what is missing.
    some : list
        These values in the order in which they first come; of very many, some.
    numbers : ndarray of float64
        The finite numbers of a column of numbers, in the order of the rows; of very many, some.
    places : ndarray of int
        Where these stand among the rows that have one.
    seen : ndarray of float64
        These, or of very many rows each different one, about as often as its share of them is.
    are_whole : bool
        Whether all are whole numbers.
    n_words : float
        The words of a text, on average.
    """

    @property
    def type(self) -> pa.DataType: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_missing(self) -> int: ...
    @property
    def n_different(self) -> int: ...
    @property
    def some(self) -> list[Any]: ...
    @property
    def numbers(self) -> np.ndarray: ...
    @property
    def places(self) -> np.ndarray: ...
    @property
    def seen(self) -> np.ndarray: ...
    @property
    def are_whole(self) -> bool: ...
    @property
    def n_words(self) -> float: ...

    def counts(self) -> Iterable[tuple[Any, float]]:
        """The values that are not missing, and the rows that have them."""
        ...

    def moments(self) -> np.ndarray:
        """The different dates of a column of dates."""
        ...


class ArrayFacts:
    """What an array of Arrow tells; nothing is looked at before it is asked for.

    Parameters
    ----------
    column : pyarrow.ChunkedArray or pyarrow.Array

    Examples
    --------
    >>> import pyarrow as pa
    >>> facts = ArrayFacts(pa.array(["b", "a", None, "b"]))
    >>> facts.n_rows, facts.n_missing, facts.some, list(facts.counts())
    (4, 1, ['b', 'a'], [('b', 2), ('a', 1)])
    """

    def __init__(self, column: pa.ChunkedArray | pa.Array) -> None:
        self.values = plain(column)
        self.type = self.values.type
        self.n_rows, self.n_missing = len(self.values), self.values.null_count

    @cached_property
    def some(self) -> list[Any]:
        return different(self.values)

    @property
    def n_different(self) -> int:
        return len(self.some)

    @cached_property
    def numbers(self) -> np.ndarray:
        numbers = as_numbers(self.values)
        return numbers[np.isfinite(numbers)]

    @property
    def places(self) -> np.ndarray:
        return np.arange(len(self.numbers))

    @property
    def seen(self) -> np.ndarray:
        return self.numbers

    @cached_property
    def are_whole(self) -> bool:
        return bool((self.numbers == np.floor(self.numbers)).all())

    @property
    def n_words(self) -> float:
        from pyarrow import compute

        known = self.values.drop_null()
        return compute.mean(compute.count_substring_regex(known, r"\S+")).as_py()

    def counts(self) -> Iterable[tuple[Any, float]]:
        from pyarrow import compute

        found = compute.value_counts(self.values.drop_null()).to_pylist()
        return [(one["values"], one["counts"]) for one in found]

    def moments(self) -> np.ndarray:
        return moments_of_arrow(self.values)


def facts_of(column: Any) -> ColumnFacts:
    """The facts of an array of Arrow, or those that were gathered before."""
    return ArrayFacts(column) if hasattr(column, "null_count") else column


def is_quantity(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers, and no truths."""
    from pyarrow import types

    return holds_numbers(kind) and not types.is_boolean(kind)
