"""The best tree where values are missing and columns are categories, beside all trees there are."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from helpers.examples import examples
from helpers.optimum_reference import cost_of, minimum_cost
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from agathis import Kauri
from agathis._dataset.features import CategoryGroups
from agathis._growth.limits import Limits
from agathis._search.optimal.optimum import optimum
from agathis._search.optimal.split_orders import MAX_CATEGORIES, chains


@pytest.mark.parametrize("n", range(2, MAX_CATEGORIES + 1))
def test_every_set_begins_an_order(n):
    """Or its rest does; the orders are no more than the widest level of the sets."""
    orders = chains(n)
    assert all(sorted(order) == list(range(n)) for order in orders)
    begun = {frozenset(order[:size]) for order in orders for size in range(n + 1)}
    for size in range(n + 1):
        for some in map(frozenset, combinations(range(n), size)):
            assert some in begun or frozenset(range(n)) - some in begun
    assert len(orders) <= comb(n, n // 2)


def hot(codes, n_columns, on):
    """Codes as one-hot columns: none is on beyond the last, all are missing for -1."""
    out = np.zeros((len(codes), n_columns))
    for row, code in enumerate(codes):
        if code < 0:
            out[row] = np.nan
        elif code < n_columns:
            out[row, code] = on
    return out


@st.composite
def problems(draw, max_rows=8):
    """Numbers with gaps and sources with gaps, points of their own, weights and limits."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(0, 2))
    values = rng.integers(0, 6, (n, d)).astype(float)
    values[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.3, 0.9]))] = np.nan
    sizes = draw(st.lists(st.integers(1, 4), min_size=0 if d else 1, max_size=2))
    lowest = [draw(st.sampled_from([-1, 0])) for _ in sizes]
    highest = [size + draw(st.integers(0, 1)) for size in sizes]
    codes = [rng.integers(a, b, n) for a, b in zip(lowest, highest, strict=True)]
    category = np.array(codes, dtype=np.int32).reshape(len(sizes), n)
    starts = d + np.cumsum([0, *sizes])
    columns = tuple(np.arange(a, a + size) for a, size in zip(starts, sizes, strict=False))
    on = rng.choice([1.0, 0.5, 2.0], len(sizes))
    X = np.hstack([values, *(hot(*each) for each in zip(category, sizes, on, strict=True))])
    points = rng.normal(size=(n, draw(st.integers(1, 3))))
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    limits = {
        "min_leaf": draw(st.sampled_from([0.0, 2.0])),
        "min_split": draw(st.sampled_from([0.0, 4.0])),
        "max_depth": draw(st.sampled_from([None, 1, 2])),
    }
    given_ = {"category": category, "sources": CategoryGroups(columns, on) if sizes else None}
    return points, values, X, weight, draw(st.integers(1, 4)), limits, given_


@examples(200)
@given(problems())
def test_no_tree_is_better(problem):
    points, values, X, weight, n_leaves, limits, more = problem
    found = optimum(points, values, weight, Limits(n_leaves, n_leaves, **limits), **more)
    least = minimum_cost(points, values, weight, n_leaves, **limits, category=more["category"])
    assert found.is_optimal
    assert_allclose(found.cost, least, rtol=1e-9, atol=1e-9)
    assert_allclose(found.lower_bound, found.cost, rtol=1e-9, atol=1e-9)
    # The tree sends the rows where the search has sent them.
    tree = found.cuts.build(X.shape[1])
    tree.check()
    leaf = tree.apply(X)
    assert_allclose(cost_of(points, weight, leaf), found.cost, rtol=1e-9, atol=1e-9)
    assert tree.n_leaves == len(np.unique(leaf)) == tree.n_clusters <= n_leaves
    if tree.n_leaves > 1:
        assert np.bincount(leaf, weight)[np.unique(leaf)].min() >= limits["min_leaf"]
        assert tree.max_depth <= (limits["max_depth"] or n_leaves)


@examples(30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_the_estimator_proves_it(seed, n_clusters):
    """What Kauri gives is the best tree of the points that it grows with: gaps at their mean."""
    rng = np.random.default_rng(seed)
    n = 9
    values = rng.integers(0, 5, (n, 1)).astype(float)
    values[rng.random(n) < 0.3] = np.nan
    codes = rng.integers(-1, 4, n)
    X = np.hstack([values, hot(codes, 3, 1.0)])
    model = Kauri(n_clusters, search="optimal", one_hot=[[1, 2, 3]]).fit(X)
    model.tree_.check()
    assert_allclose(model.labels_, model.predict(X))
    assert model.is_optimal_
    means = np.nan_to_num(np.nanmean(X, axis=0)) if not np.isnan(X).all(axis=0).any() else 0.0
    points = np.where(np.isnan(X), means, X)
    least = minimum_cost(points, values, np.ones(n), n_clusters, category=codes[None])
    assert_allclose(model.inertia_, least, rtol=1e-7, atol=1e-7)
    assert_allclose(model.lower_bound_, least, rtol=1e-7, atol=1e-7)
    local = Kauri(n_clusters, max_leaf_nodes=n_clusters, search="local", one_hot=[[1, 2, 3]])
    assert model.inertia_ <= local.fit(X).inertia_ + 1e-9
