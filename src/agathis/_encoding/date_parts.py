"""The definition of features that are date parts: "joined: month" of "joined".

Rows for a tree are computed from it, and exports translate it to SQL and other languages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agathis._columns import datetimes
from agathis._columns.date_names import WORDS

#: The two coordinates of a point on a circle.
CIRCLE = ("sin", "cos")


@dataclass(frozen=True)
class DatePart:
    """A feature extracted from a column of dates or date parts.

    Attributes
    ----------
    column : str
        The column of the raw table.
    part : str
        "year", "month", "weekday" (Monday is 1), "hour" or "days" since 1970; for a column that
        holds a part, any of ``datetimes.PARTS``.
    holds : {"dates", "numbers", "names"}
        Contents of the column.
    circle : {"", "sin", "cos"}
        The coordinate on the circle, or empty for the part itself.
    first_is_day : bool, optional
        Of dates stored as strings, whether 3/4 is the third of April.
    form : str
        Format of dates stored as strings: one of ``datetimes.FORMS``; else empty.
    """

    column: str
    part: str
    holds: str = "dates"
    circle: str = ""
    first_is_day: bool | None = None
    form: str = ""

    @property
    def is_made(self) -> bool:
        """Whether it differs from the number in the column."""
        return self.holds != "numbers" or bool(self.circle)

    def turned(self, values: np.ndarray) -> np.ndarray:
        """The part, or its coordinate on the circle."""
        if not self.circle:
            return values
        sine, cosine = datetimes.circle(values, self.part)
        return sine if self.circle == "sin" else cosine

    def plain(self) -> dict[str, object]:
        """Convert to JSON types, without default values."""
        values = {**asdict(self)}
        default = DatePart(self.column, self.part)
        return {
            key: value
            for key, value in values.items()
            if key in ("column", "part") or value != getattr(default, key)
        }


def date_part_of(data: object) -> DatePart:
    """Restore from the result of ``plain``; raise ValueError if it is invalid.

    >>> date_part_of({"column": "joined", "part": "month"})
    DatePart(column='joined', part='month', holds='dates', circle='', first_is_day=None, form='')
    """
    if not isinstance(data, Mapping) or not set(data) <= set(DatePart.__dataclass_fields__):
        raise ValueError(f"{data!r} is not a date part")
    given: dict[str, Any] = dict(data)
    if not isinstance(given.get("column"), str):
        raise ValueError(f"{given.get('column')!r} is not the name of a date column")
    holds = given.get("holds", "dates")
    circle = given.get("circle", "")
    known = {
        "dates": datetimes.MADE,
        "numbers": tuple(datetimes.PARTS),
        "names": tuple(WORDS),
    }
    if not isinstance(holds, str) or given.get("part") not in known.get(holds, ()):
        raise ValueError(f"{given.get('part')!r} is not a date part of a column of {holds!r}")
    turns = given["part"] in datetimes.PARTS and datetimes.PARTS[given["part"]].period is not None
    if circle not in (("", *CIRCLE) if turns else ("",)):
        raise ValueError(f"{circle!r} is not a coordinate on the circle of {given['part']!r}")
    if not isinstance(given.get("first_is_day"), (bool, type(None))):
        raise ValueError(f"first_is_day is {given['first_is_day']!r}, not true or false")
    if given.get("form", "") not in ("", *datetimes.FORMS):
        raise ValueError(f"{given['form']!r} is not a date format")
    return DatePart(**given)
