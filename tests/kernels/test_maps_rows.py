"""Feature maps in blocks, threads and types, on hard rows, and where none is good enough."""

import pickle

import numpy as np
import pytest
from helpers.map_problems import (
    RBF,
    fitted,
    named,
    rows_for,
    same_gains,
)
from sklearn.metrics.pairwise import rbf_kernel

from agathis._kernels import feature_map as _features
from agathis._kernels import kernel_approximation as _maps
from agathis._kernels.feature_map import mapped
from agathis._kernels.kernel import Kernel


@pytest.fixture(scope="module")
def grid():
    """Rows of few distinct values, each of them some times."""
    return np.random.default_rng(0).integers(0, 3, (200, 2)).astype(float)


def in_float32(a, b):
    apart = a.astype(np.float32) - b.astype(np.float32)
    return float(np.exp(np.float32(-0.05) * (apart @ apart)))


@pytest.mark.parametrize("name", ["rbf", "laplacian", "poly", "additive_chi2"])
class TestEveryMap:
    @pytest.fixture
    def X(self, name):
        return rows_for(name, 3000)

    @pytest.fixture
    def phi(self, X, name):
        return fitted(named(name), X, 70)

    def test_contract(self, phi, X):
        features = phi(X)
        assert features.shape == (3000, phi.n_components)
        assert phi.n_components <= 70
        assert features.dtype == np.float64
        assert features.flags.c_contiguous

    def test_blocks_do_not_matter(self, phi, X):
        whole = phi(X)
        parts = np.vstack([phi(X[:1]), phi(X[1:700]), phi(X[700:])])
        np.testing.assert_allclose(parts, whole, atol=1e-9 * np.abs(whole).max())

    def test_threads_do_not_matter(self, phi, X, monkeypatch):
        monkeypatch.setattr(_features, "rows_at_once", lambda *shape: 500)
        one = mapped(phi, X)
        np.testing.assert_array_equal(mapped(phi, X, threads=2), one)
        np.testing.assert_allclose(one, phi(X), atol=1e-9 * np.abs(one).max())
        out = np.full_like(one, np.nan)
        assert mapped(phi, X, threads=2, out=out) is out
        np.testing.assert_array_equal(out, one)

    def test_float32(self, phi, X):
        single = phi(X.astype(np.float32))
        assert single.dtype == np.float32
        assert single.flags.c_contiguous
        double = phi(X)
        np.testing.assert_allclose(single, double, atol=1e-3 * np.abs(double).max())

    def test_fitted_on_float32(self, X, name):
        other = fitted(named(name), X.astype(np.float32), 70)
        assert other(X).dtype == np.float64

    def test_pickle(self, phi, X):
        again = pickle.loads(pickle.dumps(phi))
        np.testing.assert_array_equal(again(X), phi(X))

    def test_random_state(self, phi, X, name):
        again = fitted(named(name), X, 70)
        np.testing.assert_array_equal(again(X), phi(X))
        other = fitted(named(name), X, 70, state=1)
        assert not np.array_equal(other(X)[0], phi(X)[0])

    def test_rows_that_cannot_be_written(self, phi, X):
        before = phi(X)
        for array in vars(phi).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        X.flags.writeable = False
        np.testing.assert_array_equal(phi(X), before)


class TestHardRows:
    @pytest.mark.parametrize("name", ["rbf", "laplacian", "linear"])
    def test_far_from_the_origin(self, name):
        X = rows_for(name)
        near, far = fitted(named(name), X, 40), fitted(named(name), X + 1e6, 40)
        a, b = near(X), far(X + 1e6)
        np.testing.assert_allclose(b @ b.T, a @ a.T, atol=1e-6)
        np.testing.assert_allclose(b, a, atol=1e-6)

    def test_equal_rows(self, grid):
        phi = fitted(RBF, grid, 100)
        features = phi(grid)
        assert phi.n_components == len(phi.basis) == 9
        np.testing.assert_allclose(features @ features.T, rbf_kernel(grid, gamma=0.5), atol=1e-9)

    def test_all_rows_equal(self):
        X = np.ones((20, 2))
        for kernel in (RBF, Kernel("linear"), named("poly")):
            features = fitted(kernel, X, 8)(X)
            assert features.shape == (20, 1)
            np.testing.assert_array_equal(features, features[:1].repeat(20, axis=0))

    def test_rows_far_from_the_others(self):
        """Squared distances of near rows far out are rounding, which no pivot may blow up."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2))
        X[:40] += 1e7
        X[40:80] = X[:40] + 1e-3 * rng.normal(size=(40, 2))
        phi = fitted(Kernel("rbf", {"gamma": 1.0}), X, 300)
        assert np.square(phi(X)).sum(axis=1).max() < 1.2

    def test_rows_so_far_that_distances_are_all_rounding(self):
        X = np.random.default_rng(0).normal(size=(300, 2)) * 1e10
        phi = fitted(Kernel("rbf", {"gamma": 1.0}), X, 40)
        assert phi.n_components == 40
        features = phi(X)
        assert np.abs(features).max() <= 1
        assert phi.residuals(X, features).mean() > 0.8
        assert fitted(Kernel("rbf", {"gamma": 1.0}), X, 300).n_components == 300

    def test_rows_of_very_different_lengths(self):
        X = rows_for("poly", 300) * np.logspace(0, 3, 300)[:, None]
        phi = fitted(named("poly"), X, 60)
        features = phi(X)
        own = phi.kernel.diagonal(X)
        assert phi.residuals(X, features).max() <= 1e-6 * own.max()
        assert np.median(phi.residuals(X, features) / own) <= 1e-6
        assert (np.square(features).sum(axis=1) / own).max() < 1.01

    def test_function_in_float32(self):
        """Its rounding is not taken for a kernel that is not positive, nor blown up."""
        X = rows_for("rbf", 100)
        features = fitted(Kernel(in_float32), X, 100)(X)
        assert np.abs(features @ features.T - rbf_kernel(X, gamma=0.05)).max() < 1e-3

    @pytest.mark.parametrize("scale", [1e-9, 1e9])
    def test_scale_of_the_kernel(self, scale):
        X = rows_for("linear") * scale
        phi = fitted(Kernel("linear"), X, 20)
        assert phi.n_components == 3
        same_gains(phi(X) / scale, X @ X.T / scale**2)

    def test_float32_is_left_where_it_is_not_safe(self):
        X = rows_for("rbf", 500, 2)
        phi = fitted(Kernel("rbf", {"gamma": 0.05}), X, 200)
        assert not phi.single
        assert fitted(RBF, X, 20).single
        np.testing.assert_allclose(phi(X.astype(np.float32)), phi(X), atol=1e-3)
        assert not fitted(Kernel("rbf", {"gamma": 1e-60}), X * 1e30, 20).single

    def test_large_samples_are_drawn_from(self, monkeypatch):
        monkeypatch.setattr(_maps, "ROWS_TO_FIT", 50)
        X = rows_for("rbf", 1000)
        phi = fitted(RBF, X, 80)
        assert phi.n_components == 50
        monkeypatch.setattr(_maps, "ROWS_TO_FIT", 1000)
        monkeypatch.setattr(_maps, "FACTOR_BYTES", 8 * 80 * 100)
        assert fitted(RBF, X, 80).n_components == 80


class TestErrors:
    def indefinite(a, b):
        return float(a[0] * b[0] - a[1] * b[1])

    NOT_POSITIVE = (
        Kernel("sigmoid", {"gamma": 1.0, "coef0": -1.0}),
        Kernel("sigmoid", {"gamma": 1.0, "coef0": 1.0}),
        Kernel("poly", {"degree": 3, "coef0": -5.0}),
        Kernel(indefinite),
    )

    @pytest.mark.parametrize("kernel", NOT_POSITIVE)
    def test_kernel_that_is_not_positive(self, kernel):
        X = rows_for("linear", 60)
        match = r"kernel=.* is not positive .*n_components=None and engine='auto', which accept any"
        with pytest.raises(ValueError, match=match):
            fitted(kernel, X, 40)

    def test_overflow(self):
        kernel = Kernel("poly", {"degree": 3, "coef0": 1.0})
        with pytest.raises(ValueError, match=r"kernel='poly' gives NaN or infinity"):
            fitted(kernel, rows_for("poly") * 1e120, 20)
