"""Dates and date parts.

Dates are expanded into year, month, weekday, hour and days. Columns that already hold such a part
(a month from 1 to 12, "Monday") are recognised by name and values. Trees split on cyclical parts
(month, weekday, hour) as numbers; the objective sees them as points on a circle, so that December
lies beside January.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from agathis._columns.date_names import SHORT, WORDS
from agathis._columns.outliers import outliers

if TYPE_CHECKING:
    import pyarrow as pa

#: Between a column and its date part in the name of a feature: "joined: month".
OF = ": "
#: Dates that span fewer days than this get no parts, which would follow the order of the rows.
YEAR_DAYS, LONG_DAYS = 365, 730


@dataclass(frozen=True)
class Part:
    """A date part: its range, and its period if it is cyclical."""

    low: int
    high: int
    period: int | None
    names: tuple[str, ...]


MONTH_NAMES = (
    *("month", "mon", "mnth", "mth", "monthofyear", "monthnum", "monthnumber"),
    *("monat", "mois", "mes"),
)
PARTS = {
    "year": Part(1000, 2200, None, ("year", "yr", "jahr", "annee", "année", "año")),
    "quarter": Part(1, 4, 4, ("quarter", "qtr", "quartal")),
    "month": Part(1, 12, 12, MONTH_NAMES),
    "day of the year": Part(1, 366, 366, ("dayofyear", "doy", "yday", "julianday")),
    "week": Part(0, 53, 52, ("week", "weekofyear", "weeknumber", "kw")),
    "day": Part(1, 31, 31, ("day", "dayofmonth", "dom", "tag")),
    "weekday": Part(0, 7, 7, ("weekday", "dayofweek", "dow", "wday", "wochentag")),
    "hour": Part(0, 24, 24, ("hour", "hr", "hourofday", "stunde", "heure")),
    "minute": Part(0, 59, 60, ("minute",)),
    "second": Part(0, 60, 60, ("second",)),
}
#: Date parts that are extracted from dates.
MADE = ("year", "month", "weekday", "hour", "days")
#: A year named with one of these is when a record was made; "year built" is a property.
OF_RECORDS = {
    "calendar", "data", "fiscal", "record", "recorded", "reporting", "report", "sale", "sales",
    "order", "survey", "sample", "sampling", "observation", "obs", "study", "season", "test",
    "trip", "travel",
}  # fmt: skip
#: After one of these a name is a frequency or a duration, not a date: "visits per month".
RATES = frozenset(("per", "a", "each", "every", "last", "in", "of", "to", "until", "since"))
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[^0-9A-Za-z\u00c0-\uffff]+")
#: Names of epoch columns, in seconds or milliseconds since 1970; values must be of 1980 to 2100.
_STAMP_NAME = re.compile(r"(?i)(.*[^a-z])?(timestamp|epoch|unixtime|ts|at)|.*[a-z](At|Timestamp)")
STAMPS = (315_532_800, 4_102_444_800)
_TIME_NAME = re.compile(r"(?i)(^|.*[^a-z])(time|clock)|.*[a-z](Time|Clock)")


def part_of_name(name: str) -> str | None:
    """Return the date part that a column name denotes, or None.

    >>> part_of_name("dep_hour"), part_of_name("dayOfWeek"), part_of_name("year_built")
    ('hour', 'weekday', None)
    """
    words = [word.lower() for word in _CAMEL.split(name) if word]
    for n in range(min(3, len(words)), 0, -1):
        last, before = "".join(words[-n:]), words[:-n]
        if before and before[-1] in RATES:
            return None
        part = next((part for part, known in PARTS.items() if last in known.names), None)
        if part is not None and (part != "year" or OF_RECORDS.issuperset(before)):
            return part
    return None


def part_of_numbers(name: str, known: np.ndarray) -> str | None:
    """Return the date part of numbers, by column name and values; "clock" is a time such as 1745.

    >>> part_of_numbers("month", np.array([1.0, 12])), part_of_numbers("month", np.array([40.0]))
    ('month', None)
    >>> part_of_numbers("month", np.array([1.0, 2, 3, 4, 5, 6000]))
    'month'
    >>> part_of_numbers("dep_time", np.array([517.0, 1559]))
    'clock'
    """
    if not len(known) or not (known == np.floor(known)).all():
        return None
    low, high = known.min(), known.max()
    part = part_of_name(name)
    if part is not None:
        outside = (known < PARTS[part].low) | (known > PARTS[part].high)
        # An outlier must not turn a month into a quantity.
        return None if outside.any() and (outside & ~outliers(known[:, None])[:, 0]).any() else part
    if _TIME_NAME.fullmatch(name) and low >= 0 and 1000 <= high <= 2400:
        return "clock" if (known % 100 < 60).all() else None
    return None


def are_datetimes(name: str, known: np.ndarray) -> bool:
    """Whether integers are dates such as 20230514, times included, or seconds since 1970.

    >>> are_datetimes("sold", np.array([20230514.0, 20240131])), are_datetimes("sold",
    ...     np.array([7.0]))
    (True, False)
    >>> are_datetimes("created_at", np.array([1.7e9, 1.6e9])), are_datetimes("price",
    ...     np.array([1.7e9]))
    (True, False)
    """
    if len(known) < 2 or not (known == np.floor(known)).all():
        return False
    for beside in (1, 100, 10_000, 1_000_000):  # seconds, minutes and hours may follow
        day = known // beside
        year, month = day // 10_000, day // 100 % 100
        if (
            ((year >= 1900) & (year <= 2100) & (month >= 1) & (month <= 12)).all()
            and ((day % 100 >= 1) & (day % 100 <= 31)).all()
            and (beside == 1 or (known % 100 < 60).all())
        ):
            return True
    low, high = known.min(), known.max()
    since = any(STAMPS[0] * unit <= low and high <= STAMPS[1] * unit for unit in (1, 1000))
    return since and _STAMP_NAME.fullmatch(name) is not None


def part_of_words(strings: Iterable[str], fewest: int = 2) -> str | None:
    """Return the date part of names of weekdays or months, or None.

    A single name is ambiguous ("May"), unless ``fewest`` is 1.

    >>> part_of_words(["Thur", "Sun"]), part_of_words(["May", "Bob"])
    ('weekday', None)
    """
    words = [_short(string) for string in strings]
    for part, lists in WORDS.items():
        if len(words) >= fewest and any(set(words) <= set(one.split()) for one in lists):
            return part
    return None


def number_of_word(part: str, string: str) -> float:
    """Return the number of a weekday or month (Monday and January are 1), NaN for other strings.

    >>> number_of_word("month", "December")
    12.0
    """
    name = _short(string)
    numbers = (one.split().index(name) + 1 for one in WORDS[part] if name in one.split())
    return float(next(numbers, np.nan))


def _short(string: str) -> str:
    word = string.strip().strip(".").lower()
    return SHORT.get(word, word)


def circle(values: np.ndarray, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Map values of a cyclical part to their angles on the circle."""
    period = PARTS[part].period
    assert period is not None, f"{part} is not cyclical"
    angle = 2 * np.pi * values / period
    return np.sin(angle), np.cos(angle)


def parts_to_make(moments: np.ndarray) -> list[str]:
    """Choose the parts to extract from dates: short spans have days and no year."""
    known = moments[~np.isnat(moments)]
    if not len(known):
        return []
    span = (known.max() - known.min()) / np.timedelta64(1, "D")
    out = ["year"] if span >= LONG_DAYS else ["days"]
    out += ["month"] if span >= YEAR_DAYS else []
    out += ["weekday", "hour"] if span >= 7 else ["hour"]
    return [part for part in out if len(np.unique(made(known, part))) > 1]


def made(moments: np.ndarray, part: str) -> np.ndarray:
    """Extract a date part as numbers; NaN where the date is missing.

    >>> when = np.array(["2024-12-31T18:30", "NaT"], dtype="datetime64[us]")
    >>> [made(when, part)[0].item() for part in MADE]
    [2024.0, 12.0, 2.0, 18.0, 20088.0]
    """
    days = moments.astype("datetime64[D]")
    months = moments.astype("datetime64[M]")
    values = {
        "year": lambda: moments.astype("datetime64[Y]").astype(np.int64) + 1970,
        "month": lambda: months.astype(np.int64) % 12 + 1,
        # 1 January 1970 was a Thursday.
        "weekday": lambda: (days.astype(np.int64) + 3) % 7 + 1,
        "hour": lambda: (moments - days).astype("timedelta64[h]").astype(np.int64),
        "days": lambda: days.astype(np.int64),
    }[part]()
    return np.where(np.isnat(moments), np.nan, values.astype(np.float64))


_MONTHS = {word for one in WORDS["month"] for word in one.split()} | {"sept"}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_CLOCK = (
    r"(?:[T, ]+(?P<h>\d{1,2}):(?P<mi>\d{2})(?::(?P<s>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
)
_ZONE = r"\s*(?:Z|UTC|[-+]\d{2}:?\d{2})?"
_FORMS = [
    re.compile(rf"\s*{form}{_CLOCK}{_ZONE}\s*", re.IGNORECASE)
    for form in (
        r"(?P<y>\d{4})[./-](?P<m>\d{1,2})[./-](?P<d>\d{1,2})",
        r"(?P<a>\d{1,2})[./-](?P<b>\d{1,2})[./-](?P<y>\d{4})",
        r"(?P<a>\d{2})[./](?P<b>\d{2})[./](?P<y>\d{2})",
        rf"(?:\w{{3,9}},?\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\.?[ -]?(?P<name>{_MONTH})\.?,?"
        r"[ -]?(?P<y>\d{4}|\d{2})",
        rf"(?:\w{{3,9}},?\s+)?(?P<name>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})",
    )
]


def are_dates(strings: Iterable[str]) -> bool:
    """Whether all strings are dates, such as 27.05.2019, 5/27/2019 10:30 or Mar 3, 2020.

    >>> are_dates(["27.05.2019", "1/2/2020 10:30", "May 5, 2020"]), are_dates(["1.2.10"])
    (True, False)
    """
    return all(any(form.fullmatch(string) for form in _FORMS) for string in strings)


def n_dates(strings: Iterable[str]) -> int:
    """Count the strings that are dates; the first few that are not end it.

    >>> n_dates(["27.05.2019", "unknown", "1/2/2020"])
    2
    """
    n = 0
    for i, string in enumerate(strings):
        n += _match(string) is not None
        if i > 10 and n < i / 2:
            break
    return n


_TIMES = re.compile(r"\s*\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*([ap]\.?m\.?)?\s*", re.IGNORECASE)
_MONTHS_OF_YEARS = re.compile(
    rf"\s*(\d{{4}}[-/](0?[1-9]|1[0-2])|(0?[1-9]|1[0-2])/\d{{4}}|({_MONTH})\.?[ -]?\d{{4}}"
    r"|\d{4}[- ]?Q[1-4]|Q[1-4][- ]?\d{4})\s*",
    re.IGNORECASE,
)


def are_times(strings: Iterable[str]) -> bool:
    """Whether all strings are times of day.

    >>> are_times(["06:00", "14:30:05", "4:53 AM"]), are_times(["1:2"])
    (True, False)
    """
    return all(_TIMES.fullmatch(string) for string in strings)


def are_months(strings: Iterable[str]) -> bool:
    """Whether all strings are months or quarters of years.

    >>> are_months(["2023-01", "Aug 2015", "08/2015", "2015Q3"]), are_months(["2023-13"])
    (True, False)
    """
    return all(_MONTHS_OF_YEARS.fullmatch(string) for string in strings)


def is_day_first(strings: Iterable[str]) -> bool:
    """Whether 3/4 is the third of April, by a column; see :func:`datetimes_of_strings`."""
    pairs = [
        (int(one["a"]), int(one["b"]), "/" in string)
        for string in strings
        if (one := _match(string)) is not None and "a" in one.groupdict()
    ]
    return any(a > 12 for a, _, _ in pairs) or not any(b > 12 or slash for _, b, slash in pairs)


#: Formats of date strings: as databases read them, or parts of fixed width in another order;
#: anything else is "other".
FORMS = ("iso", "year first", "year last", "other")
_WIDE_CLOCK = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?"
_WIDE_FORMS = {
    "iso": re.compile(rf"\s*\d{{4}}-\d{{2}}-\d{{2}}{_WIDE_CLOCK}{_ZONE}\s*"),
    "year first": re.compile(rf"\s*\d{{4}}[./]\d{{2}}[./]\d{{2}}{_WIDE_CLOCK}\s*"),
    "year last": re.compile(rf"\s*\d{{2}}[./-]\d{{2}}[./-]\d{{4}}{_WIDE_CLOCK}\s*"),
}


def form_of(strings: Iterable[str]) -> str:
    """Return the format of date strings, one of ``FORMS``; invalid dates are ignored.

    >>> form_of(["2024-12-31", "2024-12-31 18:30"]), form_of(["31.12.2024", "2024-12-31"])
    ('iso', 'year last')
    >>> form_of(["1/2/2020"]), form_of(["Dec 31, 2024"]), form_of(["12/31/2024 6:30 PM"])
    ('other', 'other', 'other')
    """
    forms = {
        next((form for form, known in _WIDE_FORMS.items() if known.fullmatch(string)), "other")
        for string in strings
        if _match(string) is not None
    }
    forms.discard("iso")
    return next(iter(forms), "iso") if len(forms) < 2 else "other"


def datetimes_of_strings(
    strings: Sequence[str | None], first_is_day: bool | None = None
) -> np.ndarray:
    """Parse strings as datetimes; NaT where one is missing or invalid.

    The other values of the column decide which number of 3/4/2020 is the day. If they do not, the
    month comes first with slashes, as in America, and otherwise the day.

    >>> datetimes_of_strings(["3/4/2020", "13/4/2020", None]).astype("datetime64[D]")
    array(['2020-04-03', '2020-04-13',        'NaT'], dtype='datetime64[D]')
    """
    matches = {string: _match(string) for string in dict.fromkeys(strings) if string is not None}
    if first_is_day is None:
        first_is_day = is_day_first(matches)
    known = {
        string: _moment(one, first_is_day) for string, one in matches.items() if one is not None
    }
    nothing = np.datetime64("NaT", "us")
    return np.array(
        [nothing if string is None else known.get(string, nothing) for string in strings],
        dtype="datetime64[us]",
    )


def _match(string: str) -> re.Match[str] | None:
    return next((one for form in _FORMS if (one := form.fullmatch(string))), None)


def _moment(match: re.Match[str], first_is_day: bool) -> np.datetime64:
    cells = match.groupdict()
    year = int(cells["y"])
    if len(cells["y"]) == 2:
        year += 2000 if year < 69 else 1900
    if cells.get("a") is not None:
        a, b = int(cells["a"]), int(cells["b"])
        day, month = (a, b) if first_is_day else (b, a)
    elif cells.get("name"):
        day, month = int(cells["d"]), int(number_of_word("month", cells["name"]))
    else:
        day, month = int(cells["d"]), int(cells["m"])
    hour, minute, second = (int(cells[key] or 0) for key in ("h", "mi", "s"))
    half = (cells["half"] or "").lower()
    hour = hour % 12 + 12 * half.startswith("p") if half else hour
    try:
        date = np.datetime64(f"{year:04d}-{month:02d}-{day:02d}", "us")
    except ValueError:
        return np.datetime64("NaT", "us")
    return date + np.timedelta64((hour * 60 + minute) * 60 + second, "s")


def datetimes_of_arrow(column: pa.Array, first_is_day: bool | None = None) -> np.ndarray:
    """Convert an Arrow column of dates to datetimes in local time of their time zone."""
    import pyarrow as pa

    types = pa.types
    if column.null_count == len(column):
        return np.full(len(column), np.datetime64("NaT", "us"))
    if types.is_string(column.type):
        return datetimes_of_strings(column.to_pylist(), first_is_day)
    if types.is_timestamp(column.type) and column.type.tz is not None:
        from pyarrow import compute

        column = compute.local_timestamp(column)
    values = column.cast(pa.timestamp("us"), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(values).astype("datetime64[us]")
