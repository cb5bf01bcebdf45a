"""The tree as arrays."""

import json

import numpy as np
import pytest
from helpers import reference as _reference
from helpers.invariants import DTYPES, same_tree, valid_tree
from sklearn.datasets import load_iris

from agathis import Kauri, Tree
from agathis._trees import tree as _tree


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


@pytest.fixture(scope="module")
def tree(iris):
    return Kauri(3, kernel="rbf", max_leaf_nodes=None).fit(iris).tree_


@pytest.fixture(scope="module")
def stump():
    """Three leaves, two of them of one cluster, made by hand."""
    return Tree.from_dict(
        {
            "children_left": [1, -1, 3, -1, -1],
            "children_right": [2, -1, 4, -1, -1],
            "feature": [1, -2, 0, -2, -2],
            "threshold": [0.5, -2, 2.5, -2, -2],
            "cluster": [0, 0, 1, 1, 0],
            "gain": [3, 0, 1, 0, 0],
            "move": [1, 0, 2, 0, 0],
            "missing": [0, 0, 0, 0, 0],
            "n_node_samples": [5, 2, 3, 2, 1],
            "weighted_n_node_samples": [5, 2, 3, 2, 1],
            "depth": [0, 1, 1, 2, 2],
            "n_features": 3,
        }
    )


def test_valid(tree, iris):
    valid_tree(tree, iris, n_clusters=3)


def test_dtypes(tree, stump):
    for some in (tree, stump):
        for name, dtype in DTYPES.items():
            assert getattr(some, name).dtype == dtype, name
        assert isinstance(some.n_features, int)


def test_moves_are_those_of_the_reference():
    assert (*_reference.MOVES, "cut") == _tree.MOVES


@pytest.mark.parametrize("through_json", [False, True])
def test_round_trip(tree, iris, through_json):
    data = tree.to_dict()
    if through_json:
        data = json.loads(json.dumps(data))
    back = Tree.from_dict(data)
    same_tree(back, tree)
    for name in DTYPES:
        np.testing.assert_array_equal(getattr(back, name), getattr(tree, name))
    assert back.n_features == tree.n_features == 4
    np.testing.assert_array_equal(back.predict(iris), tree.predict(iris))


def test_dict_is_lists_and_numbers(tree):
    data = tree.to_dict()
    assert set(data) == {*DTYPES, "n_features"}
    for name in DTYPES:
        assert type(data[name]) is list
        assert type(data[name][0]) in (int, float)


@pytest.mark.parametrize("name", [*DTYPES, "n_features"])
def test_missing_key(tree, name):
    data = tree.to_dict()
    del data[name]
    with pytest.raises(ValueError, match=rf"not a tree: it has no {name}\."):
        Tree.from_dict(data)


def test_every_missing_key_is_named():
    with pytest.raises(ValueError, match=r"children_left, .*threshold, .*n_features"):
        Tree.from_dict({})


def test_other_keys_do_not_matter(tree):
    same_tree(Tree.from_dict({**tree.to_dict(), "schema": 1}), tree)


def test_counts(stump):
    assert stump.node_count == 5
    assert stump.n_leaves == 3
    assert stump.n_clusters == 2
    assert stump.max_depth == 2
    assert stump.is_leaf.tolist() == [False, True, False, True, True]


def test_parents_and_paths(stump):
    assert stump.parents().tolist() == [-1, 0, 0, 2, 2]
    assert [stump.path(node) for node in range(5)] == [[0], [0, 1], [0, 2], [0, 2, 3], [0, 2, 4]]
    assert stump.path(np.int64(4)) == [0, 2, 4]


def test_paths_of_a_grown_tree(tree):
    parent = tree.parents()
    for node in range(tree.node_count):
        path = tree.path(node)
        assert path[0] == 0
        assert path[-1] == node
        assert len(path) == tree.depth[node] + 1
        assert [parent[child] for child in path[1:]] == path[:-1]


def test_apply_and_predict(stump):
    # A row on the threshold goes left.
    X = np.array([[9.0, 0.5, 0], [2.5, 0.6, 0], [2.6, 0.6, 0], [0, np.nextafter(0.5, 1), 0]])
    assert stump.apply(X).tolist() == [1, 3, 4, 3]
    assert stump.predict(X).tolist() == [0, 1, 0, 1]
    np.testing.assert_array_equal(
        stump.decision_path(X).toarray(),
        [[1, 1, 0, 0, 0], [1, 0, 1, 1, 0], [1, 0, 1, 0, 1], [1, 0, 1, 1, 0]],
    )


def test_float32_rows_are_compared_in_float64():
    X = np.array([[0.1], [0.2]], dtype=np.float32)
    # Between float32(0.1) and 0.1 in float64.
    threshold = (float(np.float32(0.1)) + 0.1) / 2
    data = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0]]).tree_.to_dict()
    data["threshold"][0] = threshold
    cut = Tree.from_dict(data)
    assert cut.apply(X).tolist() == [2, 2]
    assert cut.apply(np.array([[0.1]])).tolist() == [1]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads(tree, threads):
    X = np.random.default_rng(0).uniform(0, 8, (50_000, 4))
    np.testing.assert_array_equal(tree.apply(X, threads), tree.apply(X))
    path = tree.decision_path(X, threads)
    assert path.sum() == (tree.depth[tree.apply(X)] + 1).sum()


def test_no_rows(stump):
    X = np.empty((0, 3))
    assert stump.apply(X).shape == (0,)
    assert stump.decision_path(X).shape == (0, 5)


def test_feature_importances(stump):
    np.testing.assert_allclose(stump.feature_importances(), [0.25, 0.75, 0])


def test_feature_importances_of_one_leaf():
    assert Kauri(1, max_leaf_nodes=None).fit(
        [[1.0, 2.0], [3.0, 4.0]]
    ).tree_.feature_importances().tolist() == [0, 0]


def test_repr(stump):
    assert repr(stump) == "Tree(3 leaves, 2 clusters, depth 2, 3 features)"


def test_one_leaf():
    leaf = Kauri(1, max_leaf_nodes=None).fit([[1.0], [2.0]]).tree_
    valid_tree(leaf, [[1.0], [2.0]], [0, 0], n_clusters=1)
    assert (leaf.node_count, leaf.n_leaves, leaf.n_clusters, leaf.max_depth) == (1, 1, 1, 0)
    assert leaf.path(0) == [0]
    assert leaf.parents().tolist() == [-1]
    assert leaf.decision_path(np.ones((3, 1))).toarray().tolist() == [[1], [1], [1]]


def test_fields_cannot_be_assigned(tree):
    with pytest.raises(AttributeError):
        tree.feature = np.zeros(3)


class TestBadTrees:
    """A tree from elsewhere is looked over before it is walked."""

    @pytest.fixture
    def data(self):
        return Kauri(3, max_leaf_nodes=4).fit(load_iris().data).tree_.to_dict()

    @pytest.mark.parametrize(
        ("name", "place", "value"),
        [
            ("feature", 0, 5000),
            ("feature", 0, -2),
            ("children_left", 0, 0),
            ("children_left", 0, 99),
            ("children_right", 0, -1),
            ("children_right", 0, 1),
            ("cluster", -1, -1),
            ("move", 0, 77),
        ],
    )
    def test_wrong_value(self, data, name, place, value):
        data[name][place] = value
        with pytest.raises(ValueError, match="data is not a tree"):
            Tree.from_dict(data)

    def test_wrong_length(self, data):
        data["threshold"] = data["threshold"][:1]
        with pytest.raises(ValueError, match="data is not a tree: its arrays have the shapes"):
            Tree.from_dict(data)

    def test_no_node(self, data):
        empty = {name: [] for name in data} | {"n_features": 4}
        with pytest.raises(ValueError, match="data is not a tree"):
            Tree.from_dict(empty)

    @pytest.mark.parametrize("X", [np.zeros((5, 1)), np.zeros(4), np.zeros((2, 4, 1))])
    def test_rows_of_another_shape(self, data, X):
        with pytest.raises(ValueError, match=r"X must have shape \(n_samples, 4\)"):
            Tree.from_dict(data).predict(X)

    def test_rows_of_another_kind(self, data):
        X = load_iris().data.round().astype(int)
        tree = Tree.from_dict(data)
        np.testing.assert_array_equal(tree.predict(X), tree.predict(X.astype(float)))
        np.testing.assert_array_equal(tree.predict(X.tolist()), tree.predict(X.astype(float)))
