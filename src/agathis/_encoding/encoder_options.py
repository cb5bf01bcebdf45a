"""Validate the options of an encoder against its table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

from agathis._columns.scales import key_of
from agathis._columns.wording import quoted, suggestion
from agathis._encoding.scaling import SCALES

#: Options with names of columns, which must not overlap.
LISTS = ("drop", "keep", "categorical", "no_split", "no_count", "show")
TOGETHER = {("keep", "categorical"), ("keep", "no_split"), ("keep", "no_count")}
TOGETHER |= {("categorical", "no_split"), ("categorical", "no_count")}


@dataclass(frozen=True)
class Options:
    """The scaling and weight of each column."""

    scales: Mapping[str, str] = field(default_factory=dict)
    default: str = "auto"
    weights: Mapping[str, float] = field(default_factory=dict)
    learns: bool = False

    def with_weights(self, weights: Mapping[str, float]) -> Options:
        return replace(self, weights=weights)

    def scale(self, column: str) -> str:
        return self.scales.get(column, self.default)

    def weight(self, column: str) -> float:
        return float(self.weights.get(column, 1.0))

    @classmethod
    def of(cls, encoder: Any, names: Collection[str]) -> Options:
        """Validate the options of an encoder for a table with these columns."""
        there = set(names)
        lists = {argument: getattr(encoder, argument) for argument in LISTS}
        for argument, given in lists.items():
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise TypeError(f"{argument} must be a list of column names; got {given!r}.")
            for name in given:
                _check_name(argument, name, there)
        for i, first in enumerate(LISTS):
            for second in LISTS[i + 1 :]:
                both = set(lists[first]) & set(lists[second])
                if both and (first, second) not in TOGETHER:
                    raise ValueError(f"{first} and {second} both name {min(both)!r}.")
        if encoder.dates not in ("out", "parts"):
            raise ValueError(f"dates={encoder.dates!r} must be 'out' or 'parts'.")
        maximum = encoder.max_categories
        if isinstance(maximum, bool) or not isinstance(maximum, Integral) or maximum < 2:
            raise ValueError(f"max_categories={maximum!r} must be an integer, at least 2.")
        _check_ordered(encoder.ordered, there, encoder)
        scales, default = _scales(encoder.scale, there)
        learns = isinstance(encoder.weight, str) and encoder.weight == "learned"
        return cls(scales, default, _weights(encoder.weight, there), learns)


def _check_ordered(ordered: object, there: Collection[str], encoder: Any) -> None:
    if ordered is None:
        return
    if not isinstance(ordered, Mapping):
        raise TypeError(f"ordered must map columns to lists of values; got {ordered!r}.")
    for name, levels in ordered.items():
        _check_name("ordered", name, there)
        if isinstance(levels, str) or not all(isinstance(level, str) for level in levels):
            raise TypeError(f"ordered[{name!r}] must be a list of strings; got {levels!r}.")
        if len(levels) < 2 or len(set(map(key_of, levels))) < len(levels):
            raise ValueError(
                f"ordered[{name!r}]={levels!r} must have at least two values, which differ by "
                "more than case and blanks."
            )
        for argument in ("drop", "categorical", "show"):
            if name in getattr(encoder, argument):
                raise ValueError(f"ordered and {argument} both name {name!r}.")


def _scales(scale: object, there: Collection[str]) -> tuple[dict[str, str], str]:
    given = {str(k): v for k, v in scale.items()} if isinstance(scale, Mapping) else {}
    default = "auto" if isinstance(scale, Mapping) else scale
    for name in given:
        _check_name("scale", name, there)
    for how in [*given.values(), default]:
        if how not in SCALES:
            raise ValueError(f"scale={scale!r}: {how!r} must be one of {', '.join(SCALES)}.")
    return given, str(default)


def _weights(weight: object, there: Collection[str]) -> dict[str, float]:
    if isinstance(weight, str) and weight in ("learned", "equal"):
        return {}
    if not isinstance(weight, Mapping):
        raise ValueError(
            f"weight={weight!r} must be 'learned', 'equal', or map columns to numbers."
        )
    for name, value in weight.items():
        _check_name("weight", name, there)
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1e6:
            raise ValueError(
                f"weight[{name!r}]={value!r} must be a number above 0; no_count is for columns "
                "that do not count."
            )
    return {str(name): float(value) for name, value in weight.items()}


def _check_name(argument: str, name: object, there: Collection[str]) -> None:
    if name in there:
        return
    raise ValueError(
        f"{argument} names {name!r}, which is no column.{suggestion(name, sorted(there))} Columns: "
        f"{quoted(sorted(there))}."
    )
