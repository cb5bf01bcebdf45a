"""Model files in which a value was replaced: refused on reading, or usable everywhere."""

from __future__ import annotations

import copy
import json
import math
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, fit_table
from agathis._cli.tree_view import tree_view
from agathis.export import from_json, to_dot, to_json, to_python, to_rules, to_sql, to_text

ODD = [
    None, True, False, -1, 0, 1, 2, 7, 3.5, -0.0, 1e308, -1e308, 5e-324, 2**31, 2**63, 10**400,
    math.nan, math.inf, "", "inf", "x", "left", "size", "1e5", "\x00", "\ud800", "a" * 500, [], {},
    [[]], [0] * 50, [["add", 1.0]], [[0, 1.0, [["divide", 1e-320]]]], {"": None},
    {"column": [], "part": "month"}, {"size": [[1, "x"]]}, "when", "colour", "on", "count", "cos",
]  # fmt: skip


@cache
def table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    n = 40
    group = np.repeat([0, 1], n // 2)
    return pd.DataFrame(
        {
            "size": random.normal(size=n) + 5 * group,
            "count": random.integers(0, 9, n) + 20 * group,
            "colour": [["red", "green", "blue"][i % 3] for i in range(n)],
            "on": group == 1,
            "when": pd.date_range("2020-01-01", periods=n, freq="11D"),
            "month": [["January", "May", "July"][i % 3] for i in range(n)],
        }
    )


@cache
def models() -> dict[str, tuple[str, pd.DataFrame]]:
    """Model files, with rows for each: with categories, dates, sums, steps and names."""
    raw = table()
    numbers = raw[["size", "count"]]
    names = ["low", "high"]
    with_words = fit_table(raw.drop(columns=["when", "month"]), 2, max_leaf_nodes=4)
    with_dates = fit_table(
        raw, 3, max_leaf_nodes=5, dates="parts", no_split=["size", "count", "on"]
    )
    sums = Kauri(2, max_leaf_nodes=2, search="local", split="pair")
    group, along = np.tile([0, 30], 20), np.linspace(-20, 20, 40)
    diagonal = pd.DataFrame({"size": along + group, "count": 3 * (group - along)})
    steps = make_pipeline(StandardScaler(), sums).fit(diagonal)
    coded = Kauri(2, max_leaf_nodes=4).fit(numbers)
    codes = {"count": {1: "one", 20: "twenty"}}
    return {
        "categories": (to_json(with_words, cluster_names=names), raw),
        "dates": (to_json(with_dates), raw),
        "steps": (to_json(steps, cluster_names=names), diagonal),
        "codes": (to_json(coded, value_names=codes, cluster_names=names), numbers),
    }


def paths_of(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The place of every value in parsed JSON."""
    if path:
        yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths_of(value[key], (*path, key))


def replaced(data: Any, path: tuple, value: object) -> str:
    out = copy.deepcopy(data)
    at = out
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(out)


def use(text: str, rows: pd.DataFrame) -> None:
    """Read the file and do all that can be done with it; each may end in a ValueError."""
    try:
        loaded = from_json(text)
    except ValueError:
        return
    # A file that was read can be shown, whatever the data.
    Console(file=StringIO()).print(tree_view(loaded))
    for write in (to_text, to_dot, to_rules, to_json):
        assert str(write(loaded))
    # Not every tree can be written in every language, nor do these rows fit any.
    with suppress(ValueError):
        to_sql(loaded)
    with suppress(ValueError):
        compile(to_python(loaded), "exported", "exec")
    with warnings.catch_warnings(), suppress(ValueError):
        warnings.simplefilter("ignore", UserWarning)
        assert loaded.predict(rows).max() < loaded.n_clusters_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in (loaded.encode, loaded.score, loaded.transform):
            with suppress(ValueError):
                assert np.asarray(method(rows)).dtype == np.float64
    if loaded.n_features_in_ < 100:
        assert loaded.predict(np.zeros((3, loaded.n_features_in_))).max() < loaded.n_clusters_


@pytest.mark.parametrize("name", ["categories", "dates", "steps", "codes"])
def test_models_have_the_replaced_entries(name):
    data = json.loads(models()[name][0])
    covered = {"categories": "one_hot", "dates": "date_parts", "codes": "value_names"}
    if name == "steps":
        assert any(len(term) == 3 for own in data["nodes"]["terms"] if own for term in own)
    else:
        assert data[covered[name]]
    use(*models()[name])


@examples(100)
@given(data=st.data())
def test_any_replaced_value_is_an_error_or_harmless(data):
    text, rows = models()[data.draw(st.sampled_from(sorted(models())))]
    record = json.loads(text)
    path = data.draw(st.sampled_from(list(paths_of(record))))
    use(replaced(record, path, data.draw(st.sampled_from(ODD))), rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["categories", "dates", "steps", "codes"])
def test_every_replaced_value_is_an_error_or_harmless(name):
    text, rows = models()[name]
    record = json.loads(text)
    for path in paths_of(record):
        # Of what the file has of the fit, two entries of each list.
        if path[0] != "nodes" and any(isinstance(key, int) and key > 1 for key in path):
            continue
        for value in ODD:
            use(replaced(record, path, value), rows)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("column", None), ("column", 3), ("column", ["when"]), ("column", {}),
        ("part", "century"), ("part", ["month"]), ("part", None), ("holds", "words"),
        ("holds", []), ("circle", "tan"), ("circle", 1), ("first_is_day", 1), ("first_is_day", "x"),
        ("form", "other way"), ("form", []), ("more", 1),
    ],
)  # fmt: skip
def test_date_parts_are_checked(key, value):
    data = json.loads(models()["dates"][0])
    feature = next(iter(data["date_parts"]))
    with pytest.raises(ValueError, match=r"source is not a tree of agathis: .*date_parts of "):
        from_json(replaced(data, ("date_parts", feature, key), value))


@pytest.mark.parametrize("column", ["size", "on", "count"])
def test_a_column_that_holds_no_dates(column):
    text, rows = models()["dates"]
    data = json.loads(text)
    for feature in data["date_parts"]:
        if data["date_parts"][feature]["column"] == "when":
            data["date_parts"][feature]["column"] = column
    model = from_json(json.dumps(data))
    for table in (rows, pa.Table.from_pandas(rows)):
        with pytest.raises(ValueError, match=f"X must have dates in column '{column}', as"):
            model.predict(table)


def test_a_column_of_dates_without_a_name():
    rows = table()[["when", "size"]].rename(columns={"when": ""})
    model = fit_table(rows, 3, dates="parts", keep=[""], no_split=["size"])
    read = from_json(to_json(model))
    assert {part.column for part in read.date_parts.values()} == {""}
    np.testing.assert_array_equal(read.predict(rows), model.predict(rows))


@pytest.mark.parametrize("mask", ["split", "kernel"])
def test_every_entry_of_a_mask_of_roles_is_checked(mask):
    # The first column settles that there is one; those after it are checked all the same.
    record = json.loads(to_json(fit_table(table(), n_clusters=3)))
    n = len(record["preparation"]["columns"])
    record["roles"] = {"one_hot": [], "split": [True] * n, "kernel": [True] * n}
    from_json(json.dumps(record))
    record["roles"][mask][-1] = "x"
    with pytest.raises(ValueError, match=f"{mask} of roles is 'x', not true or false"):
        from_json(json.dumps(record))
