"""Trees as functions in Python, in words, and for Graphviz."""

from __future__ import annotations

import inspect
import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from textwrap import dedent

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.exports import AWKWARD, BASELINES, SCALERS, names_for, trees, with_none
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from agathis import Kauri, Tree
from agathis.export import to_dot, to_json, to_python, to_sql, to_text
from agathis.export._dot import quoted


def function_of(model, **options):
    names: dict = {}
    exec(to_python(model, **options), names)
    return names["cluster_of"]


@examples(50)
@given(made=trees())
def test_python_agrees_with_predict(made):
    model, X, more = made
    names = names_for(X.shape[1])
    call = function_of(model, feature_names=names)
    rows = np.vstack([X, more])
    expected = model.tree_.predict(rows).tolist()
    assert [call(row) for row in rows] == expected
    assert [call(with_none(row)) for row in rows] == expected
    assert [call(dict(zip(names, row, strict=True))) for row in rows.tolist()] == expected
    # Rows of float32 are compared as they are, in float64.
    single = rows.astype(np.float32)
    assert [call(row) for row in single] == model.tree_.predict(single).tolist()


def test_python_needs_no_package():
    X = np.random.default_rng(0).normal(size=(60, len(AWKWARD)))
    model = Kauri(4, max_leaf_nodes=25).fit(pd.DataFrame(X, columns=AWKWARD))
    clusters = ["it's", '"""', "\\", "名\n"]
    source = to_python(model, cluster_names=clusters, function="which")
    assert source.isascii()
    assert "import" not in source
    code = (
        source + "\nimport json, sys\nprint(json.dumps([which(r) for r in json.load(sys.stdin)]))"
    )
    rows = json.dumps([dict(zip(AWKWARD, row, strict=True)) for row in X.tolist()])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], input=rows, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == [clusters[k] for k in model.labels_]


@pytest.mark.parametrize("name", BASELINES)
def test_python_of_baselines(name, iris):
    model = BASELINES[name](3).fit(iris)
    call = function_of(model)
    assert [call(row) for row in iris] == model.labels_.tolist()


@pytest.mark.parametrize("scaler", SCALERS)
def test_python_of_scaled(scaler, iris):
    model = make_pipeline(SCALERS[scaler](), Kauri(4, max_leaf_nodes=9)).fit(iris)
    call = function_of(model)
    assert [call(row) for row in iris] == model.predict(iris).tolist()


def test_python_of_a_deep_tree():
    """Deeper than Python lets blocks be nested."""
    n = 200
    inner = np.arange(2 * n + 1) % 2 == 0
    inner[-1] = False
    number = np.arange(2 * n + 1)
    tree = Tree.from_dict(
        {
            "children_left": np.where(inner, number + 1, -1),
            "children_right": np.where(inner, number + 2, -1),
            "feature": np.where(inner, 0, -2),
            "threshold": np.where(inner, number / 2, -2.0),
            "cluster": np.where(inner, 0, number // 2),
            "depth": (number + 1) // 2,
            "n_features": 1,
            **{
                name: np.zeros(2 * n + 1)
                for name in (
                    "gain", "move", "missing", "n_node_samples", "weighted_n_node_samples"
                )
            },
        }
    )  # fmt: skip
    assert tree.max_depth == n
    x = np.arange(-1.0, n + 1, 0.5)
    expected = tree.predict(x[:, None]).tolist()
    call = function_of(tree)
    assert [call([v]) for v in x] == expected
    assert len(to_text(tree).splitlines()) == (n + 1) + 2 * n
    with closing(sqlite3.connect(":memory:")) as database:
        sql = to_sql(tree, feature_names=["x"], dialect="sqlite")
        ask = f"SELECT {sql} FROM (SELECT ? AS x)"
        assert [database.execute(ask, [v]).fetchone()[0] for v in x] == expected


def test_python_needs_only_columns_with_splits():
    X = np.column_stack([np.zeros(6), [0, 1, 2, 50, 51, 52]])
    call = function_of(Kauri(2, max_leaf_nodes=2).fit(X), feature_names=["unused", "used"])
    assert call({"used": 51}) == 1
    with pytest.raises(KeyError, match="used"):
        call({"unused": 0})
    with pytest.raises(
        ValueError, match=r"must have 2 values; it has 1\. The order: 'unused', 'used'"
    ):
        call([1.0])
    # From Python 3.13 on docstrings have lost their indentation by themselves.
    messages = inspect.cleandoc(call.__doc__)
    assert messages.endswith("a sequence of 2 values, in this order:\n'unused'\n'used'")


def test_python_escapes_names_in_its_docstring():
    call = function_of(
        Kauri(2, max_leaf_nodes=None).fit(np.eye(len(AWKWARD))), feature_names=AWKWARD
    )
    assert all(ascii(name) in call.__doc__ for name in AWKWARD)
    with pytest.raises(ValueError, match=r"it has 0\. The order: ") as caught:
        call([])
    assert str(caught.value).endswith(", ".join(map(repr, AWKWARD)))


@pytest.mark.parametrize("mark", ["", "NA", "nan", "N/A", "null"])
@pytest.mark.parametrize("seed", range(3))
def test_python_of_rows_of_text(mark, seed):
    """As ``csv.DictReader`` gives them."""
    random = np.random.default_rng(seed)
    kind = random.integers(0, 3, 120)
    doors = np.array([2, 4, 5])[(kind + (random.random(120) < 0.2)) % 3]
    paid = random.random(120) < kind / 2
    size = np.round(kind + random.normal(size=120), 2)
    colour = np.array(["red", "it's", "blue"])[kind]
    gap = random.random((120, 4)) < 0.1
    X = np.column_stack([size, paid, doors == 2, doors == 4, doors == 5,
                         colour == "red", colour == "it's"]).astype(float)  # fmt: skip
    X[gap[:, [0, 1, 2, 2, 2, 3, 3]]] = np.nan
    names = ["size", "paid", "d2", "d4", "d5", "red", "its"]
    one_hot = {
        "paid": {"paid": True},
        "doors": {"d2": 2, "d4": 4, "d5": 5},
        "colour": {"red": "red", "its": "it's"},
    }
    model = Kauri(6, max_leaf_nodes=12, engine="binned").fit(X)
    call = function_of(model, feature_names=names, one_hot=one_hot)
    cells = np.column_stack([size.astype(str), np.char.lower(paid.astype(str)), doors, colour])
    cells = cells.astype(object)
    cells[gap] = mark
    head = ["size", "paid", "doors", "colour"]
    rows = [dict(zip(head, row, strict=True)) for row in cells.tolist()]
    assert [call(row) for row in rows] == model.labels_.tolist()
    assert [call(list(row.values())) for row in rows] == model.labels_.tolist()
    plain = [
        {name: None if value == mark else value for name, value in row.items()} for row in rows
    ]
    for row, truth, gone in zip(plain, paid, gap[:, 1], strict=True):
        row["paid"] = pd.NA if gone else np.bool_(truth)
    assert [call(row) for row in plain] == model.labels_.tolist()


@pytest.mark.parametrize("category", [True, False])
def test_python_of_booleans_in_every_notation(category):
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [1.0]])
    call = function_of(model, feature_names=["f"], one_hot={"f": {"f": category}})
    expected = model.predict([[float(category)], [float(not category)]]).tolist()
    for true, false in [("true", "false"), ("True", "False"), ("1", "0"), ("t", "f"), (1, 0),
                        (1.0, 0.0), (True, False), (" TRUE ", "FALSE")]:  # fmt: skip
        assert [call({"f": true}), call({"f": false})] == expected


@pytest.mark.parametrize("missing", [False, True])
def test_python_of_categories(missing):
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "the 'colour'": random.choice(["red", "it's", "blue"], 150, p=[0.5, 0.3, 0.2]),
            "doors": random.choice([2, 4], 150),
        },
        dtype=object,
    )
    if missing:
        frame.iloc[::6, 0] = None
    encoder = OneHotEncoder(sparse_output=False, drop="if_binary").fit(frame)
    model = Kauri(5, max_leaf_nodes=7).fit(encoder.transform(frame))
    call = function_of(model, scaler=encoder)
    rows = frame.to_dict("records")
    assert [call(row) for row in rows] == model.labels_.tolist()
    assert [call(list(row.values())) for row in rows] == model.labels_.tolist()


@pytest.mark.parametrize("name", ["", "a b", "def", "1a", "float", None, "x; import os"])
def test_invalid_function_names(name):
    with pytest.raises(ValueError, match="function"):
        to_python(Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0]]), function=name)


def test_duplicate_names():
    with pytest.raises(ValueError, match="feature_names has a name twice"):
        to_python(Kauri(2, max_leaf_nodes=None).fit([[0.0, 1], [1, 2]]), feature_names=["a", "a"])


def test_categories_as_strings():
    X = [[1, 0, 0.0], [1, 0, 1], [0, 1, 0], [0, 1, 90]]
    names = ["color_red", "color_blue", "size"]
    model = Kauri(3, max_leaf_nodes=3).fit(X)
    one_hot = {"color": ["color_red", "color_blue"]}
    words = to_text(model, feature_names=names, one_hot=one_hot)
    assert words == dedent("""\
        size <= 45.5
        |   color is blue
        |   |   cluster 0 (1 sample)
        |   color is red
        |   |   cluster 2 (2 samples)
        size > 45.5
        |   cluster 1 (1 sample)""")
    sql = to_sql(model, feature_names=names, one_hot=one_hot)
    assert sql == dedent("""\
        CASE /* a category that is new is none of those named */
          WHEN ("size" <= 45.5E0 OR "size" IS NULL) AND ("color" = 'red' OR "color" IS NULL) THEN 2
          WHEN ("size" <= 45.5E0 OR "size" IS NULL) THEN 0
          ELSE 1
        END""")
    named = {"color": {"color_red": "dark", "color_blue": "light"}}
    assert "color is light" in to_text(model, feature_names=names, one_hot=named)
    assert "color is dark" in to_dot(model, feature_names=names, one_hot=named)


def test_dot():
    X = [[0.0], [1.0], [9.0]]
    text = to_dot(
        Kauri(2, max_leaf_nodes=None).fit(X),
        feature_names=['a "b" \\N &lt;'],
        cluster_names=["x\ny", "<z>"],
    )
    assert text == dedent(r"""
        digraph tree {
            node [shape=box, style="rounded,filled", fillcolor="white", fontname="helvetica"];
            edge [fontname="helvetica"];
            0 [label="3 samples"];
            1 [label="x\ny\n2 samples", fillcolor="#a6cee3"];
            2 [label="<z>\n1 sample", fillcolor="#fdbf6f"];
            0 -> 1 [label="a \"b\" \\N &amp;lt; <= 5"];
            0 -> 2 [label="a \"b\" \\N &amp;lt; > 5"];
        }""").lstrip("\n")


@given(st.text())
def test_labels_of_dot_stay_within_their_quotes(text):
    label = quoted(text)
    assert re.fullmatch(r'"(?:[^"\\\n]|\\["\\n])*"', label)


@pytest.mark.parametrize("name", BASELINES)
def test_dot_has_every_node(name, iris):
    tree = BASELINES[name](3).fit(iris).tree_
    lines = to_dot(tree).splitlines()
    assert sum("->" in line for line in lines) == tree.node_count - 1
    assert sum("[label=" in line and "->" not in line for line in lines) == tree.node_count


@pytest.mark.parametrize("write", [to_text, to_dot, to_python, to_sql, to_json])
def test_something_else(write):
    with pytest.raises(TypeError):
        write("tree")
    with pytest.raises(ValueError, match="feature_names has 2 names; the tree has 1 features"):
        write(Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0]]), feature_names=["a", "b"])
    with pytest.raises(ValueError, match="cluster_names has 1 names; the tree has 2 clusters"):
        write(Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0]]), cluster_names=["a"])


def test_names_of_the_package():
    import agathis.export as export

    assert dir(export) == sorted(export.__all__)
    with pytest.raises(AttributeError, match=r"module 'agathis\.export' has no attribute 'to_c'"):
        export.to_c  # noqa: B018
