"""What a page tells of a tree, against the slow and obvious way of finding it."""

import base64
import json
import sys

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples, mostly_slow
from helpers.exports import names_for, trees
from helpers.frames import POLARS
from helpers.page_rules import in_words
from helpers.plot_trees import MODELS
from hypothesis import given
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, KernelKMeans, TableEncoder, report
from agathis.export import from_json, to_json, to_python, to_sql
from agathis.report import write
from agathis.report._tuning import FEW

WINE = load_wine(as_frame=True)
SPECIES = WINE.target_names[WINE.target]


@pytest.fixture(scope="module")
def model():
    return Kauri(3, max_leaf_nodes=6).fit(WINE.data)


def summarise(model, X, y=None, cluster_names=None, **options):
    """The data of a page on which rows are looked up by their position."""
    return report.summarise(model, X, y, cluster_names, ids=range(len(X)), **options)


def leaves_of(summary):
    """The leaf of each row, as the page reads it."""
    found = summary["lookup"]
    data = np.frombuffer(base64.b64decode(found["data"]), dtype=f"<u{found['bytes']}")
    return np.array(found["leaves"])[data]


def rows_of(summary, leaves, node):
    """Which rows come by a node, by walking up from the leaf of each."""
    out = []
    for leaf in leaves:
        while leaf not in (node, -1):
            leaf = summary["nodes"][leaf]["parent"]
        out.append(leaf == node)
    return np.array(out)


def tree_as_it_is(summary, tree):
    assert [node["children"] for node in summary["nodes"]] == [
        [] if left < 0 else [left, right]
        for left, right in zip(tree.children_left, tree.children_right, strict=True)
    ]


@examples(25)
@given(trees())
def test_counts_are_those_of_the_rows(example):
    model, X, new = example
    for rows in (X, new):
        summary = summarise(model, rows)
        json.dumps(summary, allow_nan=False)
        leaves = leaves_of(summary)
        np.testing.assert_array_equal(leaves, model.apply(rows))
        tree_as_it_is(summary, model.tree_)
        labels = model.predict(rows)
        for number, node in enumerate(summary["nodes"]):
            here = rows_of(summary, leaves, number)
            assert node["size"] == here.sum()
            assert node["mix"] == np.bincount(labels[here], minlength=len(node["mix"])).tolist()
            told = node["histogram"]
            if told is not None:
                left, right = (summary["nodes"][child] for child in node["children"])
                for child, counts, missing in zip(
                    (left, right), told["counts"], told["missing"], strict=True
                ):
                    assert sum(counts) + missing == child["size"]
        for k, cluster in enumerate(summary["clusters"]):
            assert cluster["size"] == (labels == k).sum()
            # Rules speak of missing values where training rows missed some: others are in none.
            told = sum(cluster["rule_sizes"])
            assert told <= cluster["size"]
            if rows is X or not np.isnan(rows).any():
                assert told == cluster["size"]


@pytest.mark.parametrize("name", mostly_slow(MODELS, "Kauri", "ExKMC"))
def test_every_method(name, blobs):
    X, _ = blobs
    model = clone(MODELS[name]).fit(X)
    summary = summarise(model, X)
    assert summary["about"]["method"] == name
    np.testing.assert_array_equal(leaves_of(summary), model.apply(X))
    again = summarise(from_json(to_json(model)), X)
    assert again["about"]["method"] == name
    assert again["nodes"] == summary["nodes"]
    assert summarise(model.tree_, X)["clusters"] == summary["clusters"]


def test_values_of_a_node(model):
    summary = summarise(model, WINE.data)
    X, leaves = WINE.data.to_numpy(), leaves_of(summary)
    spread = X.std(axis=0)
    for number, node in enumerate(summary["nodes"]):
        part = X[rows_of(summary, leaves, number)]
        if len(part) < FEW:
            assert node["telling"] == []
            continue
        apart = np.abs(part.mean(axis=0) - X.mean(axis=0)) / spread
        if number:
            farthest = np.argsort(-apart)[: len(node["telling"])]
            assert [told["feature"] for told in node["telling"]] == farthest.tolist()
        for told in node["telling"]:
            values = part[:, told["feature"]]
            assert told["mean"] == pytest.approx(values.mean(), rel=1e-5)
            # Each is the mean of five values, so that none is that of a row.
            first = [round(q * (len(values) - 1)) - 2 for q in (0.25, 0.5, 0.75)]
            first = np.clip(first, 0, len(values) - FEW)
            quartiles = [np.sort(values)[i : i + FEW].mean() for i in first]
            assert told["quartiles"] == pytest.approx(quartiles, rel=1e-5)
    assert any(len(node["telling"]) for node in summary["nodes"])


def test_classes(model):
    summary = summarise(model, WINE.data, SPECIES)
    assert summary["classes"] == ["class_0", "class_1", "class_2"]
    for k, cluster in enumerate(summary["clusters"]):
        found = pd.Series(SPECIES[model.labels_ == k]).value_counts()
        assert cluster["classes"] == [found.get(name, 0) for name in summary["classes"]]
    leaves = leaves_of(summary)
    for number, node in enumerate(summary["nodes"]):
        here = rows_of(summary, leaves, number)
        expected = [int((SPECIES[here] == name).sum()) for name in summary["classes"]]
        assert node["classes"] == (expected if here.sum() >= FEW else None)


def test_many_classes_become_one():
    X = np.arange(150.0)[:, None]
    y = [f"class {i // 5}" for i in range(150)]
    summary = summarise(Kauri(2, max_leaf_nodes=None).fit(X), X, y)
    assert len(summary["classes"]) == 13
    assert summary["classes"][-1] == "18 others"
    assert sum(summary["nodes"][0]["classes"]) == 150


def test_small_groups_keep_their_values():
    X = np.vstack([np.random.default_rng(0).normal(size=(40, 2)), [[1234.5, 6789.5]] * 3])
    y = ["known"] * 40 + ["secret"] * 3
    model = Kauri(2, max_leaf_nodes=2).fit(X)
    summary = summarise(model, X, y)
    small = int(model.labels_[-1])
    assert summary["clusters"][small]["typical"] == []
    assert summary["clusters"][small]["classes"] is None
    assert {item["clusters"][small] is None for item in summary["profile"]} == {True}
    leaf = summary["nodes"][int(model.apply(X)[-1])]
    assert (leaf["telling"], leaf["classes"]) == ([], None)
    text = json.dumps(summary)
    assert "1234.5" not in text
    assert "6789.5" not in text
    assert "1234.5" in json.dumps(summarise(model, X, y, rows=True))


def test_few_known_values_are_not_told():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    X[:30] += 10
    X[:, 2] = np.nan
    X[[3, 4], 2] = 4321.25
    model = Kauri(2, max_leaf_nodes=2, engine="binned").fit(X)
    summary = summarise(model, X)
    assert "4321.25" not in json.dumps(summary)
    assert summary["features"][2]["quartiles"] is None
    assert "4321.25" in json.dumps(summarise(model, X, rows=True))
    few = summarise(Kauri(1, max_leaf_nodes=None).fit(X[:4, :2]), X[:4, :2])
    assert few["features"][0]["mean"] is None
    assert few["nodes"][0]["telling"] == []


def test_no_row_is_inside_unless_asked_for():
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = Kauri(3, max_leaf_nodes=5).fit(X)
    summary = summarise(model, X)
    assert summary["rows"] is None
    assert summary["plane"]["points"] is None
    inside = summarise(model, X, rows=True)
    columns = [np.frombuffer(base64.b64decode(c), "<f8") for c in inside["rows"]["columns"]]
    np.testing.assert_array_equal(np.array(columns).T, X)
    assert len(inside["plane"]["points"]) == 200
    assert inside["plane"]["cells"] == []
    small = summarise(
        Kauri(3, max_leaf_nodes=None).fit(X.astype(np.float32)), X.astype(np.float32), rows=True
    )
    assert small["rows"]["bytes"] == 4


def test_units_are_those_before_scaling():
    scaler = StandardScaler()
    bare = Kauri(3, max_leaf_nodes=6).fit(scaler.fit_transform(WINE.data))
    pipeline = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=6)).fit(WINE.data)
    summary = summarise(pipeline, WINE.data)
    assert summarise(bare, WINE.data, scaler=scaler)["nodes"] == summary["nodes"]
    np.testing.assert_array_equal(
        leaves_of(summary), pipeline[-1].apply(pipeline[:-1].transform(WINE.data))
    )
    for node in summary["nodes"]:
        if node["children"]:
            values = WINE.data.iloc[:, node["feature"]]
            assert values.min() <= node["histogram"]["threshold"] <= values.max()
    loaded = from_json(to_json(pipeline))
    assert summarise(loaded, WINE.data)["clusters"] == summary["clusters"]
    assert summary["about"]["scaled"]


@pytest.mark.slow
def test_no_unit_is_the_whole_plane():
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 4)) * [1e4, 1, 1, 1]
    scaler = StandardScaler().fit(X)
    model = Kauri(3, max_leaf_nodes=None).fit(scaler.transform(X))
    plane = summarise(model, X, scaler=scaler)["plane"]
    assert plane["scaled"]
    assert max(plane["explained"]) < 0.5
    loaded = from_json(to_json(model, scaler=scaler))
    assert summarise(loaded, X)["plane"] == plane
    unscaled = summarise(Kauri(3, max_leaf_nodes=None).fit(X), X)["plane"]
    assert unscaled["explained"][0] > 0.99
    assert not unscaled["scaled"]


def test_rules_are_those_of_the_exports(model):
    summary = summarise(model, WINE.data, cluster_names=["a", "b", "c"])
    assert summary["code"]["python"]["text"] == to_python(
        model, cluster_names=["a", "b", "c"], feature_names=list(WINE.data)
    )
    for name, found in summary["code"]["sql"].items():
        assert found["text"] == to_sql(
            model, dialect=name, table="your_table", cluster_names=["a", "b", "c"]
        )
    for cluster in summary["clusters"]:
        masks = [
            np.logical_and.reduce([holds(parts, WINE.data) for parts in box] or [True])
            for box in cluster["rule"]
        ]
        where = np.logical_or.reduce(masks)
        assert where.sum() == cluster["size"]
        covered = np.zeros(len(WINE.data), dtype=bool)
        for mask, count in zip(masks, cluster["rule_sizes"], strict=True):
            assert (mask & ~covered).sum() == count
            covered |= mask


def holds(parts, table):
    """Whether rows satisfy a condition, read as a person would."""
    before, name, after = parts
    out = np.ones(len(table), dtype=bool)
    if before:
        out &= table[name] > float(before.removesuffix(" < "))
    sign, _, value = after.strip().partition(" ")
    return (
        out
        & {
            "≤": lambda: table[name] <= float(value),
            ">": lambda: table[name] > float(value),
            "": lambda: True,
        }[sign]()
    )


def test_words_for_codes_and_categories():
    votes = pd.DataFrame(
        {
            "aid": [1, 1, 1, -1, -1, 0],
            "color_<=50K": [1, 1, 0, 0, 0, 1],
            "color_blue": [0, 0, 1, 1, 1, 0],
        }
    )
    votes = pd.concat([votes] * 5, ignore_index=True)
    summary = summarise(
        Kauri(3, max_leaf_nodes=None).fit(votes),
        votes,
        value_names={"aid": {-1: "no", 0: "unknown", 1: "yes"}},
        one_hot={"color": ["color_<=50K", "color_blue"]},
    )
    rules = [in_words(cluster["rule"]) for cluster in summary["clusters"]]
    assert rules[0] == "aid is no"
    assert any("color is <=50K" in rule for rule in rules)
    told = {node["name"]: node["histogram"] for node in summary["nodes"] if node["histogram"]}
    assert told["aid"]["labels"] == ["no", "unknown", "yes"]
    assert told["aid"]["counts"] == [[10, 0, 0], [0, 5, 15]]
    assert sorted(told["color"]["labels"]) == ["<=50K", "blue"]
    assert summary["features"][1]["name"] == "color is <=50K"


def test_missing_values():
    X = WINE.data.to_numpy().copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    model = Kauri(3, max_leaf_nodes=8, engine="binned").fit(X)
    summary = summarise(model, X)
    np.testing.assert_array_equal(leaves_of(summary), model.apply(X))
    assert [f["missing"] for f in summary["features"]] == np.isnan(X).sum(axis=0).tolist()
    assert "missing" in "".join(in_words(c["rule"]) for c in summary["clusters"])
    with pytest.raises(ValueError, match="NaN"):
        summarise(Kauri(3, max_leaf_nodes=None).fit(np.nan_to_num(X)), X)


@pytest.mark.parametrize("frame", [pd.DataFrame, POLARS])
def test_names_come_from_the_frame(frame):
    data = {"a": [0.0, 1.0, 5.0, 6.0], "b": [1.0, 2.0, 1.0, 2.0]}
    bare = Kauri(2, max_leaf_nodes=None).fit(np.array(list(data.values())).T)
    assert [f["name"] for f in summarise(bare, frame(data))["features"]] == ["a", "b"]
    model = Kauri(2, max_leaf_nodes=None).fit(frame(data))
    assert [f["name"] for f in summarise(model, frame(data))["features"]] == ["a", "b"]
    with pytest.raises(ValueError, match="X has the columns 'b', 'a'"):
        summarise(model, frame({"b": data["b"], "a": data["a"]}))


def test_awkward_names_stay(model):
    X = WINE.data.to_numpy()[:, :3]
    names = names_for(3)
    summary = summarise(Kauri(2, max_leaf_nodes=None).fit(X), X, feature_names=names)
    assert [f["name"] for f in summary["features"]] == names
    twice = summarise(Kauri(2, max_leaf_nodes=5).fit(X), X, feature_names=["a"] * 3)
    assert "has a name twice" in twice["code"]["python"]["error"]


def test_one_leaf_one_column_one_row():
    for X in ([[1.0]], [[1.0], [1.0]], [[1.0], [2.0]]):
        summary = summarise(Kauri(1, max_leaf_nodes=None).fit(X), X)
        assert summary["clusters"][0]["rule"] == [[]]
        assert summary["quality"]["stability"] is None
        assert len(leaves_of(summary)) == len(X)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"cluster_names": ["a"]}, "cluster_names has 1 names; the tree has 3 clusters"),
        ({"cluster_names": "abc"}, "cluster_names has 'abc'"),
        ({"feature_names": ["a"]}, "feature_names has 1 names"),
        ({"y": [1, 2]}, "y has 2 values; X has 178 rows"),
        ({"rows": "yes"}, "rows must be True or False; it is 'yes'"),
        ({"title": 3}, "title must be a str; it is 3"),
        ({"digits": 0}, "digits must be an integer"),
    ],
)
def test_errors(model, arguments, error, tmp_path):
    with pytest.raises((TypeError, ValueError), match=error):
        write(model, WINE.data, tmp_path / "page.html", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_places_that_are_no_files(model, tmp_path):
    with pytest.raises(TypeError, match="path must be a str or a PathLike; it is None"):
        write(model, WINE.data, None)
    with pytest.raises(IsADirectoryError, match=rf"not a file: '{tmp_path}'"):
        write(model, WINE.data, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_has_no_tree(tmp_path):
    X = WINE.data.to_numpy()
    with pytest.raises(TypeError, match="without tree_"):
        write(KernelKMeans(2, random_state=0).fit(X), X, tmp_path / "page.html")
    with pytest.raises(ValueError, match="X"):
        write(Kauri(2, max_leaf_nodes=None).fit(X), X[:, :2], tmp_path / "page.html")


def test_without_jinja2(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "agathis\[report\]"'):
        write(model, WINE.data, tmp_path / "page.html")
    assert summarise(model, WINE.data)["about"]["n_rows"] == 178


def test_the_file_is_replaced_as_a_whole(model, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("before")
    assert write(model, WINE.data, str(path)) is None
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    write(model, WINE.data, path)
    assert path.read_text(encoding="utf-8") == text


def test_a_pipeline_tells_what_became_of_the_table():
    """As the page of the command does, without being told."""
    random = np.random.RandomState(0)
    table = pd.DataFrame(
        {
            "size": random.normal(size=60),
            "price": random.normal(size=60),
            "year": 2000 + np.arange(60) % 7,
        }
    )
    model = make_pipeline(TableEncoder(scale="minmax"), Kauri(2, max_leaf_nodes=None)).fit(table)
    found = summarise(model, table)["provenance"]
    assert [(one["column"], one["used"]) for one in found["columns"]] == [
        ("size", True),
        ("price", True),
        ("year", False),
    ]
    assert found["columns"][2]["why"] == "it is part of a date or time"
    assert "0..1" in found["scaling"]
    assert (
        summarise(model, table, provenance={"scaling": "mine"})["provenance"]["scaling"] == "mine"
    )
