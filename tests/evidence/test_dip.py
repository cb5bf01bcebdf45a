"""The dip, its p-values and the comparison with copies."""

import numpy as np
import pytest
from helpers.evidence_reference import dip as reference
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from agathis._evidence.dip_quantiles import QUANTILES, TAILS
from agathis._evidence.dip_test import dip, dip_pvalue, dip_quantiles, permutation_pvalue
from agathis._evidence.power import detectable
from agathis._evidence.recorded_steps import recorded_step, spread


@examples(60)
@given(
    st.one_of(
        st.lists(st.integers(0, 6), min_size=1, max_size=12),
        st.lists(st.floats(-5, 5).map(lambda x: round(x, 2)), min_size=2, max_size=10),
    )
)
def test_dip_is_the_distance_from_one_mode(values):
    assert dip(np.array(values, dtype=float)) == pytest.approx(reference(values), abs=1e-7)


@pytest.mark.parametrize("n", [4, 11, 200])
def test_known_dips(n):
    """Equal distances are as unimodal as any rows; two distant halves are as far as any."""
    even = np.arange(float(n))
    assert dip(even) == pytest.approx(1 / (2 * n))
    apart = np.concatenate([np.zeros(n), np.ones(n)]) + 1e-9 * np.tile(even, 2)
    assert dip(apart) == pytest.approx(0.25, abs=1 / n)


@examples(40)
@given(st.integers(0, 1000), st.floats(0.1, 50), st.floats(-9, 9))
def test_dip_has_no_unit_and_no_direction(seed, scale, shift):
    values = np.random.default_rng(seed).normal(size=60)
    assert dip(scale * values + shift) == pytest.approx(dip(values))
    assert dip(-values) == pytest.approx(dip(values))


@pytest.mark.parametrize("n", [20, 64, 3000])
def test_pvalues_of_uniform_rows_are_uniform(n):
    random = np.random.default_rng(n)
    pvalues = np.array([dip_pvalue(random.random(n)) for _ in range(400)])
    for level in (0.02, 0.1, 0.5):
        # Five standard deviations.
        assert abs(np.mean(pvalues <= level) - level) < 5 * np.sqrt(level * (1 - level) / 400)


def test_quantiles_are_those_of_the_paper():
    """Hartigan and Hartigan (1985), table 1, for samples of 20, 50, 100 and 200."""
    published = {20: 0.1055, 50: 0.0702, 100: 0.0508, 200: 0.0365}
    for n, value in published.items():
        assert dip_quantiles(n)[TAILS.index(0.05)] == pytest.approx(value, rel=0.02)
    rows = np.array(list(QUANTILES.values()))
    assert (np.diff(rows, axis=1) > 0).all()


def test_two_modes_are_seen():
    random = np.random.default_rng(0)
    assert dip_pvalue(np.concatenate([random.normal(size=80), random.normal(6, 1, 80)])) < 0.001
    assert dip_pvalue(random.normal(size=160)) > 0.5


def test_copies_tell_categories_that_go_together_from_those_that_do_not():
    random = np.random.RandomState(0)
    group = random.randint(2, size=200)

    def columns(agree):
        return [
            np.where(random.random_sample(200) < agree, group, random.randint(2, size=200)) * 1.0
            for _ in range(6)
        ]

    numbers = 0.1 * random.normal(size=200)
    assert permutation_pvalue(numbers, columns(0.9), random) < 0.01
    independent = [permutation_pvalue(numbers, columns(0.0), random) for _ in range(100)]
    assert np.mean(np.array(independent) <= 0.1) < 0.25
    assert min(independent) > 1 / 800


def test_recorded_steps():
    random = np.random.default_rng(0)
    assert recorded_step(np.round(random.normal(170, 10, 300))) == 1
    assert recorded_step(np.round(random.normal(size=300), 1)) == pytest.approx(0.1)
    heights = 2.54 * np.arange(50, 80)
    assert recorded_step(heights) == pytest.approx(2.54)
    assert recorded_step(random.normal(size=300)) < 0.01
    assert recorded_step(np.array([np.nan, 5.0])) == 0
    # Salaries to the thousand, but for a few.
    salaries = np.append(1000 * random.integers(20, 90, 300), [31_250, 44_444])
    assert recorded_step(salaries.astype(float)) == 1000
    moved = spread(np.zeros((50, 2)), np.array([2.0, 0.0]), np.random.RandomState(0))
    assert np.abs(moved[:, 0]).max() <= 1
    assert moved[:, 0].std() > 0.3
    assert not moved[:, 1].any()


def test_rounded_numbers_have_no_modes_of_their_own():
    random = np.random.RandomState(1)
    values = np.round(random.normal(size=2000) * 2)[:, None]
    assert dip_pvalue(values[:, 0]) < 0.001
    steps = np.array([recorded_step(values[:, 0])])
    assert dip_pvalue(spread(values, steps, random)[:, 0]) > 0.3


def test_more_rows_show_closer_and_smaller_groups():
    found = [detectable(n) for n in (60, 300, 2000, 10_000)]
    assert detectable(39) == (None, None)
    assert found == sorted(found, reverse=True)
    distance, fraction = detectable(1000)
    assert 3 < distance < 4.5
    assert 0.04 < fraction < 0.1
