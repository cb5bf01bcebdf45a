"""Boxes of any tree: they hold the rows of their cluster, of their node, and no other row."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from helpers.category_trees import category_trees
from helpers.examples import examples
from helpers.invariants import route
from hypothesis import given
from hypothesis import strategies as st

from agathis._rules.admissible_values import ABSENT, UNSEEN, Categories
from agathis._rules.boxes import inside
from agathis._rules.columns import NO_CATEGORY
from agathis._rules.described_tree import describe
from agathis._rules.rules import cluster_boxes, rule_text
from agathis._rules.split_axes import CategoryAxis
from agathis._trees.builder import TreeBuilder
from agathis.export import to_rules, to_text


def spoken(described, X: np.ndarray) -> np.ndarray:
    """Rows that miss nothing but what training rows missed."""
    good = np.ones(len(X), dtype=bool)
    for split in described.splits.values():
        if not split.axis.has_missing:
            good &= ~np.isnan(X[:, list(split.axis.features)]).any(axis=1)
    return good


@examples(150)
@given(made=category_trees(sums=True))
def test_boxes_hold_the_rows_of_their_cluster_alone(made):
    described = describe(made.tree, feature_names=made.names, one_hot=made.one_hot)
    X = made.X[spoken(described, made.X)]
    labels = made.tree.predict(X)
    for k, boxes in enumerate(cluster_boxes(described)):
        result = np.zeros(len(X), dtype=bool)
        for box in boxes:
            result |= inside(X, box)
        np.testing.assert_array_equal(result, labels == k)


@examples(100)
@given(made=category_trees(sums=True))
def test_boxes_of_nodes(made):
    described = describe(made.tree, feature_names=made.names, one_hot=made.one_hot)
    X = made.X[spoken(described, made.X)]
    passes = route(made.tree, X)
    for node in range(made.tree.node_count):
        box = described.boxes[node]
        np.testing.assert_array_equal(inside(X, box), passes[:, node])


@examples(100)
@given(made=category_trees(sums=True))
def test_turns_answer_all_rows(made):
    """Asked one after another, each row has its leaf, missing values and new categories too."""
    described = describe(made.tree, feature_names=made.names, one_hot=made.one_hot)
    leaf = np.full(len(made.X), -1)
    for number, turns in described.turns():
        leaf[inside(made.X, turns) & (leaf < 0)] = number
    np.testing.assert_array_equal(leaf, made.tree.apply(made.X))


@examples(100)
@given(made=category_trees(sums=True))
def test_branches_and_rules_agree_on_missing_values(made):
    """A rule says "missing" where all conditions on its way do that ask for the same."""
    described = describe(made.tree, feature_names=made.names, one_hot=made.one_hot)
    for leaf in described.leaves():
        said: dict = {}
        for node, child in pairwise(made.tree.path(leaf)):
            side = int(child == made.tree.children_right[node])
            text = described.around(node)[side][1]
            said.setdefault(described.splits[node].axis, []).append("missing" in text)
        for axis, allowed in described.boxes[leaf].items():
            if not axis.has_missing and not getattr(axis, "closed", False):
                assert not any(said[axis])
            elif not allowed.is_empty:
                spoken_of = axis.around(allowed)[1]
                assert ("missing" in spoken_of) == all(said[axis])


def read(text: str, named: dict[str, int], every: set[int], missing: int) -> set[int]:
    """The places that the words of a condition mean, of those that have words."""
    text = text.removeprefix(" is ")
    if result := re.fullmatch(r"(missing or |known and )?(?:not|none of) (.*)", text):
        out = set(named.values()) - {named[word] for word in result[2].split(", ")}
        return out | ({missing} if result[1] == "missing or " else set())
    if text in ("known", "known or missing"):
        return set(named.values()) | ({missing} if "missing" in text else set())
    if text == "no value":
        return set()
    return {missing if word == "missing" else named[word] for word in re.split(", | or ", text)}


@given(
    n=st.integers(1, 9),
    rest=st.sampled_from([NO_CATEGORY, "rest", None]),
    closed=st.booleans(),
    seen=st.booleans(),
    data=st.data(),
)
def test_text_of_categories(n, rest, closed, seen, data):
    """Read as they are written, they are the categories."""
    words = [f"w{i}" for i in range(n)]
    categories = (*words, None) if closed and rest is not None else tuple(words)
    axis = CategoryAxis("s", tuple(range(len(categories))), categories, rest, seen)
    every = sorted(axis.everything.indices)
    places = set(data.draw(st.lists(st.sampled_from(every), unique=True)))
    named = {axis.label(place): place for place in axis.named}
    _, text, _ = axis.around(Categories(frozenset(places)))
    missing = axis.missing_index
    expected = places & {*named.values(), missing}
    assert read(text, named, set(every), missing) == expected
    # What is meant is said, unless it is a long list.
    if len(expected & set(named.values())) in range(1, 6) and len(expected - {missing}) < len(
        named
    ):
        assert "none" not in text
        assert "not" not in text


def two_sources():
    """Class 2nd or 3rd right, and there male right; below the left side it asks for 1st."""
    builder = TreeBuilder()
    names = ["sex_male", "sex_female", "class_1st", "class_2nd", "class_3rd", "age"]
    left, right = builder.cut(0, 3, 0.5, terms=((3, 1.0), (4, 1.0)))
    women, men = builder.cut(right, 0, 0.5)
    second, third = builder.cut(men, 4, 0.5)
    for cluster, leaf in enumerate((left, women, second, third)):
        builder.cluster[leaf] = cluster
    builder.n_node_samples = [10, 3, 7, 3, 4, 2, 2]
    tree = builder.build(6)
    one_hot = {"sex": names[:2], "class": names[2:5]}
    return tree, {"feature_names": names, "one_hot": one_hot}


def test_conditions_list_reachable_values():
    tree, words = two_sources()
    assert to_rules(tree, **words)["rule"] == [
        "class is 1st",
        "(class is 2nd or 3rd) and sex is female",
        "class is 2nd and sex is male",
        "class is 3rd and sex is male",
    ]
    text = to_text(tree, **words)
    assert "not" not in text
    assert "class is 2nd or 3rd" in text
    # Below it no other class can come.
    assert "|   |   class is 2nd\n" in text
    assert "|   |   class is 3rd\n" in text


def test_columns_of_unknown_sources_are_sums():
    tree, words = two_sources()
    rules = to_rules(tree, feature_names=words["feature_names"])["rule"]
    assert rules[0] == "class_2nd + class_3rd <= 0.5"


def test_missing_values_are_of_a_feature_not_of_a_category():
    """Each column of a source misses its value where the source does.

    At the first cut missing values go with those that are not red, at the second with the blue
    ones: so of "not red and not blue" none is missing.
    """
    builder = TreeBuilder()
    left, red = builder.cut(0, 0, 0.5, missing=1)
    green, blue = builder.cut(left, 1, 0.5, missing=2)
    for cluster, leaf in enumerate((green, blue, red)):
        builder.cluster[leaf] = cluster
    tree = builder.build(3)
    names = ["c_red", "c_blue", "c_green"]
    rules = to_rules(tree, feature_names=names, one_hot={"c": names})["rule"]
    assert rules == ["c is green", "c is blue or missing", "c is red"]


def test_booleans():
    builder = TreeBuilder()
    _, right = builder.cut(0, 0, 0.5)
    builder.cluster[right] = 1
    tree = builder.build(1)
    rules = to_rules(tree, feature_names=["w"], one_hot={"workingday": {"w": True}})["rule"]
    assert rules == ["workingday is false", "workingday is true"]


def test_a_leaf_that_only_new_categories_reach():
    builder = TreeBuilder()
    left, red = builder.cut(0, 0, 0.5)
    none, blue = builder.cut(left, 1, 0.5)
    for cluster, leaf in enumerate((none, blue, red)):
        builder.cluster[leaf] = cluster
    described = describe(
        builder.build(2), feature_names=["c_red", "c_blue"], one_hot={"c": ["c_red", "c_blue"]}
    )
    boxes = cluster_boxes(described)
    assert [rule_text(own) for own in boxes] == ["c is none of red, blue", "c is blue", "c is red"]
    (covered,) = boxes[0][0].values()
    assert covered.indices == {UNSEEN}
    assert ABSENT not in covered.indices
