"""What columns in many partitions are: what each partition tells, put together in any order.

A partition tells of a column its type, its gaps, its extremes, its different values with their
counts, and of numbers and of parts of dates tallies, by which they are scaled. Of very many values
those are kept whose hashes are smallest. A value that is among these of all rows is so in each
partition that has it, so its count is exact, and what is kept does not depend on the partitions.
How many values there are the largest of these hashes tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, types

from agathis._tables.arrow_values import as_numbers, holds_numbers, plain
from agathis._tables.calendar import MADE, made, moments_of_arrow
from agathis._tables.indicators import word
from agathis._tables.number_tally import NumberTally, tally_of
from agathis._tables.number_tally import put_together as tallies_together

#: So many different values of a column are kept, with their counts.
KEPT = 1 << 14
#: The tally of a column of numbers.
NUMBERS = "numbers"
#: No hash is as large.
ALL = 1 << 64
#: Stands for the type of a column that holds dates in one partition and numbers in another.
MIXED = pa.struct([])


@dataclass(frozen=True, eq=False)
class ColumnPiece:
    """What some rows tell of a column.

    Attributes
    ----------
    type : pyarrow.DataType
    n_rows, n_missing : int
    values : pyarrow.Array
        Different values whose hashes are below ``bound``.
    counts, first, hashes : ndarray
        How many rows have each, what the order of first rows is, and the hashes.
    bound : int
    low, high : object
        Extremes of numbers (float) and of moments (scalars of Arrow); else None.
    are_whole : bool
        Whether all numbers are whole.
    n_words : int
        Of all texts.
    infinite : tuple of two ints
        How many numbers are infinite, below and above zero.
    tallies : dict of str to NumberTally
        Of numbers, by the name ``NUMBERS``; of moments, by the names of parts.
    """

    type: pa.DataType
    n_rows: int
    n_missing: int
    values: pa.Array
    counts: np.ndarray
    first: np.ndarray
    hashes: np.ndarray
    bound: int = ALL
    low: Any = None
    high: Any = None
    are_whole: bool = True
    n_words: int = 0
    infinite: tuple[int, int] = (0, 0)
    tallies: Mapping[str, NumberTally] = field(default_factory=dict)

    def kept(self, most: int) -> ColumnPiece:
        """The same with no more values than that."""
        if len(self.values) <= most:
            return self
        bound = int(np.partition(self.hashes, most)[most])
        return self._below(bound)

    def _below(self, bound: int) -> ColumnPiece:
        if bound >= self.bound:
            return self
        some = np.flatnonzero(self.hashes < np.uint64(bound))
        return replace(
            self,
            values=self.values.take(pa.array(some)),
            counts=self.counts[some],
            first=self.first[some],
            hashes=self.hashes[some],
            bound=bound,
        )

    def cast(self, kind: pa.DataType) -> ColumnPiece:
        """The same with values of another type."""
        if kind == self.type:
            return self
        if kind == MIXED:
            kept = self._below(0)
            values = cast(kept.values, kind)
            return replace(kept, type=kind, values=values, low=None, high=None, tallies={})
        values = cast(self.values, kind)
        low, high = (end.cast(kind) if isinstance(end, pa.Scalar) else end for end in self.ends)
        hashes = hashes_of(values)
        tallies = {} if types.is_string(kind) else self.tallies
        return replace(
            self, type=kind, values=values, hashes=hashes, low=low, high=high, tallies=tallies
        )

    @property
    def ends(self) -> tuple[Any, Any]:
        return self.low, self.high


def piece_of(
    column: pa.ChunkedArray | pa.Array, begin: int, most: int, dates: str = "parts"
) -> ColumnPiece:
    """What the rows of a partition tell of a column; ``begin`` is the place of the first."""
    values = plain(column)
    kind = values.type
    found = ColumnPiece(kind, len(values), values.null_count, *_counted(values, begin))
    if holds_numbers(kind):
        numbers = as_numbers(values)
        known = numbers[np.isfinite(numbers)]
        found = replace(found, infinite=infinite_in(numbers))
        if len(known):
            low, high = float(known.min()), float(known.max())
            whole = bool((known == np.floor(known)).all())
            tallies = {NUMBERS: tally_of(known)}
            found = replace(found, low=low, high=high, are_whole=whole, tallies=tallies)
    elif _is_moment(kind) and found.n_missing < len(values):
        ends = compute.min_max(values)
        found = replace(found, low=ends["min"], high=ends["max"])
        if dates == "parts":
            moments = moments_of_arrow(values)
            tallies = {part: tally_of(made(moments, part)) for part in MADE}
            found = replace(found, tallies=tallies)
    elif types.is_string(kind) and found.n_missing < len(values):
        words = compute.sum(compute.count_substring_regex(values, r"\S+")).as_py()
        found = replace(found, n_words=int(words))
    return found.kept(most)


def infinite_in(numbers: np.ndarray) -> tuple[int, int]:
    """How many numbers are infinite, below and above zero."""
    return int((numbers == -np.inf).sum()), int((numbers == np.inf).sum())


def _counted(values: pa.Array, begin: int) -> tuple[pa.Array, np.ndarray, np.ndarray, np.ndarray]:
    """Different values, how often each comes, their order and their hashes."""
    if not (types.is_string(values.type) or _has_order(values.type)):
        none = np.zeros(0, dtype=np.int64)
        return values.slice(0, 0), none, none, none.astype(np.uint64)
    found = compute.value_counts(values.drop_null())
    some, counts = found.field("values"), found.field("counts").to_numpy()
    # Values come in the order of their first rows, and there are no more than rows.
    return some, counts, begin + np.arange(len(some)), hashes_of(some)


def _is_moment(kind: pa.DataType) -> bool:
    """Whether parts of dates may be made of the values."""
    return types.is_temporal(kind) and not types.is_duration(kind) and not types.is_time(kind)


def _has_order(kind: pa.DataType) -> bool:
    return holds_numbers(kind) or types.is_temporal(kind)


def hashes_of(values: pa.Array) -> np.ndarray:
    """Hashes of 64 bits, the same in every process, and for 2 and 2.0."""
    from pandas.util import hash_array

    if types.is_string(values.type):
        return hash_array(values.to_numpy(zero_copy_only=False), categorize=False)
    if types.is_null(values.type) or not _has_order(values.type):
        return np.zeros(len(values), dtype=np.uint64)
    if types.is_temporal(values.type):
        width = pa.int32() if values.type.bit_width == 32 else pa.int64()
        return hash_array(values.cast(width).to_numpy().astype(np.float64))
    return hash_array(as_numbers(values) + 0.0)  # no zero below zero


def put_together(pieces: Sequence[ColumnPiece], most: int) -> ColumnPiece:
    """What the rows of several pieces tell."""
    kind = common_type([piece.type for piece in pieces])
    pieces = [piece.cast(kind) for piece in pieces]
    bound = min(piece.bound for piece in pieces)
    pieces = [piece._below(bound) for piece in pieces]
    table = pa.table(
        {
            "value": pa.concat_arrays([piece.values for piece in pieces]),
            "count": np.concatenate([piece.counts for piece in pieces]),
            "first": np.concatenate([piece.first for piece in pieces]),
            "hash": np.concatenate([piece.hashes for piece in pieces]),
        }
    )
    if table.num_rows:
        how = [("count", "sum"), ("first", "min"), ("hash", "min")]
        table = table.group_by("value").aggregate(how)
        table = table.rename_columns(
            [name.removesuffix("_sum").removesuffix("_min") for name in table.column_names]
        )
    lows = [piece.low for piece in pieces if piece.low is not None]
    highs = [piece.high for piece in pieces if piece.high is not None]
    value = plain(table["value"])
    return ColumnPiece(
        kind,
        sum(piece.n_rows for piece in pieces),
        sum(piece.n_missing for piece in pieces),
        value,
        table["count"].to_numpy(),
        table["first"].to_numpy(),
        table["hash"].to_numpy(),
        bound,
        min(lows, key=_in_order) if lows else None,
        max(highs, key=_in_order) if highs else None,
        all(piece.are_whole for piece in pieces),
        sum(piece.n_words for piece in pieces),
        (sum(piece.infinite[0] for piece in pieces), sum(piece.infinite[1] for piece in pieces)),
        _tallied([piece.tallies for piece in pieces]),
    ).kept(most)


def _tallied(found: Sequence[Mapping[str, NumberTally]]) -> dict[str, NumberTally]:
    names = dict.fromkeys(name for tallies in found for name in tallies)
    return {
        name: tallies_together([tallies[name] for tallies in found if name in tallies])
        for name in names
    }


def _in_order(end: Any) -> Any:
    return end.as_py() if isinstance(end, pa.Scalar) else end


def common_type(kinds: Sequence[pa.DataType]) -> pa.DataType:
    """A type for all values: text for numbers and texts, ``MIXED`` for dates and others."""
    different = list(dict.fromkeys(kinds))
    if len(different) == 1:
        return different[0]
    families = {_family(kind) for kind in different} - {"null"}
    if len(families) > 1:
        return pa.string() if families <= {"number", "truth", "text"} else MIXED
    if any(map(types.is_decimal, different)):
        return pa.float64()
    schemas = [pa.schema([("value", kind)]) for kind in different]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowTypeError:
        return MIXED


def _family(kind: pa.DataType) -> str:
    for name, belongs in (
        ("null", types.is_null),
        ("text", types.is_string),
        ("truth", types.is_boolean),
        ("number", holds_numbers),
        ("duration", types.is_duration),
        ("time", types.is_time),
        ("date", types.is_temporal),
    ):
        if belongs(kind):
            return name
    return str(kind)


def cast(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """The values in another type; texts are the words that categories are compared by."""
    if values.type == kind:
        return values
    if kind == MIXED:
        return pa.nulls(len(values), kind)
    if not types.is_string(kind) or types.is_null(values.type):
        return values.cast(kind, safe=False)
    return pa.array([word(value) for value in values.to_pylist()], kind)
