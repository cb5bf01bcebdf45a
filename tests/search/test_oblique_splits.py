"""Cuts on two columns: found where groups lie across the axes, small, and worth their price."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.search_problems import (
    check_mutable_tree,
    goes_left,
    grow_at_random,
    labels_of,
    objective_of,
    search_problems,
    within,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri
from agathis._growth.limits import Limits
from agathis._search.local.mutable_trees import CONDITION, PAIR, mutable_tree_of, repair, tree_of
from agathis._search.local.oblique_splits import (
    FACTORS,
    ObliqueResplit,
    simplicity_factor,
    with_oblique_splits,
)
from agathis._search.rows import SearchRows

QUICK = {"search_effort": 0.05, "n_init": 1, "n_jobs": 1}


@pytest.fixture
def set_price(monkeypatch):
    """Sets what a cut on a pair must gain more than the one that it replaces."""
    return lambda price: monkeypatch.setattr("agathis._search.tree_search.PAIR_PRICE", price)


def diagonal(scale=1.0, n=200, noise=2, seed=0):
    """Two long groups side by side across two columns, and columns of noise."""
    rng = np.random.default_rng(seed)
    side = rng.integers(2, size=n)
    along = rng.uniform(-3, 3, n)
    across = np.where(side == 1, 1.0, -1.0) * rng.uniform(0.6, 1.2, n) * 3
    x, y = (along + across) / 2, (across - along) / 2
    X = np.column_stack([x, y * scale, *(rng.normal(size=n) * 0.1 for _ in range(noise))])
    return X, side


def terms_of(model):
    return [model.tree_.terms(node) for node in np.flatnonzero(~model.tree_.is_leaf)]


@pytest.mark.parametrize("search", ["greedy", "local"])
def test_two_groups_across_the_axes_need_one_cut(search):
    X, side = diagonal()
    axis = Kauri(2, max_leaf_nodes=2, search=search, **QUICK).fit(X)
    pair = Kauri(2, max_leaf_nodes=2, search=search, split="pair", **QUICK).fit(X)
    assert adjusted_rand_score(side, axis.labels_) < 0.9
    assert adjusted_rand_score(side, pair.labels_) == 1.0
    assert pair.n_leaves_ == 2
    assert pair.inertia_ < axis.inertia_
    ((first, second),) = terms_of(pair)
    assert [first[0], second[0]] == [0, 1]
    assert_array_equal(pair.labels_, pair.predict(X))
    assert_allclose(pair.score(X), pair.objective_, rtol=1e-9)
    new, truth = diagonal(seed=1)
    assert adjusted_rand_score(truth, pair.predict(new)) > 0.95


@pytest.mark.parametrize("scale", [1e-6, 0.03, 7.0, 4e5])
def test_scales_are_evened_out_by_plain_factors(scale):
    # Columns are split on in their own units; the kernel sees others.
    X, side = diagonal(noise=0)
    shown = np.column_stack([X, X[:, 0], X[:, 1] * scale])
    roles = {"kernel_features": [0, 1], "split_features": [2, 3]}
    model = Kauri(2, max_leaf_nodes=2, split="pair", **roles, **QUICK).fit(shown)
    assert adjusted_rand_score(side, model.labels_) > 0.9
    ((first, second),) = terms_of(model)
    assert first[0] == 2
    assert second[0] == 3
    check_weights(first[1], second[1])


def check_weights(a, b):
    """Whole and small, one of them times 1, 2 or 5 and a power of ten; of few digits."""
    for weight in (a, b):
        assert weight == float(f"{weight:.3g}")
    assert a in {one for one, _ in FACTORS}
    i64x8 = {one for _, one in FACTORS}
    plain = [f"{digit}e{power}" for digit in (1, 2, 5) for power in range(-40, 41)]
    assert any(np.isclose(b, whole * float(one), rtol=1e-12) for whole in i64x8 for one in plain)


@pytest.mark.parametrize("whole", [1, 2, 3, -1, -2, -3])
@pytest.mark.parametrize("plain", [0.1, 0.2, 0.05, 20.0])
def test_planted_factors_are_found_to_the_digit(whole, plain):
    # Three times 0.2 is not quite 0.6.
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=400), rng.normal(size=400) / plain])
    side = X[:, 0] + whole * plain * X[:, 1] <= 0
    shown = np.column_stack([X, side * 10.0])
    roles = {"kernel_features": [2], "split_features": [0, 1]}
    model = Kauri(2, max_leaf_nodes=2, split="pair", **roles, **QUICK).fit(shown)
    assert adjusted_rand_score(side, model.labels_) == 1.0
    assert terms_of(model) == [((0, 1.0), (1, float(f"{whole * plain:.3g}")))]


@pytest.mark.parametrize("digit", [1, 2, 5])
@pytest.mark.parametrize("power", [-7, -1, 0, 3])
def test_plain_factors(digit, power):
    factor = float(f"{digit}e{power}")
    for near in (0.9, 1.0, 1.1):
        assert simplicity_factor(factor * near) == factor


@examples(60)
@given(search_problems(sources=False, max_n=40), st.floats(-6, 6))
def test_weights_have_few_digits(problem, power):
    assume(problem.rows.n_columns > 1)
    values = problem.rows.values * 10.0 ** (power * np.arange(problem.rows.n_columns)[:, None])
    X = np.ascontiguousarray(values.T)
    rows = SearchRows.of(X, problem.rows.points, problem.rows.weight, np.arange(len(values)))
    problem.rows = rows
    mutable_tree = problem.mutable_tree()
    grow_at_random(problem, mutable_tree)
    repair(mutable_tree, problem.limits)
    move = ObliqueResplit(rows, problem.limits, 0.0)
    for node in mutable_tree.nodes():
        found = move.propose(mutable_tree, node)
        if found is not None:
            asks = np.frombuffer(found.change[0], CONDITION)[0]
            assert asks["kind"] == PAIR
            assert asks["column"] < asks["other"]
            check_weights(float(asks["a"]), float(asks["b"]))


@examples(60)
@given(search_problems(max_n=30), st.floats(0, 0.2))
def test_each_pair_gains_its_price_within_the_limits(problem, price):
    mutable_tree = problem.mutable_tree()
    grow_at_random(problem, mutable_tree)
    repair(mutable_tree, problem.limits)
    move = ObliqueResplit(problem.rows, problem.limits, price * problem.rows.inertia)
    for node in mutable_tree.nodes():
        if not mutable_tree.is_used(node):
            continue
        found = move.propose(mutable_tree, node)
        if found is None:
            continue
        before = objective_of(problem.rows, labels_of(mutable_tree))
        was_pair = np.frombuffer(mutable_tree.condition_of(node), CONDITION)[0]["kind"] == PAIR
        here = goes_left(found.change[0], problem.rows)[mutable_tree.leaf_rows(node)]
        assert 0 < here.sum() < len(here)
        move.apply(mutable_tree, found)
        after = objective_of(problem.rows, labels_of(mutable_tree))
        assert_allclose(found.gain, after - before, rtol=0, atol=problem.tolerance)
        assert was_pair or found.gain > price * problem.rows.inertia
        check_mutable_tree(mutable_tree)
        assert within(mutable_tree, problem.limits)
    tree = tree_of(mutable_tree).build(problem.X.shape[1])
    labels = tree.predict(problem.X)
    assert len(set(zip(labels, mutable_tree.labels(), strict=True))) == mutable_tree.n_clusters


@pytest.mark.parametrize("search", ["greedy", "local"])
def test_a_high_price_buys_none(search, set_price):
    set_price(10.0)
    X, _ = diagonal()
    parameters = {"max_leaf_nodes": 4, "search": search, **QUICK}
    axis = Kauri(2, **parameters).fit(X)
    dear = Kauri(2, split="pair", **parameters).fit(X)
    assert not any(terms_of(dear))
    assert_allclose(dear.inertia_, axis.inertia_, rtol=1e-9)
    assert_array_equal(dear.labels_, axis.labels_)


@pytest.mark.parametrize("search", ["greedy", "local"])
def test_pairs_never_cost_more(search, iris, set_price):
    for n_leaves in (3, 6):
        parameters = {"max_leaf_nodes": n_leaves, "search": search, **QUICK}
        axis = Kauri(3, **parameters).fit(iris)
        for price in (0.0, 0.001, 0.01):
            set_price(price)
            pair = Kauri(3, split="pair", **parameters).fit(iris)
            assert pair.inertia_ <= axis.inertia_ * (1 + 1e-9)
            assert_array_equal(pair.labels_, pair.predict(iris))
            for terms in terms_of(pair):
                if terms:
                    check_weights(terms[0][1], terms[1][1])


def test_values_with_ties_are_told_apart_as_the_tree_does(set_price):
    set_price(0.0)
    # Sums of tenths that should be equal differ by rounding.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (300, 3)) / 10
    for seed in range(3):
        model = Kauri(
            4,
            max_leaf_nodes=8,
            split="pair",
            search="local",
            random_state=seed,
            **QUICK,
        ).fit(X)
        assert any(terms_of(model))
        assert_array_equal(model.labels_, model.predict(X))
        assert_allclose(model.score(X), model.objective_, rtol=1e-9)


@pytest.mark.parametrize("search", ["greedy", "local"])
def test_a_row_that_misses_either_column_goes_where_the_node_says(search):
    X, side = diagonal(noise=0)
    X[:10, 0] = np.nan
    X[10:20, 1] = np.nan
    model = Kauri(2, max_leaf_nodes=2, split="pair", search=search, **QUICK).fit(X)
    assert adjusted_rand_score(side[20:], model.labels_[20:]) == 1.0
    assert all(terms_of(model))
    assert_array_equal(model.labels_, model.predict(X))
    assert model.tree_.missing[0] != 0
    assert len(set(model.labels_[:20])) == 1
    assert_allclose(model.score(X), model.objective_, rtol=1e-9)


def test_limits_hold(set_price):
    set_price(0.0)
    X, _ = diagonal()
    model = Kauri(
        3,
        max_leaf_nodes=6,
        max_depth=2,
        min_samples_leaf=30,
        split="pair",
        search="local",
        **QUICK,
    ).fit(X)
    assert model.tree_.max_depth <= 2
    assert np.bincount(model.apply(X))[model.tree_.is_leaf].min() >= 30


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "cosine"])
def test_any_kernel_takes_pairs(kernel, set_price):
    set_price(0.0)
    X, _ = diagonal(n=120)
    axis = Kauri(2, kernel=kernel, max_leaf_nodes=2).fit(X)
    pair = Kauri(2, kernel=kernel, max_leaf_nodes=2, split="pair").fit(X)
    assert pair.inertia_ <= axis.inertia_ * (1 + 1e-9)
    assert_array_equal(pair.labels_, pair.predict(X))


def test_weights_count():
    X, side = diagonal()
    weight = np.where(np.arange(len(X)) < 150, 1.0, 0.0)
    model = Kauri(2, max_leaf_nodes=2, split="pair").fit(X, sample_weight=weight)
    without = Kauri(2, max_leaf_nodes=2, split="pair").fit(X[:150])
    assert_allclose(model.inertia_, without.inertia_, rtol=1e-9)
    assert terms_of(model) == terms_of(without)
    assert adjusted_rand_score(side[:150], model.labels_[:150]) == 1.0


def test_sources_are_no_part_of_a_pair():
    X, side = diagonal(noise=0)
    hot = np.eye(3)[np.arange(len(X)) % 3]
    model = Kauri(
        2, max_leaf_nodes=2, split="pair", one_hot=[[2, 3, 4]], search="local", **QUICK
    ).fit(np.hstack([X, hot * 0.01]))
    assert adjusted_rand_score(side, model.labels_) == 1.0


def test_one_column_makes_no_pair():
    X = np.random.default_rng(0).random((50, 1))
    same = Kauri(3, max_leaf_nodes=3, split="pair").fit(X)
    assert_array_equal(same.labels_, Kauri(3, max_leaf_nodes=3).fit(X).labels_)


def test_a_start_may_have_pairs():
    X, _ = diagonal()
    start = Kauri(2, max_leaf_nodes=2, split="pair").fit(X)
    for split in ("axis", "pair"):
        model = Kauri(2, max_leaf_nodes=4, search="local", split=split, **QUICK)
        model.fit(X, start=start)
        assert model.inertia_ <= start.inertia_ * (1 + 1e-9)
        assert_array_equal(model.labels_, model.predict(X))


def test_what_is_done_is_told():
    X, _ = diagonal()
    rows = SearchRows.of(X, X, np.ones(len(X)), np.arange(X.shape[1]))
    greedy = Kauri(2, max_leaf_nodes=2).fit(X)
    mutable_tree = mutable_tree_of(greedy.tree_, rows, 2, 2)
    assert with_oblique_splits(mutable_tree, Limits(2, 2), 0.01)
    assert not with_oblique_splits(mutable_tree, Limits(2, 2), 0.01)
    assert not with_oblique_splits(mutable_tree_of(greedy.tree_, rows, 2, 2), Limits(2, 2), 10.0)
