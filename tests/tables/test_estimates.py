"""What numbers that are far off were meant to be, against the definition."""

from __future__ import annotations

import numpy as np
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from agathis._tables.estimates import MOST_ROWS, NEIGHBOURS, meant


@given(SEEDS, st.integers(2, 40), st.integers(1, 5))
def test_the_mean_of_the_rows_that_are_nearest_in_other_columns(seed, n, d):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, d))
    X[random.uniform(size=X.shape) < 0.1] = np.nan
    far = (random.uniform(size=X.shape) < 0.1) & ~np.isnan(X)
    X[far] += 1000
    counts = random.uniform(size=d) < 0.8
    found = meant(X, far, counts)
    for i, j in np.ndindex(*X.shape):
        if not far[i, j]:
            assert np.isnan(found[i, j])
            continue
        apart = []
        for other in range(n):
            if np.isnan(X[other, j]) or far[other, j]:
                continue
            distance = 0.0
            for c in np.flatnonzero(counts):
                if np.isnan(X[i, c]) or far[i, c]:
                    continue
                there = not np.isnan(X[other, c]) and not far[other, c]
                distance += ((X[other, c] if there else 0.0) - X[i, c]) ** 2
            apart.append((distance, other))
        near = [X[other, j] for _, other in sorted(apart)[:NEIGHBOURS]]
        np.testing.assert_allclose(found[i, j], np.mean(near) if near else 0.0)


def test_of_many_rows_some_are_asked():
    random = np.random.RandomState(0)
    group = random.randint(2, size=(4 * MOST_ROWS, 1))
    X = 4.0 * group - 2 + 0.1 * random.normal(size=(len(group), 3))
    far = np.zeros(X.shape, dtype=bool)
    far[::100, 1] = True
    found = meant(np.where(far, 500.0, X), far, np.ones(3, dtype=bool))
    np.testing.assert_allclose(found[far], X[far], atol=0.6)
    assert np.isnan(found[~far]).all()
