"""The search of kernel KMeans that keeps all clusters: points of a kernel matrix, moves of single
rows, the best of few partitions.
"""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from helpers.examples import mostly_slow
from helpers.kernel_kmeans_problems import POSITIVE, pair_cost, problem
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import MinMaxScaler

from agathis import KernelKMeans
from agathis._kernels.kernel import Kernel, at_most
from agathis._kmeans import factor as factors
from agathis._kmeans import problem as tasks
from agathis._kmeans.factor import centre, few_components, is_factor, triangle
from agathis._kmeans.searches import Points, lloyd, single_moves, without_missing


def partitions(n, k):
    """Labels of all partitions of n rows into k clusters."""
    for rest in product(range(k), repeat=n - 1):
        labels = np.array((0, *rest))
        _, first = np.unique(labels, return_index=True)
        if len(first) == k and (np.diff(first) > 0).all():
            yield labels


def eigenvectors(centred):
    """Points of a centred positive matrix, by eigenvectors."""
    values, vectors = np.linalg.eigh(centred)
    return vectors * np.sqrt(np.maximum(values, 0))


class TestFactor:
    @given(seed=SEEDS, kernel=st.sampled_from(["linear", "rbf"]), weighted=st.booleans())
    def test_inner_products_are_the_centred_kernel(self, seed, kernel, weighted):
        rng, _, gram = problem(seed, kernel)
        weight = rng.uniform(0.1, 3, len(gram)) if weighted else np.ones(len(gram))
        centred = centre(gram, weight)
        np.testing.assert_allclose(centred @ weight, 0, atol=1e-9)
        largest = np.abs(gram).max()
        points = triangle(centred, 8e-16 * len(gram) * largest)
        assert is_factor(points, centred, 1e-16 * largest)
        np.testing.assert_allclose(points @ points.T, centred, atol=1e-8)
        assert points.shape[1] < len(gram)

    @given(seed=SEEDS, kernel=st.sampled_from(["linear", "rbf"]), weighted=st.booleans())
    def test_a_triangle_has_the_inner_products_of_the_eigenvectors(self, seed, kernel, weighted):
        rng, _, gram = problem(seed, kernel)
        weight = rng.uniform(0.1, 3, len(gram)) if weighted else np.ones(len(gram))
        centred, largest = centre(gram, weight), np.abs(gram).max()
        slow = eigenvectors(centred)
        fast = triangle(centred, 8e-16 * len(gram) * largest)
        np.testing.assert_allclose(fast @ fast.T, slow @ slow.T, rtol=0, atol=1e-12 * largest)

    @given(seed=SEEDS, k=st.integers(2, 4), weighted=st.booleans())
    def test_kmeans_finds_the_same_clusters_with_a_triangle(self, seed, k, weighted):
        rng, _, gram = problem(seed, "rbf", least=6)
        weight = rng.uniform(0.1, 3, len(gram)) if weighted else np.ones(len(gram))
        centred, start = centre(gram, weight), rng.integers(0, k, len(gram))
        slow, fast = eigenvectors(centred), triangle(centred, 8e-16 * len(gram))
        expected, objective, _ = lloyd(Points(slow, weight), start, 300)
        labels, found, _ = lloyd(Points(fast, weight), start, 300)
        np.testing.assert_array_equal(labels, expected)
        assert found == pytest.approx(objective, rel=1e-12)

    def test_a_triangle_is_the_same_with_any_number_of_threads(self):
        X = np.random.default_rng(0).normal(size=(600, 3))
        centred = centre(Kernel("rbf").matrix(X), np.ones(600))
        found = []
        for threads in (1, 2):
            with at_most(threads):
                found.append(triangle(centred, 1e-10))
        np.testing.assert_array_equal(*found)

    @pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2", "additive_chi2"])
    def test_few_components_are_nearly_the_kernel(self, kernel, iris):
        rows = np.unique(iris, axis=0)
        centred = centre(Kernel(kernel).matrix(rows), np.ones(len(rows)))
        points = few_components(Kernel(kernel), centred)
        assert abs(np.trace(centred - points @ points.T)) <= 1e-4 * np.trace(centred)
        np.testing.assert_array_equal(few_components(Kernel(kernel), centred), points)

    def test_a_kernel_that_is_nothing_has_points(self):
        nothing = np.zeros((3, 3))
        for points in (few_components(Kernel("rbf"), nothing), triangle(nothing, 0.0)):
            np.testing.assert_array_equal(points, np.zeros((3, 1)))

    @given(seed=SEEDS, square=st.integers(1, 9))
    def test_a_centred_matrix_is_symmetric(self, seed, square):
        rng, _, gram = problem(seed, "rbf")
        weight = rng.uniform(0.1, 3, len(gram))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(factors, "SQUARE", square)
            centred = centre(gram, weight)
        np.testing.assert_array_equal(centred, centred.T)
        about = np.eye(len(gram)) - weight / weight.sum()
        np.testing.assert_allclose(centred, about @ gram @ about.T, rtol=0, atol=1e-13)

    @given(seed=SEEDS)
    def test_centring_changes_no_cost(self, seed):
        rng, _, gram = problem(seed, "indefinite")
        weight = rng.uniform(0.1, 3, len(gram))
        labels = rng.integers(0, 3, len(gram))
        assert pair_cost(centre(gram, weight), labels, weight) == pytest.approx(
            pair_cost(gram, labels, weight), abs=1e-9
        )

    def test_says_that_a_kernel_is_not_positive(self):
        gram = np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 1.0], [1.0, 1.0, 5.0]])
        centred = centre(gram, np.ones(3))
        assert not is_factor(triangle(centred, 1e-14), centred, 1e-16)


class TestSingleMoves:
    @given(seed=SEEDS, kernel=st.sampled_from(["linear", "rbf", "indefinite", "ties"]))
    def test_end_where_no_row_can_be_moved_to_lower_the_cost(self, seed, kernel):
        rng, _, gram = problem(seed, kernel, most=14)
        weight = rng.choice([0.5, 1.0, 2.0], len(gram))
        start = without_missing(rng.integers(0, 4, len(gram)))
        labels, objective = single_moves(gram, weight, start, 1000)
        cost = pair_cost(gram, labels, weight)
        scale = weight @ np.abs(np.diag(gram)) + np.abs(gram).sum()
        assert weight @ np.diag(gram) - objective == pytest.approx(cost, abs=1e-10 * scale)
        assert cost <= pair_cost(gram, start, weight) + 1e-10 * scale
        np.testing.assert_array_equal(np.unique(labels), np.unique(start))
        for i in range(len(gram)):
            if np.sum(labels == labels[i]) == 1:
                continue
            for k in np.unique(labels):
                moved = labels.copy()
                moved[i] = k
                assert pair_cost(gram, moved, weight) >= cost - 1e-10 * scale


class TestAuto:
    @pytest.mark.parametrize("kernel", mostly_slow(["linear", "rbf", "indefinite"], "rbf"))
    def test_finds_the_best_partition_of_few_rows(self, kernel):
        # Fixed seeds: most are hits, and no seed is promised to be one.
        hits = 0
        for seed in range(10):
            _, X, gram = problem(seed, kernel, least=7, most=8)
            best = min(pair_cost(gram, labels) for labels in partitions(len(X), 3))
            model = KernelKMeans(3, kernel="precomputed", random_state=0).fit(X, gram=gram)
            assert model.n_clusters_ == 3
            assert model.inertia_ >= best - 1e-9
            hits += model.inertia_ <= best + 1e-9
        assert hits >= 8

    @pytest.mark.parametrize("kernel", POSITIVE)
    def test_is_no_worse_than_lloyd(self, iris, kernel):
        X = MinMaxScaler().fit_transform(iris)
        auto = KernelKMeans(4, kernel=kernel, random_state=0).fit(X).inertia_
        # Fixed seeds: both are searches, and the best of other runs might be better.
        plain = [
            KernelKMeans(4, kernel=kernel, algorithm="lloyd", random_state=seed).fit(X).inertia_
            for seed in range(10)
        ]
        assert auto <= min(plain) * (1 + 1e-9)

    def test_linear_is_that_of_scikit_learn(self, iris):
        model = KernelKMeans(3, random_state=0).fit(iris)
        expected = KMeans(3, n_init=10, random_state=0).fit(iris)
        assert model.inertia_ == pytest.approx(expected.inertia_)
        assert adjusted_rand_score(model.labels_, expected.labels_) == 1.0

    @pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "laplacian"])
    def test_precomputed_is_the_named_one(self, kernel):
        X, _ = make_blobs(90, 3, centers=4, center_box=(1, 9), random_state=1)
        named = KernelKMeans(4, kernel=kernel, random_state=0).fit(X)
        gram = pairwise_kernels(X, metric=kernel)
        given_ = KernelKMeans(4, kernel="precomputed", random_state=0).fit(X, gram=gram)
        assert adjusted_rand_score(named.labels_, given_.labels_) == 1.0
        assert given_.inertia_ == pytest.approx(named.inertia_)
        assert given_.objective_ == pytest.approx(named.objective_)
        np.testing.assert_array_equal(given_.predict(X, gram=gram), given_.labels_)

    @pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf"])
    def test_weights_are_repeats(self, iris, kernel):
        weight = np.random.default_rng(0).integers(0, 4, len(iris))
        ids = np.random.default_rng(1).permutation(np.repeat(np.arange(len(iris)), weight))
        once = KernelKMeans(4, kernel=kernel, random_state=0).fit(iris, sample_weight=weight)
        often = KernelKMeans(4, kernel=kernel, random_state=0).fit(iris[ids])
        np.testing.assert_array_equal(once.labels_[ids], often.labels_)
        assert once.inertia_ == pytest.approx(often.inertia_)
        np.testing.assert_array_equal(once.predict(iris), often.predict(iris))

    @pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2", "additive_chi2"])
    def test_few_components_end_where_the_kernel_has_no_better_move(
        self, monkeypatch, iris, kernel
    ):
        exact = KernelKMeans(4, kernel=kernel, random_state=0).fit(iris)
        monkeypatch.setattr(tasks, "FACTOR_ROWS", 100)
        monkeypatch.setattr(factors, "COMPONENTS", 5)
        model = KernelKMeans(4, kernel=kernel, random_state=0).fit(iris)
        # A fixed seed: both are searches, and on this set they end at the same clusters.
        assert model.inertia_ == pytest.approx(exact.inertia_, rel=1e-9)
        np.testing.assert_array_equal(model.predict(iris), model.labels_)
        gram = pairwise_kernels(iris, metric=kernel)
        assert model.inertia_ == pytest.approx(pair_cost(gram, model.labels_))
        again, _ = single_moves(centre(gram, np.ones(150)), np.ones(150), model.labels_, 9)
        np.testing.assert_array_equal(again, model.labels_)

    @pytest.mark.parametrize("far", [1e9, 1e200])
    def test_few_components_beside_a_row_that_is_far_away(self, monkeypatch, iris, far):
        X = np.vstack([iris, np.full(4, far)])
        exact = KernelKMeans(4, kernel="rbf", random_state=0).fit(X)
        monkeypatch.setattr(tasks, "FACTOR_ROWS", 100)
        model = KernelKMeans(4, kernel="rbf", random_state=0).fit(X)
        assert model.inertia_ == pytest.approx(exact.inertia_, rel=1e-9)

    def test_few_components_take_no_more_memory_than_is_said(self, monkeypatch):
        monkeypatch.setattr(tasks, "FACTOR_ROWS", 100)
        monkeypatch.setattr(factors, "COMPONENTS", 16)
        X = np.random.default_rng(0).normal(size=(2000, 3))
        tracemalloc.start()
        try:
            KernelKMeans(3, kernel="rbf", n_init=1, n_jobs=1, random_state=0).fit(X)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        # Besides the matrices there are a few blocks of 8 MB of the kernel, here as in large fits.
        assert 2 * 8 * 2000**2 < peak <= 8 * tasks.MATRICES_OF_FEW * 2000**2 + 24 * 2**20

    def test_rings(self):
        X, y = make_circles(200, factor=0.3, noise=0.03, random_state=0)
        # A kernel that knows the distance from the middle only.
        gram = np.outer((X**2).sum(axis=1), (X**2).sum(axis=1))
        model = KernelKMeans(2, kernel="precomputed", random_state=0).fit(X, gram=gram)
        assert adjusted_rand_score(y, model.labels_) == 1.0

    def test_same_clusters_with_any_number_of_threads(self, iris):
        for kernel in ("linear", "rbf"):
            one, two = (
                KernelKMeans(4, kernel=kernel, n_jobs=n, random_state=0).fit(iris) for n in (1, 2)
            )
            np.testing.assert_array_equal(one.labels_, two.labels_)
            assert one.inertia_ == pytest.approx(two.inertia_, rel=1e-12)

    def test_random_state_is_used_once(self, iris):
        shared = np.random.RandomState(0)
        first = KernelKMeans(6, n_init=1, random_state=shared).fit(iris)
        np.testing.assert_array_equal(
            first.labels_, KernelKMeans(6, n_init=1, random_state=0).fit(iris).labels_
        )
