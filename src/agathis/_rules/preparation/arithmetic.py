"""The operations of a line of numbers, which give the same values as its steps to the last bit.

Scalers are taken apart into their operations, in their order. The functions of other transformers,
such as quantiles and powers, stay functions of the column with a description.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

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
from agathis._rules.preparation.column_transforms import Line, Link, Times, transformed_by
from agathis._rules.preparation.known_steps import encoding
from agathis._trees.stepped import Logarithm, Mapped, Operation, Ranks, Step, Steps, described

if TYPE_CHECKING:
    from agathis._rules.preparation.raw_splits import Values

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
#: The operations of each scaler: the operation, its constants, and the parameter that enables it.
_OPERATIONS: dict[type, tuple[tuple[str, str, str | None], ...]] = {
    StandardScaler: (("subtract", "mean_", "with_mean"), ("divide", "scale_", "with_std")),
    RobustScaler: (
        ("subtract", "center_", "with_centering"),
        ("divide", "scale_", "with_scaling"),
    ),
    MinMaxScaler: (("multiply", "scale_", None), ("add", "min_", None)),
    MaxAbsScaler: (("divide", "scale_", None),),
    SimpleImputer: (("fill", "statistics_", None),),
    FeatureScaler: (
        ("at_least", "low_", None),
        ("at_most", "high_", None),
        ("subtract", "centre_", None),
        ("multiply", "factor_", None),
    ),
}
_SIGNS: dict[Any, float] = {np.positive: 1.0, np.negative: -1.0}


def steps_of_line(line: Line) -> Steps:
    """Return the operations of a line of numbers, from the raw column on."""
    out: list[Operation | Mapped] = []
    for i, link in enumerate(line.links):
        operations = operations_of(link)
        if operations is not None:
            out += operations
            continue
        # All steps up to this one become one function.
        label = _label(link).format(described("{}", out))
        out = [Mapped(label, partial(transformed_by, Line(0, line.links[: i + 1])))]
    return tuple(step for step in out if not is_nothing(step))


def indicator_term(line: Line, name: str, values_of: Callable[[Line], Values]) -> tuple[int, Steps]:
    """Return the raw feature of 0 and 1 at the start of a line of categories, and its operations.

    Parameters
    ----------
    line : Line
    name : str
        The raw column, for errors.
    values_of : callable
        Returns the values of the categories at the end of a line.
    """
    link = encoding(line)
    at = line.links.index(link) + 1 if link is not None else 1
    encoded = values_of(replace(line, links=line.links[:at]))
    on = [f for f, value in encoded.known.items() if value == 1]
    if len(on) != 1 or set(encoded.known.values()) - {0.0, 1.0} or encoded.unknown == 1:
        raise ValueError(
            f"the tree splits on a sum with column {name!r}, whose categories were converted to "
            f"numbers by {type(line.links[at - 1].step).__name__}: such a sum cannot be expressed "
            "in raw columns."
        )
    fill: Steps = ()
    if encoded.missing is not None and not np.isnan(encoded.missing):
        fill = (Step("fill", encoded.missing),)
    return on[0], fill + steps_of_line(replace(line, links=line.links[at:]))


def is_nothing(step: object) -> bool:
    """Return whether it is an operation that changes no value."""
    return isinstance(step, Step) and (step.operation, step.by) in (
        ("multiply", 1.0),
        ("divide", 1.0),
        ("add", 0.0),
        ("subtract", 0.0),
        ("at_least", -np.inf),
        ("at_most", np.inf),
    )


def operations_of(link: Link) -> Sequence[Operation] | None:
    """Return the operations of a step; None if it is another function."""
    step, f = link.step, link.input_column
    if isinstance(step, Times):
        return [Step("multiply", step.factor)]
    if isinstance(step, FunctionTransformer):
        return [Step("multiply", _SIGNS[step.func])] if step.func in _SIGNS else None
    for kind, operations in _OPERATIONS.items():
        if isinstance(step, kind):
            out: list[Operation] = [
                Step(operation, float(getattr(step, constants)[f]))
                for operation, constants, enabled in operations
                if enabled is None or getattr(step, enabled)
            ]
            if getattr(step, "clip", False):
                low, high = getattr(step, "feature_range", (-1.0, 1.0))
                out += [Step("at_least", float(low)), Step("at_most", float(high))]
            if isinstance(step, FeatureScaler) and step.how[f] in ("rank", "log"):
                is_rank = step.how[f] == "rank"
                ranks = (tuple(values.tolist()) for values in step.ranks_.get(f, ()))
                # After clipping, before centring.
                out.insert(2, Ranks(*ranks) if is_rank else Logarithm())
            return out
    return None


def _label(link: Link) -> str:
    step = link.step
    if isinstance(step, FunctionTransformer):
        return _FUNCTIONS.get(step.func, f"{step.func.__name__} of {{}}")
    return next((label for kind, label in _KINDS.items() if isinstance(step, kind)), "scaled {}")
