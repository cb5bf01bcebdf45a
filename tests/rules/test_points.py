"""Rows in the plane, and the leaves as rectangles behind them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.frames import names_of_polars
from helpers.plot_trees import MODELS, grown
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis._rules.regions import tree_regions
from agathis.plot import cluster_points


def holders(regions, x, y):
    return [r for r in regions if r.x_low < x <= r.x_high and r.y_low < y <= r.y_high]


@given(grown(20, n_features=2), st.integers(0, 2**32 - 1), st.booleans())
def test_regions_tile_the_plane_and_agree_with_predict(given_tree, seed, swap):
    tree, X = given_tree
    features = (1, 0) if swap else (0, 1)
    regions = tree_regions(tree, features)
    random = np.random.default_rng(seed)
    # Rows, places far outside, and places exactly on thresholds.
    places = np.vstack([X, random.uniform(-30, 30, (20, 2)), X[:5] + 0.5])
    clusters, leaves = tree.predict(places), tree.apply(places)
    for place, cluster, leaf in zip(places, clusters, leaves, strict=True):
        (result,) = holders(regions, *place[list(features)])
        assert (result.cluster, result.leaf) == (cluster, leaf)
    assert len(regions) <= tree.n_leaves


def test_no_regions_where_the_tree_looks_elsewhere(iris):
    model = Kauri(3, max_leaf_nodes=3).fit(iris)
    assert set(model.tree_.feature[~model.tree_.is_leaf]) == {2}
    assert cluster_points(model, iris, features=(0, 1)).regions is None
    assert len(cluster_points(model, iris, features=(0, 2)).regions) == 3
    assert cluster_points(model, iris).regions is None


def test_a_leaf_of_missing_values_has_no_region():
    X = np.array([[np.nan, 0.0]] * 3 + [[1.0, 9.0]] * 3)
    tree = Kauri(2, engine="binned", max_leaf_nodes=None).fit(X).tree_
    tree = type(tree).from_dict(
        {**tree.to_dict(), "feature": [0, -2, -2], "threshold": [float("inf"), -2.0, -2.0]}
    )
    (region,) = tree_regions(tree, (0, 1))
    assert region.leaf == tree.children_left[0]


@pytest.mark.parametrize("standardise", [False, True])
def test_principal_components(iris, standardise):
    model = Kauri(3, max_leaf_nodes=5).fit(iris)
    result = cluster_points(model, iris, standardise=standardise)
    table = StandardScaler().fit_transform(iris) if standardise else iris
    pca = PCA(2).fit(table)
    np.testing.assert_allclose(np.abs(result.points), np.abs(pca.transform(table)), atol=1e-9)
    np.testing.assert_allclose(result.explained, pca.explained_variance_ratio_)
    np.testing.assert_array_equal(result.cluster, model.labels_)
    np.testing.assert_array_equal(result.sizes, np.bincount(model.labels_))


@pytest.mark.parametrize(
    "X", [np.zeros((4, 3)), np.zeros((1, 5)), np.eye(3)[:, [0, 0, 0]], np.eye(4) * 1e200]
)
def test_principal_components_of_little(X):
    tree = (
        Kauri(1, max_leaf_nodes=None).fit(X).tree_
        if X.max() < 2
        else Kauri(1, max_leaf_nodes=None).fit(np.eye(4)).tree_
    )
    result = cluster_points(tree, X)
    assert result.points.shape == (len(X), 2)
    assert np.isfinite(result.points).all()
    assert np.isfinite(result.explained).all()


def test_two_features_by_number_and_name(iris):
    frame = pd.DataFrame(iris, columns=["a", "b", "c", "d"])
    model = Kauri(3, max_leaf_nodes=5).fit(frame)
    by_name = cluster_points(model, frame, features=["d", "b"])
    by_number = cluster_points(model, frame, features=(-1, np.int64(1)))
    for result in (by_name, by_number):
        assert result.axis_names == ("d", "b")
        assert result.explained is None
        np.testing.assert_array_equal(result.points, iris[:, [3, 1]])


def test_one_and_two_columns(iris):
    one = cluster_points(Kauri(3, max_leaf_nodes=None).fit(iris[:, 2:3]), iris[:, 2:3])
    assert one.plane == "feature"
    np.testing.assert_array_equal(one.points[:, 0], iris[:, 2])
    np.testing.assert_array_equal(one.points[:, 1], one.cluster)
    assert len(one.regions) >= 3
    for x, cluster in zip(one.points[:, 0], one.cluster, strict=True):
        assert [r.cluster for r in holders(one.regions, x, 0.0)] == [cluster]
    two = cluster_points(Kauri(3, max_leaf_nodes=None).fit(iris[:, 2:]), iris[:, 2:])
    assert two.plane == "features"
    np.testing.assert_array_equal(two.points, iris[:, 2:])


@names_of_polars
def test_frames(iris):
    names = ["a", "b", "c", "d"]
    model = Kauri(3, max_leaf_nodes=4).fit(pl.DataFrame(iris, schema=names))
    expected = cluster_points(model.tree_, iris)
    for frame in (pd.DataFrame(iris, columns=names), pl.DataFrame(iris, schema=names)):
        result = cluster_points(model, frame)
        np.testing.assert_allclose(result.points, expected.points, atol=1e-9)


def test_missing_values(iris):
    X = iris.copy()
    X[::7, 2] = np.nan
    X[3, 0] = np.nan
    model = Kauri(3, max_leaf_nodes=5, engine="binned").fit(X)
    result = cluster_points(model, X)
    assert np.isfinite(result.points).all()
    assert result.n_missing == 0
    mean = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    expected = cluster_points(model, mean).points
    np.testing.assert_allclose(np.abs(result.points), np.abs(expected), atol=1e-9)
    chosen = cluster_points(model, X, features=(0, 2))
    assert chosen.n_missing == np.isnan(X[:, [0, 2]]).any(axis=1).sum()
    with pytest.raises(ValueError, match="Input X contains NaN"):
        cluster_points(Kauri(3, max_leaf_nodes=None).fit(iris), X)


def test_some_of_many_rows(iris):
    model = Kauri(3, max_leaf_nodes=4).fit(iris)
    few = cluster_points(model, iris, max_points=40)
    every = cluster_points(model, iris, max_points=None)
    assert len(few.points) == len(set(few.rows)) == 40
    np.testing.assert_array_equal(few.points, every.points[few.rows])
    np.testing.assert_array_equal(few.cluster, model.labels_[few.rows])
    np.testing.assert_array_equal(few.sizes, every.sizes)
    np.testing.assert_array_equal(few.rows, cluster_points(model, iris, max_points=40).rows)


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator(name, iris):
    model = clone(MODELS[name]).fit(iris)
    np.testing.assert_array_equal(cluster_points(model, iris).cluster, model.labels_)


def test_errors(iris):
    model = Kauri(3, max_leaf_nodes=4).fit(iris)
    with pytest.raises(ValueError, match=r"3 features.*4 features"):
        cluster_points(model, iris[:, :3])
    with pytest.raises(ValueError, match=r"must have shape \(n_samples, 4\)"):
        cluster_points(model.tree_, iris[:, :3])
    for features, words in {
        "ab": "must be two features",
        (0,): "must be two features",
        (0, 1, 2): "must be two features",
        (0, 4): "no feature 4; X has 4",
        ("x[0]", "q"): r"no feature 'q'; there are x\[0\]",
        (1, -3): "two different",
        (0, True): "no feature True",
    }.items():
        with pytest.raises(ValueError, match=words):
            cluster_points(model, iris, features=features)
    with pytest.raises(ValueError, match="'max_points' parameter"):
        cluster_points(model, iris, max_points=0)
    with pytest.raises(ValueError, match="'standardise' parameter"):
        cluster_points(model, iris, standardise="x")


def test_pipelines_show_rows_before_scaling(iris):
    frame = pd.DataFrame(iris[:, 2:], columns=["length", "width"])
    pipeline = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=4)).fit(frame)
    result = cluster_points(pipeline, frame)
    np.testing.assert_array_equal(result.points, iris[:, 2:])
    np.testing.assert_array_equal(result.cluster, pipeline.predict(frame))
    assert result.axis_names == ("length", "width")
    for place, cluster in zip(result.points, result.cluster, strict=True):
        (region,) = holders(result.regions, *place)
        assert region.cluster == cluster
    bare = cluster_points(pipeline[-1], frame, scaler=pipeline[0])
    assert bare.regions == result.regions


def test_categories_have_names():
    plan = np.arange(60) % 2
    X = np.column_stack([plan == 0, plan == 1]).astype(float)
    names = ["plan_free", "plan_basic"]
    result = cluster_points(
        Kauri(2, max_leaf_nodes=None).fit(X),
        X,
        features=["plan_basic", "plan_free"],
        feature_names=names,
        one_hot={"plan": names},
    )
    assert result.axis_names == ("plan is basic", "plan is free")
