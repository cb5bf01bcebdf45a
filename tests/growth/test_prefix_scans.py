"""Sums over pairs of points by walks along a feature are those over kernel rows, or bounds."""

import numpy as np
import pytest
from agathis._core.pairwise.prefix_scans import LeadingParts, Parts
from agathis._core.pairwise.state import State, partition
from agathis._core.pairwise.updates import close_root
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from agathis import Kauri
from agathis._growth.engines.principal_directions import eigenvalue_bound, principal_directions


def naive_alpha(X, weight, leaf_index_of, rank):
    """[f, i] the stock of i with the samples of its leaf before it in f, in distance form."""
    distance = -0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2)
    kernel_sum = (
        weight[:, None] * weight[None] * distance * (leaf_index_of[:, None] == leaf_index_of[None])
    )
    return np.array([np.where(r[None] < r[:, None], kernel_sum, 0.0).sum(axis=1) for r in rank])


def state_of(X, values, weight, threads):
    half = 0.5 * (X * X).sum(axis=1)
    state = State(values, weight, half, 3, 4, threads, positive=True, prefix_scanned=True)
    close_root(state)  # the leaf's weight
    return state, 1e-11 * weight.sum() ** 2 * (1 + half.max())


def by_sample(arrays):
    """[f, i] what was walked along f lies in its order."""
    found = np.empty_like(arrays["alpha"])
    np.put_along_axis(found, arrays["order"], arrays["alpha"], axis=1)
    return found


def points_of(random, n, width):
    """Points that differ more in some directions than in others, some of them equal."""
    X = random.normal(size=(n, width)) * random.uniform(0, 1, width) ** random.integers(0, 9)
    return X[random.integers(0, n, n)] + random.normal(scale=9, size=width)


cases = given(
    st.integers(2, 60),
    st.integers(1, 50),
    st.booleans(),
    st.sampled_from([1, 3]),
    st.integers(0, 2**32 - 1),
)


@examples(30)
@cases
def test_a_walk_sums_what_the_pairs_do(n, width, weighted, threads, seed):
    random = np.random.default_rng(seed)
    X = points_of(random, n, width)
    weight = random.uniform(0.5, 2.0, n) if weighted else np.ones(n)
    values = np.ascontiguousarray(random.integers(0, 9, (n, 11)).T.astype(np.float64))
    state, scale = state_of(X, values, weight, threads)
    arrays, parts, leaf_index_of = state.arrays(), Parts(X), np.zeros(n, dtype=int)
    rank = np.argsort(arrays["order"], axis=1)
    every = np.arange(11, dtype=np.int32)
    parts.scan(state, 0, every)
    expected = naive_alpha(X, weight, leaf_index_of, rank)
    np.testing.assert_allclose(by_sample(arrays), expected, rtol=0, atol=scale)
    before = arrays["alpha"].copy()
    other = partition(state, 0, 0, int(random.integers(0, n - 1)))
    leaf_index_of[state.samples(other)] = other
    some = np.flatnonzero(random.integers(2, size=11)).astype(np.int32)
    parts.scan(state, other, some)
    parts.scan(state, 0, some)
    expected = naive_alpha(X, weight, leaf_index_of, rank)
    np.testing.assert_allclose(by_sample(arrays)[some], expected[some], rtol=0, atol=scale)
    others = np.setdiff1d(every, some)
    np.testing.assert_array_equal(arrays["alpha"][others], before[others])


@examples(60)
@cases
def test_leading_components_bound_the_stock_of_every_side(n, width, weighted, threads, seed):
    random = np.random.default_rng(seed)
    X = points_of(random, n, width)
    weight = random.uniform(0.01, 2.0, n) if weighted else np.ones(n)
    values = np.ascontiguousarray(random.integers(0, 99, (n, 5)).T.astype(np.float64))
    values[0] = X[:, 0]
    state, scale = state_of(X, values, weight, threads)
    rank = np.argsort(state.arrays()["order"], axis=1)
    leaf_index_of, leaf_indices = np.zeros(n, dtype=int), [0]
    if random.integers(2):
        leaf_indices.append(partition(state, 0, 1, int(random.integers(0, n - 1))))
        leaf_index_of[state.samples(leaf_indices[1])] = leaf_indices[1]
    arrays, parts, start = state.arrays(), LeadingParts(n), None
    if random.integers(2):
        start, _ = np.linalg.qr(random.normal(size=(width, min(width, 32))))
    for leaf_index in leaf_indices:
        ids = state.samples(leaf_index)
        view = principal_directions(X[ids], weight[ids], start)
        parts.write(ids, view.components, view.half, view.tail)
        every = np.arange(5, dtype=np.int32)
        parts.scan(state, leaf_index, every, view.largest, view.rounded, view.all_tails)
    exact, found = naive_alpha(X, weight, leaf_index_of, rank), by_sample(arrays)
    for leaf_index in leaf_indices:
        inside = arrays["order"][:, arrays["start"][leaf_index] : arrays["stop"][leaf_index]]
        side = 2 * np.take_along_axis(exact, inside, axis=1).cumsum(axis=1)
        bound = 2 * np.take_along_axis(found, inside, axis=1).cumsum(axis=1)
        assert (bound >= side - scale).all()
        # The whole leaf is known exactly, but for single precision.
        np.testing.assert_allclose(bound[:, -1], side[:, -1], rtol=1e-5, atol=scale)


@examples(60)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_the_bound_of_an_eigenvalue(n, rank, seed):
    random = np.random.default_rng(seed)
    factor = random.normal(size=(n, rank)) * 10.0 ** random.integers(-9, 9, rank)
    matrix = factor @ factor.T
    largest = float(np.linalg.eigvalsh(matrix)[-1])
    assert largest <= eigenvalue_bound(matrix) <= 1.5 * largest
    assert eigenvalue_bound(0 * matrix) == 0


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
@pytest.mark.parametrize("n", [60, 400])
def test_engines_of_wide_rows_grow_one_tree(kernel, n):
    random = np.random.default_rng(n)
    X = random.normal(size=(5, 150))[random.integers(5, size=n)] + random.normal(size=(n, 150))
    the_same_trees(X, None, kernel)


@examples(20)
@given(
    st.integers(8, 60),
    st.sampled_from(["groups", "noise", "ties", "one direction", "far"]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_few_exact_features_are_enough(n, kind, weighted, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 110))
    if kind == "groups":
        X += 2 * random.normal(size=(4, 110))[random.integers(4, size=n)]
    elif kind == "ties":
        X = random.integers(0, 3, X.shape).astype(np.float64)
    elif kind == "one direction":
        X = 1e-3 * X + np.outer(random.normal(size=n), random.normal(size=110))
    elif kind == "far":
        X += 1e4
    weight = random.integers(1, 4, n).astype(np.float64) if weighted else None
    the_same_trees(X, weight, "linear")


def the_same_trees(X, weight, kernel):
    trees = [
        Kauri(5, max_leaf_nodes=12, kernel=kernel, engine=engine).fit(X, sample_weight=weight).tree_
        for engine in ("features", "gram", "blocks")
    ]
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree.feature, trees[0].feature)
        np.testing.assert_array_equal(tree.threshold, trees[0].threshold)
        np.testing.assert_array_equal(tree.cluster, trees[0].cluster)
        np.testing.assert_allclose(tree.gain, trees[0].gain, rtol=1e-7)
