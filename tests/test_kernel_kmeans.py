"""Kernel KMeans: costs, all algorithms against naive twins, predictions, lost clusters, edges."""

import os
import pickle
import re
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs, make_circles
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels, polynomial_kernel, rbf_kernel
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import kernel_matrix, table, weights

from agathis import Kauri, KernelKMeans
from agathis._factor import centre, factor
from agathis._kernels import Kernel
from agathis._kmeans import Pairs, Points, fill, lloyd, most_similar, single_moves, without_gaps

SEEDS = st.integers(0, 2**32 - 1)
NAMED = ["linear", "cosine", "rbf", "laplacian", "chi2", "additive_chi2", "polynomial", "sigmoid"]
POSITIVE = NAMED[:-1]
ALGORITHMS = ["auto", "lloyd", "similarity"]


def pair_cost(gram, labels, weight=None):
    """The cost by its definition over pairs, cluster by cluster."""
    weight = np.ones(len(gram)) if weight is None else weight
    total = 0.0
    for k in np.unique(labels):
        w, own = weight[labels == k], gram[np.ix_(labels == k, labels == k)]
        # Half the mean squared distance between two rows of a cluster, times its weight.
        apart = np.diag(own)[:, None] + np.diag(own) - 2 * own
        total += (w @ apart @ w) / (2 * w.sum()) if w.sum() > 0 else 0.0
    return total


def centroid_cost(X, labels, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    return sum(
        w @ ((rows - np.average(rows, axis=0, weights=w)) ** 2).sum(axis=1)
        for rows, w in ((X[labels == k], weight[labels == k]) for k in np.unique(labels))
    )


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
    return without_gaps(out)


def partitions(n, k):
    """Labels of all partitions of n rows into k clusters."""
    for rest in product(range(k), repeat=n - 1):
        labels = np.array((0, *rest))
        _, first = np.unique(labels, return_index=True)
        if len(first) == k and (np.diff(first) > 0).all():
            yield labels


def problem(seed, kernel, least=4, most=25):
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.integers(least, most)), int(rng.integers(1, 4)), "normal")
    gram = kernel_matrix(rng, X, kernel)
    return rng, X, gram


def pairs(gram, weight=None):
    weight = np.ones(len(gram)) if weight is None else weight
    return Pairs(gram, weight, None, None, 1)


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
        start = without_gaps(rng.integers(0, 5, len(gram)))
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
        labels = without_gaps(rng.integers(0, 6, len(gram)))
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
        start = without_gaps(rng.integers(0, 4, len(X)))
        blocks = Pairs(None, weight, Kernel("linear"), X, 1)
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
        start = without_gaps(rng.integers(0, 4, len(gram)))
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


class TestSimilarity:
    @given(
        seed=SEEDS,
        kernel=st.sampled_from(["linear", "rbf", "indefinite"]),
        kind=st.sampled_from([None, "whole", "fractions"]),
    )
    def test_steps_lead_to_the_largest_mean(self, seed, kernel, kind):
        rng, _, gram = problem(seed, kernel)
        weight = weights(rng, len(gram), kind)
        weight = np.ones(len(gram)) if weight is None else weight
        labels = without_gaps(rng.integers(0, 4, len(gram)))
        count = labels.max() + 1
        for _ in range(6):
            found, objective, _ = most_similar(pairs(gram, weight), labels, count, 1)
            cost = weight @ np.diag(gram) - objective
            assert cost == pytest.approx(pair_cost(gram, found, weight), abs=1e-9)
            clusters = []
            for i in range(len(gram)):
                mean = [
                    np.average(gram[i, labels == k], weights=weight[labels == k])
                    for k in range(count)
                ]
                clusters.append(np.flatnonzero(mean >= max(mean) - 1e-9))
            # One cluster of the step is one of those before it, that all its rows may go to.
            goals = [
                set.intersection(*(set(clusters[i]) for i in np.flatnonzero(found == k)))
                for k in range(found.max() + 1)
            ]
            assert all(goals)
            assert len(set.union(*goals)) >= len(goals)
            if found.max() + 1 < count:
                break
            labels = found

    @given(seed=SEEDS)
    def test_points_and_pairs_agree(self, seed):
        rng, X, _ = problem(seed, "linear")
        weight = rng.uniform(0.5, 2, len(X))
        start = without_gaps(rng.integers(0, 4, len(X)))
        count = start.max() + 1
        blocks = Pairs(None, weight, Kernel("linear"), X, 1)
        found = [
            most_similar(space, start, count, 40)[0]
            for space in (Points(X, weight), pairs(X @ X.T, weight), blocks)
        ]
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])

    @given(seed=SEEDS)
    def test_weights_are_repeats(self, seed):
        rng, _, gram = problem(seed, "rbf")
        weight = rng.integers(1, 4, len(gram))
        start = without_gaps(rng.integers(0, 4, len(gram)))
        count = start.max() + 1
        once = most_similar(pairs(gram, weight.astype(float)), start, count, 30)
        ids = np.repeat(np.arange(len(gram)), weight)
        often = most_similar(pairs(gram[np.ix_(ids, ids)]), start[ids], count, 30)
        np.testing.assert_array_equal(once[0][ids], often[0])
        assert once[1] == pytest.approx(often[1])
        assert once[2] == often[2]

    def test_ends_when_a_cluster_is_lost(self):
        # Row 4 is the longest of the last three: they are all most similar to it.
        X = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
        gram, start = X @ X.T, np.array([0, 0, 1, 2, 3])
        labels, _, n_iter = most_similar(pairs(gram), start, 4, 10)
        assert labels.tolist() == [0, 0, 1, 1, 1]
        assert n_iter == 1
        # A start without all clusters is lost already.
        again, _, _ = most_similar(pairs(gram), np.array([0, 1, 0, 1, 0]), 3, 10)
        assert again.tolist() == [0, 1, 0, 1, 0]

    def test_longer_centres_take_all_rows(self):
        X = np.array([[1.0], [1.5], [2.0], [8.0], [9.0], [9.5]])
        for seed in range(10):
            model = KernelKMeans(2, algorithm="similarity", random_state=seed).fit(X)
            assert model.n_clusters_ == 1
            assert model.cluster_centers_.tolist() == [[X.mean()]]
        assert KernelKMeans(2, algorithm="lloyd", random_state=0).fit(X).n_clusters_ == 2

    def test_of_kernels_with_a_mean_that_hardly_differs(self):
        X, y = make_blobs([60, 60], centers=[[0, 0], [4, 4]], random_state=0)
        model = KernelKMeans(2, kernel="rbf", algorithm="similarity", random_state=0).fit(X)
        assert adjusted_rand_score(y, model.labels_) == 1.0

    def test_starts_again_where_a_cluster_is_lost(self, iris):
        # One start in three keeps all four clusters: ten starts miss them one time in sixty.
        X = MinMaxScaler().fit_transform(iris)
        gram = rbf_kernel(X, gamma=1.0)
        rng = np.random.default_rng(0)
        first = [
            most_similar(pairs(gram), rng.integers(0, 4, len(X)), 4, 300)[0].max() == 3
            for _ in range(100)
        ]
        kept = [
            KernelKMeans(4, kernel="rbf", gamma=1.0, algorithm="similarity", random_state=seed)
            .fit(X)
            .n_clusters_
            == 4
            for seed in range(30)
        ]
        assert np.mean(first) < 0.7
        assert np.mean(kept) > np.mean(first) + 0.15

    def test_the_tenth_start_stays_as_it_was(self, iris):
        X = MinMaxScaler().fit_transform(iris)
        gram = polynomial_kernel(X)
        for seed in range(5):
            model = KernelKMeans(
                5, kernel="precomputed", algorithm="similarity", random_state=seed
            ).fit(X, gram=gram)
            drawn = np.random.RandomState(seed)
            starts = [drawn.randint(5, size=len(X)) for _ in range(10)]
            ends = [most_similar(pairs(gram), start, 5, 300)[0] for start in starts]
            assert max(end.max() for end in ends) < 4
            np.testing.assert_array_equal(model.labels_, ends[-1])

    @pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "additive_chi2"])
    def test_precomputed_is_the_named_one(self, iris, kernel):
        train, other = iris[::2], iris[1::2]
        gram = pairwise_kernels(train, metric=kernel)
        cross = pairwise_kernels(other, train, metric=kernel)
        for seed in range(5):
            named = KernelKMeans(3, kernel=kernel, algorithm="similarity", random_state=seed)
            given_ = KernelKMeans(
                3, kernel="precomputed", algorithm="similarity", random_state=seed
            )
            named.fit(train)
            given_.fit(train, gram=gram)
            np.testing.assert_array_equal(named.labels_, given_.labels_)
            np.testing.assert_array_equal(named.predict(other), given_.predict(other, gram=cross))
            means = [cross[:, named.labels_ == k].mean(axis=1) for k in range(named.n_clusters_)]
            np.testing.assert_array_equal(named.predict(other), np.argmax(means, axis=0))

    def test_rows_of_no_weight_get_the_most_similar_cluster(self, iris):
        weight = np.ones(len(iris))
        weight[::3] = 0
        for kernel in ("cosine", "rbf"):
            model = KernelKMeans(3, kernel=kernel, algorithm="similarity", random_state=0)
            model.fit(iris, sample_weight=weight)
            without = KernelKMeans(3, kernel=kernel, algorithm="similarity", random_state=0)
            without.fit(iris[weight > 0])
            np.testing.assert_array_equal(without.labels_, model.labels_[weight > 0])
            np.testing.assert_array_equal(without.predict(iris[::3]), model.labels_[::3])

    def test_large_kernels_are_computed_in_blocks(self, iris):
        model = KernelKMeans(3, kernel="rbf", algorithm="similarity", random_state=3)
        labels = model.fit(iris).labels_
        with config_context(working_memory=0.01):
            np.testing.assert_array_equal(model.fit(iris).labels_, labels)

    def test_more_starts_are_never_worse(self, iris):
        costs = [
            KernelKMeans(5, kernel="rbf", algorithm="similarity", n_init=n, random_state=0)
            .fit(iris)
            .inertia_
            for n in (1, 4, 16)
        ]
        assert costs == sorted(costs, reverse=True)
        default = KernelKMeans(5, kernel="rbf", algorithm="similarity", random_state=0)
        assert default.fit(iris).inertia_ == costs[0]

    def test_equal_rows(self):
        model = KernelKMeans(2, kernel="rbf", algorithm="similarity", random_state=0)
        assert model.fit(np.full((6, 2), 0.1)).labels_.tolist() == [0] * 6
        X = np.array([[1.0], [1.0], [5.0], [5.0], [5.0]])
        labels = model.set_params(n_clusters=3).fit(X).labels_
        assert model.n_clusters_ == len(np.unique(labels)) <= 3


class TestFactor:
    @given(seed=SEEDS, kernel=st.sampled_from(["linear", "rbf"]), weighted=st.booleans())
    def test_inner_products_are_the_centred_kernel(self, seed, kernel, weighted):
        rng, _, gram = problem(seed, kernel)
        weight = rng.uniform(0.1, 3, len(gram)) if weighted else np.ones(len(gram))
        centred = centre(gram, weight)
        np.testing.assert_allclose(centred @ weight, 0, atol=1e-9)
        found = factor(centred, weight, 1e-16 * np.abs(gram).max())
        assert found.positive
        np.testing.assert_allclose(found.points @ found.points.T, centred, atol=1e-8)
        assert found.points.shape[1] < len(gram)

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
        assert not factor(centre(gram, np.ones(3)), np.ones(3), 1e-16).positive


class TestSingleMoves:
    @given(seed=SEEDS, kernel=st.sampled_from(["linear", "rbf", "indefinite", "ties"]))
    def test_end_where_no_row_can_be_moved_to_lower_the_cost(self, seed, kernel):
        rng, _, gram = problem(seed, kernel, most=14)
        weight = rng.choice([0.5, 1.0, 2.0], len(gram))
        start = without_gaps(rng.integers(0, 4, len(gram)))
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

    @given(seed=SEEDS, n_clusters=st.integers(1, 6))
    def test_fill_gives_every_cluster_a_row(self, seed, n_clusters):
        rng, X, _ = problem(seed, "linear", least=6)
        weight = rng.uniform(0.1, 3, len(X))
        start = np.zeros(len(X), dtype=int)
        labels = fill(X, weight, start, n_clusters)
        assert len(np.unique(labels)) == n_clusters
        assert centroid_cost(X, labels, weight) <= centroid_cost(X, start, weight) + 1e-9


class TestAuto:
    @pytest.mark.parametrize("kernel", ["linear", "rbf", "indefinite"])
    def test_finds_the_best_partition_of_few_rows(self, kernel):
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


class TestPredict:
    @given(
        seed=SEEDS,
        kernel=st.sampled_from(POSITIVE),
        algorithm=st.sampled_from(ALGORITHMS),
        values=st.sampled_from(["normal", "integer"]),
    )
    @settings(max_examples=60)
    @pytest.mark.filterwarnings("ignore:.* clusters were found")
    def test_of_training_rows_are_their_labels(self, seed, kernel, algorithm, values):
        rng = np.random.default_rng(seed)
        X = np.abs(table(rng, int(rng.integers(5, 40)), 2, values))
        weight = weights(rng, len(X), [None, "whole", "with zeros"][seed % 3])
        model = KernelKMeans(3, kernel=kernel, algorithm=algorithm, n_init=2, random_state=seed)
        if weight is not None and weight.sum() < 3:
            return
        model.fit(X, sample_weight=weight)
        if algorithm != "similarity" or model.n_clusters_ == 3:
            np.testing.assert_array_equal(model.predict(X), model.labels_)
        counted = np.ones(len(X), bool) if weight is None else weight > 0
        np.testing.assert_array_equal(
            np.unique(model.labels_[counted]), np.arange(model.n_clusters_)
        )
        gram = pairwise_kernels(X, metric=kernel, filter_params=True, degree=3, coef0=1)
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
        assert model.score(train, gram=gram) == pytest.approx(model.objective_)
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
        for same in (gram.copy(), np.asfortranarray(gram), gram.tolist()):
            assert model.score(iris, gram=same) == pytest.approx(model.objective_)
        single = gram.astype(np.float32)
        model.fit(iris, gram=single)
        assert model.score(iris, gram=single) == pytest.approx(model.objective_)
        with pytest.raises(ValueError, match="needs cross_gram=K"):
            model.score(iris, gram=gram)

    @pytest.mark.parametrize("scale", [1e-150, 1e-200, 1e-300])
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_of_tiny_training_rows_are_their_labels(self, iris, algorithm, scale):
        model = KernelKMeans(3, algorithm=algorithm, random_state=0)
        expected = clone(model).fit(iris)
        model.fit(iris * scale)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.predict(iris * scale), expected.predict(iris))
        np.testing.assert_allclose(
            model.transform(iris * scale) / scale, expected.transform(iris), rtol=1e-9
        )
        # Rows that are not tiny, among others that are.
        mixed = np.vstack([iris, iris * scale])
        np.testing.assert_array_equal(model.predict(mixed)[150:], model.predict(iris * scale))

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


@pytest.mark.skipif("AGATHIS_DATA" not in os.environ, reason="AGATHIS_DATA names no folder")
class TestLostClusters:
    def target(self):
        path = Path(os.environ["AGATHIS_DATA"]) / "target.csv.gz"
        X = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1))
        return MinMaxScaler().fit_transform(X)

    def left(self, algorithm, kernel):
        """How many of 100 runs leave 0, 1, ..., 6 clusters of 6."""
        X = self.target()
        gram = pairwise_kernels(X, metric=kernel)
        found = []
        for seed in range(100):
            model = KernelKMeans(6, kernel="precomputed", algorithm=algorithm, random_state=seed)
            model.fit(X, gram=gram)
            np.testing.assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
            found.append(model.n_clusters_)
        return np.bincount(found, minlength=7)

    # What was published of 100 such runs, as here by number of clusters.
    @pytest.mark.parametrize(
        ("kernel", "published"),
        [("polynomial", [0, 0, 31, 51, 15, 3, 0]), ("additive_chi2", [0, 0, 1, 16, 22, 21, 40])],
    )
    def test_by_similarity_most_runs_lose_some(self, kernel, published):
        left = self.left("similarity", kernel)
        assert left[:6].sum() > 50
        # Of two times 100 runs of one procedure, some 10 differ.
        assert np.abs(left - published).sum() / 2 <= 20

    def test_plain_kernel_kmeans_loses_some_in_most_runs(self):
        left = self.left("lloyd", "polynomial")
        assert left[:6].sum() > 50
        assert np.abs(left - [0, 0, 31, 51, 15, 3, 0]).sum() / 2 <= 20

    def test_kauri_never_does(self):
        X = self.target()
        for seed in range(100):
            rows = np.random.RandomState(seed).permutation(len(X))[: len(X) * 4 // 5]
            model = Kauri(6, kernel="polynomial", max_leaf_nodes=24, random_state=seed)
            assert model.fit(X[rows]).n_clusters_ == 6
        assert model.fit(X).n_clusters_ == 6

    def test_auto_does_not(self):
        X = self.target()
        for seed in range(3):
            model = KernelKMeans(6, kernel="polynomial", n_init=2, random_state=seed)
            assert model.fit(X).n_clusters_ == 6


class TestEdges:
    @pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "precomputed"])
    def test_fewer_rows_that_differ_than_clusters(self, kernel):
        X = np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
        gram = {"gram": X @ X.T} if kernel == "precomputed" else {}
        model = KernelKMeans(4, kernel=kernel, random_state=0)
        with pytest.warns(ConvergenceWarning, match="2 clusters were found, fewer than n_clu"):
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
        with pytest.warns(ConvergenceWarning, match="2 clusters were found"):
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
        with pytest.warns(ConvergenceWarning, match="1 clusters were found"):
            model = KernelKMeans(2, kernel=kernel, random_state=0).fit(X)
        assert model.labels_.tolist() == [0] * 6
        plain = KernelKMeans(2, kernel=kernel, algorithm="lloyd", random_state=0).fit(X)
        assert plain.n_clusters_ == plain.labels_.max() + 1

    def test_points_close_together_beside_one_far_away(self):
        X = np.array([[0.0], [1.0], [1.0 + 1e-9], [1.0 + 2e-9], [1e6]])
        model = KernelKMeans(5, random_state=0).fit(X)
        assert sorted(model.labels_.tolist()) == [0, 1, 2, 3, 4]
        four = KernelKMeans(4, random_state=0).fit(X)
        assert four.n_clusters_ == 4
        np.testing.assert_array_equal(four.predict(X), four.labels_)

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

    def test_a_cost_of_nothing_is_0(self):
        for seed in range(20):
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


class TestErrors:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("n_clusters", 0),
            ("kernel", "unknown"),
            ("algorithm", "elkan"),
            ("n_init", 0),
            ("n_init", "many"),
            ("max_iter", 0),
            ("tol", -1.0),
            ("gamma", -1.0),
            ("random_state", "seed"),
        ],
    )
    def test_parameters(self, iris, name, value):
        model = KernelKMeans().set_params(**{name: value})
        with pytest.raises(ValueError, match=f"'{name}' parameter of KernelKMeans must be"):
            model.fit(iris)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"X": [[1.0, np.nan]] * 3}, "Input X contains NaN"),
            ({"X": [[1.0, np.inf]] * 3}, "infinity"),
            ({"X": [[1.0, 2.0]]}, "n_samples=1 should be >= n_clusters=2"),
            ({"X": [[1e200], [-1e200], [0.0]]}, "X is too large"),
            ({"X": [[1.0], [2.0]], "sample_weight": [1.0]}, "sample_weight must have one value"),
            ({"X": [[1.0], [2.0]], "sample_weight": [1.0, -1.0]}, "must not be negative"),
            ({"X": [[1.0], [2.0]], "sample_weight": [0.0, 0.0]}, "zero for every row"),
            ({"X": [[1.0], [2.0]], "gram": np.eye(2)}, "with kernel='precomputed'"),
        ],
    )
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_data(self, arguments, message, algorithm):
        with pytest.raises(ValueError, match=re.escape(message)):
            KernelKMeans(2, algorithm=algorithm).fit(**arguments)

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_kernels(self, algorithm):
        with pytest.raises(ValueError, match="needs non-negative X; the smallest value of X is -1"):
            KernelKMeans(2, kernel="chi2", algorithm=algorithm).fit([[-1.0], [2.0]])
        with pytest.raises(ValueError, match="gives NaN or infinity for some rows of X"):
            KernelKMeans(2, kernel="poly", algorithm=algorithm).fit([[1e150], [2.0], [3.0]])
        with (
            config_context(working_memory=1e-6),
            pytest.raises(ValueError, match="gives NaN or infinity for some rows of X"),
        ):
            KernelKMeans(2, kernel="poly", algorithm="lloyd").fit([[1e150], [2.0], [3.0]])
        with pytest.raises(ValueError, match="goes with a callable kernel"):
            KernelKMeans(2, kernel_params={"a": 1}, algorithm=algorithm).fit([[1.0], [2.0]])

    def test_precomputed(self, iris):
        model = KernelKMeans(3, kernel="precomputed")
        with pytest.raises(ValueError, match="needs the kernel matrix by its name, gram=K"):
            model.fit(iris)
        gram = iris @ iris.T
        model.fit(iris, gram=gram)
        with pytest.raises(ValueError, match=r"needs gram=K, the kernel of X with the training"):
            model.predict(iris)
        with pytest.raises(ValueError, match=r"gram must have shape \(2, 150\), a column for"):
            model.predict(iris[:2], gram=gram[:2, :2])
        with pytest.raises(ValueError, match=r"needs cross_gram=K"):
            model.score(iris[:2], gram=gram[:2, :2])
        with pytest.raises(ValueError, match="needs transform"):
            model.transform(iris)
        with pytest.raises(ValueError, match="gram contains NaN"):
            model.fit(iris, gram=np.full((150, 150), np.nan))

    def test_gram_without_precomputed(self, iris):
        model = KernelKMeans(3).fit(iris)
        for name in ("predict", "transform", "score"):
            with pytest.raises(ValueError, match="with kernel='precomputed'"):
                getattr(model, name)(iris, gram=np.eye(150))
        with pytest.raises(ValueError, match="with kernel='precomputed'"):
            model.score(iris, cross_gram=np.eye(150))

    def test_not_fitted(self, iris):
        for name in ("predict", "transform", "score"):
            with pytest.raises(NotFittedError):
                getattr(KernelKMeans(), name)(iris)

    @pytest.mark.skipif(not hasattr(os, "sysconf"), reason="the system does not tell its memory")
    def test_memory_that_is_not_there(self):
        X = np.arange(2_000_000.0)[:, None]
        with pytest.raises(MemoryError, match=r"for the pairs of 2,000,000 rows that differ, and"):
            KernelKMeans(2, kernel="rbf").fit(X)

    def test_much_memory_is_warned_of(self, iris):
        with (
            config_context(working_memory=0.1),
            pytest.warns(UserWarning, match="takes 0 GB for the pairs of 149 rows"),
        ):
            KernelKMeans(3, kernel="rbf").fit(iris)


@parametrize_with_checks(
    [
        KernelKMeans(),
        KernelKMeans(kernel="rbf"),
        KernelKMeans(kernel="chi2"),
        KernelKMeans(kernel="cosine"),
        KernelKMeans(algorithm="lloyd"),
        KernelKMeans(algorithm="lloyd", kernel="rbf"),
        KernelKMeans(algorithm="similarity"),
        KernelKMeans(algorithm="similarity", kernel="rbf"),
    ]
)
@pytest.mark.filterwarnings("ignore:.* clusters were found")
def test_scikit_learn_check(estimator, check):
    try:
        check(estimator)
    except (AssertionError, ValueError) as error:
        name = check.func.__name__
        if estimator.kernel == "chi2" and "needs non-negative X" in str(error):
            assert name == "check_clustering"
            pytest.xfail("the check clusters negative data, whatever the tag positive_only says")
        if estimator.algorithm != "auto" and "sample_weight_equivalence" in name:
            pytest.xfail("the starts are drawn row by row, and others are where rows repeat")
        raise
