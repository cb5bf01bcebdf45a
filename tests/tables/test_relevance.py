"""Weights of columns: what groups of the others show in them, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agathis._tables.relevance import LEAST, _explained, relevance


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_the_share_that_clusters_explain(seed, k):
    random = np.random.RandomState(seed)
    points = random.normal(size=(40, 6))
    points -= points.mean(axis=0)
    labels = random.permutation(np.resize(np.arange(k), 40))
    sources = [np.array([0]), np.array([1, 2]), np.array([3, 4, 5])]
    total = np.array([(points[:, places] ** 2).sum() for places in sources])
    found = _explained(points, labels, sources, total)
    for share, places in zip(found, sources, strict=True):
        within = sum(
            (
                (points[labels == c][:, places] - points[labels == c][:, places].mean(axis=0)) ** 2
            ).sum()
            for c in range(k)
        )
        # As the adjusted share of explained variance is defined.
        expected = 1 - (within / (40 - k)) / ((points[:, places] ** 2).sum() / 39)
        assert share == pytest.approx(max(0.0, expected), abs=1e-9)


@settings(max_examples=4)
@given(st.integers(0, 2**32 - 1), st.sampled_from([40, 300]))
def test_where_there_are_no_groups_all_columns_count(seed, n):
    X = np.random.RandomState(seed).normal(size=(n, 5))
    weights = relevance(X, np.arange(5)[:, None])
    assert weights.max() == 1
    assert (weights >= LEAST).all()
    if n == 300:
        np.testing.assert_array_equal(weights, np.ones(5))


@settings(max_examples=4)
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
