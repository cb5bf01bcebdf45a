"""Trees whose nodes ask for sums of columns, and the same trees without sums."""

import json

import numpy as np
import pytest
from helpers.exports import same_arrays
from helpers.invariants import route
from hypothesis import given
from hypothesis import strategies as st

from agathis import Tree
from agathis._kernels.kernel import Kernel
from agathis._trees.builder import TreeBuilder
from agathis._trees.chains import without_terms
from agathis._trees.completion import completed
from agathis._trees.tree import TERM_DTYPES

#: Columns of the rows below: two numbers, and two sources of four and of three categories.
SOURCES = (np.arange(2, 6), np.arange(6, 9))


def rows_with_categories(random, n, on=1.0, missing=False):
    """Rows of two numbers and two sources; some are of no category."""
    X = np.zeros((n, 9))
    X[:, :2] = random.normal(size=(n, 2))
    for source in SOURCES:
        category = random.integers(-1, len(source), n)
        X[np.flatnonzero(category >= 0), source[category[category >= 0]]] = on
        if missing:
            X[np.ix_(random.random(n) < 0.2, source)] = np.nan
    if missing:
        X[random.random(n) < 0.2, 0] = np.nan
    return X


def random_tree(random, n_cuts, on=1.0, oblique=False):
    """A tree of cuts, splits on categories and, if asked for, other sums."""
    builder, leaves = TreeBuilder(), [0]
    for _ in range(n_cuts):
        node = leaves.pop(random.integers(len(leaves)))
        kind = random.integers(3 if oblique else 2)
        terms, feature, threshold = (), int(random.integers(2)), float(random.normal())
        if kind == 1:
            source = SOURCES[random.integers(2)]
            some = np.sort(random.choice(source, random.integers(1, len(source)), replace=False))
            terms, threshold = [(int(column), 1.0) for column in some], on / 2
        elif kind == 2:
            terms = [(0, float(random.normal())), (1, float(random.normal()))]
        leaves += builder.cut(
            node,
            terms[0][0] if terms else feature,
            threshold,
            gain=float(random.random()),
            missing=int(random.integers(3)),
            terms=terms,
        )
    for cluster, leaf in enumerate(leaves):
        builder.cluster[leaf] = cluster
    return builder


@st.composite
def problems(draw, oblique=False, missing=None):
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    on = draw(st.sampled_from([1.0, 0.7]))
    if missing is None:
        missing = draw(st.booleans())
    X = rows_with_categories(random, draw(st.integers(1, 40)), on, missing)
    return random_tree(random, draw(st.integers(1, 8)), on, oblique), X


@given(problems(oblique=True), st.sampled_from([np.float32, np.float64]))
def test_walk(problem, dtype):
    builder, X = problem
    tree, X = builder.build(9), X.astype(dtype)
    tree.check()
    leaves = np.flatnonzero(tree.is_leaf)
    reached = leaves[np.argmax(route(tree, X)[:, leaves], axis=1)]
    np.testing.assert_array_equal(tree.apply(X), reached)
    np.testing.assert_array_equal(tree.predict(np.asfortranarray(X)), tree.cluster[reached])


@given(problems(oblique=True))
def test_round_trip(problem):
    tree = problem[0].build(9)
    data = json.loads(json.dumps(tree.to_dict()))
    assert ("term_start" in data) == tree.has_terms
    back = Tree.from_dict(data)
    same_arrays(tree, back)
    for name, dtype in TERM_DTYPES.items():
        np.testing.assert_array_equal(getattr(back, name), getattr(tree, name))
        assert getattr(back, name).dtype == dtype


@given(problems())
def test_without_terms(problem):
    builder, X = problem
    tree = builder.build(9)
    plain = without_terms(tree)
    plain.check()
    assert not plain.has_terms
    np.testing.assert_array_equal(plain.predict(X), tree.predict(X))
    np.testing.assert_allclose(
        plain.feature_importances(), tree.feature_importances(), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(plain.gain.sum(), tree.gain.sum(), rtol=1e-12)


@given(problems(missing=False))
def test_counts_without_terms_still_add_up(problem):
    builder, X = problem
    tree = completed(builder, X, None, Kernel("linear"), 1)[0]
    plain = without_terms(tree)
    inner = ~plain.is_leaf
    assert plain.n_node_samples[0] == len(X)
    for counts in (plain.n_node_samples, plain.weighted_n_node_samples):
        children = counts[plain.children_left] + counts[plain.children_right]
        np.testing.assert_allclose(counts[inner], children[inner])


@given(problems(missing=False))
def test_completion(problem):
    """What rows tell of a tree does not depend on how a split is written."""
    builder, X = problem
    tree = completed(builder, X, None, Kernel("linear"), 1)[0]
    np.testing.assert_array_equal(tree.n_node_samples, route(tree, X).sum(axis=0))


def test_importance_goes_to_all_columns_of_a_split():
    builder = TreeBuilder()
    left, _ = builder.cut(0, 1, 0.5, gain=3.0, terms=((1, 1.0), (3, 1.0)))
    builder.cut(left, 0, 0.0, gain=1.0)
    importances = builder.build(n_features=4).feature_importances()
    np.testing.assert_allclose(importances, [1 / 4, 3 / 8, 0, 3 / 8])


def test_trees_without_terms_have_empty_ones():
    builder = TreeBuilder()
    builder.cut(0, 1, 0.5)
    tree = builder.build(n_features=2)
    assert tree.term_start.tolist() == [0, 0, 0, 0]
    assert (len(tree.term_feature), len(tree.term_weight), tree.terms(0)) == (0, 0, ())
    assert without_terms(tree) is tree
    assert "term_start" not in tree.to_dict()


class TestBadTerms:
    @pytest.fixture
    def data(self):
        builder = TreeBuilder()
        builder.cut(0, 1, 0.5, terms=((1, 1.0), (2, 1.0)))
        return builder.build(n_features=3).to_dict()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("term_start", [0, 2, 2]),
            ("term_start", [0, 1, 1, 1]),
            ("term_start", [0, 0, 2, 2]),
            ("term_start", [1, 2, 2, 2]),
            ("term_start", [0, 3, 2, 2]),
            ("term_feature", [1, 3]),
            ("term_feature", [0, 2]),
            ("term_feature", [1, -1]),
            ("term_weight", [1.0]),
            ("term_weight", [1.0, float("nan")]),
        ],
    )
    def test_wrong_value(self, data, name, value):
        with pytest.raises(ValueError, match="data is not a tree"):
            Tree.from_dict({**data, name: value})

    def test_missing_key(self, data):
        del data["term_weight"]
        with pytest.raises(ValueError, match=r"it has no term_weight\."):
            Tree.from_dict(data)

    def test_other_sums_need_terms(self, data):
        tree = Tree.from_dict({**data, "term_weight": [1.0, 2.0]})
        with pytest.raises(ValueError, match=r"only splits on categories .* weights \[1.0, 2.0\]"):
            without_terms(tree)
