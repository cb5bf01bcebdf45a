"""Pipelines in every form: each answers rows of the raw table as the pipeline does."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from helpers.databases import Database
from helpers.examples import mostly_slow
from helpers.pipelines import quiet, with_tree
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

from agathis.export import from_json, to_json, to_python, to_sklearn, to_sql

SIZES = ["S", "M", "L", "XL"]
ENCODERS = {
    "one-hot": lambda: OneHotEncoder(handle_unknown="ignore"),
    "infrequent": lambda: OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3),
    "ordinal": lambda: OrdinalEncoder(
        categories=[SIZES], handle_unknown="use_encoded_value", unknown_value=-1
    ),
    "above": lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=99),
    "filled": lambda: make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    ),
}
NUMBERS = {
    "standard": lambda: make_pipeline(SimpleImputer(), StandardScaler()),
    "filled": lambda: SimpleImputer(),
    "quantile": lambda: QuantileTransformer(n_quantiles=9),
    "power": lambda: make_pipeline(SimpleImputer(strategy="median"), PowerTransformer()),
    "turned": lambda: FunctionTransformer(np.negative),
}


@pytest.mark.parametrize("numbers", mostly_slow(NUMBERS, "filled", "power"))
@pytest.mark.parametrize("encoder", ENCODERS)
def test_raw_rows(encoder, numbers):
    random = np.random.default_rng(3)
    size = np.array(SIZES, dtype=object)[random.choice(4, 60, p=[0.5, 0.3, 0.1, 0.1])]
    X = pd.DataFrame({"id": range(60), "price": random.gamma(2.0, size=60), "size": size})
    X.loc[random.random(60) < 0.2, "price"] = np.nan
    if encoder == "filled":
        X.loc[random.random(60) < 0.2, "size"] = np.nan
    steps = make_column_transformer(
        (ENCODERS[encoder](), ["size"]), (NUMBERS[numbers](), ["price"]), sparse_threshold=0
    )
    pipeline = with_tree(random, quiet(steps.fit, X), X, n_cuts=7)
    X = pd.concat([X, X[:5].assign(size="none such"), X[5:9].assign(size=None)], ignore_index=True)
    expected = quiet(pipeline.predict, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(from_json(to_json(pipeline)).predict(X), expected)
    raw = [
        {name: None if value != value else value for name, value in row.items()}
        for row in X.to_dict("records")
    ]
    names: dict = {}
    exec(to_python(pipeline), names)
    assert [names["cluster_of"](row) for row in raw] == expected.tolist()
    rows = [list(row.values()) for row in raw]
    with Database("sqlite", list(X), rows, ["INTEGER", "DOUBLE", "VARCHAR"]) as database:
        assert database.labels(to_sql(pipeline, dialect="sqlite")) == expected.tolist()
    result = to_sklearn(pipeline, X[:60])
    assert result.n_features_in_ == len(result.feature_names_in_)
