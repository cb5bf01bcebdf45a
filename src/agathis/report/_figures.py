"""Numbers as the words of a page."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from agathis._support.numbers import number


def figure(value: float | None, year: bool = False) -> str:
    """A number for reading; a ``year`` has no comma.

    >>> figure(12345.678), figure(0.5), figure(None) == "\\u2013", figure(-0.25) == "\\u22120.25"
    ('12,350', '0.5', True, True)
    >>> figure(2019.0), figure(2019.0, year=True)
    ('2,019', '2019')
    """
    if value is None:
        return "\u2013"
    short = float(number(value, 4)) if abs(value) < 1e4 else float(f"{value:.4g}")
    comma = "" if year else ","
    text = f"{short:{comma}.10g}" if 1e-4 <= abs(short) < 1e15 or short == 0 else f"{short:g}"
    return text.replace("-", "\u2212")


def percent(share: float) -> str:
    """A share for reading.

    >>> percent(0.4237), percent(0.305), percent(0.0042), percent(0.00001)
    ('42\\xa0%', '31\\xa0%', '0.4\\xa0%', '< 0.1\\xa0%')
    """
    if 0 < share < 0.0005:
        return "< 0.1\u00a0%"
    # Half up, as browsers do: the scripts of the page write shares too.
    step = Decimal("0.1" if 0 < share < 0.0995 else "1")
    return f"{Decimal(100 * share).quantize(step, ROUND_HALF_UP)}\u00a0%"


def decimals(value: float) -> str:
    """A number between -1 and 1.

    >>> decimals(0.8649), decimals(-0.001), decimals(-0.5) == "\u22120.50"
    ('0.86', '0.00', True)
    """
    text = f"{value:.2f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "\u2212")


def times(ratio: float) -> str:
    """How many times as much.

    >>> times(1.0), times(1.1649), times(12.3)
    ('1.00 times', '1.16 times', '12 times')
    """
    return f"{ratio:.2f} times" if ratio < 9.995 else f"{ratio:.0f} times"


def how_far_apart(silhouette: float) -> str:
    """How far apart clusters are, after the bounds of Kaufman and Rousseeuw.

    >>> [how_far_apart(value) for value in (0.8, 0.6, 0.3, 0.1)]
    ['far apart', 'apart', 'not far apart', 'not really apart']
    """
    bounds = ((0.7, "far apart"), (0.5, "apart"), (0.25, "not far apart"))
    return next((word for bound, word in bounds if silhouette > bound), "not really apart")


def again(agreement: float) -> str:
    """Whether the same groups come out of other rows.

    >>> [again(value) for value in (0.95, 0.7, 0.3)]
    ['the same groups come again', 'similar groups come again', 'other rows give other groups']
    """
    if agreement >= 0.8:
        return "the same groups come again"
    return "similar groups come again" if agreement >= 0.5 else "other rows give other groups"


def steps(quality: Mapping[str, Any], about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Bars of the section on leaves: trees by their leaves, this one among them, then KMeans."""
    own = {"n_leaves": about["n_leaves"], "explained": quality["explained"], "own": True}
    others = [
        {"n_leaves": step["n_leaves"], "explained": step["explained"], "own": False}
        for step in quality["leaves"]
        if step["n_leaves"] != about["n_leaves"] and step["explained"] is not None
    ]
    found = sorted([own, *others], key=lambda step: step["n_leaves"])
    for step in found:
        leaves = f"{step['n_leaves']} {'leaf' if step['n_leaves'] == 1 else 'leaves'}"
        step["label"] = f"{leaves}, this tree" if step["own"] else leaves
    if quality["kmeans"] is not None:
        found.append({"label": "KMeans, no rules", "explained": quality["kmeans"], "own": False})
    return found


def buys(quality: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """A sentence or two on what more leaves would explain.

    >>> quality = {"explained": 0.6, "kmeans": 0.7,
    ...            "leaves": [{"allowed": 6, "n_leaves": 6, "explained": 0.655}]}
    >>> buys(quality, {"n_leaves": 3}).replace("\\xa0", " ")
    '3 leaves explain 60 % of the spread; 6 would explain 66 %, 6 points more.'
    """
    own, n = quality["explained"], about["n_leaves"]
    if own is None:
        return "Of these rows nothing can be said."
    head = f"{n} {'leaf explains' if n == 1 else 'leaves explain'} {percent(own)} of the spread"
    if not quality["leaves"]:
        return f"{head}. This tree has no way to more."
    more = [step for step in quality["leaves"] if step["n_leaves"] > n]
    if not more:
        return f"{head}. Trees of these rows grow no larger, or explain no more."
    told = []
    for step in more:
        points = _whole(step["explained"]) - _whole(own)
        gain = f"{points} point{'s'[: points != 1]} more" if points > 0 else "no more"
        told.append(f"{step['n_leaves']} would explain {percent(step['explained'])}, {gain}")
    end = ""
    if more[-1]["n_leaves"] < more[-1]["allowed"]:
        end = f" With more than {more[-1]['n_leaves']} nothing is gained."
    best = max(step["explained"] for step in more) - own
    worth = " More leaves buy next to nothing here." if best < 0.015 else ""
    return f"{head}; {'; '.join(told)}.{end}{worth}"


def _whole(share: float) -> int:
    """Per cent, rounded as ``percent`` does."""
    return int(Decimal(100 * share).quantize(Decimal(1), ROUND_HALF_UP))
