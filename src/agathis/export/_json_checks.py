"""Reject invalid numbers and booleans of a model file."""

from __future__ import annotations

import math
from contextlib import suppress


def wrong(what: str) -> ValueError:
    return ValueError(f"source is not a tree of agathis: {what}.")


def truth(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(f"{name} is {value!r}, not true or false")
    return value


def whole(value: object, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise wrong(f"{name} is {short(value)}, not an integer from {low} to {high}")
    return value


def short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def real(value: object, name: str, low: float) -> float:
    found = math.nan
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):
            found = float(value)
    # A number too large for float64 is read as infinite.
    if not math.isfinite(found) or found < low:
        raise wrong(f"{name} is not a finite number{f' from {low}' if low > -math.inf else ''}")
    return found
