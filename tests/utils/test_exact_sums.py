"""Exact sums beside sums of fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as numbers

from agathis._utils.exact_sums import exact_sum, exact_sums

FLOATS = st.floats(-1e300, 1e300, allow_nan=False, allow_infinity=False)


@given(numbers.arrays(np.float64, st.tuples(st.integers(0, 9), st.integers(1, 3)), elements=FLOATS))
@examples(200)
def test_sums_are_those_of_fractions(values):
    expected = [sum(map(Fraction, column.tolist()), Fraction(0)) for column in values.T]
    assert exact_sums(values) == expected


@pytest.mark.slow
def test_many_rows():
    """More than are summed at a time."""
    values = np.random.default_rng(0).normal(size=600_000) * 1e9
    expected = sum(map(Fraction, values.tolist()), Fraction(0))
    assert exact_sums(values[:, None]) == [expected]
    assert exact_sum(values) == exact_sum(values[::-1]) == float(expected)
