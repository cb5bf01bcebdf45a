"""Short names for clusters: all different, and of what tells a cluster from the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.category_trees import category_trees
from helpers.examples import examples
from helpers.exports import trees
from helpers.rounding import rounded_model
from hypothesis import given

from agathis import Kauri
from agathis._rules import titles
from agathis._rules.admissible_values import ABSENT, UNSEEN, Categories
from agathis._rules.columns import NO_CATEGORY
from agathis._rules.described_tree import describe
from agathis._rules.rules import cluster_boxes
from agathis._rules.split_axes import CategoryAxis
from agathis._rules.titles import cluster_titles
from agathis._trees.builder import TreeBuilder
from agathis.export import to_rules


@examples(100)
@given(made=category_trees(sums=True))
def test_all_are_different(made):
    described = describe(made.tree, feature_names=made.names, one_hot=made.one_hot)
    titles = cluster_titles(described)
    assert len(set(titles)) == len(titles) == made.tree.n_clusters
    assert all(title and title == title.strip() for title in titles)
    for title, boxes in zip(titles, cluster_boxes(described), strict=True):
        assert title.startswith("mostly ") == (len(boxes) > 1)


@examples(40)
@given(made=trees())
def test_of_fitted_trees(made):
    model, X, _ = made
    names = [f"x{f}" for f in range(X.shape[1])]
    titles = cluster_titles(describe(model, feature_names=names))
    assert len(set(titles)) == model.n_clusters_


def test_titles_of_single_rules_exclude_each_other():
    # "a <= 5" alone would also be true of rows of cluster 1, whose title is of b.
    cuts = [(0, 0, 5.0), (1, 1, 3.0), (2, 1, 9.0)]
    tree = tree_of(*cuts, clusters={3: 0, 4: 1, 5: 2, 6: 3})
    found = titles_of(tree, one_hot=None, names=["a", "b"])
    assert found == ["a <= 5, b <= 3", "a <= 5, b > 3", "a > 5, b <= 9", "a > 5, b > 9"]
    builder = tree_of((0, 0, 5.0), (2, 1, 3.0), clusters={1: 0, 3: 1, 4: 2})
    builder.n_node_samples = [1000, 1, 999, 500, 499]
    # The few rows of cluster 0 are no reason to leave out that the others have a > 5.
    assert titles_of(builder, one_hot=None, names=["a", "b"]) == [
        "a <= 5",
        "a > 5, b <= 3",
        "a > 5, b > 3",
    ]


def test_all_that_have_a_name():
    builder = tree_of((0, 0, 0.5, *range(12)), clusters={1: 0, 2: 1})
    names = [f"s_{i}" for i in range(12)]
    one_hot = {"s": {name: name.replace("_", "") for name in names}}
    titles = cluster_titles(describe(builder.build(12), feature_names=names, one_hot=one_hot))
    assert titles[1] == "s is s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10 or s11"


def tree_of(*cuts, clusters) -> TreeBuilder:
    """Cuts as (node, feature, threshold, terms), and the clusters of leaves by node."""
    builder = TreeBuilder()
    for node, feature, threshold, *terms in cuts:
        builder.cut(node, feature, threshold, terms=tuple((f, 1.0) for f in terms))
    for leaf, cluster in clusters.items():
        builder.cluster[leaf] = cluster
    nodes = len(builder.depth)
    builder.n_node_samples = [10 * (nodes - i) for i in range(nodes)]
    return builder


NAMES = ["sex_male", "sex_female", "class_1st", "class_2nd", "class_3rd", "fare"]
ONE_HOT = {"sex": NAMES[:2], "class": NAMES[2:5]}


def titles_of(builder: TreeBuilder, one_hot=ONE_HOT, names=NAMES, **words) -> list[str]:
    tree = builder.build(len(names))
    return cluster_titles(describe(tree, feature_names=names, one_hot=one_hot, **words))


def test_categories_with_and_without_the_name_of_their_feature():
    cuts = [(0, 0, 0.5), (2, 4, 0.5)]
    result = titles_of(tree_of(*cuts, clusters={1: 0, 3: 1, 4: 2}))
    assert result == ["female", "male, 1st or 2nd class", "male, 3rd class"]


def test_booleans_and_numbers():
    names, one_hot = ["w", "temp", "code"], {"workingday": {"w": True}}
    cuts = [(0, 0, 0.5), (1, 1, 12.5), (4, 1, 30.0)]
    result = titles_of(
        tree_of(*cuts, clusters={2: 0, 3: 1, 5: 2, 6: 3}), names=names, one_hot=one_hot
    )
    assert result == [
        "workingday",
        "not workingday, temp <= 12.5",
        "not workingday, temp 12.5 to 30",
        "not workingday, temp > 30",
    ]


@pytest.mark.parametrize(
    ("category", "title"),
    [("yes", "smoker yes"), ("first", "first smoker"), ("3", "smoker 3"), ("heavy", "heavy")],
)
def test_a_category(category, title):
    one_hot = {"smoker": {"a": category, "b": "zebra"}}
    result = titles_of(tree_of((0, 0, 0.5), clusters={1: 0, 2: 1}), one_hot, ["a", "b"])
    assert result == ["zebra", title]


def test_a_category_of_two_features_has_the_name_of_its_feature():
    one_hot = {"home": {"a": "Rome", "b": "Oslo"}, "work": {"c": "Rome", "d": "Pisa"}}
    result = titles_of(tree_of((0, 0, 0.5), clusters={1: 0, 2: 1}), one_hot, list("abcd"))
    assert result == ["Oslo", "home Rome"]


def test_many_categories():
    columns = [f"c{i}" for i in range(12)]
    one_hot = {"town": {name: f"Town{i}" for i, name in enumerate(columns)}}
    builder = tree_of((0, 0, 0.5, 0, 1), clusters={1: 0, 2: 1})
    result = titles_of(builder, one_hot, columns)
    assert result == ["town not Town0 or Town1", "Town0 or Town1"]


@examples(60)
@given(made=trees())
def test_missing_values_are_mentioned_as_in_the_rule(made):
    """Of two clusters one has them: a title without them would be that of both, or false."""
    model, _, _ = made
    described = describe(model)
    rules = to_rules(model)
    for boxes, row in zip(cluster_boxes(described), rules, strict=True):
        if len(boxes) == 1 and len(row["title"].split(", ")) == len(boxes[0]):
            assert row["title"].count("missing") == row["rule"].count("missing")


@pytest.mark.parametrize(
    ("places", "title"),
    [
        ({0, ABSENT}, "home Rome or missing"),
        ({0}, "Rome"),
        ({ABSENT}, "home is missing"),
        ({0, 1, 2, 3, UNSEEN, ABSENT}, "home missing or not Bonn"),
        ({0, 1, 2, 3, UNSEEN}, "home known and not Bonn"),
    ],
)
def test_a_source_that_misses_values(places, title):
    categories = ("Rome", "Oslo", "Pisa", "Lima", "Bonn")
    axis = CategoryAxis("home", tuple(range(5)), categories, NO_CATEGORY, has_missing=True)
    described = describe(Kauri(1, max_leaf_nodes=None).fit([[0.0], [1.0]]))
    formatter = titles._TitleFormatter(described)
    formatter.axes = [axis]
    formatter.sources.update(categories)
    assert formatter.title([(axis, Categories(frozenset(places)))], False) == title


def test_one_cluster_and_rules_with_titles():
    assert cluster_titles(describe(Kauri(1, max_leaf_nodes=None).fit([[0.0], [1.0]]))) == [
        "all rows"
    ]
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(300, 4)), columns=list("abcd"))
    model = Kauri(3, max_leaf_nodes=9).fit(X)
    rules = to_rules(rounded_model(model, X))
    assert len(set(rules["title"])) == 3
    for row, sentence in zip(rules, str(rules).splitlines(), strict=True):
        assert (f"({row['title']}) is where" in sentence) == (row["conditions"] > 2)
    named = to_rules(model, cluster_names=["one", "two", "three"])
    assert "one is where" in str(named)
