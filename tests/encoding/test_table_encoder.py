"""What is learnt of one table is applied to another; columns count alike however written."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.databases import Database
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, TableEncoder, fit_table
from agathis._checks.roles import FeatureRoles
from agathis._columns.errors import Advice, BadTable, Ways, message_of
from agathis._encoding.missing_rows import usable_rows
from agathis._fit_table import prepare
from agathis.export import from_json, to_json, to_python, to_sql

TABLE = pa.table(
    {
        "id": range(12),
        "size": [1.5, 2.5, 9.0, 4.0] * 3,
        "colour": ["red", "blue", None] * 4,
        "paid": [True, False, False] * 4,
    }
)


def groups(n=120, seed=0):
    """A raw table of two groups with what real tables have beside them."""
    random = np.random.RandomState(seed)
    group = random.randint(2, size=n)
    frame = pd.DataFrame(
        {
            "order": np.arange(1000, 1000 + n),
            "height": 160 + 25 * group + random.normal(0, 4, n),
            "weight": 55 + 30 * group + random.normal(0, 5, n),
            "kind": np.where(group == 1, "big", "small"),
            "member": random.choice(["yes", "no"], n),
            "zip": random.randint(10000, 99999, n),
            "year": random.choice([2019, 2020, 2021], n),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.randint(900, size=n), "D"),
        }
    )
    return frame, group


def test_other_rows_are_encoded_alike():
    encoder = clone(TableEncoder(scale="none")).fit(TABLE)
    assert [(v.name, v.kind) for v in encoder.column_types_] == [
        ("id", "out"), ("size", "number"), ("colour", "category"), ("paid", "category")
    ]  # fmt: skip
    assert encoder.columns_["why"][0] == "it looks like an identifier"
    names = ["size", "colour_blue", "colour_red", "colour_missing", "paid_False", "paid_True"]
    assert encoder.get_feature_names_out().tolist() == names
    nan = np.nan
    expected = [[7.25, 0, 1, 0, 1, 0], [8, 0, 0, 0, 0, 1], [nan, 0, 0, 1, nan, nan]]
    other = pa.table(
        {"paid": [False, True, None], "colour": ["red", "green", None], "size": [7.25, 8, None]}
    )
    with pytest.warns(UserWarning, match="'green', in 1 of 3 rows"):
        np.testing.assert_array_equal(encoder.transform(other), expected)
    found = encoder.encode(other)
    assert found.unseen == {"colour": ["green"]}
    assert found.n_incomplete == 1
    frame = pd.DataFrame({"paid": ["f", "t", ""], "colour": ["red", "green", "NA"]})
    # Numbers may be written as people do in a data frame too.
    with pytest.warns(UserWarning, match="'green', in 1 of 3 rows"):
        found = encoder.transform(frame.assign(size=["7,25 €", "8,00 €", ""]))
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(BadTable, match=r"the table lacks .*: 'colour'"):
        encoder.transform(other.drop_columns(["colour"]))


def test_tables_of_every_make_are_one():
    frame, _ = groups()
    encoder = TableEncoder().fit(frame)
    others = [pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)]
    for other in others:
        np.testing.assert_array_equal(encoder.transform(other), encoder.transform(frame))
        assert clone(encoder).fit(other).columns_ == encoder.columns_


def test_a_transformer_like_any_other():
    frame, _ = groups()
    encoder = TableEncoder(weight={"height": 2.0}).fit(frame)
    again = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(again.transform(frame), encoder.transform(frame))
    made = clone(encoder).set_output(transform="pandas").fit_transform(frame)
    assert list(made.columns) == list(encoder.get_feature_names_out())
    np.testing.assert_array_equal(made.to_numpy(), encoder.transform(frame))
    roles = encoder.transform(frame).roles
    assert [len(columns) for columns in roles.one_hot] == [2, 2]


def test_what_is_left_out_is_told_and_can_be_asked_for():
    assert "id" in TableEncoder(keep=["id"]).fit(TABLE).feature_names_
    assert TableEncoder(drop=["size"], categorical=["id"]).fit(TABLE).one_hot_["id"]["id_3"] == 3
    with pytest.raises(BadTable, match=r"no column left.*it looks like .* keep= uses a column"):
        TableEncoder().fit(TABLE.select(["id"]))
    frame, _ = groups()
    found = TableEncoder().fit(frame)
    assert [v.name for v in found.used()] == ["height", "weight", "kind", "member"]
    said = "\n".join(map(str, found.notes()))
    assert "Left out: order: it looks like an identifier (keep=['order'] keeps it)." in said
    assert "Left out: zip: it holds codes, not quantities (keep=['zip'] keeps it)." in said
    assert "Left out: year: it is part of a date or time (keep=['year'] keeps it)." in said
    assert "Left out: seen: it holds dates or times (dates='parts' encodes parts of it)." in said


def test_advice_is_in_the_words_of_whoever_asks():
    encoder = TableEncoder().fit(TABLE)
    with pytest.raises(BadTable, match=r"missing='drop' *leaves these rows out") as caught:
        usable_rows(encoder, encoder.encode(TABLE).X, "error")
    said = message_of(caught.value.parts, lambda advice: f"<{advice.argument}>")
    assert "\n  <missing>  leaves these rows out" in said
    ways = Ways(((Advice("na"), "one"), (Advice("decimal", ","), "two")))
    assert message_of([ways]) == "\nWays out:\n  na=          one\n  decimal=','  two"


WAYS = {
    "numbers": (0, 1),
    "floats": (0.0, 1.0),
    "truths": (False, True),
    "words": ("no", "yes"),
    "letters": ("N", "Y"),
    "short": ("f", "t"),
    "texts": ("false", "true"),
}


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(WAYS)), st.floats(0.05, 0.5))
def test_the_same_fact_gives_the_same_tree(seed, way, share):
    random = np.random.RandomState(seed)
    fact = random.uniform(size=60) < share
    if fact.all() or not fact.any():
        fact[0] = not fact[0]
    size = random.normal(size=60)
    labels, shares = [], []
    for values in (WAYS["numbers"], WAYS[way]):
        column = [values[int(one)] for one in fact]
        table = pd.DataFrame({"size": size, "workingday": column})
        model = fit_table(table, 3, search_effort=1, random_state=0)
        labels.append(model[-1].labels_)
        shares.append(model[0].columns_["share"])
    np.testing.assert_array_equal(*labels)
    assert shares[0] == pytest.approx(shares[1])


def test_weight_two_is_the_column_twice():
    frame, _ = groups()
    frame = frame[["height", "weight", "member"]]
    twice = frame.assign(again=frame["height"])
    X = TableEncoder(weight={"height": 2}).fit_transform(frame)
    Y = TableEncoder(weight="equal").fit_transform(twice)
    np.testing.assert_allclose(X @ X.T, Y @ Y.T, atol=1e-9)


def test_roles_of_columns():
    frame, _ = groups()
    encoder = TableEncoder(no_split=["kind"], no_count=["weight"]).fit(frame)
    roles, places = encoder.roles_, encoder.places()
    assert not roles.split[places["kind"]].any()
    assert roles.kernel[places["kind"]].all()
    assert roles.split[places["weight"]].all()
    assert not roles.kernel[places["weight"]].any()
    assert encoder.columns_["share"][2] == 0
    model = make_pipeline(encoder, Kauri(2, max_leaf_nodes=2)).fit(frame)
    asked = encoder.feature_names_[model[-1].tree_.feature[0]]
    assert asked in ("weight", "height")


def test_parts_of_dates_go_round():
    days = pd.date_range("2019-01-01", "2020-12-31", freq="D")
    frame = pd.DataFrame({"size": np.arange(len(days)) % 7 * 1.0, "sold": days})
    encoder = TableEncoder(dates="parts").fit(frame)
    assert encoder.column_types_[1].parts == ("year", "month", "weekday")
    X = np.asarray(encoder.transform(frame))[:, encoder.roles_.kernel]
    names = np.array(encoder.feature_names_)[encoder.roles_.kernel]
    turn = X[:, [name.startswith("sold: month") for name in names]]
    at = {month: int(np.argmax(days.month == month)) for month in (1, 6, 12)}
    apart = {m: np.linalg.norm(turn[at[12]] - turn[at[m]]) for m in (1, 6)}
    assert apart[1] < apart[6] / 2
    raw = encoder.encode(frame).X[:, encoder.feature_names_.index("sold: month")]
    np.testing.assert_array_equal(raw, days.month)
    # Texts, Parquet's dates and a column of months say the same.
    texts = frame.assign(sold=days.strftime("%d.%m.%Y"))
    np.testing.assert_array_equal(encoder.transform(texts), encoder.transform(frame))


def test_parts_are_found_in_new_tables_by_name():
    days = pd.date_range("2019-01-01", "2020-12-31", freq="D")
    frame = pd.DataFrame({"sold": days, "price": np.where(days.month > 6, 9.0, 1.0)})
    model = fit_table(frame, 2, dates="parts", no_split=["price"])
    read = from_json(to_json(model))
    np.testing.assert_array_equal(read.predict(frame), model.predict(frame))


def test_a_model_of_complete_rows_takes_later_ones_with_gaps():
    frame = groups()[0][["height", "weight", "kind", "member"]]
    gaps = frame.copy()
    random = np.random.default_rng(3)
    for name in gaps:
        gaps[name] = gaps[name].astype(object).mask(random.random(len(gaps)) < 0.2)
    model = make_pipeline(TableEncoder(), Kauri(2, max_leaf_nodes=6)).fit(frame)
    expected = model.predict(gaps)
    read = from_json(to_json(model))
    assert read.takes_missing
    np.testing.assert_array_equal(read.predict(gaps), expected)
    rows = gaps.astype(object).where(gaps.notna(), None).to_numpy().tolist()
    types = ["DOUBLE", "DOUBLE", "VARCHAR", "VARCHAR"]
    for engine in ("sqlite", "duckdb"):
        with Database(engine, list(gaps), rows, types) as database:
            found = database.labels(to_sql(model, dialect=engine))
            np.testing.assert_array_equal(found, expected)
    # A score of rows that are no points would be one of nothing.
    with pytest.raises(ValueError, match="contains NaN"):
        model.score(gaps)


def test_many_values_keep_the_most_frequent_ones():
    words = ["a"] * 60 + ["b"] * 30 + [f"rare {i}" for i in range(30)]
    frame = pd.DataFrame({"word": words, "x": np.arange(120) % 5 * 1.0})
    encoder = TableEncoder().fit(frame)
    assert encoder.one_hot_["word"] == {"word_a": "a", "word_b": "b"}
    assert "word (2 values and 30 others)" in str(encoder.notes()[0])
    X = encoder.encode(frame).X
    assert X[-1, 0] == X[-1, 1] == 0
    with pytest.raises(BadTable, match="word has 32 distinct values"):
        TableEncoder(strict=True).fit(frame)
    alone = pd.DataFrame({"name": [f"n{i // 2}" for i in range(100)], "x": np.arange(100) % 5})
    assert TableEncoder().fit(alone).columns_["why"][0] == "it has too many distinct values"


def test_a_few_texts_among_numbers_are_gaps():
    texts = [f"{i},5" for i in range(40)]
    texts[3::8] = ["see below"] * 5
    frame = pd.DataFrame({"x": texts, "y": np.arange(40) % 3})
    encoder = TableEncoder().fit(frame)
    assert "x has numbers, and also 'see below'" in str(encoder.notes()[0])
    found = encoder.encode(frame)
    assert np.isnan(found.X[3, 0])
    assert found.X[2, 0] == 2.5
    assert found.na_values == {"x": ["see below"] * 5}
    few = TableEncoder().fit(pd.DataFrame({"doors": ["2", "4", "5more"] * 9, "y": frame.y[:27]}))
    assert few.one_hot_["doors"] == {"doors_2": "2", "doors_4": "4", "doors_5more": "5more"}


def test_scales_and_weights_are_checked():
    for options, message in {
        (("scale", "cube"),): r"scale='cube'.*one of auto, standard",
        (("scale", (("hight", "log"),)),): r"scale names 'hight'.*Did you mean 'height'",
        (("weight", (("height", 0),)),): r"weight\['height'\]=0 must be a number above 0",
        (("dates", "all"),): r"dates='all' must be 'out' or 'parts'",
        (("drop", ("hight",)),): r"drop names 'hight'.*Did you mean 'height'",
        (("max_categories", 1),): r"max_categories=1 must be an integer",
    }.items():
        given_options = {
            name: dict(value)
            if name in ("weight",) or (name == "scale" and value != "cube")
            else value
            for name, value in options
        }
        with pytest.raises(ValueError, match=message):
            TableEncoder(**given_options).fit(groups()[0])
    used = ["height", "weight", "kind", "member"]
    for argument in ("no_split", "no_count"):
        with pytest.raises(BadTable, match=f"{argument}= leaves no other column"):
            TableEncoder(**{argument: used}).fit(groups()[0])
    with pytest.raises(ValueError, match=r"n_clusters='two' must be a whole number"):
        fit_table(groups()[0], "two")
    lost = TableEncoder(weight={"year": 2}).fit(groups()[0]).notes()[-1]
    assert str(lost).startswith("year: options have no effect")
    with pytest.raises(ValueError, match=r"drop and no_split both name 'kind'"):
        TableEncoder(drop=["kind"], no_split=["kind"]).fit(groups()[0])


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=60),
    st.sampled_from(["auto", "standard", "minmax", "robust", "rank", "log", "none"]),
)
def test_scales_never_change_the_order(values, scale):
    # Two whole numbers are a no and a yes, and no quantity.
    assume(len(set(values)) != 2 or not all(float(value).is_integer() for value in values))
    frame = pd.DataFrame({"x": values, "y": np.arange(len(values)) * 0.5})
    made = np.asarray(TableEncoder(scale=scale, keep=["x", "y"]).fit_transform(frame))[:, 0]
    order = np.argsort(values, kind="stable")
    assert (np.diff(made[order]) >= 0).all()


def test_typing_errors_are_held():
    frame, group = groups(200)
    wrong = frame.copy()
    wrong.loc[7, "height"] *= 1000
    for table in (frame, wrong):
        labels = fit_table(table, 2)[-1].labels_
        assert adjusted_rand_score(group, labels) > 0.9


def test_a_category_that_is_constant_after_rows_are_dropped():
    frame = pd.DataFrame(
        {"x": [1.0, 2.0, 8.0, 9.0, None, None] * 5, "c": ["a", "a", "a", "a", "b", "b"] * 5}
    )
    found = prepare(frame, TableEncoder(), missing="drop")
    assert [v.name for v in found.encoder.used()] == ["x"]
    assert np.isfinite(found.X).all()


def test_a_column_that_decides_alone_is_told():
    frame, _ = groups(300)
    random = np.random.RandomState(1)
    other = pd.DataFrame(
        {f"x{i}": random.normal(size=300) for i in range(4)}
        | {"batch": random.choice([0.0, 50.0], 300) + random.normal(size=300)}
    )
    prepared = prepare(other, TableEncoder())
    model = Kauri(2, max_leaf_nodes=2).fit(prepared.X)
    (note,) = prepared.notes_on(model)
    assert str(note).startswith("batch accounts for 100 % of the gains")
    assert "drop=['batch']?" in str(note)
    prepared = prepare(frame, TableEncoder())
    notes = prepared.notes_on(Kauri(2, max_leaf_nodes=2).fit(prepared.X))
    assert not any("accounts for" in str(note) for note in notes)


@pytest.mark.slow
def test_thousands_of_columns():
    random = np.random.RandomState(0)
    names = [f"gene {i}" for i in range(3000)]
    frame = pd.DataFrame(random.normal(size=(20, 3000)), columns=names)
    model = fit_table(frame, 2)
    assert from_json(to_json(model)).predict(frame).tolist() == model[-1].labels_.tolist()


@given(st.integers(0, 2**32 - 1), st.sampled_from(["auto", "log", "rank", "minmax"]))
def test_thresholds_are_short_and_send_rows_the_same_way(seed, scale):
    random = np.random.RandomState(seed)
    frame = pd.DataFrame(
        {
            "x": np.round(random.lognormal(3, 1, 60), 3),
            "y": random.normal(size=60),
            "c": random.choice(list("abc"), 60),
        }
    )
    model = fit_table(frame, 3, max_leaf_nodes=6, scale=scale)
    np.testing.assert_array_equal(model.predict(frame), model[-1].labels_)
    read = from_json(to_json(model))
    np.testing.assert_array_equal(read.predict(frame), model[-1].labels_)
    at = frame.copy()
    for f, name in enumerate(model[0].feature_names_):
        cuts = read.tree_.threshold[(read.tree_.feature == f) & ~read.tree_.is_leaf]
        if name in at and len(cuts):
            at[name] = np.resize(cuts, len(at))
    np.testing.assert_array_equal(read.predict(at), model.predict(at))
    digits = [len(repr(t).replace(".", "").replace("-", "")) for t in read.tree_.threshold.tolist()]
    assert np.mean(digits) < 6


def test_a_first_row_of_values_is_told():
    text = pa.table({"1.97": [1.0, 2.0, 3.5], "-4": [2.0, 8.0, 1.0], "2019": [3.0, 1.0, 2.5]})
    message_of = " ".join(map(str, TableEncoder().fit(text).notes()))
    assert "1.97 and -4 are column names: is the first row a header?" in message_of


def test_advice_helps_where_no_column_is_left():
    days = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=9)})
    with pytest.raises(BadTable, match=r"no column left.*dates='parts' uses parts of dates\.$"):
        TableEncoder().fit(days)
    with pytest.raises(BadTable, match=r"no column left.*its value is always 1\.$"):
        TableEncoder().fit(pd.DataFrame({"a": [1, 1, 1]}))


def test_names_of_rows_are_no_categories():
    """They are few, and yet no two rows share one."""
    frame = pd.DataFrame(
        {"size": np.arange(8.0), "name": list("stuvwxyz"), "kind": list("aabb") * 2}
    )
    encoder = TableEncoder(keep=()).fit(frame)
    assert "name" not in {feature.source for feature in encoder.features_}
    assert "Left out: name" in " ".join(map(str, encoder.notes()))
    kept = TableEncoder(keep=["name"]).fit(frame)
    assert "name" in {feature.source for feature in kept.features_}


def test_unknown_values_are_counted():
    """By ``predict`` of a pipeline too: with the column, the words and how many rows have them."""
    frame = pd.DataFrame({"c": list("aabbcc") * 5, "x": np.arange(30.0) ** 2 % 17})
    model = make_pipeline(TableEncoder(), Kauri(2, max_leaf_nodes=None)).fit(frame)
    new = pd.DataFrame({"c": ["a", "zebra", "q", "zebra", None], "x": [1.0, 2, np.inf, -np.inf, 9]})
    with pytest.warns(UserWarning, match="X has") as message_of:
        found = model.predict(new)
    assert [str(one.message) for one in message_of] == [
        "X has unknown categories in column 'c', 'zebra', 'q', in 3 of 5 rows: they match none of "
        "the known categories.",
        "X has infinite values in column 'x', in 2 of 5 rows: they are treated as larger, or "
        "smaller, than all others.",
    ]
    assert model[0].encode(new).unseen == {"c": ["zebra", "q", "zebra"]}
    # A file tells of columns that its tree asks for.
    with pytest.warns(UserWarning, match="infinite values in column 'x'"):
        np.testing.assert_array_equal(from_json(to_json(model)).predict(new), found)


def test_what_the_fit_took_for_other_is_no_news():
    words = [["red", "blue", "red", "blue", f"w{i % 12}"][i % 5] for i in range(300)]
    frame = pd.DataFrame({"c": words, "x": np.arange(300.0) ** 2 % 17})
    model = make_pipeline(TableEncoder(max_categories=5), Kauri(2, max_leaf_nodes=None)).fit(frame)
    assert model.predict(frame).tolist() == model[-1].labels_.tolist()
    with pytest.warns(UserWarning, match="'new', in 1 of 2 rows"):
        model.predict(pd.DataFrame({"c": ["new", "w9"], "x": [1.0, 2.0]}))


@pytest.mark.parametrize("scale", ["auto", "standard", "minmax", "robust", "rank", "log", "none"])
def test_an_infinite_cell_stops_nothing(scale):
    """It is taken for the largest or least of the others, in every export alike."""
    random = np.random.RandomState(0)
    frame = pd.DataFrame({"x": random.normal(size=80), "y": random.normal(size=80)})
    frame["x"] += 5 * (frame["y"] > 0)
    frame.loc[[3, 40], "x"] = np.inf
    frame.loc[7, "x"] = -np.inf
    model = fit_table(frame, 3, max_leaf_nodes=5, scale=scale)
    assert model[0].infinite_ == {"x": 3}
    message_of = " ".join(map(str, model[0].notes()))
    assert "replaced by the largest or smallest finite value: x (3 rows)." in message_of
    names: dict = {}
    exec(to_python(model), names)
    with pytest.warns(UserWarning, match=r"in 3 of 80 rows"):
        found = model.predict(frame)
    np.testing.assert_array_equal(found, model[-1].labels_)
    with pytest.warns(UserWarning, match=r"in 3 of 80 rows"):
        np.testing.assert_array_equal(from_json(to_json(model)).predict(frame), found)
    assert [names["cluster_of"](row) for row in frame.to_dict("records")] == found.tolist()
    held = frame.replace([np.inf, -np.inf], [1e9, -1e9])
    np.testing.assert_array_equal(model.predict(held), found)
    with pytest.raises(BadTable, match="x has infinite values in 3 rows"):
        fit_table(frame, 3, scale=scale, strict=True)


def test_columns_of_a_table_are_named_by_what_they_were():
    """``split_features`` after an encoder: its features, or the columns that they are made of."""
    frame = pd.DataFrame(
        {"c": list("aabbcc") * 5, "x": np.arange(30.0) ** 2 % 17, "y": np.arange(30.0) % 7.5}
    )
    for asked, used in ((["c"], {"c"}), (["x"], {"x"}), (["c_a", "c_b", "c_c", "y"], {"c", "y"})):
        model = make_pipeline(
            TableEncoder(), Kauri(3, split_features=asked, max_leaf_nodes=None)
        ).fit(frame)
        split = model[-1].roles_.split
        sources = {model[0].features_[f].source for f in np.flatnonzero(split)}
        assert sources == used
    model = make_pipeline(TableEncoder(), Kauri(2, kernel_features=["y"], max_leaf_nodes=None)).fit(
        frame
    )
    assert np.flatnonzero(model[-1].roles_.kernel).tolist() == model[0].places()["y"].tolist()
    with pytest.raises(ValueError, match=r"split_features has 'z', which is no column of X"):
        make_pipeline(TableEncoder(), Kauri(3, split_features=["z"], max_leaf_nodes=None)).fit(
            frame
        )
    model = make_pipeline(
        TableEncoder(no_split=["x"]), Kauri(3, split_features=["x"], max_leaf_nodes=None)
    )
    with pytest.raises(ValueError, match="'x', which the encoder excludes"):
        model.fit(frame)
    scaled = make_pipeline(StandardScaler(), Kauri(2, split_features=["x"], max_leaf_nodes=None))
    with pytest.raises(ValueError, match=r"no column names.*set_output\(transform='pandas'\)"):
        scaled.fit(frame[["x", "y"]])
    scaled.set_output(transform="pandas").fit(frame[["x", "y"]])
    assert scaled[-1].roles_.split.tolist() == [True, False]


def test_frames_of_pandas_know_the_roles_of_their_columns(tmp_path):
    """``set_output`` changes the container and not the tree."""
    random = np.random.RandomState(0)
    frame = pd.DataFrame({"c": random.choice(list("abcd"), 200), "x": random.normal(size=200)})
    frame["x"] += 3 * frame["c"].isin(["a", "c"])
    frame["when"] = pd.date_range("2020-01-01", periods=200, freq="97h")
    frame.index += 7
    plain = make_pipeline(TableEncoder(dates="parts"), Kauri(4, max_leaf_nodes=5)).fit(frame)
    framed = clone(plain).set_output(transform="pandas").fit(frame)
    with config_context(transform_output="pandas"):
        by_config = clone(plain).fit(frame)
    for model in (framed, by_config):
        np.testing.assert_array_equal(model[-1].labels_, plain[-1].labels_)
        np.testing.assert_array_equal(model[-1].roles_.split, plain[-1].roles_.split)
        np.testing.assert_array_equal(model[-1].roles_.kernel, plain[-1].roles_.kernel)
        assert len(model[-1].roles_.one_hot) == 1
    rows = framed[0].transform(frame)
    assert rows.index.equals(frame.index)
    assert FeatureRoles.in_frame(rows[["x"]]) is None
    rows.to_parquet(tmp_path / "rows.parquet")
    assert FeatureRoles.in_frame(pd.read_parquet(tmp_path / "rows.parquet")) is not None
