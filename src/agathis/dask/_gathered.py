"""A table in partitions as the encoder learns from it: facts of its columns, tallies of features.

Numbers and parts of dates were tallied in the one pass over the partitions; so was every column of
which all different values are known, for features are made of values. What is left are texts of
many values: where these turn out to be numbers, dates or categories, that column is read again.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from agathis._tables.arrow_values import as_numbers, plain
from agathis._tables.calendar import is_day_first, moments_of_arrow
from agathis._tables.encode import TableEncoder
from agathis._tables.encoder_notes import too_large
from agathis._tables.feature_rows import LARGEST
from agathis._tables.number_tally import NumberTally, ends_of_rows, tally_of, with_infinite
from agathis._tables.table_features import Feature
from agathis.dask._column_facts import ALL, NUMBERS, ColumnPiece
from agathis.dask._second_look import SecondLook


class Gathered:
    """A table as :meth:`~agathis.TableEncoder.fit` sees it.

    Parameters
    ----------
    column_names : list of str
    facts : sequence of GatheredFacts
    num_rows : int
    """

    def __init__(
        self, column_names: list[str], facts: Sequence[GatheredFacts], num_rows: int
    ) -> None:
        self.column_names, self.facts, self.num_rows = column_names, facts, num_rows

    def column(self, place: int) -> GatheredFacts:
        return self.facts[place]

    def tallies(self, encoder: TableEncoder) -> list[NumberTally] | None:
        """The tallies of the features of an encoder that has its verdicts, of all rows.

        None where all rows are in the sample, which is learnt row by row.
        """
        if all(facts.has_all_rows for facts in self.facts):
            return None
        known = dict(zip(self.column_names, self.facts, strict=True))
        found: dict[int, NumberTally] = {}
        for source, places in encoder.places().items():
            features = [encoder.features_[f] for f in places.tolist()]
            tallies = known[source].tallies_of(source, features, encoder)
            found.update(zip(places.tolist(), tallies, strict=True))
            if known[source].n_infinite:
                encoder._check_infinite(source, known[source].n_infinite)
        return [found[f] for f in range(len(encoder.features_))]

    def infinite(self) -> dict[str, int]:
        """In how many rows columns have infinite numbers, as far as they were tallied."""
        told = zip(self.column_names, self.facts, strict=True)
        return {name: facts.n_infinite for name, facts in told if facts.n_infinite}

    def rare(self) -> dict[str, Container[str]]:
        """For each column of categories the words of all rows that are none."""
        told = zip(self.column_names, self.facts, strict=True)
        return {name: facts.rare for name, facts in told if facts.rare is not None}


class AllWords:
    """Stands for the words of a column that has too many to be kept: no other is news."""

    def __contains__(self, word: object) -> bool:
        return True


class GatheredFacts:
    """The facts of a column (:class:`~agathis._tables.column_facts.ColumnFacts`).

    Parameters
    ----------
    piece : ColumnPiece
        Of all rows.
    sample : pyarrow.Array
        Its values in some rows, in their order.
    rows : ndarray of int
        Which rows these are.
    again : SecondLook
        Reads the column once more, where texts are so many that not all could be kept.
    """

    def __init__(
        self, piece: ColumnPiece, sample: pa.Array, rows: np.ndarray, again: SecondLook
    ) -> None:
        order = np.argsort(piece.first)
        self.piece, self.sample, self.rows, self.again = piece, plain(sample), rows, again
        self.values, self._counts = piece.values.take(pa.array(order)), piece.counts[order]
        self.type, self.n_rows, self.n_missing = piece.type, piece.n_rows, piece.n_missing
        self.are_whole = piece.are_whole
        # Of what was tallied as numbers, how many are infinite.
        self.n_infinite = 0
        # Once tallied: words that are no categories.
        self.rare: Container[str] | None = None

    @property
    def has_all_rows(self) -> bool:
        return len(self.rows) == self.n_rows

    @property
    def has_all_values(self) -> bool:
        """Whether all different values are known, and how often each comes."""
        return self.piece.bound == ALL

    @cached_property
    def some(self) -> list[Any]:
        return self.values.to_pylist()

    @cached_property
    def n_different(self) -> int:
        if self.has_all_values:
            return len(self._counts)
        n = self.n_rows - self.n_missing
        if (self._counts == 1).all():
            return n
        return min(n - 1, round(len(self._counts) / (self.piece.bound / ALL)))

    @cached_property
    def _known(self) -> np.ndarray:
        return np.isfinite(as_numbers(self.sample))

    @cached_property
    def numbers(self) -> np.ndarray:
        numbers = as_numbers(self.sample)[self._known]
        if self.has_all_rows or self.piece.low is None:
            return numbers
        return np.append(numbers, [self.piece.low, self.piece.high])

    @cached_property
    def seen(self) -> np.ndarray:
        tally = self.piece.tallies.get(NUMBERS)
        if self.has_all_rows or tally is None or not tally.is_exact:
            return self.numbers
        # Each number as often as in a sample, and none never.
        return np.repeat(tally.least, -(-tally.counts * len(self.rows) // self.n_rows))

    @property
    def places(self) -> np.ndarray:
        if self.has_all_rows:
            return np.arange(len(self.numbers))
        # Of numbers that go up row by row the extremes are the ends.
        return np.append(self.rows[self._known], [0, self.n_rows - 1])

    @property
    def n_words(self) -> float:
        return self.piece.n_words / (self.n_rows - self.n_missing)

    def counts(self) -> Iterable[tuple[Any, float]]:
        if self.has_all_values:
            return zip(self.some, self._counts.tolist(), strict=True)
        # What comes often is in the sample.
        values = compute.unique(self.sample.drop_null())
        return zip(values.to_pylist(), self.again.counts(values).tolist(), strict=True)

    def moments(self) -> np.ndarray:
        found = moments_of_arrow(self.values)
        if self.piece.low is not None:
            ends = pa.array([self.piece.low.as_py(), self.piece.high.as_py()], self.type)
            return np.append(found, moments_of_arrow(ends))
        if self.has_all_values:
            return found
        return np.append(found, self.again.first_and_last(is_day_first(self.some)))

    def tallies_of(
        self, name: str, features: Sequence[Feature], encoder: TableEncoder
    ) -> list[NumberTally]:
        """Those of the features that are made of the column.

        Infinite numbers are taken for the least and the largest of the others.
        """
        ready = [self._ready(feature) for feature in features]
        found = [tally for tally in ready if tally is not None]
        if len(found) == len(features):
            if any(np.abs([tally.least, tally.most]).max(initial=0.0) > LARGEST for tally in found):
                raise too_large(name)
            if features[0].when is not None:
                return found
            self.n_infinite = sum(self.piece.infinite)
            return [with_infinite(tally, *self.piece.infinite) for tally in found]
        names = [feature.name for feature in features]
        if not self.has_all_values:
            tallies, self.n_infinite = self.again.tallies(encoder, names)
            self.rare = AllWords() if features[0].kind == "category" else None
            return tallies
        values, counts = self.values, self._counts
        if self.n_missing:
            values = pa.concat_arrays([values, pa.nulls(1, values.type)])
            counts = np.append(counts, self.n_missing)
        rows = encoder._features(pa.table({name: values}), names)
        self.rare = frozenset(rows.unseen.get(name, ()))
        if rows.infinite:
            self.n_infinite = int(counts[np.isinf(rows.X).any(axis=1)].sum())
        X = rows.within(*ends_of_rows(rows.X)).X
        places = [encoder.feature_names_.index(one) for one in names]
        return [tally_of(X[:, f], counts) for f in places]

    def _ready(self, feature: Feature) -> NumberTally | None:
        """The tally of a feature that is a number or a part of a date, where there is one."""
        when, tallies = feature.when, self.piece.tallies
        if feature.kind == "category":
            return None
        if when is None:
            return tallies.get(NUMBERS)
        found = tallies.get(when.part if when.holds == "dates" else NUMBERS)
        if found is None or not when.circle:
            return found
        return tally_of(when.turned(found.least), found.counts) if found.is_exact else None
