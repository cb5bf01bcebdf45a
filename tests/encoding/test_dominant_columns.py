"""Columns that decide too much are told of, and no others."""

import numpy as np
import pytest
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from agathis import Kauri
from agathis._encoding.dominant_columns import (
    DominantColumn,
    dominant_columns,
    notes_on_dominant_columns,
)


def told(X, n_clusters=3):
    """The columns that are told of; each is a feature."""
    tree = Kauri(n_clusters, max_leaf_nodes=n_clusters).fit(X).tree_
    places = {f"x{f}": np.array([f]) for f in range(X.shape[1])}
    found = dominant_columns(tree, X, places, np.ones(X.shape[1], dtype=bool))
    words = " ".join(map(str, notes_on_dominant_columns(found, X.shape[1])))
    return found, [column for column in places if f"{column} accounts" in words]


@given(seed=SEEDS)
def test_a_column_that_has_nothing_to_do_with_the_others(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 4)) * 0.5
    X[:, 2] = random.choice([-3.0, 0.0, 3.0], 300)  # groups of its own
    found, names = told(X)
    assert found[0].column == "x2"
    assert names == ["x2"]


@given(seed=SEEDS, share=st.sampled_from([0.5, 0.6, 0.8]))
def test_a_column_that_others_follow(seed, share):
    """It makes most of the differences, and yet its groups differ in other columns."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 4)) * 0.5
    X[:, 2] = random.choice([-3.0, 0.0, 3.0], 300)
    X[:, 0] += share * X[:, 2] * 0.4
    found, names = told(X)
    assert found[0].gains > 0.25
    assert found[0].elsewhere > 0.05
    assert names == []


@given(seed=SEEDS)
def test_where_all_columns_of_the_tree_stand_alone_one_is_told_of(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 5)) * 0.3
    X[:, 1] = random.choice([-3.0, 3.0], 300)
    X[:, 3] = random.choice([-3.2, 3.2], 300)
    found, names = told(X, 4)
    assert {one.column for one in found} == {"x1", "x3"}
    assert names == [found[0].column]


@given(seed=SEEDS)
def test_a_coin_among_three_columns(seed):
    """It makes a group where two columns go together, and is told of; these are not."""
    random = np.random.default_rng(seed)
    main = random.normal(size=400)
    coin = random.permutation(np.repeat([-1.0, 1.0], 200))
    # A coin that happens to go with the others is not the subject.
    main -= coin * (coin @ main) / 400
    X = np.stack([main, main, coin], axis=1) + 0.1 * random.normal(size=(400, 3)) * [1, 1, 0]
    found, names = told(X, 4)
    assert "x2" in {one.column for one in found}
    assert names == ["x2"]


def test_a_column_that_others_know_is_no_coin():
    """In its part of the tree it stands alone; over all rows it does not."""
    known = DominantColumn("sex", gains=0.2, alone=0.98, elsewhere=0.013, related=0.28)
    coin = DominantColumn("coin", gains=0.2, alone=0.98, elsewhere=0.013, related=0.004)
    assert [one.is_alone for one in (known, coin)] == [False, True]


def test_shares_are_those_of_the_definition():
    X = np.array([[0.0, 0.0, 5.0], [0.0, 2.0, 5.0], [8.0, 1.0, 6.0], [8.0, 5.0, 6.0]])
    tree = Kauri(2, max_leaf_nodes=2).fit(X).tree_
    places = {"a": np.array([0]), "b": np.array([1]), "c": np.array([2])}
    (one,) = dominant_columns(tree, X, places, np.ones(3, dtype=bool))
    explained = np.array([64.0, 4.0, 1.0])  # between the two sides
    assert one.column == "a"
    assert one.gains == 1.0
    assert one.alone == pytest.approx(64 / explained.sum())
    assert one.elsewhere == pytest.approx(1.0)  # c is what a is, in other numbers
    assert one.related == pytest.approx(1.0)
