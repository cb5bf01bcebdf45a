"""Numbers that are far off: which are, and what they do not change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers.examples import examples
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from agathis import TableEncoder, fit_table
from agathis._columns.column_facts import ColumnFacts
from agathis._columns.datetimes import part_of_numbers
from agathis._columns.identifiers import is_identifier
from agathis._columns.outliers import FAR, outliers
from agathis.export import from_json, to_json


@given(SEEDS, st.integers(12, 300))
def test_far_off_is_what_lies_far_beyond_the_percentiles(seed, n):
    random = np.random.RandomState(seed)
    X = np.exp(random.uniform(0, 3) * random.normal(size=(n, 1)))
    X[random.uniform(size=X.shape) < 0.1] = np.nan
    known = np.sort(X[~np.isnan(X)])
    last = len(known) - 1
    low, high = known[int(np.ceil(0.01 * last))], known[int(np.floor(0.99 * last))]
    room = FAR * (high - low)
    near = known[(known >= low - room) & (known <= high + room)]
    below, above = known[known < low - room], known[known > high + room]
    # A slip stands alone; a tail goes on.
    is_low = len(below) > 0 and near.min() - below.max() > room / 2
    is_high = len(above) > 0 and above.min() - near.max() > room / 2
    expected = [
        high > low and bool((is_low and x < low - room) or (is_high and x > high + room))
        for x in X[:, 0]
    ]
    np.testing.assert_array_equal(outliers(X)[:, 0], expected)


def test_a_column_that_hardly_varies_has_nothing_far_off():
    X = np.zeros((200, 1))
    X[7] = 1
    assert not outliers(X).any()


def birds(seed, n=120):
    random = np.random.RandomState(seed)
    big = random.randint(2, size=n)
    return pd.DataFrame(
        {
            "number": np.arange(1, n + 1),
            "wing": 190 + 25 * big + random.normal(0, 6, n),
            "mass": 3600 + 1400 * big + random.normal(0, 250, n),
            "bill": 40 + 8 * big + random.normal(0, 2, n),
            "eggs": random.randint(1, 5, n),
            "year": random.choice([2007, 2008, 2009], n),
            "month": random.randint(1, 13, n),
        }
    )


def with_error(frame, column, row):
    out = frame.astype({column: float})
    out.loc[row, column] *= 1000
    return out


@examples(10)
@given(SEEDS, st.sampled_from(["wing", "mass", "bill", "eggs"]), st.integers(0, 119))
def test_an_error_changes_the_scale_as_a_gap_does(seed, column, row):
    frame = birds(seed)
    wrong = TableEncoder(weight="equal").fit(with_error(frame, column, row))
    gap = frame.astype({column: float})
    gap.loc[row, column] = np.nan
    empty = TableEncoder(weight="equal").fit(gap)
    assert wrong.feature_names_ == empty.feature_names_
    assert wrong.outliers_ == {column: [1000 * frame.loc[row, column]]}
    np.testing.assert_allclose(wrong.scaler_.centre_, empty.scaler_.centre_)
    np.testing.assert_allclose(wrong.scaler_.factor_, empty.scaler_.factor_)
    rows = wrong.transform(with_error(frame, column, row))
    place = wrong.feature_names_.index(column)
    assert rows[row, place] == rows[:, place].max()
    assert np.isfinite(rows).all()
    assert np.abs(rows).max() < 10


@pytest.mark.parametrize("column", ["number", "year", "month"])
def test_an_error_makes_no_quantity_of_what_names_rows_or_says_when(column):
    frame = birds(0)
    names = TableEncoder().fit(frame).feature_names_
    assert column not in names
    assert TableEncoder().fit(with_error(frame, column, 33)).feature_names_ == names


def test_what_is_merely_outside_is_a_quantity():
    assert part_of_numbers("month", np.array([1.0, 5, 12, 13, 14])) is None
    values = pa.array([*range(1, 60), 61])
    assert not is_identifier("score", ColumnFacts(values))


@examples(5)
@given(SEEDS, st.sampled_from(["wing", "mass", "eggs"]), st.integers(0, 119))
def test_rules_send_an_error_where_the_model_sends_it(seed, column, row):
    wrong = with_error(birds(seed), column, row)
    model = fit_table(wrong, 3, search_effort=1, random_state=0)
    labels = model.predict(wrong)
    np.testing.assert_array_equal(labels, model[-1].labels_)
    np.testing.assert_array_equal(from_json(to_json(model)).predict(wrong), labels)


def test_a_note_names_outliers():
    encoder = TableEncoder().fit(with_error(birds(0), "eggs", 5))
    value = encoder.outliers_["eggs"][0]
    told = [str(note) for note in encoder.notes()]
    text = f"Outliers are clipped and do not affect the scale: eggs ({value:.0f}) (scale='standard'"
    assert any(line.startswith(text) for line in told)
    assert TableEncoder(scale="standard").fit(with_error(birds(0), "eggs", 5)).outliers_ == {}
