"""From a raw table to a fitted pipeline, in one call."""

import warnings

import numpy as np
import pandas as pd
import pytest
from helpers.examples import mostly_slow
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from agathis import fit_table
from agathis.export import to_rules


@pytest.fixture(scope="module")
def orders():
    random = np.random.RandomState(0)
    group = random.randint(3, size=120)
    return pd.DataFrame(
        {
            "number": [f"A{i:04d}" for i in range(120)],
            "items": 3 * group + random.randint(2, size=120),
            "paid": np.where(group == 2, "yes", "no"),
            "price": 100.0 * group + random.normal(0, 5, 120),
            "kind": np.array(["small", "middle", "large"])[group],
        }
    )


def test_what_is_said_on_the_way(orders, capsys):
    model = fit_table(orders, target="kind", verbose=1)
    said = capsys.readouterr().out
    assert "number" in said
    assert "clusters are suggested" in said
    assert model[-1].n_clusters_ > 1


@pytest.mark.parametrize("search", ["greedy", "local"])
@pytest.mark.parametrize("split", mostly_slow(["axis", "pair"], "pair"))
def test_searches(orders, search, split):
    model = fit_table(orders, 3, target="kind", search=search, split=split)
    assert_array_equal(np.unique(model.predict(orders)), [0, 1, 2])
    assert str(to_rules(model)).count("cluster") == 3


def test_the_optimum_of_numbers(orders):
    model = fit_table(orders[["items", "price"]], 3, search="optimal")
    assert model[-1].is_optimal_
    assert model[-1].n_leaves_ == 3


@pytest.mark.parametrize("kernel", ["chi2", "rbf"])
def test_kernels_and_gaps(orders, kernel):
    table = orders.copy()
    table.loc[::9, "price"] = np.nan
    model = fit_table(table, 3, target="kind", kernel=kernel, gamma=0.5, missing="drop")
    assert model[-1].n_clusters_ == 3
    if kernel == "rbf":
        assert fit_table(table, 3, target="kind", kernel=kernel)[-1].n_components_ is not None


def test_one_cluster_is_a_warning_unless_it_was_asked_for(orders):
    with pytest.warns(UserWarning, match="All rows are in one cluster"):
        fit_table(orders, 3, target="kind", min_samples_leaf=0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit_table(orders, 1, target="kind")[-1].n_clusters_ == 1


def test_errors(orders):
    with pytest.raises(ValueError, match="missing='maybe' must be"):
        fit_table(orders, missing="maybe")
    with pytest.raises(ValueError, match="n_clusters='two' must be a whole number"):
        fit_table(orders, "two")
    with pytest.raises(ValueError, match="target='shade' is no column"):
        fit_table(orders, target="shade")
    with pytest.raises(Exception, match="more than there are rows"):
        fit_table(orders[["items", "price"]][:3], 9)
    with pytest.raises(Exception, match=r"3 rows are too few to suggest .*; n_clusters="):
        fit_table(pd.DataFrame({"a": [1.0, 2.0, 5.0], "b": [3.0, 1.0, 9.0]}))


def test_a_notebook_shows_the_tree_in_the_words_of_the_table(orders):
    model = fit_table(orders, 3, target="kind")
    shown = model._repr_mimebundle_()["text/html"]
    assert "The tree" in shown
    assert any(f"{name} " in shown for name in ("items", "paid", "price"))
    assert "x[" not in shown
    assert "The tree" not in model[:-1]._repr_mimebundle_()["text/html"]
    assert isinstance(clone(model), Pipeline)
