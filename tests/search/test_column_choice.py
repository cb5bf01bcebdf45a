"""Of many columns only some are looked at: what is planted is found, and gains stay exact."""

import numpy as np
from agathis._core.search.leaf_splits import LeafSplits
from agathis._core.search.move_gains import split_gain
from agathis._core.search.mutable_tree import MutableTree
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from agathis._search.local.mutable_trees import COLUMN, CONDITION
from agathis._search.rows import SearchRows

MANY = 40


def planted(seed, missing=0.0):
    """Columns of noise, and one that tells the points' two halves apart."""
    random = np.random.RandomState(seed)
    X = random.normal(size=(60, MANY))
    own = random.randint(MANY)
    X[:, own] = np.repeat([0.0, 1.0], 30) + 0.1 * random.uniform(size=60)
    points = random.normal(size=(60, 5))
    points[30:] += 6.0 * random.normal(size=5) + 3.0
    if missing:
        others = np.delete(np.arange(MANY), own)
        X[:, others] = np.where(random.uniform(size=(60, MANY - 1)) < missing, np.nan, X[:, others])
    weight = random.choice([0.5, 1.0, 2.0], 60)
    return SearchRows.of(X, points, weight, np.arange(MANY)), own


@examples(30)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.2]), st.sampled_from([1, 2]))
def test_a_planted_column_is_found_where_a_side_founds_a_cluster(seed, missing, threads):
    rows, own = planted(seed, missing)
    mutable_tree = MutableTree(rows, 4, 3, threads)
    gain, asks, left, right = LeafSplits(mutable_tree).best(mutable_tree, 0)
    assert np.frombuffer(asks, CONDITION)[0]["column"] == own
    before = mutable_tree.objective
    mutable_tree.cut(0, asks, left, right)
    assert_allclose(mutable_tree.objective - before, gain, rtol=0, atol=1e-9 * rows.inertia)


def test_a_planted_column_is_found_where_a_side_goes_to_a_cluster():
    """No cluster can be founded, and half of a leaf is nearer to the other one."""
    rows, own = planted(3)
    mutable_tree = MutableTree(rows, 4, 2, 1)
    asks = np.zeros((), CONDITION)
    noise = (own + 1) % MANY
    asks["kind"], asks["column"], asks["cut"] = COLUMN, noise, 9
    few, most = mutable_tree.cut(0, asks.tobytes(), 0, 1)
    # The few are nearly all of one half, so that the other cluster has rows of both.
    asks["column"], asks["cut"] = own, 29
    _, far = mutable_tree.cut(few, asks.tobytes(), 0, 1)
    assert mutable_tree.size_of(far)[0] > 0
    gain, found, *sides = LeafSplits(mutable_tree).best(mutable_tree, most)
    assert np.frombuffer(found, CONDITION)[0]["column"] == own
    assert gain > 0
    assert_allclose(
        split_gain(mutable_tree, most, found, *sides), gain, rtol=0, atol=1e-9 * rows.inertia
    )
