"""Equal rows are one, and the order of rows does not matter, up to the trees that are found."""

import numpy as np
from helpers.examples import examples
from helpers.invariants import same_tree
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone

from agathis import Kauri
from agathis._search.equal_rows import merged


def slow_merged(rows, weight):
    """Rows as tuples in a dictionary, sorted with missing values last."""
    total = {}
    for row, own in zip(rows.tolist(), weight.tolist(), strict=True):
        key = tuple((np.isnan(value), 0.0 if np.isnan(value) else value) for value in row)
        total[key] = total.get(key, 0.0) + own
    keys = sorted(total)
    values = [[np.nan if missing else value for missing, value in key] for key in keys]
    return np.array(values), np.array([total[key] for key in keys])


@st.composite
def tables(draw):
    random = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 6))
    X = random.randint(0, draw(st.integers(1, 5)), (n, d)).astype(float)
    X[random.uniform(size=X.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    return X, random.randint(1, 4, n).astype(float), random


@examples(100)
@given(tables())
def test_it_equals_the_slow_way(table):
    X, weight, random = table
    found = merged(X, weight)
    for own, other in zip(found, slow_merged(X, weight), strict=True):
        assert_array_equal(own, other)
    order = random.permutation(len(X))
    for own, other in zip(found, merged(X[order], weight[order]), strict=True):
        assert_array_equal(own, other)


def test_zeros_have_no_sign():
    rows, weight = merged(np.array([[0.0], [-0.0]]), np.array([1.0, 2.0]))
    assert_array_equal(rows, [[0.0]])
    assert not np.signbit(rows).any()
    assert_array_equal(weight, [3.0])


def test_rows_without_columns_stay():
    rows, weight = merged(np.zeros((3, 0)), np.ones(3))
    assert rows.shape == (3, 0)
    assert_array_equal(weight, np.ones(3))


@examples(25)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from(["linear", "rbf"]), st.sampled_from(["axis", "pair"])
)
def test_a_weight_of_two_is_the_row_twice_in_any_order(seed, kernel, split):
    random = np.random.RandomState(seed)
    X = np.round(random.normal(size=(random.randint(6, 40), random.randint(1, 4))), 1)
    weight = random.randint(1, 4, len(X))
    model = Kauri(3, max_leaf_nodes=6, kernel=kernel, split=split, search="local", n_jobs=1)
    model.set_params(search_effort=0.3, random_state=0).fit(X, sample_weight=weight.astype(float))
    twice = np.repeat(X, weight, axis=0)
    again = clone(model).fit(twice[random.permutation(len(twice))])
    # How many rows a node has differs, of course; what it asks and says does not.
    for name in ("feature", "threshold", "children_left", "cluster"):
        assert_array_equal(getattr(model.tree_, name), getattr(again.tree_, name))
    assert_array_equal(model.predict(X), again.predict(X))


def test_the_order_of_rows_does_not_matter(iris):
    order = np.random.RandomState(0).permutation(len(iris))
    one, other = (
        Kauri(3, max_leaf_nodes=7, search="local", search_effort=0.3, n_jobs=1, random_state=0).fit(
            X
        )
        for X in (iris, iris[order])
    )
    same_tree(one.tree_, other.tree_, gains=1e-9)
    assert_array_equal(one.labels_[order], other.labels_)
