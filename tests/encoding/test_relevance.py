"""Weights of columns: what components of the others say of them, against the definition."""

from __future__ import annotations

import numpy as np
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from agathis._encoding.relevance import (
    BY_CHANCE,
    COMPONENTS,
    HALVINGS,
    LEAST,
    NOTHING,
    main_components,
    relevance,
)


@given(st.integers(0, 2**32 - 1), st.sampled_from([(40, 6), (8, 20)]), st.integers(1, 3))
def test_main_components_are_the_first_singular_vectors(seed, shape, count):
    points = np.random.RandomState(seed).normal(size=shape)
    points -= points.mean(axis=0)
    found = main_components(points, count)
    left = np.linalg.svd(points, full_matrices=False)[0][:, :count]
    # Their order and signs do not matter.
    np.testing.assert_allclose(found @ found.T, left @ left.T, atol=1e-6)


@given(st.integers(2, 60), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_main_components_where_many_spreads_are_equal(values, times, count, seed):
    """A column with many values, each as often as another: LAPACK may then find too few."""
    random = np.random.RandomState(seed)
    own = np.repeat(np.eye(values), times, axis=0)
    points = np.column_stack([own, random.permutation(len(own)) / len(own)])
    points -= points.mean(axis=0)
    found = main_components(points, count)
    lengths = np.linalg.svd(points, compute_uv=False)[:count]
    lengths = lengths[lengths > 3e-5 * lengths[0]]
    assert found.shape == (len(points), len(lengths))
    np.testing.assert_allclose(found.T @ found, np.eye(len(lengths)), atol=1e-7)
    np.testing.assert_allclose(((found.T @ points) ** 2).sum(), (lengths**2).sum())


def test_columns_that_are_alike_have_one_component():
    points = np.outer(np.linspace(-1, 1, 30), np.ones(4))
    assert main_components(points, 3).shape == (30, 1)
    assert main_components(np.zeros((30, 4)), 3).shape == (30, 0)


@examples(4)
@given(st.integers(0, 2**32 - 1), st.integers(4, 6))
def test_a_column_counts_by_what_components_of_halves_explain(seed, d):
    """From the definition: regressions on the components, in the same halvings."""
    random = np.random.RandomState(seed)
    X = random.normal(size=(50, d)) + random.normal(size=(50, 1))
    X -= X.mean(axis=0)
    draws, shares = np.random.RandomState(0), [[] for _ in range(d)]
    for halving in range(HALVINGS):
        order, count = draws.permutation(d), COMPONENTS[halving % len(COMPONENTS)]
        for seen, others in (
            (order[: d // 2], order[d // 2 :]),
            (order[d // 2 :], order[: d // 2]),
        ):
            left = np.linalg.svd(X[:, seen], full_matrices=False)[0][:, :count]
            for j in others:
                fitted = left @ np.linalg.lstsq(left, X[:, j], rcond=None)[0]
                share = 1 - ((X[:, j] - fitted) ** 2).sum() / (X[:, j] ** 2).sum()
                chance = left.shape[1] / 49
                shares[j].append(max(0.0, (share - chance) / (1 - chance)))
    means = np.array([np.mean(one) for one in shares])
    expected = np.maximum(np.sqrt(means / means.max()), LEAST)
    if means.max() <= max(NOTHING, BY_CHANCE / len(X)):
        expected[:] = 1
    np.testing.assert_allclose(relevance(X, np.arange(d)[:, None]), expected, atol=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_a_row_less_changes_weights_little(seed):
    random = np.random.RandomState(seed)
    X = random.normal(size=(100, 6)) + 2 * random.randint(3, size=(100, 1))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    sources = np.arange(6)[:, None]
    less = relevance(np.delete(X, random.randint(100), axis=0), sources)
    np.testing.assert_allclose(less, relevance(X, sources), atol=0.1)


@examples(4)
@given(st.integers(0, 2**32 - 1), st.sampled_from([40, 300]))
def test_where_there_are_no_groups_all_columns_count(seed, n):
    X = np.random.RandomState(seed).normal(size=(n, 5))
    weights = relevance(X, np.arange(5)[:, None])
    assert weights.max() == 1
    assert (weights >= LEAST).all()
    if n == 300:
        np.testing.assert_array_equal(weights, np.ones(5))


@examples(4)
@given(st.integers(0, 2**32 - 1))
def test_a_column_that_is_no_part_of_the_groups_counts_least(seed):
    random = np.random.RandomState(seed)
    group = random.randint(3, size=(200, 1))
    X = np.hstack([5.0 * group + random.normal(size=(200, 4)), random.normal(size=(200, 2))])
    X[random.uniform(size=X.shape) < 0.05] = np.nan
    X = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    sources = [
        np.array([0]),
        np.array([1]),
        np.array([2]),
        np.array([3]),
        np.array([4]),
        np.array([5]),
    ]
    weights = relevance(X, sources)
    assert weights[:4].min() > 0.7
    assert weights[4:].max() < 0.5
    np.testing.assert_array_equal(weights, relevance(X, sources))
    turned = relevance(X[:, ::-1], sources)
    assert turned[:2].max() < 0.5


def test_columns_of_a_few_values_are_no_reason_to_warn():
    random = np.random.RandomState(0)
    X = random.choice([0.0, 1.0], (100, 5))
    assert len(relevance(X, np.arange(5)[:, None])) == 5
