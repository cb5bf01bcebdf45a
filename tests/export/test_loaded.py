"""A described model without the way through text: the same as what is read from its JSON."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.exports import RIVALS, SCALERS, names_for, same_arrays, trees
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri
from agathis.export import LoadedTree, from_json, to_json
from agathis.export._loaded import loaded


def check_same(found: LoadedTree, read: LoadedTree, rows: object) -> None:
    """All that a loaded tree knows, and what it predicts."""
    same_arrays(found.tree_, read.tree_)
    ours, theirs = found.get_params(deep=False), read.get_params(deep=False)
    del ours["tree"], theirs["tree"]
    assert ours == theirs
    assert {name: type(value) for name, value in ours.items()} == {
        name: type(value) for name, value in theirs.items()
    }
    assert vars(found).keys() == vars(read).keys()
    for name in ("feature_names_in_", "cluster_names_", "one_hot_", "value_names_", "objective_"):
        assert list(np.ravel(getattr(found, name, None))) == list(
            np.ravel(getattr(read, name, None))
        )
    np.testing.assert_array_equal(found.predict(rows), read.predict(rows))
    assert to_json(found) == to_json(read)


@examples(40)
@given(made=trees(), scaler=st.sampled_from([None, *SCALERS]))
def test_as_from_json(made, scaler):
    model, X, more = made
    if scaler is not None:
        assume(not np.isnan(X).all(axis=0).any())  # scikit-learn's scalers warn of such columns
        scaler = SCALERS[scaler]().fit(X)
        model = Kauri(**model.get_params()).fit(scaler.transform(X))
        more = X
    rows = np.vstack([X, more]) if model.engine_ == "binned" else X
    words = {
        "scaler": scaler,
        "feature_names": names_for(X.shape[1]),
        "cluster_names": [f"group {k}" for k in range(model.n_clusters_)],
    }
    for options in (words, {"scaler": scaler}):
        found, read = loaded(model, **options), from_json(to_json(model, **options))
        check_same(found, read, rows)
        # Once more is the same again.
        check_same(loaded(found), read, rows)


@pytest.mark.parametrize("name", RIVALS)
def test_rivals_and_trees(name, iris):
    model = RIVALS[name](3).fit(iris)
    check_same(loaded(model), from_json(to_json(model)), iris)
    check_same(loaded(model.tree_), from_json(to_json(model.tree_)), iris)


def test_pipelines_and_columns():
    random = np.random.default_rng(3)
    color, codes = random.integers(0, 3, 80), random.choice([-1.0, 0, 1], 80)
    table = pd.DataFrame({f"color_{i}": (color == i).astype(float) for i in range(3)})
    table["vote"] = codes
    model = make_pipeline(MinMaxScaler(), Kauri(9, max_leaf_nodes=12)).fit(table)
    columns = {
        "one_hot": {"color": {"color_0": "red", "color_1": np.int64(7), "color_2": np.nan}},
        "value_names": {"vote": {-1: "no", 0: "unknown", 1: "yes"}},
    }
    found = loaded(model, **columns)
    raw = pd.DataFrame({"color": np.array(["red", 7, None], dtype=object)[color], "vote": codes})
    check_same(found, from_json(to_json(model, **columns)), raw)
    np.testing.assert_array_equal(found.predict(table.to_numpy()), model.predict(table))
    assert found.source == "Kauri"
    assert found.one_hot_["color"] == {"color_0": "red", "color_1": 7, "color_2": None}


def test_names_of_another_number():
    with pytest.raises(ValueError, match="cluster_names has 1 names; the tree has 2 clusters"):
        loaded(Kauri(2).fit([[0.0], [1.0], [9.0]]), cluster_names=["one"])


def test_missing_values_are_taken_where_the_reader_says_so():
    text = to_json(Kauri(2).fit([[0.0], [1.0], [9.0]]))
    with pytest.raises(ValueError, match="contains NaN"):
        from_json(text).predict([[np.nan]])
    model = from_json(text, takes_missing=True)
    assert model.takes_missing
    assert model.predict([[np.nan]]) == model.predict([[0.0]])
