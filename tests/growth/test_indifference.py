"""What must not matter to a tree, whatever the data, the kernel and the weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.examples import examples, mostly_slow
from helpers.invariants import same_tree, valid_tree
from helpers.models import SEEDS, same_bits
from helpers.strategies import (
    WEIGHTS,
    Problem,
    kernel_matrix,
    problems,
    table,
    weights,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels
from threadpoolctl import threadpool_limits

import agathis._growth.engines.kernel_rows
import agathis._kernels.kernel
from agathis import Kauri
from agathis._kernels.names import KERNELS


@given(problems(), SEEDS)
@examples(150)
def test_row_order_does_not_matter(problem, seed):
    order = np.random.default_rng(seed).permutation(len(problem.X))
    shuffled = replace(
        problem,
        X=problem.X[order],
        gram=problem.gram[np.ix_(order, order)],
        weight=None if problem.weight is None else problem.weight[order],
    )
    model, other = problem.fit(), shuffled.fit()
    same_tree(model.tree_, other.tree_, gains=problem.tolerance)
    np.testing.assert_array_equal(model.labels_[order], other.labels_)


@given(problems(), st.sampled_from(["constant", "sums", "centred", "scaled"]), SEEDS)
@examples(150)
def test_what_the_kernel_is_measured_from_does_not_matter(problem, change, seed):
    """A constant, or a_i + a_j, or the centre of all rows as the origin."""
    n, gram, factor = len(problem.X), problem.gram, 1.0
    if change == "constant":
        gram = gram + 7.0
    elif change == "sums":
        a = np.random.default_rng(seed).normal(size=n)
        gram = gram + a[:, None] + a[None, :]
    elif change == "centred":
        means = gram.mean(axis=0)
        gram = gram - means[:, None] - means[None, :] + means.mean()
    else:
        gram, factor = gram * 1024.0, 1024.0
    other = replace(problem, gram=gram)
    a, b = problem.fit(), other.fit()
    tolerance = max(problem.tolerance * factor, other.tolerance)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    same_tree(replace(a.tree_, gain=a.tree_.gain * factor), b.tree_, gains=tolerance)


@given(
    st.integers(1, 40),
    st.integers(1, 4),
    st.sampled_from(["linear", "rbf", "laplacian"]),
    st.booleans(),
    SEEDS,
)
@examples(80)
def test_a_million_on_top_of_the_data_does_not_matter(n, d, kernel, grid, seed):
    random = np.random.default_rng(seed)
    # Whole multiples of 2**-10, so that the sum is exact and only the rest can go wrong.
    X = random.integers(0, 4, (n, d)) / 1.0 if grid else np.round(random.normal(size=(n, d)) * 1024)
    X = X if grid else X / 1024
    model = Kauri(min(n, 5), kernel=kernel, n_jobs=1, max_leaf_nodes=None).fit(X)
    far = Kauri(min(n, 5), kernel=kernel, n_jobs=1, max_leaf_nodes=None).fit(X + 1e6)
    valid_tree(far.tree_, X + 1e6, far.labels_, n_clusters=min(n, 5))
    near = replace(far.tree_, threshold=far.tree_.threshold - 1e6 * (far.tree_.feature >= 0))
    same_tree(near, model.tree_, gains=1e-9 * max(1.0, model.inertia_), thresholds=1e-9)
    np.testing.assert_array_equal(far.labels_, model.labels_)
    if kernel != "linear":
        assert far.objective_ == pytest.approx(model.objective_, rel=1e-9)
    assert far.inertia_ == pytest.approx(model.inertia_, rel=1e-6, abs=1e-9 * n)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_million_on_top_of_normal_data_does_not_matter(kernel):
    """Here the sums are rounded: some 1e-10 of each value."""
    X = np.random.default_rng(0).normal(size=(300, 4))
    model = Kauri(6, kernel=kernel, max_leaf_nodes=40).fit(X)
    far = Kauri(6, kernel=kernel, max_leaf_nodes=40).fit(X + 1e6)
    np.testing.assert_array_equal(far.tree_.feature, model.tree_.feature)
    np.testing.assert_array_equal(far.labels_, model.labels_)
    inner = model.tree_.feature >= 0
    np.testing.assert_allclose(
        far.tree_.threshold[inner], model.tree_.threshold[inner] + 1e6, rtol=0, atol=1e-9
    )


@given(problems(), st.sampled_from([2.0, 0.25, 1024.0]), st.sampled_from([0.0, -3.0]))
@examples(50)
def test_units_of_the_columns_do_not_matter_to_a_given_kernel(problem, factor, shift):
    other = replace(problem, X=problem.X * factor + shift)
    model, changed = problem.fit(), other.fit()
    np.testing.assert_array_equal(model.labels_, changed.labels_)
    np.testing.assert_array_equal(model.tree_.feature, changed.tree_.feature)
    np.testing.assert_array_equal(model.tree_.gain, changed.tree_.gain)


@given(problems())
@examples(40)
def test_a_constant_column_does_not_matter(problem):
    model = problem.fit()
    X = np.column_stack([np.full(len(problem.X), 3.0), problem.X])
    wider = replace(problem, X=X).fit()
    moved = replace(wider.tree_, feature=wider.tree_.feature - (wider.tree_.feature >= 0))
    same_tree(moved, model.tree_, gains=problem.tolerance)
    np.testing.assert_array_equal(wider.labels_, model.labels_)


# Threads. Work below SMALL_WORK steps is one thread's, so these are large enough to share.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "d", "n_clusters", "leaves", "kind"),
    [(1500, 20, 8, 60, None), (1500, 20, 8, 40, "fractions"), (1300, 400, 4, 8, None)],
    ids=["plain", "weighted", "wide"],
)
def test_threads_do_not_matter(n, d, n_clusters, leaves, kind):
    random = np.random.default_rng(n + d)
    X = table(random, n, d, "normal")
    X[:, ::2] = np.round(X[:, ::2], 1)
    gram = kernel_matrix(random, X / np.sqrt(d), "rbf")
    limits = {"max_leaf_nodes": leaves}
    problem = Problem(X, gram, weights(random, n, kind), n_clusters, limits)
    one = problem.fit(n_jobs=1)
    valid_tree(one.tree_, X, one.labels_, problem.weight, n_clusters, **limits)
    for threads in (2, 4):
        other = problem.fit(n_jobs=threads)
        same_bits(one.tree_, other.tree_)
        assert one.objective_ == other.objective_


@pytest.mark.parametrize("engine", ["gram", "blocks"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "cosine"])
def test_threads_do_not_matter_to_computed_kernels(kernel, engine):
    """Values of the kernel may differ in their last digit; the tree does not."""
    X = np.random.default_rng(1).normal(size=(700, 12))
    parameters = {"kernel": kernel, "engine": engine, "max_leaf_nodes": 30}
    one = Kauri(6, n_jobs=1, **parameters).fit(X)
    two = Kauri(6, n_jobs=2, **parameters).fit(X)
    same_tree(one.tree_, two.tree_, gains=1e-9 * one.inertia_)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["gram", "blocks"])
def test_threads_of_blas_do_not_matter(engine):
    """That of NumPy 1.26 sums otherwise with several threads: here it never has more than one."""
    X = np.random.default_rng(1).normal(size=(1000, 100))
    trees = []
    for blas, jobs in ((1, 1), (4, 1), (4, 2)):
        with threadpool_limits(blas, user_api="blas"):
            model = Kauri(6, kernel="rbf", engine=engine, max_leaf_nodes=30, n_jobs=jobs)
            trees.append(model.fit(X).tree_)
    same_bits(trees[0], trees[1])
    same_bits(trees[0], trees[2])


def test_one_fit_after_the_other_is_the_same():
    X = np.random.default_rng(2).normal(size=(900, 15))
    first, second = (Kauri(7, kernel="rbf", n_jobs=2, max_leaf_nodes=None).fit(X) for _ in range(2))
    same_bits(first.tree_, second.tree_)


# Where kernel values come from.


def similarity(x, y, scale=1.0):
    return 1.0 / (1.0 + scale * np.abs(x - y).sum())


@pytest.fixture
def tiny_blocks(monkeypatch):
    """Kernel rows come seven at a time, and compiled code returns after five."""

    def shrink(n, d):
        monkeypatch.setattr(agathis._kernels.kernel, "BLOCK_BYTES", 8 * n * 7)
        monkeypatch.setattr(agathis._growth.engines.kernel_rows, "STEPS_AT_ONCE", 5.5 * n * (1 + d))

    return shrink


@pytest.mark.parametrize("weighted", mostly_slow([False, True], True))
@pytest.mark.parametrize("kernel", [*KERNELS, similarity])
def test_gram_and_blocks_agree(kernel, weighted, tiny_blocks):
    n, d = 61, 3
    random = np.random.default_rng(5)
    X = random.gamma(2.0, size=(n, d))
    weight = weights(random, n, "with zeros") if weighted else None
    parameters = {"kernel": kernel, "n_jobs": 1, "max_leaf_nodes": None}
    if callable(kernel):
        parameters["kernel_params"] = {"scale": 0.5}
    if kernel == "sigmoid":
        parameters["gamma"] = 0.1
    gram = Kauri(5, engine="gram", **parameters).fit(X, sample_weight=weight)
    blocks = Kauri(5, engine="blocks", **parameters).fit(X, sample_weight=weight)
    tiny_blocks(n, d)
    small = Kauri(5, engine="blocks", **parameters).fit(X, sample_weight=weight)
    small_gram = Kauri(5, engine="gram", **parameters).fit(X, sample_weight=weight)

    options = {"gamma": 0.1} if kernel == "sigmoid" else {}
    if callable(kernel):
        options = {"scale": 0.5}
    if kernel in ("poly", "polynomial", "sigmoid"):
        options["coef0"] = 1
    given_matrix = pairwise_kernels(X, metric=kernel, **options)
    problem = Problem(X, given_matrix, weight, 5)
    precomputed = problem.fit()

    assert (gram.engine_, blocks.engine_) == ("gram", "blocks")
    assert gram.n_leaves_ > 4
    valid_tree(gram.tree_, X, gram.labels_, weight, 5)
    for other in (blocks, small, small_gram, precomputed):
        same_tree(gram.tree_, other.tree_, gains=problem.tolerance)
        np.testing.assert_array_equal(gram.labels_, other.labels_)
        assert other.objective_ == pytest.approx(gram.objective_, rel=1e-9)
        assert other.inertia_ == pytest.approx(gram.inertia_, rel=1e-9)


@given(problems())
@examples(60)
def test_layout_of_the_matrix_does_not_matter(problem):
    n = len(problem.X)
    wide = np.full((2 * n, 3 * n), np.nan)
    wide[::2, ::3] = problem.gram
    flipped = np.ascontiguousarray(problem.gram[::-1, ::-1])[::-1, ::-1]
    model = problem.fit()
    for gram in (np.asfortranarray(problem.gram), wide[::2, ::3], flipped, problem.gram.tolist()):
        other = replace(problem, gram=gram).fit()
        same_tree(model.tree_, other.tree_, gains=problem.tolerance)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_float32_matrix(order, kind, tiny_blocks):
    """It is used as it is; the tree is that of its values."""
    n, d = 90, 3
    random = np.random.default_rng(3)
    X = table(random, n, d, "normal")
    gram = kernel_matrix(random, X, "rbf").astype(np.float32)
    problem = Problem(X, gram.astype(np.float64), weights(random, n, kind), 6)
    model = problem.fit()
    assert model.n_leaves_ > 10
    single = replace(problem, gram=np.array(gram, order=order))
    same_tree(model.tree_, single.fit().tree_, gains=problem.tolerance)
    tiny_blocks(n, d)
    same_tree(model.tree_, single.fit().tree_, gains=problem.tolerance)


def test_the_matrix_is_not_written_to():
    random = np.random.default_rng(4)
    X = table(random, 50, 2, "normal")
    gram = kernel_matrix(random, X, "rbf")
    before = gram.copy()
    gram.flags.writeable = X.flags.writeable = False
    Problem(X, gram, None, 4).fit()
    np.testing.assert_array_equal(gram, before)
