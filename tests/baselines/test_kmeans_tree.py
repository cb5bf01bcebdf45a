"""KMeans+DT: the tree is scikit-learn's, in float64; what it learns; limits, weights, edges."""

import pickle
import re

import numpy as np
import pytest
from helpers.examples import examples
from helpers.invariants import same_tree, valid_tree
from helpers.strategies import table, weights
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from agathis import KernelKMeans
from agathis._kernels.kernel import Kernel
from agathis._objective.cost import kernel_cost
from agathis._objective.objective import kernel_objective
from agathis.baselines import IMM, KMeansTree
from agathis.metrics import kernel_kmeans_score

SEEDS = st.integers(0, 2**32 - 1)


class TestGivenLabels:
    def test_given_labels_are_learned_as_those_of_kmeans(self):
        X, _ = make_blobs(80, 3, centers=4, random_state=0)
        own = KMeansTree(4, max_leaf_nodes=6, random_state=0).fit(X)
        names = np.array(["a", "b", "c", "d"])[own.teacher_labels_]
        messages = KMeansTree(max_leaf_nodes=6, random_state=0).fit(X, labels=names)
        np.testing.assert_array_equal(messages.labels_, own.labels_)
        np.testing.assert_array_equal(messages.teacher_labels_, own.teacher_labels_)
        means = [X[messages.labels_ == k].mean(axis=0) for k in range(messages.n_clusters_)]
        np.testing.assert_allclose(messages.cluster_centers_, means)

    def test_of_rows_without_weight_do_not_count(self):
        X = np.array([[0.0], [1.0], [2.0], [3.0]])
        model = KMeansTree(max_leaf_nodes=None).fit(
            X, labels=[0, 1, 7, 7], sample_weight=[1, 0, 1, 1]
        )
        assert model.n_clusters_ == 2
        np.testing.assert_array_equal(model.labels_, [0, 0, 1, 1])
        np.testing.assert_array_equal(model.teacher_labels_, [0, -1, 1, 1])

    def test_are_as_many_as_the_rows(self):
        with pytest.raises(ValueError, match="labels has 2 values; X has 3 rows"):
            KMeansTree(max_leaf_nodes=None).fit([[0.0], [1.0], [2.0]], labels=[0, 1])

    def test_come_alone(self):
        with pytest.raises(ValueError, match="labels and centers both define"):
            KMeansTree(2, centers=[[0.0], [1.0]], max_leaf_nodes=None).fit(
                [[0.0], [1.0]], labels=[0, 1]
            )


class TestTree:
    @given(
        seed=SEEDS,
        values=st.sampled_from(["normal", "integer"]),
        kind=st.sampled_from([None, "whole", "with zeros", "fractions"]),
        limits=st.fixed_dictionaries(
            {},
            optional={
                "max_leaf_nodes": st.integers(2, 8),
                "max_depth": st.integers(1, 4),
                "min_samples_leaf": st.sampled_from([1, 2, 3, 0.1, 0.3, 0.6]),
            },
        ),
    )
    @examples(60)
    @pytest.mark.filterwarnings("ignore:Number of distinct clusters")
    def test_is_a_tree_of_its_rows(self, seed, values, kind, limits):
        rng = np.random.default_rng(seed)
        X = table(rng, int(rng.integers(4, 30)), int(rng.integers(1, 4)), values)
        weight = weights(rng, len(X), kind)
        total = len(X) if weight is None else weight.sum()
        n_clusters = int(min(3, total))
        if n_clusters == 0:
            return
        model = KMeansTree(
            n_clusters, n_init=1, random_state=0, **{"max_leaf_nodes": None, **limits}
        )
        model.fit(X, sample_weight=weight)
        valid_tree(model.tree_, X, model.labels_, weight, n_clusters, kauri=False, **limits)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        counted = np.ones(len(X), bool) if weight is None else weight > 0
        taught = model.teacher_labels_
        assert taught[counted].min() == 0
        share = np.ones(len(X)) if weight is None else weight
        # Each leaf has the cluster of most of its weight, in the tree's own numbers.
        leaves = model.apply(X)
        number = {}
        for leaf in np.unique(leaves[counted]):
            mine = counted & (leaves == leaf)
            covered = np.bincount(taught[mine], share[mine])
            number.setdefault(int(model.tree_.cluster[leaf]), set()).add(int(np.argmax(covered)))
        chosen = [numbers.pop() for _, numbers in sorted(number.items()) if len(numbers) == 1]
        assert chosen == list(range(model.n_clusters_))
        if not limits:
            apart = np.unique(X[counted], axis=0, return_inverse=True)[1]
            assert len(np.unique(apart)) >= model.n_leaves_
            np.testing.assert_array_equal(taught[counted], model.labels_[counted])

    @pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 7}, {"max_depth": 3}])
    def test_is_that_of_scikit_learn(self, limits):
        # Values that float32 holds: both see the same data.
        X = make_blobs(300, 4, centers=5, cluster_std=3, random_state=0)[0].astype(np.float32)
        X = X.astype(np.float64)
        centers = X[:5]
        model = KMeansTree(
            5, centers=centers, random_state=0, **{"max_leaf_nodes": None, **limits}
        ).fit(X)
        taught = model.teacher_labels_
        np.testing.assert_array_equal(
            taught, ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        )
        other = DecisionTreeClassifier(random_state=np.random.RandomState(0), **limits)
        other.fit(X, taught)
        assert model.n_leaves_ == other.get_n_leaves()
        np.testing.assert_array_equal(model.labels_, other.predict(X))
        np.testing.assert_allclose(
            np.sort(model.tree_.threshold[~model.tree_.is_leaf]),
            np.sort(other.tree_.threshold[other.tree_.children_left >= 0]),
            rtol=1e-6,
            atol=1e-6,
        )

    def test_values_that_are_equal_as_float32(self):
        rng = np.random.default_rng(0)
        X = 1e9 + rng.permutation(np.r_[np.arange(20), 40 + np.arange(20)])[:, None].astype(float)
        assert len(np.unique(X.astype(np.float32))) < 10
        model = KMeansTree(2, max_leaf_nodes=2, random_state=0).fit(X)
        assert model.tree_.threshold[0] == 1e9 + 29.5
        np.testing.assert_array_equal(model.labels_, model.teacher_labels_)

    def test_values_beyond_float32(self):
        X = np.array([[0.0], [1e100], [3e100], [-1e100]])
        model = KMeansTree(2, random_state=0, max_leaf_nodes=None).fit(X)
        valid_tree(model.tree_, X, model.labels_, kauri=False)
        np.testing.assert_array_equal(model.labels_, model.teacher_labels_)

    def test_rows_next_to_one_another(self):
        X = np.array([[1.0], [np.nextafter(1.0, 2)], [5.0]])
        model = KMeansTree(3, centers=X, random_state=0, max_leaf_nodes=None).fit(X)
        assert model.labels_.tolist() == [0, 1, 2]

    def test_gains_and_cost_are_by_the_kernel(self, iris):
        for name in ("linear", "cosine", "laplacian"):
            model = KMeansTree(3, kernel=name, max_leaf_nodes=6, random_state=0).fit(iris)
            kernel = Kernel(name)
            assert model.inertia_ == pytest.approx(
                kernel_cost(kernel, iris, model.labels_, None, 1)
            )
            assert model.score(iris) == pytest.approx(
                kernel_objective(kernel, iris, model.labels_, None, 1)
            )
            # Leaves as clusters: all cuts together take this off the cost.
            _, leaves = np.unique(model.apply(iris), return_inverse=True)
            gained = kernel_cost(kernel, iris, np.zeros(150, int), None, 1) - kernel_cost(
                kernel, iris, leaves, None, 1
            )
            assert model.tree_.gain.sum() == pytest.approx(gained)


class TestTeacher:
    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    @pytest.mark.parametrize("algorithm", ["auto", "lloyd", "similarity"])
    def test_is_kernel_kmeans(self, iris, kernel, algorithm):
        model = KMeansTree(
            4, kernel=kernel, algorithm=algorithm, random_state=5, max_leaf_nodes=None
        ).fit(iris)
        reference_clustering = KernelKMeans(
            4, kernel=kernel, algorithm=algorithm, random_state=5
        ).fit(iris)
        np.testing.assert_array_equal(model.teacher_labels_, reference_clustering.labels_)
        # A tree without limits has learned them by heart.
        np.testing.assert_array_equal(model.labels_, reference_clustering.labels_)
        assert model.inertia_ == pytest.approx(reference_clustering.inertia_)
        if kernel == "linear":
            np.testing.assert_allclose(
                model.cluster_centers_, reference_clustering.cluster_centers_
            )
        else:
            assert not hasattr(model, "cluster_centers_")

    @pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "poly"])
    def test_float32_is_judged_in_float64(self, kernel):
        """Blobs so tight that kernel values in float32 are all the same."""
        X, _ = make_blobs(60, 2, centers=3, cluster_std=1e-4, random_state=0)
        X = X.astype(np.float32)
        double = X.astype(np.float64)
        model = KMeansTree(3, kernel=kernel, max_leaf_nodes=3, random_state=0).fit(X)
        cost = kernel_kmeans_score(double, model.labels_, kernel)
        assert model.inertia_ > 0
        assert model.inertia_ == pytest.approx(cost, rel=1e-6)
        assert model.score(X) == pytest.approx(model.score(double), rel=1e-14)
        assert KernelKMeans(3, kernel=kernel, random_state=0).fit(X).score(X) == pytest.approx(
            model.score(double), rel=1e-9
        )

    def test_more_leaves_cost_less(self):
        X = load_digits().data[:400]
        costs = [
            KMeansTree(10, max_leaf_nodes=n, random_state=0).fit(X).inertia_ for n in (10, 40, None)
        ]
        assert costs == sorted(costs, reverse=True)
        assert costs[2] == pytest.approx(KernelKMeans(10, random_state=0).fit(X).inertia_)

    def test_blobs(self, blobs):
        X, y = blobs
        for kernel in ("linear", "rbf", "laplacian"):
            model = KMeansTree(3, kernel=kernel, max_leaf_nodes=3, random_state=0).fit(X)
            assert adjusted_rand_score(y, model.labels_) > 0.95

    def test_given_centres_of_clusters_that_the_tree_has(self):
        X = np.arange(8.0)[:, None]
        centers = [[0.5], [100.0], [6.0]]
        model = KMeansTree(3, centers=centers, max_leaf_nodes=None).fit(X)
        assert model.n_clusters_ == 2
        assert model.cluster_centers_.tolist() == [[0.5], [6.0]]
        assert model.teacher_labels_.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
        assert model.labels_.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]

    def test_labels_have_the_numbers_of_the_tree(self, iris):
        """Clusters that no leaf has come after those that the tree has."""
        for seed in range(5):
            model = KMeansTree(5, max_leaf_nodes=2, random_state=seed).fit(iris)
            assert model.n_clusters_ == 2
            assert np.unique(model.teacher_labels_).tolist() == [0, 1, 2, 3, 4]
            own = model.teacher_labels_ < 2
            near = cdist(iris, model.cluster_centers_).argmin(axis=1)
            np.testing.assert_array_equal(model.teacher_labels_[own], near[own])
            rbf = KMeansTree(5, kernel="rbf", max_leaf_nodes=3, random_state=seed).fit(iris)
            same = KernelKMeans(5, kernel="rbf", random_state=seed).fit(iris)
            pairs = set(zip(rbf.teacher_labels_.tolist(), same.labels_.tolist(), strict=True))
            assert len(pairs) == 5
            for k in range(rbf.n_clusters_):  # each leaf is the cluster of most of its rows
                leaf = np.bincount(rbf.teacher_labels_[rbf.labels_ == k], minlength=5)
                assert leaf[k] == leaf.max()

    def test_labels_of_rows_of_no_weight(self, iris):
        weight = np.arange(150) % 3.0
        rows = weight > 0
        for centers in (None, iris[[0, 60, 120]]):
            model = KMeansTree(3, centers=centers, random_state=0, max_leaf_nodes=None)
            model.fit(iris, sample_weight=weight)
            near = cdist(iris, model.cluster_centers_).argmin(axis=1)
            np.testing.assert_array_equal(model.teacher_labels_, np.where(rows, near, -1))
        model = KMeansTree(3, kernel="rbf", random_state=0, max_leaf_nodes=None).fit(
            iris, sample_weight=weight
        )
        assert (model.teacher_labels_[~rows] == -1).all()
        assert np.unique(model.teacher_labels_[rows]).tolist() == [0, 1, 2]

    @pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e200])
    @pytest.mark.parametrize("least", [1, 0.1])
    def test_the_unit_of_weights_does_not_matter(self, iris, scale, least):
        weight = np.random.default_rng(0).random(150) + 0.2
        model = KMeansTree(3, max_leaf_nodes=4, min_samples_leaf=least, random_state=0)
        expected = clone(model).fit(iris, sample_weight=weight)
        model.fit(iris, sample_weight=scale * weight)
        assert model.n_clusters_ == 3
        np.testing.assert_array_equal(model.labels_, expected.labels_)

    def test_weights_are_repeats(self, iris):
        weight = np.random.default_rng(0).integers(0, 4, len(iris))
        ids = np.repeat(np.arange(len(iris)), weight)
        settings_ = {"max_leaf_nodes": 5, "min_samples_leaf": 9, "random_state": 0}
        once = KMeansTree(3, **settings_).fit(iris, sample_weight=weight)
        often = KMeansTree(3, **settings_).fit(iris[ids])
        same_tree(once.tree_, often.tree_, gains=1e-9, counts=False)
        assert once.inertia_ == pytest.approx(often.inertia_)

    def test_same_tree_with_any_number_of_threads(self, iris):
        one, two = (
            KMeansTree(3, kernel="rbf", n_jobs=n, random_state=0, max_leaf_nodes=None).fit(iris)
            for n in (1, 2)
        )
        same_tree(one.tree_, two.tree_, gains=1e-12)


class TestEdges:
    def test_one_row(self):
        model = KMeansTree(1, max_leaf_nodes=None).fit([[3.0, 4.0]])
        assert model.n_leaves_ == model.n_clusters_ == 1
        assert model.labels_.tolist() == [0]

    def test_all_rows_equal(self):
        with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
            model = KMeansTree(2, max_leaf_nodes=None).fit(np.ones((5, 2)))
        assert model.n_leaves_ == 1

    @pytest.mark.parametrize("name", ["fit", "fit_predict"])
    def test_warnings_show_the_line_of_the_user(self, name):
        for model in (KMeansTree(2, max_leaf_nodes=None), KernelKMeans(2), IMM(2)):
            with pytest.warns(UserWarning, match="1") as caught:
                getattr(model, name)(np.ones((5, 2)))
            assert [warning.filename for warning in caught] == [__file__]
        with pytest.warns(ConvergenceWarning) as caught:
            KernelKMeans(2).fit_transform(np.ones((5, 2)))
        assert [warning.filename for warning in caught] == [__file__]
        with pytest.warns(ConvergenceWarning) as caught:
            make_pipeline(KMeansTree(2, max_leaf_nodes=None)).fit(np.ones((5, 2)))
        assert [warning.filename for warning in caught] == [__file__]

    def test_one_cluster(self, iris):
        assert KMeansTree(1, max_leaf_nodes=None).fit(iris).n_leaves_ == 1

    def test_leaves_that_cannot_be_so_large(self, iris):
        for least in (76, 1000, 0.51):
            model = KMeansTree(3, min_samples_leaf=least, random_state=0, max_leaf_nodes=None).fit(
                iris
            )
            assert model.n_leaves_ == 1
        assert (
            KMeansTree(2, min_samples_leaf=50, random_state=0, max_leaf_nodes=None)
            .fit(iris)
            .n_leaves_
            == 2
        )

    def test_centres_are_forgotten(self, iris):
        model = KMeansTree(3, max_leaf_nodes=None).fit(iris)
        assert model.cluster_centers_.shape == (3, 4)
        assert not hasattr(model.set_params(kernel="rbf").fit(iris), "cluster_centers_")

    def test_a_fit_that_fails_leaves_the_last_one(self, iris):
        model = KMeansTree(3, max_leaf_nodes=None).fit(iris)
        with pytest.raises(ValueError, match="centers are points"):
            model.set_params(kernel="rbf", centers=iris[:3]).fit(iris)
        assert model.cluster_centers_.shape == (3, 4)

    def test_pickle(self, iris):
        model = KMeansTree(3, kernel="rbf", max_leaf_nodes=5, random_state=0).fit(iris)
        back = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(back.predict(iris), model.labels_)

    def test_callable_kernel(self, iris):
        model = KMeansTree(
            3, kernel=lambda a, b, scale: scale * (a @ b), kernel_params={"scale": 2.0},
            max_leaf_nodes=3, random_state=0,
        ).fit(iris[::3])  # fmt: skip
        gram = 2 * pairwise_kernels(iris[::3])
        objective = sum(
            gram[np.ix_(mine, mine)].sum() / mine.sum()
            for mine in (model.labels_ == k for k in range(3))
        )
        assert model.score(iris[::3]) == pytest.approx(objective)


class TestErrors:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("n_clusters", 0),
            ("kernel", "precomputed"),
            ("algorithm", "elkan"),
            ("n_init", 0),
            ("max_leaf_nodes", 1),
            ("max_depth", 0),
            ("min_samples_leaf", 0),
            ("min_samples_leaf", 1.0),
        ],
    )
    def test_parameters(self, iris, name, value):
        with pytest.raises(ValueError, match=f"'{name}' parameter of KMeansTree must be"):
            KMeansTree(max_leaf_nodes=None).set_params(**{name: value}).fit(iris)

    @pytest.mark.parametrize(
        ("centers", "message"),
        [
            ([[1.0, 2.0]], "= (3, 4); it has shape (1, 2)"),
            (3, "centers: Expected 2D array"),
            (np.ones((2, 4)), "it has shape (2, 4)"),
            (np.full((3, 4), np.nan), "centers contains NaN"),
            ([["a"] * 4] * 3, "centers must be numeric"),
        ],
    )
    def test_centers(self, iris, centers, message):
        with pytest.raises(ValueError, match=re.escape(message)):
            KMeansTree(3, centers=centers, max_leaf_nodes=None).fit(iris)

    def test_data(self, iris):
        with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=3"):
            KMeansTree(3, max_leaf_nodes=None).fit(iris[:2])
        with pytest.raises(ValueError, match="Input X contains NaN"):
            KMeansTree(3, max_leaf_nodes=None).fit(np.full((5, 2), np.nan))
        with pytest.raises(ValueError, match="needs non-negative X"):
            KMeansTree(3, kernel="chi2", max_leaf_nodes=None).fit(-iris)
        model = KMeansTree(3, kernel="chi2", max_leaf_nodes=None).fit(iris)
        with pytest.raises(ValueError, match="needs non-negative X"):
            model.score(-iris)
