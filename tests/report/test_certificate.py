"""What the page says of the best tree of the same size: it is true, and in words."""

import copy
import re
from functools import cache

import numpy as np
import pytest
from helpers.examples import examples
from helpers.search_problems import category_columns
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from agathis import Kauri
from agathis.export import from_json, to_json
from agathis.report import _quality, summarise
from agathis.report._page import render

IRIS, WINE = load_iris().data, minmax_scale(load_wine().data)


def sentence(summary) -> str:
    """What stands beside the heading, without marks."""
    (found,) = re.findall(r"Optimality gap</dt>(.*?)</dd>", render(summary), re.S)
    return " ".join(re.sub(r"<[^>]*>", "", found).replace("\N{NO-BREAK SPACE}", " ").split())


def test_a_proven_tree_is_called_the_best():
    model = Kauri(3, max_leaf_nodes=3, search="local").fit(IRIS)
    summary = summarise(model, IRIS)
    assert summary["quality"]["gap"] == pytest.approx(0, abs=1e-9)
    assert sentence(summary) == "optimal: no tree with 3 leaves explains more"


def test_another_is_told_how_much_better_the_best_one_is():
    model = Kauri(3, max_leaf_nodes=3).fit(WINE)
    best = Kauri(3, search="optimal").fit(WINE)
    summary = summarise(model, WINE)
    gap = summary["quality"]["gap"]
    assert gap == pytest.approx(1 - best.inertia_ / model.inertia_, rel=1e-5)
    words = re.fullmatch(
        r"no tree with 3 leaves lowers the cost by more than (.*) %", sentence(summary)
    )
    assert gap <= float(words[1]) / 100 < gap + 0.001


@cache
def iris_summary():
    return summarise(Kauri(3, max_leaf_nodes=4).fit(IRIS[::5]), IRIS[::5])


@given(st.floats(1e-5, 0.49))
@examples(20)
def test_a_share_is_rounded_up(gap):
    summary = copy.deepcopy(iris_summary())
    summary["quality"]["gap"] = gap
    (percent,) = re.findall(r"by more than (\S+) %", sentence(summary))
    assert gap <= float(percent) / 100 + 1e-12
    assert float(percent) / 100 < gap + (0.001 if gap < 0.0985 else 0.01) + 1e-12


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans(), st.booleans())
@examples(30)
def test_no_tree_is_better_than_the_page_says(seed, n_clusters, categories, pairs):
    random = np.random.RandomState(seed)
    X, groups = random.normal(size=(30, 2)), None
    if categories:
        own = category_columns(random, 30, 4, False)
        groups = [list(range(2, 2 + own.shape[1]))]
        X = np.hstack([X, own])
    split = {"split": "pair"} if pairs else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agathis._search.tree_search.PAIR_PRICE", 0.0)
        model = Kauri(n_clusters, max_leaf_nodes=n_clusters, one_hot=groups, **split).fit(X)
        # To grow trees anew takes long, and says nothing of this one.
        patch.setattr(_quality, "stability", lambda *_: None)
        patch.setattr(_quality, "more_leaves", lambda *_: ([], None))
        gap = summarise(model, X)["quality"]["gap"]
        # A file keeps the groups of categories and the kind of splits.
        assert summarise(from_json(to_json(model)), X)["quality"]["gap"] == gap
        # Trees of the kind that the model may be.
        best = Kauri(n_clusters, max_leaf_nodes=n_clusters, one_hot=groups, search="local", **split)
        best.fit(X)
    gap = 1.0 if gap is None else gap
    assert model.inertia_ * (1 - gap) <= best.inertia_ * (1 + 1e-6)
