"""The estimator among scikit-learn's: its tools and data frames."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.examples import mostly_slow
from helpers.frames import POLARS, names_of_polars
from helpers.invariants import equal_trees
from helpers.reference import objective
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from agathis import Kauri


class TestComposition:
    def test_clone(self, iris):
        model = Kauri(3, kernel="rbf", gamma=0.2, max_leaf_nodes=5).fit(iris)
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert not hasattr(copy, "tree_")
        equal_trees(copy.fit(iris).tree_, model.tree_)

    def test_params_are_keyword_only_but_for_n_clusters(self):
        assert Kauri(4, max_leaf_nodes=None).n_clusters == 4
        with pytest.raises(TypeError, match="positional"):
            Kauri(4, "rbf", max_leaf_nodes=None)

    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_pickle(self, iris, kernel):
        model = Kauri(3, kernel=kernel, keep_training_data=True, max_leaf_nodes=None).fit(iris)
        back = pickle.loads(pickle.dumps(model))
        equal_trees(back.tree_, model.tree_)
        np.testing.assert_array_equal(back.predict(iris), model.labels_)
        np.testing.assert_array_equal(back.transform(iris), model.transform(iris))
        assert back.objective_ == model.objective_

    def test_joblib(self, iris, tmp_path):
        model = Kauri(3, kernel="rbf", max_leaf_nodes=None).fit(iris)
        joblib.dump(model, tmp_path / "model.joblib")
        back = joblib.load(tmp_path / "model.joblib")
        np.testing.assert_array_equal(back.predict(iris), model.labels_)

    @pytest.mark.parametrize("kernel", mostly_slow(["rbf", "precomputed"], "precomputed"))
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
            len(
                pickle.dumps(
                    Kauri(6, kernel="rbf", keep_training_data=keep, max_leaf_nodes=None).fit(X)
                )
            )
            for keep in (False, True)
        )
        assert large - small > X.nbytes
        asked_in_vain = Kauri(6, kernel="linear", keep_training_data=True, max_leaf_nodes=None).fit(
            X
        )
        assert len(pickle.dumps(asked_in_vain)) < small + 4_000

    def test_pipeline(self, iris):
        pipe = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=None)).fit(iris)
        scaled = StandardScaler().fit_transform(iris)
        expected = Kauri(3, max_leaf_nodes=None).fit(scaled)
        np.testing.assert_array_equal(pipe.predict(iris), expected.labels_)
        np.testing.assert_allclose(pipe.transform(iris), expected.transform(scaled))
        assert pipe.score(iris) == pytest.approx(expected.objective_)

    def test_pipeline_passes_weight_and_gram_by_prefix(self, iris):
        weight = np.random.default_rng(0).integers(0, 4, len(iris)).astype(float)
        pipe = make_pipeline(MinMaxScaler(), Kauri(3, kernel="precomputed", max_leaf_nodes=None))
        pipe.fit(iris, kauri__gram=iris @ iris.T, kauri__sample_weight=weight)
        scaled = MinMaxScaler().fit_transform(iris)
        expected = Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(
            scaled, gram=iris @ iris.T, sample_weight=weight
        )
        equal_trees(pipe[-1].tree_, expected.tree_)

    def test_metadata_routing_of_sample_weight(self, iris):
        weight = np.random.default_rng(0).integers(0, 4, len(iris)).astype(float)
        expected = Kauri(3, max_leaf_nodes=None).fit(
            MinMaxScaler().fit_transform(iris), sample_weight=weight
        )
        with config_context(enable_metadata_routing=True):
            model = Kauri(3, max_leaf_nodes=None).set_fit_request(sample_weight=True)
            model.set_score_request(sample_weight=True)
            pipe = make_pipeline(MinMaxScaler(), model).fit(iris, sample_weight=weight)
            equal_trees(pipe[-1].tree_, expected.tree_)
            assert pipe.score(iris, sample_weight=weight) == pytest.approx(expected.objective_)

    def test_metadata_routing_of_gram(self, iris):
        with config_context(enable_metadata_routing=True):
            model = Kauri(3, kernel="precomputed", max_leaf_nodes=None).set_fit_request(gram=True)
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
        search = GridSearchCV(
            Kauri(max_leaf_nodes=None), {"n_clusters": [2, 3, 5]}, scoring="adjusted_rand_score"
        )
        assert search.fit(*blobs).best_params_ == {"n_clusters": 3}

    @pytest.mark.parametrize(
        ("name", "frame"),
        [("pandas", pd.DataFrame), pytest.param("polars", pl.DataFrame, marks=names_of_polars)],
    )
    def test_set_output(self, iris, name, frame):
        model = Kauri(3, max_leaf_nodes=None).fit(iris)
        distances = model.transform(iris)
        table = model.set_output(transform=name).transform(iris)
        assert isinstance(table, frame)
        assert list(table.columns) == ["kauri0", "kauri1", "kauri2"]
        np.testing.assert_array_equal(table.to_numpy(), distances)
        assert isinstance(model.predict(iris), np.ndarray)
        fresh = Kauri(3, max_leaf_nodes=None).set_output(transform=name).fit_transform(iris)
        np.testing.assert_array_equal(fresh.to_numpy(), distances)

    def test_set_output_keeps_the_index(self, iris):
        frame = pd.DataFrame(iris, index=np.arange(len(iris)) + 1000)
        table = Kauri(3, max_leaf_nodes=None).set_output(transform="pandas").fit_transform(frame)
        assert list(table.index) == list(frame.index)

    def test_feature_names_out(self, iris):
        model = Kauri(8, max_leaf_nodes=3).fit(iris)
        assert model.get_feature_names_out().tolist() == ["kauri0", "kauri1", "kauri2"]

    @pytest.mark.parametrize("fitted", [False, True])
    def test_html_repr(self, iris, fitted):
        model = Kauri(3, kernel="rbf", max_leaf_nodes=None)
        html = (model.fit(iris) if fitted else model)._repr_html_()
        assert "Kauri" in html
        assert "rbf" in html

    def test_repr_names_what_is_not_default(self):
        assert repr(Kauri(3, kernel="rbf")) == "Kauri(kernel='rbf', n_clusters=3)"


class TestFeatureNames:
    @pytest.mark.parametrize("frame", [pytest.param(pd.DataFrame, id="pandas"), POLARS])
    def test_from_a_data_frame(self, frame):
        data = {"length": [1.0, 2.0, 8.0, 9.0], "width": [0, 1, 0, 1]}
        model = Kauri(2, max_leaf_nodes=None).fit(frame(data))
        assert model.feature_names_in_.tolist() == ["length", "width"]
        assert model.feature_names_in_.dtype == object
        assert model.n_features_in_ == 2
        assert model.labels_.tolist() == [0, 0, 1, 1]
        assert model.predict(frame(data)).tolist() == [0, 0, 1, 1]

    @pytest.mark.parametrize("frame", [pytest.param(pd.DataFrame, id="pandas"), POLARS])
    @pytest.mark.parametrize("method", ["predict", "apply", "decision_path", "score", "transform"])
    def test_other_names_are_an_error(self, frame, method):
        model = Kauri(2, max_leaf_nodes=None).fit(
            frame({"a": [1.0, 2.0, 8.0], "b": [0.0, 1.0, 0.0]})
        )
        other = frame({"a": [1.0, 2.0, 8.0], "c": [0.0, 1.0, 0.0]})
        with pytest.raises(ValueError, match="feature names should match"):
            getattr(model, method)(other)
        swapped = frame({"b": [0.0, 1.0, 0.0], "a": [1.0, 2.0, 8.0]})
        with pytest.raises(ValueError, match="same order"):
            getattr(model, method)(swapped)

    def test_no_names_where_names_were_is_a_warning(self):
        frame = pd.DataFrame({"a": [1.0, 2.0, 8.0], "b": [0.0, 1.0, 0.0]})
        model = Kauri(2, max_leaf_nodes=None).fit(frame)
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            labels = model.predict(frame.to_numpy())
        np.testing.assert_array_equal(labels, model.labels_)

    def test_names_where_none_were_is_a_warning(self, iris):
        model = Kauri(2, max_leaf_nodes=None).fit(iris)
        with pytest.warns(UserWarning, match="fitted without feature names"):
            model.predict(pd.DataFrame(iris, columns=list("abcd")))

    def test_no_names_without_a_data_frame(self, iris):
        assert not hasattr(Kauri(2, max_leaf_nodes=None).fit(iris), "feature_names_in_")

    def test_names_are_forgotten_when_fitted_again(self, iris):
        model = Kauri(2, max_leaf_nodes=None).fit(pd.DataFrame(iris, columns=list("abcd")))
        assert not hasattr(model.fit(iris), "feature_names_in_")
