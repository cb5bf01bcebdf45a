"""What the steps of a line do to a number, operation by operation.

Cuts of one column need no more than the order of values (``raw_splits``). A cut of a sum needs the
values themselves: so the scalers are taken apart into the operations that they compute, in their
order, with which every row gets the number that the model got, to the last bit. What is no such
operation, a logarithm, ranks, powers, stays a function of the column with words for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from agathis._encoding.scaling import FeatureScaler
from agathis._rules.preparation.known_steps import encoding
from agathis._rules.preparation.links import Line, Link, Times, carried
from agathis._rules.preparation.raw_splits import Values
from agathis._trees.stepped import Mapped, Step, Steps

_FUNCTIONS: dict[Any, str] = {
    np.log: "log of {}",
    np.log1p: "log of (1 + {})",
    np.log2: "log2 of {}",
    np.log10: "log10 of {}",
    np.sqrt: "square root of {}",
    np.cbrt: "cube root of {}",
}
_KINDS: dict[type, str] = {
    QuantileTransformer: "quantile of {}",
    PowerTransformer: "power transform of {}",
    KBinsDiscretizer: "bin of {}",
    Binarizer: "binarised {}",
}


def steps_of_line(line: Line) -> Steps:
    """The operations along a line of numbers, from the raw column on."""
    out: list[Step | Mapped] = []
    # What comes before the last link that is no operation is part of one function.
    words = "{}"
    for i, link in enumerate(line.links):
        found = operations_of(link)
        if found is not None:
            out += found
            continue
        words = _words(link).format(words)
        out = [Mapped(words, _along(Line(0, line.links[: i + 1])))]
        if isinstance(link.step, FeatureScaler) and not link.asks:
            scaler, f = link.step, link.enters
            out = [
                Mapped(words, _mapped(Line(0, line.links[:i]), scaler, f)),
                Step("subtract", float(scaler.centre_[f])),
                Step("multiply", float(scaler.factor_[f])),
            ]
    return tuple(step for step in out if not is_nothing(step))


def indicator_term(line: Line, name: str, values_of: Callable[[Line], Values]) -> tuple[int, Steps]:
    """The raw feature of 0 and 1 that a line of categories begins with, and what follows.

    Parameters
    ----------
    line : Line
    name : str
        Of its source, for errors.
    values_of : callable
        Gives the values that categories have at the end of a line.
    """
    link = encoding(line)
    at = line.links.index(link) + 1 if link is not None else 1
    encoded = values_of(replace(line, links=line.links[:at]))
    on = [f for f, value in encoded.known.items() if value == 1]
    if len(on) != 1 or set(encoded.known.values()) - {0.0, 1.0} or encoded.unknown == 1:
        raise ValueError(
            f"the tree asks for a sum with column {name!r}, whose categories "
            f"{type(line.links[at - 1].step).__name__} made numbers of: such a sum cannot be "
            "brought back to the raw columns."
        )
    fill: Steps = ()
    if encoded.missing is not None and not np.isnan(encoded.missing):
        fill = (Step("fill", encoded.missing),)
    return on[0], fill + steps_of_line(replace(line, links=line.links[at:]))


def is_nothing(step: object) -> bool:
    """Whether it is an operation that changes no value."""
    return isinstance(step, Step) and (step.operation, step.by) in (
        ("multiply", 1.0),
        ("divide", 1.0),
        ("add", 0.0),
        ("subtract", 0.0),
        ("at_least", -np.inf),
        ("at_most", np.inf),
    )


def operations_of(link: Link) -> list[Step] | None:
    """What a link computes; None where that is no operation."""
    if link.asks:
        return None
    return next(
        (
            [Step(how, float(by)) for how, by in rule(link.step, link)]
            for kind, rule in _RULES.items()
            if isinstance(link.step, kind) and _has_form(link)
        ),
        None,
    )


def _has_form(link: Link) -> bool:
    step = link.step
    if isinstance(step, FunctionTransformer):
        return step.func in (np.negative, np.positive)
    if isinstance(step, FeatureScaler):
        return step.how[link.enters] not in ("rank", "log")
    return True


def _standard(step: StandardScaler, link: Link) -> Iterator[tuple[str, float]]:
    if step.with_mean:
        yield "subtract", step.mean_[link.enters]
    if step.with_std:
        yield "divide", step.scale_[link.enters]


def _robust(step: RobustScaler, link: Link) -> Iterator[tuple[str, float]]:
    if step.with_centering:
        yield "subtract", step.center_[link.enters]
    if step.with_scaling:
        yield "divide", step.scale_[link.enters]


def _min_max(step: MinMaxScaler, link: Link) -> Iterator[tuple[str, float]]:
    yield "multiply", step.scale_[link.enters]
    yield "add", step.min_[link.enters]
    if step.clip:
        yield "at_least", step.feature_range[0]
        yield "at_most", step.feature_range[1]


def _max_abs(step: MaxAbsScaler, link: Link) -> Iterator[tuple[str, float]]:
    yield "divide", step.scale_[link.enters]
    # Only newer versions of scikit-learn know it.
    if getattr(step, "clip", False):
        yield "at_least", -1.0
        yield "at_most", 1.0


def _imputer(step: SimpleImputer, link: Link) -> Iterator[tuple[str, float]]:
    yield "fill", step.statistics_[link.enters]


def _feature_scaler(step: FeatureScaler, link: Link) -> Iterator[tuple[str, float]]:
    f = link.enters
    yield "at_least", step.low_[f]
    yield "at_most", step.high_[f]
    yield "subtract", step.centre_[f]
    yield "multiply", step.factor_[f]


def _function(step: FunctionTransformer, link: Link) -> Iterator[tuple[str, float]]:
    if step.func is np.negative:
        yield "multiply", -1.0


_RULES: dict[type, Callable[[Any, Link], Iterator[tuple[str, float]]]] = {
    StandardScaler: _standard,
    RobustScaler: _robust,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    SimpleImputer: _imputer,
    FeatureScaler: _feature_scaler,
    FunctionTransformer: _function,
    Times: lambda step, link: iter([("multiply", step.factor)]),
}


def _words(link: Link) -> str:
    step = link.step
    if link.asks:
        return "{} is missing"
    if isinstance(step, FeatureScaler):
        return "rank of {}" if step.how[link.enters] == "rank" else "log of (1 + {})"
    if isinstance(step, FunctionTransformer):
        return _FUNCTIONS.get(step.func, f"{step.func.__name__} of {{}}")
    found = (words for kind, words in _KINDS.items() if isinstance(step, kind))
    return next(found, "scaled {}")


def _along(line: Line) -> Callable[[np.ndarray], np.ndarray]:
    return lambda values: carried([line], np.asarray(values, dtype=np.float64)[:, None])[:, 0]


def _mapped(
    before: Line, scaler: FeatureScaler, feature: int
) -> Callable[[np.ndarray], np.ndarray]:
    """What a scaler makes of values before it takes off their centre."""

    def function(values: np.ndarray) -> np.ndarray:
        table = carried([before], np.asarray(values, dtype=np.float64)[:, None])
        return scaler._mapped(table, np.array([feature]))[:, 0]

    return function
