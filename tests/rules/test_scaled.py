"""Thresholds in the units from before scaling: every row goes the same way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.exports import BASELINES, SCALERS, SEEDS, rows_of
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from agathis import Kauri
from agathis._rules.described_tree import describe
from agathis.export import to_json, to_rules, to_text

KINDS = st.sampled_from(["normal", "ties", "close"])


@examples(80)
@given(
    seed=SEEDS, kind=KINDS, steps=st.lists(st.sampled_from(sorted(SCALERS)), min_size=1, max_size=2)
)
def test_rows_reach_the_same_leaf(seed, kind, steps):
    random = np.random.default_rng(seed)
    X = rows_of(random, int(random.integers(3, 40)), 3, kind)
    pipeline = make_pipeline(*(SCALERS[step]() for step in steps), Kauri(3, max_leaf_nodes=9))
    labels = pipeline.fit_predict(X)
    tree = describe(pipeline).tree
    np.testing.assert_array_equal(tree.predict(X), labels)
    # At the thresholds themselves, and beside them: to the last bit.
    rows = np.repeat(X, 9, axis=0)
    for node in np.flatnonzero(~tree.is_leaf & np.isfinite(tree.threshold)):
        near = rows[random.integers(len(rows), size=6)]
        t = tree.threshold[node]
        near[:, tree.feature[node]] = [t, t, t, *[np.nextafter(t, s * np.inf) for s in (1, 1, -1)]]
        rows = np.vstack([rows, near])
    np.testing.assert_array_equal(
        tree.apply(rows), pipeline[-1].apply(pipeline[:-1].transform(rows))
    )


@pytest.mark.parametrize(
    "scaler",
    [
        StandardScaler(with_mean=False),
        StandardScaler(with_std=False),
        RobustScaler(with_centering=False),
        RobustScaler(with_scaling=False),
        Pipeline([("a", "passthrough"), ("b", MinMaxScaler())]),
    ],
    ids=str,
)
def test_scalers_that_do_half(scaler, iris):
    scaled = scaler.fit_transform(iris)
    model = Kauri(3, max_leaf_nodes=9).fit(scaled)
    tree = describe(model, scaler=scaler).tree
    np.testing.assert_array_equal(tree.predict(iris), model.labels_)


def test_constant_and_missing_columns():
    X = np.array([[1.0, 5, 0], [2, 5, np.nan], [30, 5, 9], [31, 5, np.nan]])
    pipeline = make_pipeline(StandardScaler(), Kauri(4, engine="binned", max_leaf_nodes=None)).fit(
        X
    )
    tree = describe(pipeline).tree
    np.testing.assert_array_equal(tree.predict(X), pipeline.predict(X))


@pytest.mark.parametrize("name", BASELINES)
def test_baselines(name, iris):
    pipeline = make_pipeline(MinMaxScaler(), BASELINES[name](3)).fit(iris)
    np.testing.assert_array_equal(describe(pipeline).tree.predict(iris), pipeline.predict(iris))


def test_text_shows_the_units_that_people_know(iris):
    scaler = MinMaxScaler().fit(iris)
    scaled = Kauri(3, max_leaf_nodes=3).fit(scaler.transform(iris))
    threshold = float(scaled.tree_.threshold[0])
    f = int(scaled.tree_.feature[0])
    shown = float(to_text(scaled, scaler=scaler).splitlines()[0].split(" <= ")[1])
    assert shown == pytest.approx((threshold - scaler.min_[f]) / scaler.scale_[f], rel=1e-3)


def test_names_come_from_the_scaler():
    frame = pd.DataFrame({"age": [0.0, 1.0, 9.0]})
    pipeline = make_pipeline(MinMaxScaler(), Kauri(2, max_leaf_nodes=None)).fit(frame)
    assert to_text(pipeline).startswith("age <= 5\n")
    assert to_rules(pipeline[-1], scaler=pipeline[0])["rule"] == ["age <= 5", "age > 5"]


def test_errors(iris):
    model = Kauri(3, max_leaf_nodes=None).fit(iris)
    with pytest.raises(
        TypeError, match=r"scaler must be a fitted step that can be inverted; it is PCA"
    ):
        to_text(model, scaler=PCA())
    with pytest.raises(TypeError, match=r"model\['pca'\] must be a fitted step .* it is PCA\(\)"):
        to_text(make_pipeline(PCA(), Kauri(3, max_leaf_nodes=None)).fit(iris))
    with pytest.raises(NotFittedError):
        to_text(model, scaler=MinMaxScaler())
    with pytest.raises(NotFittedError):
        to_text(make_pipeline(MinMaxScaler(), Kauri(3, max_leaf_nodes=None)))
    with pytest.raises(ValueError, match="scaler gives 2 features; the tree has 4"):
        to_text(model, scaler=MinMaxScaler().fit(iris[:, :2]))
    with pytest.raises(ValueError, match="model is a Pipeline with steps of its own"):
        to_json(
            make_pipeline(MinMaxScaler(), Kauri(3, max_leaf_nodes=None)).fit(iris),
            scaler=MinMaxScaler().fit(iris),
        )

    class Other(MinMaxScaler):
        def transform(self, X):
            return -super().transform(X)

    with pytest.raises(TypeError, match="scaler must be"):
        to_text(model, scaler=Other().fit(iris))
    clipped = MinMaxScaler(clip=True).fit(iris)
    low = Kauri(2, max_leaf_nodes=None).fit(iris - 100)
    with pytest.raises(ValueError, match="are on one side of"):
        to_text(low, scaler=clipped)


@pytest.mark.parametrize("scaler", SCALERS)
def test_categories_that_were_scaled(scaler):
    """One-hot columns are 0 and 1 again once the scaler is undone."""
    random = np.random.default_rng(0)
    X = pd.get_dummies(pd.Series(random.choice(["red", "blue", "green"], 90), name="c"), prefix="c")
    X = X.astype(float)
    pipeline = make_pipeline(SCALERS[scaler](), Kauri(3, max_leaf_nodes=None)).fit(X)
    rules = to_rules(pipeline, one_hot={"c": list(X)})
    assert sorted(rule for rule in rules["rule"] if "not" not in rule)
    assert not any("<=" in rule or ">" in rule for rule in rules["rule"])
    assert rules["size"] == np.bincount(pipeline.predict(X)).tolist()
