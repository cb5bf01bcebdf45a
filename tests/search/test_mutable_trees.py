"""Trees as drafts and drafts as trees: the same cuts, the same clusters of all rows."""

import numpy as np
import pytest
from agathis._core.search.move_gains import split_gain
from agathis._core.search.mutable_tree import MutableTree
from agathis._core.search.node_splits import node_split_gain, node_splits, split_off_gain
from helpers.examples import examples
from helpers.search_problems import (
    check_mutable_tree,
    grow_at_random,
    labels_of,
    random_condition,
    same_arrays,
    search_problems,
    within,
)
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from agathis import Kauri
from agathis._dataset.features import CategoryGroups
from agathis._growth.limits import Limits
from agathis._kernels.kernel import Kernel
from agathis._search.local.improvement import LocalImprovement
from agathis._search.local.moves import Resplit
from agathis._search.local.mutable_trees import (
    COLUMN,
    CONDITION,
    PAIR,
    SOURCE,
    mutable_tree_of,
    repair,
    tree_of,
)
from agathis._search.local.perturbations import Perturbations
from agathis._search.rows import SearchRows
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis._utils.numbers import threshold_between
from agathis.baselines import IMM, RDM, ExKMC, ExShallow, KMeansTree


def numbered(labels):
    """Labels by the order in which they first come."""
    number = {}
    return np.array([number.setdefault(int(label), len(number)) for label in labels])


def searched_draft(problem):
    """A draft after some random moves: nodes whose rows are others than when they were cut."""
    mutable_tree = problem.mutable_tree()
    grow_at_random(problem, mutable_tree)
    repair(mutable_tree, problem.limits)
    perturbations = Perturbations(
        mutable_tree, Resplit(problem.limits), int(problem.random.randint(2**31))
    )
    for _ in range(problem.random.randint(6)):
        perturbations.make()
        inner = [node for node in mutable_tree.nodes() if not mutable_tree.is_leaf(node)]
        if inner and problem.random.rand() < 0.5:
            node = inner[problem.random.randint(len(inner))]
            mutable_tree.resplit(node, random_condition(problem), bool(problem.random.randint(2)))
    if problem.random.rand() < 0.5:
        LocalImprovement(mutable_tree, problem.limits).run()
    return mutable_tree


@examples(300)
@given(search_problems())
def test_the_tree_of_a_draft_has_its_clusters(problem):
    mutable_tree = searched_draft(problem)
    tree = tree_of(mutable_tree).build(problem.X.shape[1])
    tree.check()
    assert tree.n_leaves == mutable_tree.n_leaves
    assert tree.n_clusters == mutable_tree.n_clusters
    assert_array_equal(numbered(tree.predict(problem.X)), numbered(labels_of(mutable_tree)))
    # Worked out from the rows, missing values of nodes that saw none follow the larger side.
    weight = problem.rows.weight
    filled, _ = completed(
        tree_of(mutable_tree), np.nan_to_num(problem.X), weight, Kernel("linear"), 1
    )
    assert filled.n_leaves == mutable_tree.n_leaves


@examples(200)
@given(search_problems())
def test_the_draft_of_the_tree_of_a_draft_is_that_draft(problem):
    mutable_tree, limits = searched_draft(problem), problem.limits
    tree = tree_of(mutable_tree).build(problem.X.shape[1])
    again = mutable_tree_of(tree, problem.rows, limits.max_leaves, limits.n_clusters)
    check_mutable_tree(again)
    assert again.n_leaves == mutable_tree.n_leaves
    assert_array_equal(numbered(again.labels()), numbered(mutable_tree.labels()))
    rows_of = [
        {tuple(one.leaf_rows(node)) for node in one.nodes()} for one in (mutable_tree, again)
    ]
    assert rows_of[0] == rows_of[1]
    # And once more: a draft of a tree is the same to the bit.
    twice = mutable_tree_of(tree_of(again).build(problem.X.shape[1]), problem.rows, *sizes(limits))
    same_shape(again, twice)


def sizes(limits):
    return limits.max_leaves, limits.n_clusters


def same_shape(one, other):
    assert one.nodes() == other.nodes()
    assert [one.children(node) for node in one.nodes()] == [
        other.children(node) for node in other.nodes()
    ]
    assert_array_equal(one.labels(), other.labels())
    assert one.objective == other.objective


@examples(100)
@given(search_problems())
def test_repair_leaves_what_the_limits_allow(problem):
    mutable_tree = problem.mutable_tree()
    grow_at_random(problem, mutable_tree)
    before, allowed = mutable_tree.save(), within(mutable_tree, problem.limits)
    repair(mutable_tree, problem.limits)
    check_mutable_tree(mutable_tree)
    assert within(mutable_tree, problem.limits)
    if allowed:
        same_arrays(mutable_tree, before)


@examples(100)
@given(search_problems(sources=False))
def test_thresholds_are_half_way_between_the_rows_of_a_node(problem):
    mutable_tree = searched_draft(problem)
    tree = tree_of(mutable_tree).build(problem.X.shape[1])
    passes = tree.decision_path(problem.X).toarray().astype(bool)
    for node in np.flatnonzero(~tree.is_leaf):
        if tree.terms(node) or np.isinf(tree.threshold[node]):
            continue
        values = problem.X[:, tree.feature[node]]
        left = values[passes[:, tree.children_left[node]]]
        right = values[passes[:, tree.children_right[node]]]
        assert tree.threshold[node] == threshold_between(np.nanmax(left), np.nanmin(right))


def test_values_may_all_be_right_where_missing_ones_are_left():
    # Another cut above took the values on the left away: what is left of the question is whether
    # there is a value at all.
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0], [np.nan, 1.0], [np.nan, 1.0]])
    rows = SearchRows.of(X, np.nan_to_num(X, nan=9.0), np.ones(6), np.arange(2))
    mutable_tree = MutableTree(rows, 3, 3)
    asks = np.zeros((), CONDITION)
    asks["kind"], asks["column"], asks["cut"] = 1, 1, 1
    _, right = mutable_tree.cut(0, asks.tobytes(), 0, 1)
    asks["column"], asks["cut"], asks["missing_left"] = 0, 1, 1
    mutable_tree.cut(right, asks.tobytes(), 1, 2)
    check_mutable_tree(mutable_tree)
    tree = tree_of(mutable_tree).build(2)
    tree.check()
    assert_array_equal(tree.predict(X), [0, 0, 1, 1, 2, 2])
    assert_array_equal(numbered(mutable_tree_of(tree, rows, 3, 3).labels()), [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("rival", [IMM, ExKMC, ExShallow, KMeansTree, RDM])
def test_trees_of_rivals_are_loaded(rival, iris):
    model = rival(3).fit(iris)
    rows = SearchRows.of(iris, iris, np.ones(150), np.arange(4))
    mutable_tree = mutable_tree_of(model.tree_, rows, model.tree_.n_leaves, 3)
    check_mutable_tree(mutable_tree)
    assert_array_equal(numbered(mutable_tree.labels()), numbered(model.predict(iris)))
    again = tree_of(mutable_tree).build(4)
    assert_array_equal(numbered(again.predict(iris)), numbered(model.predict(iris)))


@examples(60)
@given(search_problems(max_n=30, limited=False), st.booleans())
def test_trees_of_kauri_are_loaded(problem, binned):
    X, rows = problem.X, problem.rows
    groups = [] if rows.sources is None else [list(own) for own in rows.sources.columns]
    if np.isnan(X).all(axis=0).any():
        return
    model = Kauri(
        min(4, len(X)),
        max_leaf_nodes=8,
        one_hot=groups or None,
        engine="binned" if binned else "auto",
        max_bins=4,
    ).fit(X)
    mutable_tree = mutable_tree_of(model.tree_, rows, 8, 4)
    check_mutable_tree(mutable_tree)
    assert_array_equal(numbered(mutable_tree.labels()), numbered(model.predict(X)))


def test_cuts_that_part_no_rows_are_left_out(iris):
    model = KMeansTree(3, random_state=0, max_leaf_nodes=None).fit(iris)
    some = iris[:50]
    rows = SearchRows.of(some, some, np.ones(50), np.arange(4))
    mutable_tree = mutable_tree_of(model.tree_, rows, model.tree_.n_leaves, 3)
    check_mutable_tree(mutable_tree)
    assert_array_equal(numbered(mutable_tree.labels()), numbered(model.predict(some)))


def test_what_a_start_may_not_be_is_told(iris):
    model = Kauri(4, max_leaf_nodes=6).fit(iris)
    rows = SearchRows.of(iris, iris, np.ones(150), np.arange(4))
    with pytest.raises(ValueError, match="more leaves than max_leaf_nodes=3"):
        mutable_tree_of(model.tree_, rows, 3, 4)
    with pytest.raises(ValueError, match="more clusters than n_clusters=2"):
        mutable_tree_of(model.tree_, rows, 6, 2)
    missing = next(f for f in model.tree_.feature if f >= 0)
    columns = np.setdiff1d(np.arange(4), [missing])
    rows = SearchRows.of(iris, iris, np.ones(150), columns)
    with pytest.raises(ValueError, match=f"column {missing}, which is not in split_features"):
        mutable_tree_of(model.tree_, rows, 6, 4)


def test_pairs_and_sets_come_back():
    random = np.random.RandomState(0)
    X = np.hstack([random.normal(size=(40, 2)), np.eye(3)[random.randint(3, size=40)]])
    sources = CategoryGroups((np.array([2, 3, 4]),), np.ones(1))
    rows = SearchRows.of(X, X, np.ones(40), np.arange(2), sources)
    builder = TreeBuilder()
    left, right = builder.cut(0, 0, 0.25, terms=((0, 1.0), (1, -2.0)))
    first, second = builder.cut(right, 2, 0.5, terms=((2, 1.0), (4, 1.0)))
    for cluster, leaf in enumerate((left, first, second)):
        builder.cluster[leaf] = cluster
    tree = builder.build(5)
    mutable_tree = mutable_tree_of(tree, rows, 3, 3)
    check_mutable_tree(mutable_tree)
    kinds = [
        np.frombuffer(mutable_tree.condition_of(node), CONDITION)[0]["kind"]
        for node in mutable_tree.nodes()
        if not mutable_tree.is_leaf(node)
    ]
    assert kinds == [PAIR, SOURCE]
    assert_array_equal(mutable_tree.labels(), tree.predict(X))
    again = tree_of(mutable_tree).build(5)
    for node in (0, right):
        assert again.terms(node) == tree.terms(node)
        assert again.threshold[node] == tree.threshold[node]


def test_a_draft_does_not_grow_beyond_its_leaves(iris):
    rows = SearchRows.of(iris, iris, np.ones(150), np.arange(4))
    mutable_tree = MutableTree(rows, 1, 1)
    LocalImprovement(mutable_tree, Limits(1, 1)).run()
    assert mutable_tree.n_leaves == 1
    with pytest.raises(ValueError, match="cannot be cut"):
        mutable_tree.cut(0, bytes(CONDITION.itemsize), 0, 0)


def test_a_condition_of_another_length_is_refused(iris):
    rows = SearchRows.of(iris, iris, np.ones(len(iris)), np.arange(iris.shape[1]))
    mutable_tree = MutableTree(rows, 4, 4)
    asks = np.zeros((), CONDITION)
    asks["kind"], asks["column"], asks["cut"] = COLUMN, 2, 49
    mutable_tree.cut(0, asks.tobytes(), 0, 1)
    leaf = mutable_tree.leaves()[0]
    for some in (b"", asks.tobytes()[:-1], asks.tobytes() + b"0"):
        for call in (
            lambda some=some: mutable_tree.sides(leaf, some),
            lambda some=some: mutable_tree.cut(leaf, some, 0, 1),
            lambda some=some: mutable_tree.split_off(0, some, True, 2),
            lambda some=some: mutable_tree.resplit(0, some, False),
            lambda some=some: split_gain(mutable_tree, leaf, some, 0, 1),
            lambda some=some: node_split_gain(mutable_tree, 0, some, False),
            lambda some=some: split_off_gain(mutable_tree, 0, some, True, 2),
        ):
            with pytest.raises(ValueError, match=f"has {CONDITION.itemsize} bytes, and these are"):
                call()
    assert mutable_tree.n_leaves == 2
    check_mutable_tree(mutable_tree)


def test_deep_drafts_are_walked_without_recursion():
    """A chain of nodes, deeper than Python recurses."""
    depth = 1500
    values = np.arange(depth + 1.0)[:, None]
    mutable_tree = MutableTree(
        SearchRows.of(values, values, np.ones(depth + 1), np.arange(1)), depth + 1, 2
    )
    last, states = 0, []
    for place in range(depth):
        asks = np.zeros((), CONDITION)
        asks["kind"], asks["cut"] = COLUMN, place
        _, last = mutable_tree.cut(last, asks.tobytes(), 0, 1)
        states.append(mutable_tree.state_of(last))
    assert states == sorted(set(states))
    assert mutable_tree.state_of(0) == states[-1]
    assert mutable_tree.deepest_under(0) == depth
    assert mutable_tree.weight_under(0) == depth + 1
    assert mutable_tree.leaves_under(0) == mutable_tree.leaves()
    assert mutable_tree.main_cluster(0) == 0
    assert len(mutable_tree.nodes()) == 2 * depth + 1
    limits = Limits(2, 2, min_split=2.0, min_leaf=1.0)
    assert [gain for gain, *_ in node_splits(mutable_tree, 0, 1, limits.record)] == [0.0]
    mutable_tree.collapse(0, 1)
    assert mutable_tree.n_leaves == 1
    check_mutable_tree(mutable_tree)
