"""The meaning of features, and the text of intervals of their values.

An interval is all values above ``low`` and up to ``high``. Most features are numbers. Some hold
codes, such as -1 for no and 1 for yes, and are described with the labels of the codes. One-hot
columns are 1 where a categorical feature has a category; the text names the feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from agathis._encoding.date_parts import DatePart
from agathis._rules.numerals import are_years, numeral, numerals

INFINITY = float("inf")

#: The category of rows that match no column, if it is unknown.
NO_CATEGORY = object()


def listed(words: Sequence[str]) -> str:
    """Words as a list of alternatives.

    >>> listed(["1st"]), listed(["1st", "2nd"]), listed(["1st", "2nd", "missing"])
    ('1st', '1st or 2nd', '1st, 2nd or missing')
    """
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


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
        """What the column is called where it stands by itself."""
        return self.name

    def around(self, low: float, high: float, missing: bool = False) -> tuple[str, str, bool]:
        """What stands before and after the name where a range of values is a condition.

        And whether it joins several things by "or", as where ``missing`` values are meant too.
        """
        before, after = "", " is known"
        if low > -INFINITY and high < INFINITY:
            before, after = f"{self.text(low)} < ", f" <= {self.text(high)}"
        elif high < INFINITY:
            after = f" <= {self.text(high)}"
        elif low > -INFINITY:
            after = f" > {self.text(low)}"
        return before, after + " or missing" * missing, missing

    def text(self, value: float) -> str:
        """A value as text: a threshold as rules have it, any other one, such as an edge, like it.

        >>> Number("size", {2.5: "2.5"}, numbers="grouped").text(12500.0)
        '12,500'
        """
        found = self.written.get(value)
        if found is None:
            found = numeral(value, self.digits, self.numbers, are_years([*self.written, value]))
        return found


@dataclass(frozen=True)
class Codes(Number):
    """A feature with a label for each of its values."""

    codes: Mapping[float, str] = field(default_factory=dict)

    def around(self, low: float, high: float, missing: bool = False) -> tuple[str, str, bool]:
        chosen = [word for value, word in self.codes.items() if low < value <= high]
        # All or none of the values that have words: these do not tell what the range is.
        if len(chosen) in (0, len(self.codes)):
            return super().around(low, high, missing)
        words = chosen + ["missing"] * missing
        return "", f" is {listed(words)}", len(words) > 1


@dataclass(frozen=True)
class Indicator:
    """1 where ``source`` is ``category``, else 0; missing if the source is missing.

    If missing values are a category, no value is missing: the indicators of the other categories
    are then 0. ``rest`` is the category without an indicator, as encoders drop the first one, if
    it is known.
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
        """Whether it is 1 where the source misses its value."""
        return is_missing(self.category)

    @property
    def label(self) -> str:
        """What the column is called where it stands by itself: the source in its category."""
        if self.of_missing:
            return f"{self.source} is missing"
        word = str(self.category)
        return f"{self.source} is {word.lower() if isinstance(self.category, bool) else word}"


def is_missing(value: object) -> bool:
    """None or NaN."""
    return value is None or (isinstance(value, Real) and value != value)


def _plain(value: object) -> object:
    """Convert a value of NumPy to Python's type."""
    return value.item() if isinstance(value, np.generic) else value


Column = Number | Indicator


def columns_of(
    names: Sequence[str],
    cuts: Mapping[int, Sequence[float]],
    one_hot: object,
    value_names: Mapping[Any, Any] | None,
    digits: int | None,
    numbers: str = "plain",
    date_parts: Mapping[str, DatePart] | None = None,
) -> list[Column]:
    """A column for each feature; ``cuts`` are the thresholds of those that the tree asks for."""
    when = date_parts or {}
    indicators = _indicators(names, one_hot)
    codes = _codes(names, value_names)
    out: list[Column] = []
    for f, name in enumerate(names):
        if name in indicators:
            for threshold in cuts.get(f, ()):
                if not (0 <= threshold < 1 or threshold == INFINITY):
                    raise ValueError(
                        f"one_hot names {name!r}, which the tree cuts at {threshold!r}: it is not "
                        "a column of 0 and 1. If the rows were scaled, give the scaler."
                    )
            out.append(indicators[name])
        elif name in codes:
            written = numerals(cuts.get(f, ()), digits, numbers)
            out.append(Codes(name, written, digits, numbers, when.get(name), codes[name]))
        else:
            written = numerals(cuts[f], digits, numbers) if f in cuts else {}
            out.append(Number(name, written, digits, numbers, when.get(name)))
    sources = {column.source for column in indicators.values()}
    if both := sources.intersection(name for name in names if name not in indicators):
        raise ValueError(
            f"one_hot has the source {min(both)!r}, which is also a feature of its own."
        )
    return out


def categories_of(columns: Sequence[Column], source: str) -> list[object]:
    """Return the categories of a feature that have columns."""
    return [c.category for c in columns if isinstance(c, Indicator) and c.source == source]


def one_hot_of(names: Sequence[str], columns: Sequence[Column]) -> dict[str, dict[str, object]]:
    """The mapping ``one_hot`` that gives these columns."""
    out: dict[str, dict[str, object]] = {}
    for name, column in zip(names, columns, strict=True):
        if isinstance(column, Indicator):
            category = None if column.of_missing else column.category
            out.setdefault(column.source, {})[name] = category
            if column.rest is not NO_CATEGORY:
                # Last, as the category that has no column.
                own = out[column.source]
                own.pop("", None)
                own[""] = None if is_missing(column.rest) else column.rest
    return out


def value_names_of(columns: Sequence[Column]) -> dict[str, dict[float, str]]:
    """The mapping ``value_names`` that gives these columns."""
    return {column.name: dict(column.codes) for column in columns if isinstance(column, Codes)}


def on_circle(column: Column) -> bool:
    """Whether a feature is the sine or the cosine of a part of a date."""
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
    if isinstance(one_hot, OneHotEncoder):
        return _of_encoder(names, one_hot)
    if not isinstance(one_hot, Mapping):
        raise TypeError(
            "one_hot must map each source to its columns, such as {'color': ['color_red', "
            f"'color_blue']}}, or be a fitted OneHotEncoder; it is {one_hot!r}."
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


def _of_encoder(names: Sequence[str], encoder: OneHotEncoder) -> dict[str, Indicator]:
    check_is_fitted(encoder)
    if any(found is not None for found in getattr(encoder, "infrequent_categories_", [])):
        raise ValueError(
            "one_hot is an encoder with infrequent categories, which share a column: give a "
            "mapping from sources to columns instead."
        )
    sources = getattr(encoder, "feature_names_in_", None)
    if sources is None:
        sources = [f"x{i}" for i in range(len(encoder.categories_))]
    out: list[Indicator] = []
    for i, (source, categories) in enumerate(zip(sources, encoder.categories_, strict=True)):
        dropped = None if encoder.drop_idx_ is None else encoder.drop_idx_[i]
        rest = NO_CATEGORY if dropped is None else _plain(categories[dropped])
        for at, category in enumerate(categories):
            if dropped is None or at != dropped:
                out.append(Indicator(str(source), _plain(category), rest))
    if len(out) != len(names):
        raise ValueError(
            f"one_hot is an encoder that makes {len(out)} columns; the tree has {len(names)} "
            "features. If it made some of them only, give a mapping from sources to columns."
        )
    return dict(zip(names, out, strict=True))


def _codes(
    names: Sequence[str], value_names: Mapping[Any, Any] | None
) -> dict[str, dict[float, str]]:
    if value_names is None:
        return {}
    if not isinstance(value_names, Mapping) or not value_names:
        raise TypeError(
            "value_names must map values to words, such as {-1: 'no', 1: 'yes'}, or features to "
            f"such mappings; it is {value_names!r}."
        )
    nested = [isinstance(words, Mapping) for words in value_names.values()]
    if not any(nested):
        value_names = dict.fromkeys(names, value_names)
    elif not all(nested):
        raise TypeError("value_names must map values to words, or all its keys to mappings.")
    out = {}
    for name, words in value_names.items():
        if name not in names:
            raise ValueError(f"value_names has {name!r}, which is no feature.")
        if not all(isinstance(value, Real) for value in words):
            raise TypeError(f"value_names[{name!r}] must have numbers for keys; it is {words!r}.")
        out[name] = {float(value): str(words[value]) for value in sorted(words)}
    return out
