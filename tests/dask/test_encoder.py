"""Raw tables in partitions: the encoder is that of memory, whatever the partitions."""

from __future__ import annotations

import pickle
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import combinations_with_replacement

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples, mostly_slow
from helpers.models import same_bits
from helpers.raw_tables import raw_table
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from agathis import Kauri as LocalKauri
from agathis import TableEncoder as LocalEncoder
from agathis import report
from agathis._columns.errors import BadTable
from agathis._encoding import row_sample
from agathis._encoding.column_roles import IDENTIFIER
from agathis._encoding.row_sample import drawn
from agathis._io.table_reader import open_table
from agathis.dask import Kauri, TableEncoder, _short_thresholds, sample_rows
from agathis.dask._files import in_pieces
from agathis.export import to_python, to_rules, to_sql

pa = pytest.importorskip("pyarrow")
SIZES = st.lists(st.integers(0, 60), min_size=1, max_size=7).filter(lambda sizes: sum(sizes) > 30)


def in_partitions(table, sizes):
    ends = np.cumsum(sizes)
    parts = [table.iloc[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    return dd.from_delayed(
        [dask.delayed(part) for part in parts], meta=table.iloc[:0], verify_meta=False
    )


def same_encoder(one, other) -> None:
    assert one.column_types_ == other.column_types_
    assert one.feature_names_ == other.feature_names_
    for name in ("low_", "high_", "outlier_low_", "outlier_high_", "centre_", "factor_"):
        np.testing.assert_array_equal(getattr(one.scaler_, name), getattr(other.scaler_, name))
    assert one.scaler_.ranks_.keys() == other.scaler_.ranks_.keys()
    for place, points in one.scaler_.ranks_.items():
        np.testing.assert_array_equal(points, other.scaler_.ranks_[place])


@given(
    SIZES,
    st.integers(0, 2**31),
    st.sampled_from(["out", "parts"]),
    st.sampled_from(["auto", "minmax", "robust", "rank", "log", "none"]),
    st.integers(2, 20),
)
@examples(15)
def test_small_tables_are_learnt_as_in_memory(sizes, seed, dates, scale, most):
    table = raw_table(sum(sizes), seed)
    params = {"dates": dates, "scale": scale, "max_categories": most, "weight": "equal"}
    rows = in_partitions(table, sizes)
    with dask.config.set(scheduler="synchronous"):
        encoder = TableEncoder(**params).fit(rows)
        local = LocalEncoder(**params).fit(table)
        same_encoder(encoder, local)
        assert encoder.outliers_ == local.outliers_
        assert list(encoder.columns_) == list(local.columns_)
        found = encoder.transform(rows).compute()
    np.testing.assert_array_equal(found.to_numpy(), np.asarray(local.transform(table)))
    assert found.index.equals(table.index)
    assert encoder.n_rows_ == encoder.n_sampled_ == len(table)


@given(
    SIZES,
    st.integers(0, 2**31),
    st.sampled_from(["out", "parts"]),
    st.sampled_from(["auto", "standard", "minmax", "robust", "rank", "log", "none"]),
    st.sampled_from(["frame", "list"]),
    st.integers(20, 40),
)
@examples(25)
def test_large_tables_are_learnt_as_in_memory(sizes, seed, dates, scale, kind, many):
    """From a sample at the same positions, and extents of all rows: to the last bit."""
    table = odd_table(sum(sizes), seed)
    params = {"dates": dates, "scale": scale, "max_categories": 5, "keep": ["same", "z"]}
    rows = in_partitions(table, sizes)
    rows = rows.to_delayed() if kind == "list" else rows
    with dask.config.set(scheduler="synchronous"), pytest.MonkeyPatch.context() as patched:
        patched.setattr(row_sample, "MANY_ROWS", many)
        found = TableEncoder(**params).fit(rows)
        local = LocalEncoder(**params).fit(table)
    same_encoder(found, local)
    assert found.outliers_ == local.outliers_
    assert found.infinite_ == local.infinite_
    np.testing.assert_array_equal(found.ends_, local.ends_)
    assert list(found.columns_) == list(local.columns_)
    assert found.n_sampled_ == min(many, len(table))
    assert found._rare == local._rare


def odd_table(n: int, seed: int) -> pd.DataFrame:
    """Infinite numbers and a huge one, one value, moments of hours, dates with a time as text."""
    table = raw_table(n, seed)
    random = np.random.default_rng(seed)
    table["same"] = 0.1
    table["z"] = np.where(random.random(n) < 0.1, np.nan, random.normal(size=n))
    table.loc[random.integers(n), "z"] = 1e30
    table.loc[random.integers(n, size=2), "z"] = [np.inf, -np.inf]
    hours = pd.to_timedelta(random.integers(0, 60 * 24 * 900, n), unit="min")
    table["when"] = (pd.Timestamp("2021-01-01") + hours).strftime("%d.%m.%Y %H:%M")
    table["month"] = random.integers(1, 13, n)
    table["weekday"] = random.choice(["Mon", "Tue", "Sun"], n)
    return table


# The table itself is in the graph: about 10 MB, from which on Dask warns.
@pytest.mark.filterwarnings("ignore:Sending large graph")
# Categories that no row of the sample has are unknown.
@pytest.mark.filterwarnings("ignore:X has unknown categories")
@pytest.mark.slow
def test_more_rows_than_are_brought_together(client):
    """60,000 rows on workers: prices, dates, categories, missing values, a huge number."""
    table = odd_table(60_000, 7).drop(columns=["seen", "when"])
    table["many"] = np.random.default_rng(1).choice(
        np.r_[["north"] * 20_000, ["south"] * 15_000, [f"p{i}" for i in range(30_000)]], 60_000
    )
    rows = in_partitions(table, [1, 20_000, 0, 30_000, 9_999])
    found = TableEncoder(dates="parts").fit(rows)
    local = LocalEncoder(dates="parts").fit(table)
    same_encoder(found, local)
    assert found.outliers_ == local.outliers_
    assert found.infinite_ == local.infinite_
    np.testing.assert_array_equal(found.ends_, local.ends_)
    assert local.ends_[1, local.feature_names_.index("z")] == 1e30
    assert list(found.columns_) == list(local.columns_)
    assert (found.n_rows_, found.n_sampled_) == (60_000, 50_000)
    few = table.iloc[:500]
    np.testing.assert_array_equal(found.transform(few), local.transform(few))


def test_what_is_wrong_beyond_the_sample_is_told(monkeypatch):
    monkeypatch.setattr(row_sample, "MANY_ROWS", 5)
    assert 170 not in drawn(400, 5)
    table = raw_table(400)[["size", "visits"]]
    for value, message in (
        (np.inf, "size has infinite values in 2 rows; values must be"),
        (1e200, "1e\\+150"),
    ):
        table.loc[[170, 380], "size"] = value
        rows = dd.from_pandas(table, npartitions=3)
        with (
            dask.config.set(scheduler="synchronous"),
            pytest.raises(BadTable, match=message),
        ):
            TableEncoder(strict=True).fit(rows)
        with pytest.raises(BadTable, match=message):
            LocalEncoder(strict=True).fit(table)


def test_large_tables_have_the_verdicts_of_memory(monkeypatch):
    """An identifier is one in a sample too, by its extremes."""
    monkeypatch.setattr(row_sample, "MANY_ROWS", 300)
    table = raw_table(5000, 3)
    with dask.config.set(scheduler="synchronous"):
        found = TableEncoder().fit(dd.from_pandas(table, npartitions=6))
    assert found.n_sampled_ == 300
    same_encoder(found, LocalEncoder().fit(table))
    assert found.column_types_[0].why == IDENTIFIER


def test_a_pipeline_is_that_of_memory(client, tmp_path):
    """Fit, labels, score, exports and pages, of a table with an outlier."""
    table = raw_table(600)
    rows = in_partitions(table, [100, 0, 350, 150])
    params = {"n_clusters": 4, "max_leaf_nodes": 8, "engine": "binned"}
    model = make_pipeline(TableEncoder(dates="parts"), Kauri(**params)).fit(rows)
    local = make_pipeline(LocalEncoder(dates="parts"), LocalKauri(**params)).fit(table)
    assert local[0].outliers_
    same_bits(model[1].tree_, local[1].tree_)
    assert model[1].raw_thresholds_ == local[1].raw_thresholds_ != {}
    assert model[1].inertia_ == local[1].inertia_
    labels = model.predict(rows).compute()
    assert labels.tolist() == local.predict(table).tolist()
    assert labels.index.equals(table.index)
    assert model[1].labels_.compute().tolist() == local[1].labels_.tolist()
    assert float(model.score(rows)) == pytest.approx(local.score(table))
    for export in (to_rules, to_sql, to_python):
        assert export(model) == export(local)
    again = make_pipeline(model[0].to_local(), model[1].to_local())
    assert type(again[0]) is LocalEncoder
    assert again.predict(table).tolist() == labels.tolist()
    report.write(model, rows, tmp_path / "page.html")
    report.write(local, table, tmp_path / "other.html")
    assert (tmp_path / "page.html").read_text() == (tmp_path / "other.html").read_text()


@pytest.mark.parametrize("kind", mostly_slow(["frame", "list", "files"], "frame"))
def test_thresholds_are_those_of_memory(client, tmp_path, monkeypatch, kind):
    """Of many partitions; only columns that the tree asks for are read for them, where possible."""
    table = raw_table(500).drop(columns=["id", "note"])
    table.to_parquet(tmp_path / "t.parquet", row_group_size=20)
    monkeypatch.setattr("agathis.dask._files.PARTITION", 1)
    rows = {
        "frame": lambda: in_partitions(table, [20] * 25),
        "list": lambda: [dask.delayed(table.iloc[i : i + 20]) for i in range(0, 500, 20)],
        "files": lambda: in_pieces(open_table(tmp_path / "t.parquet"), list(table.columns)),
    }[kind]()
    asked = []

    def watched(encoder, columns):
        return _short_thresholds.Origin(encoder, lambda some: asked.append(some) or columns(some))

    monkeypatch.setattr("agathis.dask._encoder.Origin", watched)
    encoder = TableEncoder()
    encoder._learn(rows, client)
    features = encoder.transform(rows)
    model = Kauri(3, max_leaf_nodes=4).fit(features)
    local = make_pipeline(LocalEncoder(), LocalKauri(3, max_leaf_nodes=4, engine="binned"))
    local.fit(table)
    same_bits(model.tree_, local[1].tree_)
    assert model.raw_thresholds_ == local[1].raw_thresholds_ != {}
    assert len(asked) == 1
    assert set(asked[0]) < set(table.columns)


def two_groups() -> pd.DataFrame:
    """The shortest number between the groups is 55; without six rows it would be 50."""
    x = np.r_[np.arange(30) / 3, [53] * 3, [57] * 3, 100 + np.arange(30) / 3]
    return pd.DataFrame({"x": x, "id2": np.arange(66) % 7, "w": (x > 55) * 8.0})


@pytest.mark.parametrize("kind", ["frame", pytest.param("list", marks=pytest.mark.slow)])
def test_features_that_were_worked_on_are_others(client, kind):
    """In place or not: thresholds stay where growth has put them, and labels are right."""
    table = two_groups()
    rows = dd.from_pandas(table, npartitions=3)
    rows = rows if kind == "frame" else [dask.delayed(table.iloc[i : i + 22]) for i in (0, 22, 44)]
    encoder = TableEncoder(keep=["id2"]).fit(rows)

    def set_column(features):
        features["x"] = features["x"] * 0.7
        return features

    def more(features):
        features["more"] = features["x"] * 2
        return features

    def less(features):
        del features["id2"]
        return features

    def grown(features):
        features += encoder.transform(rows)
        return features

    changes = {
        "frame": [set_column, more, less, lambda features: features.persist()],
        "list": [grown, lambda features: features[::-1], lambda features: dask.persist(*features)],
    }[kind]
    model = Kauri(2, max_leaf_nodes=2).fit(encoder.transform(rows))
    assert list(model.raw_thresholds_.values()) == [55]
    for change in changes:
        features = change(encoder.transform(rows))
        later = Kauri(2, max_leaf_nodes=2).fit(features)
        assert later.raw_thresholds_ == {}
        labels, again = dask.compute(later.labels_, later.predict(features))
        np.testing.assert_array_equal(np.hstack(labels), np.hstack(again))


def test_a_table_that_is_given_other_columns_later(client):
    """Features are of what it was."""
    rows = dd.from_pandas(two_groups(), npartitions=3)
    encoder = TableEncoder(keep=["id2"])
    features = encoder.fit_transform(rows)
    rows["x"] = rows["x"].round(-2)
    del rows["id2"]
    model = Kauri(2, max_leaf_nodes=2).fit(features)
    assert list(model.raw_thresholds_.values()) == [55]
    assert model.labels_.compute().tolist() == model.predict(features).compute().tolist()


def test_a_list_of_features_is_one_to_dask(client):
    table = two_groups()
    features = TableEncoder().fit_transform([dask.delayed(table), dask.delayed(table)])
    for found in (dask.compute(features)[0], dask.delayed(list)(features).compute()):
        assert [len(block) for block in found] == [66, 66]
    again = pickle.loads(pickle.dumps(features[0]))
    assert len(again.compute()) == 66


def test_partitions_that_change_are_noticed(client, tmp_path):
    """When they are read again for short thresholds, and are others by then."""
    table = two_groups()

    def now(number):
        seen = tmp_path / str(number)
        change = 1000.0 * seen.exists()
        seen.touch()
        return table.assign(x=table["x"] + change * (table["x"] < 3))

    rows = [dask.delayed(now, pure=False)(number) for number in range(3)]
    encoder = TableEncoder(scale="none", weight="equal").fit([dask.delayed(table)])
    with pytest.raises(ValueError, match="were read again for short thresholds, and have changed"):
        Kauri(2, max_leaf_nodes=2).fit(encoder.transform(rows))


def test_nothing_is_read_again_for_categories(client, monkeypatch):
    table = pd.DataFrame({"kind": ["a", "b", "c"] * 20, "other": ["x", "y", "z"] * 20})
    features = TableEncoder().fit_transform(dd.from_pandas(table, npartitions=2))
    asked = []
    monkeypatch.setattr(_short_thresholds, "computed", lambda *told: asked.append(told))
    model = Kauri(2, max_leaf_nodes=2).fit(features)
    assert model.tree_.has_terms
    assert model.raw_thresholds_ == {}
    assert asked == []


def test_a_client_that_is_not_the_current_one(cluster):
    from distributed import Client

    rows = dd.from_pandas(two_groups(), npartitions=3)
    with Client(cluster, set_as_default=False) as client:
        encoder = TableEncoder()
        features = encoder.fit_transform(rows, client=client)
        model = Kauri(2, max_leaf_nodes=2).fit(features, client=client)
    assert list(model.raw_thresholds_.values()) == [55]


def test_a_page_of_many_rows_says_that_it_is_of_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr("agathis.dask._sampled_rows.ROWS", 50)
    table = raw_table(200)
    model = make_pipeline(LocalEncoder(), LocalKauri(3, max_leaf_nodes=None)).fit(table)
    rows = dd.from_pandas(table, npartitions=3)
    with dask.config.set(scheduler="synchronous"):
        report.write(model, rows, tmp_path / "page.html")
        with pytest.raises(ValueError, match=r"ids .* pass rows from agathis\.dask\.sample_rows"):
            report.write(model, rows, tmp_path / "page.html", ids=range(200))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>50</b> used of 200 read" in page
    assert "a sample of them, drawn at random" in page


@given(SIZES, st.integers(1, 100))
@examples(20)
def test_a_sample_is_drawn_by_place(sizes, most):
    table = raw_table(sum(sizes))
    with dask.config.set(scheduler="synchronous"):
        found = sample_rows(in_partitions(table, sizes), most)
        other = sample_rows(in_partitions(table, [len(table)]), most)
    pd.testing.assert_frame_equal(found, other)
    assert len(found) == min(most, len(table))


def test_roles_stay_with_rows_and_are_lost_where_columns_change_places():
    from agathis.dask._encoded import as_rows

    table = raw_table(100)
    encoder = LocalEncoder().fit(table)
    rows = encoder.transform(table)
    frame = encoder.framed(rows, table.index)
    turned = as_rows(frame.iloc[::-1])
    np.testing.assert_array_equal(turned, rows[::-1])
    np.testing.assert_array_equal(turned.roles.kernel, rows.roles.kernel)
    np.testing.assert_array_equal(turned.roles.split, rows.roles.split)
    assert not hasattr(as_rows(frame.iloc[:, ::-1]), "roles")


def test_types_that_differ_between_partitions():
    """Whole numbers in one, none at all in another, floats in a third."""
    parts = [
        pd.DataFrame({"n": [1, 2, 4] * 9, "w": ["a", "b", "a"] * 9}),
        pd.DataFrame({"n": [None] * 5, "w": [None] * 5}, dtype=object),
        pd.DataFrame({"n": [1.5, None, 3] * 9, "w": ["b", "c", None] * 9}),
    ]
    whole = pd.concat([part.astype({"n": float}) for part in parts])
    with dask.config.set(scheduler="synchronous"):
        found = TableEncoder().fit([dask.delayed(part) for part in parts])
    assert found.column_types_ == LocalEncoder().fit(whole).column_types_


KINDS_OF_VALUES = {
    "whole": lambda i: i % 7,
    "float": lambda i: i / 4,
    "text": lambda i: "abc"[i % 3],
    "truth": lambda i: i % 2 == 0,
    "nothing": lambda i: None,
    "moment": lambda i: datetime(2020, 1, 1) + timedelta(days=9 * i),
    "day": lambda i: date(2020, 1, 1) + timedelta(days=9 * i),
    "decimal": lambda i: Decimal(i) / 8,
    "time": lambda i: time(i % 24),
    "bytes": lambda i: b"x",
    "list": lambda i: [i],
}


@pytest.mark.parametrize(
    ("first", "second"), list(combinations_with_replacement(sorted(KINDS_OF_VALUES), 2))
)
def test_partitions_that_hold_different_things(first, second):
    """Dates here and numbers there are left out; what is used, all partitions have."""
    parts = [
        pd.DataFrame(
            {
                "z": np.arange(30) ** 2 % 17 / 8 + 0.01 * np.arange(30),
                "odd": pd.Series([KINDS_OF_VALUES[kind](i) for i in range(30)], dtype=object),
            }
        )
        for kind in (first, second)
    ]
    blocks = [dask.delayed(part) for part in parts]
    with dask.config.set(scheduler="synchronous"):
        encoder = TableEncoder(dates="parts", weight="equal").fit(blocks)
        rows = np.concatenate(
            dask.compute(*map(dask.delayed(np.asarray), encoder.transform(blocks)))
        )
    assert rows.shape == (60, len(encoder.feature_names_))
    if first == second:
        local = LocalEncoder(dates="parts", weight="equal").fit(pd.concat(parts))
        assert encoder.column_types_ == local.column_types_
    kinds = {first, second} - {"nothing"}
    if len(kinds) == 2 and kinds & {"time", "bytes", "list"}:
        assert encoder.column_types_[1].kind == "out"


def test_categories_of_pandas_that_differ_between_partitions():
    parts = [pd.DataFrame({"n": range(30), "w": list(text * 15)}) for text in ("ab", "bc", "cd")]
    whole = pd.concat(parts)
    parts = [part.astype({"w": "category"}) for part in parts]
    with dask.config.set(scheduler="synchronous"):
        found = TableEncoder(keep=["n"]).fit([dask.delayed(part) for part in parts])
    assert found.column_types_ == LocalEncoder(keep=["n"]).fit(whole).column_types_
    assert found.column_types_[1].categories == ("a", "b", "c", "d")


def test_what_is_wrong_is_told():
    table = raw_table(60)
    rows = dd.from_pandas(table, npartitions=2)
    with dask.config.set(scheduler="synchronous"):
        with pytest.raises(TypeError, match=r"agathis\.TableEncoder takes tables in memory"):
            TableEncoder().fit(table)
        with pytest.raises(TypeError, match="rows of numbers need no encoder"):
            TableEncoder().fit(rows[["size", "visits"]].values)
        with pytest.raises(BadTable, match="has no rows"):
            TableEncoder().fit(in_partitions(table.iloc[:0], [0, 0]))
        with pytest.raises(ValueError, match="drop names 'zz', which is no column"):
            TableEncoder(drop=["zz"]).fit(rows)
        odd = dd.from_delayed(
            [dask.delayed(table), dask.delayed(table.drop(columns="city"))],
            meta=table.iloc[:0],
            verify_meta=False,
        )
        with pytest.raises(ValueError, match="partition 1: it has the columns"):
            TableEncoder().fit(odd)
