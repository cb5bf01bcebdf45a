"""Format numbers, and compute midpoints."""

from __future__ import annotations


def number(value: float, digits: int) -> str:
    """Format with significant digits; of a large number at least the integer part and a decimal."""
    n_digits = len(str(int(abs(value)))) if abs(value) < 1e15 else 0
    return f"{value:.{max(digits, n_digits + 1 if n_digits > 1 else 0)}g}"


def threshold_between(low: float, high: float) -> float:
    """Return the midpoint, or ``low`` if rounding would lift the midpoint to ``high``.

    >>> threshold_between(1.0, 2.0)
    1.5
    """
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low
