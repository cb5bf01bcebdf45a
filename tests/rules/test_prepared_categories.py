"""Categories that went through encoders: raw rows go where the model sends them.

Rows with categories that nobody has seen too, and missing ones, where the encoder takes them.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.exports import SEEDS
from helpers.pipelines import check_routes, finished, quiet, with_tree
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from agathis import Kauri
from agathis._rules.columns import Indicator
from agathis._rules.described_tree import describe
from agathis._rules.rows_in_units import rows_of
from agathis._trees.builder import TreeBuilder
from agathis.export import to_rules, to_text

WORDS = {"text": ["red", "green", "blue", "grey", "?"], "numbers": [1, 2, 5, 7, 8]}


def frame_of(random, n, kind, missing):
    """A number and a source of categories, some frequent and some not."""
    words = np.array(WORDS[kind], dtype=object)[:4]
    chosen = random.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    chosen[:4] = range(4)
    column = words[chosen]
    if missing:
        column[4:][random.random(n - 4) < 0.25] = np.nan
        column[4] = np.nan
    return pd.DataFrame({"size": random.normal(size=n), "kind": pd.Series(column, dtype=object)})


one_hots = st.builds(
    OneHotEncoder,
    drop=st.sampled_from([None, "first", "if_binary"]),
    handle_unknown=st.sampled_from(["error", "ignore", "infrequent_if_exist"]),
    min_frequency=st.sampled_from([None, 0.1, 0.2]),
    max_categories=st.sampled_from([None, 2, 3]),
    sparse_output=st.booleans(),
)
ordinals = st.one_of(
    st.builds(
        OrdinalEncoder,
        encoded_missing_value=st.sampled_from([np.nan, -7]),
        max_categories=st.sampled_from([None, 2]),
    ),
    st.builds(
        OrdinalEncoder,
        handle_unknown=st.just("use_encoded_value"),
        unknown_value=st.sampled_from([-1, 99, np.nan]),
        encoded_missing_value=st.sampled_from([np.nan, -7]),
    ),
)


@given(
    seed=SEEDS,
    kind=st.sampled_from(sorted(WORDS)),
    encoder=one_hots | ordinals,
    fill=st.sampled_from([None, "most_frequent", "constant"]),
    missing=st.booleans(),
    after=st.sampled_from([None, MinMaxScaler(), StandardScaler(), "negative"]),
)
def test_rows_reach_the_same_leaf(seed, kind, encoder, fill, missing, after):
    random = np.random.default_rng(seed)
    X = frame_of(random, int(random.integers(12, 40)), kind, missing)
    first = None
    if fill is not None:
        value = 2 if kind == "numbers" else "none"
        first = SimpleImputer(strategy=fill, fill_value=value if fill == "constant" else None)
    steps = make_pipeline(
        make_column_transformer(
            (make_pipeline(first, encoder), ["kind"]),
            (StandardScaler(), ["size"]),
            sparse_threshold=0,
        ),
        FunctionTransformer(np.negative) if after == "negative" else after,
    )
    pipeline = with_tree(random, quiet(steps.fit, X), X, n_cuts=6)
    more = [X]
    unknown = encoder.handle_unknown != "error"
    if unknown:
        more.append(X[:3].assign(kind=WORDS[kind][4]))
    # A constant that stands in for missing values may be one more category.
    filled = fill == "most_frequent" or (fill == "constant" and kind == "numbers")
    if missing or unknown or filled:
        more.append(X[:3].assign(kind=pd.Series([np.nan] * 3, dtype=object)))
    described = check_routes(pipeline, pd.concat(more, ignore_index=True))
    known = [column for column in described.columns if isinstance(column, Indicator)]
    assert {column.source for column in known} == {"kind"}


@given(seed=SEEDS, on=st.sampled_from([1.0, 0.37]), missing=st.booleans())
def test_splits_on_several_categories(seed, on, missing):
    """A node may ask for a sum of one-hot columns that were scaled by one factor."""
    random = np.random.default_rng(seed)
    X = frame_of(random, 30, "text", missing)
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    steps = ColumnTransformer(
        [("size", "passthrough", ["size"]), ("kind", encoder, ["kind"])],
        transformer_weights={"kind": on},
    ).fit(X)
    width = steps.transform(X).shape[1]
    builder, leaves = TreeBuilder(), [0]
    for _ in range(4):
        some = np.sort(random.choice(np.arange(1, width), random.integers(2, width), replace=False))
        node = leaves.pop(random.integers(len(leaves)))
        terms = [(int(f), 1.0) for f in some]
        leaves += builder.cut(node, terms[0][0], on / 2, terms=terms)
    pipeline = finished(random, builder, leaves, steps, width)
    tree = check_routes(pipeline, pd.concat([X, X[:3].assign(kind="?")], ignore_index=True)).tree
    assert (tree.threshold[~tree.is_leaf] == 0.5).all()
    assert (tree.term_weight == 1).all()


class Encoder(TransformerMixin, BaseEstimator):
    """The least that a step of one's own has to have."""

    def fit(self, X, y=None):
        self.feature_names_ = ["size", "kind_red", "kind_missing", "kind_green"]
        made = zip(self.feature_names_[1:], ("red", None, "green"), strict=True)
        self.one_hot_ = {"kind": dict(made)}
        self.scaler_ = MinMaxScaler((0, 3)).fit(self.encode(X).X)
        return self

    def encode(self, table):
        kind = list(table["kind"])
        columns = [
            [each == "red" for each in kind],
            [each != each for each in kind],
            [each == "green" for each in kind],
        ]
        return SimpleNamespace(X=np.column_stack([table["size"], *columns]).astype(float))

    def transform(self, X):
        return self.scaler_.transform(self.encode(X).X)


@given(seed=SEEDS)
def test_a_custom_encoder(seed):
    random = np.random.default_rng(seed)
    X = frame_of(random, 30, "text", True)
    steps = make_pipeline(Encoder().fit(X))[0]
    pipeline = with_tree(random, steps, X, n_cuts=6)
    described = check_routes(pipeline, X)
    assert described.features == steps.feature_names_
    assert {c.category for c in described.columns if isinstance(c, Indicator)} == {
        "red",
        "green",
        None,
    }


def test_text():
    X = pd.DataFrame(
        {
            "size": [1.0, 2, np.nan, 9, 10, 11],
            "kind": ["a", "a", "b", "b", "c", "c"],
            "id": range(6),
        }
    )
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    steps = make_column_transformer(
        (numbers, ["size"]), (OneHotEncoder(sparse_output=False), ["kind"])
    )
    pipeline = make_pipeline(steps, Kauri(3, max_leaf_nodes=None)).fit(X)
    text = to_text(pipeline)
    assert "size" in text or "kind is" in text
    assert "id" not in text
    rules = to_rules(pipeline, X)
    assert sum(rules["size"]) == 6


def test_frames_of_all_kinds():
    """Frames of pandas and polars, columns in another order and more of them."""
    random = np.random.default_rng(0)
    X = frame_of(random, 60, "text", False).astype({"kind": "str"})
    steps = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(sparse_output=False), make_column_selector(dtype_exclude="number")),
    )
    pipeline = make_pipeline(steps, Kauri(3, max_leaf_nodes=5)).fit(X)
    described = describe(pipeline)
    expected = rows_of(described, X)[0]
    other = X.assign(more=1)[["kind", "more", "size"]]
    for frame in (other, pl.from_pandas(X), X.astype({"kind": "category"})):
        np.testing.assert_array_equal(rows_of(described, frame)[0], expected)
    with pytest.raises(ValueError, match="X lacks columns that the model was fitted with: 'kind'"):
        rows_of(described, X[["size"]])
    with pytest.raises(ValueError, match=r"categories in column 'kind' .* 'pink'"):
        rows_of(described, X.assign(kind="pink"))
    with pytest.raises(ValueError, match="missing values in column 'kind'"):
        rows_of(described, X.assign(kind=None))
    with pytest.raises(ValueError, match="NaN in column 'size'"):
        rows_of(described, X.assign(size=np.nan))


def test_arrays_of_objects_have_names_by_position():
    X = np.array([["a", 1.0], ["b", 2.0], ["b", 9.0]], dtype=object)
    steps = make_column_transformer(
        (OneHotEncoder(sparse_output=False), [0]), (StandardScaler(), [1])
    )
    pipeline = make_pipeline(steps, Kauri(2, max_leaf_nodes=None)).fit(X)
    described = describe(pipeline)
    assert described.features == ["x[0]_a", "x[0]_b", "x[1]"]
    np.testing.assert_array_equal(rows_of(described, X)[0][:, :2], [[1, 0], [0, 1], [0, 1]])
    named = describe(pipeline, feature_names=["kind", "size"])
    assert named.features == ["kind_a", "kind_b", "size"]
    assert named.columns[0] == Indicator("kind", "a")
    by_feature = describe(pipeline, feature_names=["u", "v", "size"])
    assert by_feature.columns[1] == Indicator("x[0]", "b")
