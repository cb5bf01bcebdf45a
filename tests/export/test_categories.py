"""Splits on categories in every form: each answers raw rows as the tree does.

Rows have missing values and categories that the tree has not seen.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from helpers.category_trees import KINDS, category_trees
from helpers.databases import Database
from helpers.examples import examples
from helpers.exports import same_arrays
from hypothesis import given

from agathis import fit_table
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import Tree
from agathis.export import (
    from_json,
    to_dot,
    to_json,
    to_onnx,
    to_python,
    to_sklearn,
    to_sql,
    to_text,
)
from agathis.export._dialects import DIALECTS

TYPES = {"numbers": "INTEGER", "truth": "BOOLEAN", "truths": "BOOLEAN"}


def words(made) -> dict:
    return {"feature_names": made.names, "one_hot": made.one_hot}


def types(made) -> list[str]:
    kinds = [made.kinds.get(name) for name in made.sources]
    return ["DOUBLE" if kind is None else TYPES.get(kind, "VARCHAR") for kind in kinds]


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@examples(80)
@given(made=category_trees(sums=True))
def test_databases(engine, made):
    rows = [list(row.values()) for row in made.raw]
    with Database(engine, made.sources, rows, types(made)) as database:
        result = database.labels(to_sql(made.tree, dialect=engine, **words(made)))
    np.testing.assert_array_equal(result, made.tree.predict(made.X))


@examples(60)
@given(made=category_trees())
def test_sqlite_with_texts_alone(made):
    """As its import of a CSV file leaves them."""
    rows = [["" if v is None else str(v) for v in row.values()] for row in made.raw]
    with Database("sqlite", made.sources, rows, ["TEXT"] * len(made.sources)) as database:
        result = database.labels(to_sql(made.tree, dialect="sqlite", **words(made)))
    np.testing.assert_array_equal(result, made.tree.predict(made.X))


@examples(80)
@given(made=category_trees(sums=True))
def test_python(made):
    names: dict = {}
    exec(to_python(made.tree, **words(made)), names)
    cluster_of = names["cluster_of"]
    expected = made.tree.predict(made.X)
    np.testing.assert_array_equal([cluster_of(row) for row in made.raw], expected)
    np.testing.assert_array_equal([cluster_of(list(row.values())) for row in made.raw], expected)
    texts = [{k: "" if v is None else str(v) for k, v in row.items()} for row in made.raw]
    np.testing.assert_array_equal([cluster_of(row) for row in texts], expected)


@pytest.mark.filterwarnings("ignore:X has unknown categories")
@examples(80)
@given(made=category_trees(sums=True))
def test_json(made):
    text = to_json(made.tree, **words(made))
    assert json.loads(text)["version"] == 4
    model = from_json(text)
    same_arrays(model.tree_, made.tree)
    assert [model.tree_.terms(i) for i in range(made.tree.node_count)] == [
        made.tree.terms(i) for i in range(made.tree.node_count)
    ]
    expected = made.tree.predict(made.X)
    np.testing.assert_array_equal(model.predict(made.X), expected)
    frame = pd.DataFrame(made.raw, dtype=object)
    np.testing.assert_array_equal(model.predict(frame), expected)
    # What was read says the same in every form.
    for form in (to_text, to_sql, to_python, to_dot):
        assert form(model) == form(made.tree, **words(made))
    assert to_json(model) == text


@examples(60)
@given(made=category_trees())
def test_scikit_learn(made):
    expected = made.tree.predict(made.X)
    for X in (None, made.X):
        result = to_sklearn(made.tree, X)
        assert result.classes_.tolist() == list(range(made.tree.n_clusters))
        np.testing.assert_array_equal(result.predict(made.X), expected)


@examples(20)
@given(made=category_trees())
def test_onnx(made):
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(made.tree), providers=["CPUExecutionProvider"])
    (result,) = session.run(["label"], {"X": made.X.astype(np.float32)})
    np.testing.assert_array_equal(result, made.tree.predict(made.X))


def class_tree() -> tuple[Tree, dict]:
    builder = TreeBuilder()
    _, right = builder.cut(0, 1, 0.5, terms=((1, 1.0), (2, 1.0)))
    builder.cluster[right] = 1
    builder.n_node_samples = [9, 5, 4]
    return builder.build(3), {"feature_names": ["class_1st", "class_2nd", "class_3rd"]}


def test_golden():
    tree, names = class_tree()
    one_hot = {"class": names["feature_names"]}
    assert to_sql(tree, one_hot=one_hot, **names) == (
        "CASE /* a category that is new is none of those named */\n"
        "  WHEN \"class\" IN ('2nd', '3rd') THEN 1\n"
        "  ELSE 0\n"
        "END"
    )
    assert to_text(tree, one_hot=one_hot, **names) == (
        "class is 1st\n|   cluster 0 (5 samples)\nclass is 2nd or 3rd\n|   cluster 1 (4 samples)"
    )
    assert "    if x0 in ('2nd', '3rd'):\n        return 1\n    return 0\n" in to_python(
        tree, one_hot=one_hot, **names
    )
    assert 'label="class is 2nd or 3rd"' in to_dot(tree, one_hot=one_hot, **names)
    # What the columns are is not known: they are numbers.
    second, third = (f'CAST("class_{each}" AS DOUBLE PRECISION)' for each in ("2nd", "3rd"))
    assert f'({second} + {third}) <= 0.5E0 OR "class_2nd" IS NULL' in to_sql(tree, **names)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_names_categories(dialect):
    tree, names = class_tree()
    sql = to_sql(tree, dialect=dialect, one_hot={"class": names["feature_names"]}, **names)
    writer = DIALECTS[dialect]
    asked = writer.as_is.replace("{}", writer.name("class"))
    assert f"{asked} IN ({writer.text('2nd')}, {writer.text('3rd')})" in sql


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda nodes: nodes.pop("terms"), "no list terms"),
        (lambda nodes: nodes["terms"].pop(), "no list terms"),
        (lambda nodes: nodes["terms"].__setitem__(0, 3), "terms is 3, not a list"),
        (lambda nodes: nodes["terms"].__setitem__(0, [[1]]), "not pairs of a feature"),
        (lambda nodes: nodes["terms"].__setitem__(0, [[7, 1.0]]), "a feature of terms is 7"),
        (lambda nodes: nodes["terms"].__setitem__(0, [[1, "a"]]), "a weight of terms"),
        (lambda nodes: nodes["terms"].__setitem__(0, [[2, 1.0]]), "the first of its terms"),
        (lambda nodes: nodes["terms"].__setitem__(1, [[1, 1.0]]), "a leaf has no terms"),
    ],
)
def test_terms_that_are_wrong(change, message):
    tree, names = class_tree()
    data = json.loads(to_json(tree, **names))
    change(data["nodes"])
    with pytest.raises(ValueError, match=message):
        from_json(json.dumps(data))


def test_kinds_are_all_tried():
    """The table of kinds is what the tests above draw from."""
    assert {"texts", "numbers", "truth", "with missing", "dropped", "many"} <= set(KINDS)


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_categories_of_a_column_of_fractions_are_numbers(engine):
    """As strings they would be equal to no number of a row."""
    frame = pd.DataFrame({"dose": [0.5, 0.5, 2.5, 2.5, 1.0, 7.5] * 8, "x": [0, 0, 9, 9, 0, 9] * 8})
    model = fit_table(frame, 2, categorical=["dose"], no_split=["x"], weight="equal")
    expected = model.predict(frame).tolist()
    assert len(set(expected)) == 2
    space = {}
    exec(to_python(model), space)
    rows = frame.to_dict("records")
    assert [space["cluster_of"](row) for row in rows] == expected
    assert [space["cluster_of"]({"dose": str(row["dose"])}) for row in rows] == expected
    assert from_json(to_json(model)).predict(frame).tolist() == expected
    with Database(engine, ["dose", "x"], frame.to_numpy().tolist()) as database:
        assert database.labels(to_sql(model, dialect=engine)) == expected
