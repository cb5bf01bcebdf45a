"""Trees in words."""

from textwrap import dedent

import numpy as np
import pandas as pd
import pytest
from helpers.exports import BASELINES
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri
from agathis.export import to_text


def text(lines):
    return dedent(lines).strip("\n")


@pytest.fixture(scope="module")
def model():
    return Kauri(n_clusters=3, max_leaf_nodes=3).fit(load_iris().data)


IRIS = """
    {0} <= {1}
    |   {3} (53 samples)
    {0} > {1}
    |   {0} <= {2}
    |   |   {4} (63 samples)
    |   {0} > {2}
    |   |   {5} (34 samples)
"""


def iris_text(feature="x[2]", thresholds=("3.4", "5.15"), clusters=None):
    clusters = clusters or ("cluster 0", "cluster 1", "cluster 2")
    return text(IRIS).format(feature, *thresholds, *clusters)


def test_iris(model):
    assert to_text(model) == iris_text()


def test_names(model):
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    written = to_text(model, feature_names=names, cluster_names=["low", "mid", "high"])
    assert written == iris_text("petal length", clusters=("low", "mid", "high"))


def test_names_may_be_an_array(model):
    names = np.array(["a", "b", "c", "d"])
    assert to_text(model, feature_names=names) == iris_text("c")


def test_digits(model):
    assert to_text(model, digits=1) == iris_text(thresholds=("3", "5"))
    assert to_text(model, digits=10) == iris_text(thresholds=("3.4", "5.15"))


def test_names_of_the_data_frame():
    frame = load_iris(as_frame=True).data
    fitted = Kauri(n_clusters=3, max_leaf_nodes=3).fit(frame)
    assert to_text(fitted) == iris_text("petal length (cm)")
    assert to_text(fitted, feature_names=list("abcd")) == iris_text("c")


def test_a_tree_instead_of_a_model(model):
    assert to_text(model.tree_) == iris_text()


def test_both_sides_are_cut():
    X = np.array([[0, 0], [0, 5], [20, 1], [20, 9]], dtype=float)
    fitted = Kauri(4, max_leaf_nodes=None).fit(pd.DataFrame(X, columns=["age", "size"]))
    # The far pair is cut first, so its new cluster is number 2.
    expected = """
        age <= 10
        |   size <= 2.5
        |   |   cluster 0 (1 sample)
        |   size > 2.5
        |   |   cluster 3 (1 sample)
        age > 10
        |   size <= 5
        |   |   cluster 1 (1 sample)
        |   size > 5
        |   |   cluster 2 (1 sample)
    """
    assert to_text(fitted) == text(expected)


def test_a_cluster_of_several_leaves():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    colour = np.array([0, 0, 1, 1, 0, 0])
    fitted = Kauri(2, kernel="precomputed", max_leaf_nodes=None).fit(
        X, gram=(colour[:, None] == colour) * 1.0
    )
    expected = """
        x[0] <= 5.5
        |   cluster 0 (2 samples)
        x[0] > 5.5
        |   x[0] <= 15.5
        |   |   cluster 1 (2 samples)
        |   x[0] > 15.5
        |   |   cluster 0 (2 samples)
    """
    assert to_text(fitted) == text(expected)


def test_one_leaf():
    assert (
        to_text(Kauri(1, max_leaf_nodes=None).fit([[1.0, 2.0], [3.0, 4.0]]))
        == "cluster 0 (2 samples)"
    )
    assert (
        to_text(Kauri(1, max_leaf_nodes=None).fit([[1.0]]), cluster_names=["all"])
        == "all (1 sample)"
    )


def test_negative_and_large_thresholds():
    fitted = Kauri(2, max_leaf_nodes=None).fit([[-3e7], [-1e7]])
    assert to_text(fitted).splitlines()[0] == "x[0] <= -20000000"


@pytest.mark.parametrize("names", [[], ["a"], list("abcde")])
def test_wrong_number_of_names(model, names):
    with pytest.raises(
        ValueError, match=rf"feature_names has {len(names)} names; the tree has 4 features"
    ):
        to_text(model, feature_names=names)
    with pytest.raises(
        ValueError, match=rf"cluster_names has {len(names)} names; the tree has 3 clusters"
    ):
        to_text(model.tree_, cluster_names=names)


def test_unfitted():
    with pytest.raises(NotFittedError, match="not fitted"):
        to_text(Kauri(max_leaf_nodes=None))


@pytest.mark.parametrize("thing", [None, "tree", np.zeros(3)])
def test_something_else(thing):
    with pytest.raises(TypeError):
        to_text(thing)


def test_a_large_threshold_still_separates():
    fitted = Kauri(2, max_leaf_nodes=None).fit([[1234567.1], [1234567.2], [1234568.3], [1234568.4]])
    assert to_text(fitted).splitlines()[0] == "x[0] <= 1234567.8"


def test_a_pipeline_brings_its_scaler():
    pipeline = make_pipeline(MinMaxScaler(), Kauri(2, max_leaf_nodes=None)).fit(
        [[0.0], [1.0], [5.0]]
    )
    assert to_text(pipeline).startswith("x[0] <= 3\n")
    assert to_text(pipeline[-1]).startswith("x[0] <= 0.6\n")
    assert to_text(pipeline[-1], scaler=pipeline[0]) == to_text(pipeline)


def test_thresholds_that_would_read_the_same():
    X = [[0.0], [1000.001], [1000.002], [1000.003]]
    fitted = Kauri(4, max_leaf_nodes=None).fit(X)
    assert [line for line in to_text(fitted).splitlines() if "<=" in line] == [
        "x[0] <= 500.0005",
        "|   x[0] <= 1000.0015",
        "|   |   x[0] <= 1000.0025",
    ]


@pytest.mark.parametrize("name", BASELINES)
def test_baselines(name):
    fitted = BASELINES[name](3).fit(load_iris(as_frame=True).data)
    leaves = [line for line in to_text(fitted).splitlines() if "sample" in line]
    assert len(leaves) == fitted.n_leaves_
    assert sum(int(line.split("(")[1].split()[0]) for line in leaves) == 150


def test_names_of_several_lines_stay_on_theirs():
    fitted = Kauri(2, max_leaf_nodes=None).fit([[0.0], [9.0]])
    written = to_text(fitted, feature_names=["a\nb"], cluster_names=["c\r\nd", "e"])
    assert written.splitlines()[:2] == ["a b <= 4.5", "|   c d (1 sample)"]


def test_thresholds_have_four_digits_by_default():
    model = Kauri(2, max_leaf_nodes=2).fit([[0.0], [2.46913578], [30.0]])
    assert "x[0] <= 16.23\n" in to_text(model)
    assert to_text(model) == to_text(model, digits=4) != to_text(model, digits=5)
