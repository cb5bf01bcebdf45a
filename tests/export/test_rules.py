"""Rules of clusters: exact, short, and sentences."""

from __future__ import annotations

import os
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.exports import BASELINES, SCALERS, trees
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from agathis import Kauri
from agathis._rules.boxes import Range
from agathis._trees.tree import Tree
from agathis.export import to_rules

CONDITION = re.compile(
    r"(\S+ < )?(x\d+)( <= [^\s)]+)?( > [^\s)]+)?( is known| is missing)?( or missing)?"
)


def satisfied(rule: str, row) -> bool:
    """Whether a row satisfies a rule, by reading the rule as it is written."""

    def answer(result: re.Match) -> str:
        below, name, at_most, above, state, also = result.groups()
        value = row[int(name[1:])]
        known = value == value
        if not known:
            return str(bool(also) or state == " is missing")
        good = state != " is missing"
        good &= not below or float(below[:-3]) < value
        good &= not at_most or value <= float(at_most[4:])
        good &= not above or value > float(above[3:])
        return str(bool(good))

    if rule in ("all rows", "no row at all"):
        return rule == "all rows"
    expression = CONDITION.sub(answer, rule.replace("(", "( ").replace(")", " )"))
    assert set(re.findall(r"\w+", expression)) <= {"True", "False", "and", "or"}, rule
    return eval(expression)


def exact(rules, labels, rows) -> None:
    """Each row satisfies the rule of its cluster and no other one."""
    for row, label in zip(rows, labels, strict=True):
        assert [satisfied(rule, row) for rule in rules["rule"]] == [
            k == label for k in range(len(rules))
        ], row


@examples(60)
@given(made=trees(kinds=("normal", "ties")))
def test_every_row_satisfies_the_rule_of_its_cluster_alone(made):
    model, X, more = made
    tree = model.tree_
    inner = ~tree.is_leaf
    # Of features that no training row missed rules say nothing about missing values.
    spoken = np.isin(np.arange(X.shape[1]), tree.feature[inner & (tree.missing > 0)])
    rows = np.vstack([X, more])
    rows = rows[~np.isnan(rows[:, ~spoken]).any(axis=1)]
    names = [f"x{f}" for f in range(X.shape[1])]
    rules = to_rules(model, feature_names=names, digits=17)
    exact(rules, tree.predict(rows), rows)
    assert sum(rules["size"]) == len(X)
    assert sum(rules["share"]) == pytest.approx(1)
    n_conditions = sum(rules["conditions"])
    assert n_conditions <= sum(tree.depth[tree.is_leaf])


@st.composite
def made_up_trees(draw):
    """Trees that no method grows: any cuts on a grid, any clusters, any side for missing."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d, n = int(random.integers(1, 4)), int(random.integers(0, 12))
    left, right, feature, threshold, depth = [-1], [-1], [-2], [-2.0], [0]
    for _ in range(n):
        leaf = int(random.choice([i for i, v in enumerate(left) if v < 0]))
        left[leaf], right[leaf] = len(left), len(left) + 1
        feature[leaf], threshold[leaf] = int(random.integers(d)), float(random.integers(0, 5))
        for column, value in ((left, -1), (right, -1), (feature, -2), (threshold, -2.0)):
            column += [value, value]
        depth += [depth[leaf] + 1] * 2
    nodes = len(left)
    zeros = [0] * nodes
    cluster = random.integers(0, min(3, nodes), nodes)
    # An inner node has a cluster of some leaf.
    cluster = np.minimum(cluster, cluster[np.array(left) < 0].max())
    data = {
        "children_left": left, "children_right": right, "feature": feature,
        "threshold": threshold, "cluster": cluster.tolist(),
        "gain": zeros, "move": zeros, "n_node_samples": [1] * nodes,
        "missing": [int(random.integers(1, 3)) if v >= 0 else 0 for v in left],
        "weighted_n_node_samples": [1.0] * nodes, "depth": depth, "n_features": d,
    }  # fmt: skip
    return Tree.from_dict(data)


@examples(150)
@given(tree=made_up_trees())
def test_any_tree(tree):
    values = np.array([*np.arange(-0.5, 5), *np.arange(0.0, 5), np.nan])
    grid = np.stack(np.meshgrid(*[values] * tree.n_features), axis=-1).reshape(-1, tree.n_features)
    grid = np.random.default_rng(0).permutation(grid)[:200]
    names = [f"x{f}" for f in range(tree.n_features)]
    rules = to_rules(tree, feature_names=names)
    exact(rules, tree.predict(grid), grid)


@given(st.tuples(*[st.integers(0, 4)] * 4), st.booleans(), st.booleans())
def test_ranges(ends, a_missing, b_missing):
    """Against sets of values."""
    a, b = Range(ends[0], ends[1], a_missing), Range(ends[2], ends[3], b_missing)

    def values(r):
        return {v for v in range(6) if r.low < v <= r.high} | ({None} if r.missing else set())

    assert a.contains(b) == (values(a) >= values(b))
    joined = a.union(b)
    if joined is not None:
        assert values(joined) == values(a) | values(b)
    else:
        known = sorted((values(a) | values(b)) - {None})
        assert known != list(range(known[0], known[-1] + 1))


def grid_model(colour) -> Kauri:
    """A tree that parts the cells of a grid by their colours."""
    colour = np.array(colour)
    X = np.argwhere(colour >= 0)[:, ::-1] * 1.0
    same = colour.ravel()[:, None] == colour.ravel()
    k = colour.max() + 1
    return Kauri(k, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=same * 1.0)


def test_superfluous_conditions_are_dropped():
    model = grid_model([[0, 0, 0], [0, 1, 1], [0, 1, 1]])
    rules = to_rules(model, feature_names=["x", "y"])
    own = int(model.predict([[0, 0]])[0])
    assert rules[own]["rule"] in ("x <= 0.5 or y <= 0.5", "y <= 0.5 or x <= 0.5")
    assert rules[1 - own]["rule"] in ("x > 0.5 and y > 0.5", "y > 0.5 and x > 0.5")
    assert rules["conditions"] == [2, 2]


def test_leaves_that_make_one_box_are_joined():
    model = Kauri(3, max_leaf_nodes=3).fit([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    tree = model.tree_
    # The leaves in the order of their values; the two on the left become one cluster.
    order = tree.predict(np.array([[0.0], [10.0], [20.0]])).tolist()
    cluster = np.array([0 if order.index(c) < 2 else 1 for c in tree.cluster])
    same = replace(tree, cluster=cluster.astype(np.int32))
    assert to_rules(same)["rule"] == ["x[0] <= 15.5", "x[0] > 15.5"]
    assert to_rules(same)["size"] == [4, 2]
    one = replace(tree, cluster=np.zeros_like(tree.cluster))
    assert str(to_rules(one)) == "cluster 0 is all rows: 6 of 6 rows (100.0 %)."


def test_missing_values():
    x = np.array([0.0, 1, 2, 50, 51, 52, np.nan, np.nan])
    y = np.array([0.0, 0, 0, 50, 50, 50, 0, 0])
    X = np.column_stack([x, y])
    model = Kauri(2, engine="binned", max_leaf_nodes=2).fit(X)
    assert to_rules(model)["rule"] == ["x[0] <= 26 or missing", "x[0] > 26"]


def test_sentences():
    iris = load_iris()
    model = Kauri(3, max_leaf_nodes=3).fit(iris.data)
    species = iris.target_names[iris.target]
    rules = to_rules(
        model,
        iris.data,
        species,
        feature_names=["sl", "sw", "petal", "pw"],
        cluster_names=["small", "medium", "large"],
    )
    assert str(rules).splitlines() == [
        "small is where petal <= 3.4: 53 of 150 rows (35.3 %), 94.3 % of them of class setosa.",
        "medium is where 3.4 < petal <= 5.15: 63 of 150 rows (42.0 %), 74.6 % of them of class "
        "versicolor.",
        "large is where petal > 5.15: 34 of 150 rows (22.7 %), 100.0 % of them of class virginica.",
    ]
    assert rules["purity"][0] == pytest.approx(50 / 53)
    assert rules.columns == [
        "cluster", "rule", "conditions", "size", "share", "title", "class", "purity",
    ]  # fmt: skip
    assert "| small | petal <= 3.4 |" in rules.to_markdown()


def test_a_cluster_that_no_given_row_is_in():
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]])
    rules = to_rules(model, [[0.0]], ["a"])
    assert rules["class"] == ["a", None]
    assert str(rules).splitlines()[1] == "cluster 1 is where x[0] > 5: 0 of 1 rows (0.0 %)."


@pytest.mark.parametrize("name", BASELINES)
def test_baselines(name, iris):
    model = BASELINES[name](3).fit(iris)
    rules = to_rules(model, feature_names=["x0", "x1", "x2", "x3"], digits=17)
    exact(rules, model.labels_, iris)
    np.testing.assert_array_equal(rules["size"], np.bincount(model.labels_))


@pytest.mark.parametrize("scaler", SCALERS)
def test_rows_are_counted_in_the_units_of_the_rules(scaler, iris):
    model = make_pipeline(SCALERS[scaler](), Kauri(3, max_leaf_nodes=None)).fit(iris)
    assert to_rules(model, iris)["size"] == np.bincount(model.predict(iris)).tolist()
    assert to_rules(model, iris)["size"] == to_rules(model)["size"]


def test_categories_are_named():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "color": random.choice(["red", "blue", "green"], 200, p=[0.5, 0.3, 0.2]),
            "size": random.choice(["S", "L"], 200),
        }
    )
    encoder = OneHotEncoder(sparse_output=False).fit(frame)
    X = pd.DataFrame(encoder.transform(frame), columns=encoder.get_feature_names_out())
    model = Kauri(6, max_leaf_nodes=None).fit(X)
    columns = {"color": ["color_red", "color_blue", "color_green"], "size": ["size_S", "size_L"]}
    rules = to_rules(model, one_hot=columns)
    assert to_rules(Kauri(6, max_leaf_nodes=None).fit(X.values), scaler=encoder) == rules
    assert not re.search("[<>=_]", str(rules))
    # Each cluster is a colour and a size, or one of the other two sizes and colours.
    for k, rule in enumerate(rules["rule"]):
        covered = frame[model.labels_ == k]
        for source in ("color", "size"):
            for said in re.findall(rf"{source} is (?!not)(\w+)", rule):
                assert set(covered[source]) == {said}
            for said in re.findall(rf"{source} is not (\w+)", rule):
                assert said not in set(covered[source])
        # Being one colour leaves nothing to say of the others.
        assert not re.search(r"color is (?!not).*color is not", rule)


def test_labels_of_codes():
    random = np.random.default_rng(1)
    votes = random.choice([-1.0, 0.0, 1.0], (300, 2), p=[0.4, 0.1, 0.5])
    words = {-1: "no", 0: "unknown", 1: "yes"}
    model = Kauri(2, max_leaf_nodes=2).fit(pd.DataFrame(votes, columns=["crime", "aid"]))
    text = str(to_rules(model, value_names=words))
    assert re.search(r"is where (crime|aid) is (not )?(no|yes):", text)
    assert "<=" not in text
    assert to_rules(model, value_names={"crime": words, "aid": words}) == to_rules(
        model, value_names=words
    )


@pytest.mark.skipif("AGATHIS_DATA" not in os.environ, reason="AGATHIS_DATA is not set")
def test_congress():
    from pathlib import Path

    table = pd.read_csv(Path(os.environ["AGATHIS_DATA"]) / "congress.csv.gz")
    party, votes = table.pop("target"), table
    model = Kauri(2, max_leaf_nodes=None).fit(votes)
    words = {-1: "no", 0: "unknown", 1: "yes"}
    rules = to_rules(model, votes, party, value_names=words)
    assert sorted(rules["class"]) == ["democrat", "republican"]
    assert min(rules["purity"]) > 0.7
    for sentence in str(rules).splitlines():
        assert any(f"{vote} is " in sentence for vote in votes)
        assert not re.search("[<>]", sentence)


def test_errors(iris):
    model = Kauri(2, max_leaf_nodes=None).fit(iris)
    with pytest.raises(ValueError, match="y requires X"):
        to_rules(model, y=[0, 1])
    with pytest.raises(ValueError, match=r"y must have a class for each row of X, \(150,\)"):
        to_rules(model, iris, [0, 1])
    with pytest.raises(ValueError, match="digits must be an integer, at least 1, or None; it is 0"):
        to_rules(model, digits=0)
    with pytest.raises(ValueError, match=r"one_hot\['a'\] names 'b', which is no feature"):
        to_rules(model, one_hot={"a": ["b"]})
    with pytest.raises(TypeError, match=r"one_hot must map each source to its columns"):
        to_rules(model, one_hot=["a"])
    with pytest.raises(TypeError, match=r"one_hot\['a'\] must be a list of columns"):
        to_rules(model, one_hot={"a": "a_b"})
    names = list("abcd")
    with pytest.raises(ValueError, match="one_hot names 'a' twice"):
        to_rules(model, feature_names=names, one_hot={"s": ["a"], "t": ["a"]})
    binary = Kauri(2, max_leaf_nodes=None).fit([[0.0, 3.0], [1.0, 3.0]])
    with pytest.raises(ValueError, match="the source 'a', which is also a feature"):
        to_rules(binary, feature_names=["a_b", "a"], one_hot={"a": ["a_b"]})
    with pytest.raises(ValueError, match=r"which the tree splits at .* not a column of 0 and 1"):
        to_rules(model, feature_names=names, one_hot={"s": names})
    with pytest.raises(ValueError, match="value_names has 'q', which is no feature"):
        to_rules(model, value_names={"q": {1: "a"}})
    with pytest.raises(TypeError, match="value_names"):
        to_rules(model, value_names={"a": {1: "a"}, 2: "b"})
    with pytest.raises(TypeError, match="A fitted OneHotEncoder is passed as scaler"):
        to_rules(model, one_hot=OneHotEncoder().fit([["a"], ["b"]]))
