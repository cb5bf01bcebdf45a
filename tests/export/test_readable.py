"""Whole stories of raw tables: what is said of passengers and of penguins, and that it is true.

From a table with words, numbers and missing values, by way of encoders and a tree that splits on
categories, to text, rules, titles, SQL and Python; each of them is asked for the raw rows again.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from helpers.databases import Database
from helpers.rounding import rounded_model
from pandas.api.types import is_numeric_dtype
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from agathis import Kauri
from agathis.export import from_json, to_json, to_python, to_rules, to_sql, to_text


def passengers(n: int = 900) -> pd.DataFrame:
    random = np.random.default_rng(0)
    classes = random.choice(["1st", "2nd", "3rd"], n, p=[0.25, 0.2, 0.55])
    ports = ["Southampton", "Cherbourg", "Queenstown"]
    port = random.choice(ports, n, p=[0.7, 0.2, 0.1]).astype(object)
    port[random.random(n) < 0.02] = None
    fare = np.select([classes == "1st", classes == "2nd"], [80, 20], 9)
    age = np.round(random.normal(30, 12, n).clip(1, 80))
    age[random.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "class": classes,
            "sex": random.choice(["male", "female"], n, p=[0.65, 0.35]),
            "age": age,
            "fare": np.round(fare * random.lognormal(0, 0.4, n), 4),
            "embarked": port,
        }
    )


def penguins(n: int = 340) -> pd.DataFrame:
    random = np.random.default_rng(1)
    species = random.choice(3, n, p=[0.44, 0.2, 0.36])

    def measured(means, spread, step):
        values = np.array(means)[species] + random.normal(0, spread, n)
        return np.round(np.round(values / step) * step, 1)

    island = np.array(["Torgersen", "Dream", "Biscoe"])[species]
    wandering = (species == 0) & (random.random(n) < 0.6)
    island[wandering] = random.choice(["Biscoe", "Dream"], wandering.sum())
    return pd.DataFrame(
        {
            "bill_length": measured([38.8, 48.8, 47.5], 2.8, 0.1),
            "bill_depth": measured([18.3, 18.4, 15.0], 1.1, 0.1),
            "flipper": measured([190, 196, 217], 6.5, 1),
            "mass": measured([3700, 3733, 5076], 440, 25),
            "sex": random.choice(["male", "female"], n),
            "island": island,
        }
    )


def fitted(frame: pd.DataFrame, n_clusters: int, **limits):
    """A pipeline for the raw table, and what is written of it."""
    numbers = [name for name in frame if is_numeric_dtype(frame[name])]
    words = [name for name in frame if name not in numbers]
    encoder = ColumnTransformer(
        [
            ("numbers", StandardScaler(), numbers),
            ("words", OneHotEncoder(sparse_output=False, handle_unknown="ignore"), words),
        ],
        verbose_feature_names_out=False,
    ).fit(frame)
    columns = encoder.get_feature_names_out().tolist()
    groups = [[c for c in columns if c.startswith(f"{source}_")] for source in words]
    groups = [[columns.index(c) for c in own] for own in groups]
    model = make_pipeline(
        encoder, Kauri(n_clusters, one_hot=groups, n_jobs=1, **{"max_leaf_nodes": None, **limits})
    ).fit(frame)
    return model, rounded_model(model, frame)


def strange(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of it with words that no row had, and without some that all rows had."""
    out = frame.copy()
    for i, name in enumerate(out):
        if not is_numeric_dtype(out[name]):
            out[name] = out[name].astype(object)
            out.loc[i :: 7 + i, name] = "new"
    return out


TABLES = {
    "passengers": (passengers, 4, {"max_leaf_nodes": 7}),
    "penguins": (penguins, 3, {"max_leaf_nodes": 6}),
}


@pytest.mark.filterwarnings("ignore:X has unknown categories")
@pytest.mark.filterwarnings("ignore:Found unknown categories")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("new", [False, True])
def test_every_form_answers_as_the_pipeline(table, new):
    made, n_clusters, limits = TABLES[table]
    frame = made()
    model, written = fitted(frame, n_clusters, **limits)
    rows = strange(frame) if new else frame
    expected = model.predict(rows)
    for result in (written, from_json(to_json(written))):
        np.testing.assert_array_equal(result.predict(rows), expected)
    source: dict = {}
    exec(to_python(written), source)
    records = rows.astype(object).where(rows.notna(), None).to_dict("records")
    np.testing.assert_array_equal([source["cluster_of"](row) for row in records], expected)
    kinds = ["DOUBLE" if is_numeric_dtype(rows[c]) else "VARCHAR" for c in rows]
    for engine in ("sqlite", "duckdb"):
        lines = [list(row.values()) for row in records]
        with Database(engine, list(rows), lines, kinds) as database:
            answer = database.labels(to_sql(written, dialect=engine))
        np.testing.assert_array_equal(answer, expected)


@pytest.mark.parametrize("table", TABLES)
def test_rules_use_the_names_of_the_table(table):
    made, n_clusters, limits = TABLES[table]
    frame = made()
    _, written = fitted(frame, n_clusters, **limits)
    rules = to_rules(written, frame)
    assert sum(rules["size"]) == len(frame)
    assert len(set(rules["title"])) == n_clusters
    for text in (to_text(written), str(rules), *rules["title"]):
        # No column of 0 and 1, no denial, and no digits that rows do not need.
        assert not re.search(r"_male|_1st|0\.5\b| is not |\d\.\d{3}", text), text
    for rule in rules["rule"]:
        for number in re.findall(r"(?:<=|>|<) (-?[\d.]+)", rule):
            assert len(number.replace(".", "").strip("0")) <= 4


def test_rules_of_passengers():
    _, written = fitted(passengers(), 4, max_leaf_nodes=4)
    assert "class is 2nd or 3rd" in to_text(written)
    assert "class is 1st" in to_text(written)
    assert "class" in " ".join(to_rules(written)["title"])
