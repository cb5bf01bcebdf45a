"""Feature maps against textbook twins, against the kernels they stand for, and on hard rows."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.kernel_approximation import AdditiveChi2Sampler, Nystroem, RBFSampler
from sklearn.metrics.pairwise import additive_chi2_kernel, pairwise_kernels, rbf_kernel
from strategies import table

from agathis import _features, _maps
from agathis._kernels import Kernel
from agathis._maps import RESIDUAL_LIMIT, components_needed, fit_map, mapped, residual_warning
from agathis._positive import PivotedCholesky, PositiveKernel

KERNELS = {
    "linear": {},
    "cosine": {},
    "rbf": {"gamma": 0.5},
    "laplacian": {"gamma": 0.3},
    "poly": {"gamma": 0.5, "degree": 2, "coef0": 1.0},
    "chi2": {"gamma": 0.5},
    "additive_chi2": {},
}
PROJECTIONS = ("cholesky", "nystroem")
RBF = Kernel("rbf", {"gamma": 0.5})


X20 = np.random.default_rng(0).normal(size=(20, 3))


def seed(number=0):
    return np.random.RandomState(number)


def fitted(kernel, X, n_components=256, method="cholesky", landmarks="k-means++", tol=0.0, state=0):
    return fit_map(
        kernel,
        X,
        n_components,
        method=method,
        landmarks=landmarks,
        tol=tol,
        random_state=seed(state),
    )


def named(name):
    return Kernel(name, KERNELS[name])


def rows_for(name, n=80, d=3, state=0):
    X = np.random.default_rng(state).normal(size=(n, d))
    return np.abs(X) if "chi2" in name else X


def centred(gram):
    half = gram - gram.mean(axis=0)
    return half - half.mean(axis=1)[:, None]


def same_gains(features, gram, tolerance=1e-8):
    """Kernels that are equal once centred give equal gains."""
    apart = centred(features @ features.T) - centred(gram)
    assert np.abs(apart).max() <= tolerance * max(1.0, np.abs(gram).max())


@pytest.fixture(scope="module")
def grid():
    """Rows of few distinct values, each of them some times."""
    return np.random.default_rng(0).integers(0, 3, (200, 2)).astype(float)


class TestTwins:
    def textbook(self, gram, pivots):
        """Cholesky with given pivots, one column after the other."""
        factor = np.zeros((len(gram), len(pivots)))
        for j, p in enumerate(pivots):
            left = gram[:, p] - factor @ factor[p]
            factor[:, j] = left / np.sqrt(left[p])
        return factor

    @pytest.mark.parametrize("name", ["linear", "rbf", "laplacian", "poly", "chi2"])
    def test_cholesky(self, name):
        X, kernel = rows_for(name), named(name)
        gram = pairwise_kernels(X, metric=name, **KERNELS[name])
        factor = PivotedCholesky(PositiveKernel(kernel), X, 30, seed())
        while factor.extend():
            pass
        assert len(set(factor.pivots)) == len(factor.pivots)
        twin = self.textbook(gram, factor.pivots)
        np.testing.assert_allclose(factor.columns, twin, atol=1e-8 * np.sqrt(gram.max()))
        left = np.diagonal(gram) - np.square(twin).sum(axis=1)
        np.testing.assert_allclose(factor.residual, left, atol=1e-8 * gram.max())
        np.testing.assert_allclose(
            factor.triangle @ factor.triangle.T,
            gram[np.ix_(factor.pivots, factor.pivots)],
            atol=1e-10 * gram.max(),
        )

    def test_map_is_the_factor(self):
        X = rows_for("rbf")
        phi = fitted(RBF, X, 30)
        pivots = [int(np.abs(X - X.mean(axis=0) - row).sum(axis=1).argmin()) for row in phi.basis]
        assert phi.n_components == 30
        np.testing.assert_allclose(
            phi(X), self.textbook(rbf_kernel(X, gamma=0.5), pivots), atol=1e-9
        )

    @pytest.mark.parametrize("landmarks", ["k-means++", "random"])
    @pytest.mark.parametrize("name", ["rbf", "laplacian", "poly", "cosine"])
    def test_nystroem(self, name, landmarks):
        X, params = rows_for(name), KERNELS[name]
        phi = fitted(named(name), X, 20, "nystroem", landmarks)
        basis = phi.basis + phi.origin
        cross = pairwise_kernels(X, basis, metric=name, **params)
        inner = pairwise_kernels(basis, metric=name, **params)
        expected = cross @ np.linalg.pinv(inner, rcond=1e-12, hermitian=True) @ cross.T
        features = phi(X)
        np.testing.assert_allclose(features @ features.T, expected, atol=1e-8 * expected.max())
        twin = Nystroem(kernel=name, n_components=len(basis), **params).fit(basis).transform(X)
        np.testing.assert_allclose(twin @ twin.T, expected, atol=1e-6 * expected.max())

    def test_rbf_sampler(self):
        X = rows_for("rbf")
        phi = fitted(RBF, X, 50, "sampler")
        twin = RBFSampler(gamma=0.5, n_components=50, random_state=seed()).fit(X)
        np.testing.assert_allclose(phi(X), twin.transform(X - X.mean(axis=0)), atol=1e-12)

    @pytest.mark.parametrize("gamma", [None, 0.0, 0.7])
    def test_rbf_values(self, gamma):
        X, Y = rows_for("rbf"), rows_for("rbf", 30, state=1)
        values = PositiveKernel(Kernel("rbf", {"gamma": gamma})).between(X, Y)
        np.testing.assert_allclose(values, rbf_kernel(X, Y, gamma=gamma), atol=1e-14)

    @pytest.mark.parametrize("name", [*KERNELS, "sigmoid"])
    def test_diagonal(self, name):
        X, kernel = rows_for(name), Kernel(name, KERNELS.get(name, {}))
        positive = PositiveKernel(kernel)
        full = positive.between(X, X)
        np.testing.assert_allclose(positive.diagonal(X), np.diagonal(full), atol=1e-12)


class TestAgainstTheKernel:
    @settings(max_examples=60)
    @given(
        name=st.sampled_from(list(KERNELS)),
        method=st.sampled_from(PROJECTIONS),
        n=st.integers(1, 25),
        d=st.integers(1, 4),
        values=st.sampled_from(["normal", "integer"]),
        number=st.integers(0, 2**32 - 1),
    )
    def test_enough_components_are_the_kernel(self, name, method, n, d, values, number):
        X = table(np.random.default_rng(number), n, d, values)
        X = np.abs(X) if "chi2" in name else X
        phi = fitted(named(name), X, n, method)
        features = phi(X)
        gram = pairwise_kernels(X, metric=name, **KERNELS[name])
        same_gains(features, gram)
        if name not in ("additive_chi2", "linear"):
            assert np.abs(features @ features.T - gram).max() <= 1e-8 * max(1.0, gram.max())
        assert phi.residuals(X, features).max() <= 1e-8 * max(1.0, np.abs(gram).max())

    @pytest.mark.parametrize("method", PROJECTIONS)
    @pytest.mark.parametrize("name", ["rbf", "laplacian", "poly", "chi2", "additive_chi2"])
    def test_residuals_fall_with_more_components(self, name, method):
        X, kernel = rows_for(name, 300), named(name)
        before = np.inf
        for n_components in (2, 8, 32, 128):
            phi = fitted(kernel, X, n_components, method)
            features = phi(X)
            left = phi.residuals(X, features)
            own = PositiveKernel(kernel).diagonal(X - phi.origin)
            assert phi.tells_residual
            assert left.min() >= 0
            np.testing.assert_allclose(left + np.square(features).sum(axis=1), own, rtol=1e-9)
            assert left.sum() < before or left.sum() < 1e-9 * own.sum()
            before = left.sum()

    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_rows_that_were_not_in_the_sample(self, method):
        X = rows_for("rbf", 600, 2)
        features = fitted(RBF, X[:300], 60, method)(X[300:])
        gram = rbf_kernel(X[300:], gamma=0.5)
        assert np.linalg.norm(features @ features.T - gram) < 0.01 * np.linalg.norm(gram)

    @pytest.mark.parametrize("tol", [0.3, 0.1, 0.01, 0.001])
    def test_tol_stops_early(self, tol):
        X = rows_for("rbf", 400, 2)
        phi = fitted(RBF, X, 300, tol=tol)
        features, gram = phi(X), rbf_kernel(X, gamma=0.5)
        assert phi.n_components < 100
        left = np.trace(centred(gram - features @ features.T)) / np.trace(centred(gram))
        assert left <= tol
        assert fitted(RBF, X, 300, tol=tol / 100).n_components > phi.n_components

    def test_share_is_no_less_than_what_is_left_of_the_centred_kernel(self):
        X = rows_for("rbf", 100)
        gram = rbf_kernel(X, gamma=0.5)
        factor = PivotedCholesky(PositiveKernel(RBF), X, 90, seed())
        assert factor.share == 1.0
        while factor.extend():
            left = np.trace(centred(gram - factor.columns @ factor.columns.T))
            left /= np.trace(centred(gram))
            assert left - 1e-9 <= factor.share <= 1
            if len(factor.pivots) > 20:  # the mean is spanned
                assert factor.share <= 1.05 * left

    def test_share_elsewhere_leaves_out_the_pivots(self):
        """Of rows that are alike to themselves only, pivots say nothing."""
        factor = PivotedCholesky(PositiveKernel(Kernel("rbf", {"gamma": 1e9})), X20, 10, seed())
        while factor.extend():
            pass
        assert factor.share == pytest.approx(10 / 19.5)
        assert factor.share_elsewhere == pytest.approx(20 / 19.5)

    def test_rows_drawn_together_are_as_if_drawn_in_turn(self):
        """The second of two near rows stays with the chance of what the first leaves of it."""
        factor = PivotedCholesky(PositiveKernel(RBF), np.array([[0.0], [0.8]]), 2, seed())
        gram = rbf_kernel(factor.rows, gamma=0.5)
        counts = [len(factor._accepted(gram, np.arange(2))) for _ in range(1000)]
        assert min(counts) == 1
        assert np.mean(counts) - 1 == pytest.approx(1 - gram[0, 1] ** 2, abs=0.05)

    def test_rank_ends_it(self):
        for d, rank in ((3, 10), (12, 91)):
            X = rows_for("poly", 1000, d)
            for method in PROJECTIONS:
                assert fitted(named("poly"), X, 200, method).n_components == rank

    def test_fourier_features(self):
        X = rows_for("rbf")
        for params, gamma in (({}, 1 / 3), ({"gamma": 0.5}, 0.5)):
            phi = fitted(Kernel("rbf", params), X, 20_000, "sampler")
            features = phi(X)
            assert phi.n_components == 20_000
            assert not phi.tells_residual
            assert np.abs(features @ features.T - rbf_kernel(X, gamma=gamma)).max() < 0.05

    def test_callable(self):
        X = rows_for("linear", 30)
        phi = fitted(Kernel(squared, {"shift": 1.0}), X, 30)
        features = phi(X)
        assert phi.n_components == 10
        np.testing.assert_allclose(features @ features.T, (X @ X.T + 1) ** 2, atol=1e-9)
        np.testing.assert_array_equal(mapped(phi, X, threads=2), features)
        np.testing.assert_allclose(phi.residuals(X, features), 0, atol=1e-9)


def squared(a, b, shift):
    return float((a @ b + shift) ** 2)


def in_float32(a, b):
    apart = a.astype(np.float32) - b.astype(np.float32)
    return float(np.exp(np.float32(-0.05) * (apart @ apart)))


class TestAdditiveChi2:
    def test_positive_form(self):
        """scikit-learn's kernel is ``sum 4 x y / (x + y)`` but for terms of one row each."""
        X = rows_for("additive_chi2", 30)
        pairs = X[:, None], X[None]
        form = (4 * pairs[0] * pairs[1] / (pairs[0] + pairs[1])).sum(axis=2)
        gram = additive_chi2_kernel(X)
        sums = X.sum(axis=1)
        np.testing.assert_allclose(gram, form - sums[:, None] - sums, atol=1e-12)
        np.testing.assert_allclose(centred(gram), centred(form), atol=1e-12)
        positive = PositiveKernel(Kernel("additive_chi2")).between(X, X)
        np.testing.assert_allclose(positive, form, atol=1e-12)
        assert np.linalg.eigvalsh(positive)[0] > -1e-12

    @pytest.mark.parametrize(
        ("n_components", "expected"), [(3, 3), (8, 3), (9, 9), (14, 9), (15, 15), (256, 15)]
    )
    def test_components_of_the_sampler(self, n_components, expected):
        X = rows_for("additive_chi2")
        phi = fitted(Kernel("additive_chi2"), X, n_components, "sampler")
        assert phi.n_components == expected
        assert phi(X).shape == (80, expected)
        assert not phi.tells_residual

    @pytest.mark.parametrize(("n_components", "error"), [(3, 0.4), (9, 0.1), (15, 0.03)])
    def test_sampler_has_the_gains_of_the_kernel(self, n_components, error):
        X = rows_for("additive_chi2")
        X[::7, 1] = 0
        gram = centred(additive_chi2_kernel(X))
        features = fitted(Kernel("additive_chi2"), X, n_components, "sampler")(X)
        apart = np.linalg.norm(centred(features @ features.T) - gram)
        assert apart < error * np.linalg.norm(gram)
        # Better than with scikit-learn's intervals.
        steps = {3: 1, 9: 2, 15: 3}[n_components]
        theirs = 2**0.5 * AdditiveChi2Sampler(sample_steps=steps).fit_transform(X)
        assert 1.3 * apart < np.linalg.norm(centred(theirs @ theirs.T) - gram)


MAPS = [
    ("rbf", "cholesky", ""),
    ("rbf", "nystroem", "k-means++"),
    ("rbf", "nystroem", "random"),
    ("rbf", "sampler", ""),
    ("laplacian", "cholesky", ""),
    ("poly", "nystroem", "k-means++"),
    ("additive_chi2", "cholesky", ""),
    ("additive_chi2", "sampler", ""),
]


@pytest.mark.parametrize(("name", "method", "landmarks"), MAPS)
class TestEveryMap:
    @pytest.fixture
    def X(self, name):
        return rows_for(name, 3000)

    @pytest.fixture
    def phi(self, X, name, method, landmarks):
        return fitted(named(name), X, 70, method, landmarks)

    def test_contract(self, phi, X, method):
        features = phi(X)
        assert phi.name == method
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

    def test_fitted_on_float32(self, phi, X, name, method, landmarks):
        other = fitted(named(name), X.astype(np.float32), 70, method, landmarks)
        assert other(X).dtype == np.float64

    def test_pickle(self, phi, X):
        again = pickle.loads(pickle.dumps(phi))
        np.testing.assert_array_equal(again(X), phi(X))

    def test_random_state(self, phi, X, name, method, landmarks):
        again = fitted(named(name), X, 70, method, landmarks)
        np.testing.assert_array_equal(again(X), phi(X))
        if (name, method) != ("additive_chi2", "sampler"):
            other = fitted(named(name), X, 70, method, landmarks, state=1)
            assert not np.array_equal(other(X)[0], phi(X)[0])

    def test_rows_that_cannot_be_written(self, phi, X):
        before = phi(X)
        for array in vars(phi).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        X.flags.writeable = False
        np.testing.assert_array_equal(phi(X), before)


class TestHardRows:
    @pytest.mark.parametrize(
        ("name", "method"),
        [(n, m) for n in ("rbf", "laplacian", "linear") for m in PROJECTIONS]
        + [("rbf", "sampler")],
    )
    def test_far_from_the_origin(self, name, method):
        X = rows_for(name)
        near, far = fitted(named(name), X, 40, method), fitted(named(name), X + 1e6, 40, method)
        a, b = near(X), far(X + 1e6)
        np.testing.assert_allclose(b @ b.T, a @ a.T, atol=1e-6)
        if method != "nystroem":  # whose features may be turned
            np.testing.assert_allclose(b, a, atol=1e-6)

    @pytest.mark.parametrize("landmarks", ["k-means++", "random"])
    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_equal_rows(self, grid, method, landmarks):
        phi = fitted(RBF, grid, 100, method, landmarks)
        features = phi(grid)
        assert phi.n_components == len(phi.basis) == 9
        np.testing.assert_allclose(features @ features.T, rbf_kernel(grid, gamma=0.5), atol=1e-9)

    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_all_rows_equal(self, method):
        X = np.ones((20, 2))
        for kernel in (RBF, Kernel("linear"), named("poly")):
            features = fitted(kernel, X, 8, method)(X)
            assert features.shape == (20, 1)
            np.testing.assert_array_equal(features, features[:1].repeat(20, axis=0))

    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_rows_far_from_the_others(self, method):
        """Squared distances of near rows far out are rounding, which no pivot may blow up."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2))
        X[:40] += 1e7
        X[40:80] = X[:40] + 1e-3 * rng.normal(size=(40, 2))
        phi = fitted(Kernel("rbf", {"gamma": 1.0}), X, 300, method)
        assert np.square(phi(X)).sum(axis=1).max() < 1.2

    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_rows_so_far_that_distances_are_all_rounding(self, method):
        X = np.random.default_rng(0).normal(size=(300, 2)) * 1e10
        phi = fitted(Kernel("rbf", {"gamma": 1.0}), X, 40, method)
        assert phi.n_components == 40
        features = phi(X)
        assert np.abs(features).max() <= 1
        assert phi.residuals(X, features).mean() > 0.8
        assert fitted(Kernel("rbf", {"gamma": 1.0}), X, 300, method).n_components == 300
        assert components_needed(phi.kernel.kernel, X, RESIDUAL_LIMIT, seed()) == (150, False)

    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_rows_of_very_different_lengths(self, method):
        X = rows_for("poly", 300) * np.logspace(0, 3, 300)[:, None]
        phi = fitted(named("poly"), X, 60, method)
        features = phi(X)
        own = phi.kernel.diagonal(X)
        assert phi.residuals(X, features).max() <= 1e-6 * own.max()
        assert np.median(phi.residuals(X, features) / own) <= 1e-6
        assert (np.square(features).sum(axis=1) / own).max() < 1.01

    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_function_in_float32(self, method):
        """Its rounding is not taken for a kernel that is not positive, nor blown up."""
        X = rows_for("rbf", 100)
        features = fitted(Kernel(in_float32), X, 100, method)(X)
        assert np.abs(features @ features.T - rbf_kernel(X, gamma=0.05)).max() < 1e-3

    @pytest.mark.parametrize("scale", [1e-9, 1e9])
    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_scale_of_the_kernel(self, method, scale):
        X = rows_for("linear") * scale
        phi = fitted(Kernel("linear"), X, 20, method)
        assert phi.n_components == 3
        same_gains(phi(X) / scale, X @ X.T / scale**2)

    def test_float32_is_left_where_it_is_not_safe(self):
        X = rows_for("rbf", 500, 2)
        phi = fitted(Kernel("rbf", {"gamma": 0.05}), X, 200)
        assert not phi.single
        assert fitted(RBF, X, 20).single
        np.testing.assert_allclose(phi(X.astype(np.float32)), phi(X), atol=1e-3)
        assert not fitted(Kernel("rbf", {"gamma": 1e-60}), X * 1e30, 20).single

    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_large_samples_are_drawn_from(self, method, monkeypatch):
        monkeypatch.setattr(_maps, "ROWS_TO_FIT", 50)
        X = rows_for("rbf", 1000)
        phi = fitted(RBF, X, 80, method)
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

    @pytest.mark.parametrize("method", PROJECTIONS)
    @pytest.mark.parametrize("kernel", NOT_POSITIVE)
    def test_kernel_that_is_not_positive(self, kernel, method):
        X = rows_for("linear", 60)
        match = r"kernel=.* is not positive .*n_components=None and stocks='auto' any"
        with pytest.raises(ValueError, match=match):
            fitted(kernel, X, 40, method)

    @pytest.mark.parametrize("method", PROJECTIONS)
    def test_overflow(self, method):
        kernel = Kernel("poly", {"degree": 3, "coef0": 1.0})
        with pytest.raises(ValueError, match=r"kernel='poly' gives NaN or infinity"):
            fitted(kernel, rows_for("poly") * 1e120, 20, method)

    @pytest.mark.parametrize("name", ["linear", "poly", "chi2", "laplacian"])
    def test_sampler_of_another_kernel(self, name):
        match = f"feature_map='sampler' goes with kernel='rbf' .* not with kernel='{name}'"
        with pytest.raises(ValueError, match=match):
            fitted(named(name), rows_for(name), 20, "sampler")

    def test_too_few_components_for_the_sampler(self):
        with pytest.raises(ValueError, match=r"n_components=2 is too few .* feature of X: 3"):
            fitted(named("additive_chi2"), rows_for("chi2"), 2, "sampler")

    def test_method(self):
        with pytest.raises(ValueError, match=r"feature_map='pca' is none of 'cholesky', 'nys"):
            fitted(RBF, rows_for("rbf"), 20, "pca")

    def test_landmarks(self):
        with pytest.raises(ValueError, match=r"landmarks='grid' is none of 'k-means\+\+', 'ran"):
            fitted(RBF, rows_for("rbf"), 20, "nystroem", "grid")


class TestComponentsNeeded:
    def test_low_rank(self):
        needed, reached = components_needed(named("poly"), rows_for("poly", 300), 1e-6, seed())
        assert (needed, reached) == (10, True)

    def test_they_are_enough_for_other_rows(self):
        X = rows_for("rbf", 3000, 2)
        needed, reached = components_needed(RBF, X[:1500], RESIDUAL_LIMIT, seed())
        assert reached
        phi = fitted(RBF, X[:1500], needed)
        features, gram = phi(X[1500:]), rbf_kernel(X[1500:], gamma=0.5)
        left = phi.residuals(X[1500:], features).sum() / np.trace(centred(gram))
        assert RESIDUAL_LIMIT / 3 < left < 1.3 * RESIDUAL_LIMIT

    def test_no_number_is_enough(self):
        """Each row is alike to itself only: a basis says nothing of other rows."""
        X = rows_for("rbf", 400)
        kernel = Kernel("rbf", {"gamma": 1e4})
        assert components_needed(kernel, X, RESIDUAL_LIMIT, seed()) == (200, False)

    def test_not_positive_is_not_enough(self):
        kernel = Kernel("sigmoid", {"gamma": 1.0, "coef0": 1.0})
        needed, reached = components_needed(kernel, rows_for("linear"), 0.0, seed())
        assert needed >= 1
        assert not reached

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_few_rows(self, n):
        needed, _ = components_needed(RBF, rows_for("rbf", n), RESIDUAL_LIMIT, seed())
        assert needed == 1

    def test_zero_kernel(self):
        assert components_needed(Kernel("linear"), np.ones((9, 2)), 0.1, seed()) == (1, True)


class TestWarning:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (
                (0.34, 256, 700, True, RBF),
                "256 components leave out 34% of kernel='rbf'. About 700 would leave out no more "
                "than 10%.",
            ),
            (
                (0.34, 256, 200, True, RBF),
                "256 components leave out 34% of kernel='rbf'. About 200 of "
                "feature_map='cholesky' would leave out no more than 10%.",
            ),
            (
                (0.5, 256, 1000, False, RBF),
                "256 components leave out 50% of kernel='rbf'. Even 1000 would leave out more "
                "than 10%: take a smaller gamma or n_components=None.",
            ),
            (
                (0.5, 2000, 1000, False, Kernel("additive_chi2")),
                "2000 components leave out 50% of kernel='additive_chi2'. More of them leave out "
                "more than 10%: take n_components=None.",
            ),
        ],
    )
    def test_text(self, arguments, expected):
        assert residual_warning(*arguments) == expected
