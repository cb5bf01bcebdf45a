"""Tables of many rows are learnt from a sample, and from one pass over all rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers.examples import examples
from helpers.models import SEEDS
from helpers.raw_tables import raw_table
from hypothesis import given
from hypothesis import strategies as st

from agathis import TableEncoder
from agathis._columns.column_facts import extent_of, joined
from agathis._encoding import row_sample
from agathis._encoding.column_roles import IDENTIFIER
from agathis._encoding.row_sample import drawn
from agathis._encoding.scaling import SCALES

LIMITS = ("low_", "high_", "outlier_low_", "outlier_high_", "centre_", "factor_")


@given(SEEDS, st.integers(120, 300), st.sampled_from(SCALES), st.sampled_from(["out", "parts"]))
@examples(20)
def test_a_large_table_is_learnt_as_its_sample(seed, n, scale, dates):
    table, most = raw_table(n, seed), 100
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(row_sample, "MANY_ROWS", most)
        large = TableEncoder(scale=scale, dates=dates).fit(table)
    some = table.iloc[drawn(n, most)]
    # Row positions, and missing values anywhere, are those of the table.
    small = TableEncoder(scale=scale, dates=dates, drop=["id"]).fit(some)
    assert large.column_types_[0].why == IDENTIFIER
    has_missing = table["paid"].isna().any() == some["paid"].isna().any()
    if has_missing:
        assert large.column_types_[1:] == small.column_types_
        for name in LIMITS:
            found = [getattr(one.scaler_, name) for one in (large, small)]
            np.testing.assert_array_equal(*found)
    for name in ("size", "visits"):
        place = large.feature_names_.index(name)
        assert large.ends_[:, place].tolist() == [table[name].min(), table[name].max()]
    raw = large.encode(table).X
    np.testing.assert_array_equal(raw[drawn(n, most)], large.encode(some).X)


def test_what_no_sampled_row_has_is_counted(monkeypatch):
    """Missing values are a category, infinite numbers become the extremes of all rows."""
    monkeypatch.setattr(row_sample, "MANY_ROWS", 50)
    random = np.random.default_rng(0)
    table = pd.DataFrame({"x": random.normal(size=400), "kind": list("abcd") * 100})
    beyond = np.setdiff1d(np.arange(400), drawn(400, 50))
    table.loc[beyond[0], "kind"] = None
    table.loc[beyond[1:4], "x"] = np.inf, np.inf, 77.0
    encoder = TableEncoder().fit(table)
    assert encoder.column_types_[1].categories == ("a", "b", "c", "d", None)
    assert encoder.infinite_ == {"x": 2}
    raw = encoder.encode(table).X
    assert raw[beyond[1:4], 0].tolist() == [77.0] * 3
    np.testing.assert_array_equal(TableEncoder().fit_transform(table), encoder.scaled(raw))


@pytest.mark.parametrize("shuffled", [False, True])
def test_running_numbers_are_known_by_a_sample(monkeypatch, shuffled):
    monkeypatch.setattr(row_sample, "MANY_ROWS", 300)
    random = np.random.default_rng(1)
    numbers = random.permutation(20_000) if shuffled else np.arange(7, 20_007)
    table = pd.DataFrame({"n": numbers, "few": random.choice(19_000, 20_000)})
    column_types = TableEncoder().fit(table.assign(z=random.normal(size=20_000))).column_types_
    assert column_types[0].why == IDENTIFIER
    assert column_types[1].kind == "number"


@given(st.lists(st.sampled_from([None, -2.0, 0.5, 9.0, np.inf, -np.inf]), max_size=20), st.data())
@examples(40)
def test_extents_of_parts_are_those_of_all(values, data):
    cut = data.draw(st.integers(0, len(values)))
    column = pa.array(values, pa.float64())
    whole = extent_of(column)
    assert joined([extent_of(column[:cut]), extent_of(column[cut:])]) == whole
    finite = [value for value in values if value is not None and np.isfinite(value)]
    n_infinite = sum(value is not None and np.isinf(value) for value in values)
    assert whole[:3] == (len(values), values.count(None), n_infinite)
    assert (whole.low, whole.high) == (min(finite, default=np.inf), max(finite, default=-np.inf))
