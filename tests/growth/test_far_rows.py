"""Numbers at the ends of what floats hold: errors or trees, never a loop without end."""

import numpy as np
import pytest

from agathis import Kauri

LARGEST = -np.finfo(np.float64).max


def test_a_mark_for_no_data_beside_a_gap_is_an_error():
    X = np.random.default_rng(0).normal(size=(50, 2))
    X[3, 0], X[4, 1] = LARGEST, np.nan
    with pytest.raises(ValueError, match="too large"):
        Kauri(2, engine="binned", max_leaf_nodes=None).fit(X)


def test_weights_that_are_too_large():
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(ValueError, match="sample_weight is too large"):
        Kauri(2, engine="binned", max_leaf_nodes=None).fit(X, sample_weight=np.full(50, 1e308))
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="too large"):
        Kauri(2, engine="binned", max_leaf_nodes=None).fit(
            1e160 * X, sample_weight=np.full(50, 1e200)
        )


@pytest.mark.parametrize("far", [1e6, 1e8, 1e30, 1e100])
def test_a_column_that_is_constant_in_the_sample(far):
    X = np.random.default_rng(0).normal(size=(400, 2))
    X[:, 1] = 0.0
    # A row that the sample of bins leaves out, whichever it draws.
    for row in (7, 391):
        Z = X.copy()
        Z[row, 1] = far
        model = Kauri(2, engine="binned", subsample=50, max_leaf_nodes=4, random_state=0).fit(Z)
        cost = sum(
            ((part - part.mean(axis=0)) ** 2).sum()
            for part in (Z[model.labels_ == k] for k in range(model.n_clusters_))
        )
        assert model.inertia_ == pytest.approx(cost, rel=1e-6)


@pytest.mark.parametrize("power", [-160, -140, 128])
def test_wide_rows_in_any_unit(power):
    X = np.random.default_rng(0).normal(size=(150, 120))
    X[:75] += 0.5
    given = {"max_leaf_nodes": 6, "engine": "blocks"}
    expected = Kauri(3, **given).fit(X)
    model = Kauri(3, **given).fit(np.ldexp(X, power))
    np.testing.assert_array_equal(model.tree_.feature, expected.tree_.feature)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
