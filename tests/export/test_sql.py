"""Trees in SQL: what real databases answer is what predict answers."""

from __future__ import annotations

import re
import sqlite3
import struct
from pathlib import Path
from textwrap import dedent

import numpy as np
import pandas as pd
import pytest
from helpers.databases import Database
from helpers.examples import examples
from helpers.exports import AWKWARD, BASELINES, SCALERS, SEEDS, names_for, trees, with_none
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from agathis import Kauri
from agathis.export import to_sql
from agathis.export._dialects import DIALECTS

ENGINES = pytest.mark.parametrize("engine", ["sqlite", "duckdb"])


def test_golden():
    model = Kauri(3, max_leaf_nodes=3).fit(load_iris().data)
    names = ["sl", "sw", "petal length", "pw"]
    assert to_sql(model, feature_names=names, dialect="sqlite") == dedent("""\
        CASE
          WHEN `petal length` GLOB '*[0-9]*' AND CAST(`petal length` AS REAL) <= 3.4 THEN 0
          WHEN (CAST(`petal length` AS REAL) <= 5.15 OR `petal length` NOT GLOB '*[0-9]*' OR `petal length` IS NULL) THEN 1
          ELSE 2
        END""")  # noqa: E501


@ENGINES
@examples(40)
@given(made=trees())
def test_labels_of_a_database(engine, made):
    model, X, more = made
    names = names_for(X.shape[1])
    rows = np.vstack([X, more])
    with Database(engine, names, map(with_none, rows)) as database:
        sql = to_sql(model, dialect=engine, feature_names=names)
        np.testing.assert_array_equal(database.labels(sql), model.tree_.predict(rows))


@ENGINES
def test_a_query_with_special_characters_in_all_names(engine):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, len(AWKWARD)))
    model = Kauri(4, max_leaf_nodes=30).fit(X)
    clusters = ["it's", '"', "'; DROP TABLE t; --", "\\"]
    quoted = {"sqlite": '"a ""t"" ;"', "duckdb": '"a ""t"" ;"'}[engine]
    with Database(engine, AWKWARD, map(with_none, X), table=quoted) as database:
        sql = to_sql(
            model,
            dialect=engine,
            feature_names=AWKWARD,
            cluster_names=clusters,
            table='a "t" ;',
            column='the "cluster"',
        )
        result = sorted((row[-2], row[-1]) for row in database.ask(sql))
        assert [label for _, label in result] == [clusters[k] for k in model.labels_]
        assert len(database.ask(f"SELECT * FROM {quoted}")) == 200


@ENGINES
@pytest.mark.parametrize("name", BASELINES)
def test_baselines(engine, name, iris):
    model = BASELINES[name](3).fit(iris)
    names = names_for(4)
    with Database(engine, names, map(with_none, iris)) as database:
        sql = to_sql(model, dialect=engine, feature_names=names)
        np.testing.assert_array_equal(database.labels(sql), model.labels_)


@ENGINES
@examples(15)
@given(seed=SEEDS, scaler=st.sampled_from(sorted(SCALERS)))
def test_scaled(engine, seed, scaler):
    X = np.round(np.random.default_rng(seed).normal(size=(40, 3)), 2)
    model = make_pipeline(SCALERS[scaler](), Kauri(3, max_leaf_nodes=9)).fit(X)
    with Database(engine, ["a", "b", "c"], map(with_none, X)) as database:
        sql = to_sql(model, dialect=engine, feature_names=["a", "b", "c"])
        np.testing.assert_array_equal(database.labels(sql), model.predict(X))


@ENGINES
@pytest.mark.parametrize("missing", ["none", "category"])
def test_categories(engine, missing):
    random = np.random.default_rng(1)
    colours = random.choice(["it's", "red", "blue"], 120, p=[0.5, 0.3, 0.2]).astype(object)
    shapes = random.choice([1, 2, 30], 120).astype(object)
    if missing == "category":
        colours[::7] = None
    frame = pd.DataFrame({"the colour": colours, "shape": shapes}, dtype=object)
    encoder = OneHotEncoder(sparse_output=False).fit(frame)
    X = encoder.transform(frame)
    model = Kauri(6, max_leaf_nodes=9).fit(X)
    rows = [[c, None if s is None else int(s)] for c, s in zip(colours, shapes, strict=True)]
    with Database(engine, list(frame), rows, ["VARCHAR", "INTEGER"]) as database:
        sql = to_sql(model, dialect=engine, scaler=encoder)
        assert "'it''s'" in sql
        np.testing.assert_array_equal(database.labels(sql), model.labels_)


@ENGINES
def test_a_source_that_misses_its_value(engine):
    """All its indicators miss theirs, where missing values are no category."""
    random = np.random.default_rng(2)
    codes = random.integers(0, 3, 90)
    X = np.eye(3)[codes]
    X[::5] = np.nan
    X = np.column_stack([X, random.normal(size=90) / 4 + (codes == 2)])
    model = Kauri(4, engine="binned", max_leaf_nodes=8).fit(X)
    names = ["c_red", "c_green", "c_blue", "size"]
    words = ["red", "green", "blue"]
    rows = [
        [None if np.isnan(x[0]) else words[c], x[3]] for x, c in zip(X.tolist(), codes, strict=True)
    ]
    with Database(engine, ["c", "size"], rows, ["VARCHAR", "DOUBLE"]) as database:
        sql = to_sql(model, dialect=engine, feature_names=names, one_hot={"c": names[:3]})
        assert "'blue'" in sql or "'red'" in sql
        np.testing.assert_array_equal(database.labels(sql), model.labels_)


@ENGINES
@given(bits=st.lists(st.binary(min_size=8, max_size=8), min_size=1, max_size=30))
def test_numbers_are_read_as_they_are(engine, bits):
    values = [v for v in (struct.unpack("d", b)[0] for b in bits) if np.isfinite(v)]
    values += [80797.212340348, 5e-324, 0.1, 1e22, 123456.78, -0.07, 1.7976931348623157e308]
    with Database(engine, ["x"], [[0.0]]) as database:
        written = ", ".join(map(DIALECTS[engine].number, values))
        assert list(database.ask(f"SELECT {written}")[0]) == values


def test_every_dialect_is_documented():
    """The list that readers see is the one that the code has."""
    page = Path(__file__).parents[2] / "docs" / "export.md"
    listed = [
        re.search(r"dialect : \{(.*?)\}", to_sql.__doc__, re.DOTALL)[1],
        re.search(r"`dialect` is one of (.*?)\. ", page.read_text(), re.DOTALL)[1],
    ]
    for text in listed:
        assert re.findall(r"\w+", text) == list(DIALECTS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_quotes(dialect):
    """Outside of quotes there is nothing of a name."""
    import re

    X = np.random.default_rng(0).normal(size=(100, len(AWKWARD)))
    model = Kauri(3, max_leaf_nodes=20).fit(X)
    sql = to_sql(model, dialect=dialect, feature_names=AWKWARD, cluster_names=["a'b", "\\'", "`"])
    parts = {
        "bigquery": r"`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'",
        "snowflake": r"\"(?:[^\"]|\"\")*\"|'(?:[^'\\]|\\.|'')*'",
        "mssql": r"\[(?:[^\]]|\]\])*\]|'(?:[^']|'')*'",
        "mysql": r"`(?:[^`]|``)*`|'(?:[^']|'')*'",
        "sqlite": r"`(?:[^`]|``)*`|'(?:[^']|'')*'",
    }.get(dialect, r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'")
    rest = re.sub(parts, " ", sql, flags=re.DOTALL)
    words = set(re.findall(r"[A-Za-z_]+", rest)) - {"E", "X", "e"}
    assert words <= {
        "CASE", "WHEN", "THEN", "ELSE", "END", "OR", "AND", "IS", "NULL", "NOT", "CAST", "AS",
        "REAL", "GLOB", "FLOAT", "double", "precision", "N", "CONVERT", "USING", "utf",  "mb",
    }  # fmt: skip
    assert ";" not in rest


def test_misspelt_columns_are_an_error_in_sqlite():
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]])
    with (
        Database("sqlite", ["age"], [[1.0]]) as database,
        pytest.raises(sqlite3.OperationalError, match="no such column"),
    ):
        database.labels(to_sql(model, dialect="sqlite", feature_names=["agee"]))


def test_one_leaf():
    model = Kauri(1, max_leaf_nodes=None).fit([[0.0], [1.0]])
    assert to_sql(model) == "0"
    assert to_sql(model, cluster_names=["it's"], table=["s", "t"]) == (
        'SELECT *,\n  \'it\'\'s\' AS "cluster"\nFROM "s"."t"'
    )


def test_texts_that_a_client_of_mysql_would_change_are_bytes():
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [20.0]])
    sql = to_sql(model, dialect="mysql", cluster_names=["a\r\n", "b\n"])
    assert "CONVERT(X'610d0a' USING utf8mb4)" in sql
    assert "'b\n'" in sql


def test_errors():
    X = np.array([[0.0, 0], [0, 5], [20, 1], [20, 9]])
    model = Kauri(4, max_leaf_nodes=None).fit(X)
    with pytest.raises(ValueError, match="dialect='oracle' is unknown; accepted are ansi, big"):
        to_sql(model, dialect="oracle")
    for dialect in ("sqlite", "duckdb", "mysql"):
        with pytest.raises(ValueError, match=f"'Age' and 'age', which are one column to {dialect}"):
            to_sql(model, dialect=dialect, feature_names=["Age", "age"])
    assert '"Age"' in to_sql(model, dialect="postgres", feature_names=["Age", "age"])
    with pytest.raises(ValueError, match="'age' and 'age', which are one column"):
        to_sql(model, feature_names=["age", "age"])
    with pytest.raises(ValueError, match="zero byte"):
        to_sql(model, feature_names=["a\0b", "c"])
    with pytest.raises(ValueError, match="name of a column or table is empty"):
        to_sql(model, feature_names=["", "c"])
    with pytest.raises(ValueError, match="not Unicode"):
        to_sql(model, feature_names=["a", "\ud800"])
    with pytest.raises(ValueError, match="table must have a name"):
        to_sql(model, table=[])


@pytest.mark.parametrize(("kind", "dtype"), [("FLOAT", np.float32), ("INTEGER", np.int64)])
def test_columns_of_other_types(kind, dtype):
    X = (np.random.default_rng(0).normal(size=(200, 3)) * 9).astype(dtype)
    model = Kauri(4, max_leaf_nodes=20).fit(X)
    names = ["a", "b", "c"]
    with Database("duckdb", names, X.tolist(), [kind] * 3) as database:
        sql = to_sql(model, dialect="duckdb", feature_names=names)
        np.testing.assert_array_equal(database.labels(sql), model.labels_)
