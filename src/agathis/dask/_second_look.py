"""A column of many texts that is read once more, when it is known what it holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from agathis._tables.arrow_values import plain
from agathis._tables.calendar import moments_of_arrow
from agathis._tables.encode import TableEncoder
from agathis._tables.frames import as_arrow
from agathis._tables.number_tally import NumberTally, put_together, tally_of, with_infinite
from agathis.dask._column_facts import cast, infinite_in
from agathis.dask._waiting import computed


class SecondLook:
    """What all rows of a column tell, once it is known what to ask.

    Parameters
    ----------
    name : str
    kind : pyarrow.DataType
        Of the values, in all partitions.
    blocks : callable
        Gives the partitions for names of columns; others may be in them.
    """

    def __init__(
        self, name: str, kind: pa.DataType, blocks: Callable[[list[str]], list[Any]]
    ) -> None:
        self.name, self.kind, self.blocks = name, kind, blocks

    def counts(self, values: pa.Array) -> np.ndarray:
        """How often these values come."""
        return np.sum(self._asked(_counts, self.kind, values), axis=0)

    def first_and_last(self, first_is_day: bool) -> np.ndarray:
        """The first and the last of the dates that texts are."""
        found = np.concatenate(self._asked(_first_and_last, first_is_day))
        return np.array([found.min(), found.max()])

    def tallies(
        self, encoder: TableEncoder, features: Sequence[str]
    ) -> tuple[list[NumberTally], int]:
        """Those of the features that are made of the column, and how many numbers are infinite."""
        found = self._asked(_tallies, encoder, list(features))
        below, above = np.sum([infinite for _, infinite in found], axis=0).tolist()
        each = zip(*(tallies for tallies, _ in found), strict=True)
        return [with_infinite(put_together(some), below, above) for some in each], below + above

    def _asked(self, question: Callable[..., Any], *told: Any) -> list[Any]:
        import dask

        told = tuple(dask.delayed(one, traverse=False) for one in told)
        return computed(
            [dask.delayed(question)(block, self.name, *told) for block in self.blocks([self.name])]
        )


def _column(block: Any, name: str) -> pa.Table:
    return as_arrow(block).select([name])


def _counts(block: Any, name: str, kind: pa.DataType, values: pa.Array) -> np.ndarray:
    there = compute.index_in(cast(plain(_column(block, name).column(0)), kind), values)
    return np.bincount(there.drop_null().to_numpy(), minlength=len(values))


def _first_and_last(block: Any, name: str, first_is_day: bool) -> np.ndarray:
    found = moments_of_arrow(plain(_column(block, name).column(0)), first_is_day)
    found = found[~np.isnat(found)]
    return np.array([found.min(), found.max()]) if len(found) else found


def _tallies(
    block: Any, name: str, encoder: TableEncoder, features: Sequence[str]
) -> tuple[list[NumberTally], tuple[int, int]]:
    X = encoder._features(_column(block, name), features).X
    X = X[:, [encoder.feature_names_.index(one) for one in features]]
    return [tally_of(column) for column in X.T], infinite_in(X)
