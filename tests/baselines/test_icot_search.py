"""The search of ICOT-style trees: its criteria and their updates, its steps and its starts."""

import numpy as np
import pytest
from agathis._core.separation.dunn import Dunn, spanning_tree
from agathis._core.separation.silhouette import Silhouette
from helpers import separation as naive
from helpers.examples import examples
from helpers.invariants import valid_tree
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

from agathis.baselines import ICOT
from agathis.baselines._icot import as_repeats, distinct_rows
from agathis.baselines._icot_search import Node, RankedRows, Search, SizeLimits
from agathis.baselines._icot_starts import kmeans_tree, random_tree, starts

CRITERIA = tuple(naive.CRITERIA)
seeds = st.integers(0, 2**32 - 1)


def rows_of(random, most=14):
    """Few rows, with ties and equal rows, and weights."""
    n, d = int(random.integers(1, most + 1)), int(random.integers(1, 4))
    kind = random.integers(3)
    X = random.normal(size=(n, d))
    if kind == 0:
        X = random.integers(0, 4, (n, d)).astype(float)
    elif kind == 1:
        X = X[random.integers(0, max(1, n // 2), n)]
    weight = [np.ones(n), random.integers(1, 4, n).astype(float), random.choice([0.25, 0.5, 2], n)]
    return X, weight[random.integers(3)]


def criterion_of(name, X, weight, least=0.0, stop=None):
    distance = cdist(X, X)
    shared = distance, weight, least, np.zeros(1, np.uint8) if stop is None else stop
    return Silhouette(*shared) if name == "silhouette" else Dunn(*shared, *spanning_tree(distance))


def a_search(name, X, weight, random, **limits):
    """A search that stands at a random tree."""
    table = RankedRows.of(X, weight)
    limits = SizeLimits(**{"max_leaves": 6, "max_depth": 4, "min_weight": 0.0, **limits})
    state = np.random.RandomState(random.integers(2**31))
    root = random_tree(table, limits, limits.max_leaves, state)
    stop = np.zeros(1, dtype=np.uint8)
    criterion = criterion_of(name, X, weight, limits.min_weight)
    return Search(table, criterion, limits, state, stop, root)


class TestCriteria:
    @given(seed=seeds)
    def test_the_reference_is_the_silhouette_of_scikit_learn(self, seed):
        random = np.random.default_rng(seed)
        X = random.normal(size=(12, 2))
        labels = np.concatenate([[0, 1], random.integers(0, 4, 10)])
        assert naive.silhouette(X, labels) == pytest.approx(silhouette_score(X, labels), abs=1e-9)

    @given(seed=seeds, name=st.sampled_from(CRITERIA))
    def test_of_a_partition(self, seed, name):
        random = np.random.default_rng(seed)
        X, weight = rows_of(random)
        leaf = np.unique(random.integers(0, 5, len(X)), return_inverse=True)[1].astype(np.int32)
        value = criterion_of(name, X, weight).settle(leaf, leaf.max() + 1)
        assert value == pytest.approx(naive.CRITERIA[name](X, leaf, weight), rel=1e-9, abs=1e-9)

    @examples(200)
    @given(seed=seeds, name=st.sampled_from(CRITERIA))
    def test_of_every_cut_of_any_node(self, seed, name):
        random = np.random.default_rng(seed)
        X, weight = distinct_rows(*rows_of(random))
        least = float(random.choice([0.0, 2.0]))
        search = a_search(name, X, weight, random)
        table, n = search.table, len(X)
        criterion = criterion_of(name, X, weight, least)
        criterion.settle(search.leaf, search.n_leaves)
        nodes = [node for node, _ in search.root.nodes()]
        node = nodes[random.integers(len(nodes))]
        first, last = search._span(node)
        rows = np.flatnonzero((search.leaf >= first) & (search.leaf < last)).astype(np.int32)
        # Any parts do, not only those that subtrees make.
        n_left, n_parts = int(random.integers(1, 4)), 4
        left = random.integers(0, n_left, n).astype(np.int32)
        right = random.integers(n_left, n_parts, n).astype(np.int32)
        criterion.look(first, last, rows, left, right, n_parts)
        for feature in range(X.shape[1]):
            order = table.order[feature][np.isin(table.order[feature], rows)]
            expected = []
            for place in range(-1, len(order) - 1):
                leaf = search.leaf + n_parts
                leaf[order[: place + 1]] = left[order[: place + 1]]
                leaf[order[place + 1 :]] = right[order[place + 1 :]]
                size = np.bincount(leaf, weight, minlength=n_parts)[:n_parts]
                covered = np.bincount(leaf, minlength=n_parts)[:n_parts]
                fits = covered.min() > 0 and size.min() >= least
                expected.append(naive.CRITERIA[name](X, leaf, weight) if fits else -np.inf)
                if place >= 0:
                    cut = np.zeros(len(order), dtype=np.uint8)
                    cut[place] = 1
                    value, result = criterion.scan(order, cut)
                    assert value == pytest.approx(expected[-1], rel=1e-9, abs=1e-9)
                    assert result == (place if fits else -1)
            assert criterion.value() == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
            if len(order) > 1:
                value, result = criterion.scan(order, np.ones(len(order), dtype=np.uint8))
                assert value == pytest.approx(max(expected[1:]), rel=1e-9, abs=1e-9)
                if result >= 0:
                    assert expected[1 + result] == pytest.approx(value, rel=1e-9, abs=1e-9)

    @given(seed=seeds)
    def test_weights_do_not_matter_to_dunn(self, seed):
        random = np.random.default_rng(seed)
        X, weight = rows_of(random)
        leaf = np.unique(random.integers(0, 3, len(X)), return_inverse=True)[1].astype(np.int32)
        values = [
            criterion_of("dunn", X, w).settle(leaf, leaf.max() + 1) for w in (weight, weight**0)
        ]
        assert values[0] == values[1]

    @given(seed=seeds)
    def test_spanning_tree(self, seed):
        random = np.random.default_rng(seed)
        X = random.normal(size=(int(random.integers(1, 20)), 2))
        distance = cdist(X, X)
        edges, length = spanning_tree(distance)
        assert length.sum() == pytest.approx(minimum_spanning_tree(distance).sum())
        np.testing.assert_array_equal(length, np.sort(length))
        np.testing.assert_array_equal(length, distance[edges[:, 0], edges[:, 1]])

    def test_one_row_that_weighs_one_in_parts_is_one_row(self):
        X = np.array([[0.0], [0.0], [1.0], [3.0]])
        leaf = np.array([0, 0, 1, 1], dtype=np.int32)
        weight = np.array([0.5, 0.5, 1.0, 1.0])
        once = criterion_of("silhouette", X[1:], np.ones(3)).settle(leaf[1:].copy(), 2)
        assert criterion_of("silhouette", X, weight).settle(leaf, 2) == pytest.approx(once)

    def test_a_stopped_scan_has_no_result(self):
        X = np.arange(5.0)[:, None]
        stop = np.ones(1, dtype=np.uint8)
        criterion = criterion_of("silhouette", X, np.ones(5), stop=stop)
        criterion.settle(np.zeros(5, np.int32), 1)
        rows = np.arange(5, dtype=np.int32)
        criterion.look(0, 1, rows, np.zeros(5, np.int32), np.ones(5, np.int32), 2)
        assert criterion.scan(rows, np.ones(5, np.uint8)) == (-np.inf, -1)


class TestSearch:
    @given(seed=seeds, name=st.sampled_from(CRITERIA), greedy=st.booleans())
    def test_every_step_improves(self, seed, name, greedy):
        random = np.random.default_rng(seed)
        X, weight = distinct_rows(*rows_of(random, most=25))
        search = a_search(name, X, weight, random)
        if greedy:
            search.grow()
        search.improve()
        assert np.all(np.diff(search.values) > 0) or np.inf in search.values
        assert search.value == search.values[-1]
        expected = naive.CRITERIA[name](X, search.leaf, weight)
        assert search.value == pytest.approx(expected, rel=1e-9, abs=1e-9)

    @examples(60)
    @example(seed=2062, criterion="silhouette", n_clusters=4, max_depth=2, least=1)
    @given(
        seed=seeds,
        criterion=st.sampled_from(CRITERIA),
        n_clusters=st.integers(1, 5),
        max_depth=st.integers(1, 3),
        least=st.integers(1, 3),
    )
    def test_the_tree_is_a_local_optimum(self, seed, criterion, n_clusters, max_depth, least):
        random = np.random.default_rng(seed)
        X, weight = rows_of(random)
        n_clusters = min(n_clusters, len(X))
        model = ICOT(
            n_clusters,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_leaf=least,
            n_init=3,
            random_state=seed,
            n_jobs=1,
        ).fit(X, sample_weight=weight)
        valid_tree(
            model.tree_,
            X,
            model.labels_,
            weight,
            n_clusters,
            max_depth=max_depth,
            min_samples_leaf=least,
            max_leaf_nodes=n_clusters,
            kauri=False,
        )
        # Weights that are not whole are scaled, and what a leaf must weigh with them; 1, the
        # default, is no limit.
        counts = as_repeats(weight, len(X))
        least = 0.0 if least == 1 else least * counts[0] / weight[0] * (1 - 1e-12)
        limits = counts, criterion, n_clusters, max_depth, least
        tree = naive.as_tuples(model.tree_)
        result = model.criterion_value_
        if model.n_leaves_ > 1:
            assert result == pytest.approx(naive.judged(tree, X, *limits), rel=1e-9, abs=1e-9)
        else:
            assert result == 0.0
        known = dict(naive.gaps(tree, X))
        around = [new for new in naive.neighbours(tree, X) if not naive.in_gaps(new, X, known)]
        around = max((naive.judged(new, X, *limits) for new in around), default=0.0)
        assert around <= result + 1e-9 * max(1.0, abs(result))

    def test_a_bad_start_is_left(self):
        # Two groups of two, first parted across.
        X = np.array([[0.0, 0.0], [0.1, 1.0], [9.0, 0.0], [9.1, 1.0]])
        search = a_search("silhouette", X, np.ones(4), np.random.default_rng(0))
        search.root = Node(1, 0, Node(), Node())
        search._settle()
        assert search.value < 0
        search.improve()
        assert search.root.feature == 0
        np.testing.assert_array_equal(search.leaf, [0, 0, 1, 1])

    def test_only_the_widest_gaps_are_looked_at(self):
        X = np.array([0.0, 1, 2, 3, 50, 51, 52, 60, 61])[:, None]
        search = a_search("silhouette", X, np.ones(9), np.random.default_rng(0), max_candidates=2)
        order = np.arange(9, dtype=np.int32)
        np.testing.assert_array_equal(np.flatnonzero(search._candidates(0, order)), [3, 6])
        np.testing.assert_array_equal(np.flatnonzero(search._candidates(0, order[:3])), [0, 1])


class TestStarts:
    @given(seed=seeds, least=st.sampled_from([0.0, 2.0, 5.0]), max_depth=st.integers(1, 3))
    def test_keep_the_limits(self, seed, least, max_depth):
        random = np.random.default_rng(seed)
        X, weight = rows_of(random, most=25)
        X, weight = distinct_rows(X, weight)
        table = RankedRows.of(X, weight)
        limits = SizeLimits(max_leaves=4, max_depth=max_depth, min_weight=least * (1 - 1e-12))
        state = np.random.RandomState(seed)
        for root in (
            random_tree(table, limits, 4, state),
            kmeans_tree(table, limits, 4, state),
            *(start.root for start in starts(table, limits, np.arange(7))),
        ):
            leaf = np.zeros(len(X), dtype=np.int32)
            n_leaves = table.assign_leaves(root, np.arange(len(X)), leaf)
            assert n_leaves == root.n_leaves() <= 4
            assert max(depth for _, depth in root.nodes()) <= max_depth
            assert len(np.unique(leaf)) == n_leaves
            if n_leaves > 1:
                assert np.bincount(leaf, weight).min() >= least * (1 - 1e-9)

    def test_in_turn(self):
        X, _ = make_blobs(60, 2, centers=3, random_state=0)
        made = starts(RankedRows.of(X, np.ones(60)), SizeLimits(3, 5, 0.0), np.arange(9))
        assert [start.greedy for start in made] == [False, True, False] * 3
        leaves = [start.root.n_leaves() for start in made]
        assert leaves[0] == leaves[1] == leaves[4] == leaves[7] == 1
        assert [leaves[2], leaves[5], leaves[8]] == [3, 2, 3]
        assert leaves[3] > 1
        assert leaves[6] > 1

    def test_kmeans_tree_of_blobs(self):
        X, y = make_blobs(90, 2, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
        table = RankedRows.of(X, np.ones(90))
        root = kmeans_tree(table, SizeLimits(8, 5, 0.0), 3, np.random.RandomState(0))
        leaf = np.zeros(90, dtype=np.int32)
        table.assign_leaves(root, np.arange(90), leaf)
        assert adjusted_rand_score(y, leaf) == 1.0
