"""Text of sums of columns: "petal width + 0.43 × petal length".

The tree may sum scaled columns. Offsets and factors are folded into the weights and the threshold,
and all is divided so that the first weight is 1. Then numbers are rounded. A rounded weight turns
the line about the middle of its column, so the threshold is adjusted; both have as many digits as
keep the error below a small part of a scaled unit. The text is for reading: rows are routed by the
arithmetic of the tree.

Other transformations are named: "log of price", "income (held within 12 to 93000)". A sum with
negative weights only is written with inverted signs and bounds: "a + b >= 3".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agathis._rules.numerals import numeral, numerals, shortest
from agathis._trees.stepped import Mapped, Step, Steps, after

INFINITY = float("inf")
TIMES = "\N{MULTIPLICATION SIGN}"

#: How far from its middle a scaled column is looked at, in its own units.
_REACH = 3.0
#: How near, of itself, a number is to one that was meant, and how many signs that has at most.
_EQUAL, _SHORT = 1e-13, 9


@dataclass(frozen=True)
class Shape:
    """A column in a sum: ``slope * held(u) + offset``, where u is the column after ``mapped``.

    ``low`` and ``high`` are where values of u are held, and ``fill`` is what a missing one becomes.
    """

    mapped: tuple[Mapped, ...] = ()
    low: float = -INFINITY
    high: float = INFINITY
    slope: float = 1.0
    offset: float = 0.0
    fill: float | None = None

    @property
    def is_told(self) -> bool:
        """Whether each scaled value has a known raw value."""
        return bool(np.isfinite(self.slope) and np.isfinite(self.offset) and self.slope)

    @property
    def is_line(self) -> bool:
        """Whether it is an affine function of the raw column."""
        return not self.mapped and not self.is_clipped

    @property
    def is_clipped(self) -> bool:
        return self.low > -INFINITY or self.high < INFINITY

    @property
    def middle(self) -> float:
        """Where u is when the scaled column is 0."""
        return -self.offset / self.slope

    def values(self, column: np.ndarray) -> np.ndarray:
        """What u is in each row, held."""
        return np.clip(after(column, self.mapped), self.low, self.high)

    def named(self, label: str, digits: int | None, numbers: str) -> str:
        """The column as it stands in a sum."""
        for step in self.mapped:
            label = step.words.format(label)
        low, high = (numeral(value, digits, numbers) for value in (self.low, self.high))
        if self.low > -INFINITY and self.high < INFINITY:
            return f"{label} (held within {low} to {high})"
        if self.is_clipped:
            return (
                f"{label} (at least {low})"
                if self.high == INFINITY
                else f"{label} (at most {high})"
            )
        return label


def shape_of(steps: Steps) -> Shape:
    """What steps make of a column.

    >>> shape_of((Step("at_most", 10.0), Step("subtract", 4.0), Step("divide", 2.0)))
    Shape(mapped=(), low=-inf, high=10.0, slope=0.5, offset=-2.0, fill=None)
    """
    out = Shape()
    for step in steps:
        if isinstance(step, Mapped):
            out = Shape((*out.mapped, step))
        elif step.operation in ("at_least", "at_most"):
            out = _held(out, step)
        elif step.operation in ("multiply", "divide"):
            by = step.by if step.operation == "multiply" else 1 / step.by
            out = replace(out, slope=out.slope * by, offset=out.offset * by)
        elif step.operation in ("add", "subtract"):
            by = step.by if step.operation == "add" else -step.by
            out = replace(out, offset=out.offset + by)
        elif out.fill is None and out.slope:
            out = replace(out, fill=(step.by - out.offset) / out.slope)
    return out


def _held(shape: Shape, step: Step) -> Shape:
    if not shape.slope:
        return shape
    bound = (step.by - shape.offset) / shape.slope
    if (step.operation == "at_least") == (shape.slope > 0):
        return replace(shape, low=min(max(shape.low, bound), shape.high))
    return replace(shape, high=max(min(shape.high, bound), shape.low))


@dataclass(frozen=True)
class SumDescription:
    """A sum as text.

    Attributes
    ----------
    name : str
    weights : tuple of float
        By which the columns are multiplied in words, in the order of the terms.
    bounds : mapping
        For each threshold of the tree the one in words.
    written : mapping
        For these, their texts.
    turned : bool
        Whether the sum in words falls where that of the tree rises.
    """

    name: str
    weights: tuple[float, ...]
    bounds: Mapping[float, float]
    written: Mapping[float, str]
    turned: bool

    def around(self, low: float, high: float, missing: bool) -> tuple[str, str, bool]:
        """What stands before and after the name where the sum is above ``low`` and up to ``high``.

        And whether it joins several things by "or".
        """
        above, upto = self.text(low), self.text(high)
        before, then = "", " is known"
        if low > -INFINITY and high < INFINITY:
            if self.turned:
                before, then = f"{upto} <= ", f" < {above}"
            else:
                before, then = f"{above} < ", f" <= {upto}"
        elif high < INFINITY:
            then = f" >= {upto}" if self.turned else f" <= {upto}"
        elif low > -INFINITY:
            then = f" < {above}" if self.turned else f" > {above}"
        return before, then + " or missing" * missing, missing

    def text(self, threshold: float) -> str:
        return self.written.get(self.bounds.get(threshold, threshold), "")


def describe_sum(
    weights: Sequence[float],
    steps: Sequence[Steps],
    labels: Sequence[str],
    thresholds: Sequence[float],
    digits: int | None = 4,
    numbers: str = "plain",
) -> SumDescription:
    """Write a sum as text, with all thresholds of nodes that split on it.

    Parameters
    ----------
    weights, steps, labels : sequences
        Of each term its weight, what is done before with its column, and the column's name.
    thresholds : sequence of float
    digits, numbers
        As in :func:`agathis.export.to_text`.

    Examples
    --------
    >>> scaled = (Step("subtract", 1.2), Step("divide", 0.76)), (Step("divide", 1.77),)
    >>> told = describe_sum([1.0, 0.5], scaled, ["width", "length"], [0.25])
    >>> told.name, told.written
    ('width + 0.2147 × length', {1.39: '1.39'})
    >>> describe_sum([-1.0, 2.0], ((), ()), ["a", "b"], [0.25]).name
    '2 × b - a'
    """
    shapes = [shape_of(own) for own in steps]
    if not all(shape.is_told for shape in shapes):
        # The scaling is not invertible: write the scaled columns.
        shapes, steps = [Shape()] * len(shapes), [()] * len(shapes)
        labels = [f"scaled {label}" for label in labels]
    raw = [weight * shape.slope for weight, shape in zip(weights, shapes, strict=True)]
    turned = all(weight <= 0 for weight in raw)
    sign = -1.0 if turned else 1.0
    order = sorted(range(len(raw)), key=lambda i: sign * raw[i] <= 0)
    if any(steps):
        told, bounds = _rounded(weights, shapes, order[0], thresholds, sign, digits)
    else:
        told = [sign * weight for weight in raw]
        bounds = {t: sign * t + 0.0 for t in map(float, thresholds)}
        # What is twice a plain sum is told as the sum.
        if len({abs(weight) for weight in told}) == 1 and told[0]:
            size = abs(told[0])
            told = [weight / size for weight in told]
            bounds = {t: bound / size for t, bound in bounds.items()}
    named = _with_needed_bounds(raw, shapes, weights, thresholds)
    # Rounded numbers are told in full.
    shown = None if any(steps) else digits
    written = numerals(bounds.values(), shown, numbers)
    name = ""
    for i in order:
        if told[i] == 0:
            continue
        minus = told[i] < 0
        name += (" - " if minus else " + ") if name else "-" * minus
        size = abs(told[i])
        name += "" if size == 1 else f"{numeral(size, shown, numbers)} {TIMES} "
        name += named[i].named(labels[i], digits, numbers)
    return SumDescription(name or "0", tuple(told), bounds, written, turned)


def _with_needed_bounds(
    raw: Sequence[float],
    shapes: Sequence[Shape],
    weights: Sequence[float],
    thresholds: Sequence[float],
) -> list[Shape]:
    """The columns of a sum of two without the bounds that change no answer.

    Values beyond a bound are held there. If the sum is above all thresholds at the bound, whatever
    the other column is, and would only be larger without it, the bound need not be told; the same
    if it is below all of them, and would be smaller. No two such bounds are at odds: at the corner
    where both hold, the sum would have to be above and below.
    """
    if len(shapes) != 2 or not any(shape.is_clipped for shape in shapes):
        return list(shapes)
    shift = sum(weight * shape.offset for weight, shape in zip(weights, shapes, strict=True))
    least, most = min(thresholds) - shift, max(thresholds) - shift
    out = []
    for i, shape in enumerate(shapes):
        other = sorted(raw[1 - i] * bound for bound in (shapes[1 - i].low, shapes[1 - i].high))
        for side in ("low", "high"):
            at = raw[i] * getattr(shape, side)
            rises = (side == "high") == (raw[i] > 0)
            if (rises and at + other[0] > most) or (not rises and at + other[1] <= least):
                free = replace(shape, high=INFINITY), replace(shape, low=-INFINITY)
                shape = free[side == "low"]
        out.append(shape)
    return out


def _rounded(
    weights: Sequence[float],
    shapes: Sequence[Shape],
    first: int,
    thresholds: Sequence[float],
    sign: float,
    digits: int | None,
) -> tuple[list[float], dict[float, float]]:
    """Return weights and thresholds of raw columns with as few digits as are accurate."""
    pairs = list(zip(weights, shapes, strict=True))
    size = abs(weights[first] * shapes[first].slope)
    exact = [sign * weight * shape.slope / size for weight, shape in pairs]
    shift = sum(weight * shape.offset for weight, shape in pairs)
    values = sorted(set(map(float, thresholds)))
    moved = {t: sign * (t - shift) / size for t in values}
    if digits is None:
        return exact, moved
    # What a part of a unit of the scaled sum is in words.
    near = 0.5 * 10.0 ** (1 - digits) * max(map(abs, weights)) / size
    for _ in range(12):
        told = [
            weight if abs(weight) == 1
            # Away from the middle a wrong weight is as wrong as the column is wide.
            else _short(weight, near * abs(shape.slope) / _REACH)
            for weight, shape in zip(exact, shapes, strict=True)
        ]  # fmt: skip
        turn = sum(
            (after - before) * shape.middle
            for after, before, shape in zip(told, exact, shapes, strict=True)
        )
        bounds = {t: _short(value + turn, near) for t, value in moved.items()}
        if len(set(bounds.values())) == len(values):
            return told, bounds
        near /= 10
    return exact, moved


def _short(value: float, near: float) -> float:
    """The shortest number that is no farther than ``near`` from the value.

    One that was short before rounding made it long is told as it was.
    """
    for distance in (_EQUAL * abs(value), near):
        if np.isfinite(value) and distance > 0 and value - distance < value:
            found = shortest(value, value - distance, value + distance)
            if distance == near or len(repr(found)) <= _SHORT:
                return found
    return value
