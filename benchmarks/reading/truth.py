"""A file as people have it, with what it says: rows, columns, values, kinds, groups."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass(frozen=True, eq=False)
class ReadingFile:
    """A file and the truth about it.

    Attributes
    ----------
    name : str
        Of the file; the suffix says the format.
    item : str
        What is odd about it, in a word or two; "clean" for nothing.
    table : DataFrame
        The table as it is meant: numbers as numbers, dates as dates, one spelling of each category,
        None where a value is missing.
    kinds : dict of str to str
        The kind of each column, and others that are as right after ``|``.
    write : callable
        Writes the file to a path.
    groups : ndarray, optional
        The group of each row, which a fit without options is meant to find.
    exact : tuple of str
        Columns whose kind must be told exactly: they are the point of the file.
    noted : tuple of str
        Columns that a note must name.
    also : dict of str to tuple of str
        Other names that are as right for a column.
    has_names : bool
        Whether the file says the names of columns; if not, they are compared by position.
    any_unit : tuple of str
        Columns whose values are right up to a factor: hours or minutes, 12 % or 0.12.
    """

    name: str
    item: str
    table: pd.DataFrame
    kinds: Mapping[str, str]
    write: Callable[[Path], None]
    groups: np.ndarray | None = None
    exact: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_names: bool = True
    any_unit: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if list(self.kinds) != list(self.table):
            raise ValueError(f"{self.name}: kinds of {list(self.kinds)}, not {list(self.table)}.")

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing about the file that deserves a note."""
        return self.item == "clean"

    def accepted(self, column: str) -> tuple[str, ...]:
        """The right kinds of a column."""
        return tuple(self.kinds[column].split("|"))

    def names_of(self, column: str) -> set[str]:
        """The right names of a column, as ``plain_name`` gives them."""
        return {plain_name(one) for one in (column, *self.also.get(column, ()))}


def plain_name(name: str) -> str:
    """A name without the signs that join words: ``address.city`` is ``address_city``.

    >>> plain_name("Address.City ")
    'address city'
    """
    return re.sub(r"[\W_]+", " ", name).strip().lower()
