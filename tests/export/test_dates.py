"""Parts of dates in exports: they are made of the raw column, wherever that is."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from helpers.databases import Database
from helpers.examples import examples, mostly_slow
from hypothesis import given
from hypothesis import strategies as st

from agathis import fit_table
from agathis._columns.datetimes import MADE, made
from agathis._encoding.date_parts import DatePart
from agathis.export import from_json, to_json, to_python, to_sql
from agathis.export._dialects import DIALECTS
from agathis.export._sql_dates import part_of

ENGINES = pytest.mark.parametrize("engine", ["sqlite", "duckdb"])


def sales() -> pd.DataFrame:
    """Prices that depend on month, weekday and hour; some dates are missing."""
    days = pd.date_range("2019-01-01", "2020-12-31", freq="43h")
    price = 9.0 * (days.month > 6) + 3.0 * (days.day_of_week > 4) + 5.0 * (days.hour > 12)
    frame = pd.DataFrame({"sold": days, "price": price})
    frame.loc[::50, "sold"] = pd.NaT
    return frame


def sales_model(frame: pd.DataFrame | None = None):
    frame = sales() if frame is None else frame
    return fit_table(frame, 8, max_leaf_nodes=12, dates="parts", no_split=["price"])


def function_of(model):
    names: dict = {}
    exec(to_python(model), names)
    return names["cluster_of"]


@ENGINES
@pytest.mark.parametrize("gaps", [True, False], ids=["gaps", "complete"])
def test_a_database_answers_from_its_dates(engine, gaps):
    frame = sales()
    model = sales_model(frame if gaps else frame.dropna())
    assert {"sold: month", "sold: hour"} <= {
        model[0].feature_names_[f] for f in model[-1].tree_.feature if f >= 0
    }
    expected = model.predict(frame)
    dates = [None if pd.isna(d) else d.to_pydatetime() for d in frame["sold"]]
    rows = [[None if d is None else str(d), 0.0] for d in dates]
    types = {"sqlite": ["TEXT"], "duckdb": ["TIMESTAMP"]}[engine]
    for kind in (*types, "VARCHAR"):
        with Database(engine, ["sold", "price"], rows, [kind, "DOUBLE"]) as database:
            result = database.labels(to_sql(from_json(to_json(model)), dialect=engine))
            np.testing.assert_array_equal(result, expected)
    if engine == "duckdb":
        with Database(engine, ["sold", "price"], rows, ["TIMESTAMP", "DOUBLE"]) as database:
            # The standard's words are DuckDB's too.
            np.testing.assert_array_equal(database.labels(to_sql(model)), expected)


NO_TIME = np.datetime64("NaT", "us")
MOMENTS = st.datetimes(datetime(1902, 1, 1), datetime(2199, 12, 31)).map(
    lambda moment: moment.replace(microsecond=0)
)


@ENGINES
@examples(60)
@given(moments=st.lists(st.none() | MOMENTS, min_size=1, max_size=8))
def test_each_part_of_a_date_is_what_predict_makes_of_it(engine, moments):
    array = np.array([NO_TIME if m is None else m for m in moments], "datetime64[us]")
    writer = DIALECTS[engine]
    kind = {"sqlite": "TEXT", "duckdb": "TIMESTAMP"}[engine]
    rows = [[None if m is None else m.isoformat(" ")] for m in moments]
    with Database(engine, ["x {x}"], rows, [kind]) as database:
        for part in MADE:
            when = DatePart("x {x}", part)
            text = part_of(when, writer.name(when.column), writer.dates, writer.text)
            result = [np.nan if v is None else float(v) for v in database.labels(text)]
            np.testing.assert_array_equal(result, made(array, part), err_msg=part)


def test_all_dialects_use_the_raw_column():
    model = sales_model()
    for dialect in DIALECTS:
        sql = to_sql(model, dialect=dialect)
        assert "sold: " not in sql
        assert "{" not in sql
        assert "price" not in sql


@pytest.mark.parametrize(
    "form", [None, "%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M %p", "%b %d, %Y %H:%M"]
)
def test_python_accepts_dates_and_strings(form):
    frame = sales()
    if form is not None:
        frame["sold"] = frame["sold"].dt.strftime(form)
    model = sales_model(frame)
    expected = model.predict(frame).tolist()
    cluster_of = function_of(from_json(to_json(model)))
    assert [cluster_of(row) for row in frame.to_dict("records")] == expected
    assert [cluster_of(list(row)) for row in frame.itertuples(index=False)] == expected
    if form is None:
        days = [None if pd.isna(d) else d.to_pydatetime() for d in frame["sold"]]
        assert [cluster_of({"sold": day}) for day in days] == expected
    else:
        rows = csv.DictReader(io.StringIO(frame.to_csv(index=False)))
        assert [cluster_of(row) for row in rows] == expected
    # What is no date is missing, as it is for predict.
    odd = pd.DataFrame({"sold": ["31.31.2020 10:00", "soon", None, "2020-13-01"], "price": 0.0})
    assert [cluster_of(row) for row in odd.to_dict("records")] == model.predict(odd).tolist()


#: Forms whose parts have their places, and what they look like in a comment.
WIDE = {
    "%Y-%m-%d %H:%M:%S": "2024-12-31 18:30",
    "%Y-%m-%dT%H:%M": "2024-12-31 18:30",
    "%Y/%m/%d %H:%M": "2024/12/31 18:30",
    "%d.%m.%Y %H:%M": "31.12.2024 18:30",
    " %d-%m-%Y %H:%M:%S": "31.12.2024 18:30",
    "%m/%d/%Y %H:%M": "12/31/2024 18:30",
    "%m/%d/%Y": "12/31/2024 18:30",
}


@ENGINES
@pytest.mark.parametrize("form", mostly_slow(WIDE, "%Y-%m-%dT%H:%M", "%d.%m.%Y %H:%M", "%m/%d/%Y"))
def test_a_database_parses_date_strings_of_fixed_width(engine, form):
    frame = sales()
    texts = frame.assign(sold=frame["sold"].dt.strftime(form))
    model = sales_model(texts)
    sql = to_sql(from_json(to_json(model)), dialect=engine)
    assert f"/* dates, or texts such as {WIDE[form]}: " in sql
    assert "sold: hour" in model[0].feature_names_ or "%H" not in form
    rows = [[None if pd.isna(sold) else sold, 0.0] for sold in texts["sold"]]
    # What is no date is missing; in a database it may be a date already, or in the usual order.
    rows += [["soon", 0.0], ["", 0.0], ["99.99.2020", 0.0]]
    odd = pd.DataFrame({"sold": [row[0] for row in rows], "price": 0.0})
    with Database(engine, ["sold", "price"], rows, ["VARCHAR", "DOUBLE"]) as database:
        np.testing.assert_array_equal(database.labels(sql), model.predict(odd))
    days = frame["sold"] if "%H" in form else frame["sold"].dt.normalize()
    rows = [[None if pd.isna(day) else str(day), 0.0] for day in days]
    kinds = {"sqlite": ["TEXT"], "duckdb": ["TIMESTAMP", "VARCHAR"]}[engine]
    for kind in kinds:
        with Database(engine, ["sold", "price"], rows, [kind, "DOUBLE"]) as database:
            np.testing.assert_array_equal(database.labels(sql), model.predict(texts))


@pytest.mark.parametrize(
    "form", ["%m/%d/%Y %I:%M %p", "%b %d, %Y %H:%M", "%-d.%-m.%Y", "%d.%m.%y", "%d %B %Y"]
)
def test_texts_that_no_database_reads_as_predict_does_are_an_error(form):
    frame = sales()
    model = sales_model(frame.assign(sold=frame["sold"].dt.strftime(form)))
    for dialect in DIALECTS:
        with pytest.raises(
            ValueError, match=r"the dates of 'sold' are strings of a format.*dates='out'"
        ):
            to_sql(from_json(to_json(model)), dialect=dialect)


def test_two_orders_in_one_column_are_an_error():
    frame = sales()
    texts = frame["sold"].dt.strftime("%d.%m.%Y").copy()  # pandas 2 warns of other ones
    texts[::2] = frame["sold"].dt.strftime("%Y/%m/%d")[::2]
    with pytest.raises(ValueError, match="the dates of 'sold'"):
        to_sql(sales_model(frame.assign(sold=texts)))


@ENGINES
def test_names_of_months_are_numbers_everywhere(engine):
    names = pd.date_range("2020-01-01", periods=12, freq="MS").strftime("%B").tolist()
    frame = pd.DataFrame({"month": names * 20, "price": ([1.0] * 6 + [9.0] * 6) * 20})
    model = fit_table(frame, 2, dates="parts", no_split=["price"])
    odd = ["Sept", " dec. ", "MAY", None]
    new = pd.DataFrame({"month": names + odd, "price": 1.0})
    expected = model.predict(new).tolist()
    assert expected[:12] == [0] * 6 + [1] * 6
    cluster_of = function_of(model)
    assert [cluster_of(row) for row in new.to_dict("records")] == expected
    rows = [[name, 0.0] for name in names + odd]
    with Database(engine, ["month", "price"], rows, ["VARCHAR", "DOUBLE"]) as database:
        assert database.labels(to_sql(model, dialect=engine)) == expected


def test_a_column_may_have_the_name_of_a_part():
    frame = sales()
    frame["sold: month"] = frame["price"].to_numpy()[::-1] + np.arange(len(frame)) % 3
    frame["sold: hour"] = "left out, always the same"
    model = fit_table(frame, 8, max_leaf_nodes=12, dates="parts", no_split=["price"])
    names = model[0].feature_names_
    assert "sold: month_" in names
    assert "sold: hour_" in names
    assert len(set(names)) == len(names)
    expected = model.predict(frame)
    read = from_json(to_json(model))
    np.testing.assert_array_equal(read.predict(frame), expected)
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("t", connection)
        answers = connection.execute(f"SELECT {to_sql(read, dialect='sqlite')} FROM t").fetchall()
    np.testing.assert_array_equal(np.ravel(answers), expected)
    cluster_of = function_of(read)
    assert [cluster_of(row) for row in frame.to_dict("records")] == expected.tolist()


def test_a_file_reads_ambiguous_dates_as_the_fit_did():
    frame = sales()
    frame["sold"] = frame["sold"].dt.strftime("%d/%m/%Y %H:%M")
    read = from_json(to_json(model := sales_model(frame)))
    # By themselves these would be American.
    few = frame[[str(sold)[:2] in ("03", "07") for sold in frame["sold"]]]
    assert len(few) > 0
    np.testing.assert_array_equal(read.predict(few), model.predict(few))


def test_date_parts_of_a_file_are_validated():
    data = json.loads(to_json(sales_model()))
    assert data["date_parts"]["sold: month"] == {"column": "sold", "part": "month"}
    for wrong, said in (
        ([], "date_parts is \\[\\], not an object"),
        ({"nothing": {"column": "sold", "part": "month"}}, "'nothing', which is no feature"),
        (
            {"sold: month": {"column": 3, "part": "month"}},
            "column of date_parts of 'sold: month' is 3",
        ),
        ({"sold: month": {"column": "sold", "part": "moon"}}, "'moon' is not a date part"),
        (
            {"sold: month": {"column": "a", "part": "days", "circle": "sin"}},
            "'days' has no circle",
        ),
        ({"sold: month": {"column": "a", "part": "year", "first_is_day": 3}}, "not true or false"),
        ({"sold: month": {"column": "a", "part": "year", "more": 1}}, "has 'more'"),
        ({"sold: month": {"column": "a", "part": "year", "form": "odd"}}, "not a date format"),
    ):
        with pytest.raises(ValueError, match=said):
            from_json(json.dumps({**data, "date_parts": wrong}))
