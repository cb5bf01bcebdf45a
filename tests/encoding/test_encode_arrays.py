"""Arrays in a TableEncoder: scikit-learn's checks, and the result of the same data frame."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.invariants import equal_trees
from helpers.sklearn_checks import run_check
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from agathis import Kauri, TableEncoder, fit_table, report
from agathis.export import from_json, to_json, to_rules


@parametrize_with_checks([TableEncoder(), TableEncoder(scale="standard", weight="equal")])
def test_check(estimator, check):
    run_check(estimator, check)


@pytest.mark.parametrize(
    "name",
    [
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
        "check_set_output_transform",
        "check_set_output_transform_pandas",
        "check_set_output_transform_polars",
        "check_global_output_transform_pandas",
    ],
)
@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_check_of_names_and_output(name):
    getattr(estimator_checks, name)("TableEncoder", TableEncoder())


def mixed(seed: int, n: int = 40) -> np.ndarray:
    """An array of objects: numbers, strings, booleans, dates, and missing values of each kind."""
    random = np.random.default_rng(seed)
    out = np.empty((n, 6), dtype=object)
    group = random.integers(0, 2, n)
    out[:, 0] = random.normal(size=n) + 5.0 * group
    out[:, 1] = [["red", "green", "blue"][i] for i in random.integers(0, 3, n)]
    out[:, 2] = [bool(g) for g in group]
    out[:, 3] = [f"{value:.2f}" for value in random.normal(size=n)]
    out[:, 4] = pd.date_range("2020-01-01", periods=n, freq="31h").to_pydatetime()
    out[:, 5] = [i if i % 3 else f"code {i % 2}" for i in random.integers(0, 9, n)]
    out[random.random(out.shape) < 0.05] = None
    out[random.random(n) < 0.05, 0] = np.nan
    return out


def named(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


@given(
    seed=st.integers(0, 2**32 - 1), as_list=st.booleans(), dates=st.sampled_from(["out", "parts"])
)
def test_an_array_gives_what_the_data_frame_gives(seed, as_list, dates):
    X = mixed(seed)
    frame = named(X)
    rows = X.tolist() if as_list else X
    model = make_pipeline(TableEncoder(dates=dates), Kauri(3, max_leaf_nodes=5))
    a, b = clone(model).fit(rows), clone(model).fit(frame)
    assert a[0].columns_ == b[0].columns_
    np.testing.assert_array_equal(a[0].transform(rows), b[0].transform(frame))
    equal_trees(a[-1].tree_, b[-1].tree_)
    np.testing.assert_array_equal(a.predict(rows), b.predict(frame))
    assert a.n_features_in_ == 6
    assert not hasattr(a[0], "feature_names_in_")
    assert to_json(a) == to_json(b)


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.longdouble, ">f8", "<f8", np.int16, ">i4", np.uint8, bool]
)
def test_numbers_of_every_dtype(dtype):
    X = np.random.default_rng(0).integers(0, 2 if dtype is bool else 100, (50, 3)).astype(dtype)
    expected = TableEncoder().fit_transform(named(X.astype(bool if dtype is bool else np.float64)))
    found = TableEncoder().fit_transform(np.asfortranarray(X))
    np.testing.assert_array_equal(found, expected)


def test_strings_and_dates_of_numpy():
    X = np.array([["a", "1.5"], ["b", "2.5"], ["a", "7.5"], ["b", "9"]])
    assert TableEncoder().fit(X).get_feature_names_out().tolist() == ["x0_a", "x0_b", "x1"]
    days = np.array(["2020-01-01", "2021-05-07", "2022-09-09"], dtype="datetime64[D]")[:, None]
    assert "x0: month" in TableEncoder(dates="parts").fit(days).get_feature_names_out()


def test_columns_are_named_in_arguments_rules_and_files():
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(60, 2)), np.repeat([0.0, 9.0], 30)])
    encoder = TableEncoder(drop=["x0"], keep=["x2"], scale={"x1": "rank"}, weight={"x2": 9})
    model = make_pipeline(encoder, Kauri(2, max_leaf_nodes=None)).fit(X)
    assert [row["rule"] for row in to_rules(model)] == ["x2 is 0", "x2 is 9"]
    read = from_json(to_json(model))
    np.testing.assert_array_equal(read.predict(named(X)), model.predict(X))


def test_a_report_of_an_array():
    X = np.column_stack([np.arange(60.0) % 7, np.repeat([0.0, 9.5], 30)])
    model = make_pipeline(TableEncoder(show=["x0"]), Kauri(2, max_leaf_nodes=None)).fit(X)
    summary = report.summarise(model, X)
    assert [cluster["size"] for cluster in summary["clusters"]] == [30, 30]


def test_names_of_the_fit_and_of_later_rows():
    X = mixed(0)
    frame = named(X).rename(columns={"x0": "size", "x1": "colour"})
    encoder = TableEncoder().fit(frame)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        found = encoder.transform(X)
    np.testing.assert_array_equal(found, encoder.transform(frame))
    encoder.fit(X)
    assert not hasattr(encoder, "feature_names_in_")
    X = X[:, :5]
    frame = frame.iloc[:, :5]
    encoder.fit(X)
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        with pytest.warns(UserWarning, match="was fitted without feature names"):
            np.testing.assert_array_equal(encoder.transform(table), encoder.transform(X))
    with (
        pytest.warns(UserWarning, match="was fitted without feature names"),
        pytest.raises(ValueError, match="X has 4 features, but TableEncoder is expecting 5"),
    ):
        encoder.transform(frame.iloc[:, :4])


def test_infinite_and_missing_numbers_are_those_of_a_data_frame():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[0, 0], X[1, 1], X[2, 2] = np.inf, -np.inf, np.nan
    a, b = TableEncoder().fit(X), TableEncoder().fit(named(X))
    assert a.infinite_ == b.infinite_ == {"x0": 1, "x1": 1}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(a.transform(X), b.transform(named(X)))
    assert sum("infinite values in column 'x0'" in str(one.message) for one in said) == 2
    with pytest.raises(ValueError, match="x0 has infinite values"):
        TableEncoder(strict=True).fit(X)


@pytest.mark.parametrize(
    ("X", "kind", "message"),
    [
        (np.zeros(3), ValueError, "Expected 2D array, got 1D array instead"),
        (np.zeros((2, 2, 2)), ValueError, "Found array with dim 3"),
        (np.ones((3, 2)) * 1j, ValueError, "Complex data not supported"),
        (sparse.eye(3).tocsr(), TypeError, "Sparse data was passed"),
        (np.zeros((0, 3)), ValueError, r"Found array with 0 sample\(s\)"),
        (np.zeros((3, 0)), ValueError, r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"),
        ([[1, 2], [3]], ValueError, "Expected 2D array, got 1D array instead"),
        (pd.Series([1.0, 2.0]), ValueError, "Expected a 2-dimensional container"),
        ("data.csv", TypeError, "it is of type str.*agathis.fit_file for a file"),
        ({"a": [1, 2]}, TypeError, r"a 2D array; it is of type dict. Use pandas.DataFrame\(X\)"),
        (
            np.array([[1.0, 2.0]]),
            ValueError,
            "no column left .*only one sample",
        ),
    ],
)
def test_what_is_no_table(X, kind, message):
    with pytest.raises(kind, match=message):
        TableEncoder().fit(X)


def test_other_columns_than_those_of_the_fit():
    encoder = TableEncoder().fit(np.random.default_rng(0).normal(size=(20, 3)))
    with pytest.raises(ValueError, match="X has 2 features, but TableEncoder is expecting 3"):
        encoder.transform(np.zeros((4, 2)))
    with pytest.raises(ValueError, match="input_features should have length equal"):
        encoder.get_feature_names_out(["a"])
    encoder.fit(pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"]))
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        encoder.get_feature_names_out(["a", "c"])


def test_fit_table_takes_tables_only():
    with pytest.raises(TypeError, match=r"or a pyarrow\.Table; it is of type ndarray.*or an array"):
        fit_table(np.zeros((3, 2)), 2)
