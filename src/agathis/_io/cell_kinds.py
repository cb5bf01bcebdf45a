"""Kinds of single cells: number, date, text, a mark for a missing value, or empty.

They tell a header from rows, and rows from notes below them; the values of a column are parsed
elsewhere.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from numbers import Number
from typing import Any

from agathis._columns.missing_values import NO_NUMBERS

NUMBER, DATE, TEXT, MARK, EMPTY = "number", "date", "text", "mark", ""
MARKS = {*NO_NUMBERS, "-", "--", "?", ".", "..", "n.a.", "k.a.", "x", "missing", "#div/0!", "#ref!"}
_UNIT = r"(?:[€$£¥%‰]|EUR|USD|GBP|CHF)"
_NUMBER = re.compile(
    rf"[(\[]?\s*[-+]?\s*{_UNIT}?\s*[-+]?(?:\d[\d.,'\u2019 \u00a0\u202f]*|[.,]\d+)"
    rf"(?:[eE][-+]?\d+)?\s*{_UNIT}?\s*[)\]]?[-*]?|[-+]?inf",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([T ]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"
)
SUMS = (
    "grand total|sub-?total|totals?|sum|sums|overall|gesamt|gesamtsumme|gesamtergebnis|summe|"
    "zwischensumme|insgesamt|somme|total général|sous-total|totale|suma|total general|totaal|"
    "average|avg|mean|median|durchschnitt|mittelwert|mittel|moyenne|media|promedio|gemiddelde|Σ|Ø"
)
TOTAL = re.compile(rf"({SUMS})\s*(\(.*\))?\s*[:=]?|.*\s(total|subtotal|ergebnis)", re.IGNORECASE)
#: The word of a totals row is in one of the first so many cells.
FIRST_CELLS = 3


def text_of(cell: Any) -> str:
    """A cell as a string without spaces around it."""
    return "" if cell is None else str(cell).strip()


def kind_of(cell: Any) -> str:
    """The kind of a cell of text or of a spreadsheet.

    >>> [kind_of(cell) for cell in ("1.234,5 €", "2024-02-01", "n/a", " ", "Total", 3, None)]
    ['number', 'date', 'mark', '', 'text', 'number', '']
    """
    if isinstance(cell, bool):
        return TEXT
    if isinstance(cell, Number):
        return NUMBER
    if isinstance(cell, (datetime.date, datetime.time, datetime.timedelta)):
        return DATE
    text = text_of(cell)
    if not text:
        return EMPTY
    if text.lower() in MARKS:
        return MARK
    if _DATE.fullmatch(text):
        return DATE
    return NUMBER if _NUMBER.fullmatch(text) else TEXT


def kind_of_column(cells: Iterable[Any]) -> str:
    """The kind of at least four of five known cells; text if there is none.

    >>> kind_of_column(["1", "?", "2"]), kind_of_column(["a", "1"]), kind_of_column(["", "-"])
    ('number', 'text', '')
    """
    kinds = Counter(map(kind_of, cells))
    known = sum(kinds[kind] for kind in (NUMBER, DATE, TEXT))
    if not known:
        return EMPTY
    if kinds[NUMBER] + kinds[DATE] < 0.8 * known:
        return TEXT
    return NUMBER if kinds[NUMBER] >= kinds[DATE] else DATE


def sum_word(cells: Sequence[Any]) -> int | None:
    """The position of the word with which a totals row begins, or None.

    >>> sum_word(["", "Grand total:", 7]), sum_word(["Rome", "Total", 7])
    (1, None)
    """
    for j, cell in enumerate(cells[:FIRST_CELLS]):
        if text := text_of(cell):
            return j if TOTAL.fullmatch(text) else None
    return None
