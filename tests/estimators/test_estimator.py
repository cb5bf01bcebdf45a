"""What a fitted estimator says: labels, figures, stocks, kernels."""

import numpy as np
import polars as pl
import pytest
from helpers.examples import examples
from helpers.invariants import equal_trees
from helpers.models import SEEDS
from helpers.reference import objective
from hypothesis import given
from sklearn import config_context
from sklearn.datasets import load_digits, load_iris, load_wine, make_moons
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels, rbf_kernel

from agathis import Kauri
from agathis._kernels.names import KERNELS


def absolute_dot(a, b, scale=1.0, power=1):
    return float(scale * np.abs(a @ b) ** power)


DATA = {
    "iris": lambda: load_iris().data,
    "wine": lambda: load_wine().data,
    "digits": lambda: load_digits().data[:200],
    "moons": lambda: make_moons(150, noise=0.05, random_state=0)[0],
    "float32": lambda: load_iris().data.astype(np.float32),
    "float32 random": lambda: np.random.default_rng(0).random((200, 3), dtype=np.float32),
    "float16": lambda: load_iris().data.astype(np.float16),
    "big-endian": lambda: load_iris().data.astype(">f8"),
    "int": lambda: np.random.default_rng(0).integers(-5, 5, (100, 3)),
    "large int": lambda: np.random.default_rng(0).integers(-(2**62), 2**62, (50, 2)) // 2**40,
    "uint8": lambda: np.random.default_rng(0).integers(0, 256, (100, 3), dtype=np.uint8),
    "bool": lambda: np.random.default_rng(0).random((60, 6)) < 0.5,
    "object": lambda: load_iris().data.astype(object),
    "list": lambda: load_iris().data.tolist(),
    "list of int": lambda: np.random.default_rng(0).integers(0, 9, (40, 2)).tolist(),
    "fortran": lambda: np.asfortranarray(load_iris().data),
    "fortran float32": lambda: np.asfortranarray(load_iris().data.astype(np.float32)),
    "every other row": lambda: load_iris().data[::2],
    "every other column": lambda: load_wine().data[:, ::2],
    "columns backwards": lambda: np.ascontiguousarray(load_iris().data[:, ::-1])[:, ::-1],
    "rows backwards": lambda: load_iris().data[::-1],
    "read-only": lambda: _read_only(load_iris().data),
    "pandas": lambda: load_iris(as_frame=True).data,
    "polars": lambda: pl.DataFrame(load_iris().data, schema=list("abcd")),
    "ties": lambda: np.random.default_rng(0).integers(0, 3, (120, 4)).astype(float),
}


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


class TestLabels:
    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    @pytest.mark.parametrize("name", DATA)
    def test_labels_are_predictions(self, name, kernel):
        X = DATA[name]()
        model = Kauri(5, kernel=kernel, max_leaf_nodes=None).fit(X)
        np.testing.assert_array_equal(model.labels_, model.predict(X))
        np.testing.assert_array_equal(model.labels_, model.tree_.cluster[model.apply(X)])
        table = np.asarray(X, dtype=np.float64)
        equal_trees(
            model.tree_,
            Kauri(5, kernel=kernel, max_leaf_nodes=None).fit(np.array(table, order="C")).tree_,
        )
        found = np.unique(model.labels_)
        assert found.tolist() == list(range(model.n_clusters_))

    @given(SEEDS)
    @examples(30)
    def test_labels_are_predictions_on_random_data(self, seed):
        rng = np.random.default_rng(seed)
        n, d = rng.integers(3, 80), rng.integers(1, 6)
        X = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-8, 8, d)).astype(np.float32)
        X += (10.0 ** rng.integers(-3, 4, d)).astype(np.float32)
        weight = rng.integers(0, 3, n) + (np.arange(n) < 3)
        model = Kauri(3, max_leaf_nodes=None).fit(X, sample_weight=weight)
        np.testing.assert_array_equal(model.labels_, model.predict(X))
        np.testing.assert_array_equal(model.labels_, model.predict(X.astype(np.float64)))

    def test_fit_predict(self, iris):
        model = Kauri(3, kernel="rbf", max_leaf_nodes=None)
        labels = model.fit_predict(iris)
        assert labels.dtype.kind == "i"
        np.testing.assert_array_equal(labels, model.labels_)
        np.testing.assert_array_equal(
            labels, Kauri(3, kernel="rbf", max_leaf_nodes=None).fit(iris).labels_
        )

    def test_fit_predict_passes_weight_and_gram(self, iris):
        weight = np.random.default_rng(0).integers(1, 4, len(iris))
        labels = Kauri(3, max_leaf_nodes=None).fit_predict(iris, sample_weight=weight)
        np.testing.assert_array_equal(
            labels, Kauri(3, max_leaf_nodes=None).fit(iris, sample_weight=weight).labels_
        )
        labels = Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit_predict(
            iris, gram=iris @ iris.T
        )
        np.testing.assert_array_equal(labels, Kauri(3, max_leaf_nodes=None).fit(iris).labels_)

    def test_y_is_ignored(self, iris):
        equal_trees(
            Kauri(3, max_leaf_nodes=None).fit(iris, np.arange(150)).tree_,
            Kauri(3, max_leaf_nodes=None).fit(iris).tree_,
        )

    def test_rows_of_weight_0_are_labelled_but_do_not_count(self, iris):
        weight = (np.arange(len(iris)) % 3 > 0).astype(float)
        model = Kauri(4, kernel="rbf", gamma=0.5, max_leaf_nodes=None).fit(
            iris, sample_weight=weight
        )
        alone = Kauri(4, kernel="rbf", gamma=0.5, max_leaf_nodes=None).fit(iris[weight > 0])
        equal_trees(model.tree_, alone.tree_)
        assert model.labels_.shape == (150,)
        np.testing.assert_array_equal(model.labels_, alone.predict(iris))
        assert model.objective_ == pytest.approx(alone.objective_)
        assert model.tree_.n_node_samples[0] == 100

    def test_rows_of_weight_0_and_a_gram(self, iris):
        weight = (np.arange(len(iris)) % 3 > 0).astype(float)
        gram = iris @ iris.T
        model = Kauri(4, kernel="precomputed", max_leaf_nodes=None).fit(
            iris, gram=gram, sample_weight=weight
        )
        equal_trees(model.tree_, Kauri(4, max_leaf_nodes=None).fit(iris[weight > 0]).tree_)

    def test_good_clusters(self, blobs):
        X, y = blobs
        model = Kauri(3, max_leaf_nodes=None).fit(X)
        assert adjusted_rand_score(y, model.labels_) == 1.0
        assert model.n_leaves_ == 3


class TestFigures:
    @pytest.mark.parametrize("kernel", ["linear", "rbf", "cosine", "poly"])
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    def test_objective_is_score(self, iris, kernel, weighted, engine):
        weight = np.random.default_rng(0).uniform(0, 3, len(iris)) if weighted else None
        model = Kauri(4, kernel=kernel, engine=engine, max_leaf_nodes=None).fit(
            iris, sample_weight=weight
        )
        gram = pairwise_kernels(iris, metric=kernel, **_parameters(kernel))
        expected = objective(gram, model.labels_, weight)
        assert model.objective_ == pytest.approx(expected, rel=1e-10)
        assert model.score(iris, sample_weight=weight) == pytest.approx(expected, rel=1e-10)

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_objective_is_score_with_a_gram(self, iris, weighted, dtype, order):
        weight = np.random.default_rng(0).uniform(0, 3, len(iris)) if weighted else None
        gram = np.array(rbf_kernel(iris), dtype=dtype, order=order)
        model = Kauri(4, kernel="precomputed", max_leaf_nodes=None).fit(
            iris, gram=gram, sample_weight=weight
        )
        expected = objective(gram.astype(np.float64), model.labels_, weight)
        assert model.objective_ == pytest.approx(expected, rel=1e-6)
        score = model.score(iris, gram=gram, sample_weight=weight)
        assert score == pytest.approx(expected, rel=1e-6)

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
    def test_objective_is_score_far_from_the_origin(self, iris, kernel):
        model = Kauri(4, kernel=kernel, max_leaf_nodes=None).fit(iris + 1e6)
        assert model.score(iris + 1e6) == pytest.approx(model.objective_, rel=1e-9)
        assert model.inertia_ == pytest.approx(
            Kauri(4, kernel=kernel, max_leaf_nodes=None).fit(iris).inertia_, rel=1e-6
        )

    def test_score_of_other_rows(self, iris):
        model = Kauri(3, kernel="rbf", max_leaf_nodes=None).fit(iris[::2])
        half = iris[1::2]
        assert model.score(half) == pytest.approx(objective(rbf_kernel(half), model.predict(half)))
        # Rows of one cluster only: the others are empty and add nothing.
        assert model.score(half[:1]) == pytest.approx(1.0)

    def test_gram_is_neither_copied_nor_changed(self, iris):
        gram = rbf_kernel(iris)
        before = gram.copy()
        Kauri(4, kernel="precomputed", max_leaf_nodes=None).fit(iris, gram=_read_only(gram))
        Kauri(4, kernel="precomputed", max_leaf_nodes=None).fit(iris, gram=gram)
        np.testing.assert_array_equal(gram, before)

    def test_data_are_not_changed(self, iris):
        X, weight = iris.copy(), np.ones(len(iris))
        Kauri(4, max_leaf_nodes=None).fit(_read_only(X), sample_weight=_read_only(weight))
        Kauri(4, max_leaf_nodes=None).fit(X, sample_weight=weight)
        np.testing.assert_array_equal(X, iris)
        assert (weight == 1).all()

    @pytest.mark.parametrize("weighted", [False, True])
    def test_inertia_is_that_of_kmeans(self, iris, weighted):
        weight = np.random.default_rng(0).uniform(0.1, 3, 150) if weighted else np.ones(150)
        model = Kauri(4, max_leaf_nodes=None).fit(iris, sample_weight=weight)
        inertia = 0.0
        for k in range(model.n_clusters_):
            rows, w = iris[model.labels_ == k], weight[model.labels_ == k]
            centre = np.average(rows, axis=0, weights=w)
            inertia += w @ np.sum((rows - centre) ** 2, axis=1)
        assert model.inertia_ == pytest.approx(inertia, rel=1e-10)

    @pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
    def test_inertia_and_objective_sum_to_the_trace(self, iris, kernel):
        model = Kauri(4, kernel=kernel, max_leaf_nodes=None).fit(iris)
        trace = np.trace(pairwise_kernels(iris, metric=kernel, **_parameters(kernel)))
        assert model.objective_ + model.inertia_ == pytest.approx(trace)

    def test_counts(self, iris):
        model = Kauri(3, max_leaf_nodes=5).fit(iris)
        assert model.n_clusters_ == len(np.unique(model.labels_)) == 3
        assert model.n_leaves_ == len(np.unique(model.apply(iris))) == 5
        assert model.n_leaves_ == model.tree_.n_leaves
        assert model.n_features_in_ == 4
        np.testing.assert_array_equal(
            model.tree_.n_node_samples, model.decision_path(iris).sum(axis=0).A1
        )

    def test_feature_importances(self, iris):
        model = Kauri(3, max_leaf_nodes=None).fit(iris)
        assert model.feature_importances_.shape == (4,)
        assert model.feature_importances_.sum() == pytest.approx(1.0)
        assert (model.feature_importances_ >= 0).all()
        expected = np.zeros(4)
        for feature, gain in zip(model.tree_.feature, model.tree_.gain, strict=True):
            if feature >= 0:
                expected[feature] += gain
        np.testing.assert_allclose(model.feature_importances_, expected / expected.sum())

    def test_apply_and_decision_path_against_a_walk(self, iris):
        model = Kauri(4, kernel="rbf", max_leaf_nodes=None).fit(iris)
        tree, path = model.tree_, model.decision_path(iris)
        assert path.shape == (150, tree.node_count)
        for row, leaf, label in zip(iris, model.apply(iris), model.labels_, strict=True):
            node, walk = 0, [0]
            while tree.children_left[node] >= 0:
                goes_left = row[tree.feature[node]] <= tree.threshold[node]
                node = int((tree.children_left if goes_left else tree.children_right)[node])
                walk.append(node)
            assert node == leaf
            assert walk == tree.path(leaf)
            assert tree.cluster[node] == label
        for i, leaf in enumerate(model.apply(iris)):
            assert sorted(path[i].indices) == sorted(tree.path(leaf))
        assert set(path.data) == {1}


def _parameters(kernel):
    """Those parameters of `pairwise_kernels` whose default is not Kauri's."""
    return {"poly": {"degree": 3, "coef0": 1}, "sigmoid": {"coef0": 1}}.get(kernel, {})


class TestStocks:
    @pytest.mark.parametrize("kernel", ["linear", "rbf", "cosine"])
    def test_both_give_the_same_tree(self, iris, kernel):
        gram = Kauri(5, kernel=kernel, engine="gram", max_leaf_nodes=None).fit(iris)
        blocks = Kauri(5, kernel=kernel, engine="blocks", max_leaf_nodes=None).fit(iris)
        equal_trees(gram.tree_, blocks.tree_)
        assert (gram.engine_, blocks.engine_) == ("gram", "blocks")
        assert gram.objective_ == pytest.approx(blocks.objective_, rel=1e-12)

    def test_auto_is_chosen_by_size(self):
        X = np.random.default_rng(0).normal(size=(400, 2))
        whole = Kauri(3, kernel="rbf", max_leaf_nodes=4).fit(X)
        assert whole.engine_ == "gram"
        with config_context(working_memory=1):
            model = Kauri(3, kernel="rbf", max_leaf_nodes=4).fit(X)
        assert model.engine_ == "blocks"
        equal_trees(model.tree_, whole.tree_)

    def test_a_given_matrix_is_gram(self, iris):
        model = Kauri(3, kernel="precomputed", engine="gram", max_leaf_nodes=None).fit(
            iris, gram=iris @ iris.T
        )
        assert model.engine_ == "gram"


class TestKernels:
    def test_every_name_of_scikit_learn(self):
        assert set(KERNELS) == set(kernel_metrics())

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    @pytest.mark.parametrize("kernel", sorted(kernel_metrics()))
    def test_by_name(self, iris, kernel, engine):
        model = Kauri(3, kernel=kernel, engine=engine, max_leaf_nodes=8).fit(iris)
        gram = pairwise_kernels(iris, metric=kernel, filter_params=True, degree=3, coef0=1)
        given = Kauri(3, kernel="precomputed", max_leaf_nodes=8).fit(iris, gram=gram)
        equal_trees(model.tree_, given.tree_)
        assert model.objective_ == pytest.approx(objective(gram, model.labels_), rel=1e-9)

    @pytest.mark.parametrize(
        ("kernel", "params"),
        [
            ("rbf", {"gamma": 0.05}),
            ("laplacian", {"gamma": 0.4}),
            ("chi2", {"gamma": 0.7}),
            ("poly", {"gamma": 0.1, "degree": 2, "coef0": 0.5}),
            ("polynomial", {"degree": 4, "coef0": 2}),
            ("sigmoid", {"gamma": 0.01, "coef0": -0.5}),
        ],
    )
    def test_parameters(self, iris, kernel, params):
        model = Kauri(3, kernel=kernel, max_leaf_nodes=8, **params).fit(iris)
        gram = pairwise_kernels(iris, metric=kernel, **params)
        given = Kauri(3, kernel="precomputed", max_leaf_nodes=8).fit(iris, gram=gram)
        equal_trees(model.tree_, given.tree_)
        assert model.objective_ == pytest.approx(objective(gram, model.labels_), rel=1e-9)
        assert model.score(iris) == pytest.approx(model.objective_, rel=1e-9)

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    def test_callable(self, iris, engine):
        X = iris[::3]
        params = {"scale": 0.5, "power": 2}
        model = Kauri(
            3, kernel=absolute_dot, kernel_params=params, engine=engine, max_leaf_nodes=None
        ).fit(X)
        gram = pairwise_kernels(X, metric=absolute_dot, **params)
        equal_trees(
            model.tree_, Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=gram).tree_
        )
        assert model.objective_ == pytest.approx(objective(gram, model.labels_), rel=1e-9)
        assert model.score(X) == pytest.approx(model.objective_, rel=1e-9)

    def test_callable_without_parameters(self, iris):
        X = iris[::3]
        model = Kauri(3, kernel=lambda a, b: float(a @ b), max_leaf_nodes=None).fit(X)
        equal_trees(model.tree_, Kauri(3, max_leaf_nodes=None).fit(X).tree_)

    def test_kernel_object_of_scikit_learn(self, iris):
        # `pairwise_kernels` takes those of the Gaussian processes, which cannot be hashed.
        X = iris[::3]
        model = Kauri(3, kernel=RBF(2.0), max_leaf_nodes=None).fit(X)
        equal_trees(
            model.tree_, Kauri(3, kernel="rbf", gamma=1 / 8, max_leaf_nodes=None).fit(X).tree_
        )

    def test_a_gram_need_not_be_that_of_X(self):
        # The tree asks about X what the kernel says of something else.
        X = np.arange(8.0)[:, None]
        hidden = np.array([0, 0, 0, 5, 5, 9, 9, 9.0])[:, None]
        model = Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=hidden @ hidden.T)
        assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 2, 2, 1, 1, 1])
        assert sorted(model.tree_.threshold[~model.tree_.is_leaf]) == [2.5, 4.5]
