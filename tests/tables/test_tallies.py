"""Tallies of numbers: the same whatever the parts, and scales by them beside those of rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.raw_tables import raw_table
from hypothesis import given
from hypothesis import strategies as st

from agathis import TableEncoder
from agathis._tables import number_tally, scaling
from agathis._tables.number_tally import put_together, tally_of
from agathis._tables.scaling import SCALES, FeatureScaler
from agathis._tables.tally_scaling import at_percentiles, at_shares, ranks_of, scale_of

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.lists(st.one_of(FLOATS, st.integers(-9, 9).map(float)), max_size=80).map(np.array)
FIELDS = ("keys", "counts", "least", "most", "upper", "lower")


def same_tally(one, other) -> None:
    assert one.bits == other.bits
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def key_of(value: float) -> int:
    """The bits of a float as a whole number in the order of floats, the slow way."""
    raw = int(np.float64(value + 0.0).view(np.uint64))
    return raw if raw < 1 << 63 else (1 << 63) - 1 - raw


@given(NUMBERS, st.lists(st.integers(0, 80), max_size=6), st.integers(1, 40), st.randoms())
@examples(150)
def test_parts_do_not_matter(values, cuts, most, random):
    """In any order, put together two by two or at once, and bins are those of the definition."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(number_tally, "MOST_BINS", max(most, 1))
        whole = tally_of(values)
        mixed = values.copy()
        random.shuffle(mixed)
        parts = [
            tally_of(part) for part in np.split(mixed, sorted(min(c, len(mixed)) for c in cuts))
        ]
        same_tally(put_together(parts), whole)
        random.shuffle(parts)
        step = parts[0]
        for part in parts[1:]:
            step = put_together([step, part])
        same_tally(step, whole)
    keys = sorted({key_of(value) for value in values.tolist()})
    few = [bits for bits in range(53) if len({key >> bits for key in keys}) <= most]
    assert whole.bits == (min(few) if few else 52) or not len(values)
    assert whole.keys.tolist() == sorted({key >> whole.bits for key in keys})
    assert whole.n == len(values)


@given(NUMBERS, st.integers(1, 40))
@examples(150)
def test_bins_tell_their_numbers(values, most):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(number_tally, "MOST_BINS", most)
        tally = tally_of(values)
    for i, key in enumerate(tally.keys.tolist()):
        mine = [value for value in values.tolist() if key_of(value) >> tally.bits == key]
        assert tally.counts[i] == len(mine)
        assert (tally.least[i], tally.most[i]) == (min(mine), max(mine))
        mean = sum(map(Fraction, mine)) / len(mine)
        assert tally.means[i] == pytest.approx(float(mean), rel=1e-15, abs=5e-324)


@given(NUMBERS, st.data())
@examples(40)
def test_counts_are_rows(values, data):
    counts = data.draw(st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values)))
    same_tally(tally_of(values, np.array(counts, dtype=int)), tally_of(np.repeat(values, counts)))


def columns(seed: int, n: int) -> np.ndarray:
    """Of many kinds: whole numbers, a constant, long tails, slips, gaps, one value mostly."""
    random = np.random.default_rng(seed)
    X = np.column_stack(
        [
            random.normal(size=n),
            random.poisson(3, n),
            np.full(n, 0.1),
            np.exp(random.normal(size=n) * 3),
            1e9 + random.normal(size=n),
            (random.random(n) < 0.004) * random.random(n),
            random.integers(0, 2, n),
        ]
    )
    X[random.integers(n, size=2), 0] = 1e12, -1e9
    X[1:][random.random(n - 1) < 0.1, 1] = np.nan
    return X


@given(st.integers(0, 2**31), st.integers(1, 300), st.sampled_from(SCALES))
@examples(60)
def test_scales_are_those_of_rows(seed, n, how):
    """Where each number is a bin: limits to the last bit, the rest but for rounding."""
    X = columns(seed, n)
    hows = [how] * (X.shape[1] - 1) + ["category"]
    sources = [[X.shape[1] - 1]]
    rows = FeatureScaler(hows, sources).fit(X)
    tallies = FeatureScaler(hows, sources).fit_tallies([tally_of(column) for column in X.T])
    for name in ("low_", "high_", "far_low_", "far_high_"):
        np.testing.assert_array_equal(getattr(tallies, name), getattr(rows, name))
    np.testing.assert_allclose(tallies.centre_, rows.centre_, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(tallies.factor_, rows.factor_, rtol=1e-6)
    far = rows.far_off(X)
    spread = np.nanvar(np.where(far, np.nan, rows.transform(X)), axis=0)
    np.testing.assert_allclose(tallies.variances(), spread, rtol=1e-6, atol=1e-12)


@given(st.integers(0, 2**31), st.integers(16, 400))
@examples(20)
def test_bins_are_near_rows(seed, bins):
    """Of more numbers than bins: no limit is further off than its bin is wide, means are exact."""
    X = columns(seed, 2000)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(number_tally, "MOST_BINS", bins)
        tallies = [tally_of(column) for column in X.T]
    rows = FeatureScaler(["standard"] * X.shape[1]).fit(X)
    for f, tally in enumerate(tallies):
        column = X[~np.isnan(X[:, f]), f]
        ordered = np.sort(column)
        low, high = at_percentiles(tally)
        at = np.searchsorted(
            tally.most,
            ordered[
                [int(np.ceil(0.01 * (len(column) - 1))), int(np.floor(0.99 * (len(column) - 1)))]
            ],
        )
        assert (low, high) == (tally.least[at[0]], tally.most[at[1]])
        plain = scale_of(tally, "standard")
        assert plain.centre == pytest.approx(rows.centre_[f], rel=1e-12, abs=1e-12)
        width = ((tally.most - tally.least) ** 2 * tally.counts).sum() / tally.n
        assert abs(plain.variance - column.var()) <= width / 4 + 1e-9 * (1 + column.var())
        held = scale_of(tally, "auto")
        near = column[(column >= held.far_low) & (column <= held.far_high)]
        kept = np.clip(near, held.low, held.high)
        assert held.centre == pytest.approx(kept.mean(), rel=1e-12, abs=1e-12)
        assert len(near) == tally.within(held.far_low, held.far_high).n
        for share, found in zip((0.25, 0.5), at_shares(tally, np.array([0.25, 0.5])), strict=True):
            place = share * (len(column) - 1)
            first, last = ordered[int(np.floor(place))], ordered[int(np.ceil(place))]
            begin, end = np.searchsorted(tally.most, [first, last])
            assert tally.least[begin] <= found <= tally.most[end]
        points, ranks = ranks_of(tally)
        assert (np.diff(points) > 0).all()
        assert (np.diff(ranks) >= 0).all()
        assert ranks[0] >= 0
        assert ranks[-1] <= 1


def test_a_column_that_is_always_the_same_changes_no_scale():
    """Though the mean of many 0.1 is not quite 0.1."""
    for n in range(5, 60):
        X = np.column_stack([np.arange(n), np.full(n, 0.1), np.arange(n) % 2])
        scaler = FeatureScaler(["auto", "auto", "category"], [[2]])
        assert scaler.fit(X).factor_[2] == pytest.approx(1)
        assert scaler.fit_tallies([tally_of(column) for column in X.T]).factor_[2] == pytest.approx(
            1
        )


def test_no_numbers_at_all():
    tally = tally_of(np.array([np.nan, np.inf, -np.inf]))
    assert tally.n == len(tally) == 0
    assert scale_of(tally, "auto").spread == 0
    same_tally(put_together([tally, tally_of(np.array([2.0])), tally]), tally_of(np.array([2.0])))


def test_zeros_are_one_number():
    assert len(tally_of(np.array([0.0, -0.0]))) == 1


@pytest.mark.parametrize("weight", ["equal", "learned"])
def test_tables_of_many_rows(monkeypatch, weight):
    """What is learnt by tallies is near what is learnt row by row."""
    table = raw_table(3000, 1)
    table["x"] = np.random.default_rng(2).normal(size=3000)
    few = TableEncoder(dates="parts", weight=weight).fit(table)
    monkeypatch.setattr(scaling, "MANY_ROWS", 2000)
    many = TableEncoder(dates="parts", weight=weight).fit(table)
    assert many.verdicts_ == few.verdicts_
    assert set(many.far_off_) == set(few.far_off_)
    assert many.far_off_["visits"] == [100_000.0]
    for name in ("low_", "high_", "far_low_", "far_high_"):
        np.testing.assert_array_equal(getattr(many.scaler_, name), getattr(few.scaler_, name))
    rows = np.asarray(few.transform(table)), np.asarray(many.transform(table))
    np.testing.assert_allclose(*rows, rtol=1e-9 if weight == "equal" else 0.2, atol=1e-9)
    for one, other in zip(few.columns_, many.columns_, strict=True):
        if weight == "equal" and one["share"] is not None:
            assert one["share"] == pytest.approx(other["share"], rel=0.01)
        assert one["became"] == other["became"]


def test_the_order_of_many_rows_does_not_matter(monkeypatch):
    monkeypatch.setattr(scaling, "MANY_ROWS", 100)
    monkeypatch.setattr(number_tally, "MOST_BINS", 64)
    table = pd.DataFrame(columns(5, 1500)[:, :6], columns=list("abcdef"))
    one = TableEncoder(weight="equal").fit(table)
    other = TableEncoder(weight="equal").fit(table.iloc[::-1])
    for name in ("low_", "high_", "far_low_", "far_high_", "centre_", "factor_"):
        np.testing.assert_array_equal(getattr(one.scaler_, name), getattr(other.scaler_, name))
