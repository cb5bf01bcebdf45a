"""Format numbers in rules, bins and wherever a column is mentioned.

A bound reads the same everywhere. There are three formats, ``NUMBERS``: "plain", 52500000, which
any program reads; "grouped", 52,500,000; "words", 52.5 million. Integers that can be years have no
separators.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise

from agathis._utils.numbers import number

NUMBERS = ("plain", "grouped", "words")

INFINITY = float("inf")
_YEARS = 1500, 2200
# The maximum digits that a float64 needs, enough for its exact decimal representation.
_DIGITS, _EXACT = 17, 800
_WORDS = ((12, "trillion"), (9, "billion"), (6, "million"))


def check_numbers(numbers: object) -> str:
    """Validate a number format."""
    if not isinstance(numbers, str) or numbers not in NUMBERS:
        raise ValueError(f"numbers={numbers!r} is unknown; accepted are {', '.join(NUMBERS)}.")
    return numbers


def numeral(value: float, digits: int | None, numbers: str = "plain", year: bool = False) -> str:
    """Format a number.

    Parameters
    ----------
    value : float
    digits : int or None
        Significant digits, of a large number at least the integer part and a decimal; ``None`` is
        all.
    numbers : {"plain", "grouped", "words"}
    year : bool
        Whether the number is a year.

    Examples
    --------
    >>> [numeral(52500000.0, None, numbers) for numbers in NUMBERS]
    ['52500000', '52,500,000', '52.5 million']
    >>> numeral(3.14159, 3), numeral(1234.5, None, "words"), numeral(1984.0, None, "words", True)
    ('3.14', '1,234.5', '1984')
    """
    text = number(value, digits) if digits is not None else repr(float(value)).removesuffix(".0")
    if numbers == "plain" or year or abs(value) == INFINITY or value != value:
        return text
    exact = Decimal(text)
    if "e" in text and not -6 <= exact.adjusted() <= 20:
        # So large or small that the exponent is what is read.
        return text
    if numbers == "words":
        for power, word in _WORDS:
            if abs(exact) >= Decimal(1).scaleb(power):
                short = exact.scaleb(-power).normalize()
                # More decimals than these are no shorter than all digits.
                if short == round(short, 3):
                    return f"{short:,f} {word}"
                break
    return f"{exact:,f}"


def are_years(values: Iterable[float]) -> bool:
    """Whether all of some thresholds, halves too, can be years.

    >>> are_years([1984.0, 2007.5]), are_years([1984.0, 52500.0]), are_years([])
    (True, False, False)
    """
    low, high = _YEARS
    finite = [value for value in values if abs(value) < INFINITY]
    return bool(finite) and all(
        low <= value <= high and float(2 * value).is_integer() for value in finite
    )


def numerals(values: Iterable[float], digits: int | None, numbers: str) -> dict[float, str]:
    """Format the thresholds of a column; with more digits where two would read the same.

    Then rounding moves none by more than a tenth of the distance to the next, since training
    values lie between them.
    """
    values = sorted({float(value) for value in values})
    year = are_years(values)

    def written(digits: int | None) -> list[str]:
        return [numeral(value, digits, numbers, year) for value in values]

    texts = written(digits)
    if digits is not None and len(set(texts)) < len(values):
        finite = [value for value in values if value < INFINITY]
        gap = min(b - a for a, b in pairwise(finite))
        for more in range(digits + 1, 18):
            texts = written(more)
            apart = len(set(texts)) == len(values)
            if apart and all(abs(float(number(v, more)) - v) <= gap / 10 for v in finite):
                break
    return dict(zip(values, texts, strict=True))


def shortest(value: float, low: float, high: float) -> float:
    """Return the number with the fewest digits from ``low`` up to, excluding, ``high``.

    Ties are broken by fewest decimals, then by distance to ``value``, which lies between the two.

    >>> shortest(206.5, 206.0, 207.0), shortest(21.500000000000004, 19.0, 24.0)
    (206.0, 20.0)
    >>> shortest(0.5, 0.0, 1.0), shortest(12.55, 12.2, 12.9)
    (0.0, 12.6)
    """
    with localcontext() as context:
        context.prec = _EXACT
        exact = Decimal(value)
        size = exact.adjusted() if exact else 0
        for digits in range(1, _DIGITS + 1):
            # A number of this many digits and decimals is a multiple of the larger of two steps. If
            # any lies in the interval, so does the nearest one above or below.
            last = max(0, digits - 1 - size)
            for decimals in range(last + 1):
                step = Decimal(1).scaleb(max(-decimals, size - digits + 1))
                candidates = [
                    multiple
                    for direction in (ROUND_FLOOR, ROUND_CEILING)
                    if low <= float(multiple := (exact / step).quantize(1, direction) * step) < high
                ]
                if candidates:
                    # Never -0.0.
                    return float(min(candidates, key=lambda number: abs(number - exact))) + 0.0
    return value
