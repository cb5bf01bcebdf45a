"""Numbers as people write them: 1.264,40 or 1,264.40, € 5 or 78 %.

Texts are looked at as a column: it holds numbers if all its cells do, in one of two styles, and
with one unit or none. Where both styles fit, as 1.200 is either, the file decides by what else is
in it, and that is told. What was found is a :class:`Notation`, by which other cells of the column
are read, those of a later block or of another file. It is plain Python, for data frames need no
pyarrow; columns are long, but of few different texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agathis._tables.errors import Advice, Note

OTHER = {".": ",", ",": "."}
UNIT = r"(?:[€$£¥%‰]|EUR|USD|GBP|CHF)"
# Spaces, also those that do not break, and the apostrophes of Switzerland.
_GAPS = " \u00a0\u202f'\u2019"
_DIGITS = {
    point: rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[{OTHER[point]}{_GAPS}][0-9]{{3}})+)(?:\{point}[0-9]*)?"
    rf"|\{point}[0-9]+"
    for point in ".,"
}
STYLES = {point: rf"(?:{digits})(?:[eE][-+]?[0-9]+)?" for point, digits in _DIGITS.items()}
_FIRST_UNIT = re.compile(rf"[^A-Z€$£¥%‰]*({UNIT}?)")
#: Either a thousand and some, or one and some: no evidence of a style.
EITHER = re.compile(r"[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}")


@dataclass(frozen=True)
class Notation:
    """How the numbers of a column are written: their decimal point, and a unit or none."""

    point: str
    unit: str = ""

    def misfits(self, texts: Iterable[str]) -> list[str]:
        """The texts that are no such numbers."""
        pattern = _number(self.point)
        return [text for text in texts if not pattern.fullmatch(text) or _unit(text) != self.unit]

    def values(self, texts: Iterable[str]) -> list[float]:
        """The numbers of texts that fit.

        >>> Notation(",", "€").values(["1.264,40 €", "-2 €"])
        [1264.4, -2.0]
        """
        noise = re.compile(rf"{UNIT}|[+\s{_GAPS}\{OTHER[self.point]}]")
        return [float(noise.sub("", text).replace(self.point, ".")) for text in texts]


def notation_of(texts: Collection[str], decimal: str = ".") -> tuple[Notation | None, bool]:
    """How these different texts are written, if all are numbers, and whether they may be other.

    ``decimal`` is preferred where both points fit.
    """
    if not texts:
        return None, False
    first = next(iter(texts))
    found = [
        one
        for one in (Notation(point, _unit(first)) for point in (decimal, OTHER[decimal]))
        if _number(one.point).fullmatch(first) and not one.misfits(texts)
    ]
    if not found:
        return None, False
    either = len(found) == 2 and any("." in text or "," in text for text in texts)
    return found[0], either


def described(notation: Notation, texts: Collection[str], doubtful: bool) -> Note:
    """What to say of texts that were read so."""
    longest = max(texts, key=len)
    parts: list[object] = [f"{longest.strip()} is read as {notation.values([longest])[0]:.15g}"]
    if doubtful:
        other = OTHER[notation.point]
        parts += ["; ", Advice("decimal", other), f" takes {other} for the decimal point"]
    return Note(tuple(parts), doubtful)


def doubt(cells: Sequence[str], decimal: str) -> Note | None:
    """What to say of cells that were read with that decimal point, and may be thousands."""
    known = [cell.strip() for cell in cells if cell.strip()]
    if not known or not all(EITHER.fullmatch(cell) for cell in known):
        return None
    cell = known[0]
    read = f"{cell} is read as {float(cell.replace(decimal, '.')):.15g}; "
    way = Advice("decimal", OTHER[decimal])
    return Note((read, way, f" takes {decimal} for the sign between thousands"), True)


def not_numbers(texts: Iterable[str]) -> list[str]:
    """The texts that are no numbers in either style, whatever their unit."""
    pattern = _number(".,")
    return [text for text in texts if not pattern.fullmatch(text)]


@lru_cache
def _number(points: str) -> re.Pattern[str]:
    style = "|".join(STYLES[point] for point in points)
    return re.compile(rf"\s*[-+]?\s*(?:{UNIT}\s*)?[-+]?(?:{style})(?:\s*{UNIT})?\s*")


def _unit(text: str) -> str:
    found = _FIRST_UNIT.match(text)
    assert found is not None, "all of the pattern is optional"
    return found[1]
