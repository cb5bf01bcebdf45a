"""The cost of kernel KMeans, and Lloyd's steps beside naive ones."""

import numpy as np
import pytest
from helpers.kernel_kmeans_problems import (
    ALGORITHMS,
    NAMED,
    centroid_cost,
    pair_cost,
    pairs,
    problem,
)
from helpers.models import SEEDS
from helpers.strategies import weights
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels

from agathis import Kauri, KernelKMeans
from agathis._kernels.kernel import Kernel
from agathis._kmeans.searches import PairwiseSpace, Points, lloyd, without_missing


def naive_step(gram, labels, weight):
    """Each row to the nearest centre, one distance at a time; empty clusters are gone."""
    clusters = np.unique(labels)
    out = np.empty(len(labels), dtype=int)
    for i in range(len(gram)):
        squared = []
        for k in clusters:
            w = weight * (labels == k)
            to = gram[i] @ w / w.sum()
            squared.append(gram[i, i] - 2 * to + w @ gram @ w / w.sum() ** 2)
        out[i] = int(np.argmin(np.round(squared, 9)))
    return without_missing(out)


class TestCost:
    @pytest.mark.parametrize("kernel", NAMED)
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    @pytest.mark.parametrize("weighted", [False, True])
    def test_is_that_of_the_labels(self, iris, kernel, algorithm, weighted):
        weight = np.random.default_rng(0).integers(0, 4, len(iris)) / 2.0 if weighted else None
        model = KernelKMeans(4, kernel=kernel, algorithm=algorithm, random_state=0)
        model.fit(iris, sample_weight=weight)
        gram = pairwise_kernels(iris, metric=kernel, filter_params=True, degree=3, coef0=1)
        w = np.ones(len(iris)) if weight is None else weight
        cost = pair_cost(gram, model.labels_, weight)
        trace = w @ np.diag(gram)
        assert model.inertia_ == pytest.approx(cost, rel=1e-9, abs=1e-9 * abs(trace))
        assert model.objective_ == pytest.approx(trace - cost, rel=1e-9)
        if kernel != "sigmoid" and (algorithm != "similarity" or model.n_clusters_ == 4):
            scored = model.score(iris, sample_weight=weight)
            assert scored == pytest.approx(model.objective_, rel=1e-9)

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_of_points_is_that_of_centroids(self, iris, algorithm):
        weight = np.random.default_rng(1).uniform(0.1, 3, len(iris))
        model = KernelKMeans(3, algorithm=algorithm, random_state=0)
        model.fit(iris, sample_weight=weight)
        assert model.inertia_ == pytest.approx(centroid_cost(iris, model.labels_, weight))
        for k, centre_ in enumerate(model.cluster_centers_):
            mine = model.labels_ == k
            np.testing.assert_allclose(
                centre_, np.average(iris[mine], axis=0, weights=weight[mine]), rtol=1e-12
            )

    def test_is_that_of_kauri(self, iris):
        tree = Kauri(3, kernel="rbf", max_leaf_nodes=20).fit(iris)
        model = KernelKMeans(3, kernel="rbf", random_state=0).fit(iris)
        assert model.objective_ + model.inertia_ == pytest.approx(tree.objective_ + tree.inertia_)
        assert model.inertia_ <= tree.inertia_

    def test_far_from_the_origin(self, iris):
        near = KernelKMeans(3, random_state=0).fit(iris)
        far = KernelKMeans(3, random_state=0).fit(iris + 2.0**24)
        assert far.inertia_ == pytest.approx(near.inertia_, rel=1e-6)
        assert adjusted_rand_score(near.labels_, far.labels_) == 1.0


class TestLloyd:
    @given(seed=SEEDS, kind=st.sampled_from([None, "whole", "fractions"]))
    def test_is_the_naive_one(self, seed, kind):
        rng, _, gram = problem(seed, "rbf")
        weight = weights(rng, len(gram), kind)
        weight = np.ones(len(gram)) if weight is None else weight
        start = without_missing(rng.integers(0, 5, len(gram)))
        labels = start
        for _ in range(50):
            labels, before = naive_step(gram, labels, weight), labels
            if np.array_equal(labels, before):
                break
        found, objective, _ = lloyd(pairs(gram, weight), start, 50)
        cost = weight @ np.diag(gram) - objective
        assert cost == pytest.approx(pair_cost(gram, found, weight), abs=1e-9)
        assert cost == pytest.approx(pair_cost(gram, labels, weight), rel=1e-6, abs=1e-9)

    @given(seed=SEEDS, kernel=st.sampled_from(["linear", "rbf"]))
    def test_never_raises_the_cost_nor_the_number_of_clusters(self, seed, kernel):
        rng, _, gram = problem(seed, kernel)
        weight = weights(rng, len(gram), "fractions")
        labels = without_missing(rng.integers(0, 6, len(gram)))
        cost, count = pair_cost(gram, labels, weight), labels.max()
        for _ in range(6):
            labels, _, _ = lloyd(pairs(gram, weight), labels, 1)
            after = pair_cost(gram, labels, weight)
            assert after <= cost + 1e-9
            assert labels.max() <= count
            cost, count = after, labels.max()

    @given(seed=SEEDS)
    def test_points_and_pairs_and_blocks_agree(self, seed):
        rng, X, _ = problem(seed, "linear")
        weight = rng.uniform(0.5, 2, len(X))
        X = X - np.average(X, axis=0, weights=weight)
        start = without_missing(rng.integers(0, 4, len(X)))
        blocks = PairwiseSpace(None, weight, Kernel("linear"), X, 1)
        found = [
            lloyd(space, start, 40)[0]
            for space in (Points(X, weight), pairs(X @ X.T, weight), blocks)
        ]
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])

    @given(seed=SEEDS)
    def test_weights_are_repeats(self, seed):
        rng, _, gram = problem(seed, "rbf")
        weight = rng.integers(1, 4, len(gram))
        start = without_missing(rng.integers(0, 4, len(gram)))
        once = lloyd(pairs(gram, weight.astype(float)), start, 30)
        ids = np.repeat(np.arange(len(gram)), weight)
        often = lloyd(pairs(gram[np.ix_(ids, ids)]), start[ids], 30)
        np.testing.assert_array_equal(once[0][ids], often[0])
        assert once[1] == pytest.approx(often[1])
        assert once[2] == often[2]

    def test_large_kernels_are_computed_in_blocks(self, iris):
        model = KernelKMeans(3, kernel="rbf", algorithm="lloyd", random_state=3)
        kept = model.fit(iris)
        labels, cost = kept.labels_, kept.inertia_
        with config_context(working_memory=0.01):
            again = model.fit(iris)
        np.testing.assert_array_equal(again.labels_, labels)
        assert again.inertia_ == pytest.approx(cost)

    def test_more_starts_are_never_worse(self, iris):
        costs = [
            KernelKMeans(5, kernel="rbf", algorithm="lloyd", n_init=n, random_state=0)
            .fit(iris)
            .inertia_
            for n in (1, 4, 16)
        ]
        assert costs == sorted(costs, reverse=True)

    def test_default_is_one_start(self, iris):
        default = KernelKMeans(5, algorithm="lloyd", random_state=1).fit(iris)
        one = KernelKMeans(5, algorithm="lloyd", n_init=1, random_state=1).fit(iris)
        np.testing.assert_array_equal(default.labels_, one.labels_)

    def test_max_iter(self, iris):
        model = KernelKMeans(5, kernel="rbf", algorithm="lloyd", max_iter=1, random_state=0)
        assert model.fit(iris).n_iter_ == 1
        np.testing.assert_array_equal(model.predict(iris), model.labels_)
