"""The role of a column, and the reasons for leaving one out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agathis._columns.errors import Note
from agathis._columns.number_notation import Notation
from agathis._columns.wording import shortened

#: Reasons for leaving out a column.
NO_NAME, EMPTY, IDENTIFIER = "it has no name", "it is empty", "it looks like an identifier"
TWICE = "two columns have that name"
DATES = "it holds dates or times"
CALENDAR = "it is part of a date or time"
CODE = "it holds codes, not quantities"
FREE_TEXT = "it is free text"
OWN_TEXT = "nearly all its values are unique"
MANY = "it has too many distinct values"
OTHER_TYPE = "it is neither numbers nor text"
CONSTANT = "its value is always"
SPARSE = "nearly all its values are missing"
#: Options that include a column that is left out.
KEEP, PARTS = "keep", "dates"


@dataclass(frozen=True)
class ColumnType:
    """The inferred role of a column.

    Attributes
    ----------
    name : str
    kind : str
        "number", "category" or "ordered", categories from low to high; "calendar", a column that
        holds a date part, or "date", from which parts are extracted; "out", left out; or "problem".
    why : str
        Why it is left out, or what the problem is.
    advice : tuple
        Solutions of a problem, as parts of a message.
    way : str
        The argument that includes a column that is left out, if any.
    has_few_values : bool
        Whether ``categorical`` would solve a problem.
    categories : tuple
        Sorted categories; None stands for missing values.
    n_other : int
        The number of distinct values that are merged into the category "other".
    parts : tuple of str
        The parts to extract from a date, or the part that a column holds.
    na_values : tuple of str
        Strings among numbers that are treated as missing.
    notation : Notation, optional
        Of numbers stored as strings.
    first_is_day : bool, optional
        Of dates stored as strings, whether 3/4 is the third of April.
    form : str
        Format of dates stored as strings: one of ``datetimes.FORMS``.
    holds : {"numbers", "names"}
        Representation of a date part.
    otherwise : ColumnType, optional
        The role to use instead of a problem unless ``strict``.
    shown : bool
        Whether it is for display only and gives no features.
    spellings : mapping of str to str
        Strings of a category that are other spellings of another one, which they were merged with.
    evidence : str
        Why the values are taken for the kind that they hold.
    holds_kind : str
        What the values are: quantity, count, ordered, category, code, identifier, date, free text
        or outcome-like.
    doubts : tuple of Note
    """

    name: str
    kind: str
    why: str = ""
    advice: tuple[object, ...] = ()
    way: str = ""
    has_few_values: bool = False
    categories: tuple[object, ...] = ()
    n_other: int = 0
    parts: tuple[str, ...] = ()
    na_values: tuple[str, ...] = ()
    notation: Notation | None = None
    first_is_day: bool | None = None
    form: str = ""
    holds: Literal["numbers", "names"] = "numbers"
    otherwise: ColumnType | None = None
    shown: bool = False
    spellings: Mapping[str, str] = field(default_factory=dict)
    evidence: str = ""
    holds_kind: str = ""
    doubts: tuple[Note, ...] = ()

    @property
    def is_used(self) -> bool:
        return self.kind not in ("out", "problem") and not self.shown


def examples(strings: list[str]) -> str:
    return ", ".join(repr(shortened(string, 30)) for string in strings[:3]) + (
        ", ..." if strings[3:] else ""
    )
