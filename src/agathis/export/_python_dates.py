"""Date parts in Python: code that extracts them from a date.

A date may be one of ``datetime`` or of pandas, whose NaT is not equal to itself, or a string of any
format that tables have: 2024-12-31 18:30, 31.12.2024, Dec 31, 2024. As in ``predict``, a string
that is no date is missing, and time zones are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agathis._columns.date_names import WORDS, numbers_of_names
from agathis._columns.scales import rank_numbers
from agathis._encoding.date_parts import DatePart

MONTHS = tuple(WORDS["month"][0].split())
#: The expression of each date part of a datetime x.
EXPRESSIONS = {
    "year": "{x}.year",
    "month": "{x}.month",
    "weekday": "{x}.isoweekday()",
    "hour": "getattr({x}, 'hour', 0)",
    # The ordinal of 1970-01-01.
    "days": "{x}.toordinal() - 719163",
}


def variable_of(x: str, when: DatePart) -> str:
    """The variable of a date part of ``x``."""
    return f"{x}_{when.part}"


def date_lines(x: str, parts: Sequence[DatePart]) -> Iterator[str]:
    """Convert a date to numbers; NaN if it is missing."""
    if any(when.circle for when in parts):
        raise ValueError(f"{parts[0].column!r} is split on by its position on a circle.")
    if parts[0].holds == "names":
        yield from _names(x, parts[0])
        return
    if parts[0].holds == "levels":
        ranks = rank_numbers(parts[0].levels)
        key = f'" ".join(str({x}).split()).lower()'
        yield f"    {variable_of(x, parts[0])} = {ranks!a}.get({key}, float('nan'))"
        return
    yield f"    if {x} != {x} or str({x}).strip().lower() in missing:"
    yield f"        {x} = None"
    yield f"    elif not hasattr({x}, 'toordinal'):"
    yield from (f"        {line}" for line in _of_text(x, parts[0].first_is_day))
    for when in parts:
        expression = EXPRESSIONS[when.part].format(x=x)
        yield f"    {variable_of(x, when)} = float('nan') if {x} is None else {expression}"


def _of_text(x: str, first_is_day: bool | None) -> Iterator[str]:
    """Parse a string as a datetime, or None."""
    day_first = "'/' not in text" if first_is_day is None else repr(first_is_day)
    yield "from datetime import datetime"
    yield f"text = str({x}).strip().lower()"
    yield "n = [int(k) for k in ''.join(c if c.isdigit() else ' ' for c in text).split()]"
    yield f"names = [i for i, name in enumerate({MONTHS!r}, 1) if name in text]"
    yield "n[1:1] = names[:1]"
    yield "try:"
    yield "    year, month, day = n[:3] if n[0] > 31 else n[2::-1]"
    yield f"    if n[0] <= 31 and not (names or {day_first}):"
    yield "        month, day = day, month"
    yield "    year += 0 if year > 99 else 2000 if year < 69 else 1900"
    yield "    hour = n[3] if ':' in text else 0"
    yield "    half = text.replace('.', '')[-2:]"
    yield "    hour = hour % 12 + 12 * (half == 'pm') if half in ('am', 'pm') else hour"
    yield f"    {x} = datetime(year, month, day, hour)"
    yield "except (IndexError, ValueError):"
    yield f"    {x} = None"


def _names(x: str, when: DatePart) -> Iterator[str]:
    """Map the names of months or weekdays to their numbers."""
    name = f"str({x}).strip().strip('.').lower()"
    numbers = numbers_of_names(when.part)
    yield f"    {variable_of(x, when)} = {numbers!r}.get({name}, float('nan'))"
