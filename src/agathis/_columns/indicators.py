"""One-hot encoding, the same for data frames and files.

Values are compared as strings, the only form they have in a file: 2.0 matches the category 2, and
booleans match their various spellings. A row with a missing value is missing in all columns of the
feature, unless missing is a category.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agathis._columns.missing_values import BOOLEANS
from agathis._columns.spellings import spellings_of, squeezed


def word(value: object) -> str | None:
    """Convert a value to a string; None if it is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def indicators(strings: Sequence[str | None], categories: Sequence[object]) -> np.ndarray:
    """Return a column of 0 and 1 for each category."""
    position = {word(category): i for i, category in enumerate(categories)}
    out = np.zeros((len(strings), len(categories)))
    index = np.array([position.get(string, -1) for string in strings], dtype=np.intp)
    rows = np.flatnonzero(index >= 0)
    out[rows, index[rows]] = 1.0
    if None not in position:
        out[[string is None for string in strings]] = np.nan
    return out


def encoded(
    strings: Sequence[str | None], categories: Sequence[object]
) -> tuple[np.ndarray, list[str]]:
    """Return the columns of the categories, and unknown categories, one entry per row."""
    strings = respelled(strings, categories)
    booleans = [category for category in categories if category is not None]
    if not booleans or not all(isinstance(category, bool) for category in booleans):
        return _with_unseen(strings, indicators(strings, categories))
    # An encoder may keep one of two binary values; the other is not unknown.
    strings = [None if string is None else _truth(string) for string in strings]
    every: list[object] = [True, False, *[None] * (None in categories)]
    made, unseen = _with_unseen(strings, indicators(strings, every))
    return made[:, [every.index(category) for category in categories]], unseen


def respelled(strings: Sequence[str | None], categories: Sequence[object]) -> Sequence[str | None]:
    """Replace other spellings of the categories by the categories."""
    exact = {word(category) for category in categories}
    odd = {string for string in strings if string is not None and string not in exact}
    if not odd:
        return strings
    known = spellings_of(categories) | {string: string for string in exact if string is not None}
    same = {string: known[squeezed(string)] for string in odd if squeezed(string) in known}
    return [same.get(string, string) if string in odd else string for string in strings]


def _with_unseen(strings: Sequence[str | None], made: np.ndarray) -> tuple[np.ndarray, list[str]]:
    # A missing value is NaN in all columns, unless it is a category.
    unseen = (strings[i] for i in np.flatnonzero(made.sum(axis=1) == 0).tolist())
    return made, [string for string in unseen if string is not None]


def _truth(text: str) -> str:
    text = text.strip().lower()
    return next((str(word(truth)) for truth, forms in BOOLEANS.items() if text in forms), text)
