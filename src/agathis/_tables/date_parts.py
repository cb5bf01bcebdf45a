"""How a feature is made of a column that says when: "joined: month" of "joined".

Whoever has the raw table, a database or a later data frame, makes the same number of it: rows for
a tree find it here, and exports write it down in their language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agathis._tables import calendar
from agathis._tables.calendar_words import WORDS

#: The two sides of a point on a circle.
CIRCLE = ("sin", "cos")


@dataclass(frozen=True)
class DatePart:
    """A number that is made of a column of dates, or of parts of dates.

    Attributes
    ----------
    column : str
        The column of the raw table.
    part : str
        "year", "month", "weekday" (Monday is 1), "hour" or "days" since 1970; of a column that
        holds a part already any of ``calendar.PARTS``.
    holds : {"dates", "numbers", "names"}
        What is in the column.
    circle : {"", "sin", "cos"}
        Where the part stands on its circle, instead of the part itself.
    first_is_day : bool, optional
        Of dates that are texts, whether 3/4 is a day of April.
    form : str
        Of dates that are texts, how they are written: one of ``calendar.FORMS``; else empty.
    """

    column: str
    part: str
    holds: str = "dates"
    circle: str = ""
    first_is_day: bool | None = None
    form: str = ""

    @property
    def is_made(self) -> bool:
        """Whether it is anything but the number in the column."""
        return self.holds != "numbers" or bool(self.circle)

    def turned(self, values: np.ndarray) -> np.ndarray:
        """The part, or its place on the circle."""
        if not self.circle:
            return values
        sine, cosine = calendar.circle(values, self.part)
        return sine if self.circle == "sin" else cosine

    def plain(self) -> dict[str, object]:
        """What JSON holds; as little as tells it."""
        found = {**asdict(self)}
        default = DatePart(self.column, self.part)
        return {
            key: value
            for key, value in found.items()
            if key in ("column", "part") or value != getattr(default, key)
        }


def date_part_of(found: object) -> DatePart:
    """What ``plain`` gave; ValueError says what else it is.

    >>> date_part_of({"column": "joined", "part": "month"})
    DatePart(column='joined', part='month', holds='dates', circle='', first_is_day=None, form='')
    """
    if not isinstance(found, Mapping) or not set(found) <= set(DatePart.__dataclass_fields__):
        raise ValueError(f"{found!r} is no part of a date")
    given: dict[str, Any] = dict(found)
    if not isinstance(given.get("column"), str):
        raise ValueError(f"{given.get('column')!r} is no name of a column of dates")
    holds = given.get("holds", "dates")
    circle = given.get("circle", "")
    known = {
        "dates": calendar.MADE,
        "numbers": tuple(calendar.PARTS),
        "names": tuple(WORDS),
    }
    if not isinstance(holds, str) or given.get("part") not in known.get(holds, ()):
        raise ValueError(f"{given.get('part')!r} is no part that a column of {holds!r} has")
    turns = given["part"] in calendar.PARTS and calendar.PARTS[given["part"]].period is not None
    if circle not in (("", *CIRCLE) if turns else ("",)):
        raise ValueError(f"{circle!r} is no side of the circle of {given['part']!r}")
    if not isinstance(given.get("first_is_day"), (bool, type(None))):
        raise ValueError(f"first_is_day is {given['first_is_day']!r}, not true or false")
    if given.get("form", "") not in ("", *calendar.FORMS):
        raise ValueError(f"{given['form']!r} is no form of dates")
    return DatePart(**given)
