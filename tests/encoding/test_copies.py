"""Columns that say the same count once, and are named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from agathis import TableEncoder
from agathis._encoding.copies import copies_of


def people(n: int = 300) -> pd.DataFrame:
    random = np.random.default_rng(0)
    wage = random.lognormal(2, 0.5, n).round(2)
    return pd.DataFrame(
        {
            "wage": wage,
            "age": random.integers(18, 66, n),
            "tenure": random.gamma(2, 4, n).round(1),
            "hours": random.normal(38, 4, n).round(1),
            "town": random.choice(["Ulm", "Jena", "Kiel"], n),
        }
    )


def weights(encoder: TableEncoder) -> dict[str, float]:
    return {row["column"]: row["weight"] for row in encoder.columns_}


COPIES = {
    "logarithm": ("wage", lambda table: np.log(table["wage"])),
    "rounded logarithm": ("wage", lambda table: np.log(table["wage"]).round(4)),
    "square": ("age", lambda table: table["age"] ** 2),
    "other unit": ("hours", lambda table: (table["hours"] * 60).round()),
    "falling": ("tenure", lambda table: 1 / (1 + table["tenure"])),
    "with missing ones": ("age", lambda table: table["age"].where(table["age"] > 20)),
    "code": ("town", lambda table: table["town"].map({"Ulm": "UL", "Jena": "J", "Kiel": "KI"})),
    "number of a name": ("town", lambda table: table["town"].map({"Ulm": 7, "Jena": 2, "Kiel": 4})),
}
OTHERS = {
    "band": lambda table: table["age"] // 10,
    "noisy": lambda table: table["wage"] + np.random.default_rng(1).normal(0, 0.5, 300),
    "part": lambda table: table["town"].map({"Ulm": "south", "Jena": "east", "Kiel": "south"}),
    "scattered": lambda table: table["wage"].where(table["age"] > 30),
}


@pytest.mark.parametrize("case", COPIES)
def test_copies(case):
    original, make = COPIES[case]
    table = people().assign(copy=lambda table: make(table))
    encoder = TableEncoder().fit(table)
    assert copies_of(encoder.families_) == {"copy": original}
    note = f"{original} and copy say the same in other words or units"
    assert any(note in str(one) for one in encoder.notes())
    # The two weigh as much as the original did alone; how much that is does not change others.
    alone, found = weights(TableEncoder().fit(people())), weights(encoder)
    assert found.pop("copy") + found[original] == pytest.approx(alone[original])
    assert {n: w for n, w in found.items() if n != original} == {
        n: w for n, w in alone.items() if n != original
    }


@pytest.mark.parametrize("case", OTHERS)
def test_no_copies(case):
    assert TableEncoder().fit(people().assign(copy=OTHERS[case])).families_ == []


def test_a_family_of_many():
    table = people().assign(
        logwage=lambda t: np.log(t["wage"]), cents=lambda t: t["wage"] * 100, per_day=lambda t:
        t["wage"] * 8
    )  # fmt: skip
    (family,) = TableEncoder().fit(table).families_
    assert family.members == ("wage", "logwage", "cents", "per_day")


def test_answers_that_repeat_one_fact():
    """Five services, and "No internet service" in all of them: that fact counts once."""
    random = np.random.default_rng(2)
    table = people()
    online = random.random(len(table)) < 0.7
    names = [f"online {name}" for name in ("security", "backup", "support", "music", "films")]
    for name in names:
        answer = random.choice(["Yes", "No"], len(table))
        table[name] = np.where(online, answer, "No internet service")
    encoder = TableEncoder().fit(table)
    (family,) = encoder.families_
    assert family.members == tuple(names)
    note = next(one for one in encoder.notes() if "No internet service" in str(one))
    assert note.doubtful
    assert "'No internet service' in the same rows, so that together they count as one" in str(note)
    weight = weights(encoder)
    assert sum(weight[name] for name in names) <= 1
    # Rare answers in the same rows make no family.
    rare = people()
    for name in names:
        answer = random.choice(["Yes", "No", "Perhaps"], len(rare)).astype(object)
        answer[:6] = "skipped"
        rare[name] = answer
    assert TableEncoder().fit(rare).families_ == []


def test_equal_weights_stay_equal():
    table = people().assign(logwage=lambda t: np.log(t["wage"]))
    encoder = TableEncoder(weight="equal").fit(table)
    assert set(encoder.columns_["weight"]) == {1.0}
    assert any(str(one).endswith("in other words or units.") for one in encoder.notes())
