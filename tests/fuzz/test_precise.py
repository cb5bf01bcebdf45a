"""The judge of random problems: it notices what is off by more than the documentation allows."""

import all_trees
import numpy as np
import precise
import problems
import pytest

from agathis import Kauri

CASE = {"kernel": "linear", "gamma": None, "n_clusters": 3, "limits": {}}


@pytest.fixture
def X():
    return np.random.default_rng(3).normal(size=(9, 2))


def fitted(X, weight=None, **params) -> Kauri:
    return Kauri(3, kernel="linear", engine="gram", **{"max_leaf_nodes": None, **params}).fit(
        X, sample_weight=weight
    )


def judged(model, X, weight=None) -> str | None:
    return problems._judge(CASE, model, X, None, weight, {})


@pytest.mark.parametrize("weight", [None, 10.0 ** np.arange(-4, 5)])
def test_a_wrong_gain_is_noticed(X, weight):
    model = fitted(X, weight)
    assert judged(model, X, weight) is None
    form, counted, rounding = problems._measures(CASE, X, None, weight)
    found = precise.growth(model.tree_, X, all_trees.left_sides(X), form, counted, 3, {}, rounding)
    cuts = np.flatnonzero(model.tree_.children_left >= 0)
    cuts = cuts[np.argsort(model.tree_.children_left[cuts])]
    for cut, off in zip(cuts, found.off, strict=True):
        gain = model.tree_.gain.copy()
        for times, right in ((0.5, True), (2.0, False)):
            model.tree_.gain[cut] = gain[cut] + times * off
            assert (judged(model, X, weight) is None) == right
        model.tree_.gain[cut] = gain[cut]


def test_a_better_cut_that_was_missed_is_noticed(X):
    assert judged(fitted(X, split_features=[0]), X).startswith("missed a better cut")


def test_growth_that_stops_early_is_noticed(X):
    assert judged(fitted(X, max_leaf_nodes=2), X).startswith("stops early")


def test_half_a_tolerance_where_no_cluster_is_light():
    rounding = precise.Rounding(5, 2, 5.0, spread=3.0, lost=4.0, written=1e-16)
    assert rounding.off(np.array(2.5)) == pytest.approx(rounding.tolerance / 2, rel=0.1)
    light = rounding.off(np.array([1e-6, 1e-5]))
    assert light[0] == pytest.approx(10 * light[1], rel=1e-2)
    assert light[1] > 1e3 * rounding.tolerance
