"""What is learnt of one table is applied to another; categories count as much as numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from agathis import Kauri
from agathis._tables.encode import TableEncoder, usable_rows
from agathis._tables.errors import Advice, BadTable, LacksColumns, Ways, told
from agathis._tables.scaling import SCALERS
from agathis.export import from_json, to_json
from agathis.export._loaded import loaded

TABLE = pa.table(
    {
        "id": range(12),
        "size": [1.5, 2.5, 9.0, 4.0] * 3,
        "colour": ["red", "blue", None] * 4,
        "paid": [True, False, False] * 4,
    }
)


def test_other_rows_are_encoded_alike():
    encoder = clone(TableEncoder()).fit(TABLE)
    assert [(v.name, v.kind) for v in encoder.columns_] == [
        ("id", "out"), ("size", "number"), ("colour", "category"), ("paid", "boolean")
    ]  # fmt: skip
    assert encoder.columns_[0].why == "it looks like an identifier"
    names = ["size", "colour_blue", "colour_red", "paid"]
    assert encoder.get_feature_names_out().tolist() == names
    nan = np.nan
    expected = [[7.25, 0, 1, 0], [8, 0, 0, 1], [nan, nan, nan, nan]]
    other = pa.table(
        {"paid": [False, True, None], "colour": ["red", "green", None], "size": [7.25, 8, None]}
    )
    np.testing.assert_array_equal(encoder.transform(other), expected)
    found = encoder.encode(other)
    assert found.unseen == {"colour": ["green"]}
    assert found.n_incomplete == 1
    frame = pd.DataFrame({"paid": ["f", "t", ""], "colour": ["red", "green", "NA"]})
    # Numbers may be written as people do in a data frame too.
    np.testing.assert_array_equal(
        encoder.transform(frame.assign(size=["7,25 €", "8,00 €", ""])), expected
    )
    with pytest.raises(LacksColumns, match=r"the table lacks .*: 'colour'"):
        encoder.transform(other.drop_columns(["colour"]))


def test_what_is_left_out_can_be_asked_for():
    assert "id" in TableEncoder(keep=["id"]).fit(TABLE).feature_names_
    assert TableEncoder(drop=["size"], categorical=["id"]).fit(TABLE).one_hot_["id"]["id_3"] == 3
    with pytest.raises(BadTable, match=r"no column left.*it looks like .* keep= uses a column"):
        TableEncoder().fit(TABLE.select(["id"]))


def test_advice_is_in_the_words_of_whoever_asks():
    encoder = TableEncoder().fit(TABLE)
    X = encoder.transform(TABLE)
    with pytest.raises(BadTable, match=r"missing='drop' *leaves these rows out") as caught:
        usable_rows(encoder, X, "error")
    said = told(caught.value.parts, lambda advice: f"<{advice.argument}>")
    assert "\n  <missing>  leaves these rows out" in said
    ways = Ways(((Advice("na"), "one"), (Advice("decimal", ","), "two")))
    assert told([ways]) == "\nWays out:\n  na=          one\n  decimal=','  two"


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    numbers = random.normal(size=(200, 2)) * [1, 50]
    return np.column_stack([numbers, np.eye(3)[random.integers(0, 3, 200)]])


SOURCE = [2, 3, 4]


@pytest.mark.parametrize("how", SCALERS)
def test_a_source_varies_as_much_as_a_number(how, rows):
    scaler = clone(SCALERS[how]([SOURCE])).fit(rows)
    plain = {"minmax": MinMaxScaler, "standard": StandardScaler}[how]().fit(rows)
    X = scaler.transform(rows)
    np.testing.assert_array_equal(X[:, :2], plain.transform(rows)[:, :2])
    variance = X.var(axis=0)
    assert variance[SOURCE].sum() == pytest.approx(variance[:2].mean())
    np.testing.assert_allclose(scaler.inverse_transform(X), rows, atol=1e-12)
    assert scaler.balanced_
    for sources in ([], [[0, 1, 2, 3, 4]]):
        other = SCALERS[how](sources).fit(rows)
        np.testing.assert_array_equal(other.transform(rows), plain.transform(rows))
        assert not other.balanced_


@pytest.mark.parametrize("how", SCALERS)
def test_scaling_is_undone_by_exporters(how, rows):
    scaler = SCALERS[how]([SOURCE]).fit(rows)
    model = Kauri(5, max_leaf_nodes=9).fit(scaler.transform(rows))
    names = ["a", "b", "c_x", "c_y", "c_z"]
    given = {"scaler": scaler, "feature_names": names, "one_hot": {"c": names[2:]}}
    described = loaded(model, **given)
    np.testing.assert_array_equal(described.predict(rows), model.labels_)
    assert to_json(described) == to_json(model, **given) == to_json(from_json(to_json(described)))
