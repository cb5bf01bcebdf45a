"""A cut between known and missing values, an infinite threshold, in every form."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest

from agathis import Kauri
from agathis.export import (
    from_json,
    to_dot,
    to_json,
    to_onnx,
    to_python,
    to_rules,
    to_sklearn,
    to_sql,
    to_text,
)

ROWS = np.array([[1e30, 0], [-1e30, 9], [np.nan, 0], [3, np.nan]])
NAMES = ["x", "y"]


@pytest.fixture(scope="module")
def model():
    X = np.array([[4.0, 0]] * 9 + [[4.0, 1], [4, 0], [4, 1], [np.nan, 30], [np.nan, 31]])
    fitted = Kauri(2, engine="binned", max_bins=2, max_leaf_nodes=2).fit(X)
    assert fitted.tree_.threshold[0] == np.inf
    np.testing.assert_array_equal(fitted.predict(ROWS), [0, 0, 1, 0])
    return fitted


def test_text(model):
    assert to_rules(model, feature_names=NAMES)["rule"] == ["x is known", "x is missing"]
    assert to_text(model, feature_names=NAMES).startswith("x is known\n")
    assert 'label="x is missing"' in to_dot(model, feature_names=NAMES)


def test_sql(model):
    sql = to_sql(model, feature_names=NAMES, dialect="sqlite")
    assert sql == "CASE\n  WHEN `x` GLOB '*[0-9]*' THEN 0\n  ELSE 1\nEND"
    database = sqlite3.connect(":memory:")
    ask = f"SELECT {sql} FROM (SELECT ? AS x)"
    assert [database.execute(ask, [x]).fetchone()[0] for x in (1.0, None, "")] == [0, 1, 1]
    database.close()


def test_python(model):
    names: dict = {}
    exec(to_python(model, feature_names=NAMES), names)
    assert [names["cluster_of"](row) for row in ROWS] == [0, 0, 1, 0]
    assert names["cluster_of"]({"x": None}) == 1


def test_json(model):
    text = to_json(model)
    assert json.loads(text)["nodes"]["threshold"][0] == "inf"
    np.testing.assert_array_equal(from_json(text).predict(ROWS), [0, 0, 1, 0])


def test_scikit_learn_and_onnx(model):
    np.testing.assert_array_equal(to_sklearn(model).predict(ROWS), [0, 0, 1, 0])
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(model), providers=["CPUExecutionProvider"])
    result = session.run(["label"], {"X": ROWS.astype(np.float32)})[0]
    np.testing.assert_array_equal(result, [0, 0, 1, 0])
