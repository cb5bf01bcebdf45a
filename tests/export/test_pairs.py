"""Cuts of sums of two columns in every form: each answers rows as ``predict`` does, to the bit.

Rows are at thresholds and beside them, and miss values; behind scalers they are raw rows.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from helpers.databases import Database
from helpers.examples import examples
from helpers.exports import with_none
from helpers.pair_trees import STEPS, pair_model, pair_models, pair_pipelines
from hypothesis import given
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    StandardScaler,
)

from agathis import fit_table
from agathis._rules.described_tree import describe
from agathis._trees.builder import TreeBuilder
from agathis.export import (
    FittedModel,
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
from agathis.export._dialects import DIALECTS

NAMES = ["length", "width", "it's"]


def expected_of(model, X) -> np.ndarray:
    """What the model says of raw rows, missing ones too."""
    if not hasattr(model, "steps"):
        return model.tree_.predict(X)
    return model[-1].tree_.predict(np.asarray(model[:-1].transform(X), dtype=float))


def answers(source: str, rows) -> list:
    names: dict = {}
    exec(source, names)
    return [names["cluster_of"](row) for row in rows]


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@examples(40)
@given(made=pair_models())
def test_databases(engine, made):
    model, _, rows = made
    with Database(engine, NAMES, [with_none(row) for row in rows]) as database:
        result = database.labels(to_sql(model, dialect=engine, feature_names=NAMES))
    np.testing.assert_array_equal(result, expected_of(model, rows))


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@examples(60)
@given(made=pair_pipelines())
def test_databases_of_raw_rows(engine, made):
    model, _, rows = made
    sql = to_sql(model, dialect=engine, feature_names=NAMES)
    with Database(engine, NAMES, [with_none(row) for row in rows]) as database:
        result = database.labels(sql)
    np.testing.assert_array_equal(result, expected_of(model, rows))


@examples(30)
@given(made=pair_pipelines())
def test_sqlite_with_texts_alone(made):
    """As its import of a CSV file leaves them; of few digits, since SQLite reads some wrong."""
    model, _, rows = made
    rows = rows.round(3)
    texts = [["" if v != v else repr(float(v)) for v in row] for row in rows]
    with Database("sqlite", NAMES, texts, ["TEXT"] * 3) as database:
        read = database.ask("SELECT * FROM t")
        rows = np.array([[float(v) if v else np.nan for v in row[:3]] for row in read])
        result = database.labels(to_sql(model, dialect="sqlite", feature_names=NAMES))
    np.testing.assert_array_equal(result, expected_of(model, rows))


@pytest.mark.parametrize("kind", ["INTEGER", "DECIMAL(9, 1)", "REAL"])
def test_types_of_columns(kind):
    """Sums are those of float64, whatever the type of the columns."""
    random = np.random.default_rng(0)
    X = random.integers(-50, 50, (200, 2)) / (1.0 if kind == "INTEGER" else 10.0)
    if kind == "REAL":
        X = X.astype(np.float32).astype(float)
    steps = StandardScaler().fit(X)
    for terms in (((0, 1.0), (1, 1.0)), ((0, 2.0), (1, -3.0))):
        for scaled in (False, True):
            builder = TreeBuilder()
            _, right = builder.cut(0, 0, 0.0, terms=terms)
            builder.cluster[right] = 1
            tree = FittedModel(builder.build(2))
            model = make_pipeline(steps, tree) if scaled else tree
            with Database("duckdb", ["a", "b"], X.tolist(), [kind] * 2) as database:
                result = database.labels(to_sql(model, dialect="duckdb", feature_names=["a", "b"]))
            np.testing.assert_array_equal(result, model.predict(X))


@examples(60)
@given(made=pair_pipelines())
def test_python(made):
    model, _, rows = made
    source = to_python(model, feature_names=NAMES)
    np.testing.assert_array_equal(answers(source, rows.tolist()), expected_of(model, rows))
    texts = [dict(zip(NAMES, map(repr, row), strict=True)) for row in rows.tolist()]
    np.testing.assert_array_equal(answers(source, texts), expected_of(model, rows))


@examples(60)
@given(made=pair_pipelines())
def test_json(made):
    model, _, rows = made
    text = to_json(model, feature_names=NAMES)
    assert json.loads(text)["version"] == 4
    read = from_json(text, takes_missing=True)
    np.testing.assert_array_equal(read.predict(rows), expected_of(model, rows))
    # What was read says the same in every form.
    for form in (to_text, to_sql, to_python, to_dot):
        assert form(read) == form(model, feature_names=NAMES)
    assert json.loads(to_json(read))["nodes"] == json.loads(text)["nodes"]


@examples(20)
@given(made=pair_pipelines())
def test_onnx(made):
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    model, _, rows = made
    rows = rows.astype(np.float32)
    session = runtime.InferenceSession(to_onnx(model), providers=["CPUExecutionProvider"])
    (result,) = session.run(["label"], {"X": rows})
    tree = describe(model).tree
    plain = np.diff(tree.term_start) == 0
    # Of single columns a row at a threshold may be rounded across it.
    sure = np.ones(len(rows), dtype=bool)
    for node in np.flatnonzero(~tree.is_leaf & plain):
        near = np.abs(rows[:, tree.feature[node]] - tree.threshold[node])
        sure &= ~(near <= 1e-6 * abs(tree.threshold[node]) + 1e-12)
    np.testing.assert_array_equal(result[sure], expected_of(model, rows.astype(float))[sure])


@examples(15)
@given(made=pair_models(missing=False, kinds=("normal",)))
def test_onnx_for_rows(made):
    """Rows of float64 that are given keep their clusters when they are rounded to float32."""
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    model, X, _ = made
    data = to_onnx(model, X=X)
    session = runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
    (result,) = session.run(["label"], {"X": X.astype(np.float32)})
    np.testing.assert_array_equal(result, model.labels_)


def iris_model(*steps):
    """Iris with a cut of both petals, behind some steps."""
    X = load_iris().data
    before = make_pipeline(*steps).fit(X) if steps else None
    Z = X if before is None else before.transform(X)
    builder = TreeBuilder()
    total = Z[:, 2] + 0.5 * Z[:, 3]
    at = float(np.sort(total)[49:51].mean())
    _, right = builder.cut(0, 2, at, terms=((2, 1.0), (3, 0.5)))
    value = np.sort((Z[:, 0] - 2 * Z[:, 1])[total > at])
    terms = ((0, 1.0), (1, -2.0))
    left, right = builder.cut(right, 0, float(value[49:51].mean()), terms=terms)
    builder.cluster[left], builder.cluster[right] = 1, 2
    model = pair_model(Z, builder)
    return model if before is None else make_pipeline(before, model), X


IRIS = ["sepal length", "sepal width", "petal length", "petal width"]


def test_text():
    model, _ = iris_model()
    assert to_text(model, feature_names=IRIS).splitlines() == [
        "petal length + 0.5 × petal width <= 2.825",
        "|   cluster 0 (50 samples)",
        "petal length + 0.5 × petal width > 2.825",
        "|   sepal length - 2 × sepal width <= 0.5",
        "|   |   cluster 1 (57 samples)",
        "|   sepal length - 2 × sepal width > 0.5",
        "|   |   cluster 2 (43 samples)",
    ]
    rules = to_rules(model, feature_names=IRIS)
    assert rules[1]["rule"] == (
        "petal length + 0.5 × petal width > 2.825 and sepal length - 2 × sepal width <= 0.5"
    )
    assert 'label="petal length + 0.5 × petal width <= 2.825"' in to_dot(model, feature_names=IRIS)


def test_sql_golden():
    model, _ = iris_model()
    assert to_sql(model, feature_names=IRIS).splitlines()[1] == (
        '  WHEN (CAST("petal length" AS DOUBLE PRECISION) + 0.5E0 * '
        'CAST("petal width" AS DOUBLE PRECISION)) <= 2.825E0 THEN 0'
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect(dialect):
    model, _ = iris_model(StandardScaler())
    sql = to_sql(model, dialect=dialect, feature_names=IRIS)
    writer = DIALECTS[dialect]
    mean = model[0].steps[0][1].mean_[2].item()
    assert f"CAST({writer.name('petal length')} AS {writer.double}) - {writer.number(mean)}" in sql


@pytest.mark.parametrize("name", STEPS)
def test_all_steps_are_inverted(name):
    model, X = iris_model(STEPS[name]())
    read = from_json(to_json(model))
    np.testing.assert_array_equal(read.predict(X), model.predict(X))


def test_scikit_learn_has_no_sums():
    model, _ = iris_model()
    with pytest.raises(ValueError, match=r"node 0 splits on a sum of columns, 'x\[2\] \+ 0.5 × x"):
        to_sklearn(model)
    with pytest.raises(ValueError, match="to_onnx, to_sql, to_python"):
        to_sklearn(from_json(to_json(model)))


def test_a_plain_sum_is_no_split_on_categories():
    """Weights of 1 alone do not make categories of numbers."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    builder = TreeBuilder()
    _, right = builder.cut(0, 0, 0.5, terms=((0, 1.0), (1, 1.0)))
    builder.cluster[right] = 1
    model = pair_model(X, builder)
    with pytest.raises(ValueError, match="splits on a sum"):
        to_sklearn(model)


STEP_WORDS = {
    "log of petal length": FunctionTransformer(np.log),
    "quantile of petal length": QuantileTransformer(n_quantiles=20),
}


@pytest.mark.parametrize("words", STEP_WORDS)
def test_steps_that_are_no_arithmetic(words):
    model, X = iris_model(STEP_WORDS[words], StandardScaler())
    messages = to_text(model, feature_names=IRIS)
    assert messages.startswith(words)
    np.testing.assert_array_equal(describe(model).tree.predict(X), model.predict(X))
    for form in (to_sql, to_python, to_json):
        with pytest.raises(ValueError, match=f"column 'petal length' stands in a sum as '{words}'"):
            form(model, feature_names=IRIS)


def mixed(encoder):
    """A sum of a number and a category."""
    random = np.random.default_rng(0)
    table = np.empty((40, 2), dtype=object)
    table[:, 0], table[:, 1] = random.normal(size=40), random.choice(["red", "blue", "green"], 40)
    steps = make_column_transformer((StandardScaler(), [0]), (encoder, [1]), sparse_threshold=0)
    steps.fit(table)
    Z = np.asarray(steps.transform(table), dtype=float)
    builder = TreeBuilder()
    _, right = builder.cut(0, 0, 0.4, terms=((0, 1.0), (1, 0.8)))
    builder.cluster[right] = 1
    return make_pipeline(steps, FittedModel(builder.build(Z.shape[1]))), table


def test_a_number_and_a_category():
    model, table = mixed(OneHotEncoder(handle_unknown="ignore"))
    assert "x[1] is blue" in to_text(model)
    expected = model.predict(table)
    for engine in ("sqlite", "duckdb"):
        sql = to_sql(model, dialect=engine)
        names, types = ["x[0]", "x[1]"], ["DOUBLE", "VARCHAR"]
        with Database(engine, names, table.tolist(), types) as database:
            np.testing.assert_array_equal(database.labels(sql), expected)
    np.testing.assert_array_equal(answers(to_python(model), table.tolist()), expected)


def test_a_number_of_a_category():
    model, _ = mixed(OrdinalEncoder())
    with pytest.raises(
        ValueError, match=r"a sum with column 'x\[1\]', whose categories were .* by Ordinal"
    ):
        to_text(model)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (7, "the steps of a term is 7"),
        ([["subtract"]], "a step of a term is"),
        ([["import os", 1.0]], "one of subtract, add"),
        ([["subtract", "a"]], "the number of a step of a term is not"),
        ([["subtract", 1e999]], "not a JSON number"),
        ([["divide", 0.0]], "a step of a term is to divide by 0"),
        ([["add", 1.0]] * 101, "not a list of at most 100"),
    ],
)
def test_steps_that_are_wrong(steps, message):
    model, _ = iris_model(StandardScaler())
    data = json.loads(to_json(model))
    data["nodes"]["terms"][0][0][2] = steps
    with pytest.raises(ValueError, match=message):
        from_json(json.dumps(data))


def test_steps_in_a_file_of_an_older_version():
    model, X = iris_model(StandardScaler())
    data = json.loads(to_json(model))
    data["version"] = 2
    older = from_json(json.dumps(data))
    np.testing.assert_array_equal(older.predict(X), from_json(to_json(model)).predict(X))
    assert older.why_no_spec == "model files of version 2 do not store it"


@pytest.mark.parametrize("by", [1e-320, 1e308])
def test_steps_out_of_range_are_an_error(by):
    """A file may have any numbers: words do not fail of them."""
    model, X = iris_model(StandardScaler())
    data = json.loads(to_json(model))
    data["nodes"]["terms"][0][0][2] = [["divide", by], ["multiply", by], ["multiply", by]]
    read = from_json(json.dumps(data))
    assert to_text(read)
    assert to_rules(read)
    assert read.predict(X).shape == (150,)


@pytest.mark.parametrize(
    ("scale", "words"), [("log", "log of (1 + wide)"), ("rank", "rank of wide")]
)
def test_scales_that_are_no_arithmetic(scale, words):
    """Words tell of them; who would compute them otherwise is told that it is not written."""
    random = np.random.default_rng(0)
    wide = random.lognormal(size=200)
    far = wide * np.exp(np.where(np.arange(200) % 2, 1.5, -1.5) + random.normal(0, 0.2, 200))
    table = pd.DataFrame({"wide": wide, "far": far})
    model = fit_table(table, 2, split="pair", scale=scale, search_effort=1)
    assert len(model[-1].tree_.terms(0)) == 2
    np.testing.assert_array_equal(model.predict(table), model[-1].labels_)
    assert words in to_text(model)
    for write in (to_json, to_sql, to_python):
        with pytest.raises(ValueError, match=rf"'wide' stands in a sum as '{re.escape(words)}'"):
            write(model)
