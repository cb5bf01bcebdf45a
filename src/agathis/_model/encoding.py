"""The computation of fitted columns from raw features: exact float64 operations, as plain data.

A tree is fitted to encoded rows and described in raw units. The operations between the two are
stored for each fitted column, so that a loaded model encodes raw rows to bit-identical numbers and
can be scored, refined and reported in the space of its fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from agathis._rules.preparation.arithmetic import is_nothing, operations_of
from agathis._rules.preparation.column_transforms import Line, transformed_by
from agathis._rules.preparation.preparation import Preparation
from agathis._trees.stepped import Operation


@dataclass(frozen=True)
class NumberColumn:
    """A raw number and the operations applied to it.

    Attributes
    ----------
    feature : int
        Index of the raw feature.
    operations : tuple of Operation
        In the order of application.
    """

    feature: int
    operations: tuple[Operation, ...] = ()

    def encode(self, X: np.ndarray) -> np.ndarray:
        values = np.asarray(X[:, self.feature], dtype=np.float64)
        for operation in self.operations:
            values = operation.of(values)
        return values


@dataclass(frozen=True)
class CategoryColumn:
    """A value for each category of a raw column.

    Attributes
    ----------
    values : tuple of (int, float)
        The raw 0/1 feature of each category, and the encoded value of that category.
    unknown, missing : float
        The encoded values of unknown categories and of missing values.
    """

    values: tuple[tuple[int, float], ...]
    unknown: float
    missing: float

    def encode(self, X: np.ndarray) -> np.ndarray:
        out = np.full(len(X), self.unknown)
        for feature, value in self.values:
            out[X[:, feature] == 1] = value
        out[np.isnan(X[:, self.values[0][0]])] = self.missing
        return out


@dataclass(frozen=True, eq=False)
class ComputedColumn:
    """A raw number after transformers that no operations express; it cannot be saved."""

    feature: int
    function: Callable[[np.ndarray], np.ndarray]
    why: str

    def encode(self, X: np.ndarray) -> np.ndarray:
        return self.function(X[:, self.feature])


@dataclass(frozen=True)
class Encoding:
    """The mapping from raw features to the columns of the fit.

    Attributes
    ----------
    columns : tuple
        The computation of each fitted column.
    steps : str
        The names of the transformers, for display.
    """

    columns: tuple[NumberColumn | CategoryColumn | ComputedColumn, ...]
    steps: str = ""

    def encode(self, X: np.ndarray) -> np.ndarray:
        """Encode rows as the fit did.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Raw features.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_columns)
        """
        out = np.empty((len(X), len(self.columns)))
        for i, column in enumerate(self.columns):
            out[:, i] = column.encode(X)
        return out

    @property
    def why_not_written(self) -> str | None:
        """The reason why a file cannot store it, or None."""
        reasons = (c.why for c in self.columns if isinstance(c, ComputedColumn))
        return next(reasons, None)


@dataclass(frozen=True)
class Unavailable:
    """Settings or an encoding that are not known, and the reason."""

    why: str


def encoding_of(prepared: Preparation, steps: str) -> Encoding:
    """The encoding computed by the steps before a tree."""
    features_of: dict[int, list[int]] = {}
    for f, feature in enumerate(prepared.features):
        features_of.setdefault(feature.source, []).append(f)
    columns: list[NumberColumn | CategoryColumn | ComputedColumn] = []
    for line in prepared.lines:
        features = features_of[line.source]
        if prepared.sources[line.source].is_number:
            columns.append(_number(line, features[0]))
        else:
            columns.append(_category(prepared, line, features))
    return Encoding(tuple(columns), steps)


def _number(line: Line, feature: int) -> NumberColumn | ComputedColumn:
    out: list[Operation] = []
    for link in line.links:
        operations = operations_of(link)
        if operations is None:
            why = f"{type(link.step).__name__} cannot be written as operations"
            return ComputedColumn(feature, partial(transformed_by, line), why)
        out += operations
    return NumberColumn(feature, tuple(one for one in out if not is_nothing(one)))


def _category(prepared: Preparation, line: Line, features: list[int]) -> CategoryColumn:
    values = prepared.category_values(line, features)
    missing = np.nan if values.missing is None else values.missing
    unknown = np.nan if values.unknown is None else values.unknown
    return CategoryColumn(tuple(values.known.items()), float(unknown), float(missing))
