"""Small, degenerate and extreme data."""

import numpy as np
import pytest
from helpers import reference as _reference
from helpers.examples import examples
from helpers.invariants import same_tree, valid_tree
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics.pairwise import pairwise_kernels

from agathis import Kauri
from agathis._checks.data import NEGLIGIBLE

KERNELS = ["linear", "rbf", "cosine", "laplacian", "poly"]
LARGEST = np.finfo(np.float64).max
SMALLEST = np.nextafter(0.0, 1.0)


def fit(X, n_clusters, *, gram=None, weight=None, **params):
    """A fitted model whose tree is a valid one, and whose figures are finite."""
    if gram is not None:
        params["kernel"] = "precomputed"
    X = np.asarray(X, dtype=float)
    model = Kauri(n_clusters, **{"max_leaf_nodes": None, **params}).fit(
        X, gram=gram, sample_weight=weight
    )
    limits = {k: v for k, v in params.items() if k.startswith(("min_", "max_"))}
    if weight is not None:  # what is too small to be told from rounding counts as 0
        weight = np.where(np.asarray(weight) > NEGLIGIBLE * np.max(weight), weight, 0.0)
    valid_tree(model.tree_, X, model.labels_, weight, n_clusters, **limits)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert np.isfinite(model.objective_)
    assert np.isfinite(model.inertia_)
    return model


def alike(groups):
    """A kernel of ones within groups, zeros between."""
    groups = np.asarray(groups)
    return (groups[:, None] == groups).astype(float)


class TestFewRows:
    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    @pytest.mark.parametrize("kernel", KERNELS)
    def test_one(self, kernel, engine):
        model = fit([[3.0, 4.0]], 1, kernel=kernel, engine=engine)
        assert model.labels_.tolist() == [0]
        assert (model.n_leaves_, model.n_clusters_) == (1, 1)
        assert model.inertia_ == pytest.approx(0, abs=1e-12)
        assert model.feature_importances_.tolist() == [0, 0]
        assert model.objective_ == pytest.approx(model.score([[3.0, 4.0]]))

    def test_one_precomputed(self):
        model = fit([[3.0]], 1, gram=[[7.0]])
        assert model.objective_ == 7.0
        assert model.score([[3.0]], gram=[[7.0]]) == 7.0

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    @pytest.mark.parametrize("kernel", KERNELS)
    def test_two(self, kernel, engine):
        X = [[3.0, 4.0], [5.0, -1.0]]
        model = fit(X, 2, kernel=kernel, engine=engine)
        assert model.labels_.tolist() == [0, 1]
        assert model.tree_.feature[0] == 0
        assert model.tree_.threshold[0] == 4.0
        assert model.inertia_ == pytest.approx(0, abs=1e-9)
        assert fit(X, 1, kernel=kernel, engine=engine).n_leaves_ == 1

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    @pytest.mark.parametrize("kernel", KERNELS)
    @pytest.mark.parametrize("n_clusters", [1, 2, 3])
    def test_three(self, kernel, n_clusters, engine):
        X = np.array([[0.0, 1.0], [1.0, 7.0], [5.0, 2.0]])
        model = fit(X, n_clusters, kernel=kernel, engine=engine)
        assert model.n_clusters_ == n_clusters
        gram = pairwise_kernels(X, metric=kernel, **({"degree": 3} if kernel == "poly" else {}))
        total = sum(
            gram[np.ix_(model.labels_ == k, model.labels_ == k)].sum() / (model.labels_ == k).sum()
            for k in range(n_clusters)
        )
        assert model.objective_ == pytest.approx(total)

    def test_weights_of_0_leave_one_row(self):
        model = fit([[1.0], [2.0], [3.0]], 1, weight=[0, 5, 0])
        assert model.labels_.tolist() == [0, 0, 0]
        assert model.tree_.n_node_samples.tolist() == [1]
        assert model.tree_.weighted_n_node_samples.tolist() == [5]


class TestClusters:
    @pytest.mark.parametrize("kernel", KERNELS)
    def test_one_cluster_is_one_leaf(self, kernel):
        model = fit(load_iris().data, 1, kernel=kernel)
        assert model.n_leaves_ == 1
        assert (model.labels_ == 0).all()

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
    def test_as_many_as_rows(self, kernel):
        X = np.random.default_rng(0).normal(size=(25, 3))
        model = fit(X, 25, kernel=kernel)
        assert sorted(model.labels_) == list(range(25))
        assert model.n_leaves_ == 25

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "cosine", "laplacian"])
    @given(SEEDS, st.sampled_from([0, 1e3, 1e6]))
    @examples(40)
    def test_a_sum_of_squared_distances_is_never_negative(self, kernel, seed, offset):
        X = np.random.default_rng(seed).normal(size=(12, 2)) + offset
        assert Kauri(12, kernel=kernel, max_leaf_nodes=None).fit(X).inertia_ >= 0

    def test_a_perfect_partition_has_no_minus_zero(self):
        assert str(Kauri(1, max_leaf_nodes=None).fit([[5.0], [5.0]]).inertia_) == "0.0"

    def test_more_than_distinct_rows(self):
        X = np.repeat([[0.0, 0.0], [3.0, 1.0], [9.0, 4.0]], 5, axis=0)
        model = fit(X, 8)
        assert model.n_clusters_ == model.n_leaves_ == 3
        assert model.inertia_ == pytest.approx(0, abs=1e-9)


class TestEqualValues:
    @pytest.mark.parametrize("kernel", KERNELS)
    @pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e6, 1e-300])
    def test_all_rows_equal(self, kernel, value):
        if value == 0 and kernel == "cosine":
            value = 1.0
        model = fit(np.full((30, 3), value), 4, kernel=kernel)
        assert (model.n_leaves_, model.n_clusters_) == (1, 1)
        assert (model.labels_ == 0).all()

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_constant_features(self, place):
        x = make_blobs(40, 1, centers=3, random_state=0)[0]
        X = np.insert(np.full((40, 2), 0.1), place, x[:, 0], axis=1)
        model, alone = fit(X, 3), fit(x, 3)
        assert set(model.tree_.feature[~model.tree_.is_leaf]) == {place}
        np.testing.assert_array_equal(model.labels_, alone.labels_)
        np.testing.assert_array_equal(model.tree_.threshold, alone.tree_.threshold)
        assert model.feature_importances_[place] == 1.0

    def test_only_constant_features_but_a_kernel_that_differs(self):
        model = fit(np.ones((6, 2)), 3, gram=alike([0, 0, 1, 1, 2, 2]))
        assert model.n_leaves_ == 1

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
    def test_duplicate_rows_stay_together(self, kernel):
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(15, 2))
        X = rows[rng.integers(0, 15, 80)]
        model = fit(X, 6, kernel=kernel)
        for row in rows:
            assert len(set(model.labels_[(row == X).all(axis=1)])) <= 1

    def test_duplicate_rows_are_weights(self):
        rng = np.random.default_rng(0)
        rows, times = rng.normal(size=(20, 2)), rng.integers(1, 5, 20)
        repeated = fit(np.repeat(rows, times, axis=0), 4)
        weighted = fit(rows, 4, weight=times)
        same_tree(repeated.tree_, weighted.tree_, gains=1e-9, counts=False)
        np.testing.assert_array_equal(repeated.labels_, np.repeat(weighted.labels_, times))

    def test_a_kernel_of_equal_values(self):
        X = np.random.default_rng(0).normal(size=(20, 2))
        for value in (1.0, 0.1, -3.0, 1e9):
            model = fit(X, 4, gram=np.full((20, 20), value))
            assert model.n_leaves_ == 1
            assert model.objective_ == pytest.approx(20 * value)

    def test_a_kernel_of_zeros(self):
        model = fit(np.random.default_rng(0).normal(size=(20, 2)), 4, gram=np.zeros((20, 20)))
        assert (model.n_leaves_, model.objective_, model.inertia_) == (1, 0.0, 0.0)

    def test_an_identity_kernel(self):
        # Every row is as far from every other: a cluster fewer costs 1, whichever rows it joins.
        model = fit(np.arange(10.0)[:, None], 3, gram=np.eye(10))
        assert model.n_clusters_ == 3
        assert model.objective_ == pytest.approx(3)

    def test_one_feature(self):
        x = np.array([0, 1, 2, 10, 11, 12, 50, 51.0])
        model = fit(x[:, None], 3)
        assert sorted(model.tree_.threshold[~model.tree_.is_leaf]) == [6.0, 31.0]
        np.testing.assert_array_equal(model.labels_ == model.labels_[0], x < 5)

    def test_a_row_of_zeros_and_cosine(self):
        model = fit([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 3.0]], 3, kernel="cosine")
        assert model.labels_[1] == model.labels_[2] != model.labels_[3]


class TestAdjacentFloats:
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize(
        "low", [1.0, 0.1, 0.0, -0.0, -1.0, 1e-300, 1e16, 1e300, -1e16, SMALLEST, -SMALLEST, 3e-310]
    )
    def test_no_row_fails_its_own_threshold(self, low, dtype):
        if dtype is np.float32 and not (low == 0 or 1e-30 < abs(low) < 1e30):
            pytest.skip("not a float32")
        low = dtype(low)
        high = np.nextafter(low, dtype(np.inf))
        X = np.array([[low], [low], [high], [high]])
        model = fit(X, 2, gram=alike([0, 0, 1, 1]))
        assert model.labels_.tolist() == [0, 0, 1, 1]
        assert float(low) <= model.tree_.threshold[0] < float(high)
        assert model.predict(X).tolist() == [0, 0, 1, 1]

    @pytest.mark.parametrize("start", [1.0, -1.0, 0.1, 1e15, -1e-300])
    def test_a_run_of_neighbours(self, start):
        values = [start]
        for _ in range(11):
            values.append(np.nextafter(values[-1], np.inf))
        X = np.random.default_rng(0).permutation(values)[:, None]
        model = fit(X, 12, gram=np.eye(12))
        assert model.n_leaves_ == 12
        assert sorted(model.labels_) == list(range(12))


class TestExtremes:
    def test_subnormal_features(self):
        X = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0]]) * SMALLEST
        model = fit(X, 6, gram=np.eye(6))
        assert model.n_leaves_ == 6

    def test_subnormal_features_and_their_own_kernel(self):
        # Their products are 0, so there is nothing to gain; and nothing else goes wrong.
        model = fit(np.random.default_rng(0).normal(size=(20, 2)) * 1e-310, 3)
        assert model.n_leaves_ == 1

    @pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e-10, 1e10, 1e100, 1e150])
    def test_the_scale_of_the_data_does_not_matter(self, scale):
        X = np.random.default_rng(0).normal(size=(40, 2))
        # A power of two, so that scaling loses no digits.
        scale = 2.0 ** np.round(np.log2(scale))
        model, scaled = fit(X, 3), fit(X * scale, 3)
        np.testing.assert_array_equal(model.labels_, scaled.labels_)
        np.testing.assert_allclose(
            scaled.tree_.threshold[~scaled.tree_.is_leaf],
            model.tree_.threshold[~model.tree_.is_leaf] * scale,
        )

    @pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
    def test_the_scale_of_the_kernel_does_not_matter(self, scale):
        X = np.random.default_rng(0).normal(size=(40, 2))
        gram = X @ X.T
        model, scaled = fit(X, 3, gram=gram), fit(X, 3, gram=gram * scale)
        np.testing.assert_array_equal(model.labels_, scaled.labels_)

    def test_the_largest_floats(self):
        # In this order, or scikit-learn's own sum of them overflows.
        X = np.array([[-1e308], [1e308], [-1.1e308], [1.1e308], [-1.2e308], [1.2e308]])
        model = fit(X, 2, gram=alike([0, 1, 0, 1, 0, 1]))
        assert model.labels_.tolist() == [0, 1, 0, 1, 0, 1]
        assert abs(model.tree_.threshold[0]) < 1e293
        model = fit(X, 6, gram=np.eye(6))
        assert model.n_leaves_ == 6

    def test_neighbours_of_the_largest_float(self):
        X = np.array([[LARGEST], [-LARGEST], [np.nextafter(LARGEST, 0)], [-LARGEST]])
        model = fit(X, 3, gram=alike([0, 1, 2, 1]))
        assert model.n_clusters_ == 3
        assert np.isfinite(model.tree_.threshold).all()

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
    @pytest.mark.parametrize("offset", [1e3, 1e6, -1e6, 1e8])
    def test_big_offsets(self, kernel, offset):
        # Multiples of 1/64: the shift itself loses no digits.
        X = np.round(load_iris().data * 64) / 64
        params = {"kernel": kernel, "max_leaf_nodes": 10}
        near, far = fit(X, 4, **params), fit(X + offset, 4, **params)
        np.testing.assert_array_equal(near.labels_, far.labels_)
        np.testing.assert_array_equal(near.tree_.feature, far.tree_.feature)
        assert far.inertia_ == pytest.approx(near.inertia_, rel=1e-6)

    def test_offsets_of_single_features(self):
        X = np.round(load_iris().data * 64) / 64
        far = fit(X + [0, 1e6, -1e7, 3e5], 4)
        np.testing.assert_array_equal(far.labels_, fit(X, 4).labels_)


class TestSignedZero:
    def test_zeros_are_equal(self):
        X = np.array([[0.0], [-0.0], [0.0], [-0.0]])
        assert fit(X, 4, gram=np.eye(4)).n_leaves_ == 1

    @pytest.mark.parametrize("zero", [0.0, -0.0])
    def test_zero_against_its_neighbours(self, zero):
        X = np.array([[zero], [SMALLEST], [-zero], [-SMALLEST]])
        model = fit(X, 3, gram=alike([0, 1, 0, 2]))
        assert model.n_clusters_ == 3
        assert model.predict([[0.0]]) == model.predict([[-0.0]])


class TestWeights:
    @pytest.mark.parametrize("scale", [1e-12, 1e-6, 1 / 150, 1e6, 1e12])
    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_their_scale_does_not_matter(self, scale, kernel):
        # Not that default limits count samples: weights that sum to 1 grow the same tree.
        X = load_iris().data
        model = fit(X, 4, kernel=kernel)
        scaled = fit(X, 4, kernel=kernel, weight=np.full(150, scale))
        np.testing.assert_array_equal(model.tree_.threshold, scaled.tree_.threshold)
        np.testing.assert_array_equal(model.labels_, scaled.labels_)
        assert scaled.objective_ == pytest.approx(model.objective_ * scale)
        assert scaled.tree_.weighted_n_node_samples[0] == pytest.approx(150 * scale)
        assert scaled.tree_.n_node_samples[0] == 150

    def test_random_weights_that_sum_to_1(self):
        X = load_iris().data
        weight = np.random.default_rng(0).uniform(0.1, 2, 150)
        model, scaled = fit(X, 4, weight=weight), fit(X, 4, weight=weight / weight.sum())
        np.testing.assert_array_equal(model.tree_.threshold, scaled.tree_.threshold)

    def test_shares_do_not_depend_on_the_scale(self):
        X = load_iris().data
        trees = [
            fit(X, 4, weight=np.full(150, w), min_samples_leaf=0.1, min_samples_split=0.3).tree_
            for w in (1e-9, 1.0, 1e9)
        ]
        assert trees[0].n_leaves > 2
        for tree in trees[1:]:
            np.testing.assert_array_equal(trees[0].threshold, tree.threshold)

    def test_tiny_and_huge_together(self):
        X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
        weight = [1e-12, 1e12, 1e-12, 1e12, 1e12, 1e-12]
        model = fit(X, 3, weight=weight)
        assert [len(set(model.labels_[[i, i + 1]])) for i in (0, 2, 4)] == [1, 1, 1]
        assert model.n_clusters_ == 3

    @pytest.mark.parametrize("tiny", [1e-6, 1e-12, 1e-14, 1e-15, 1e-16, 1e-20, 1e-30])
    @given(SEEDS)
    @examples(20)
    def test_tiny_beside_ones(self, tiny, seed):
        # Sums of weights may absorb the tiny ones; no side may become empty or noise by that. Cuts
        # that differ in tiny rows alone are ties: only the first cut must gain as much as another.
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(12, 2))
        weight = np.where(rng.random(12) < 0.3, tiny, 1.0)
        weight[:3] = 1.0
        model = fit(X, 3, weight=weight)
        best = _reference.grow(X, X @ X.T, n_clusters=3, sample_weight=weight)
        own = _reference.objective(X @ X.T, model.labels_, weight)
        assert model.objective_ == pytest.approx(own, rel=1e-9)
        assert model.tree_.gain[0] == pytest.approx(best.gain[0], rel=1e-9)
        reached = np.bincount(model.apply(X), minlength=model.tree_.node_count)
        assert np.all(reached[model.tree_.is_leaf] > 0)

    def test_one_scalar_for_all(self):
        X = load_iris().data
        model = Kauri(3, max_leaf_nodes=None).fit(X, sample_weight=2.0)
        assert model.objective_ == pytest.approx(
            2 * Kauri(3, max_leaf_nodes=None).fit(X).objective_
        )
        assert model.tree_.weighted_n_node_samples[0] == 300

    @pytest.mark.parametrize("dtype", [int, bool, np.float32, np.uint8, object])
    def test_any_kind_of_number(self, dtype):
        X = load_iris().data
        weight = (np.arange(150) % 2).astype(dtype)
        same_tree(
            Kauri(3, max_leaf_nodes=None).fit(X, sample_weight=weight).tree_,
            Kauri(3, max_leaf_nodes=None).fit(X[1::2]).tree_,
            gains=1e-9,
        )


class TestTies:
    @pytest.mark.parametrize("copies", [2, 5])
    def test_duplicated_columns_choose_the_lowest(self, copies):
        x = make_blobs(50, 1, centers=3, random_state=0)[0]
        model = fit(np.repeat(x, copies, axis=1), 3)
        assert set(model.tree_.feature) == {0, -2}

    def test_shifted_and_scaled_columns_are_ties(self):
        x = make_blobs(50, 1, centers=3, random_state=0)[0]
        X = np.hstack([x + 1e6, x, x * 1e-3])
        model = fit(X, 3, gram=x @ x.T)
        assert set(model.tree_.feature) == {0, -2}

    def test_mirrored_columns_are_ties(self):
        x = make_blobs(50, 1, centers=3, random_state=0)[0]
        model = fit(np.hstack([-x, x]), 3)
        assert set(model.tree_.feature) == {0, -2}

    def test_the_lowest_threshold(self):
        # Cuts at 0.5 and at 2.5 are mirror images.
        model = fit([[0.0], [1.0], [2.0], [3.0]], 2, max_leaf_nodes=2, gram=np.eye(4))
        assert model.tree_.threshold[0] == 0.5

    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_at_the_root_the_left_child_keeps_the_cluster(self, kernel, sign):
        X = sign * load_iris().data
        tree = fit(X, 3, kernel=kernel).tree_
        assert tree.cluster[tree.children_left[0]] == 0
        assert tree.cluster[tree.children_right[0]] == 1

    def test_a_whole_cluster_that_is_cut_keeps_its_number_on_the_left(self):
        x = np.array([0.0, 1.0, 50.0, 51.0, 80.0, 81.0])
        model = fit(x[:, None], 3)
        assert model.labels_.tolist() == [0, 0, 1, 1, 2, 2]

    def test_leaves_that_tie_are_cut_in_order(self):
        # Four pairs in a square: both halves gain the same, the lower threshold is cut first.
        x = np.array([0.0, 1.0, 10.0, 11.0])
        tree = fit(x[:, None], 4).tree_
        assert tree.threshold[~tree.is_leaf].tolist() == [5.5, 0.5, 10.5]
        assert tree.cluster[tree.is_leaf].tolist() == [0, 2, 1, 3]


class TestOutlier:
    """One row far away must not make real gains look like rounding."""

    @pytest.mark.parametrize("far", [1e3, 1e6, 3e6])
    @pytest.mark.parametrize("n", [12, 50])
    def test_the_rest_is_still_cut_where_it_should(self, far, n):
        rng = np.random.default_rng(0)
        X = np.r_[rng.normal(0, 1, n), rng.normal(10, 1, n), far][:, None]
        model = fit(X, 3)
        assert sorted(np.bincount(model.labels_)) == [1, n, n]
        rest = sum(len(part) * part.var() for part in (X[:n], X[n : 2 * n]))
        assert model.inertia_ == pytest.approx(rest, rel=1e-16 * far**2 * 50 + 1e-9)


class TestNegligibleWeights:
    @pytest.mark.parametrize("n", [50, 500, 2000])
    @pytest.mark.parametrize("tiny", [1e-9, 1e-11, 1e-12, 1.2e-13, 1e-15])
    def test_at_the_ends(self, n, tiny):
        rng = np.random.default_rng(n)
        X = rng.normal(size=(n, 2))
        weight = np.ones(n)
        weight[np.r_[X.argmin(axis=0), X.argmax(axis=0)]] = tiny
        model = Kauri(4, max_leaf_nodes=8).fit(X, sample_weight=weight)
        member = [weight * (model.labels_ == k) for k in range(model.n_clusters_)]
        cost = sum(w @ ((X - np.average(X, axis=0, weights=w)) ** 2).sum(axis=1) for w in member)
        assert model.inertia_ == pytest.approx(cost, rel=1e-6)
        assert min(w.sum() for w in member) > 0.5


class TestLayout:
    def test_strided_weights(self):
        X = load_iris().data
        weight = np.random.default_rng(0).integers(1, 4, (150, 2)).astype(float)
        for view in (weight[:, 0], weight[::-1, 1]):
            same_tree(
                Kauri(3, max_leaf_nodes=None).fit(X, sample_weight=view).tree_,
                Kauri(3, max_leaf_nodes=None).fit(X, sample_weight=view.copy()).tree_,
                gains=0,
            )

    def test_a_field_of_a_record(self):
        X = load_iris().data
        records = np.zeros(X.shape, [("p", "i1"), ("v", "f8")])
        records["v"] = X
        model = Kauri(3, max_leaf_nodes=6).fit(records["v"])
        np.testing.assert_array_equal(model.labels_, Kauri(3, max_leaf_nodes=6).fit(X).labels_)
        np.testing.assert_array_equal(model.predict(records["v"][:, ::-1][:, ::-1]), model.labels_)

    @pytest.mark.parametrize("dtype", ["f4", "f8"])
    @pytest.mark.parametrize("engine", ["gram", "blocks", "features", "binned"])
    def test_numbers_that_begin_at_any_byte(self, engine, dtype):
        """Compiled loops that read them in place would not, on some machines."""
        X = load_iris().data.astype(dtype)
        moved = np.frombuffer(b"x" + X.tobytes(), dtype, offset=1).reshape(X.shape)
        assert not moved.flags.aligned
        model = Kauri(3, max_leaf_nodes=6, engine=engine).fit(X)
        same_tree(Kauri(3, max_leaf_nodes=6, engine=engine).fit(moved).tree_, model.tree_, gains=0)
        np.testing.assert_array_equal(model.predict(moved), model.labels_)
        np.testing.assert_array_equal(model.tree_.predict(moved), model.labels_)


def test_no_preferred_move_loses_what_the_best_one_gains():
    """Rows at no likeness to one another: what is left to gain is little more than rounding."""
    X = [
        [-981.723853610204, 1005.044887908808],
        [-1267.1974025540687, -256.05680777100815],
        [783.5785085426376, -1487.1759203491386],
        [-422.03224277352865, -417.2304742321319],
        [-56.38316735648023, -353.08924670020406],
        [573.5859284139754, -892.762688053752],
        [-1328.7390453030384, 942.6981249560835],
        [-828.5947992753531, -700.1992475084327],
        [441.263904585547, 1688.6579873703909],
    ]
    for engine in ("gram", "blocks"):
        model = Kauri(
            3, kernel="rbf", gamma=0.00020267299885736614, engine=engine, max_leaf_nodes=None
        ).fit(X)
        valid_tree(model.tree_, X, model.labels_, n_clusters=3)
