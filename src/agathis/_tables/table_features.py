"""What features are made of the columns of a table, and what they are called.

A number is one feature, a category one for each of its values, and a part of a date one to cut and
two on its circle. All names are different, and none that was made is that of a column.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from agathis._tables import calendar
from agathis._tables.column_verdicts import Verdict
from agathis._tables.date_parts import CIRCLE, DatePart


@dataclass(frozen=True)
class Feature:
    """A feature that is made of a column.

    ``category`` is that of a column of 0 and 1, of a ``source``; ``when`` the part of a date that
    it is, if it is one.
    """

    name: str
    source: str
    kind: str
    category: object = None
    when: DatePart | None = None

    @property
    def circle(self) -> tuple[str, str] | None:
        """Of the sine and the cosine of a part their column and the part; else None."""
        if self.when is None or not self.when.circle:
            return None
        return self.when.column, self.when.part


def features_of(used: Sequence[Verdict], names: Collection[str] = ()) -> list[Feature]:
    """What is made of the columns that are used; ``names`` are those of all columns."""
    out: list[Feature] = []
    taken = {*names, *(verdict.name for verdict in used)}

    def new(name: str) -> str:
        # Another column may have that very name.
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    def made(name: str, when: DatePart) -> None:
        out.append(Feature(name, when.column, "number", when=when))
        if when.part in calendar.PARTS and calendar.PARTS[when.part].period is not None:
            for side in CIRCLE:
                turned = replace(when, circle=side)
                own = new(f"{name}{calendar.OF}{side}")
                out.append(Feature(own, when.column, "number", when=turned))

    for verdict in used:
        source = verdict.name
        if verdict.kind == "category":
            for category in verdict.categories:
                name = new(f"{source}_{'missing' if category is None else category}")
                out.append(Feature(name, source, "category", category))
        elif verdict.kind == "calendar":
            made(source, DatePart(source, verdict.parts[0], verdict.holds))
        elif verdict.kind == "date":
            for part in verdict.parts:
                name = new(f"{source}{calendar.OF}{part}")
                first, form = verdict.first_is_day, verdict.form
                made(name, DatePart(source, part, first_is_day=first, form=form))
        else:
            out.append(Feature(source, source, "number"))
    return out
