"""Cells that conditions see and the kernel does not, against kernel matrices without them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from helpers.examples import examples
from helpers.invariants import valid_tree
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri, Tree, refine
from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._growing.uncounted import of_copies, of_originals, uncounted_of, with_copies


def some_rows(seed, n=60, d=4, share=0.03):
    """Rows that know which of their cells do not count, and what the kernel sees of them."""
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, d)) + 4 * random.randint(3, size=(n, 1))
    X -= X.mean(axis=0)
    cells = random.uniform(size=X.shape) < share
    cells[random.randint(n), random.randint(d)] = True
    X = np.where(cells, 9 + random.uniform(size=X.shape), X)
    return EncodedRows.of(X, FeatureRoles.plain(d), cells), np.where(cells, 0.0, X)


def same_tree(one: Tree, other: Tree) -> None:
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_allclose(one.threshold, other.threshold)
    np.testing.assert_array_equal(one.cluster, other.cluster)
    assert one.n_features == other.n_features


@examples(20)
@given(SEEDS, st.integers(2, 5), st.sampled_from(["auto", "gram", "blocks", "features"]))
def test_the_tree_is_that_of_a_kernel_without_these_cells(seed, k, engine):
    rows, counted = some_rows(seed)
    model = Kauri(k, max_leaf_nodes=k + 1, engine=engine).fit(rows)
    twin = Kauri(k, max_leaf_nodes=k + 1, kernel="precomputed")
    twin.fit(np.asarray(rows), gram=counted @ counted.T)
    # Where two columns cut the same rows off, a copy comes after the others.
    assert adjusted_rand_score(model.labels_, twin.labels_) == 1
    np.testing.assert_allclose(np.sort(model.tree_.gain), np.sort(twin.tree_.gain), atol=1e-9)
    valid_tree(model.tree_, rows, model.labels_, n_clusters=k, max_leaf_nodes=k + 1)
    assert model.objective_ == pytest.approx(twin.objective_)
    np.testing.assert_array_equal(model.labels_, model.predict(np.asarray(rows)))
    assert model.score(rows) == pytest.approx(model.objective_)
    assert model.roles_.is_plain
    assert model.transform(np.asarray(rows)).shape == (len(rows), model.n_clusters_)


@pytest.mark.parametrize("more", [{"search": "local"}, {"search": "optimal"}, {"split": "pair"}])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_search_tells_its_tree_in_the_columns_that_there_were(more, seed):
    rows, counted = some_rows(seed)
    model = Kauri(3, **({"search": "local"} | more), random_state=0).fit(rows)
    assert model.tree_.n_features == rows.shape[1]
    np.testing.assert_array_equal(model.labels_, model.predict(np.asarray(rows)))
    sums = np.array([counted[model.labels_ == c].sum(axis=0) for c in range(model.n_clusters_)])
    sizes = np.bincount(model.labels_)
    assert model.objective_ == pytest.approx(((sums**2).sum(axis=1) / sizes).sum())
    assert model.score(rows) == pytest.approx(model.objective_)


def test_a_tree_to_begin_with_is_one_of_the_columns_that_there_were():
    rows, _ = some_rows(3)
    first = Kauri(3).fit(rows)
    again = Kauri(3, search="local").fit(rows, start=first)
    assert again.objective_ >= first.objective_ - 1e-9
    assert refine(first, rows).objective_ >= first.objective_ - 1e-9


@given(SEEDS)
@examples(20)
def test_copies_and_back_is_the_same_tree(seed):
    rows, _ = some_rows(seed)
    tree = Kauri(4).fit(np.asarray(rows)).tree_
    wide, roles, copied = with_copies(np.asarray(rows), rows.roles, rows.uncounted)
    there = of_copies(tree, copied)
    np.testing.assert_array_equal(there.predict(wide), tree.predict(np.asarray(rows)))
    back, plain = of_originals(there, roles, copied)
    same_tree(back, tree)
    assert plain.is_plain


def test_cells_stay_with_rows_that_are_picked_and_with_nothing_else():
    rows, _ = some_rows(0)
    some = np.array([5, 3, 50])
    np.testing.assert_array_equal(rows[some].uncounted, rows.uncounted[some])
    np.testing.assert_array_equal(rows[10:].uncounted, rows.uncounted[10:])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(rows)).uncounted, rows.uncounted)
    for other in (rows[:, :2], rows[:, ::-1], np.take(rows, some, axis=0), rows + 1, rows.T):
        assert uncounted_of(other) is None
    assert uncounted_of(np.asarray(rows)) is None


def test_what_no_kernel_sees_is_cut_as_it_is():
    rows, _ = some_rows(2)
    model = Kauri(3, kernel_features=[0, 1]).fit(rows)
    twin = Kauri(3, kernel_features=[0, 1]).fit(
        EncodedRows.of(np.asarray(rows), rows.roles, rows.uncounted & np.array([1, 1, 0, 0]) > 0)
    )
    same_tree(model.tree_, twin.tree_)
    np.testing.assert_array_equal(model.labels_, model.predict(np.asarray(rows)))
