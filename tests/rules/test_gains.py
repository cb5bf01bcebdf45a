"""What splits were worth, in order."""

import numpy as np
import pytest
from helpers.invariants import creation_order
from helpers.plot_trees import MODELS, grown
from helpers.strategies import problems
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis.plot import gain_curve

FOUNDING = {"star": 1, "mixed": 1, "double_star": 2}


@given(grown())
def test_curve_against_the_naive_one(given_tree):
    tree, _ = given_tree
    curve = gain_curve(tree)
    frontier, total = [0], 0.0
    assert curve.objective is None
    assert (curve.gain[0], curve.cumulative[0], curve.node[0]) == (0, 0, -1)
    assert (curve.n_clusters[0], curve.founds[0], curve.move[0]) == (1, False, "leaf")
    for step, node in enumerate(creation_order(tree), start=1):
        before = len({int(tree.cluster[i]) for i in frontier})
        frontier.remove(node)
        frontier += [int(tree.children_left[node]), int(tree.children_right[node])]
        after = len({int(tree.cluster[i]) for i in frontier})
        total += tree.gain[node]
        assert curve.n_leaves[step] == len(frontier) == step + 1
        assert curve.node[step] == node
        assert curve.cumulative[step] == pytest.approx(total)
        assert curve.n_clusters[step] == after
        assert curve.founds[step] == (after > before)
    assert len(curve.n_leaves) == tree.n_leaves


@given(problems())
def test_founding_moves_of_kauri_found_clusters(problem):
    model = problem.fit()
    curve = gain_curve(model)
    new = np.diff(curve.n_clusters, prepend=1)
    assert [FOUNDING.get(move, 0) for move in curve.move] == new.tolist()
    assert curve.objective[-1] == pytest.approx(model.objective_)
    assert curve.n_clusters[-1] == model.n_clusters_


@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_a_tree_with_fewer_leaves_is_the_first_part(load):
    X = load().data
    curve = gain_curve(Kauri(5, max_leaf_nodes=12).fit(X))
    for n_leaves in (2, 5, 9):
        small = Kauri(5, max_leaf_nodes=n_leaves).fit(X)
        np.testing.assert_allclose(gain_curve(small).gain, curve.gain[:n_leaves], rtol=1e-9)
        assert small.objective_ == pytest.approx(curve.objective[n_leaves - 1], rel=1e-9)


@given(grown(), st.floats(0, 1))
def test_leaves_for_a_share(given_tree, share):
    curve = gain_curve(given_tree[0])
    n = curve.leaves_for(share)
    assert curve.cumulative[n - 1] >= share * curve.cumulative[-1]
    assert all(c < share * curve.cumulative[-1] for c in curve.cumulative[: n - 1])


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator(name, iris):
    model = clone(MODELS[name]).fit(iris)
    curve = gain_curve(model)
    assert curve.n_leaves[-1] == model.n_leaves_
    assert curve.n_clusters[-1] == model.n_clusters_
    assert (curve.objective is None) == (name != "Kauri")


def test_errors():
    with pytest.raises(NotFittedError):
        gain_curve(Kauri(3, max_leaf_nodes=None))
    curve = gain_curve(Kauri(1, max_leaf_nodes=None).fit([[0.0], [1.0]]))
    assert curve.n_leaves.tolist() == [1]
    assert curve.leaves_for(1) == 1
    with pytest.raises(ValueError, match="share must be from 0 to 1; it is 95"):
        curve.leaves_for(95)


def test_pipelines(iris):
    pipeline = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=6)).fit(iris)
    result, expected = gain_curve(pipeline), gain_curve(pipeline[-1])
    np.testing.assert_array_equal(result.objective, expected.objective)
    np.testing.assert_array_equal(result.gain, expected.gain)
