"""Parse formatted numbers: 1.264,40 or 1,264.40, € 5 or 78 %.

A column of strings is numeric if all its cells are numbers in one of two styles, with one unit or
none. Where both styles fit, as for 1.200, the rest of the file decides, and a note says so. The
result is a :class:`Notation`, which parses other cells of the column, such as those of later blocks
or files. It is plain Python, since columns have few distinct strings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agathis._columns.errors import Advice, Cells, Note

OTHER = {".": ",", ",": "."}
#: What a page says of the cell that a note quotes.
AMBIGUOUS = "the decimal point is a guess"
UNIT = r"(?:[€$£¥%‰]|EUR|USD|GBP|CHF)"
# Spaces, also non-breaking ones, and the apostrophes of Switzerland.
_GAPS = " \u00a0\u202f'\u2019"
_DIGITS = {
    point: rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[{OTHER[point]}{_GAPS}][0-9]{{3}})+)(?:\{point}[0-9]*)?"
    rf"|\{point}[0-9]+"
    for point in ".,"
}
STYLES = {point: rf"(?:{digits})(?:[eE][-+]?[0-9]+)?" for point, digits in _DIGITS.items()}
_FIRST_UNIT = re.compile(rf"[^A-Z€$£¥%‰]*({UNIT}?)")
#: May be thousands or a fraction: no evidence of a style.
EITHER = re.compile(r"[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}")


@dataclass(frozen=True)
class Notation:
    """The number format of a column: decimal point, and a unit or none."""

    point: str
    unit: str = ""

    def misfits(self, strings: Iterable[str]) -> list[str]:
        """Return the strings that are not numbers in this notation."""
        pattern = _number(self.point)
        return [
            string
            for string in strings
            if not pattern.fullmatch(string) or _unit(string) != self.unit
        ]

    def values(self, strings: Iterable[str]) -> list[float]:
        """Parse the strings that are numbers in this notation.

        >>> Notation(",", "€").values(["1.264,40 €", "-2 €"])
        [1264.4, -2.0]
        """
        noise = re.compile(rf"{UNIT}|[+\s{_GAPS}\{OTHER[self.point]}]")
        return [float(noise.sub("", string).replace(self.point, ".")) for string in strings]


def notation_of(strings: Collection[str], decimal: str = ".") -> tuple[Notation | None, bool]:
    """Infer the notation of distinct strings, if all are numbers, and whether it is ambiguous.

    ``decimal`` is preferred if both decimal points fit.
    """
    if not strings:
        return None, False
    first = next(iter(strings))
    fitting = [
        one
        for one in (Notation(point, _unit(first)) for point in (decimal, OTHER[decimal]))
        if _number(one.point).fullmatch(first) and not one.misfits(strings)
    ]
    if not fitting:
        return None, False
    either = len(fitting) == 2 and any("." in string or "," in string for string in strings)
    return fitting[0], either


def described(notation: Notation, strings: Collection[str], doubtful: bool) -> Note:
    """Return a note on strings that were parsed in a notation."""
    longest = max(strings, key=len)
    shown = f"{longest.strip()} is read as {notation.values([longest])[0]:.15g}"
    parts: list[object] = [Cells(shown, AMBIGUOUS)]
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
    return [string for string in strings if not pattern.fullmatch(string)]


@lru_cache
def _number(points: str) -> re.Pattern[str]:
    style = "|".join(STYLES[point] for point in points)
    return re.compile(rf"\s*[-+]?\s*(?:{UNIT}\s*)?[-+]?(?:{style})(?:\s*{UNIT})?\s*")


def _unit(string: str) -> str:
    match = _FIRST_UNIT.match(string)
    assert match is not None, "all of the pattern is optional"
    return match[1]
