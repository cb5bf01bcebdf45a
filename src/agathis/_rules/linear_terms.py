"""Text of sums of columns: "petal width + 0.43 × petal length".

The tree may sum scaled columns. Offsets and factors are folded into the weights and the threshold,
and all is divided so that the first weight is 1. Then numbers are rounded. A rounded weight turns
the line about the middle of its column, so the threshold is adjusted; both have as many digits as
keep the error below a small fraction of a scaled unit. The text is for reading: the tree computes
with its own numbers.

Other transformations are named: "log of price", "income (held within 12 to 93000)". A sum with
negative weights only is written with inverted signs and bounds: "a + b >= 3".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agathis._rules.columns import Around, interval_text
from agathis._rules.numerals import numeral, numerals, shortest
from agathis._trees.stepped import Step, Steps, after, described

INFINITY = float("inf")
TIMES = "\N{MULTIPLICATION SIGN}"

#: The distance from the middle of a scaled column, in scaled units, at which errors are bounded.
_REACH = 3.0
#: The relative error of a short number after computations, and its maximum length.
_EQUAL, _SHORT = 1e-13, 9


@dataclass(frozen=True)
class Shape:
    """A column in a sum: ``slope * clip(u, low, high) + offset``.

    u is the column after the steps ``mapped``, the last of which is a function, and ``fill`` its
    imputed value.
    """

    mapped: Steps = ()
    low: float = -INFINITY
    high: float = INFINITY
    slope: float = 1.0
    offset: float = 0.0
    fill: float | None = None

    @property
    def is_invertible(self) -> bool:
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
        """The value of u at which the scaled column is 0."""
        return -self.offset / self.slope

    def values(self, column: np.ndarray) -> np.ndarray:
        """Compute the clipped u of each row."""
        return np.clip(after(column, self.mapped), self.low, self.high)

    def named(self, label: str, digits: int | None, numbers: str) -> str:
        """Return the text of the column in a sum."""
        label = described(label, self.mapped)
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
    """Combine the steps of a column.

    >>> shape_of((Step("at_most", 10.0), Step("subtract", 4.0), Step("divide", 2.0)))
    Shape(mapped=(), low=-inf, high=10.0, slope=0.5, offset=-2.0, fill=None)
    """
    out = Shape()
    for i, step in enumerate(steps):
        if not isinstance(step, Step):
            out = Shape(steps[: i + 1])
        elif step.operation in ("at_least", "at_most"):
            out = _clipped(out, step)
        elif step.operation in ("multiply", "divide"):
            by = step.by if step.operation == "multiply" else 1 / step.by
            out = replace(out, slope=out.slope * by, offset=out.offset * by)
        elif step.operation in ("add", "subtract"):
            by = step.by if step.operation == "add" else -step.by
            out = replace(out, offset=out.offset + by)
        elif out.fill is None and out.slope:
            out = replace(out, fill=(step.by - out.offset) / out.slope)
    return out


def _clipped(shape: Shape, step: Step) -> Shape:
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
        The weights in the text, in the order of the terms.
    bounds : mapping
        From the thresholds of the tree to those in the text.
    written : mapping
        From these to their text.
    turned : bool
        Whether the sum in the text has the opposite sign.
    """

    name: str
    weights: tuple[float, ...]
    bounds: Mapping[float, float]
    written: Mapping[float, str]
    turned: bool

    def around(self, low: float, high: float, missing: bool) -> Around:
        """Return the text around the name in the condition of an interval of the sum."""
        return interval_text(low, high, missing, self.text, self.turned)

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
        The weight of each term, the steps on its column, and the column's name.
    thresholds : sequence of float
    digits, numbers
        As in :func:`agathis.export.to_text`.

    Examples
    --------
    >>> scaled = (Step("subtract", 1.2), Step("divide", 0.76)), (Step("divide", 1.77),)
    >>> total = describe_sum([1.0, 0.5], scaled, ["width", "length"], [0.25])
    >>> total.name, total.written
    ('width + 0.2147 × length', {1.39: '1.39'})
    >>> describe_sum([-1.0, 2.0], ((), ()), ["a", "b"], [0.25]).name
    '2 × b - a'
    """
    shapes = [shape_of(of_column) for of_column in steps]
    if not all(shape.is_invertible for shape in shapes):
        # The scaling is not invertible: write the scaled columns.
        shapes, steps = [Shape()] * len(shapes), [()] * len(shapes)
        labels = [f"scaled {label}" for label in labels]
    raw = [weight * shape.slope for weight, shape in zip(weights, shapes, strict=True)]
    turned = all(weight <= 0 for weight in raw)
    sign = -1.0 if turned else 1.0
    order = sorted(range(len(raw)), key=lambda i: sign * raw[i] <= 0)
    if any(steps):
        rounded, bounds = _rounded(weights, shapes, order[0], thresholds, sign, digits)
    else:
        rounded = [sign * weight for weight in raw]
        bounds = {t: sign * t + 0.0 for t in map(float, thresholds)}
        # Equal weights become 1.
        if len({abs(weight) for weight in rounded}) == 1 and rounded[0]:
            size = abs(rounded[0])
            rounded = [weight / size for weight in rounded]
            bounds = {t: bound / size for t, bound in bounds.items()}
    named = _with_needed_bounds(raw, shapes, weights, thresholds)
    # Rounded numbers are written in full.
    text_digits = None if any(steps) else digits
    written = numerals(bounds.values(), text_digits, numbers)
    name = ""
    for i in order:
        if rounded[i] == 0:
            continue
        minus = rounded[i] < 0
        name += (" - " if minus else " + ") if name else "-" * minus
        size = abs(rounded[i])
        name += "" if size == 1 else f"{numeral(size, text_digits, numbers)} {TIMES} "
        name += named[i].named(labels[i], digits, numbers)
    return SumDescription(name or "0", tuple(rounded), bounds, written, turned)


def _with_needed_bounds(
    raw: Sequence[float],
    shapes: Sequence[Shape],
    weights: Sequence[float],
    thresholds: Sequence[float],
) -> list[Shape]:
    """Omit the clipping bounds of a sum of two columns that change no split.

    If the sum is above all thresholds at a bound, for any value of the other column, and would only
    be larger without clipping, the bound is omitted; the same if it is below all of them, and would
    be smaller. Two such bounds never conflict: where both apply, the sum would have to be above and
    below.
    """
    if len(shapes) != 2 or not any(shape.is_clipped for shape in shapes):
        return list(shapes)
    shift = sum(weight * shape.offset for weight, shape in zip(weights, shapes, strict=True))
    smallest, largest = min(thresholds) - shift, max(thresholds) - shift
    out = []
    for i, shape in enumerate(shapes):
        other = sorted(raw[1 - i] * bound for bound in (shapes[1 - i].low, shapes[1 - i].high))
        for side in ("low", "high"):
            at = raw[i] * getattr(shape, side)
            rises = (side == "high") == (raw[i] > 0)
            if (rises and at + other[0] > largest) or (not rises and at + other[1] <= smallest):
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
    terms = list(zip(weights, shapes, strict=True))
    size = abs(weights[first] * shapes[first].slope)
    exact = [sign * weight * shape.slope / size for weight, shape in terms]
    shift = sum(weight * shape.offset for weight, shape in terms)
    values = sorted(set(map(float, thresholds)))
    moved = {t: sign * (t - shift) / size for t in values}
    if digits is None:
        return exact, moved
    # The accepted error, in units of the text.
    near = 0.5 * 10.0 ** (1 - digits) * max(map(abs, weights)) / size
    for _ in range(12):
        rounded = [
            weight if abs(weight) == 1
            # The error of a weight grows with the distance from the middle of the column.
            else _short(weight, near * abs(shape.slope) / _REACH)
            for weight, shape in zip(exact, shapes, strict=True)
        ]  # fmt: skip
        turn = sum(
            (after - before) * shape.middle
            for after, before, shape in zip(rounded, exact, shapes, strict=True)
        )
        bounds = {t: _short(value + turn, near) for t, value in moved.items()}
        if len(set(bounds.values())) == len(values):
            return rounded, bounds
        near /= 10
    return exact, moved


def _short(value: float, near: float) -> float:
    """Return the shortest number within ``near`` of the value.

    A number that was short before floating-point errors is restored.
    """
    for distance in (_EQUAL * abs(value), near):
        if np.isfinite(value) and distance > 0 and value - distance < value:
            short = shortest(value, value - distance, value + distance)
            if distance == near or len(repr(short)) <= _SHORT:
                return short
    return value
