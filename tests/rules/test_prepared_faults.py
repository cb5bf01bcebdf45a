"""Steps that cannot be undone are named; all that takes pipelines takes raw rows."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from helpers.pipelines import check_routes
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from agathis import Kauri, KernelKMeans
from agathis._rules.described_tree import describe
from agathis._rules.rows_in_units import rows_of
from agathis.baselines import IMM
from agathis.export import to_text
from agathis.metrics import explanation_table, relative_kmeans_score, weighted_average_depth
from agathis.plot import cluster_points, cluster_profile, gain_curve, layout_tree
from agathis.report import summarise


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (PCA(2), "it is not known to map each column by itself"),
        (PolynomialFeatures(), "it is not known to map each column by itself"),
        (KNNImputer(), "it is not known to map each column by itself"),
        (FunctionTransformer(np.square), "square is not known to be monotonic"),
        (FunctionTransformer(lambda X: X + 1), "<lambda> is not known to be monotonic"),
        (
            KBinsDiscretizer(2, encode="onehot-dense", strategy="uniform"),
            "returns several columns for one",
        ),
        (SimpleImputer(missing_values=0), "missing_values=0 is a value"),
        (SimpleImputer(add_indicator=True), "add_indicator=True returns several columns"),
        (MissingIndicator(features="all"), "it is not known to map each column by itself"),
        (FeatureUnion([("a", StandardScaler())]), "it is not known to map each column by itself"),
    ],
    ids=lambda step: type(step).__name__,
)
def test_steps_that_cannot_be_inverted(step, why, iris):
    nested = make_pipeline(
        make_column_transformer((step, [0, 1, 2, 3])), Kauri(2, max_leaf_nodes=None)
    ).fit(iris)
    name = r"model\['columntransformer'\]\['\w+'\]"
    with pytest.raises(TypeError, match=rf"{name} must be a fitted step .*{why}.*OneHotEncoder"):
        to_text(nested)


def test_other_faults(iris):
    binned = make_pipeline(
        KBinsDiscretizer(3, encode="ordinal", strategy="uniform"),
        OneHotEncoder(sparse_output=False),
        Kauri(2, max_leaf_nodes=None),
    )
    with pytest.raises(TypeError, match="its categories are outputs of KBinsDiscretizer"):
        to_text(binned.fit(iris))
    both = make_column_transformer((OneHotEncoder(sparse_output=False), [0]), ("passthrough", [0]))
    with pytest.raises(ValueError, match="is a number for one step and categories for another"):
        to_text(make_pipeline(both, Kauri(2, max_leaf_nodes=None)).fit(iris))
    weights = make_column_transformer((StandardScaler(), [0, 1]))
    weights.set_params(transformer_weights={"standardscaler": -1.0})
    with pytest.raises(ValueError, match="they must be positive to be inverted"):
        to_text(make_pipeline(weights, Kauri(2, max_leaf_nodes=None)).fit(iris))
    with pytest.raises(NotFittedError, match="scaler must be fitted to the rows before it"):
        to_text(Kauri(2, max_leaf_nodes=None).fit(iris), scaler=StandardScaler())


@pytest.fixture(scope="module")
def raw():
    """A raw table with text and gaps, and a pipeline that was fitted to it."""
    random = np.random.default_rng(0)
    X = pd.DataFrame({"size": random.normal(size=80), "kind": random.choice(["a", "b", "c"], 80)})
    X.loc[random.random(80) < 0.2, "size"] = np.nan
    steps = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["size"]),
        (OneHotEncoder(sparse_output=False), ["kind"]),
    )
    return X, make_pipeline(steps, Kauri(3, max_leaf_nodes=5)).fit(X)


def test_all_functions_of_rows(raw):
    X, pipeline = raw
    labels = pipeline.predict(X)
    sizes = np.bincount(labels).tolist()
    Z = pipeline[:-1].transform(X)
    features = ["size", "kind_a", "kind_b", "kind_c"]
    assert describe(pipeline).features == features
    assert cluster_points(pipeline, X).sizes.tolist() == sizes
    profile = cluster_profile(pipeline, X)
    assert profile.sizes.tolist() == sizes
    assert set(profile.feature_names) == {"size", "kind is a", "kind is b", "kind is c"}
    assert len(layout_tree(pipeline).nodes) == pipeline[-1].tree_.node_count
    np.testing.assert_array_equal(gain_curve(pipeline).gain, gain_curve(pipeline[-1]).gain)
    summary = summarise(pipeline, X)
    assert [cluster["size"] for cluster in summary["clusters"]] == sizes
    assert summary["about"]["n_features"] == 2
    assert weighted_average_depth(pipeline, X) == weighted_average_depth(pipeline[-1], Z)
    assert sum(explanation_table(pipeline, X)["size"]) == 80
    result = relative_kmeans_score(X, pipeline, random_state=0)
    assert result == relative_kmeans_score(Z, labels, random_state=0)


@pytest.mark.parametrize(
    "model", [Kauri(4, max_leaf_nodes=None), IMM(3), KernelKMeans(2)], ids=repr
)
def test_text_and_dates_need_an_encoder(model):
    X = pd.DataFrame(
        {
            "x": [1.0, 2.0, 3.0, 4.0],
            "name": list("abcd"),
            "sort": pd.Categorical(list("abab")),
            "day": pd.date_range("2020-01-01", periods=4),
        }
    )
    line = re.escape(f"make_pipeline(agathis.TableEncoder(), {model!r}).fit(df)")
    for columns, messages in (
        (["x", "name"], r"'name' \(text\)"),
        (["x", "sort"], r"'sort' \(categories\)"),
        (["day"], r"'day' \(dates\)"),
        (list(X), r"'day' \(dates\), 'name' \(text\), 'sort' \(categories\)"),
    ):
        with pytest.raises(ValueError, match=f"columns are not: {messages}. .*{line}"):
            model.fit(X[columns])


def test_columns_by_a_slice_of_names(iris):
    """Its end is in it, as in pandas; a frozen step is the step."""
    table = pd.DataFrame(iris, columns=["a", "b", "c", "d"])
    scaler = FrozenEstimator(StandardScaler().fit(table[["b", "c"]]))
    columns = make_column_transformer((scaler, slice("b", "c")), remainder="passthrough")
    model = make_pipeline(columns, Kauri(4, max_leaf_nodes=None)).fit(table)
    check_routes(model, table)
    model.set_params(columntransformer__transformers=[("all", StandardScaler(), slice("a", "d"))])
    check_routes(model.fit(table), table)


def test_rows_of_another_shape(iris):
    described = describe(make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=None)).fit(iris))
    for rows in (iris[:, :3], pd.DataFrame(iris[:, :3])):
        with pytest.raises(ValueError, match=r"\(n_samples, 4\); it has shape \(150, 3\)"):
            rows_of(described, rows)
    frame, _ = rows_of(described, pd.DataFrame(iris))
    np.testing.assert_array_equal(frame, rows_of(described, iris)[0])
