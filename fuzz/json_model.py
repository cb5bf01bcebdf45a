"""An independent reader of the model format: the clusters of rows by the JSON alone.

It is written from the description of the format (the docstring of ``agathis.export._json``) and
shares no code with the package, so that a fuzzer can compare ``predict`` with it. Rows are mappings
from names of columns to values; numbers, booleans and dates are Python's, or ISO strings of dates.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping
from typing import Any

#: Strings that stand for a missing value where they are no category.
MARKS = {
    "", "NA", "N/A", "n/a", "NULL", "null", "#N/A", "#NA", "#N/A N/A", "NaN", "nan", "-NaN", "-nan",
    "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "<NA>", "NaT",
}  # fmt: skip
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
ISO = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?")
OPERATIONS = {
    "subtract": lambda x, by: x - by,
    "add": lambda x, by: x + by,
    "multiply": lambda x, by: x * by,
    "divide": lambda x, by: x / by,
    "at_least": lambda x, by: max(x, by),
    "at_most": lambda x, by: min(x, by),
}


class Undefined(ValueError):
    """The description does not say what a value means."""


def cluster_of(record: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """The cluster of a row of a raw table, as its number."""
    sources = {
        name: source
        for source, made in (record.get("one_hot") or {}).items()
        for name in made
        if name
    }
    return walk(record, lambda f: _feature(record, sources, record["feature_names"][f], row))


def walk(record: Mapping[str, Any], value_of: Any) -> int:
    """The cluster of the leaf that a row ends in; ``value_of`` gives features, None if missing."""
    nodes, node = record["nodes"], 0
    terms = nodes.get("terms") if record["version"] > 1 else None
    while nodes["left"][node] is not None:
        own = terms[node] if terms is not None else None
        x = value_of(nodes["feature"][node]) if not own else _sum(own, value_of)
        threshold = nodes["threshold"][node]
        threshold = math.inf if threshold == "inf" else float(threshold)
        left, right = nodes["left"][node], nodes["right"][node]
        if x is not None:
            node = left if x <= threshold else right
        elif nodes["missing"][node] == "unseen":
            node = left if nodes["samples"][left] >= nodes["samples"][right] else right
        else:
            node = left if nodes["missing"][node] == "left" else right
    return nodes["cluster"][node]


def _sum(terms: list[Any], value_of: Any) -> float | None:
    total = 0.0
    for feature, weight, *more in terms:
        x = value_of(feature)
        for operation, by in more[0] if more else ():
            if operation == "fill":
                x = float(by) if x is None else x
            elif x is not None:
                x = OPERATIONS[operation](x, float(by))
        if x is None:
            return None
        total += float(weight) * x
    if math.isnan(total):
        raise Undefined("a sum that is no number")
    return total


def _feature(
    record: Mapping[str, Any], sources: Mapping[str, str], name: str, row: Mapping[str, Any]
) -> float | None:
    """A feature of a raw row."""
    part = (record.get("date_parts") or {}).get(name)
    if part is not None:
        return _date_part(part, _known(row[part["column"]]))
    if name not in sources:
        value = _known(row[name])
        return None if value is None else float(value)
    made = record["one_hot"][sources[name]]
    words = [word(category) for category in made.values()]
    value = row[sources[name]]
    value = word(value if isinstance(value, str) and value in words else _known(value))
    if value is None and None not in words:
        return None
    return float(value == word(made[name]))


def _known(value: Any) -> Any:
    if isinstance(value, str) and value in MARKS:
        return None
    return None if isinstance(value, float) and math.isnan(value) else value


def word(value: Any) -> str | None:
    """A value as it is compared: 2.0 is the category 2, and true a boolean."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None else str(value)


def _moment(text: str) -> dt.datetime:
    try:
        if ISO.fullmatch(text):
            return dt.datetime.fromisoformat(text)
    except ValueError:
        pass
    raise Undefined(f"a date that is none: {text!r}")


def _date_part(part: Mapping[str, Any], value: Any) -> float | None:
    if value is None:
        return None
    if part.get("circle"):
        raise Undefined(f"a split on the circle of {part['column']!r}")
    if part.get("holds") == "numbers":
        return float(value)
    if part.get("holds") == "levels":
        levels = [level.lower() for level in part["levels"]]
        key = " ".join(str(value).split()).lower()
        return 1.0 + levels.index(key) if key in levels else None
    if part.get("holds") == "names":
        if part["part"] != "month" or str(value)[:3].lower() not in MONTHS:
            raise Undefined(f"{value!r} as a {part['part']}")
        return 1.0 + MONTHS.index(str(value)[:3].lower())
    at = _moment(value) if isinstance(value, str) else value
    if not isinstance(at, dt.date):
        raise Undefined(f"a date that is none: {value!r}")
    made = {
        "year": at.year,
        "month": at.month,
        "weekday": at.isoweekday(),
        "hour": getattr(at, "hour", 0),
        "days": at.toordinal() - dt.date(1970, 1, 1).toordinal(),
    }
    return float(made[part["part"]])
