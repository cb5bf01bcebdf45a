"""Pipelines of raw tables: thresholds are short in raw units, and all ask for the same number."""

import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.rounding import rounded_model
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from agathis import Kauri, TableEncoder, fit_table, refine
from agathis._checks.roles import EncodedRows, FeatureRoles, Units
from agathis._rules.described_tree import in_units
from agathis._rules.short_thresholds import ThresholdIntervals, short_thresholds
from agathis.baselines import IMM
from agathis.export import from_json, to_json, to_python, to_rules, to_sql

SEEDS = st.integers(0, 2**32 - 1)


def table(seed: int, n: int = 60) -> pd.DataFrame:
    random = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "x": np.round(random.lognormal(3, 1, n), 3),
            "y": random.normal(size=n) * 10.0 ** random.randint(-6, 7),
            "whole": random.poisson(3, n),
            "c": random.choice(list("abc"), n),
        }
    )


def raw_splits(model) -> dict[str, list[float]]:
    """The thresholds of numbers, in the units of the table."""
    tree = in_units(model).tree
    out: dict[str, list[float]] = {}
    for node in np.flatnonzero(~tree.is_leaf & (np.diff(tree.term_start) == 0)):
        name = model[0].feature_names_[tree.feature[node]]
        # What parts known values from missing ones is infinite.
        if name in ("x", "y", "whole") and np.isfinite(tree.threshold[node]):
            out.setdefault(name, []).append(float(tree.threshold[node]))
    return out


def at_thresholds(model, frame: pd.DataFrame, random: np.random.RandomState) -> pd.DataFrame:
    """Rows at each threshold, a little beside it, and far beyond all that was seen."""
    rows = frame.sample(200, replace=True, random_state=random).reset_index(drop=True)
    for name, cuts in raw_splits(model).items():
        size = frame[name].abs().max()
        near = [cut + shift for cut in cuts for shift in (0, -1e-6 * size, 1e-6 * size)]
        far = [-1e3 * size, 1e3 * size, *random.uniform(-2 * size, 2 * size, 20)]
        rows[name] = random.choice([*near, *far, *frame[name]], len(rows))
    return rows


@examples(40)
@given(SEEDS, st.sampled_from(["auto", "log", "rank", "minmax", "none"]), st.booleans())
def test_predict_uses_the_short_thresholds_of_a_pipeline(seed, scale, gaps):
    random = np.random.RandomState(seed)
    frame = table(seed)
    if gaps:
        frame.loc[random.rand(len(frame)) < 0.1, "x"] = np.nan
    model = make_pipeline(TableEncoder(scale=scale), Kauri(3, max_leaf_nodes=6)).fit(frame)
    np.testing.assert_array_equal(model.predict(frame), model[-1].labels_)
    read, scope = from_json(to_json(model)), {}
    exec(to_python(model), scope)
    for rows in (frame, at_thresholds(model, frame, random)):
        expected = model.predict(rows)
        np.testing.assert_array_equal(read.predict(rows), expected)
        result = [scope["cluster_of"](row) for row in rows.to_dict("records")]
        np.testing.assert_array_equal(result, expected)
    cuts = [cut for own in raw_splits(model).values() for cut in own]
    assert np.mean([digits_of(cut) for cut in cuts] or [1]) < 6
    if scale in ("minmax", "none"):
        # No value is held, so that nothing shorter parts the rows.
        result = rounded_model(model, frame)
        np.testing.assert_array_equal(read.tree_.threshold, result.tree_.threshold)


@examples(40)
@given(
    SEEDS,
    st.sampled_from(["auto", "log", "rank", "none"]),
    st.lists(st.integers(0, 60), max_size=5).map(sorted),
)
def test_partitions_give_the_intervals_of_all_rows(seed, scale, ends):
    """Parts may be empty, and tell the same whatever their number."""
    frame = table(seed)
    frame.loc[np.random.RandomState(seed).rand(len(frame)) < 0.1, "x"] = np.nan
    encoder = TableEncoder(scale=scale).fit(frame)
    raw = encoder.encode(frame).X
    rows = encoder.scaled(raw)
    # As it is grown, before anything is short.
    long = Kauri(3, max_leaf_nodes=6).fit(np.asarray(rows)).tree_
    expected, meant = short_thresholds(long, np.asarray(rows), rows.units)
    units = in_units(long, encoder).tree
    parts = [
        ThresholdIntervals.of(long, units, encoder.scaler_, part) for part in np.split(raw, ends)
    ]
    rooms = parts[0]
    for part in parts[1:]:
        rooms = rooms.within(part)
    np.testing.assert_array_equal(rooms.n_rows[long.is_leaf], long.n_node_samples[long.is_leaf])
    result, messages = rooms.short_thresholds(long, units, encoder)
    np.testing.assert_array_equal(result.threshold, expected.threshold)
    assert messages == meant


def digits_of(value: float) -> int:
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


@pytest.mark.parametrize("scale", ["auto", "standard"])
def test_no_threshold_is_among_clipped_values(scale):
    """A threshold far below where values are held would be none to ``predict``."""
    random = np.random.RandomState(0)
    values = np.concatenate([random.normal(size=400), np.full(3, -9.0), [-8.5, -8.0]])
    frame = pd.DataFrame({"a": values, "b": np.where(values < -7, 50.0, 0) + random.rand(405)})
    model = make_pipeline(
        TableEncoder(scale=scale, weight="equal", no_split=["b"]), Kauri(2, max_leaf_nodes=2)
    ).fit(frame)
    rows = pd.DataFrame({"a": np.linspace(-20, 5, 500), "b": 0.0})
    np.testing.assert_array_equal(from_json(to_json(model)).predict(rows), model.predict(rows))


def test_every_export_is_short():
    """As with ``fit_table``, so by hand: no digits that mean nothing."""
    frame = pd.DataFrame({"a": [0.1, 0.3, 0.7, 2.9, 3.1, 3.3], "b": [7, 8, 7, 50, 41, 60]})
    by_hand = make_pipeline(TableEncoder(), Kauri(2, max_leaf_nodes=2)).fit(frame)
    for model in (by_hand, fit_table(frame, 2), refine(by_hand, frame)):
        assert '"a" <= 2 OR "a" IS NULL' in to_sql(model)
        assert to_rules(model)[0]["rule"] == "a <= 2"
    rival = make_pipeline(TableEncoder(), IMM(2, random_state=0)).fit(frame)
    assert all(digits_of(cut) == 1 for own in raw_splits(rival).values() for cut in own)


def test_whatever_happens_to_the_pipeline(tmp_path):
    frame = table(1)
    model = make_pipeline(TableEncoder(), Kauri(3, max_leaf_nodes=6)).fit(frame)
    cached = make_pipeline(TableEncoder(), Kauri(3, max_leaf_nodes=6), memory=str(tmp_path))
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(frame), cached.fit(frame)):
        assert to_sql(other) == to_sql(model)
    # A second time the rows come from a file.
    assert to_sql(clone(cached).fit(frame)) == to_sql(model)


def test_another_encoder_is_believed_before_the_memory_of_the_model():
    """A threshold that was meant for other steps is not told."""
    frame = table(2)
    model = make_pipeline(TableEncoder(), Kauri(3, max_leaf_nodes=6)).fit(frame)
    other = make_pipeline(TableEncoder(scale="minmax").fit(frame), model[-1])
    np.testing.assert_array_equal(from_json(to_json(other)).predict(frame), other.predict(frame))


def test_rows_without_units_are_left_alone():
    X = np.random.RandomState(0).rand(30, 2)
    model = Kauri(2, max_leaf_nodes=None).fit(X)
    assert model.raw_thresholds_ == {}
    assert short_thresholds(model.tree_, np.asarray(X), None) == (model.tree_, {})


def test_units_stay_with_picked_rows():
    raw = np.arange(8.0).reshape(4, 2)
    rows = EncodedRows.of(raw * 2, FeatureRoles.plain(2), Units("encoder", raw))
    np.testing.assert_array_equal(rows[1:3].units.raw, raw[1:3])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(rows)).units.raw, raw)
    assert rows[:, :1].units is None
    assert (rows + 1).units is None
    assert rows.T.units is None
