"""Random raw tables with planted groups, as plain data: what ``fuzz/tables.py`` makes cases of.

A column is a dict of a name, a type and values. Values are numbers, booleans, strings, ISO dates as
strings, and None where one is missing, so that JSON holds a case. :func:`frame_of` makes a data
frame of columns, :func:`cleaned` the values that a database or a program would hold: numbers for
numeric strings, and None for strings that stand for a missing value.
"""

from __future__ import annotations

import datetime as dt
import math
import random
from typing import Any

Column = dict[str, Any]

#: Legal names; no two are one column to a database that ignores case.
NAMES = [
    "size", "price of it", "it's", 'say "hi"', "a,b", "c;d", "größe", "🌲 tree", "=1+1", "select",
    "Order By", "back\\slash", "x.y", "100%", "[z]", "a/b", "#rows", "null", "{0}", "a\tb", "-",
]  # fmt: skip
CATEGORIES = [
    "red", "Red", "blue sky", "it's", 'say "hi"', "a,b", "c;d", "naïve", "🌲", "=1+1", "SELECT",
    "none", "true", "yes", "no", "back\\slash", "100%", "-", "?", "2", "a\tb", "x" * 60,
]  # fmt: skip
#: Strings that stand for a missing value in files, and in new rows of data frames.
MARKS = ["", "NA", "N/A", "null", "NaN", "<NA>", "#N/A", "NaT"]
UNSEEN = "unseen ✓"
#: How far new values lie above a threshold, relative to the column. The pipeline compares scaled
#: numbers, and raw ones that differ in their last digits may be one number after scaling.
NEAR = 1e-9
MONTHS = ["January", "February", "March", "May", "August", "October", "December"]
#: Types whose columns may miss values without becoming columns of another type.
HAVE_MISSING = (
    "float",
    "Int",
    "boolean",
    "text",
    "categorical",
    "date",
    "date text",
    "number text",
)
TYPES = {
    "float": 8, "int": 3, "Int": 2, "bool": 1, "boolean": 1, "text": 4, "categorical": 2,
    "codes": 2, "date": 1, "date text": 1, "id": 1, "constant": 1, "number text": 1, "months": 0.3,
}  # fmt: skip


def make_case(seed: int) -> dict[str, Any]:
    """A table with hidden groups, and how it is fitted."""
    chance = random.Random(seed)
    n, k = chance.randint(30, 120), chance.choice([2, 2, 3, 4])
    clear = chance.random() < 0.25
    group = _groups(chance, n, k, at_least=8 if clear else 1)
    names = [*NAMES, *(f"c{i}" for i in range(20))] if chance.random() < 0.6 else _plain_names()
    chance.shuffle(names) if chance.random() < 0.6 else None
    columns = []
    for i in range(chance.randint(2, 8)):
        kind = chance.choices(list(TYPES), list(TYPES.values()))[0]
        if clear:
            kind = chance.choice(["float", "float", "int", "id", "constant"]) if i else "float"
        values = _values(chance, kind, group, clear)
        if kind in HAVE_MISSING and not clear and chance.random() < 0.35:
            share = chance.choice([0.02, 0.1, 0.3])
            values = [None if chance.random() < share else value for value in values]
        columns.append({"name": names[i], "type": kind, "values": values})
    return {
        "seed": seed,
        "clear": clear,
        "group": group,
        "columns": columns,
        "options": _options(chance, k, columns, clear),
        "fit_by_command": chance.choice(["", "", "", "parquet", "csv"]),
        "mark": chance.choice(MARKS),
        "separator": chance.choice(",;\t"),
        "twice": chance.random() < 0.2,
    }


def _plain_names() -> list[str]:
    return [f"c{i}" for i in range(20)]


def _groups(chance: random.Random, n: int, k: int, at_least: int) -> list[int]:
    shares = [chance.random() + 0.2 for _ in range(k)]
    group = [i for i in range(k) for _ in range(at_least)]
    group += chance.choices(range(k), shares, k=n - len(group))
    if chance.random() < 0.7:
        chance.shuffle(group)
    return group


def _values(chance: random.Random, kind: str, group: list[int], clear: bool) -> list[Any]:
    """The values of a column; where ``clear``, groups lie 10 standard deviations apart or more."""
    n, k = len(group), max(group) + 1
    place = chance.sample(range(k), k)
    apart = chance.uniform(10, 30) if clear else chance.choice([0.0, 1.0, 3.0, 8.0])
    drawn = [apart * place[g] + max(-2.5, min(2.5, chance.gauss(0, 1))) for g in group]
    if kind == "float":
        return _floats(chance, drawn, clear)
    if kind in ("int", "Int"):
        unit = chance.choice([10, 1000] if clear else [1, 1, 3, 10, 1000, 10**12, 2**53 // 200])
        return [round(value * unit) for value in drawn]
    if kind == "number text":
        return [f"{value:.2f}" for value in drawn]
    if kind == "codes":
        return [min(5, max(1, round(1 + value % 5))) for value in drawn]
    if kind in ("bool", "boolean"):
        return [value > apart / 2 for value in drawn]
    if kind in ("text", "categorical"):
        words = chance.sample(CATEGORIES, chance.randint(2, 6))
        noise = chance.choice([0.0, 0.2, 1.0])
        return [
            chance.choice(words) if chance.random() < noise else words[g % len(words)]
            for g in group
        ]
    if kind in ("date", "date text"):
        days, hours = chance.choice([3, 60, 500, 3000]), chance.random() < 0.5
        return [
            moment(chance, days, hours, 400 * place[g] * (apart > 2)).isoformat(
                sep=" ", timespec="seconds" if hours or kind == "date" else "auto"
            )[: 19 if hours or kind == "date" else 10]
            for g in group
        ]
    if kind == "months":
        return [chance.choice(MONTHS) for _ in range(n)]
    if kind == "id":
        first = chance.choice([0, 1, 1000])
        return chance.choice(
            [[first + i for i in range(n)], [f"row-{first + i:05d}" for i in range(n)]]
        )
    return [chance.choice([7, 1.5, "same", True])] * n


def moment(chance: random.Random, days: int, hours: bool, shift: int = 0) -> dt.datetime:
    """A date, or a time of one."""
    at = dt.datetime(2019, 1, 1) + dt.timedelta(days=shift + chance.randrange(days))
    return at + dt.timedelta(seconds=chance.randrange(86_400) if hours else 0)


def _floats(chance: random.Random, drawn: list[float], clear: bool) -> list[float]:
    kinds = ["plain", "rounded", "units", "large"]
    kinds += [] if clear else ["plain", "rounded", "ties", "tiny", "zeros", "outlier", "infinite"]
    kind = chance.choice(kinds)
    if kind == "rounded":
        return [round(value, 2) for value in drawn]
    if kind == "units":
        unit = 10.0 ** chance.randint(-6, 9)
        return [value * unit for value in drawn]
    if kind == "large":
        return [1e12 + 1000 * value for value in drawn]
    if kind == "ties":
        return [round(value) / 2 for value in drawn]
    if kind == "tiny":
        return [value * 1e-300 for value in drawn]
    if kind == "zeros":
        return [chance.choice([0.0, -0.0, 1e-300]) if value < 0 else value for value in drawn]
    if kind in ("outlier", "infinite"):
        odd = [1e9, -1e9, 123456.789] if kind == "outlier" else [math.inf, -math.inf]
        drawn = list(drawn)
        for _ in range(chance.randint(1, 3)):
            drawn[chance.randrange(len(drawn))] = chance.choice(odd)
    return drawn


def _options(chance: random.Random, k: int, columns: list[Column], clear: bool) -> dict[str, Any]:
    """Arguments of ``fit_table`` that differ from the defaults."""
    scales = ["auto", "standard", "minmax", "robust"]
    out: dict[str, Any] = {
        "n_clusters": k,
        "search": chance.choice(["greedy", "greedy", "local"]),
        "search_effort": 1.0,
        "random_state": chance.randrange(3),
    }
    if chance.random() < 0.3:
        out["max_leaf_nodes"] = k + chance.randint(0, 4)
    if chance.random() < 0.3:
        out["weight"] = "equal"
    if chance.random() < 0.3:
        out["scale"] = chance.choice(scales if clear else [*scales, "rank", "log", "none"])
    if clear:
        return out
    names = [column["name"] for column in columns]
    out["dates"] = chance.choice(["out", "parts", "parts"])
    out["n_clusters"] = chance.choice([k, 2, 3, 5])
    if "max_leaf_nodes" in out:
        out["max_leaf_nodes"] = out["n_clusters"] + chance.randint(0, 4)
    if chance.random() < 0.15:
        out["missing"] = "drop"
    if chance.random() < 0.08:
        out["split"] = "pair"
    if chance.random() < 0.1:
        out["min_samples_leaf"] = chance.choice([1, 3, 0.1])
    if chance.random() < 0.1:
        out["weight"] = {chance.choice(names): chance.choice([0.5, 2, 3])}
    if chance.random() < 0.1:
        out["scale"] = {chance.choice(names): chance.choice([*scales, "rank", "log", "none"])}
    free = chance.sample(names, len(names))
    for name in ("no_split", "no_count", "keep", "categorical", "drop"):
        if chance.random() < 0.08 and free:
            out[name] = [free.pop()]  # a column has one of these roles
    return out


def frame_of(columns: list[Column]) -> Any:
    """The table as a data frame of pandas, each column of its type."""
    import pandas as pd

    made = {}
    for column in columns:
        kind, values = column["type"], column["values"]
        if kind == "date":
            made[column["name"]] = pd.Series(pd.to_datetime(values), dtype="datetime64[us]")
        elif kind == "categorical":
            found = column.get("categories") or sorted({v for v in values if v is not None})
            made[column["name"]] = pd.Series(pd.Categorical(values, categories=found))
        else:
            dtypes = {"float": "float64", "int": "int64", "codes": "int64", "Int": "Int64"}
            dtypes |= {"bool": "bool", "boolean": "boolean"}
            as_found = kind in ("id", "constant")
            dtype = dtypes.get(kind, None if as_found else object)
            made[column["name"]] = pd.Series(values, dtype=dtype)
    return pd.DataFrame(made)


def cleaned(column: Column) -> list[Any]:
    """The values as a database holds them: None for each mark, numbers for numeric strings."""
    out = []
    for value in column["values"]:
        if isinstance(value, str) and value in MARKS:
            value = None
        if column["type"] == "number text" and value is not None:
            value = float(value)
        if column["type"] == "date" and value is not None:
            value = dt.datetime.fromisoformat(value)
        out.append(value)
    return out


def new_rows(case: dict[str, Any], record: dict[str, Any]) -> list[Column]:
    """Rows beside each threshold of a model, with unseen categories and missing values.

    Each is a row of the table in which one cell, rarely two, has another value of its type.
    """
    chance = random.Random(case["seed"] + 1)
    columns, nodes = case["columns"], record["nodes"]
    n = len(case["group"])
    beside: dict[str, list[float]] = {}
    for feature, threshold in zip(nodes["feature"], nodes["threshold"], strict=True):
        if feature is not None and isinstance(threshold, float):
            beside.setdefault(record["feature_names"][feature], []).append(threshold)
    rows = []
    for place, column in enumerate(columns):
        values = _other_values(chance, column, beside.get(column["name"], []))
        if column["type"] in HAVE_MISSING:
            values.append(None)
        for value in values:
            row = [other["values"][at] for at in [chance.randrange(n)] for other in columns]
            row[place] = value
            rows.append(row)
    out = []
    for place, column in enumerate(columns):
        values = [row[place] for row in rows]
        changed = {**column, "values": values}
        if column["type"] == "categorical":
            known = {*column["values"], *values} - {None}
            changed["categories"] = sorted(known)
        out.append(changed)
    return out


def _other_values(chance: random.Random, column: Column, thresholds: list[float]) -> list[Any]:
    kind = column["type"]
    if kind == "float":
        finite = [abs(v) for v in column["values"] if v is not None and math.isfinite(v)]
        step = NEAR * max(finite, default=1.0)
        near = [(t, t + step, t - step, math.nextafter(t, -math.inf)) for t in thresholds]
        return [0.0, -0.0, *(value for some in near for value in some)]
    if kind in ("int", "Int", "codes"):
        return [math.floor(t) + step for t in [*thresholds, 0.0] for step in (0, 1)]
    if kind == "number text":
        return [f"{t + step:.2f}" for t in thresholds for step in (0, 0.01, -0.01)] + ["NA", ""]
    if kind in ("bool", "boolean"):
        return [True, False]
    if kind in ("text", "categorical"):
        marks = ["NA", "", "null"] if kind == "text" else []
        return [*sorted({*column["values"]} - {None}), UNSEEN, *marks]
    if kind in ("date", "date text"):
        width = max(len(value) for value in column["values"] if value is not None)
        made = [moment(chance, 4000, width > 10).isoformat(sep=" ") for _ in range(6)]
        return [value[:width] for value in made] + (["NA"] if kind == "date text" else [])
    return []
