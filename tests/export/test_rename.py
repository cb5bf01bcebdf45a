"""Other names for clusters, of a model and of its file."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis.export import from_json, renamed, to_json, to_rules
from agathis.export._rename import new_names, renamed_text

X = np.array([[0.0], [1.0], [9.0], [30.0], [31.0]])


def names_in(model):
    return [rule["cluster"] for rule in to_rules(model)]


def test_some_or_all_by_number_or_name():
    model = Kauri(3, max_leaf_nodes=None).fit(X)
    once = renamed(model, {2: "far", "cluster 0": " near "})
    assert names_in(once) == ["near", "cluster 1", "far"]
    assert not hasattr(model, "cluster_names_")
    again = renamed(once, {"far": "near", "near": "far"})
    assert names_in(again) == ["far", "cluster 1", "near"]
    assert names_in(renamed(again, ["a", "b", "c"])) == ["a", "b", "c"]
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_renamed_pipeline_accepts_raw_rows():
    pipe = make_pipeline(StandardScaler(), Kauri(2, max_leaf_nodes=None)).fit(X)
    np.testing.assert_array_equal(renamed(pipe, {0: "low"}).predict(X), pipe.predict(X))


@pytest.mark.parametrize("indent", [None, 1, 3])
def test_all_else_in_the_file_stays(indent):
    text = to_json(Kauri(3, max_leaf_nodes=None).fit(X), feature_names=["age"], indent=indent)
    result = renamed_text(text, {1: "ümlaut"})
    before, after = json.loads(text), json.loads(result)
    assert after.pop("cluster_names") == ["cluster 0", "ümlaut", "cluster 2"]
    assert before.pop("cluster_names") is None
    assert before == after
    assert names_in(from_json(result)) == ["cluster 0", "ümlaut", "cluster 2"]
    assert renamed_text(renamed_text(text, ["a", "b", "c"]), {1: "x"}).count("\n") == (
        renamed_text(text, ["a", "x", "c"]).count("\n")
    )
    more = json.dumps({**json.loads(text), "of a later version": [1.5, None]})
    assert json.loads(renamed_text(more, {0: "a"}))["of a later version"] == [1.5, None]


@pytest.mark.parametrize(
    ("names", "error"),
    [
        ({3: "a"}, r"names has 3, which is not a cluster; clusters are 0 \(x\[0\]"),
        ({True: "a"}, "names has True, which is not a cluster"),
        ({"x": "a"}, "names has 'x', which is not a cluster"),
        ({0: "a", "cluster 0": "b"}, "names has cluster 0 twice, as 0 and as 'cluster 0'"),
        ({0: "a", 1: "a"}, "gives 'a' to the clusters 0 and 1"),
        ({0: "  "}, "names has an empty name"),
        ({0: 5}, "names must be strings; one is 5"),
        (["a", "b"], "names has 2 names; the tree has 3 clusters"),
        ("abc", "names must be a name for each cluster"),
        (7, "names must be a name for each cluster"),
    ],
)
def test_errors(names, error):
    with pytest.raises((TypeError, ValueError), match=error):
        renamed(Kauri(3, max_leaf_nodes=None).fit(X), names)


@given(st.permutations(range(5)))
def test_names_may_be_swapped(order):
    present = [f"cluster {k}" for k in range(5)]
    result = new_names(present, {k: present[to] for k, to in enumerate(order)})
    assert result == [present[to] for to in order]
