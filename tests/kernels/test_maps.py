"""Feature maps against textbook twins and against the kernels they stand for."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.map_problems import (
    KERNELS,
    RBF,
    centred,
    fitted,
    named,
    rows_for,
    same_gains,
    seed,
)
from helpers.strategies import table
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import additive_chi2_kernel, pairwise_kernels, rbf_kernel

from agathis._kernels.feature_map import mapped
from agathis._kernels.kernel import Kernel
from agathis._kernels.positive import PivotedCholesky, PositiveKernel

X20 = np.random.default_rng(0).normal(size=(20, 3))


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
    @examples(60)
    @given(
        name=st.sampled_from(list(KERNELS)),
        n=st.integers(1, 25),
        d=st.integers(1, 4),
        values=st.sampled_from(["normal", "integer"]),
        number=st.integers(0, 2**32 - 1),
    )
    def test_enough_components_are_the_kernel(self, name, n, d, values, number):
        X = table(np.random.default_rng(number), n, d, values)
        X = np.abs(X) if "chi2" in name else X
        phi = fitted(named(name), X, n)
        features = phi(X)
        gram = pairwise_kernels(X, metric=name, **KERNELS[name])
        same_gains(features, gram)
        if name not in ("additive_chi2", "linear"):
            assert np.abs(features @ features.T - gram).max() <= 1e-8 * max(1.0, gram.max())
        assert phi.residuals(X, features).max() <= 1e-8 * max(1.0, np.abs(gram).max())

    @pytest.mark.parametrize("name", ["rbf", "laplacian", "poly", "chi2", "additive_chi2"])
    def test_residuals_fall_with_more_components(self, name):
        X, kernel = rows_for(name, 300), named(name)
        before = np.inf
        for n_components in (2, 8, 32, 128):
            phi = fitted(kernel, X, n_components)
            features = phi(X)
            left = phi.residuals(X, features)
            own = PositiveKernel(kernel).diagonal(X - phi.origin)
            assert left.min() >= 0
            np.testing.assert_allclose(left + np.square(features).sum(axis=1), own, rtol=1e-9)
            assert left.sum() < before or left.sum() < 1e-9 * own.sum()
            before = left.sum()

    def test_rows_that_were_not_in_the_sample(self):
        X = rows_for("rbf", 600, 2)
        features = fitted(RBF, X[:300], 60)(X[300:])
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
            assert fitted(named("poly"), X, 200).n_components == rank

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
