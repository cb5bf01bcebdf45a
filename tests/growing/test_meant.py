"""Cells that cannot be meant: trees of what was meant, and rows that go down them as they are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from helpers.examples import examples
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from agathis import Kauri, Tree, refine
from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._growing.meant import meant_of, of_copies, of_originals, with_copies


def some_rows(seed, n=60, d=4, share=0.03):
    """Rows that know what some of their cells were meant to be, and these as they were meant."""
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, d)) + 4 * random.randint(3, size=(n, 1))
    X -= X.mean(axis=0)
    cells = random.uniform(size=X.shape) < share
    cells[random.randint(n), random.randint(d)] = True
    wrong = np.where(cells, 9 + random.uniform(size=X.shape), X)
    return EncodedRows.of(wrong, FeatureRoles.plain(d), np.where(cells, X, np.nan)), X


def same_tree(one: Tree, other: Tree) -> None:
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_allclose(one.threshold, other.threshold)
    np.testing.assert_array_equal(one.cluster, other.cluster)
    assert one.n_features == other.n_features


def cuts_of(tree: Tree) -> list[tuple[int, float]]:
    inner = ~tree.is_leaf
    return sorted(zip(tree.feature[inner].tolist(), tree.threshold[inner].tolist(), strict=True))


def objective_of(points, labels):
    sums = np.array([points[labels == c].sum(axis=0) for c in range(labels.max() + 1)])
    return ((sums**2).sum(axis=1) / np.bincount(labels)).sum()


@examples(20)
@given(SEEDS, st.integers(2, 5), st.sampled_from(["auto", "gram", "blocks", "features"]))
def test_the_tree_is_that_of_what_was_meant_and_rows_go_as_they_are(seed, k, engine):
    rows, meant = some_rows(seed)
    limits = {"max_leaf_nodes": k + 1, "min_samples_leaf": 8}
    model = Kauri(k, engine=engine, **limits).fit(rows)
    twin = Kauri(k, engine=engine, **limits).fit(meant)
    labels = twin.tree_.predict(np.asarray(rows))
    np.testing.assert_array_equal(
        np.bincount(model.tree_.apply(np.asarray(rows)), minlength=model.tree_.node_count),
        np.where(model.tree_.is_leaf, model.tree_.n_node_samples, 0),
    )
    assert model.tree_.n_node_samples[model.tree_.is_leaf].min() >= 8
    np.testing.assert_array_equal(model.labels_, model.predict(np.asarray(rows)))
    if min(np.bincount(twin.tree_.apply(np.asarray(rows)))[twin.tree_.is_leaf]) >= 8:
        np.testing.assert_array_equal(model.labels_, labels)
        assert cuts_of(model.tree_) == cuts_of(twin.tree_)
    assert model.objective_ == pytest.approx(objective_of(meant, model.labels_))
    assert model.score(rows) == pytest.approx(model.objective_)
    assert model.roles_.is_plain
    assert model.transform(np.asarray(rows)).shape == (len(rows), model.n_clusters_)


def test_where_a_leaf_would_have_no_row_left_conditions_see_cells_as_they_are():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    wrong, meant = X.copy(), np.full(X.shape, np.nan)
    wrong[4], meant[4] = 0.05, 9.0
    model = Kauri(3, search="local", max_leaf_nodes=None).fit(
        EncodedRows.of(wrong, FeatureRoles.plain(1), meant)
    )
    np.testing.assert_array_equal(model.labels_, model.predict(wrong))
    assert model.tree_.n_node_samples.all()
    assert model.objective_ == pytest.approx(objective_of(X, model.labels_))
    twin = Kauri(3, search="local", max_leaf_nodes=None).fit(X).tree_
    assert len(np.unique(twin.apply(wrong))) < twin.n_leaves


@pytest.mark.parametrize("more", [{"search": "local"}, {"search": "optimal"}, {"split": "pair"}])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_search_tells_its_tree_in_the_columns_that_there_were(more, seed):
    rows, counted = some_rows(seed)
    model = Kauri(3, **({"search": "local", "max_leaf_nodes": None} | more), random_state=0).fit(
        rows
    )
    assert model.tree_.n_features == rows.shape[1]
    np.testing.assert_array_equal(model.labels_, model.predict(np.asarray(rows)))
    assert model.objective_ == pytest.approx(objective_of(counted, model.labels_))
    assert model.score(rows) == pytest.approx(model.objective_)


def test_a_tree_to_begin_with_is_one_of_the_columns_that_there_were():
    rows, _ = some_rows(3)
    first = Kauri(3, max_leaf_nodes=None).fit(rows)
    again = Kauri(3, search="local", max_leaf_nodes=None).fit(rows, start=first)
    assert again.objective_ >= first.objective_ - 1e-9
    assert refine(first, rows).objective_ >= first.objective_ - 1e-9


@given(SEEDS)
@examples(20)
def test_copies_and_back_is_the_same_tree(seed):
    rows, _ = some_rows(seed)
    tree = Kauri(4, max_leaf_nodes=None).fit(np.asarray(rows)).tree_
    wide, roles, copied = with_copies(np.asarray(rows), rows.roles, rows.meant)
    there = of_copies(tree, copied)
    np.testing.assert_array_equal(there.predict(wide), tree.predict(np.asarray(rows)))
    back, plain = of_originals(there, roles, copied)
    same_tree(back, tree)
    assert plain.is_plain


def test_what_was_meant_stays_with_rows_that_are_picked_and_with_nothing_else():
    rows, _ = some_rows(0)
    some = np.array([5, 3, 50])
    np.testing.assert_array_equal(rows[some].meant, rows.meant[some])
    np.testing.assert_array_equal(rows[10:].meant, rows.meant[10:])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(rows)).meant, rows.meant)
    for other in (rows[:, :2], rows[:, ::-1], np.take(rows, some, axis=0), rows + 1, rows.T):
        assert meant_of(other) is None
    assert meant_of(np.asarray(rows)) is None


def test_what_no_kernel_sees_is_cut_as_it_is():
    rows, _ = some_rows(2)
    model = Kauri(3, kernel_features=[0, 1], max_leaf_nodes=None).fit(rows)
    twin = Kauri(3, kernel_features=[0, 1], max_leaf_nodes=None).fit(
        EncodedRows.of(np.asarray(rows), rows.roles, np.where([1, 1, 0, 0], rows.meant, np.nan))
    )
    same_tree(model.tree_, twin.tree_)
    np.testing.assert_array_equal(model.labels_, model.predict(np.asarray(rows)))
