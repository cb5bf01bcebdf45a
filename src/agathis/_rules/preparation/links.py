"""Lines: the way of each raw column through the steps to a feature of the tree.

Values go along a line by the ``transform`` of the steps themselves, so that every last bit is what
the model saw. A step takes a whole table: the values stand in the column of the line, and something
harmless in the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, PowerTransformer


@dataclass(frozen=True)
class Link:
    """A step on the way of a column.

    Attributes
    ----------
    step : fitted transformer
    width : int
        Columns of the table that the step takes.
    enters, leaves : int
        The place of the column in that table, and in what the step makes of it.
    sign : {1, -1}
        -1 where larger values become smaller.
    asks : bool
        Whether what leaves says only that the value was missing.
    """

    step: Any
    width: int
    enters: int
    leaves: int
    sign: int = 1
    asks: bool = False


@dataclass(frozen=True)
class Line:
    """The way of one raw column to a feature; ``source`` is its place in the raw table."""

    source: int
    links: tuple[Link, ...] = ()

    def then(self, link: Link) -> Line:
        return Line(self.source, (*self.links, link))

    @property
    def sign(self) -> int:
        return int(np.prod([link.sign for link in self.links], dtype=int))

    @property
    def steps(self) -> tuple[int, ...]:
        """The same for lines that go through the same steps."""
        return tuple(id(link.step) for link in self.links)


class Times:
    """The step of ``transformer_weights``: a factor for all columns."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def transform(self, X: np.ndarray) -> np.ndarray:
        return X * self.factor


class Is:
    """The step of a column of 0 and 1 that was made by other means than scikit-learn's.

    1 for the category; missing values stay so, unless they are ``closed``, a category of their own.
    """

    def __init__(self, category: object, closed: bool) -> None:
        self.category = category
        self.closed = closed

    def transform(self, X: np.ndarray) -> np.ndarray:
        found = [
            float("nan") if value is None and not self.closed else float(value == self.category)
            for value in X[:, 0]
        ]
        return np.array(found)[:, None]


def carried(lines: Sequence[Line], values: np.ndarray) -> np.ndarray:
    """What becomes of values along lines that go through the same steps.

    Parameters
    ----------
    lines : sequence of Line
    values : ndarray of shape (n_values, n_lines)
        Of float64, or objects up to the step that encodes them.

    Returns
    -------
    carried : ndarray of shape (n_values, n_lines)
        Known values that a step has no answer to, such as logarithms of negative numbers, are
        -inf: all such steps have their domain at the upper end.
    """
    for links in zip(*(line.links for line in lines), strict=True):
        step = links[0].step
        numbers = values.dtype.kind != "O"
        known = ~np.isnan(values) if numbers else np.ones(values.shape, dtype=bool)
        if isinstance(step, PowerTransformer) and step.method == "box-cox":
            outside = known & (values <= 0)
            values = np.where(outside, 1.0, values)
        else:
            outside = np.zeros(values.shape, dtype=bool)
        table = np.empty((len(values), links[0].width), dtype=values.dtype)
        table[:] = _harmless(step, values.dtype)
        table[:, [link.enters for link in links]] = values
        values = transformed(step, table)[:, [link.leaves for link in links]]
        if numbers:
            outside |= known & np.isnan(values)
            values[outside] = -np.inf
    return values


def transformed(step: Any, table: np.ndarray) -> np.ndarray:
    """A table as a step gives it, as an array; infinite values are let through."""
    # Names and unknown categories are told to whoever predicts; numbers at the ends of float64
    # overflow, which is as good as a large one.
    with (
        config_context(assume_finite=True),
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        out = step.transform(table)
    out = out.toarray() if sparse.issparse(out) else np.asarray(out)
    return out if out.dtype.kind == "O" else out.astype(np.float64)


def _harmless(step: Any, dtype: np.dtype) -> object:
    """Values for the other columns, which the step takes without an error."""
    if dtype.kind != "O":
        return 1.0
    if isinstance(step, (OneHotEncoder, OrdinalEncoder)):
        out = np.empty(len(step.categories_), dtype=object)
        out[:] = [categories[0] for categories in step.categories_]
        return out
    if isinstance(step, SimpleImputer):
        return np.asarray(step.statistics_, dtype=object)
    return ""
