"""What a column is taken for, by its name and its values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from agathis import TableEncoder
from agathis._encoding.column_roles import CALENDAR, CODE, DATES, IDENTIFIER
from agathis._encoding.column_types import infer_column_type

N = 120
CODES = [
    *("shippingPostalCode", "customerZip", "Postleitzahl", "pincode", "area_code", "zip5"),
    *("zip_code_5", "Phone 1", "StockCode", "order_number", "invoice_no", "AccountNumber"),
]
PARTS = {
    "hour_of_day": 24,
    "hourOfDay": 24,
    "month_of_year": 12,
    "month_num": 12,
    "dayofyear": 366,
    "day_of_year": 366,
}


def whole(low: int, high: int) -> pa.Array:
    return pa.array(np.random.RandomState(0).randint(low, high, N))


@pytest.mark.parametrize("name", CODES)
def test_codes_by_their_names(name):
    assert infer_column_type(name, whole(10_000, 99_999)).why == CODE
    assert infer_column_type(name, pa.array(np.arange(N) % 4 + 10_000)).kind == "category"
    assert infer_column_type(name, whole(10_000, 99_999), keep=True).kind == "number"


@pytest.mark.parametrize(
    "name", ["zipper", "time of flight", "number of orders", "postage", "areas"]
)
def test_quantities_stay_quantities(name):
    assert infer_column_type(name, whole(0, 99_999)).kind == "number"


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_a_calendar_by_their_names(name):
    assert infer_column_type(name, whole(1, PARTS[name])).why == CALENDAR


@pytest.mark.parametrize("name", ["store_id", "shopId"])
def test_numbers_that_stand_for_few_things(name):
    assert infer_column_type(name, pa.array(np.arange(N) % 5)).kind == "category"


@pytest.mark.parametrize(
    "texts",
    [["lundi", "mardi"], ["März", "Mai"], ["2023-01", "2024-12"], ["Aug 2015", "May 2016"],
     ["08/2015", "09/2015"], ["2015Q3", "2015Q4"]],
)  # fmt: skip
def test_words_that_say_when(texts):
    assert infer_column_type("when", pa.array(texts * 60)).why == CALENDAR


@pytest.mark.parametrize(
    "texts", [["06:00", "14:00"], ["4:53 AM", "11:20 pm"], ["20Aug2015", "3 May 2016"]]
)
def test_dates_and_times_of_texts(texts):
    assert infer_column_type("when", pa.array(texts * 60)).why == DATES


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("order_date", [20230514, 20240131]),
        ("sold", [20150820045330, 20150821045330]),
        ("created_at", [1_600_000_000, 1_700_000_000]),
        ("timestamp", [1_600_000_000_000, 1_700_000_000_000]),
    ],
)
def test_dates_that_are_whole_numbers(name, values):
    assert infer_column_type(name, pa.array(values * 60)).why == DATES


def test_times_are_left_out_of_a_file_and_of_a_frame(tmp_path):
    """Pyarrow reads them as times, pandas as texts."""
    frame = pd.DataFrame({"shift": ["06:00", "14:00"] * 60, "size": np.arange(N) ** 2.0})
    path = tmp_path / "shifts.csv"
    frame.to_csv(path, index=False)
    from agathis._io.read_table import read_table

    found = [TableEncoder().fit(table) for table in (frame, read_table(str(path)).table)]
    for encoder in found:
        assert next(iter(encoder.columns_["why"])) == DATES
    assert not infer_column_type("t", read_table(str(path)).table["shift"]).way, (
        "nothing can be made of it"
    )


@pytest.mark.parametrize("values", [["0", "1"], [0, 1], ["no", "yes"], [False, True]])
def test_a_no_and_a_yes_count_alike(values):
    random = np.random.RandomState(0)
    frame = pd.DataFrame({"a": random.normal(size=N), "paid": [values[i % 2] for i in range(N)]})
    share = list(TableEncoder().fit(frame).columns_["share"])[1]
    plain = pd.DataFrame({"a": frame["a"], "paid": np.arange(N) % 2 == 1})
    assert share == pytest.approx(list(TableEncoder().fit(plain).columns_["share"])[1])


def test_identifiers_that_are_texts_and_come_twice():
    """As of patients some of whom came twice: half would be numbers, and half gaps."""
    texts = [f"{5000 + i}" if i % 2 else f"{5000 + i}/{i % 7}" for i in range(60)]
    assert infer_column_type("id", pa.array([*texts, texts[0]])).why == IDENTIFIER
    assert infer_column_type("PID", pa.array([3 * i + i % 2 for i in range(60)])).why == IDENTIFIER
    assert infer_column_type("town", pa.array([*texts, texts[0]])).why != IDENTIFIER
