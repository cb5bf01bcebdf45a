"""Parse formatted numbers: 1.264,40 or 1,264.40, € 5 or 78 %, 120 cm, 1.2k, ($7.20), 3h 20m.

A column of strings is numeric if all its cells are numbers in one of two styles, with one unit or
none. Brackets and a minus at the end are negative, as accountants write; square brackets and marks
of footnotes are ignored. Durations are in minutes. Where both styles fit, as for 1.200, the rest of
the file decides, and a note says so. The result is a :class:`Notation`, which parses other cells of
the column, such as those of later blocks or files. It is plain Python, since columns have few
distinct strings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from agathis._columns.errors import Advice, Cells, Note
from agathis._columns.missing_values import NO_NUMBERS

OTHER = {".": ",", ",": "."}
#: What a page says of the cell that a note quotes.
AMBIGUOUS = "the decimal point is a guess"
CURRENCY = (
    r"[€$£¥₹₽₩₺₪₴₱%‰]|(?:US|AU|CA|NZ|HK|[ACRS])\$|(?:zł|kr\.?|Rs\.?|EUR|USD|GBP|CHF|SEK|NOK|DKK|"
    r"PLN|CZK|HUF|JPY|CNY|INR|BRL|AUD|CAD|TRY|ZAR|RUB|MXN)(?![A-Za-z])"
)
#: Units after a number. Of letters alone there are few: "5 A" may as well be a name.
UNITS = (
    *("nm", "µm", "mm", "cm", "dm", "km", "m", "in", "inch", "ft", "mi", "m²", "m2", "km²", "km2"),
    *("sqft", "sqm", "ha", "mg", "kg", "g", "lb", "lbs", "oz", "t", "ml", "cl", "l", "L", "m³"),
    *("W", "kW", "MW", "kWh", "Wh", "V", "mV", "mA", "Hz", "kHz", "MHz", "GHz", "kB", "KB", "MB"),
    *("GB", "TB", "°C", "°F", "°", "kcal", "cal", "kJ", "Pa", "hPa", "bar", "mmHg", "bpm", "rpm"),
    *("km/h", "kmh", "mph", "m/s", "mpg", "hp", "PS", "cc", "ms", "s", "sec", "min", "h", "hrs"),
    *("hours", "days", "weeks", "months", "years", "yrs", "Jahre", "Tage", "Std", "Stück", "pcs"),
    *("miles", "yd", "acres", "mL", "dL", "µg", "ppm", "dB", "mg/dL", "mg/L", "g/L", "mmol/L"),
    *("minutes", "mins", "seconds", "secs", "pts"),
)
UNIT = rf"(?:{CURRENCY}|(?:{'|'.join(sorted(UNITS, key=len, reverse=True))})(?![A-Za-z²³/]))"
#: Multiples, which may differ from cell to cell.
TIMES = {"k": 1e3, "K": 1e3, "Tsd": 1e3, "M": 1e6, "Mio": 1e6, "Mrd": 1e9}
#: A duration, in minutes.
DURATION = re.compile(
    r"\s*(?=\d)(?:(\d+)\s*(?:h|hrs?|std)\.?)?\s*(?:(\d+)\s*(?:m|min)\.?)?\s*", re.IGNORECASE
)
DURATION_UNIT = "min"
_SQUARE = re.compile(r"\s*\[(.*)\]\s*")
_ACCOUNTING = re.compile(r"\s*\((?!\s*[-+])(.*)\)\s*|\s*([^-+]*\d[^-+]*)-\s*")
_FOOTNOTES = "*†‡¹ "
_ABOUT = "~≈ "
# Spaces, also non-breaking ones, and the apostrophes of Switzerland.
_GAPS = " \u00a0\u202f'\u2019"
_DIGITS = {
    point: rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[{OTHER[point]}{_GAPS}][0-9]{{3}})+)(?:\{point}[0-9]*)?"
    rf"|\{point}[0-9]+"
    for point in ".,"
}
STYLES = {point: rf"(?:{digits})(?:[eE][-+]?[0-9]+)?" for point, digits in _DIGITS.items()}
_BEFORE = rf"(?:{CURRENCY})"
_MULTIPLE = rf"(?:\s*(?:{'|'.join(TIMES)})\.?(?![A-Za-z]))"
_FIRST_UNIT = re.compile(
    rf"[-+\s]*(?:({_BEFORE})|[-+\d.,{_GAPS}]+(?:[eE][-+]?\d+)?{_MULTIPLE}?\s*({UNIT})?)"
)
#: May be thousands or a fraction: no evidence of a style.
EITHER = re.compile(r"[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}")


@dataclass(frozen=True)
class Notation:
    """The number format of a column: decimal point, and a unit or none; or that of durations."""

    point: str
    unit: str = ""
    is_duration: bool = False

    def misfits(self, strings: Iterable[str]) -> list[str]:
        """Return the strings that are neither numbers in this notation nor marks for missing."""
        strings = [string for string in strings if not is_mark(string)]
        if self.is_duration:
            return [string for string in strings if not DURATION.fullmatch(string)]
        pattern = _number(self.point)
        return [
            string
            for string in strings
            if not pattern.fullmatch(bare(string)) or _unit(bare(string)) != self.unit
        ]

    def values(self, strings: Iterable[str]) -> list[float]:
        """Parse the strings that are numbers in this notation; NaN for marks of missing values.

        >>> Notation(",", "€").values(["1.264,40 €", "-2 €", "(3 €)"])
        [1264.4, -2.0, -3.0]
        >>> Notation(".").values(["1.2k", "900"])
        [1200.0, 900.0]
        >>> Notation(".", is_duration=True).values(["3h 20m"])
        [200.0]
        """
        return [self._value(string) for string in strings]

    def _value(self, string: str) -> float:
        if is_mark(string):
            return math.nan
        if self.is_duration:
            hours, minutes = _duration(string)
            return 60.0 * hours + minutes
        string = bare(string)
        times = re.search(rf"\d\s*({'|'.join(TIMES)})(?![A-Za-z])", string)
        number = _noise(self.point).sub("", string).replace(self.point, ".")
        # Decimal: 1.1k is 1100, and not 1100.0000000000002.
        return float(Decimal(number) * int(TIMES[times[1]])) if times else float(number)


def is_mark(string: str) -> bool:
    """Whether a string stands for a missing number."""
    return string.strip().lower() in NO_NUMBERS


@lru_cache
def _noise(point: str) -> re.Pattern[str]:
    return re.compile(rf"{_MULTIPLE}|{UNIT}|[+\s{_GAPS}\{OTHER[point]}]")


def bare(string: str) -> str:
    """Rewrite the brackets of accountants and editors, and drop marks of footnotes and of "about".

    >>> [bare(string) for string in ("($7.20)", "12-", "[98]", "4.5*", "~5", "\N{MINUS SIGN}5")]
    ['-$7.20', '-12', '98', '4.5', '5', '-5']
    """
    if string.isdigit():
        return string
    string = string.replace("\N{MINUS SIGN}", "-").strip(_ABOUT)
    if match := _SQUARE.fullmatch(string):
        string = match[1]
    string = string.rstrip(_FOOTNOTES)
    if match := _ACCOUNTING.fullmatch(string):
        string = f"-{(match[1] or match[2]).strip()}"
    return string


def _duration(string: str) -> tuple[int, int]:
    match = DURATION.fullmatch(string)
    assert match is not None, string
    return int(match[1] or 0), int(match[2] or 0)


def notation_of(strings: Collection[str], decimal: str = ".") -> tuple[Notation | None, bool]:
    """Infer the notation of distinct strings, if all are numbers, and whether it is ambiguous.

    ``decimal`` is preferred if both decimal points fit. Among more numbers there may be marks of
    missing values.
    """
    marks = {string for string in strings if is_mark(string)}
    n_marks, strings = len(marks), [string for string in strings if string not in marks]
    if len(strings) <= n_marks:
        return None, False
    first = next(iter(strings))
    unit = _unit(bare(first))
    fitting = [
        one
        for one in (Notation(point, unit) for point in (decimal, OTHER[decimal]))
        if _number(one.point).fullmatch(bare(first)) and not one.misfits(strings)
    ]
    if not fitting:
        lasts = Notation(decimal, DURATION_UNIT, is_duration=True)
        both = any("h" in string.lower() for string in strings)
        return (lasts, False) if both and not lasts.misfits(strings) else (None, False)
    either = len(fitting) == 2 and any("." in string or "," in string for string in strings)
    return fitting[0], either


def described(notation: Notation, strings: Collection[str], doubtful: bool) -> Note:
    """Return a note on strings that were parsed in a notation."""
    marks = [string for string in strings if is_mark(string)]
    longest = max((string for string in strings if string not in marks), key=len)
    unit = f" {DURATION_UNIT}" if notation.is_duration else ""
    number = f"{notation.values([longest])[0]:.15g}{unit}"
    parts: list[object] = [Cells(f"{longest.strip()} is read as {number}", AMBIGUOUS)]
    if marks:
        parts.append(f"; {', '.join(map(repr, sorted(marks)))} as missing")
    if doubtful:
        other = OTHER[notation.point]
        parts += ["; ", Advice("decimal", other), f" takes {other} for the decimal point"]
    return Note(tuple(parts), doubtful)


def doubt(cells: Sequence[str], decimal: str) -> Note | None:
    """Return a note on cells whose decimal point may be a thousands separator."""
    known = [cell.strip() for cell in cells if cell.strip()]
    if not known or not all(EITHER.fullmatch(cell) for cell in known):
        return None
    cell = known[0]
    shown = f"{cell} is read as {float(cell.replace(decimal, '.')):.15g}"
    way = Advice("decimal", OTHER[decimal])
    return Note(
        (Cells(shown, AMBIGUOUS), "; ", way, f" takes {decimal} for the thousands separator"), True
    )


def not_numbers(strings: Iterable[str]) -> list[str]:
    """Return the strings that are numbers in neither style, with any unit."""
    pattern = _number(".,")
    return [
        string
        for string in strings
        if not pattern.fullmatch(bare(string)) and not DURATION.fullmatch(string)
    ]


@lru_cache
def _number(points: str) -> re.Pattern[str]:
    style = "|".join(STYLES[point] for point in points)
    return re.compile(rf"\s*[-+]?\s*(?:{_BEFORE}\s*)?[-+]?(?:{style}){_MULTIPLE}?(?:\s*{UNIT})?\s*")


def _unit(string: str) -> str:
    match = _FIRST_UNIT.match(string)
    return "" if match is None else match[1] or match[2] or ""
