"""What is different about each cluster, against the same computed row by row."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.frames import names_of_polars
from helpers.plot_trees import MODELS, grown
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis.export import from_json, to_json
from agathis.plot import cluster_profile


def naive(X, labels, weight, n_clusters):
    """Means, standardised means and explained shares, one column and cluster at a time."""
    d = X.shape[1]
    means, apart, explained = np.full((n_clusters, d), np.nan), np.zeros((n_clusters, d)), []
    for f in range(d):
        known = ~np.isnan(X[:, f]) & (weight > 0)
        values, w, k = X[known, f], weight[known], labels[known]
        mean = np.average(values, weights=w) if len(values) else 0.0
        spread = np.sqrt(np.average((values - mean) ** 2, weights=w)) if len(values) else 0.0
        constant = len(set(values.tolist())) <= 1
        between = 0.0
        for c in range(n_clusters):
            if (k == c).any():
                means[c, f] = np.average(values[k == c], weights=w[k == c])
                apart[c, f] = 0.0 if constant else (means[c, f] - mean) / spread
                between += w[k == c].sum() * (means[c, f] - mean) ** 2
            else:
                apart[c, f] = np.nan
        explained.append(0.0 if constant else between / (w.sum() * spread**2))
    return means, apart, np.array(explained)


@given(grown(12), st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_profile_against_the_naive_one(given_tree, seed, missing, weighted):
    tree, X = given_tree
    random = np.random.default_rng(seed)
    X = X.copy()
    if missing:
        X[random.random(X.shape) < 0.4] = np.nan
    if random.random() < 0.3:
        X[:, -1] = 0.1
    weight = random.integers(0, 3, len(X)).astype(float) if weighted else np.ones(len(X))
    weight[0] = 1.0
    labels = tree.predict(X)
    means, apart, explained = naive(X, labels, weight, tree.n_clusters)
    result = cluster_profile(tree, X, max_features=None, sample_weight=weight if weighted else None)
    order = result.features
    assert sorted(order) == list(range(X.shape[1]))
    np.testing.assert_allclose(result.means, means[:, order], atol=1e-9)
    np.testing.assert_allclose(result.standardised, apart[:, order], atol=1e-9)
    np.testing.assert_allclose(result.explained, explained[order], atol=1e-9)
    assert np.all(np.diff(result.explained) <= 1e-9)
    np.testing.assert_array_equal(result.sizes, np.bincount(labels, minlength=tree.n_clusters))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_any_units(iris, scale):
    tree = Kauri(3, max_leaf_nodes=4).fit(iris).tree_
    scaled = type(tree).from_dict(
        {**tree.to_dict(), "threshold": np.where(tree.is_leaf, -2.0, tree.threshold * scale)}
    )
    expected = cluster_profile(tree, iris)
    result = cluster_profile(scaled, iris * scale)
    np.testing.assert_array_equal(result.features, expected.features)
    np.testing.assert_allclose(result.standardised, expected.standardised)
    np.testing.assert_allclose(result.spread, expected.spread * scale)


def test_most_explained_variance_first():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 64))
    X[:, 41] += 50 * (np.arange(200) % 2)
    X[:, 7] += 5 * (np.arange(200) % 2)
    model = Kauri(2, max_leaf_nodes=2).fit(X)
    result = cluster_profile(model, X, max_features=3)
    assert result.features[:2].tolist() == [41, 7]
    assert len(result.feature_names) == 3
    assert result.n_features == 64


def test_copies_keep_their_order():
    X = np.repeat(np.array([[0.0], [0.1], [3.0], [3.3]]), 5, axis=1) * [1, 2, 4, 8, 1]
    result = cluster_profile(Kauri(2, max_leaf_nodes=2).fit(X), X)
    assert result.features.tolist() == [0, 1, 2, 3, 4]


def test_a_cluster_without_rows(iris):
    model = Kauri(3, max_leaf_nodes=3).fit(iris)
    result = cluster_profile(model, iris[model.labels_ != 1])
    assert result.sizes[1] == 0
    assert np.isnan(result.means[1]).all()
    assert np.isfinite(result.standardised[[0, 2]]).all()


@names_of_polars
def test_frames(iris):
    names = ["a", "b", "c", "d"]
    model = Kauri(3, max_leaf_nodes=4).fit(pd.DataFrame(iris, columns=names))
    expected = cluster_profile(model.tree_, iris, feature_names=names)
    for frame in (pd.DataFrame(iris, columns=names), pl.DataFrame(iris, schema=names)):
        result = cluster_profile(model, frame)
        assert result.feature_names == expected.feature_names
        np.testing.assert_allclose(result.standardised, expected.standardised, atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator(name, iris):
    model = clone(MODELS[name]).fit(iris)
    result = cluster_profile(model, iris)
    expected = [iris[model.labels_ == k].mean(axis=0) for k in range(model.n_clusters_)]
    np.testing.assert_allclose(result.means, np.array(expected)[:, result.features])


def test_errors(iris):
    model = Kauri(3, max_leaf_nodes=4).fit(iris)
    with pytest.raises(ValueError, match=r"3 features.*4 features"):
        cluster_profile(model, iris[:, :3])
    with pytest.raises(ValueError, match="'max_features' parameter"):
        cluster_profile(model, iris, max_features=0)
    with pytest.raises(ValueError, match="sample_weight must have shape"):
        cluster_profile(model, iris, sample_weight=[1.0])
    with pytest.raises(ValueError, match="cluster_names has 1 names"):
        cluster_profile(model, iris, cluster_names=["a"])


def test_pipelines_have_profiles_of_unscaled_rows(iris):
    frame = pd.DataFrame(iris, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=4)).fit(frame)
    labels = pipeline.predict(frame)
    result = cluster_profile(pipeline, frame, max_features=None)
    means = np.array([iris[labels == k].mean(axis=0) for k in range(3)])
    np.testing.assert_allclose(result.means, means[:, result.features])
    assert result.feature_names == tuple(np.array(list("abcd"))[result.features])
    bare = cluster_profile(pipeline[-1], iris, scaler=pipeline[0], max_features=None)
    np.testing.assert_array_equal(bare.means, result.means)
    # Standard deviations are the same before scaling and after it.
    scaled = cluster_profile(pipeline[-1], pipeline[0].transform(frame), max_features=None)
    np.testing.assert_allclose(result.standardised, scaled.standardised, atol=1e-12)
    with pytest.raises(ValueError, match=r"X has the columns 'd', .*fitted with 'a', 'b'"):
        cluster_profile(pipeline, frame[list("dcba")])
    with pytest.raises(ValueError, match="contains NaN"):
        cluster_profile(pipeline, np.full((2, 4), np.nan))


def test_categories_have_names():
    plan = np.arange(60) % 3
    X = np.column_stack([plan == 0, plan == 1, plan == 2]).astype(float)
    names = ["plan_free", "plan_basic", "plan_pro"]
    model = Kauri(3, max_leaf_nodes=None).fit(X)
    result = cluster_profile(model, X, feature_names=names, one_hot={"plan": names})
    messages = {"plan is free", "plan is basic", "plan is pro"}
    assert set(result.feature_names) == messages
    loaded = from_json(to_json(model, feature_names=names, one_hot={"plan": names}))
    assert cluster_profile(loaded, X).feature_names == result.feature_names
