"""Orders of numbers by their bits, against NumPy's stable sort."""

import numpy as np
import pytest
from agathis._core.shared.sorted import sort_features
from hypothesis import given
from hypothesis import strategies as st

SPECIAL = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, -2.2e-308, 1e308, -1e308, 1.0, -1.0, 1 + 2**-52]


def check(values, threads=1):
    order, cut = sort_features(values, threads)
    assert order.dtype == np.int32
    expected = np.argsort(values, axis=1, kind="stable")
    np.testing.assert_array_equal(order, expected)
    ordered = np.take_along_axis(values, expected, axis=1)
    np.testing.assert_array_equal(cut[:, :-1], ordered[:, :-1] < ordered[:, 1:])
    assert not cut[:, -1].any()


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 7, 599, 600, 601, 1500]))
def test_as_numpy(seed, n):
    random = np.random.default_rng(seed)
    rows = [
        random.normal(size=n),
        random.normal(size=n) * np.exp(random.normal(size=n) * 100),
        random.integers(-3, 4, n).astype(float) * random.choice([1.0, -1.0], n),
        random.choice(SPECIAL, n),
        np.full(n, random.choice(SPECIAL)),
        np.round(random.normal(size=n), 2) + 1e6,
        random.integers(0, 2**63, n).view(np.float64),
    ]
    check(np.array([np.where(np.isfinite(row), row, 1.0) for row in rows]))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads(threads):
    check(np.random.default_rng(0).normal(size=(7, 30_000)), threads)
