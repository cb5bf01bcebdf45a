"""Trees as scikit-learn's own, and as ONNX models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.exports import BASELINES, SCALERS, rows_of, trees
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, export_text

from agathis import Kauri
from agathis.export import to_json, to_onnx, to_sklearn


def answers(data: bytes, X) -> np.ndarray:
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
    return session.run(["label"], {"X": np.asarray(X, dtype=np.float32)})[0]


@examples(60)
@given(made=trees(kinds=("normal", "ties")))
def test_rows_get_their_clusters(made):
    model, X, _ = made
    result = to_sklearn(model, X)
    np.testing.assert_array_equal(result.predict(X), model.labels_)
    np.testing.assert_array_equal(result.apply(X), model.apply(X))
    proba = result.predict_proba(X)
    np.testing.assert_array_equal(proba, np.eye(model.n_clusters_)[model.labels_])
    assert result.get_n_leaves() == model.n_leaves_
    assert result.get_depth() == model.tree_.max_depth


@examples(60)
@given(made=trees(kinds=("normal", "ties")))
def test_rows_of_float32_need_no_help(made):
    """Those that float32 holds go the same way at any threshold, without being given."""
    model, X, more = made
    rows = np.vstack([X, more]).astype(np.float32)
    np.testing.assert_array_equal(to_sklearn(model).apply(rows), model.tree_.apply(rows))


@examples(40)
@given(seed=st.integers(0, 2**32 - 1), scaler=st.sampled_from(sorted(SCALERS)))
def test_scaled(seed, scaler):
    X = rows_of(np.random.default_rng(seed), 40, 3, "ties")
    model = make_pipeline(SCALERS[scaler](), Kauri(3, max_leaf_nodes=9)).fit(X)
    np.testing.assert_array_equal(to_sklearn(model, X).predict(X), model.predict(X))


def test_rows_that_are_equal_as_float32():
    X = np.array([[1.0], [1.0 + 1e-12], [1.0 + 2e-12]])
    model = Kauri(2, max_leaf_nodes=None).fit(X)
    with pytest.raises(ValueError, match=r"float32 does not tell apart rows of X that node 0 sep"):
        to_sklearn(model, X)
    assert to_sklearn(model).n_classes_ == 2
    with pytest.raises(ValueError, match="values that float32 does not hold"):
        to_sklearn(model, [[1e300]])


def test_a_threshold_is_moved_for_given_rows():
    """Rounded down it would be below the row on its left, which rounds up."""
    low = 1.0 + 0.75 * 2.0**-23
    X = np.array([[low], [1.0 + 2.0**-22]])
    tree = Kauri(2, max_leaf_nodes=None).fit(X).tree_
    at_low = type(tree).from_dict({**tree.to_dict(), "threshold": [low, -2.0, -2.0]})
    expected = at_low.predict(X)
    np.testing.assert_array_equal(to_sklearn(at_low, X).predict(X), expected)
    assert to_sklearn(at_low).predict(X)[0] != expected[0]


@pytest.mark.parametrize("name", BASELINES)
def test_baselines(name, iris):
    model = BASELINES[name](3).fit(iris)
    result = to_sklearn(model)
    np.testing.assert_array_equal(result.predict(iris), model.labels_)
    np.testing.assert_array_equal(
        result.decision_path(iris).toarray(), model.decision_path(iris).toarray()
    )


def test_tools_of_scikit_learn(iris):
    frame = pd.DataFrame(iris, columns=["a b", "c", "petal", "d"])
    model = Kauri(3, max_leaf_nodes=3).fit(frame)
    result = to_sklearn(model, cluster_names=["small", "medium", "large"])
    assert isinstance(result, DecisionTreeClassifier)
    assert list(result.feature_names_in_) == list(frame)
    text = export_text(result, feature_names=list(frame), decimals=1)
    assert text.splitlines()[:2] == ["|--- petal <= 3.4", "|   |--- class: small"]
    assert set(result.predict(frame)) == {"small", "medium", "large"}
    np.testing.assert_allclose(result.tree_.value[0, 0], np.bincount(model.labels_) / 150)
    assert result.tree_.impurity[0] == pytest.approx(
        1 - ((np.bincount(model.labels_) / 150) ** 2).sum()
    )
    assert result.feature_importances_.sum() == pytest.approx(1)


def test_plot_tree(iris):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from sklearn.tree import plot_tree

    drawn = plot_tree(to_sklearn(Kauri(3, max_leaf_nodes=4).fit(iris)))
    plt.close("all")
    assert sum("value" in note.get_text() for note in drawn) == 7


def test_it_survives_a_pickle(iris):
    import pickle

    model = Kauri(3, max_leaf_nodes=None).fit(iris)
    result = pickle.loads(pickle.dumps(to_sklearn(model)))
    np.testing.assert_array_equal(result.predict(iris), model.labels_)


@examples(25)
@given(made=trees(missing=False, kinds=("normal", "ties")))
def test_onnx_agrees(made):
    pytest.importorskip("skl2onnx")
    model, X, more = made
    np.testing.assert_array_equal(answers(to_onnx(model, X=X), X), model.labels_)
    single = more.astype(np.float32)
    np.testing.assert_array_equal(answers(to_onnx(model), single), model.tree_.predict(single))


@examples(25)
@given(made=trees(kinds=("normal", "ties")))
def test_onnx_with_missing_values(made):
    pytest.importorskip("skl2onnx")
    model, X, more = made
    single = np.vstack([X, more]).astype(np.float32)
    np.testing.assert_array_equal(answers(to_onnx(model), single), model.tree_.predict(single))


@pytest.mark.parametrize("name", ["Kauri", *BASELINES])
def test_onnx_of_all_methods(name, iris, tmp_path):
    pytest.importorskip("skl2onnx")
    make = BASELINES.get(name, Kauri)
    model = make_pipeline(SCALERS["standard"](), make(3)).fit(iris)
    path = tmp_path / "tree.onnx"
    assert to_onnx(model, path, X=iris) is None
    np.testing.assert_array_equal(answers(path.read_bytes(), iris), model.predict(iris))
    assert to_json(model)
