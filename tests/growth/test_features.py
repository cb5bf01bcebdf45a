"""Exact stocks of points: the tree is that of the kernel matrix, with no pair of rows formed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import reference
from helpers.examples import examples, mostly_slow
from helpers.invariants import replay, same_tree, valid_tree
from helpers.strategies import RowsProblem, rows_problem, seeded_rows, small_rows, weights
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine

from agathis import Kauri

SEEDS = st.integers(0, 2**32 - 1)
KERNELS = ("linear", "cosine")


def problems():
    """Problems that the oracle solves in a moment."""
    return st.one_of(small_rows(), seeded_rows(4, 12), seeded_rows(8, 24, max_leaves=6))


def check(problem: RowsProblem, model: Kauri) -> None:
    """The tree is valid, and the model says of it what is so."""
    X, weight = problem.X, problem.weight
    valid_tree(model.tree_, X, model.labels_, weight, problem.n_clusters, **problem.limits)
    weight = np.ones(len(X)) if weight is None else weight
    assert model.inertia_ >= 0.0
    inertia = weight @ np.diagonal(problem.gram) - reference.objective(
        problem.gram, model.labels_, weight
    )
    assert model.inertia_ == pytest.approx(inertia, rel=1e-9, abs=problem.tolerance)
    points = X
    if problem.kernel == "cosine":
        length = np.linalg.norm(X, axis=1, keepdims=True)
        points = np.divide(X, length, out=np.zeros_like(X), where=length > 0)
    value = reference.objective(points @ points.T, model.labels_, weight)
    assert model.objective_ == pytest.approx(value, rel=1e-9, abs=problem.tolerance)
    assert model.score(X, sample_weight=weight) == pytest.approx(
        value, rel=1e-9, abs=problem.tolerance
    )


def same_model(a: Kauri, b: Kauri, tolerance: float, counts: bool = True) -> None:
    same_tree(a.tree_, b.tree_, gains=tolerance, counts=counts)
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-9, abs=tolerance)
    assert a.inertia_ == pytest.approx(b.inertia_, rel=1e-9, abs=tolerance)


def same_bits(a, b) -> None:
    for name in ("children_left", "feature", "threshold", "cluster", "gain", "move"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


# The matrix, and the oracle.


@given(problems())
@examples(250)
def test_tree_is_the_oracles(problem):
    model, oracle = problem.fit(), problem.oracle()
    check(problem, model)
    same_tree(model.tree_, oracle, gains=problem.tolerance)
    np.testing.assert_array_equal(model.labels_, oracle.labels)


@given(st.one_of(small_rows(), seeded_rows(1, 120)))
@examples(250)
def test_tree_is_that_of_the_matrix(problem):
    model, gram = problem.fit(), problem.fit("gram")
    assert (model.engine_, gram.engine_) == ("features", "gram")
    check(problem, model)
    same_model(model, gram, problem.tolerance)
    np.testing.assert_array_equal(model.labels_, gram.labels_)


@given(seeded_rows(2, 60), SEEDS, st.sampled_from([1, 0.5, "sqrt"]))
@examples(60)
def test_drawn_features(problem, seed, max_features):
    """The same are drawn: the leaves are searched in the same order."""
    model, gram = (
        problem.fit(engine, max_features=max_features, random_state=seed)
        for engine in ("features", "gram")
    )
    check(problem, model)
    same_model(model, gram, problem.tolerance)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", mostly_slow(["iris", "wine", "digits"], "iris", "wine"))
@pytest.mark.parametrize("n_clusters", [3, 10])
def test_data_that_people_use(name, kernel, n_clusters):
    X = {"iris": load_iris, "wine": load_wine, "digits": load_digits}[name]().data
    problem = rows_problem(X, None, n_clusters, kernel, max_leaf_nodes=40)
    model = problem.fit()
    check(problem, model)
    same_model(model, problem.fit("gram"), problem.tolerance)


@pytest.mark.parametrize("kind", [None, "fractions", "with zeros"])
@pytest.mark.parametrize("data", ["normal", "rounded", "clusters", "heavy"])
def test_more_rows(data, kind):
    """So many that blocks of samples are as long as they get."""
    random = np.random.default_rng(len(data))
    n, d = 3000, 4
    X = random.normal(size=(n, d))
    if data == "rounded":
        X = np.round(X, 1)
    elif data == "clusters":
        X += random.normal(size=(12, d))[random.integers(12, size=n)] * 6
    elif data == "heavy":
        X = random.standard_t(2, size=(n, d))
    weight = weights(random, n, kind)
    parameters = {"max_leaf_nodes": 40, "n_jobs": 1}
    model = Kauri(6, engine="features", **parameters).fit(X, sample_weight=weight)
    gram = Kauri(6, engine="gram", **parameters).fit(X, sample_weight=weight)
    valid_tree(model.tree_, X, model.labels_, weight, 6, max_leaf_nodes=40)
    assert model.n_leaves_ > (20 if data in ("normal", "rounded") else 5)
    same_model(model, gram, 1e-11 * gram.tree_.gain.sum())


def test_a_wide_table():
    """More features than rows, and points of more than a vector's length."""
    X = np.random.default_rng(0).normal(size=(50, 130))
    problem = rows_problem(X, None, 5)
    model = problem.fit()
    check(problem, model)
    same_model(model, problem.fit("gram"), problem.tolerance)


def test_clusters_by_the_dozen():
    """More than are summed side by side."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 2))[random.integers(40, size=400)] * 9
    problem = rows_problem(X + random.normal(size=X.shape), None, 33)
    model = problem.fit()
    check(problem, model)
    assert model.n_clusters_ == 33
    same_model(model, problem.fit("gram"), problem.tolerance)


# Ties.


@pytest.mark.parametrize("copies", [2, 5])
@given(SEEDS)
@examples(10)
def test_equal_columns_choose_the_lowest(copies, seed):
    x = np.random.default_rng(seed).normal(size=(70, 2))
    X = np.tile(x, copies)
    model = Kauri(20, engine="features", n_jobs=1, max_leaf_nodes=None).fit(X)
    assert set(model.tree_.feature.tolist()) <= {-2, 0, 1}


@given(SEEDS, st.integers(20, 79), st.integers(1, 3), st.data())
def test_mirrored_columns_choose_the_lowest(seed, n, n_columns, data):
    """While clusters are founded a leaf may be certain of its gain by one of two that tie."""
    x = np.random.default_rng(seed).normal(size=(n, n_columns))
    n_clusters = data.draw(st.integers(3, n // 2 - 1), "n_clusters")
    model = Kauri(n_clusters, engine="features", n_jobs=1, max_leaf_nodes=None).fit(
        np.column_stack([x, -x])
    )
    assert model.tree_.feature.max() < n_columns


def test_shifted_and_scaled_columns_choose_the_lowest():
    x = np.random.default_rng(0).normal(size=(200, 1))
    X = np.column_stack([x, x * 2.0 + 1.0, x])
    model = Kauri(30, engine="features", max_leaf_nodes=None).fit(X)
    assert set(model.tree_.feature.tolist()) == {-2, 0}


def test_duplicate_rows_stay_together():
    random = np.random.default_rng(0)
    places = random.normal(size=(9, 2))
    X = places[random.integers(9, size=400)]
    model = Kauri(12, engine="features", max_leaf_nodes=None).fit(X)
    assert (model.n_leaves_, model.n_clusters_) == (9, 9)
    assert model.inertia_ == pytest.approx(0, abs=1e-13 * np.sum(X**2))


@pytest.mark.parametrize("ratio", [None, 30.0, 1e4], ids=["plain", "weighted", "unevenly weighted"])
@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("n", [200, 3000])
@given(SEEDS)
@examples(4)
def test_rounding_makes_no_splits(n, engine, ratio, seed):
    """Seven points, each many times, and columns that say nothing and do not count."""
    random = np.random.default_rng(seed)
    point = random.integers(7, size=n)
    X = random.normal(size=(7, 3))[point]
    weight = None if ratio is None else ratio ** random.uniform(-1, 0, n)
    model = Kauri(9, engine=engine, max_leaf_nodes=None).fit(X, sample_weight=weight)
    valid_tree(model.tree_, X, model.labels_, weight, 9)
    assert (model.n_leaves_, model.n_clusters_) == (7, 7)


# Gains.


def gains_are_changes(problem: RowsProblem, model: Kauri, tolerance: float) -> None:
    for node, before, after in replay(model.tree_, problem.X):
        change = reference.objective(problem.gram, after, problem.weight) - reference.objective(
            problem.gram, before, problem.weight
        )
        assert model.tree_.gain[node] == pytest.approx(change, abs=tolerance)


@given(st.one_of(small_rows(), seeded_rows(2, 80)))
@examples(80)
def test_every_gain_is_the_change_of_the_objective(problem):
    model = problem.fit()
    gains_are_changes(problem, model, problem.tolerance)


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("ratio", [1e2, 1e6, 1e10])
def test_gains_hold_where_weights_differ_much(ratio, engine):
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 3))
    weight = ratio ** random.uniform(-0.5, 0.5, 250)
    problem = rows_problem(X, weight, 5)
    model = problem.fit(engine)
    check(problem, model)
    gains_are_changes(problem, model, problem.tolerance)


# Weights.


@given(st.one_of(small_rows(), seeded_rows(1, 60)))
@examples(80)
def test_weights_are_repeats(problem):
    if problem.weight is None or np.any(problem.weight % 1):
        problem = replace(problem, weight=np.arange(len(problem.X)) % 3 + 1.0)
    rows = np.repeat(np.arange(len(problem.X)), problem.weight.astype(int))
    repeated = rows_problem(
        problem.X[rows], None, problem.n_clusters, problem.kernel, **problem.limits
    )
    weighted, plain = problem.fit(), repeated.fit()
    same_model(weighted, plain, problem.tolerance, counts=False)
    np.testing.assert_array_equal(weighted.labels_[rows], plain.labels_)


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("n", [50, 2000])
@pytest.mark.parametrize("tiny", [1e-9, 1e-11, 1e-12, 1.2e-13, 1e-15])
def test_negligible_weights(n, tiny, engine):
    """At the ends, where a side may be of such rows only."""
    random = np.random.default_rng(n)
    X = random.normal(size=(n, 2))
    weight = np.ones(n)
    weight[np.r_[X.argmin(axis=0), X.argmax(axis=0)]] = tiny
    model = Kauri(4, max_leaf_nodes=8, engine=engine).fit(X, sample_weight=weight)
    member = [weight * (model.labels_ == k) for k in range(model.n_clusters_)]
    cost = sum(w @ ((X - np.average(X, axis=0, weights=w)) ** 2).sum(axis=1) for w in member)
    assert model.inertia_ == pytest.approx(cost, rel=1e-6)
    assert min(w.sum() for w in member) > 0.5


# What must not matter.


@pytest.mark.parametrize("kind", [None, "fractions"])
@pytest.mark.parametrize(("n", "d", "leaves"), [(4000, 10, 40), (300, 120, 8)])
def test_threads_do_not_matter(n, d, leaves, kind):
    """Large enough that several threads sort, sum and search."""
    random = np.random.default_rng(n)
    X = random.normal(size=(n, d))
    X[:, ::2] = np.round(X[:, ::2], 1)
    weight = weights(random, n, kind)
    one, *others = (
        Kauri(7, engine="features", max_leaf_nodes=leaves, n_jobs=threads).fit(
            X, sample_weight=weight
        )
        for threads in (1, 2, 4)
    )
    for other in others:
        same_bits(one.tree_, other.tree_)
        assert one.objective_ == other.objective_


@given(seeded_rows(1, 60, kernels=["linear"], values=["integer", "fractions"]))
@examples(60)
def test_a_million_on_top_of_the_data_does_not_matter(problem):
    # Whole multiples of 2**-10, so that the sum is exact and only the rest can go wrong.
    problem = replace(problem, X=np.round(problem.X * 1024) / 1024)
    far = replace(problem, X=problem.X + 1e6)
    model, moved = problem.fit(), far.fit()
    scale = max(1.0, model.inertia_)
    inner = moved.tree_.feature >= 0
    near = replace(moved.tree_, threshold=moved.tree_.threshold - 1e6 * inner)
    same_tree(near, model.tree_, gains=1e-9 * scale, thresholds=1e-9)
    np.testing.assert_array_equal(model.labels_, moved.labels_)
    same_model(moved, far.fit("gram"), 1e-9 * scale)


@given(seeded_rows(2, 60), SEEDS)
@examples(60)
def test_row_order_does_not_matter(problem, seed):
    order = np.random.default_rng(seed).permutation(len(problem.X))
    weight = None if problem.weight is None else problem.weight[order]
    other = replace(problem, X=problem.X[order], weight=weight)
    model, shuffled = problem.fit(), other.fit()
    same_tree(model.tree_, shuffled.tree_, gains=problem.tolerance)
    np.testing.assert_array_equal(model.labels_[order], shuffled.labels_)


@pytest.mark.parametrize("kernel", KERNELS)
def test_layout_and_type_of_the_rows_do_not_matter(kernel):
    X = np.random.default_rng(0).normal(size=(300, 3)).astype(np.float32)
    model = Kauri(5, kernel=kernel, engine="features", max_leaf_nodes=None).fit(
        X.astype(np.float64)
    )
    wide = np.full((600, 9), np.nan)
    wide[::2, ::3] = X
    for other in (X, np.asfortranarray(X), wide[::2, ::3], X.tolist()):
        same_bits(
            model.tree_,
            Kauri(5, kernel=kernel, engine="features", max_leaf_nodes=None).fit(other).tree_,
        )


# Edges.


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 1), (9, 1)])
def test_few_rows_and_columns(shape, kernel, engine):
    X = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    for n_clusters in {1, 2, shape[0]}:
        if n_clusters <= shape[0]:
            problem = rows_problem(X, None, n_clusters, kernel)
            model = problem.fit(engine)
            check(problem, model)
            same_model(model, problem.fit("gram"), problem.tolerance)


@pytest.mark.parametrize("engine", ["features", "binned"])
def test_all_rows_equal(engine):
    model = Kauri(3, engine=engine, max_leaf_nodes=None).fit(np.full((40, 3), 7.25))
    assert (model.n_leaves_, model.inertia_) == (1, 0.0)
    assert model.objective_ == pytest.approx(40 * 3 * 7.25**2)


@pytest.mark.parametrize("engine", ["features", "binned"])
def test_rows_of_zeros_and_cosine(engine):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [2.0, -2.0], [3.0, 3.0]])
    problem = rows_problem(X, None, 3, "cosine")
    model = problem.fit(engine)
    check(problem, model)
    same_model(model, problem.fit("gram"), problem.tolerance)


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_squares_that_overflow_are_an_error(engine, dtype):
    X = np.array([[-1.0], [1.0], [0.5]], dtype=dtype) * np.finfo(np.float64).max ** 0.75
    X = X if dtype == np.float64 else X.clip(-3e38, 3e38).astype(dtype)
    if dtype == np.float64:
        with pytest.raises(ValueError, match="X is too large"):
            Kauri(2, engine=engine, max_leaf_nodes=None).fit(X)
    else:
        model = Kauri(2, engine=engine, max_leaf_nodes=None).fit(X)
        assert model.n_clusters_ == 2
        assert np.isfinite(model.objective_)


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20, 1e140])
def test_the_scale_of_the_data_does_not_matter(scale, engine):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = Kauri(4, engine=engine, max_leaf_nodes=None).fit(X)
    other = Kauri(4, engine=engine, max_leaf_nodes=None).fit(X * scale)
    np.testing.assert_array_equal(model.labels_, other.labels_)
    np.testing.assert_array_equal(model.tree_.feature, other.tree_.feature)


def test_an_outlier_does_not_hide_the_rest():
    random = np.random.default_rng(0)
    X = np.r_[random.normal(0, 1, 50), random.normal(10, 1, 50), 1e6][:, None]
    for engine in ("features", "gram", "binned"):
        model = Kauri(3, engine=engine, max_leaf_nodes=3).fit(X)
        assert sorted(np.bincount(model.labels_)) == [1, 50, 50]
