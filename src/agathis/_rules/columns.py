"""The meaning of features, and the text of intervals of their values.

An interval is all values above ``low`` and up to ``high``. Most features are numbers. Some hold
codes, such as -1 for no and 1 for yes, and are described with the labels of the codes. One-hot
columns are 1 where a categorical feature has a category; the text names the feature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from agathis._encoding.date_parts import DatePart
from agathis._rules.numerals import are_years, numeral, numerals

INFINITY = float("inf")

#: The unknown category of rows that match no column.
NO_CATEGORY = object()


#: The text before and after the name of an axis in a condition, and whether it joins several
#: items by "or".
Around = tuple[str, str, bool]


def interval_text(
    low: float, high: float, missing: bool, text: Callable[[float], str], falls: bool = False
) -> Around:
    """Return the text around a name in the condition ``low < name <= high``.

    Parameters
    ----------
    low, high : float
    missing : bool
        Whether missing values satisfy it too.
    text : callable
        Formats a finite bound.
    falls : bool
        Whether the name has the opposite sign: ``high <= name < low``.
    """
    before, after = "", " is known"
    if low > -INFINITY and high < INFINITY:
        first, second = (text(high), text(low)) if falls else (text(low), text(high))
        before, after = (
            (f"{first} <= ", f" < {second}") if falls else (f"{first} < ", f" <= {second}")
        )
    elif high < INFINITY:
        after = f" {'>=' if falls else '<='} {text(high)}"
    elif low > -INFINITY:
        after = f" {'<' if falls else '>'} {text(low)}"
    return before, after + " or missing" * missing, missing


def listed(items: Sequence[str]) -> str:
    """Format alternatives.

    >>> listed(["1st"]), listed(["1st", "2nd"]), listed(["1st", "2nd", "missing"])
    ('1st', '1st or 2nd', '1st, 2nd or missing')
    """
    return " or ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


@dataclass(frozen=True)
class Number:
    """A numeric feature; ``written`` are its thresholds as text.

    ``digits`` and ``numbers`` format other values; ``when`` is the date part that it holds, if
    any.
    """

    name: str
    written: Mapping[float, str] = field(default_factory=dict)
    digits: int | None = 4
    numbers: str = "plain"
    when: DatePart | None = None

    @property
    def column(self) -> str:
        """The column of the raw table."""
        return self.name if self.when is None else self.when.column

    @property
    def label(self) -> str:
        """The name outside of conditions."""
        return self.name

    def around(self, low: float, high: float, missing: bool = False) -> Around:
        """Return the text around the name in the condition of an interval."""
        return interval_text(low, high, missing, self.text)

    def text(self, value: float) -> str:
        """Format a threshold, or another value in the same way.

        >>> Number("size", {2.5: "2.5"}, numbers="grouped").text(12500.0)
        '12,500'
        """
        if value in self.written:
            return self.written[value]
        return numeral(value, self.digits, self.numbers, are_years([*self.written, value]))


@dataclass(frozen=True)
class Codes(Number):
    """A feature with a label for each of its values."""

    codes: Mapping[float, str] = field(default_factory=dict)

    def around(self, low: float, high: float, missing: bool = False) -> Around:
        chosen = [label for value, label in self.codes.items() if low < value <= high]
        # All labels or none do not describe the interval.
        if len(chosen) in (0, len(self.codes)):
            return super().around(low, high, missing)
        labels = chosen + ["missing"] * missing
        return "", f" is {listed(labels)}", len(labels) > 1


@dataclass(frozen=True)
class Levels(Codes):
    """Ranks of ordered levels: an interval is all levels up to one, or from one on."""

    def nearest(self, rank: float) -> str:
        """Return the label of the level nearest to a mean rank."""
        return self.codes[min(self.codes, key=lambda code: abs(code - rank))]

    def around(self, low: float, high: float, missing: bool = False) -> Around:
        labels = list(self.codes.values())
        chosen = [label for value, label in self.codes.items() if low < value <= high]
        if len(chosen) in (0, 1, len(labels)):
            return super().around(low, high, missing)
        before = "" if chosen[0] == labels[0] else f"{chosen[0]} <= "
        after = f" <= {chosen[-1]}"
        if chosen[-1] == labels[-1]:
            before, after = "", f" >= {chosen[0]}"
        return before, after + " or missing" * missing, missing


@dataclass(frozen=True)
class Indicator:
    """A one-hot column: 1 if the feature ``source`` is ``category``, else 0 or missing.

    If missing values are a category, no value is missing. ``rest`` is the category without a
    column (encoders may drop the first one), if it is known.
    """

    source: str
    category: object
    rest: object = NO_CATEGORY

    @property
    def name(self) -> str:
        return self.source

    @property
    def column(self) -> str:
        return self.source

    @property
    def of_missing(self) -> bool:
        """Whether its category is that of missing values."""
        return is_missing(self.category)

    @property
    def label(self) -> str:
        """The name outside of conditions."""
        if self.of_missing:
            return f"{self.source} is missing"
        text = str(self.category)
        return f"{self.source} is {text.lower() if isinstance(self.category, bool) else text}"


def is_missing(value: object) -> bool:
    """Return whether a value is None or NaN."""
    return value is None or (isinstance(value, Real) and value != value)


def _plain(value: object) -> object:
    """Convert a value of NumPy to Python's type."""
    return value.item() if isinstance(value, np.generic) else value


Column = Number | Indicator


def columns_of(
    names: Sequence[str],
    thresholds: Mapping[int, Sequence[float]],
    one_hot: object,
    value_names: Mapping[Any, Any] | None,
    digits: int | None,
    numbers: str = "plain",
    date_parts: Mapping[str, DatePart] | None = None,
) -> list[Column]:
    """Return the meaning of each feature; ``thresholds`` are those of the tree by feature."""
    when = date_parts or {}
    indicators = _indicators(names, one_hot)
    codes = _codes(names, value_names)
    out: list[Column] = []
    for f, name in enumerate(names):
        if name in indicators:
            for threshold in thresholds.get(f, ()):
                if not (0 <= threshold < 1 or threshold == INFINITY):
                    raise ValueError(
                        f"one_hot names {name!r}, which the tree splits at {threshold!r}: it is "
                        "not a column of 0 and 1. If the rows were scaled, give the scaler."
                    )
            out.append(indicators[name])
        elif name in when and when[name].levels:
            written = numerals(thresholds.get(f, ()), digits, numbers)
            labels = {float(i): label for i, label in enumerate(when[name].levels, 1)}
            out.append(Levels(name, written, digits, numbers, when[name], labels))
        elif name in codes:
            written = numerals(thresholds.get(f, ()), digits, numbers)
            out.append(Codes(name, written, digits, numbers, when.get(name), codes[name]))
        else:
            written = numerals(thresholds[f], digits, numbers) if f in thresholds else {}
            out.append(Number(name, written, digits, numbers, when.get(name)))
    sources = {column.source for column in indicators.values()}
    if both := sources.intersection(name for name in names if name not in indicators):
        raise ValueError(f"one_hot has the source {min(both)!r}, which is also a feature.")
    return out


def categories_of(columns: Sequence[Column], source: str) -> list[object]:
    """Return the categories of a feature that have columns."""
    return [c.category for c in columns if isinstance(c, Indicator) and c.source == source]


def one_hot_of(names: Sequence[str], columns: Sequence[Column]) -> dict[str, dict[str, object]]:
    """Return the parameter ``one_hot`` of these columns."""
    out: dict[str, dict[str, object]] = {}
    for name, column in zip(names, columns, strict=True):
        if isinstance(column, Indicator):
            category = None if column.of_missing else column.category
            out.setdefault(column.source, {})[name] = category
            if column.rest is not NO_CATEGORY:
                # The category without a column comes last.
                categories = out[column.source]
                categories.pop("", None)
                categories[""] = None if is_missing(column.rest) else column.rest
    return out


def value_names_of(columns: Sequence[Column]) -> dict[str, dict[float, str]]:
    """Return the parameter ``value_names`` of these columns."""
    return {
        column.name: dict(column.codes)
        for column in columns
        if isinstance(column, Codes) and not isinstance(column, Levels)
    }


def on_circle(column: Column) -> bool:
    """Return whether a feature is the sine or the cosine of a date part."""
    return isinstance(column, Number) and column.when is not None and bool(column.when.circle)


def date_parts_of(names: Sequence[str], columns: Sequence[Column]) -> dict[str, DatePart]:
    """Return the definition of each feature that is a date part."""
    return {
        name: column.when
        for name, column in zip(names, columns, strict=True)
        if isinstance(column, Number) and column.when is not None
    }


def _indicators(names: Sequence[str], one_hot: object) -> dict[str, Indicator]:
    if one_hot is None:
        return {}
    if not isinstance(one_hot, Mapping):
        raise TypeError(
            "one_hot must map each source to its columns, such as {'color': ['color_red', "
            f"'color_blue']}}; it is {one_hot!r}. A fitted OneHotEncoder is passed as scaler."
        )
    known, out = set(names), {}
    for source, columns in one_hot.items():
        if isinstance(columns, str) or not isinstance(columns, (Mapping, Iterable)):
            raise TypeError(
                f"one_hot[{source!r}] must be a list of columns, or map columns to categories; it "
                f"is {columns!r}."
            )
        if not isinstance(columns, Mapping):
            columns = list(columns)
            prefix = f"{source}_"
            if all(str(column).startswith(prefix) for column in columns):
                columns = {column: str(column)[len(prefix) :] for column in columns}
            else:
                columns = {column: str(column) for column in columns}
        columns = dict(columns)
        rest = columns.pop("", NO_CATEGORY) if "" not in known else NO_CATEGORY
        for column, category in columns.items():
            if column not in known:
                raise ValueError(f"one_hot[{source!r}] names {column!r}, which is no feature.")
            if column in out:
                raise ValueError(f"one_hot names {column!r} twice; a column has one source.")
            out[column] = Indicator(str(source), _plain(category), _plain(rest))
    return out


def _codes(
    names: Sequence[str], value_names: Mapping[Any, Any] | None
) -> dict[str, dict[float, str]]:
    if value_names is None:
        return {}
    if not isinstance(value_names, Mapping) or not value_names:
        raise TypeError(
            "value_names must map values to labels, such as {-1: 'no', 1: 'yes'}, or features to "
            f"such mappings; it is {value_names!r}."
        )
    nested = [isinstance(labels, Mapping) for labels in value_names.values()]
    if not any(nested):
        value_names = dict.fromkeys(names, value_names)
    elif not all(nested):
        raise TypeError("value_names must map values to labels, or all its keys to mappings.")
    out = {}
    for name, labels in value_names.items():
        if name not in names:
            raise ValueError(f"value_names has {name!r}, which is no feature.")
        if not all(isinstance(value, Real) for value in labels):
            raise TypeError(f"value_names[{name!r}] must have numbers for keys; it is {labels!r}.")
        out[name] = {float(value): str(labels[value]) for value in sorted(labels)}
    return out
