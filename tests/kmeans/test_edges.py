"""Kernel KMeans of few, equal, close, tiny and large rows."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.kernel_kmeans_problems import ALGORITHMS, pair_cost
from helpers.models import SEEDS
from hypothesis import given
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels

from agathis import KernelKMeans


class TestEdges:
    @pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "precomputed"])
    def test_fewer_rows_that_differ_than_clusters(self, kernel):
        X = np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
        gram = {"gram": X @ X.T} if kernel == "precomputed" else {}
        model = KernelKMeans(4, kernel=kernel, random_state=0)
        with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) is smaller"):
            model.fit(X, **gram)
        assert model.n_clusters_ == 2
        assert model.labels_.tolist() in ([0, 1, 0, 1, 0], [1, 0, 1, 0, 1])
        assert model.inertia_ == pytest.approx(0, abs=1e-12)

    @pytest.mark.parametrize(
        "parameters", [{"kernel": "cosine"}, {"kernel": "poly", "degree": 2, "coef0": 0}]
    )
    def test_rows_that_are_the_same_to_the_kernel(self, parameters):
        if parameters["kernel"] == "cosine":
            X = np.array([[1.0, 3.0], [3.0, 9.0], [0.1, 0.3], [7.0, 2.0], [0.7, 0.2], [2.1, 0.6]])
        else:
            X = np.array([[1.0, 3.0], [-1.0, -3.0], [7.0, 2.0], [-7.0, -2.0], [7.0, 2.0]])
        model = KernelKMeans(3, random_state=0, **parameters)
        with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\)"):
            model.fit(X)
        assert model.n_clusters_ == 2
        np.testing.assert_array_equal(model.predict(X), model.labels_)

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "poly"])
    def test_as_many_rows_as_clusters(self, kernel):
        X = np.array([[0.0, 1.0], [1.0, 7.0], [5.0, 2.0]])
        model = KernelKMeans(3, kernel=kernel, random_state=0).fit(X)
        assert sorted(model.labels_.tolist()) == [0, 1, 2]
        np.testing.assert_array_equal(model.predict(X), model.labels_)

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    @pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "poly", "sigmoid"])
    def test_one_row_and_one_cluster(self, kernel, algorithm):
        model = KernelKMeans(1, kernel=kernel, algorithm=algorithm, random_state=0)
        assert model.fit([[3.0, 4.0]]).labels_.tolist() == [0]
        assert model.inertia_ == pytest.approx(0, abs=1e-12)
        X = load_iris().data[:20]
        assert model.fit(X).n_clusters_ == 1
        gram = pairwise_kernels(X, metric=kernel)
        if kernel in ("linear", "cosine", "rbf"):
            assert model.inertia_ == pytest.approx(pair_cost(gram, model.labels_))

    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_all_rows_equal(self, kernel):
        X = np.full((6, 2), 0.1)
        with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
            model = KernelKMeans(2, kernel=kernel, random_state=0).fit(X)
        assert model.labels_.tolist() == [0] * 6
        plain = KernelKMeans(2, kernel=kernel, algorithm="lloyd", random_state=0).fit(X)
        assert plain.n_clusters_ == plain.labels_.max() + 1

    def test_points_close_together_beside_one_far_away(self):
        X = np.array([[0.0], [1.0], [1.0 + 1e-9], [1.0 + 2e-9], [1e6]])
        model = KernelKMeans(5, random_state=0).fit(X)
        assert sorted(model.labels_.tolist()) == [0, 1, 2, 3, 4]

    @pytest.mark.parametrize("scale", [1e-150, 1e150])
    def test_very_small_and_very_large_values(self, iris, scale):
        model = KernelKMeans(3, random_state=0).fit(iris * scale)
        assert (
            adjusted_rand_score(model.labels_, KernelKMeans(3, random_state=0).fit(iris).labels_)
            == 1.0
        )

    def test_max_iter_of_one_keeps_all_clusters(self, iris):
        for kernel in ("linear", "rbf"):
            model = KernelKMeans(12, kernel=kernel, max_iter=1, n_init=1, random_state=0)
            with np.errstate(all="raise"):
                assert model.fit(iris).n_clusters_ == 12
            assert len(np.unique(model.labels_)) == 12

    @given(SEEDS)
    @examples(20)
    def test_a_cost_of_nothing_is_0(self, seed):
        X = np.random.default_rng(seed).random((12, 3))
        model = KernelKMeans(12, kernel="poly", degree=2, random_state=0).fit(X)
        assert model.n_clusters_ == 12
        assert 0.0 <= model.inertia_ < 1e-10

    def test_float32_and_lists(self, iris):
        model = KernelKMeans(3, kernel="rbf", random_state=0).fit(iris.astype(np.float32))
        np.testing.assert_array_equal(model.predict(iris.astype(np.float32)), model.labels_)
        assert KernelKMeans(2).fit([[0], [1], [9]]).labels_.tolist() in ([0, 0, 1], [1, 1, 0])

    def test_centres_are_forgotten(self, iris):
        model = KernelKMeans(3).fit(iris)
        assert model.cluster_centers_.shape == (3, 4)
        assert not hasattr(model.set_params(kernel="rbf").fit(iris), "cluster_centers_")

    def test_a_fit_that_fails_leaves_the_last_one(self, iris):
        model = KernelKMeans(3).fit(iris)
        labels = model.labels_
        with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=3"):
            model.fit(iris[:2, :3])
        assert model.n_features_in_ == 4
        np.testing.assert_array_equal(model.predict(iris), labels)
