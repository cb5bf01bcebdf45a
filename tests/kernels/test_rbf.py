"""Values of the rbf kernel beside those of 64 binary digits: rows far out, near each other."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from agathis._growth.engines.choice import rows_of_kernel
from agathis._kernels import kernel as kernels
from agathis._kernels import rbf
from agathis._kernels.kernel import Kernel

EPS = np.finfo(np.float64).eps


def groups(random, n, d, apart):
    """Rows near one another, in groups that are far apart; some rows come twice."""
    centres = random.normal(size=(3, d)) * apart
    X = centres[random.integers(0, 3, n)] + random.normal(size=(n, d)) * 10.0 ** random.integers(
        -9, 1
    )
    X[random.integers(0, n)] = X[0]
    return X


def twin(X, Y, gamma):
    apart = X.astype(np.longdouble)[:, None] - Y.astype(np.longdouble)[None]
    return np.exp(-np.longdouble(gamma) * (apart * apart).sum(axis=2))


@pytest.mark.parametrize("d", [1, 3, rbf.NARROW, rbf.NARROW + 1, 60])
@given(SEEDS, st.integers(2, 40), st.integers(-6, 6), st.floats(-3, 3))
@examples(60)
def test_values_are_off_by_roundings_of_one(d, seed, n, power, scale):
    random = np.random.default_rng(seed)
    X = groups(random, n, d, 10.0**power)
    Y = np.vstack([X[: n // 2], groups(random, 3, d, 10.0**power)])
    gamma = 10.0**scale
    values = rbf.rbf_values(X, Y, gamma)
    assert values.flags.c_contiguous
    # A distance has d + 2 roundings, each a share of it at most; t exp(-t) is less than 0.4. From
    # inner products it is some d roundings of the lengths, of which ROUNDINGS come to the value.
    most = (2 + 0.2 * (d + 2)) * EPS
    if d > rbf.NARROW:
        most += rbf.ROUNDINGS * d * EPS / 2
    assert np.abs(values - twin(X, Y, gamma)).max() <= most


def test_many_near_pairs_are_all_taken_from_differences(monkeypatch):
    """More than ``MANY`` of them, and few: the same numbers, but for rounding."""
    random = np.random.default_rng(0)
    X = 5.0 + 1e-6 * random.normal(size=(30, 40))
    some = []
    for many in (0.0, 1.0):
        monkeypatch.setattr(rbf, "MANY", many)
        some.append(rbf.rbf_values(X, X, 0.5))
    np.testing.assert_allclose(*some, rtol=0, atol=4 * EPS)
    monkeypatch.setattr(rbf, "ROUNDINGS", np.inf)
    left = rbf.rbf_values(X, X[:20], 0.5)
    assert np.abs(left - some[0][:, :20]).max() > 100 * EPS


@pytest.mark.parametrize("metric", ["rbf", "laplacian", "chi2"])
@pytest.mark.parametrize("chosen", ["gram", "blocks"])
def test_a_row_is_at_no_distance_from_itself(metric, chosen, monkeypatch):
    """From inner products of these rows the diagonal of an rbf kernel is up to 4e-13 off one."""
    monkeypatch.setattr(kernels, "BLOCK_BYTES", 8 * 50 * 7)
    X = np.random.default_rng(1).uniform(size=(50, 20))
    kernel = Kernel(metric, {"gamma": 443.0})
    np.testing.assert_array_equal(kernel.diagonal(X), np.ones(50))
    rows = rows_of_kernel(chosen, kernel, X, 1)
    np.testing.assert_array_equal(rows.half, np.full(50, 0.5))
    for block, index, ids in rows.blocks(np.arange(50, dtype=np.int32), 20):
        np.testing.assert_array_equal(block[index, ids], np.ones(len(ids)))


def test_two_rows_that_a_large_gamma_parts_gain_one():
    """Gram and blocks tell the same: what is 1 by definition is not computed."""
    X = np.array([[-1.1, 0.0, 0.5, 0.3], [1.4, -0.2, -0.4, 1.3]])
    kernel = Kernel("rbf", {"gamma": 443.213296398892})
    for chosen in ("gram", "blocks"):
        rows = rows_of_kernel(chosen, kernel, X, 1)
        ((block, index, _),) = rows.blocks(np.arange(2, dtype=np.int32), 4)
        np.testing.assert_array_equal(block[index], np.eye(2))
