"""Columns that frames have and nobody thinks of: they are used or left out, and never stop."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from agathis import TableEncoder, fit_table

N = 60
RANDOM = np.random.RandomState(0)
SIZE = RANDOM.normal(size=N)

COLUMNS = {
    "intervals": pd.cut(pd.Series(SIZE), 3),
    "numbers beyond 64 bits": pd.Series([2**70 + i % 3 for i in range(N)], dtype=object),
    "sparse": pd.arrays.SparseArray(np.arange(N) % 4 * 1.0),
    "mixed": pd.Series([1, "x", None, 2.5] * 15, dtype=object),
    "nullable": pd.array([1, 2, None] * 20, dtype="Int64"),
    "periods": pd.period_range("2020-01", periods=N, freq="M"),
    "spans": pd.to_timedelta(np.arange(N), "h"),
    "bytes": [b"a", b"b"] * 30,
    "levels nobody has": pd.Categorical(["a", "b"] * 30, categories=["a", "b", "c"]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_no_column_stops_a_fit(name):
    frame = pd.DataFrame({"size": SIZE, name: COLUMNS[name]})
    model = fit_table(frame, 2)
    np.testing.assert_array_equal(model.predict(frame), model[-1].labels_)


def test_a_column_with_hardly_a_value_in_many_rows():
    random = np.random.RandomState(0)
    frame = pd.DataFrame(random.normal(size=(3000, 4)), columns=list("abcd"))
    frame["rare"] = np.nan
    frame.loc[[5, 2000], "rare"] = [1.5, 2.5]
    assert fit_table(frame, 2)[-1].n_clusters_ == 2


def test_a_gap_is_a_gap_in_every_make_of_table():
    values = [1.0, float("nan"), 0.0] * 20
    found = [
        TableEncoder().fit(make({"flag": values, "size": SIZE})).columns_
        for make in (pd.DataFrame, lambda data: pl.DataFrame(data))
    ]
    assert found[0] == found[1]
    empty = pl.DataFrame({"none": [float("nan")] * N, "size": SIZE})
    assert TableEncoder().fit(empty).columns_["why"][0] == "it is empty"


def test_truths_with_gaps_are_known_however_they_are_spelled():
    frame = pd.DataFrame({"paid": [True, False, None] * 20, "size": SIZE})
    encoder = TableEncoder(scale="none").fit(frame)
    expected = encoder.transform(frame)
    for values in ([1.0, 0.0, np.nan], ["True", "False", None], ["t", "f", ""]):
        other = frame.assign(paid=values * 20)
        np.testing.assert_array_equal(encoder.transform(other), expected)


def test_one_row_says_what_it_says_among_others():
    frame = pd.DataFrame({"day": ["Mon", "Tue", "Wed"] * 20, "size": SIZE})
    encoder = TableEncoder(dates="parts").fit(frame)
    whole = np.asarray(encoder.transform(frame))
    np.testing.assert_array_equal(encoder.transform(frame.iloc[:1]), whole[:1])
    prices = [f"{i % 9 + 1}.{i * 37 % 1000:03d},50" for i in range(N - 1)] + ["4.021"]
    days = [f"{i % 28 + 1}/{i % 12 + 1}/20{i % 20 + 10}" for i in range(N)]
    frame = pd.DataFrame({"price": prices, "sold": days, "size": SIZE})
    encoder = TableEncoder(dates="parts").fit(frame)
    whole = encoder.encode(frame).X
    for i in (0, 2, N - 1):
        np.testing.assert_array_equal(encoder.encode(frame.iloc[[i]]).X, whole[[i]])


@pytest.mark.parametrize("name", ["visits_per_month", "minutes", "heat_index", "days in hospital"])
def test_quantities_whose_names_end_as_others_do(name):
    frame = pd.DataFrame({name: np.arange(N) * 7 % 31 % 29, "size": SIZE})
    assert TableEncoder().fit(frame).columns_["became"][0] == "number"
