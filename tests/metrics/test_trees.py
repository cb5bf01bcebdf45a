"""Depths, sizes and rules of leaves, by walking down the tree row by row."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.frames import names_of_polars
from helpers.models import SEEDS, binned
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from agathis import Kauri
from agathis._kernels.kernel import Kernel
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis._trees.tree import MISSING_GOES
from agathis._utils.result_table import Table
from agathis.export import to_rules, to_text
from agathis.metrics import (
    explanation_table,
    weighted_average_depth,
    weighted_average_explanation_size,
)

FUNCTIONS = [weighted_average_depth, weighted_average_explanation_size, explanation_table]


def tree_of_cuts(X, cuts, clusters=(), weight=None):
    """A tree by hand: cuts are (node, feature, threshold), clusters those of the leaves."""
    sketch = TreeBuilder()
    for node, feature, threshold in cuts:
        sketch.cut(node, feature, threshold)
    leaves = [node for node, left in enumerate(sketch.children_left) if left < 0]
    for leaf, cluster in zip(leaves, clusters, strict=False):
        sketch.cluster[leaf] = cluster
    return completed(sketch, np.asarray(X, dtype=float), weight, Kernel("linear"), 1)[0]


def with_missing(tree, *where):
    """The tree with the ways that missing values went at its first nodes."""
    missing = tree.missing.copy()
    missing[: len(where)] = [MISSING_GOES.index(way) for way in where]
    return replace(tree, missing=missing)


def random_model(seed, missing=False):
    """A model, rows that it was not fitted to, and their weights."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 40)), int(rng.integers(1, 4))
    X, other = rng.integers(0, 7, (2, n, d)).astype(float)
    if missing:
        X[rng.random(X.shape) < 0.3] = np.nan
        other[rng.random(X.shape) < 0.3] = np.nan
    weight = rng.integers(0, 3, n).astype(float)
    weight[:2] = 1
    make = binned if missing else Kauri
    limits = {"max_leaf_nodes": int(rng.integers(2, 12))}
    return make(2, **limits).fit(X, sample_weight=weight), X, other, weight


def naive(tree, path, X):
    """Of each row: depth of its leaf with the root as 1, different (feature, side) pairs."""
    depths, sizes = [], []
    for i in range(len(X)):
        nodes = path[[i]].indices
        nodes = sorted(nodes.tolist())
        pairs = set()
        for node in nodes:
            for side, children in (("<=", tree.children_left), (">", tree.children_right)):
                if children[node] in nodes:
                    pairs.add((int(tree.feature[node]), side))
        depths.append(len(nodes))
        sizes.append(len(pairs))
    return np.array(depths), np.array(sizes)


@given(SEEDS, st.booleans())
def test_means_over_rows(seed, missing):
    model, X, other, weight = random_model(seed, missing)
    for rows in (X, other):
        depths, sizes = naive(model.tree_, model.decision_path(rows), rows)
        for given_model in (model, model.tree_):
            wad = weighted_average_depth(given_model, rows)
            assert wad == pytest.approx(depths.mean())
            assert weighted_average_explanation_size(given_model, rows) == pytest.approx(
                sizes.mean()
            )
            assert weighted_average_depth(given_model, rows, 0, weight) == pytest.approx(
                np.average(depths, weights=weight) - 1
            )
            assert weighted_average_explanation_size(given_model, rows, 1, weight) == pytest.approx(
                np.average(sizes, weights=weight) + 1
            )


@given(SEEDS)
def test_without_rows_those_of_the_training(seed):
    model, X, _, weight = random_model(seed)
    for function in FUNCTIONS[:2]:
        expected = function(model, X, sample_weight=weight)
        assert function(model) == pytest.approx(expected)
        assert function(model.tree_) == pytest.approx(expected)
    with_rows = explanation_table(model, X, sample_weight=weight)
    without = explanation_table(model)
    assert with_rows["share"] == pytest.approx(without["share"])
    for name in ("leaf", "cluster", "size", "depth", "rule", "explanation_size"):
        assert with_rows[name] == without[name]


@given(SEEDS)
def test_weights_are_repeats(seed):
    model, _, other, weight = random_model(seed)
    repeated = np.repeat(other, weight.astype(int), axis=0)
    for function in FUNCTIONS[:2]:
        expected = function(model, repeated)
        assert function(model, other, sample_weight=weight) == pytest.approx(expected)
    shares = explanation_table(model, repeated)["share"]
    table = explanation_table(model, other, sample_weight=weight)
    assert table["share"] == pytest.approx(shares)
    assert sum(table["size"]) == np.count_nonzero(weight)


def test_two_leaves():
    tree = tree_of_cuts([[0.0], [1.0], [2.0]], [(0, 0, 0.5)])
    assert weighted_average_depth(tree, [[0.0], [1.0]]) == 2
    assert weighted_average_explanation_size(tree, [[0.0], [1.0]]) == 1


def test_one_leaf():
    tree = tree_of_cuts([[0.0], [1.0]], [])
    assert weighted_average_depth(tree, [[5.0]]) == 1
    assert weighted_average_depth(tree, [[5.0]], root_depth=0) == 0
    assert weighted_average_explanation_size(tree, [[5.0]]) == 0
    assert weighted_average_explanation_size(tree, [[5.0]], offset=1) == 1
    assert list(explanation_table(tree)) == [
        {
            "leaf": 0,
            "cluster": 0,
            "size": 2,
            "share": 1.0,
            "depth": 1,
            "explanation_size": 0,
            "rule": "all rows",
        }
    ]


CHAIN = np.array([[0, 0], [1, 0], [2, 0], [3, 0], [3, 5], [9, 5]], dtype=float)


@pytest.fixture(scope="module")
def chain():
    """Leaves: a <= 0.5; 0.5 < a <= 1.5; 1.5 < a <= 2.5; a > 2.5 cut by b, then by a again."""
    cuts = [(0, 0, 0.5), (2, 0, 1.5), (4, 0, 2.5), (6, 1, 2.5), (8, 0, 6.0)]
    return tree_of_cuts(CHAIN, cuts, clusters=[0, 1, 0, 1, 0, 1])


def test_by_hand(chain):
    # Depths 2, 3, 4, 5, 6, 6; pairs 1, 2, 2, 2, 3 (a > 2.5, b > 2.5, a <= 6), 2.
    assert weighted_average_depth(chain, CHAIN) == pytest.approx(26 / 6)
    assert weighted_average_explanation_size(chain, CHAIN) == pytest.approx(12 / 6)
    table = explanation_table(chain, feature_names=["a", "b"])
    assert table.columns == [
        "leaf",
        "cluster",
        "size",
        "share",
        "depth",
        "explanation_size",
        "rule",
    ]
    assert table["leaf"] == [1, 3, 5, 7, 9, 10]
    assert table["depth"] == [2, 3, 4, 5, 6, 6]
    assert table["explanation_size"] == [1, 2, 2, 2, 3, 2]
    assert table["cluster"] == [0, 1, 0, 1, 0, 1]
    assert table["size"] == [1] * 6
    assert table["share"] == pytest.approx([1 / 6] * 6)
    assert table["rule"] == [
        "a <= 0.5",
        "0.5 < a <= 1.5",
        "1.5 < a <= 2.5",
        "a > 2.5 and b <= 2.5",
        "2.5 < a <= 6 and b > 2.5",
        "a > 6 and b > 2.5",
    ]


def test_leaves_stand_as_in_the_text(iris):
    model = Kauri(3, kernel="rbf", max_leaf_nodes=9).fit(iris)
    lines = re.findall(r"cluster (\d+) \((\d+) sample", to_text(model))
    table = explanation_table(model)
    assert [(str(row["cluster"]), str(row["size"])) for row in table] == lines


def satisfies(condition, row, names):
    """Whether a row satisfies one condition of a rule, as a reader would decide."""
    if condition.startswith("("):
        condition = condition.removeprefix("(").removesuffix(")")
    body, missing_too, _ = condition.partition(" or missing")
    name = next(name for name in names if name in body)
    value = row[names.index(name)]
    if body == f"{name} is missing":
        return bool(np.isnan(value))
    if np.isnan(value):
        return bool(missing_too)
    if body == f"{name} is known":
        return True
    if both := re.fullmatch(rf"(\S+) < {name} <= (\S+)", body):
        return float(both[1]) < value <= float(both[2])
    if above := re.fullmatch(rf"{name} > (\S+)", body):
        return value > float(above[1])
    return value <= float(re.fullmatch(rf"{name} <= (\S+)", body)[1])


@given(SEEDS, st.booleans())
def test_each_training_row_satisfies_the_rule_of_its_leaf_alone(seed, missing):
    model, X, other, weight = random_model(seed, missing)
    names = ["alpha", "beta", "gamma"][: X.shape[1]]
    table = explanation_table(model, feature_names=names, digits=17)
    rows = X[weight > 0] if missing else np.concatenate([X, other])
    for row, leaf in zip(rows, model.apply(rows), strict=True):
        fits = [
            line["leaf"]
            for line in table
            if line["rule"] == "all rows"
            or all(satisfies(c, row, names) for c in line["rule"].split(" and "))
        ]
        assert fits == [leaf]


# A cut of this one asks only whether a value is known: its rule has no bound.
@example(591007, True)
@given(SEEDS, st.booleans())
def test_the_table_adds_up_to_the_means(seed, missing):
    model, _, other, weight = random_model(seed, missing)
    table = explanation_table(model, other, sample_weight=weight)
    share = np.array(table["share"])
    assert share.sum() == pytest.approx(1)
    given_rows = {"X": other, "sample_weight": weight}
    assert share @ table["depth"] == pytest.approx(weighted_average_depth(model, **given_rows))
    assert share @ table["explanation_size"] == pytest.approx(
        weighted_average_explanation_size(model, **given_rows)
    )
    leaves = model.apply(other)[weight > 0]
    assert table["size"] == [int(np.sum(leaves == leaf)) for leaf in table["leaf"]]
    # A rule has each feature once; the size counts its bounds. Where a cut only asks whether a
    # value is known, its direction counts and its rule has no bound.
    tree = model.tree_
    asks_if_known = tree.decision_path(other)[:, tree.threshold == np.inf].sum(axis=1) > 0
    unbounded = set(model.apply(other)[np.asarray(asks_if_known).ravel()])
    for row in table:
        if row["depth"] > 1 and row["size"] and row["leaf"] not in unbounded:
            assert len(re.findall(r"<=|<|>", row["rule"])) == row["explanation_size"]


def test_missing_values_in_rules():
    X = np.array([[np.nan, 0], [0, 0], [1, 0], [8, 0], [9, 0], [10, 90], [np.nan, 90]])
    model = binned(3).fit(X)
    rules = explanation_table(model, feature_names=["a", "b"])["rule"]
    assert any("or missing" in rule for rule in rules)
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    by_hand = with_missing(tree_of_cuts(X[:2], [(0, 0, np.inf), (1, 0, 1.5)]), "right")
    assert explanation_table(by_hand)["rule"] == [
        "x[0] <= 1.5",
        "x[0] > 1.5",
        "x[0] is missing",
    ]
    known = with_missing(tree_of_cuts(X[:2], [(0, 0, np.inf)]), "right")
    assert explanation_table(known)["rule"] == ["x[0] is known", "x[0] is missing"]


@pytest.mark.parametrize(
    ("missing", "rules"),
    [
        # Of the root and the node under it: where missing values went, if any were seen.
        (("unseen", "unseen"), ["x[0] <= 2", "2 < x[0] <= 5", "x[0] > 5"]),
        (("left", "left"), ["x[0] <= 2 or missing", "2 < x[0] <= 5", "x[0] > 5"]),
        (("left", "right"), ["x[0] <= 2", "2 < x[0] <= 5 or missing", "x[0] > 5"]),
        (("right", "unseen"), ["x[0] <= 2", "2 < x[0] <= 5", "x[0] > 5 or missing"]),
        # They follow the rows of the larger child where none were seen.
        (("left", "unseen"), ["x[0] <= 2", "2 < x[0] <= 5 or missing", "x[0] > 5"]),
    ],
)
def test_missing_values_follow_the_path(missing, rules):
    tree = tree_of_cuts([[1.0], [3.0], [4.0], [9.0]], [(0, 0, 5.0), (1, 0, 2.0)])
    tree = with_missing(tree, *missing)
    table = explanation_table(tree)
    assert table["rule"] == rules
    if missing != ("unseen", "unseen"):
        named = next(row["leaf"] for row in table if "missing" in row["rule"])
        assert tree.apply(np.array([[np.nan]]))[0] == named


def test_the_tightest_bound_counts():
    X = [[1.0], [2.0], [3.0]]
    # Whether a value is known is asked after a bound; a wider bound comes after a tight one.
    tree = tree_of_cuts(X, [(0, 0, 1.5), (1, 0, np.inf), (2, 0, 1.2)])
    tree = with_missing(tree, "left", "right")
    rules = dict(zip(explanation_table(tree)["leaf"], explanation_table(tree)["rule"], strict=True))
    assert rules[3] == "x[0] <= 1.5"
    assert rules[4] == "x[0] is missing"
    assert rules[5] == "1.5 < x[0] <= 1.2"  # No row comes there.
    assert rules[6] == "x[0] > 1.5"


def test_names(iris):
    frame = load_iris(as_frame=True).data
    model = Kauri(3, max_leaf_nodes=3).fit(frame)
    table = explanation_table(model, cluster_names=["low", "mid", "high"])
    assert table["cluster"] == ["low", "mid", "high"]
    assert table["rule"][1] == "3.4 < petal length (cm) <= 5.15"
    assert explanation_table(model, digits=1)["rule"][1] == "3 < petal length (cm) <= 5"
    assert explanation_table(model.tree_)["rule"][1] == "3.4 < x[2] <= 5.15"
    with pytest.raises(ValueError, match="feature_names has 1 names; the tree has 4 features"):
        explanation_table(model, feature_names=["a"])
    with pytest.raises(ValueError, match="cluster_names has 1 names; the tree has 3 clusters"):
        explanation_table(model, cluster_names=["a"])
    assert isinstance(table, Table)
    assert list(table.to_pandas().columns) == table.columns


@names_of_polars
@pytest.mark.parametrize("function", FUNCTIONS)
def test_data_frames(function, iris):
    names = ["a", "b", "c", "d"]
    model = Kauri(3, max_leaf_nodes=5).fit(pd.DataFrame(iris, columns=names))
    expected = function(model, pd.DataFrame(iris, columns=names))
    assert function(model, pl.DataFrame(iris, schema=names)) == expected
    if function is not explanation_table:  # which knows the names from the model
        assert function(model.tree_, pd.DataFrame(iris, columns=names)) == expected
        assert function(model.tree_, pl.DataFrame(iris, schema=names)) == expected
        assert function(model.tree_, iris.tolist()) == expected
    with pytest.raises(ValueError, match="feature names should match"):
        function(model, pd.DataFrame(iris, columns=names[::-1]))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_pipelines(function, iris):
    pipeline = make_pipeline(MinMaxScaler(), Kauri(3, max_leaf_nodes=6)).fit(iris)
    inside, scaled = pipeline[-1], pipeline[:-1].transform(iris)
    for rows, scaled_rows in ((None, None), (iris, scaled), (iris[::7], scaled[::7])):
        result, expected = function(pipeline, rows), function(inside, scaled_rows)
        if function is explanation_table:
            given_scaler = explanation_table(inside, rows, scaler=pipeline[:-1])
            assert result == given_scaler
            assert result["rule"] != expected["rule"]
            for name in set(result.columns) - {"rule"}:
                assert result[name] == expected[name]
        else:
            assert result == pytest.approx(expected)
    frame = pd.DataFrame(iris, columns=list("abcd"))
    pipeline.fit(frame)
    assert function(pipeline, frame)
    with pytest.raises(ValueError, match=r"X has the columns 'd', .*was fitted with 'a', 'b'"):
        function(pipeline, frame[list("dcba")])


def test_rules_are_those_of_to_rules(iris):
    """A leaf a cluster: the rule of the leaf and of the cluster say the same of every row."""
    random = np.random.default_rng(0)
    X = iris.copy()
    X[random.random(X.shape) < 0.1] = np.nan
    for rows in (iris, X):
        model = binned(2, max_leaf_nodes=2).fit(rows)
        assert explanation_table(model)["rule"] == to_rules(model)["rule"]


def test_text_of_columns():
    random = np.random.default_rng(0)
    plan, vote = random.integers(0, 3, 90), random.choice([-1.0, 1.0], 90)
    X = np.column_stack([plan == 0, plan == 1, plan == 2, vote]).astype(float)
    scaler = StandardScaler().fit(X)
    model = Kauri(6, max_leaf_nodes=6).fit(scaler.transform(X))
    table = explanation_table(
        model,
        X,
        scaler=scaler,
        feature_names=["plan_free", "plan_basic", "plan_pro", "vote"],
        one_hot={"plan": ["plan_free", "plan_basic", "plan_pro"]},
        value_names={"vote": {-1: "no", 1: "yes"}},
    )
    assert sum(table["size"]) == 90
    messages = {rule for text in table["rule"] for rule in text.split(" and ")}
    allowed = {f"plan is{no} {name}" for no in ("", " not") for name in ("free", "basic", "pro")}
    assert messages <= allowed | {"vote is no", "vote is yes"}
    assert {"vote is no", "vote is yes"} <= messages


def test_rules_mention_missing_values_where_the_tree_sends_them():
    """A feature of which rows missed some elsewhere: here they go with the larger part."""
    X = [[1.0, 0.0], [3.0, 0.0], [4.0, 0.0], [1.0, 9.0], [9.0, 9.0], [8.0, 9.0]]
    tree = tree_of_cuts(X, [(0, 1, 5.0), (1, 0, 2.0), (2, 0, 5.0)])
    tree = with_missing(tree, "unseen", "left")
    rules = explanation_table(tree, feature_names=["a", "b"])["rule"]
    assert rules == [
        "b <= 5 and (a <= 2 or missing)",
        "b <= 5 and a > 2",
        "b > 5 and a <= 5",
        "b > 5 and (a > 5 or missing)",
    ]
    rows = np.array([[np.nan, 0.0], [np.nan, 9.0]])
    assert tree.apply(rows).tolist() == [3, 6]


def test_thresholds_that_would_read_the_same_get_more_digits():
    X = [[1.0], [1.00002], [1.00004], [5.0]]
    tree = tree_of_cuts(X, [(0, 0, 1.00003), (1, 0, 1.00001)])
    rules = explanation_table(tree, feature_names=["a"])["rule"]
    assert rules == ["a <= 1.00001", "1.00001 < a <= 1.00003", "a > 1.00003"]
    assert to_text(tree, feature_names=["a"]).splitlines()[0] == "a <= 1.00003"


@pytest.mark.parametrize(
    ("function", "name", "value"),
    [
        (weighted_average_depth, "root_depth", "1"),
        (weighted_average_depth, "root_depth", np.nan),
        (weighted_average_explanation_size, "offset", None),
    ],
)
def test_wrong_arguments(function, name, value, chain):
    with pytest.raises(ValueError, match=f"'{name}' parameter of {function.__name__}"):
        function(chain, CHAIN, **{name: value})


def test_a_model_of_a_file_has_them_too(tmp_path, iris):
    pytest.importorskip("pyarrow")
    from agathis import fit_file

    path = tmp_path / "iris.parquet"
    pd.DataFrame(iris, columns=list("abcd")).to_parquet(path)
    model = fit_file(path, 3, max_leaf_nodes=3)
    table = explanation_table(model)
    assert sum(table["size"]) == 150
    assert all(re.search("[abcd] (<=|>)", rule) for rule in table["rule"])
