"""Clusters that are the values of a column, and advice to leave a column out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri, TableEncoder, fit_table
from agathis._encoding.values_as_groups import information, notes_on_values
from agathis._fit_table import prepare


def notes_of(table: pd.DataFrame, k: int, **options) -> tuple[list, np.ndarray]:
    prepared = prepare(table, TableEncoder(**options))
    model = Kauri(k, random_state=0, search_effort=4).fit(prepared.X)
    return prepared.notes_on(model), model.labels_


def staff(n: int = 300) -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "status": np.where(random.random(n) < 0.3, "left", "active"),
            "sex": random.choice(["f", "m"], n),
            "pay": random.normal(40, 2, n),
            "age": random.normal(40, 9, n),
        }
    )


def test_clusters_that_are_the_values_of_a_column():
    table = staff()
    (note,) = notes_of(table, 2, drop=["sex"], weight={"status": 5})[0]
    assert note.doubtful
    assert str(note) == (
        "The clusters are the values of status (agreement 1.00): target='status' compares them "
        "with other groups, drop=['status'] finds groups without it."
    )
    notes, _ = notes_of(table, 2, drop=["status", "sex"])
    assert not any("are the values of" in str(one) for one in notes)


def test_clusters_that_are_the_cross_of_two_columns():
    notes, _ = notes_of(staff(), 4, weight={"status": 9, "sex": 9})
    assert "The clusters are the values of sex and status" in str(notes[0])
    assert "drop=['sex', 'status'] finds groups without them." in str(notes[0])


def test_numbers_are_no_values():
    x = np.arange(100.0)
    assert notes_on_values(x > 50, x[:, None], {"x": np.array([0])}, ["x"]) == []


@pytest.mark.parametrize("seed", range(5))
def test_information_is_that_of_scikit_learn(seed):
    from sklearn.metrics import normalized_mutual_info_score

    random = np.random.default_rng(seed)
    one, other = random.integers(0, 4, (2, 50))
    assert information(one, other) == pytest.approx(normalized_mutual_info_score(one, other))


@pytest.mark.parametrize("seed", range(3))
def test_no_advice_that_harms(seed):
    """Three groups by age and spending, related, but not linearly: both columns are needed."""
    random = np.random.default_rng(seed)
    group = np.arange(1200) % 3
    table = pd.DataFrame(
        {
            "Alter": np.array([25, 45, 65])[group] + random.normal(0, 4, 1200),
            "Ausgaben": np.array([300, 900, 300])[group] + random.normal(0, 80, 1200),
            "Besuche": random.poisson(5, 1200),
            "Entfernung": random.gamma(2, 5, 1200),
            "Newsletter": random.choice(["ja", "nein"], 1200),
        }
    )
    prepared = prepare(table, TableEncoder())
    model = fit_table(table, 3, random_state=0)
    assert adjusted_rand_score(group, model.predict(table)) > 0.8
    assert not any("drop=" in str(note) for note in prepared.notes_on(model[-1]))


def test_no_advice_in_a_table_of_two_columns():
    random = np.random.default_rng(0)
    group = np.arange(300) % 3
    table = pd.DataFrame(
        {
            "x": np.array([0, 0, 5])[group] + random.normal(size=300),
            "y": np.array([0, 6, 0])[group] + random.normal(size=300),
        }
    )
    assert notes_of(table, 3)[0] == []
