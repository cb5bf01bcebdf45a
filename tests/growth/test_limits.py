"""Each limit alone, and the draws of max_features."""

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from agathis._core.search.mutable_tree import MutableTree
from agathis._core.search.node_splits import node_splits
from agathis._core.shared.limits import LIMITS, UNLIMITED
from helpers.examples import examples, mostly_slow
from helpers.invariants import equal_trees, valid_tree
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris

from agathis import Kauri, compare, fit_table
from agathis._growth.engines.exact import ExactPointEngine
from agathis._growth.engines.pairwise import PairwiseEngine
from agathis._growth.limits import Constraints, Limits
from agathis._search.rows import SearchRows
from agathis.baselines import ExKMC, KMeansTree


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(200, 2))


@pytest.fixture(scope="module")
def free(X):
    """The tree without limits."""
    tree = Kauri(4, kernel="rbf", gamma=5.0, max_leaf_nodes=None).fit(X).tree_
    assert tree.n_leaves > 12
    return tree


@contextmanager
def spied_searches():
    """Every search of leaves: their slots, the features drawn and the gains found."""
    seen = []

    def spied(search):
        def spy(gain_engine, leaf_indices, drawn, floor):
            search(gain_engine, leaf_indices, drawn, floor)
            seen.append(
                {
                    "slots": leaf_indices,
                    "drawn": drawn,
                    "gain": gain_engine.gain[leaf_indices].copy(),
                }
            )

        return spy

    with pytest.MonkeyPatch.context() as patched:
        for gain_engine in (PairwiseEngine, ExactPointEngine):
            patched.setattr(gain_engine, "search", spied(gain_engine.search))
        yield seen


class TestLimits:
    """Each limit alone, on data whose unlimited tree breaks it."""

    def tree(self, X, **limits):
        model = Kauri(4, kernel="rbf", gamma=5.0, **{"max_leaf_nodes": None, **limits}).fit(X)
        limits.pop("max_features", None)
        valid_tree(model.tree_, X, model.labels_, n_clusters=4, **limits)
        return model.tree_

    @pytest.mark.parametrize("limit", [2, 3, 4, 12])
    def test_max_leaf_nodes(self, X, free, limit):
        tree = self.tree(X, max_leaf_nodes=limit)
        assert tree.n_leaves == limit
        # Growth is greedy: a smaller tree is how a larger one began.
        inner = ~tree.is_leaf
        np.testing.assert_array_equal(tree.threshold[inner], free.threshold[: len(inner)][inner])

    def test_max_leaf_nodes_out_of_reach(self, X, free):
        equal_trees(self.tree(X, max_leaf_nodes=10_000), free)

    @pytest.mark.parametrize("limit", [1, 2, 4])
    def test_max_depth(self, X, free, limit):
        assert free.max_depth > limit
        tree = self.tree(X, max_depth=limit)
        assert tree.max_depth == limit
        assert tree.n_leaves <= 2**limit

    @pytest.mark.parametrize(("limit", "least"), [(2, 2), (30, 30), (0.3, 60), (1.0, 200)])
    def test_min_samples_split(self, X, free, limit, least):
        tree = self.tree(X, min_samples_split=limit)
        cut = tree.n_node_samples[~tree.is_leaf]
        assert len(cut) > 0
        assert cut.min() >= least
        if least > 2:
            assert free.n_node_samples[~free.is_leaf].min() < least

    @pytest.mark.parametrize(("limit", "leaves"), [(2, 4), (3, 2), (4, 2), (5, 1)])
    def test_a_node_of_just_min_samples_split_is_cut(self, limit, leaves):
        X = np.array([[0.0], [1.0], [10.0], [11.0]])
        assert Kauri(4, min_samples_split=limit, max_leaf_nodes=None).fit(X).n_leaves_ == leaves

    @pytest.mark.parametrize(("limit", "least"), [(1, 1), (10, 10), (100, 100), (0.05, 10)])
    def test_min_samples_leaf(self, X, free, limit, least):
        tree = self.tree(X, min_samples_leaf=limit)
        assert tree.n_leaves > 1
        assert tree.n_node_samples[tree.is_leaf].min() >= least
        if least > 1:
            assert free.n_node_samples[free.is_leaf].min() < least

    def test_min_samples_leaf_that_no_cut_can_give(self, X):
        assert self.tree(X, min_samples_leaf=101).n_leaves == 1

    def test_samples_count_by_weight(self, X):
        weight = np.random.default_rng(0).integers(1, 4, len(X))
        for limit in ({"min_samples_leaf": 20}, {"min_samples_split": 40}):
            model = Kauri(4, kernel="rbf", gamma=5.0, max_leaf_nodes=None, **limit).fit(
                X, sample_weight=weight
            )
            twins = Kauri(4, kernel="rbf", gamma=5.0, max_leaf_nodes=None, **limit).fit(
                np.repeat(X, weight, axis=0)
            )
            np.testing.assert_array_equal(model.tree_.threshold, twins.tree_.threshold)
            np.testing.assert_array_equal(
                model.tree_.weighted_n_node_samples, twins.tree_.n_node_samples
            )

    @given(SEEDS, SEEDS, st.sampled_from([1, 0.25, "sqrt", "log2", 3]))
    @examples(25)
    def test_max_features(self, rows, seed, limit):
        X = np.random.default_rng(rows).normal(size=(60, 8))
        best = Kauri(3, max_leaf_nodes=2).fit(X).tree_
        tree = Kauri(3, max_features=limit, max_leaf_nodes=2, random_state=seed).fit(X).tree_
        assert tree.gain[0] <= best.gain[0] * (1 + 1e-9)

    @pytest.mark.parametrize("limit", [1, 0.25, "sqrt", "log2", 3])
    def test_max_features_draws_several(self, limit):
        X = np.random.default_rng(0).normal(size=(60, 8))
        # Fixed seeds: any few draws may be of the same features.
        models = [
            Kauri(3, max_features=limit, max_leaf_nodes=2, random_state=seed) for seed in range(25)
        ]
        assert len({int(model.fit(X).tree_.feature[0]) for model in models}) > 2

    def test_every_leaf_draws_anew_for_each_split(self, searches):
        X = np.random.default_rng(0).normal(size=(400, 4))
        tree = Kauri(6, max_features=1, max_leaf_nodes=6, random_state=0).fit(X).tree_
        assert tree.n_leaves == 6
        assert tree.n_node_samples.min() > 1  # so that no leaf is closed
        assert sum(len(search["drawn"]) for search in searches) == 1 + 2 + 3 + 4 + 5

    def test_how_many_features_each_word_means(self, searches):
        X = np.random.default_rng(0).normal(size=(60, 9))
        counts = {}
        for limit in (1, 4, 0.5, 0.01, "sqrt", "log2"):
            searches.clear()
            Kauri(3, max_features=limit, random_state=0, max_leaf_nodes=None).fit(X)
            drawn = {int(n) for search in searches for n in search["drawn"].sum(axis=1)}
            assert len(drawn) == 1
            counts[limit] = drawn.pop()
        assert counts == {1: 1, 4: 4, 0.5: 4, 0.01: 1, "sqrt": 3, "log2": 3}

    @pytest.mark.parametrize("limit", [2, 1.0])
    def test_all_features_is_no_limit(self, X, free, limit):
        equal_trees(self.tree(X, max_features=limit), free)

    def test_features_are_drawn_anew_for_each_search(self, searches):
        X = np.random.default_rng(0).normal(size=(60, 5))
        Kauri(3, kernel="rbf", max_features=2, random_state=0, max_leaf_nodes=None).fit(X)
        drawn = [tuple(row) for search in searches for row in search["drawn"]]
        assert {sum(row) for row in drawn} == {2}
        of_one_leaf = {tuple(search["drawn"][0]) for search in searches if search["slots"][0] == 0}
        assert len(of_one_leaf) > 3

    @given(SEEDS, st.integers(0, 9))
    @examples(15)
    def test_only_features_with_a_threshold_are_drawn(self, seed, place):
        X = np.zeros((60, 10))
        X[:, place] = np.random.default_rng(0).normal(size=60)
        with spied_searches() as searches:
            model = Kauri(3, max_features=1, random_state=seed, max_leaf_nodes=None).fit(X)
        assert model.n_leaves_ >= 3
        assert {int(np.argmax(row)) for search in searches for row in search["drawn"]} == {place}

    @pytest.fixture
    def searches(self):
        with spied_searches() as seen:
            yield seen


class TestOneLeafPerCluster:
    """The default of every tree, ``max_leaf_nodes="auto"``."""

    @pytest.mark.parametrize("search", ["greedy", "local", "optimal"])
    @pytest.mark.parametrize("n_clusters", [2, 3])
    def test_of_every_search(self, iris, search, n_clusters):
        model = Kauri(n_clusters, search=search, random_state=0).fit(iris)
        asked = clone(model).set_params(max_leaf_nodes=n_clusters).fit(iris)
        assert model.max_leaf_nodes == "auto"
        assert model.n_leaves_ == n_clusters
        equal_trees(model.tree_, asked.tree_)

    def test_ten_digits_are_ten_rules(self):
        X = load_digits().data
        model = Kauri(10).fit(X)
        assert (model.n_leaves_, model.n_clusters_) == (10, 10)
        free = Kauri(10, max_leaf_nodes=None).fit(X)
        assert free.n_leaves_ > 100
        assert free.inertia_ < model.inertia_

    def test_at_least_two(self, iris):
        assert Kauri(1, search="local").fit(iris).n_leaves_ == 1
        tree = KMeansTree(1, random_state=0).fit(iris).tree_
        assert tree.n_leaves == 1

    @pytest.mark.parametrize("method", [ExKMC, KMeansTree])
    def test_of_baselines(self, iris, method):
        model = method(3, random_state=0).fit(iris)
        asked = method(3, max_leaf_nodes=3, random_state=0).fit(iris)
        assert model.n_leaves_ == 3
        equal_trees(model.tree_, asked.tree_)
        assert method(3, max_leaf_nodes=None, random_state=0).fit(iris).n_leaves_ > 3

    def test_of_labels_that_are_given(self, iris):
        labels = np.repeat(["a", "b", "c", "d", "e"], 30)
        assert KMeansTree(2).fit(iris, labels=labels).n_leaves_ == 5

    def test_of_tables_and_comparisons(self):
        table = load_iris(as_frame=True).data
        assert fit_table(table, 3, search="greedy")[-1].n_leaves_ == 3
        free = fit_table(table, 3, max_leaf_nodes=None, search="greedy")[-1]
        assert free.n_leaves_ > 3
        settings = {"n_clusters": 3, "methods": ["Kauri", "ExKMC"], "n_runs": 1}
        for leaves, more in (("auto", False), (None, True)):
            runs, _ = compare(
                table.to_numpy(), **settings, max_leaf_nodes=leaves, random_state=0, verbose=False
            )
            assert [n > 3 for n in runs["leaves"]] == [more, more]


class TestRandomness:
    def test_same_seed_same_tree(self, iris):
        first = Kauri(4, max_features=1, random_state=7, max_leaf_nodes=None).fit(iris)
        equal_trees(
            first.tree_,
            Kauri(4, max_features=1, random_state=7, max_leaf_nodes=None).fit(iris).tree_,
        )
        equal_trees(first.tree_, clone(first).fit(iris).tree_)
        generator = np.random.RandomState(7)
        equal_trees(
            first.tree_,
            Kauri(4, max_features=1, random_state=generator, max_leaf_nodes=None).fit(iris).tree_,
        )

    def test_seeds_differ(self, iris):
        trees = [
            Kauri(4, max_features=1, random_state=s, max_leaf_nodes=None).fit(iris).tree_
            for s in range(10)
        ]
        assert len({tree.threshold.tobytes() for tree in trees}) > 1

    def test_nothing_else_is_random(self, iris):
        trees = [
            Kauri(4, random_state=seed, max_leaf_nodes=None).fit(iris).tree_
            for seed in (0, 1, None)
        ]
        equal_trees(trees[0], trees[1])
        equal_trees(trees[0], trees[2])

    @pytest.mark.parametrize(
        "options", mostly_slow([{}, {"max_features": 1, "random_state": 0}], {})
    )
    def test_threads_do_not_matter(self, options):
        X = np.random.default_rng(0).normal(size=(1500, 6))
        models = [
            Kauri(6, kernel="rbf", n_jobs=jobs, **{"max_leaf_nodes": None, **options})
            for jobs in (1, 2, 3, -1, None)
        ]
        trees = [model.fit(X).tree_ for model in models]
        for tree in trees[1:]:
            equal_trees(trees[0], tree)
            np.testing.assert_array_equal(trees[0].gain, tree.gain)


class TestResolved:
    """Constraints as the user asks, limits as the code checks them."""

    rows = SimpleNamespace(n_counted=40, total_weight=80.0)

    def test_fractions_are_of_the_weight_and_numbers_are_weights(self):
        found = Constraints(12, 3, 0.25, 4).resolve(self.rows, 5)
        assert (found.n_clusters, found.max_leaves, found.max_depth) == (5, 12, 3)
        assert_allclose([found.min_split, found.min_leaf], [20.0, 4.0], rtol=1e-9)
        assert Constraints().resolve(self.rows, 5) == Limits(5, 5)
        assert Constraints(max_leaf_nodes=None).resolve(self.rows, 5) == Limits(5, 40)

    def test_a_record_holds_what_compiled_loops_read(self):
        record = Limits(5, 12, 3, 20.0, 4.0).record
        assert record.dtype == LIMITS
        assert record.tolist() == [(20.0, 4.0, 3, 12)]
        assert Limits(5, 2**40).record.tolist() == [(0.0, 0.0, UNLIMITED, UNLIMITED)]

    @pytest.mark.parametrize("record", [np.zeros(2, LIMITS), np.zeros(0, LIMITS), np.zeros(1)])
    def test_other_records_are_refused(self, record):
        rows = SearchRows.of(np.eye(4), np.eye(4), np.ones(4), np.arange(4))
        with pytest.raises(ValueError, match=r"one record|Buffer dtype mismatch"):
            node_splits(MutableTree(rows, 2, 2), 0, 1, record)

    @pytest.mark.parametrize(
        "limits",
        [
            {"max_leaves": -1},
            {"n_clusters": -1},
            {"max_depth": -1},
            {"min_leaf": 1e-6},
            {"min_split": 1e-6},
        ],
    )
    def test_trees_are_allowed_up_to_their_limits(self, free, limits):
        weight = free.weighted_n_node_samples
        own = Limits(
            free.n_clusters,
            free.n_leaves,
            free.max_depth,
            weight[~free.is_leaf].min(),
            weight[free.is_leaf].min(),
        )
        assert own.allows_tree(free)
        assert own.scaled(0.5).allows_tree(free)
        ((name, by),) = limits.items()
        assert not replace(own, **{name: getattr(own, name) + by}).allows_tree(free)

    def test_a_node_may_be_split_above_its_depth_and_with_its_weight(self):
        limits = Limits(2, 4, max_depth=2, min_split=3.0)
        assert limits.allows_split(1, 3.0)
        assert not limits.allows_split(2, 3.0)
        assert not limits.allows_split(1, 2.9)
        assert Limits(2, 4).allows_split(100, 0.0)
