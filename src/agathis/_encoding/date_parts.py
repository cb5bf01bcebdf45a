"""The definition of features that are date parts, "joined: month" of "joined", or ranks of levels.

Rows for a tree are computed from it, and exports translate it to SQL and other languages.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from agathis._columns import datetimes
from agathis._columns.date_names import WORDS

#: The two coordinates of a point on a circle.
CIRCLE: tuple[Literal["sin"], Literal["cos"]] = ("sin", "cos")


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
        For ordered levels "rank".
    holds : {"dates", "numbers", "names", "levels"}
        Contents of the column.
    circle : {"", "sin", "cos"}
        The coordinate on the circle, or empty for the part itself.
    first_is_day : bool, optional
        Of dates stored as strings, whether 3/4 is the third of April.
    form : str
        Format of dates stored as strings: one of ``datetimes.FORMS``; else empty.
    levels : tuple of str
        Ordered levels from low to high, whose ranks are 1, 2 and so on.
    """

    column: str
    part: str
    holds: Literal["dates", "numbers", "names", "levels"] = "dates"
    circle: Literal["", "sin", "cos"] = ""
    first_is_day: bool | None = None
    form: str = ""
    levels: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise ValueError if a column of this kind has no such part, or the part no circle."""
        parts = {
            "dates": datetimes.MADE,
            "numbers": datetimes.PARTS,
            "names": WORDS,
            "levels": ("rank",),
        }
        if self.part not in parts[self.holds]:
            raise ValueError(f"{self.part!r} is not a date part of a column of {self.holds!r}")
        known = datetimes.PARTS.get(self.part)
        if self.circle and (known is None or known.period is None):
            raise ValueError(f"{self.part!r} has no circle")
        if self.form not in ("", *datetimes.FORMS):
            raise ValueError(f"{self.form!r} is not a date format")
        if bool(self.levels) != (self.holds == "levels"):
            raise ValueError(f"a column of {self.holds!r} has the levels {self.levels!r}")

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
