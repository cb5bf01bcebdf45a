"""Categories as columns of 0 and 1: one way for data frames and for the command line.

Values are compared as words, since a file has nothing else: 2.0 is the category 2, and a truth
may be written in several ways. A row that misses its value misses all columns of its source,
unless to be missing is a category of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agathis._tables.missing_marks import TRUTHS


def word(value: object) -> str | None:
    """A value as text; None where it is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def indicators(words: Sequence[str | None], categories: Sequence[object]) -> np.ndarray:
    """A column of 0 and 1 for each category."""
    place = {word(category): i for i, category in enumerate(categories)}
    out = np.zeros((len(words), len(categories)))
    found = np.array([place.get(each, -1) for each in words], dtype=np.intp)
    rows = np.flatnonzero(found >= 0)
    out[rows, found[rows]] = 1.0
    if None not in place:
        out[[each is None for each in words]] = np.nan
    return out


def encoded(
    words: Sequence[str | None], categories: Sequence[object]
) -> tuple[np.ndarray, list[str]]:
    """The columns of the categories, and the words that are none of them, row by row."""
    truths = [category for category in categories if category is not None]
    if not truths or not all(isinstance(category, bool) for category in truths):
        return _with_unseen(words, indicators(words, categories))
    # An encoder may have kept one of the two: the other is no news.
    words = [None if each is None else _truth(each) for each in words]
    every: list[object] = [True, False, *[None] * (None in categories)]
    made, unseen = _with_unseen(words, indicators(words, every))
    return made[:, [every.index(category) for category in categories]], unseen


def _with_unseen(words: Sequence[str | None], made: np.ndarray) -> tuple[np.ndarray, list[str]]:
    # Where a value is missing the columns have NaN, or a category of its own.
    unseen = (words[i] for i in np.flatnonzero(made.sum(axis=1) == 0).tolist())
    return made, [each for each in unseen if each is not None]


def _truth(text: str) -> str:
    text = text.strip().lower()
    return next((str(word(truth)) for truth, forms in TRUTHS.items() if text in forms), text)
