"""Lines: the sequence of steps from a raw column to a feature of the tree.

Values pass through the ``transform`` of the steps themselves, so that results are those of the fit
to the last bit. A step takes a whole table: the other columns get a placeholder.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, PowerTransformer


@dataclass(frozen=True)
class Link:
    """One step of a line.

    Attributes
    ----------
    step : fitted transformer
    width : int
        The number of input columns of the step.
    input_column, output_column : int
        The index of the column in the input and in the output of the step.
    sign : {1, -1}
        -1 if the step is decreasing.
    """

    step: Any
    width: int
    input_column: int
    output_column: int
    sign: int = 1


@dataclass(frozen=True)
class Line:
    """The steps from a raw column to a feature; ``source`` is the index of the raw column."""

    source: int
    links: tuple[Link, ...] = ()

    def then(self, link: Link) -> Line:
        return Line(self.source, (*self.links, link))

    @property
    def sign(self) -> int:
        return int(np.prod([link.sign for link in self.links], dtype=int))


class Times:
    """The step of ``transformer_weights``: multiply all columns by a factor."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def transform(self, X: np.ndarray) -> np.ndarray:
        return X * self.factor


class Is:
    """The step from a raw category to a column of 0 and 1, for encoders of raw tables.

    Missing values stay missing, unless they are a category (``closed``).
    """

    def __init__(self, category: object, closed: bool) -> None:
        self.category = category
        self.closed = closed

    def transform(self, X: np.ndarray) -> np.ndarray:
        out = [
            float("nan") if value is None and not self.closed else float(value == self.category)
            for value in X[:, 0]
        ]
        return np.array(out)[:, None]


def transformed_by(line: Line, values: np.ndarray) -> np.ndarray:
    """Transform values by the steps of a line.

    Parameters
    ----------
    line : Line
    values : ndarray of shape (n_values,)
        Numbers, or objects up to the step that encodes them.

    Returns
    -------
    values : ndarray of shape (n_values,)
        Known values outside of the domain of a step, such as logarithms of negative numbers, are
        -inf: all domains are bounded below.
    """
    values = np.asarray(values)
    values = values if values.dtype.kind == "O" else values.astype(np.float64)
    for link in line.links:
        step, is_number = link.step, values.dtype.kind != "O"
        known = ~np.isnan(values) if is_number else np.ones(len(values), dtype=bool)
        outside = np.zeros(len(values), dtype=bool)
        if isinstance(step, PowerTransformer) and step.method == "box-cox":
            outside = known & (values <= 0)
            values = np.where(outside, 1.0, values)
        table = np.empty((len(values), link.width), dtype=values.dtype)
        table[:] = _placeholder(step, values.dtype)
        table[:, link.input_column] = values
        values = _transformed(step, table)[:, link.output_column]
        if is_number:
            values = np.where(outside | (known & np.isnan(values)), -np.inf, values)
    return values


def _transformed(step: Any, table: np.ndarray) -> np.ndarray:
    """Transform a table to an array without warnings; infinite values are accepted."""
    # Warnings about names and unknown categories are for ``predict``; the largest float64 numbers
    # overflow to infinity, which has the same order.
    with (
        config_context(assume_finite=True),
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        out = step.transform(table)
    out = out.toarray() if sparse.issparse(out) else np.asarray(out)
    return out if out.dtype.kind == "O" else out.astype(np.float64)


def _placeholder(step: Any, dtype: np.dtype) -> object:
    """Return values for the other columns that the step accepts."""
    if dtype.kind != "O":
        return 1.0
    if isinstance(step, (OneHotEncoder, OrdinalEncoder)):
        out = np.empty(len(step.categories_), dtype=object)
        out[:] = [categories[0] for categories in step.categories_]
        return out
    if isinstance(step, SimpleImputer):
        return np.asarray(step.statistics_, dtype=object)
    return ""
