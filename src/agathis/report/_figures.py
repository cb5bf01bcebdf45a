"""Formatting of numbers on the page, and sentences about them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from agathis._utils.numbers import number


def figure(value: float | None, year: bool = False, unit: float = 0.0) -> str:
    """Format a number, rounded to a multiple of ``unit``; a ``year`` has no comma.

    >>> figure(12345.678), figure(0.5), figure(None) == "\\u2013", figure(-0.25) == "\\u22120.25"
    ('12,350', '0.5', True, True)
    >>> figure(2019.0), figure(2019.0, year=True)
    ('2,019', '2019')
    >>> figure(40.0585, unit=1.0), figure(23456.7, unit=100.0), figure(-0.02, unit=0.1)
    ('40', '23,500', '0')
    """
    if value is None:
        return "\u2013"
    if unit > 0:
        # Adding 0 makes -0 a 0.
        value = round(value / unit) * unit + 0.0
    short = float(number(value, 4)) if abs(value) < 1e4 else float(f"{value:.4g}")
    comma = "" if year else ","
    plain = 1e-4 <= abs(short) < 1e15 or short == 0
    return (f"{short:{comma}.10g}" if plain else f"{short:g}").replace("-", "\u2212")


def percent(share: float) -> str:
    """Format a fraction as a percentage.

    >>> percent(0.4237), percent(0.305), percent(0.0042), percent(0.00001)
    ('42\\xa0%', '31\\xa0%', '0.4\\xa0%', '< 0.1\\xa0%')
    """
    if 0 < share < 0.0005:
        return "< 0.1\u00a0%"
    # Half up, as browsers do: the scripts of the page format percentages too.
    step = Decimal("0.1" if 0 < share < 0.0995 else "1")
    return f"{Decimal(100 * share).quantize(step, ROUND_HALF_UP)}\u00a0%"


def decimals(value: float) -> str:
    """Format a number between -1 and 1 with two decimals.

    >>> decimals(0.8649), decimals(-0.001), decimals(-0.5) == "\u22120.50"
    ('0.86', '0.00', True)
    """
    digits = f"{value:.2f}"
    return digits.removeprefix("-") if float(digits) == 0 else digits.replace("-", "\u2212")


def times(ratio: float) -> str:
    """Format a ratio.

    >>> times(1.0), times(1.1649), times(12.3)
    ('1.00 times', '1.16 times', '12 times')
    """
    return f"{ratio:.2f} times" if ratio < 9.995 else f"{ratio:.0f} times"


def how_far_apart(silhouette: float) -> str:
    """Interpret a silhouette coefficient, after Kaufman and Rousseeuw.

    >>> [how_far_apart(value) for value in (0.8, 0.6, 0.3, 0.1)]
    ['strong structure', 'reasonable structure', 'weak structure', 'no substantial structure']
    """
    bounds = ((0.7, "strong structure"), (0.5, "reasonable structure"), (0.25, "weak structure"))
    return next(
        (label for bound, label in bounds if silhouette > bound), "no substantial structure"
    )


def again(agreement: float) -> str:
    """Interpret the mean adjusted Rand index of refitted trees.

    >>> [again(value) for value in (0.95, 0.7, 0.3)]
    ['stable', 'moderately stable', 'unstable']
    """
    if agreement >= 0.8:
        return "stable"
    return "moderately stable" if agreement >= 0.5 else "unstable"


def steps(quality: Mapping[str, Any], about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Bars of the section on leaves: trees by their maximum number of leaves, then KMeans."""
    n = about["n_leaves"]
    this = {"allowed": n, "n_leaves": n, "explained": quality["explained"], "own": True}
    others = [
        {**step, "own": False}
        for step in quality["leaves"]
        if step["allowed"] != n and step["explained"] is not None
    ]
    bars = sorted([this, *others], key=lambda step: step["allowed"])
    for step in bars:
        step["label"] = f"{leaves_of(step['allowed'])}, this tree" if step["own"] else _bar(step)
    if quality["kmeans"] is not None:
        bars.append({"label": "KMeans, no rules", "explained": quality["kmeans"], "own": False})
    return bars


def leaves_of(n: int) -> str:
    """
    >>> leaves_of(1), leaves_of(12)
    ('1 leaf', '12 leaves')
    """
    return f"{n} {'leaf' if n == 1 else 'leaves'}"


def _bar(step: Mapping[str, Any]) -> str:
    if step["n_leaves"] == step["allowed"]:
        return leaves_of(step["allowed"])
    return f"up to {step['allowed']}: {leaves_of(step['n_leaves'])}"


def buys(quality: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """Sentences on the explained variance of trees with more leaves.

    >>> quality = {"explained": 0.6, "kmeans": 0.7, "leaves_why": None,
    ...            "leaves": [{"allowed": 6, "n_leaves": 6, "explained": 0.655},
    ...                       {"allowed": 12, "n_leaves": 8, "explained": 0.66}]}
    >>> for part in buys(quality, {"n_leaves": 3}).replace("\\xa0", " ").split("; "):
    ...     print(part)
    3 leaves explain 60 % of the variance
    6 would explain 66 %, 6 points more
    with up to 12 a tree has 8 and explains 66 %, 6 points more.
    """
    explained, n = quality["explained"], about["n_leaves"]
    if explained is None:
        return "The explained variance of these rows is not available."
    verb = "explains" if n == 1 else "explain"
    head = f"{leaves_of(n)} {verb} {percent(explained)} of the variance"
    why = f" No larger trees: {quality['leaves_why']}." if quality["leaves_why"] else ""
    more = [
        step for step in quality["leaves"] if step["allowed"] > n and step["explained"] is not None
    ]
    if not more:
        return f"{head}.{why or ' Trees with more leaves were not fitted.'}"
    gains = "; ".join(_gain(step, explained) for step in more)
    best = max(step["explained"] for step in more) - explained
    worth = " More leaves add next to nothing here." if best < 0.015 else ""
    return f"{head}; {gains}.{worth}{why}"


def _gain(step: Mapping[str, Any], explained: float) -> str:
    """The explained variance of a tree with more leaves, compared with this tree."""
    points = _points(step["explained"]) - _points(explained)
    gain = f"{points} point{'s'[: points != 1]} more" if points > 0 else "no more"
    allowed, grown = step["allowed"], step["n_leaves"]
    share = percent(step["explained"])
    if grown == allowed:
        return f"{allowed} would explain {share}, {gain}"
    return f"with up to {allowed} a tree has {grown} and explains {share}, {gain}"


def _points(share: float) -> int:
    """A percentage, rounded as ``percent`` does."""
    return int(Decimal(100 * share).quantize(Decimal(1), ROUND_HALF_UP))
