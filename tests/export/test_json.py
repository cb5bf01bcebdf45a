"""Trees as JSON, and back; files that are not what they say."""

from __future__ import annotations

import json
import os

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.exports import AWKWARD, BASELINES, names_for, same_arrays, trees
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import agathis
from agathis import Kauri
from agathis.export import (
    FittedModel,
    from_json,
    to_dot,
    to_json,
    to_python,
    to_rules,
    to_sklearn,
    to_sql,
    to_text,
)
from agathis.plot import gain_curve


@examples(60)
@given(made=trees())
def test_round_trip(made):
    model, X, more = made
    names = names_for(X.shape[1])
    loaded = from_json(to_json(model, feature_names=names))
    same_arrays(loaded.tree_, model.tree_)
    rows = np.vstack([X, more])
    if model.engine_ == "binned":
        np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
        np.testing.assert_array_equal(loaded.apply(rows), model.apply(rows))
        assert (loaded.decision_path(rows) != model.decision_path(rows)).nnz == 0
    else:
        np.testing.assert_array_equal(loaded.predict(X), model.labels_)
    assert list(loaded.feature_names_in_) == names
    assert to_json(loaded) == to_json(model, feature_names=names)


@pytest.mark.parametrize("name", BASELINES)
def test_baselines(name, iris):
    model = BASELINES[name](3).fit(iris)
    loaded = from_json(to_json(model))
    same_arrays(loaded.tree_, model.tree_)
    assert loaded.method == name
    np.testing.assert_array_equal(loaded.predict(iris), model.labels_)
    with pytest.raises(ValueError, match="contains NaN"):
        loaded.predict(np.full((1, 4), np.nan))


def test_schema():
    text = to_json(
        Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]]), cluster_names=["near", "far"]
    )
    data = json.loads(text)
    assert data["nodes"].pop("gain")[1:] == [0.0, 0.0]
    assert data.pop("fit") == {
        "objective": 81.5,
        "inertia": 0.5,
        "lower_bound": None,
        "gap": None,
        "is_optimal": None,
        "n_samples": 3,
    }
    assert data.pop("centres") == {
        "points": [[pytest.approx(-17 / 6)], [pytest.approx(17 / 3)]],
        "origin": [pytest.approx(10 / 3)],
        "fill": None,
    }
    spec = data.pop("spec")
    assert (spec["method"], spec["n_clusters"]) == ("kauri", 2)
    assert spec["kernel"]["kernel"] == "linear"
    assert data == {
        "format": "agathis-tree",
        "version": 4,
        "agathis": agathis.__version__,
        "model": "Kauri",
        "n_features": 1,
        "n_clusters": 2,
        "feature_names": None,
        "cluster_names": ["near", "far"],
        "one_hot": None,
        "value_names": None,
        "takes_missing": False,
        "rounded": False,
        "nodes": {
            "left": [1, None, None],
            "right": [2, None, None],
            "feature": [0, None, None],
            "threshold": [5.0, None, None],
            "cluster": [0, 0, 1],
            "samples": [3, 2, 1],
            "weight": [3.0, 2.0, 1.0],
            "missing": ["unseen", "unseen", "unseen"],
            "move": ["star", "leaf", "leaf"],
            "terms": None,
        },
        "preparation": None,
        "fitted_nodes": None,
        "roles": None,
        "provenance": None,
    }


def test_the_objective_is_kept(iris):
    model = Kauri(3, max_leaf_nodes=None).fit(iris)
    loaded = from_json(to_json(from_json(to_json(model))))
    assert loaded.objective_ == model.objective_
    np.testing.assert_array_equal(gain_curve(loaded).objective, gain_curve(model).objective)


def test_every_export_accepts_a_loaded_model():
    X = np.random.default_rng(0).normal(size=(90, len(AWKWARD)))
    model = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=7)).fit(X)
    names = {"feature_names": AWKWARD, "cluster_names": ["a'b", 'c"d', "e\nf"]}
    loaded = from_json(to_json(model, **names))
    for write in (to_text, to_rules, to_sql, to_dot, to_python, to_json):
        assert str(write(loaded)) == str(write(model, **names))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    result = to_sklearn(loaded, X).predict(pd.DataFrame(X, columns=AWKWARD))
    np.testing.assert_array_equal(result, np.array(names["cluster_names"])[model.predict(X)])


def test_columns_are_kept():
    random = np.random.default_rng(3)
    color, flag = random.integers(0, 3, 80), random.integers(0, 2, 80)
    codes = random.choice([-1.0, 0, 1], 80)
    X = np.column_stack([color == 0, color == 1, color == 2, flag, codes]).astype(float)
    names = ["color_red", "b", "None of these", "flag", "vote"]
    columns = {
        "one_hot": {
            "color": {"color_red": "red", "b": 7, "None of these": None},
            "flag": {"flag": True},
        },
        "value_names": {"vote": {-1: "no", 0: "unknown", 1: "yes"}},
    }
    model = Kauri(12, max_leaf_nodes=20).fit(X)
    loaded = from_json(to_json(model, feature_names=names, **columns))
    assert loaded.one_hot_ == columns["one_hot"]
    assert loaded.value_names_ == columns["value_names"]
    for write in (to_text, to_rules, to_dot, to_json):
        assert str(write(loaded)) == str(write(model, feature_names=names, **columns))
    for write in (to_sql, to_python):
        given = {"feature_names": names, "one_hot": columns["one_hot"]}
        assert write(loaded) == write(model, **given)
    assert "flag is true" in to_text(loaded)
    assert "flag is false" in to_text(loaded)
    # Other names are other columns; the same ones change nothing.
    assert to_text(loaded, feature_names=names) == to_text(loaded)
    assert "color" not in to_text(loaded, feature_names=list("abcde"))


@pytest.mark.parametrize("category", [float("inf"), (1, 2)])
def test_categories_that_json_does_not_hold(category):
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0]])
    with pytest.raises(TypeError, match="JSON stores strings, finite numbers"):
        to_json(model, feature_names=["a"], one_hot={"s": {"a": category}})


def test_devices_stay_what_they_are(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]])
    to_json(model, pipe)
    assert os.read(reader, 1 << 16).decode() == to_json(model)
    os.close(reader)
    assert os.listdir(tmp_path) == ["pipe"]


def test_files(tmp_path):
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]])
    path = tmp_path / "tree.json"
    path.write_text("old")
    assert to_json(model, path) is None
    assert path.read_text() == to_json(model)
    assert os.listdir(tmp_path) == ["tree.json"]
    for source in (path, str(path)):
        np.testing.assert_array_equal(from_json(source).predict([[1.0], [9.0]]), [0, 1])
    with pytest.raises(FileNotFoundError):
        to_json(model, tmp_path / "nowhere" / "tree.json")
    with pytest.raises(FileNotFoundError):
        from_json(tmp_path / "nothing")
    with pytest.raises(TypeError, match="source must be a string or a path; it is 3"):
        from_json(3.0)


def test_no_file_remains_if_writing_fails(tmp_path):
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]])
    folder = tmp_path / "tree.json"
    folder.mkdir()
    (folder / "kept").write_text("old")
    with pytest.raises(OSError, match=r"tree\.json"):
        to_json(model, folder)
    assert os.listdir(tmp_path) == ["tree.json"]
    assert (folder / "kept").read_text() == "old"


def test_a_loaded_tree_is_an_estimator():
    loaded = from_json(to_json(Kauri(2, max_leaf_nodes=None).fit(pd.DataFrame({"a": [0.0, 1, 9]}))))
    frame = pd.DataFrame({"a": [0.0, 9]})
    assert isinstance(loaded, FittedModel)
    assert loaded.fit(frame) is loaded
    assert clone(loaded) is loaded
    np.testing.assert_array_equal(loaded.fit_predict(frame), [0, 1])
    np.testing.assert_array_equal(make_pipeline(loaded).fit(frame).predict(frame), [0, 1])
    np.testing.assert_array_equal(loaded.feature_importances_, [1.0])
    with pytest.raises(ValueError, match=r"X lacks columns that the model needs: 'a'\. It has 'b'"):
        loaded.predict(frame.rename(columns={"a": "b"}))
    with pytest.raises(ValueError, match="2 features"):
        loaded.predict([[1.0, 2.0]])


def good() -> dict:
    X = np.array([[0.0, 0], [0, 5], [20, 1], [20, 9]])
    return json.loads(to_json(Kauri(4, max_leaf_nodes=None).fit(X), feature_names=["a", "b"]))


def put(*place, value):
    def change(data):
        for key in place[:-1]:
            data = data[key]
        data[place[-1]] = value

    return change


WRONG = {
    "format": (put("format", value="other"), "its format is 'other'"),
    "no version": (put("version", value=None), "its version is None"),
    "a true version": (put("version", value=True), "its version is True"),
    "newer": (put("version", value=7), "version 7 of the format; this .* reads versions 1 to 4"),
    "features": (put("n_features", value=10**12), "n_features is 1000000000000, not an integer"),
    "text for a number": (put("n_features", value="2"), "n_features is '2'"),
    "no nodes": (put("nodes", value=[]), "it has no nodes"),
    "no list": (put("nodes", "gain", value=3), "nodes has no list gain"),
    "short list": (put("nodes", "gain", value=[0.0]), r"lengths \[1, 7\]"),
    "no node": (lambda d: [v.clear() for v in d["nodes"].values() if v], r"lengths \[0\]"),
    "cycle": (put("nodes", "left", 0, value=0), "see children_left"),
    "two parents": (put("nodes", "left", 0, value=2), "see children_left"),
    "outside": (put("nodes", "right", 0, value=99), "right is 99"),
    "negative": (put("nodes", "left", 0, value=-1), "left is -1"),
    "fraction": (put("nodes", "left", 0, value=1.5), "left is 1.5"),
    "half a leaf": (put("nodes", "right", 0, value=None), "left and right are not null"),
    "feature": (put("nodes", "feature", 0, value=2), "feature is 2, not .* from 0 to 1"),
    "huge": (put("nodes", "cluster", 0, value=2**70), "cluster is 1180591620717411303424"),
    "of no leaf": (put("nodes", "cluster", 0, value=5), "node 0 has the cluster 5, .* 0 to 3"),
    "threshold": (put("nodes", "threshold", 0, value="-inf"), "threshold is not a finite number"),
    "true": (put("nodes", "threshold", 0, value=True), "threshold is not a finite number"),
    "too large": (put("nodes", "threshold", 0, value=10**400), "threshold is not a finite number"),
    "weight": (put("nodes", "weight", 0, value=-1.0), "weight is not a finite number from 0"),
    "missing": (put("nodes", "missing", 0, value=1), "missing is 1, none of unseen, left, right"),
    "move": (put("nodes", "move", 0, value={"a": 1}), "move is .*none of leaf"),
    "clusters": (put("n_clusters", value=9), "n_clusters is 9; its leaves have 4"),
    "names": (put("feature_names", value=["a"]), "feature_names has 1 names for 2"),
    "names of numbers": (put("feature_names", value=[1, 2]), "feature_names is not a list"),
    "model": (put("model", value=["x"]), "model is"),
    "takes_missing": (put("takes_missing", value=1), "takes_missing is 1"),
    "objective": (put("fit", "objective", value="much"), "objective of fit is not a finite number"),
    "one_hot": (put("one_hot", value=["a"]), "one_hot is .*not an object with"),
    "no columns": (put("one_hot", value={"c": ["a"]}), "for 'c', not its columns"),
    "no feature": (put("one_hot", value={"c": {"d": 1}}), "names 'd', which is no feature"),
    "category": (put("one_hot", value={"c": {"a": []}}), r"one_hot has the category \[\]"),
    "infinite": (put("one_hot", value={"c": {"a": 10**400}}), "one_hot is not a finite"),
    "not 0 or 1": (put("one_hot", value={"c": {"a": "x"}}), "not a column of 0 and 1"),
    "value_names": (put("value_names", value=[1]), "value_names is .*not an object"),
    "no pairs": (put("value_names", value={"a": [["no", 1]]}), "no pairs of a value and a name"),
    "no code": (put("value_names", value={"a": [["x", "no"]]}), "value_names is not a finite"),
    "no such": (put("value_names", value={"z": [[1, "no"]]}), "has 'z', which is no feature"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_files_that_are_wrong(case):
    change, message = WRONG[case]
    data = good()
    change(data)
    with pytest.raises(ValueError, match=message):
        from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not JSON"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": -Infinity}', "-Infinity is not a JSON number"),
        ('{"a": 1, "a": 2}', "an object has a key twice"),
        ('{"a": ' + 100_000 * "[", "nested too deeply|it is not JSON"),
        ('{"a": ' + 10_000 * "9" + "}", "it is not JSON"),
    ],
)
def test_texts_that_are_wrong(text, message):
    with pytest.raises(ValueError, match=message):
        from_json(text)


def test_bytes_that_are_wrong(tmp_path, monkeypatch):
    path = tmp_path / "tree.json"
    path.write_bytes(b"\x80\x04\x95pickle")
    with pytest.raises(ValueError, match="it is not UTF-8"):
        from_json(path)
    path.write_text("[1]")
    with pytest.raises(ValueError, match="it is a list, not an object"):
        from_json(path)
    monkeypatch.setattr("agathis.export._json.MAX_BYTES", 2)
    with pytest.raises(ValueError, match="more than 2 bytes"):
        from_json(path)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.just([]),
    st.just({}), st.integers(-3, 9),
)  # fmt: skip


@examples(300)
@given(data=st.data())
def test_any_change_is_an_error_or_gives_a_valid_tree(data):
    tree = good()
    where = data.draw(st.sampled_from(["top", "list", "entry"]))
    value = data.draw(VALUES)
    if where == "top":
        tree[data.draw(st.sampled_from(sorted(tree)))] = value
    else:
        name = data.draw(st.sampled_from(sorted(tree["nodes"])))
        if where == "list" or tree["nodes"][name] is None:
            tree["nodes"][name] = value
        else:
            tree["nodes"][name][data.draw(st.integers(0, 6))] = value
    try:
        loaded = from_json(json.dumps(tree))
    except ValueError:
        return
    assert loaded.predict(np.zeros((3, loaded.n_features_in_))).max() < loaded.n_clusters_
    to_rules(loaded)
    assert from_json(to_json(loaded)).n_leaves_ == loaded.n_leaves_
