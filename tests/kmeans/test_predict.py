"""Clusters of rows by kernel KMeans: those of the fit, others, and their distances."""

import pickle

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.kernel_kmeans_problems import ALGORITHMS, POSITIVE, pair_cost
from helpers.models import SEEDS
from helpers.strategies import table, weights
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from agathis import KernelKMeans
from agathis._objective.objective import membership


class TestPredict:
    @given(
        seed=SEEDS,
        kernel=st.sampled_from(POSITIVE),
        algorithm=st.sampled_from(ALGORITHMS),
        values=st.sampled_from(["normal", "integer"]),
    )
    @examples(60)
    @pytest.mark.filterwarnings("ignore:Number of distinct clusters")
    def test_of_training_rows_are_their_labels(self, seed, kernel, algorithm, values):
        rng = np.random.default_rng(seed)
        X = np.abs(table(rng, int(rng.integers(5, 40)), 2, values))
        weight = weights(rng, len(X), [None, "whole", "with zeros"][seed % 3])
        model = KernelKMeans(3, kernel=kernel, algorithm=algorithm, n_init=2, random_state=seed)
        if weight is not None and weight.sum() < 3:
            return
        model.fit(X, sample_weight=weight)
        gram = pairwise_kernels(X, metric=kernel, filter_params=True, degree=3, coef0=1)
        if algorithm != "similarity":
            np.testing.assert_array_equal(model.predict(X), model.labels_)
        elif model.n_clusters_ == 3:
            member = membership(model.labels_, 3, 1.0 if weight is None else weight)
            near = gram @ (member / member.sum(axis=0))
            second, first = np.sort(near, axis=1)[:, -2:].T
            clear = first - second > 1e-12 * np.abs(gram).max(axis=1)
            np.testing.assert_array_equal(model.predict(X)[clear], model.labels_[clear])
        counted = np.ones(len(X), bool) if weight is None else weight > 0
        np.testing.assert_array_equal(
            np.unique(model.labels_[counted]), np.arange(model.n_clusters_)
        )
        cost = pair_cost(gram, model.labels_, weight)
        scale = np.abs(np.diag(gram)).sum() + np.abs(gram).max()
        assert model.inertia_ == pytest.approx(cost, abs=1e-9 * scale)

    @pytest.mark.parametrize("kernel", POSITIVE)
    def test_is_the_nearest_centre(self, iris, kernel):
        train, other = iris[::2], iris[1::2]
        model = KernelKMeans(4, kernel=kernel, random_state=0).fit(train)
        distances = model.transform(other)
        assert distances.shape == (75, 4)
        np.testing.assert_array_equal(distances.argmin(axis=1), model.predict(other))
        # Distances by their definition, from the kernel of all rows.
        taken = {"polynomial": {"degree": 3, "coef0": 1}}.get(kernel, {})
        gram = pairwise_kernels(np.vstack([other, train]), metric=kernel, **taken)
        for k in range(4):
            mine = 75 + np.flatnonzero(model.labels_ == k)
            squared = (
                np.diag(gram)[:75]
                - 2 * gram[:75, mine].mean(axis=1)
                + gram[np.ix_(mine, mine)].mean()
            )
            scale = np.abs(gram).max()
            np.testing.assert_allclose(distances[:, k] ** 2, squared, atol=1e-9 * scale)

    def test_precomputed_on_other_rows(self, iris):
        train, other = iris[::2], iris[1::2]
        named = KernelKMeans(3, kernel="rbf", gamma=0.3, random_state=0).fit(train)
        gram = rbf_kernel(train, gamma=0.3)
        cross, own = rbf_kernel(other, train, gamma=0.3), rbf_kernel(other, gamma=0.3)
        model = KernelKMeans(3, kernel="precomputed", random_state=0).fit(train, gram=gram)
        order = model.predict(train[[0]], gram=gram[[0]])[0] == named.labels_[0]
        labels = model.predict(other, gram=cross)
        assert adjusted_rand_score(labels, named.predict(other)) == 1.0
        assert model.score(other, gram=own, cross_gram=cross) == pytest.approx(named.score(other))
        score = model.score(train, gram=gram, cross_gram=gram)
        assert score == pytest.approx(model.objective_)
        distances = model.transform(other, gram=cross, gram_diagonal=np.diag(own))
        np.testing.assert_array_equal(distances.argmin(axis=1), labels)
        if order:
            np.testing.assert_allclose(np.sort(distances), np.sort(named.transform(other)))

    def test_precomputed_score_of_as_many_other_rows(self, iris):
        """A matrix of other rows says nothing of the training rows, though it has their shape."""
        other = iris[np.random.default_rng(0).permutation(150)]
        gram, own, cross = iris @ iris.T, other @ other.T, other @ iris.T
        model = KernelKMeans(3, kernel="precomputed", random_state=0).fit(iris, gram=gram)
        with pytest.raises(ValueError, match="needs cross_gram=K"):
            model.score(other, gram=own)
        score = model.score(other, gram=own, cross_gram=cross)
        assert score == pytest.approx(model.objective_)

    def test_rows_of_no_weight_get_the_nearest_cluster(self, iris):
        weight = np.ones(len(iris))
        weight[::3] = 0
        for kernel in ("linear", "rbf"):
            model = KernelKMeans(3, kernel=kernel, random_state=0)
            labels = model.fit(iris, sample_weight=weight).labels_
            without = KernelKMeans(3, kernel=kernel, random_state=0).fit(iris[weight > 0])
            np.testing.assert_array_equal(without.predict(iris), labels)
            assert without.inertia_ == pytest.approx(model.inertia_)

    def test_fit_transform(self, iris):
        model = KernelKMeans(3, kernel="rbf", random_state=0)
        np.testing.assert_array_equal(model.fit_transform(iris), model.transform(iris))
        gram = rbf_kernel(iris, gamma=0.25)
        given_ = KernelKMeans(3, kernel="precomputed", random_state=0)
        distances = given_.fit_transform(iris, gram=gram)
        np.testing.assert_allclose(np.sort(distances), np.sort(model.transform(iris)), atol=1e-9)

    def test_callable(self, iris):
        def product(a, b, power):
            return (a @ b) ** power

        model = KernelKMeans(3, kernel=product, kernel_params={"power": 2}, random_state=0)
        model.fit(iris[::3])
        named = KernelKMeans(3, kernel="poly", degree=2, gamma=1, coef0=0, random_state=0)
        named.fit(iris[::3])
        assert model.inertia_ == pytest.approx(named.inertia_)
        np.testing.assert_array_equal(model.predict(iris), named.predict(iris))

    def test_pickle_and_frames(self, iris):
        frame = pd.DataFrame(iris, columns=list("abcd"))
        model = pickle.loads(pickle.dumps(KernelKMeans(3, kernel="rbf").fit(frame)))
        np.testing.assert_array_equal(model.predict(frame), model.labels_)
        assert model.feature_names_in_.tolist() == list("abcd")
        assert model.get_feature_names_out().tolist() == [f"kernelkmeans{i}" for i in range(3)]
