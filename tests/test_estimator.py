"""The estimator as scikit-learn and its users see it."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from invariants import same_tree, valid_tree
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_moons
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from agathis import Kauri
from agathis._kernels import KERNEL_NAMES
from agathis.stocks import PairStocks


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, 3, centers=3, cluster_std=0.5, random_state=0)


def equal_trees(a, b):
    same_tree(a, b, gains=1e-9 * max(1.0, a.gain.max()))


def objective(gram, labels, weight=None):
    """By the definition."""
    weight = np.ones(len(labels)) if weight is None else np.asarray(weight, dtype=float)
    total = 0.0
    for k in np.unique(labels):
        w = np.where(labels == k, weight, 0.0)
        total += w @ gram @ w / w.sum()
    return total


def absolute_dot(a, b, scale=1.0, power=1):
    return float(scale * np.abs(a @ b) ** power)


class TestScikitLearnChecks:
    configurations = (
        Kauri(),
        Kauri(kernel="rbf"),
        Kauri(kernel="rbf", keep_training_data=True),
        Kauri(kernel="chi2", keep_training_data=True),
        Kauri(max_leaf_nodes=5),
        Kauri(max_features=1),
        Kauri(stocks="blocks"),
    )

    @parametrize_with_checks(list(configurations))
    def test_check(self, estimator, check):
        try:
            check(estimator)
        except ValueError as error:
            reason = self.explained(estimator, check, str(error))
            if reason is None:
                raise
            pytest.xfail(reason)

    def explained(self, estimator, check, message):
        """Why a check may fail with this message, or None."""
        if not estimator.keep_training_data and "keep_training_data=True" in message:
            return "with rbf transform needs the training rows, and the model was not to keep them"
        negative_anyway = check.func.__name__ == "check_clustering"
        if estimator.kernel == "chi2" and negative_anyway and "needs non-negative X" in message:
            return "the check clusters negative data, whatever the tag positive_only says"
        return None


class TestComposition:
    def test_clone(self, iris):
        model = Kauri(3, kernel="rbf", gamma=0.2, max_leaf_nodes=5).fit(iris)
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert not hasattr(copy, "tree_")
        equal_trees(copy.fit(iris).tree_, model.tree_)

    def test_params_are_keyword_only_but_for_n_clusters(self):
        assert Kauri(4).n_clusters == 4
        with pytest.raises(TypeError, match="positional"):
            Kauri(4, "rbf")

    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_pickle(self, iris, kernel):
        model = Kauri(3, kernel=kernel, keep_training_data=True).fit(iris)
        back = pickle.loads(pickle.dumps(model))
        equal_trees(back.tree_, model.tree_)
        np.testing.assert_array_equal(back.predict(iris), model.labels_)
        np.testing.assert_array_equal(back.transform(iris), model.transform(iris))
        assert back.objective_ == model.objective_

    def test_joblib(self, iris, tmp_path):
        model = Kauri(3, kernel="rbf").fit(iris)
        joblib.dump(model, tmp_path / "model.joblib")
        back = joblib.load(tmp_path / "model.joblib")
        np.testing.assert_array_equal(back.predict(iris), model.labels_)

    @pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
    def test_pickle_stays_small(self, kernel):
        X, _ = make_blobs(5000, 5, centers=6, random_state=0)
        gram = rbf_kernel(X) if kernel == "precomputed" else None
        model = Kauri(6, kernel=kernel, max_leaf_nodes=12).fit(X, gram=gram)
        assert len(pickle.dumps(model.tree_)) < 5_000
        # The labels are the one attribute that grows with the number of rows.
        assert len(pickle.dumps(model)) - model.labels_.nbytes < 8_000

    def test_training_rows_are_kept_only_when_asked(self):
        X, _ = make_blobs(2000, 5, centers=6, random_state=0)
        small, large = (
            len(pickle.dumps(Kauri(6, kernel="rbf", keep_training_data=keep).fit(X)))
            for keep in (False, True)
        )
        assert large - small > X.nbytes
        asked_in_vain = Kauri(6, kernel="linear", keep_training_data=True).fit(X)
        assert len(pickle.dumps(asked_in_vain)) < small + 4_000

    def test_pipeline(self, iris):
        pipe = make_pipeline(StandardScaler(), Kauri(3)).fit(iris)
        scaled = StandardScaler().fit_transform(iris)
        expected = Kauri(3).fit(scaled)
        np.testing.assert_array_equal(pipe.predict(iris), expected.labels_)
        np.testing.assert_allclose(pipe.transform(iris), expected.transform(scaled))
        assert pipe.score(iris) == pytest.approx(expected.objective_)

    def test_pipeline_passes_weight_and_gram_by_prefix(self, iris):
        weight = np.random.default_rng(0).integers(0, 4, len(iris)).astype(float)
        pipe = make_pipeline(MinMaxScaler(), Kauri(3, kernel="precomputed"))
        pipe.fit(iris, kauri__gram=iris @ iris.T, kauri__sample_weight=weight)
        scaled = MinMaxScaler().fit_transform(iris)
        expected = Kauri(3, kernel="precomputed").fit(
            scaled, gram=iris @ iris.T, sample_weight=weight
        )
        equal_trees(pipe[-1].tree_, expected.tree_)

    def test_metadata_routing_of_sample_weight(self, iris):
        weight = np.random.default_rng(0).integers(0, 4, len(iris)).astype(float)
        expected = Kauri(3).fit(MinMaxScaler().fit_transform(iris), sample_weight=weight)
        with config_context(enable_metadata_routing=True):
            model = Kauri(3).set_fit_request(sample_weight=True)
            model.set_score_request(sample_weight=True)
            pipe = make_pipeline(MinMaxScaler(), model).fit(iris, sample_weight=weight)
            equal_trees(pipe[-1].tree_, expected.tree_)
            assert pipe.score(iris, sample_weight=weight) == pytest.approx(expected.objective_)

    def test_metadata_routing_of_gram(self, iris):
        with config_context(enable_metadata_routing=True):
            model = Kauri(3, kernel="precomputed").set_fit_request(gram=True)
            pipe = make_pipeline(MinMaxScaler(), model).fit(iris, gram=iris @ iris.T)
        assert pipe[-1].objective_ == pytest.approx(
            objective(iris @ iris.T, pipe[-1].labels_), rel=1e-12
        )

    def test_grid_search(self, iris):
        grid = {"n_clusters": [2, 3], "kernel": ["linear", "rbf"]}
        splits = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
        search = GridSearchCV(Kauri(max_leaf_nodes=6), grid, cv=splits).fit(iris)
        for params, score in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
        ):
            model = Kauri(max_leaf_nodes=6, **params).fit(iris[::2])
            half = iris[1::2]
            gram = pairwise_kernels(half, metric=params["kernel"])
            assert score == pytest.approx(objective(gram, model.predict(half)))
        equal_trees(
            search.best_estimator_.tree_,
            Kauri(max_leaf_nodes=6, **search.best_params_).fit(iris).tree_,
        )

    def test_grid_search_finds_the_number_of_blobs(self, blobs):
        search = GridSearchCV(Kauri(), {"n_clusters": [2, 3, 5]}, scoring="adjusted_rand_score")
        assert search.fit(*blobs).best_params_ == {"n_clusters": 3}

    @pytest.mark.parametrize(
        ("name", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
    )
    def test_set_output(self, iris, name, frame):
        model = Kauri(3).fit(iris)
        distances = model.transform(iris)
        table = model.set_output(transform=name).transform(iris)
        assert isinstance(table, frame)
        assert list(table.columns) == ["kauri0", "kauri1", "kauri2"]
        np.testing.assert_array_equal(table.to_numpy(), distances)
        assert isinstance(model.predict(iris), np.ndarray)
        fresh = Kauri(3).set_output(transform=name).fit_transform(iris)
        np.testing.assert_array_equal(fresh.to_numpy(), distances)

    def test_set_output_keeps_the_index(self, iris):
        frame = pd.DataFrame(iris, index=np.arange(len(iris)) + 1000)
        table = Kauri(3).set_output(transform="pandas").fit_transform(frame)
        assert list(table.index) == list(frame.index)

    def test_feature_names_out(self, iris):
        model = Kauri(8, max_leaf_nodes=3).fit(iris)
        assert model.get_feature_names_out().tolist() == ["kauri0", "kauri1", "kauri2"]

    @pytest.mark.parametrize("fitted", [False, True])
    def test_html_repr(self, iris, fitted):
        model = Kauri(3, kernel="rbf")
        html = (model.fit(iris) if fitted else model)._repr_html_()
        assert "Kauri" in html
        assert "rbf" in html

    def test_repr_names_what_is_not_default(self):
        assert repr(Kauri(3, kernel="rbf")) == "Kauri(kernel='rbf', n_clusters=3)"


class TestFeatureNames:
    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
    def test_from_a_data_frame(self, frame):
        data = {"length": [1.0, 2.0, 8.0, 9.0], "width": [0, 1, 0, 1]}
        model = Kauri(2).fit(frame(data))
        assert model.feature_names_in_.tolist() == ["length", "width"]
        assert model.feature_names_in_.dtype == object
        assert model.n_features_in_ == 2
        assert model.labels_.tolist() == [0, 0, 1, 1]
        assert model.predict(frame(data)).tolist() == [0, 0, 1, 1]

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
    @pytest.mark.parametrize("method", ["predict", "apply", "decision_path", "score", "transform"])
    def test_other_names_are_an_error(self, frame, method):
        model = Kauri(2).fit(frame({"a": [1.0, 2.0, 8.0], "b": [0.0, 1.0, 0.0]}))
        other = frame({"a": [1.0, 2.0, 8.0], "c": [0.0, 1.0, 0.0]})
        with pytest.raises(ValueError, match="feature names should match"):
            getattr(model, method)(other)
        swapped = frame({"b": [0.0, 1.0, 0.0], "a": [1.0, 2.0, 8.0]})
        with pytest.raises(ValueError, match="same order"):
            getattr(model, method)(swapped)

    def test_no_names_where_names_were_is_a_warning(self):
        frame = pd.DataFrame({"a": [1.0, 2.0, 8.0], "b": [0.0, 1.0, 0.0]})
        model = Kauri(2).fit(frame)
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            labels = model.predict(frame.to_numpy())
        np.testing.assert_array_equal(labels, model.labels_)

    def test_names_where_none_were_is_a_warning(self, iris):
        model = Kauri(2).fit(iris)
        with pytest.warns(UserWarning, match="fitted without feature names"):
            model.predict(pd.DataFrame(iris, columns=list("abcd")))

    def test_no_names_without_a_data_frame(self, iris):
        assert not hasattr(Kauri(2).fit(iris), "feature_names_in_")

    def test_names_are_forgotten_when_fitted_again(self, iris):
        model = Kauri(2).fit(pd.DataFrame(iris, columns=list("abcd")))
        assert not hasattr(model.fit(iris), "feature_names_in_")


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
        model = Kauri(5, kernel=kernel).fit(X)
        np.testing.assert_array_equal(model.labels_, model.predict(X))
        np.testing.assert_array_equal(model.labels_, model.tree_.cluster[model.apply(X)])
        table = np.asarray(X, dtype=np.float64)
        equal_trees(model.tree_, Kauri(5, kernel=kernel).fit(np.array(table, order="C")).tree_)
        found = np.unique(model.labels_)
        assert found.tolist() == list(range(model.n_clusters_))

    @pytest.mark.parametrize("seed", range(30))
    def test_labels_are_predictions_on_random_data(self, seed):
        rng = np.random.default_rng(seed)
        n, d = rng.integers(3, 80), rng.integers(1, 6)
        X = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-8, 8, d)).astype(np.float32)
        X += (10.0 ** rng.integers(-3, 4, d)).astype(np.float32)
        weight = rng.integers(0, 3, n) + (np.arange(n) < 3)
        model = Kauri(3).fit(X, sample_weight=weight)
        np.testing.assert_array_equal(model.labels_, model.predict(X))
        np.testing.assert_array_equal(model.labels_, model.predict(X.astype(np.float64)))

    def test_fit_predict(self, iris):
        model = Kauri(3, kernel="rbf")
        labels = model.fit_predict(iris)
        assert labels.dtype.kind == "i"
        np.testing.assert_array_equal(labels, model.labels_)
        np.testing.assert_array_equal(labels, Kauri(3, kernel="rbf").fit(iris).labels_)

    def test_fit_predict_passes_weight_and_gram(self, iris):
        weight = np.random.default_rng(0).integers(1, 4, len(iris))
        labels = Kauri(3).fit_predict(iris, sample_weight=weight)
        np.testing.assert_array_equal(labels, Kauri(3).fit(iris, sample_weight=weight).labels_)
        labels = Kauri(3, kernel="precomputed").fit_predict(iris, gram=iris @ iris.T)
        np.testing.assert_array_equal(labels, Kauri(3).fit(iris).labels_)

    def test_y_is_ignored(self, iris):
        equal_trees(Kauri(3).fit(iris, np.arange(150)).tree_, Kauri(3).fit(iris).tree_)

    def test_rows_of_weight_0_are_labelled_but_do_not_count(self, iris):
        weight = (np.arange(len(iris)) % 3 > 0).astype(float)
        model = Kauri(4, kernel="rbf", gamma=0.5).fit(iris, sample_weight=weight)
        alone = Kauri(4, kernel="rbf", gamma=0.5).fit(iris[weight > 0])
        equal_trees(model.tree_, alone.tree_)
        assert model.labels_.shape == (150,)
        np.testing.assert_array_equal(model.labels_, alone.predict(iris))
        assert model.objective_ == pytest.approx(alone.objective_)
        assert model.tree_.n_node_samples[0] == 100

    def test_rows_of_weight_0_and_a_gram(self, iris):
        weight = (np.arange(len(iris)) % 3 > 0).astype(float)
        gram = iris @ iris.T
        model = Kauri(4, kernel="precomputed").fit(iris, gram=gram, sample_weight=weight)
        equal_trees(model.tree_, Kauri(4).fit(iris[weight > 0]).tree_)

    def test_good_clusters(self, blobs):
        X, y = blobs
        model = Kauri(3).fit(X)
        assert adjusted_rand_score(y, model.labels_) == 1.0
        assert model.n_leaves_ == 3


class TestFigures:
    @pytest.mark.parametrize("kernel", ["linear", "rbf", "cosine", "poly"])
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("stocks", ["gram", "blocks"])
    def test_objective_is_score(self, iris, kernel, weighted, stocks):
        weight = np.random.default_rng(0).uniform(0, 3, len(iris)) if weighted else None
        model = Kauri(4, kernel=kernel, stocks=stocks).fit(iris, sample_weight=weight)
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
        model = Kauri(4, kernel="precomputed").fit(iris, gram=gram, sample_weight=weight)
        expected = objective(gram.astype(np.float64), model.labels_, weight)
        assert model.objective_ == pytest.approx(expected, rel=1e-6)
        score = model.score(iris, gram=gram, sample_weight=weight)
        assert score == pytest.approx(expected, rel=1e-6)

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
    def test_objective_is_score_far_from_the_origin(self, iris, kernel):
        model = Kauri(4, kernel=kernel).fit(iris + 1e6)
        assert model.score(iris + 1e6) == pytest.approx(model.objective_, rel=1e-9)
        assert model.inertia_ == pytest.approx(Kauri(4, kernel=kernel).fit(iris).inertia_, rel=1e-6)

    def test_score_of_other_rows(self, iris):
        model = Kauri(3, kernel="rbf").fit(iris[::2])
        half = iris[1::2]
        assert model.score(half) == pytest.approx(objective(rbf_kernel(half), model.predict(half)))
        # Rows of one cluster only: the others are empty and add nothing.
        assert model.score(half[:1]) == pytest.approx(1.0)

    def test_gram_is_neither_copied_nor_changed(self, iris):
        gram = rbf_kernel(iris)
        before = gram.copy()
        Kauri(4, kernel="precomputed").fit(iris, gram=_read_only(gram))
        Kauri(4, kernel="precomputed").fit(iris, gram=gram)
        np.testing.assert_array_equal(gram, before)

    def test_data_are_not_changed(self, iris):
        X, weight = iris.copy(), np.ones(len(iris))
        Kauri(4).fit(_read_only(X), sample_weight=_read_only(weight))
        Kauri(4).fit(X, sample_weight=weight)
        np.testing.assert_array_equal(X, iris)
        assert (weight == 1).all()

    @pytest.mark.parametrize("weighted", [False, True])
    def test_inertia_is_that_of_kmeans(self, iris, weighted):
        weight = np.random.default_rng(0).uniform(0.1, 3, 150) if weighted else np.ones(150)
        model = Kauri(4).fit(iris, sample_weight=weight)
        inertia = 0.0
        for k in range(model.n_clusters_):
            rows, w = iris[model.labels_ == k], weight[model.labels_ == k]
            centre = np.average(rows, axis=0, weights=w)
            inertia += w @ np.sum((rows - centre) ** 2, axis=1)
        assert model.inertia_ == pytest.approx(inertia, rel=1e-10)

    @pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
    def test_inertia_and_objective_sum_to_the_trace(self, iris, kernel):
        model = Kauri(4, kernel=kernel).fit(iris)
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
        model = Kauri(3).fit(iris)
        assert model.feature_importances_.shape == (4,)
        assert model.feature_importances_.sum() == pytest.approx(1.0)
        assert (model.feature_importances_ >= 0).all()
        expected = np.zeros(4)
        for feature, gain in zip(model.tree_.feature, model.tree_.gain, strict=True):
            if feature >= 0:
                expected[feature] += gain
        np.testing.assert_allclose(model.feature_importances_, expected / expected.sum())

    def test_apply_and_decision_path_against_a_walk(self, iris):
        model = Kauri(4, kernel="rbf").fit(iris)
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
        gram = Kauri(5, kernel=kernel, stocks="gram").fit(iris)
        blocks = Kauri(5, kernel=kernel, stocks="blocks").fit(iris)
        equal_trees(gram.tree_, blocks.tree_)
        assert (gram.stocks_, blocks.stocks_) == ("gram", "blocks")
        assert gram.objective_ == pytest.approx(blocks.objective_, rel=1e-12)

    def test_auto_is_chosen_by_size(self):
        X = np.random.default_rng(0).normal(size=(400, 2))
        assert Kauri(3, max_leaf_nodes=4).fit(X).stocks_ == "gram"
        with config_context(working_memory=1):
            model = Kauri(3, max_leaf_nodes=4).fit(X)
        assert model.stocks_ == "blocks"
        equal_trees(model.tree_, Kauri(3, max_leaf_nodes=4).fit(X).tree_)

    def test_a_given_matrix_is_gram(self, iris):
        model = Kauri(3, kernel="precomputed", stocks="gram").fit(iris, gram=iris @ iris.T)
        assert model.stocks_ == "gram"


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(200, 2))


@pytest.fixture(scope="module")
def free(X):
    """The tree without limits."""
    tree = Kauri(4, kernel="rbf", gamma=5.0).fit(X).tree_
    assert tree.n_leaves > 12
    return tree


class TestLimits:
    """Each limit alone, on data whose unlimited tree breaks it."""

    def tree(self, X, **limits):
        model = Kauri(4, kernel="rbf", gamma=5.0, **limits).fit(X)
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
            model = Kauri(4, kernel="rbf", gamma=5.0, **limit).fit(X, sample_weight=weight)
            twins = Kauri(4, kernel="rbf", gamma=5.0, **limit).fit(np.repeat(X, weight, axis=0))
            np.testing.assert_array_equal(model.tree_.threshold, twins.tree_.threshold)
            np.testing.assert_array_equal(
                model.tree_.weighted_n_node_samples, twins.tree_.n_node_samples
            )

    @pytest.mark.parametrize("limit", [1, 0.25, "sqrt", "log2", 3])
    def test_max_features(self, limit):
        X = np.random.default_rng(0).normal(size=(60, 8))
        best = Kauri(3, max_leaf_nodes=2).fit(X).tree_
        seen = set()
        for seed in range(25):
            tree = Kauri(3, max_features=limit, max_leaf_nodes=2, random_state=seed).fit(X).tree_
            seen.add(int(tree.feature[0]))
            assert tree.gain[0] <= best.gain[0] * (1 + 1e-9)
        assert len(seen) > 2

    def test_how_many_features_each_word_means(self, searches):
        X = np.random.default_rng(0).normal(size=(60, 9))
        counts = {}
        for limit in (1, 4, 0.5, 0.01, "sqrt", "log2"):
            searches.clear()
            Kauri(3, max_features=limit, random_state=0).fit(X)
            drawn = {int(n) for search in searches for n in search["drawn"].sum(axis=1)}
            assert len(drawn) == 1
            counts[limit] = drawn.pop()
        assert counts == {1: 1, 4: 4, 0.5: 4, 0.01: 1, "sqrt": 3, "log2": 3}

    @pytest.mark.parametrize("limit", [2, 1.0])
    def test_all_features_is_no_limit(self, X, free, limit):
        equal_trees(self.tree(X, max_features=limit), free)

    def test_features_are_drawn_anew_for_each_search(self, searches):
        X = np.random.default_rng(0).normal(size=(60, 5))
        Kauri(3, kernel="rbf", max_features=2, random_state=0).fit(X)
        drawn = [tuple(row) for search in searches for row in search["drawn"]]
        assert {sum(row) for row in drawn} == {2}
        of_one_leaf = {tuple(search["drawn"][0]) for search in searches if search["slots"][0] == 0}
        assert len(of_one_leaf) > 3

    def test_only_features_with_a_threshold_are_drawn(self, searches):
        X = np.zeros((60, 10))
        X[:, 7] = np.random.default_rng(0).normal(size=60)
        for seed in range(15):
            model = Kauri(3, max_features=1, random_state=seed).fit(X)
            assert model.n_leaves_ >= 3
        assert {int(np.argmax(row)) for search in searches for row in search["drawn"]} == {7}

    @pytest.fixture
    def searches(self, monkeypatch):
        """Every search of leaves: their slots, the features drawn and the gains found."""
        seen, search = [], PairStocks.search

        def spy(stocks, slots, drawn, *more):
            search(stocks, slots, drawn, *more)
            seen.append({"slots": slots, "drawn": drawn, "gain": stocks.gain[slots].copy()})

        monkeypatch.setattr(PairStocks, "search", spy)
        return seen


class TestRandomness:
    def test_same_seed_same_tree(self, iris):
        first = Kauri(4, max_features=1, random_state=7).fit(iris)
        equal_trees(first.tree_, Kauri(4, max_features=1, random_state=7).fit(iris).tree_)
        equal_trees(first.tree_, clone(first).fit(iris).tree_)
        generator = np.random.RandomState(7)
        equal_trees(first.tree_, Kauri(4, max_features=1, random_state=generator).fit(iris).tree_)

    def test_seeds_differ(self, iris):
        trees = [Kauri(4, max_features=1, random_state=s).fit(iris).tree_ for s in range(10)]
        assert len({tree.threshold.tobytes() for tree in trees}) > 1

    def test_nothing_else_is_random(self, iris):
        trees = [Kauri(4, random_state=seed).fit(iris).tree_ for seed in (0, 1, None)]
        equal_trees(trees[0], trees[1])
        equal_trees(trees[0], trees[2])

    @pytest.mark.parametrize("options", [{}, {"max_features": 1, "random_state": 0}])
    def test_threads_do_not_matter(self, options):
        X = np.random.default_rng(0).normal(size=(1500, 6))
        models = [Kauri(6, kernel="rbf", n_jobs=jobs, **options) for jobs in (1, 2, 3, -1, None)]
        trees = [model.fit(X).tree_ for model in models]
        for tree in trees[1:]:
            equal_trees(trees[0], tree)
            np.testing.assert_array_equal(trees[0].gain, tree.gain)


class TestKernels:
    def test_every_name_of_scikit_learn(self):
        assert set(KERNEL_NAMES) == set(kernel_metrics())

    @pytest.mark.parametrize("stocks", ["gram", "blocks"])
    @pytest.mark.parametrize("kernel", sorted(kernel_metrics()))
    def test_by_name(self, iris, kernel, stocks):
        model = Kauri(3, kernel=kernel, stocks=stocks, max_leaf_nodes=8).fit(iris)
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

    @pytest.mark.parametrize("stocks", ["gram", "blocks"])
    def test_callable(self, iris, stocks):
        X = iris[::3]
        params = {"scale": 0.5, "power": 2}
        model = Kauri(3, kernel=absolute_dot, kernel_params=params, stocks=stocks).fit(X)
        gram = pairwise_kernels(X, metric=absolute_dot, **params)
        equal_trees(model.tree_, Kauri(3, kernel="precomputed").fit(X, gram=gram).tree_)
        assert model.objective_ == pytest.approx(objective(gram, model.labels_), rel=1e-9)
        assert model.score(X) == pytest.approx(model.objective_, rel=1e-9)

    def test_callable_without_parameters(self, iris):
        X = iris[::3]
        model = Kauri(3, kernel=lambda a, b: float(a @ b)).fit(X)
        equal_trees(model.tree_, Kauri(3).fit(X).tree_)

    def test_kernel_object_of_scikit_learn(self, iris):
        # `pairwise_kernels` takes those of the Gaussian processes, which cannot be hashed.
        X = iris[::3]
        model = Kauri(3, kernel=RBF(2.0)).fit(X)
        equal_trees(model.tree_, Kauri(3, kernel="rbf", gamma=1 / 8).fit(X).tree_)

    def test_a_gram_need_not_be_that_of_X(self):
        # The tree asks about X what the kernel says of something else.
        X = np.arange(8.0)[:, None]
        hidden = np.array([0, 0, 0, 5, 5, 9, 9, 9.0])[:, None]
        model = Kauri(3, kernel="precomputed").fit(X, gram=hidden @ hidden.T)
        assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 2, 2, 1, 1, 1])
        assert sorted(model.tree_.threshold[~model.tree_.is_leaf]) == [2.5, 4.5]
