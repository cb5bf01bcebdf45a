"""Raw tables in partitions: the encoder is that of memory, whatever the partitions."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import combinations_with_replacement, pairwise

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.models import same_bits
from helpers.raw_tables import raw_table
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from agathis import Kauri as LocalKauri
from agathis import TableEncoder as LocalEncoder
from agathis import report
from agathis._tables.errors import BadTable
from agathis.dask import Kauri, TableEncoder, sample_rows
from agathis.dask import _column_facts as facts_of_columns
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
    assert one.verdicts_ == other.verdicts_
    assert one.feature_names_ == other.feature_names_
    for name in ("low_", "high_", "far_low_", "far_high_", "centre_", "factor_"):
        np.testing.assert_array_equal(getattr(one.scaler_, name), getattr(other.scaler_, name))


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
        assert encoder.far_off_ == local.far_off_
        assert list(encoder.columns_) == list(local.columns_)
        found = encoder.transform(rows).compute()
    np.testing.assert_array_equal(found.to_numpy(), np.asarray(local.transform(table)))
    assert found.index.equals(table.index)
    assert encoder.n_rows_ == encoder.n_sampled_ == len(table)


@given(SIZES, st.integers(0, 2**31), st.integers(10, 40), st.integers(4, 30))
@examples(15)
def test_partitions_do_not_matter(sizes, seed, subsample, kept):
    """Also where a sample tells the scales, and only some of many values are kept."""
    table = raw_table(sum(sizes), seed)
    with dask.config.set(scheduler="synchronous"), pytest.MonkeyPatch.context() as patched:
        patched.setattr("agathis.dask._encoder.KEPT", kept)
        params = {"max_categories": min(kept, 5), "subsample": subsample, "weight": "equal"}
        one = TableEncoder(**params).fit(in_partitions(table, sizes))
        other = TableEncoder(**params).fit(in_partitions(table, [len(table)]))
    same_encoder(one, other)
    assert one.n_sampled_ == min(subsample, len(table))


@given(
    st.lists(st.one_of(st.none(), st.integers(-40, 40)), min_size=1, max_size=120),
    st.lists(st.integers(0, 120), max_size=5),
    st.integers(1, 60),
    st.sampled_from([pa.int64(), pa.float64(), pa.string(), pa.timestamp("us")]),
)
@examples(60)
def test_kept_values_have_exact_counts(values, cuts, kept, kind):
    """Against a plain count; what is kept is what has the smallest hashes of all."""
    column = pa.array(values, pa.int64()).cast(kind)
    ends = [0, *sorted(min(cut, len(column)) for cut in cuts), len(column)]
    pieces = [
        facts_of_columns.piece_of(column.slice(begin, end - begin), begin, kept)
        for begin, end in pairwise(ends)
    ]
    whole = facts_of_columns.put_together(pieces, kept)
    counted = Counter(column.drop_null().to_pylist())
    different = column.drop_null().unique()
    hashes = facts_of_columns.hashes_of(different)
    least = np.argsort(hashes)[:kept]
    assert set(whole.values.to_pylist()) == set(different.take(pa.array(least)).to_pylist())
    for value, n in zip(whole.values.to_pylist(), whole.counts.tolist(), strict=True):
        assert counted[value] == n
    assert whole.n_missing == column.null_count
    assert (whole.bound == facts_of_columns.ALL) == (len(different) <= kept)


def test_the_number_of_many_values_is_estimated():
    column = pa.array(np.arange(200_000) % 60_000)
    piece = facts_of_columns.piece_of(column, 0, 1 << 14)
    facts = facts_of_columns.GatheredFacts(piece, column.slice(0, 100), np.arange(100))
    assert facts.n_different == pytest.approx(60_000, rel=0.04)
    own = facts_of_columns.piece_of(pa.array(np.arange(50_000)), 0, 1 << 14)
    facts = facts_of_columns.GatheredFacts(own, column.slice(0, 100), np.arange(100))
    assert facts.n_different == 50_000


def test_large_tables_have_the_verdicts_of_memory():
    """Few rows tell the scales; an identifier, free text and cities are known by all rows."""
    table = raw_table(5000, 3)
    with dask.config.set(scheduler="synchronous"):
        found = TableEncoder(subsample=300).fit(dd.from_pandas(table, npartitions=6))
    local = LocalEncoder().fit(table)
    assert found.verdicts_ == local.verdicts_
    assert found.n_sampled_ == 300
    numbers = [i for i, name in enumerate(found.feature_names_) if name in ("size", "price")]
    np.testing.assert_allclose(
        found.scaler_._unweighted[numbers], local.scaler_._unweighted[numbers], rtol=0.15
    )


def test_the_ends_are_those_of_all_rows():
    table = raw_table(2000, 4)[["size", "visits"]]
    rows = dd.from_pandas(table, npartitions=5)
    with dask.config.set(scheduler="synchronous"):
        encoder = TableEncoder(scale="minmax", weight="equal", subsample=20).fit(rows)
        found = encoder.transform(rows).compute()
    np.testing.assert_array_equal(found.min(), 0)
    np.testing.assert_allclose(found.max(), 1, rtol=1e-12)


def test_a_pipeline_is_that_of_memory(client, tmp_path):
    """Fit, labels, score, exports and pages; cells far off do not count, and can be cut."""
    table = raw_table(600)
    rows = in_partitions(table, [100, 0, 350, 150])
    params = {"n_clusters": 4, "max_leaf_nodes": 8, "engine": "binned"}
    model = make_pipeline(TableEncoder(dates="parts"), Kauri(**params)).fit(rows)
    encoder = LocalEncoder(dates="parts")
    encoded = encoder.fit_transform(table)
    encoded.units = None  # a cluster does not shorten thresholds
    local = make_pipeline(encoder, LocalKauri(**params).fit(encoded))
    assert local[0].far_off_
    same_bits(model[1].tree_, local[1].tree_)
    assert model[1].inertia_ == local[1].inertia_
    labels = model.predict(rows).compute()
    assert labels.tolist() == local.predict(table).tolist()
    assert labels.index.equals(table.index)
    assert model[1].labels_.compute().tolist() == local[1].labels_.tolist()
    assert model.score(rows) == pytest.approx(local.score(table))
    for export in (to_rules, to_sql, to_python):
        assert export(model) == export(local)
    again = make_pipeline(model[0].to_local(), model[1].to_local())
    assert type(again[0]) is LocalEncoder
    assert again.predict(table).tolist() == labels.tolist()
    report.write(model, rows, tmp_path / "page.html")
    report.write(local, table, tmp_path / "other.html")
    assert (tmp_path / "page.html").read_text() == (tmp_path / "other.html").read_text()


def test_a_page_of_many_rows_says_that_it_is_of_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr("agathis.dask._shown.ROWS", 50)
    table = raw_table(200)
    model = make_pipeline(LocalEncoder(), LocalKauri(3)).fit(table)
    rows = dd.from_pandas(table, npartitions=3)
    with dask.config.set(scheduler="synchronous"):
        report.write(model, rows, tmp_path / "page.html")
        with pytest.raises(ValueError, match=r"ids .* give rows of agathis\.dask\.sample_rows"):
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


def test_marks_are_lost_where_rows_change_places(client):
    """What does not count is known by its place."""
    from agathis.dask._encoded import as_rows, framed

    table = raw_table(100)
    rows = LocalEncoder().fit(table).transform(table)
    assert np.isfinite(rows.meant).any()
    frame = framed(rows, table.index, [str(i) for i in range(rows.shape[1])])
    again = as_rows(frame)
    np.testing.assert_array_equal(np.isnan(again.meant), np.isnan(rows.meant))
    turned = as_rows(frame.iloc[::-1])
    assert turned.meant is None
    assert turned.roles is not None
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
    assert found.verdicts_ == LocalEncoder().fit(whole).verdicts_


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
        assert encoder.verdicts_ == local.verdicts_
    kinds = {first, second} - {"nothing"}
    if len(kinds) == 2 and kinds & {"time", "bytes", "list"}:
        assert encoder.verdicts_[1].kind == "out"


def test_categories_of_pandas_that_differ_between_partitions():
    parts = [pd.DataFrame({"n": range(30), "w": list(text * 15)}) for text in ("ab", "bc", "cd")]
    whole = pd.concat(parts)
    parts = [part.astype({"w": "category"}) for part in parts]
    with dask.config.set(scheduler="synchronous"):
        found = TableEncoder(keep=["n"]).fit([dask.delayed(part) for part in parts])
    assert found.verdicts_ == LocalEncoder(keep=["n"]).fit(whole).verdicts_
    assert found.verdicts_[1].categories == ("a", "b", "c", "d")


def test_what_is_wrong_is_told():
    table = raw_table(60)
    rows = dd.from_pandas(table, npartitions=2)
    with dask.config.set(scheduler="synchronous"):
        with pytest.raises(TypeError, match=r"agathis\.TableEncoder takes tables in memory"):
            TableEncoder().fit(table)
        with pytest.raises(TypeError, match="rows of numbers need no encoder"):
            TableEncoder().fit(rows[["size", "visits"]].values)
        with pytest.raises(ValueError, match=r"subsample=1 must be"):
            TableEncoder(subsample=1).fit(rows)
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
