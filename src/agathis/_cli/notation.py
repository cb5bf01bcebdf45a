"""Numbers and dates as people write them: 1.264,40 or 1,264.40, € 5 or 78 %, and 27.05.2019.

What the reader of a file left as text is looked at as a column: it holds numbers if all its cells
do, in one of two styles, and with one unit or none. Where both styles fit, as 1.200 is either, the
file decides by what else is in it, and that is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

OTHER = {".": ",", ",": "."}
UNIT = r"(?:[€$£¥%‰]|EUR|USD|GBP|CHF)"
# Spaces, also those that do not break, and the apostrophes of Switzerland.
_GAPS = " \u00a0\u202f'\u2019"
_DIGITS = {
    point: rf"(?:\d+|[1-9]\d{{0,2}}(?:[{OTHER[point]}{_GAPS}]\d{{3}})+)(?:\{point}\d*)?|\{point}\d+"
    for point in ".,"
}
STYLES = {point: rf"(?:{digits})(?:[eE][-+]?\d+)?" for point, digits in _DIGITS.items()}
_DAY, _CLOCK = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:[ T,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?"
# With short years days and months are of two digits: 1.2.10 may be the number of a version.
DATE = (
    rf"^\s*(?:{_DAY}[./-]{_DAY}[./-]\d{{4}}|\d{{2}}[./]\d{{2}}[./]\d{{2}}"
    rf"|\d{{4}}[./-]{_DAY}[./-]{_DAY}){_CLOCK}\s*$"
)
#: Either a thousand and some, or one and some: no evidence of a style.
EITHER = r"[-+]?[1-9]\d{0,2}[.,]\d{3}"


@dataclass(frozen=True)
class Note:
    """How cells of a column were read; ``doubtful`` if they may mean something else."""

    text: str
    doubtful: bool = False


def are_numbers(texts: pa.Array, points: str = ".,") -> pa.Array:
    """Which texts are numbers with one of these decimal points, and maybe a unit."""
    from pyarrow import compute

    style = "|".join(STYLES[point] for point in points)
    number = rf"^\s*[-+]?\s*(?:{UNIT}\s*)?[-+]?(?:{style})(?:\s*{UNIT})?\s*$"
    return compute.match_substring_regex(texts, number)


def are_dates(texts: pa.Array) -> bool:
    """Whether all texts are dates, such as 27.05.2019 or 5/27/2019 10:30."""
    from pyarrow import compute

    return compute.all(compute.match_substring_regex(texts, DATE), min_count=0).as_py()


def as_written(column: pa.ChunkedArray, decimal: str, sure: bool) -> tuple[pa.Array, Note] | None:
    """The numbers of a column of texts, and how they were read; None where it holds others.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of strings
    decimal : "." or ","
        Of the file, for texts that are numbers with either.
    sure : bool
        Whether the file, or its user, left no doubt about it.
    """
    import pyarrow as pa
    from pyarrow import compute

    different = compute.unique(column).drop_null()
    fits = [
        point
        for point in (decimal, OTHER[decimal])
        if compute.all(are_numbers(different, point), min_count=0).as_py()
    ]
    if not len(different) or not fits or _units(different) is None:
        return None
    texts = different.to_pylist()
    point = fits[0]
    values = _values(column, point)
    longest = max(texts, key=len)
    number = _values(pa.scalar(longest), point).as_py()
    text = f"{longest.strip()} is read as {number:.15g}"
    doubtful = len(fits) == 2 and not sure and any("." in text or "," in text for text in texts)
    if doubtful:
        text += f"; --decimal {OTHER[point]} takes {OTHER[point]} for the decimal point"
    return values, Note(text, doubtful)


def doubt(cells: Sequence[str], decimal: str) -> Note | None:
    """What to say of cells that were read with that decimal point, and may be thousands."""
    known = [cell.strip() for cell in cells if cell.strip()]
    if not known or not all(re.fullmatch(EITHER, cell) for cell in known):
        return None
    cell = known[0]
    number = float(cell.replace(decimal, "."))
    way = f"--decimal {OTHER[decimal]} takes {decimal} for the sign between thousands"
    return Note(f"{cell} is read as {number:.15g}; {way}", True)


def _units(texts: pa.Array) -> str | None:
    """The unit that all texts have, "" where none has one, None where they differ."""
    from pyarrow import compute

    found = compute.extract_regex(texts, rf"^[^A-Z€$£¥%‰]*(?P<unit>{UNIT}?)")
    units = set(compute.struct_field(found, "unit").to_pylist())
    return units.pop() if len(units) == 1 else None


def _values(texts: pa.Array | pa.Scalar, point: str) -> pa.Array | pa.Scalar:
    import pyarrow as pa
    from pyarrow import compute

    bare = compute.replace_substring_regex(texts, rf"{UNIT}|[+\s{_GAPS}\{OTHER[point]}]", "")
    return compute.replace_substring(bare, point, ".").cast(pa.float64())
