"""Where nodes stand and what is written on them."""

from dataclasses import asdict

import numpy as np
import pytest
from helpers.plot_trees import MODELS, grown
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from agathis import Kauri
from agathis._rules.tree_layout import positions
from agathis._trees.tree import MOVES
from agathis.plot import layout_tree


def by_depth(layout):
    return [[n for n in layout.nodes if n.depth == d] for d in range(layout.depth + 1)]


def in_order(tree):
    """Nodes as one meets them going through the tree from left to right, by recursion."""

    def visit(node):
        if tree.children_left[node] < 0:
            return [node]
        left, right = tree.children_left[node], tree.children_right[node]
        return [*visit(left), node, *visit(right)]

    return [int(i) for i in visit(0)]


@given(grown(), st.one_of(st.none(), st.integers(0, 6)))
def test_nodes_of_one_depth_are_in_order_and_apart(given_tree, max_depth):
    tree, _ = given_tree
    layout = layout_tree(tree, max_depth=max_depth)
    rank = {node: i for i, node in enumerate(in_order(tree))}
    for row in by_depth(layout):
        x = [n.x for n in sorted(row, key=lambda n: rank[n.node])]
        assert np.all(np.diff(x) >= 1 - 1e-9)
    assert min(n.x for n in layout.nodes) == pytest.approx(0)
    assert layout.width == max(n.x for n in layout.nodes)


@given(grown())
def test_parents_are_half_way_between_their_children(given_tree):
    tree, _ = given_tree
    at = {n.node: n for n in layout_tree(tree).nodes}
    for i, n in at.items():
        if not tree.is_leaf[i]:
            left, right = at[int(tree.children_left[i])], at[int(tree.children_right[i])]
            assert left.x < n.x < right.x
            assert n.x == pytest.approx((left.x + right.x) / 2)
            assert left.parent == right.parent == i


@given(grown())
def test_siblings_are_as_near_as_their_subtrees_allow(given_tree):
    tree, _ = given_tree
    at = {n.node: n for n in layout_tree(tree).nodes}
    below = {i: [i] for i in at}
    for i in sorted(at, reverse=True):
        if at[i].parent >= 0:
            below[at[i].parent] = below[at[i].parent] + below[i]
    for i in np.flatnonzero(~tree.is_leaf):
        gaps = [
            at[b].x - at[a].x
            for a in below[int(tree.children_left[i])]
            for b in below[int(tree.children_right[i])]
            if at[a].depth == at[b].depth
        ]
        assert min(gaps) == pytest.approx(1)


@given(grown(), st.integers(0, 2**32 - 1))
def test_nodes_of_different_extent_do_not_touch(given_tree, seed):
    tree, _ = given_tree
    extent = np.random.default_rng(seed).uniform(0.1, 5, tree.node_count)
    x = positions(tree, tree.max_depth, extent)
    rank = np.argsort(in_order(tree))
    assert (x - extent / 2).min() == pytest.approx(0)
    for depth in range(tree.max_depth + 1):
        row = np.flatnonzero(tree.depth == depth)
        row = row[np.argsort(rank[row])]
        assert np.all(np.diff(x[row]) >= (extent[row][:-1] + extent[row][1:]) / 2 - 1e-9)


@given(grown())
def test_same_tree_same_layout(given_tree):
    tree, _ = given_tree
    assert layout_tree(tree) == layout_tree(type(tree).from_dict(tree.to_dict()))


@given(grown())
def test_facts_of_the_nodes(given_tree):
    tree, X = given_tree
    passes = np.asarray(tree.decision_path(X).todense(), dtype=bool)
    labels = tree.predict(X)
    leaves = tree.apply(X)
    layout = layout_tree(tree)
    assert [n.node for n in layout.nodes] == list(range(tree.node_count))
    total = np.maximum(tree.gain, 0).sum()
    for n in layout.nodes:
        mine = passes[:, n.node]
        counts = np.bincount(labels[mine], minlength=tree.n_clusters)
        assert n.size == mine.sum()
        assert n.size_share == pytest.approx(mine.mean())
        assert n.n_leaves == len(np.unique(leaves[mine]))
        np.testing.assert_allclose(n.shares, counts / mine.sum())
        assert counts[n.cluster] == counts.max()
        assert n.kind == ("leaf" if tree.is_leaf[n.node] else "split")
        assert n.move == MOVES[tree.move[n.node]]
        if total > 0:
            assert n.gain_share == pytest.approx(max(tree.gain[n.node], 0) / total)


@given(grown(), st.integers(0, 5))
def test_what_is_cropped_is_counted(given_tree, max_depth):
    tree, _ = given_tree
    layout = layout_tree(tree, max_depth=max_depth)
    assert max(n.depth for n in layout.nodes) == layout.depth == min(max_depth, tree.max_depth)
    ends = [n for n in layout.nodes if n.kind != "split"]
    assert sum(n.n_leaves for n in ends) == tree.n_leaves
    assert sum(n.size for n in ends) == tree.n_node_samples[0]
    for n in layout.nodes:
        hidden = n.depth == max_depth and not tree.is_leaf[n.node]
        assert (n.kind == "cropped") == hidden


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator(name, iris):
    model = clone(MODELS[name]).fit(iris)
    names = list("xyz")[: model.n_clusters_]
    layout = layout_tree(model, feature_names=list("abcd"), cluster_names=names)
    leaves = [n for n in layout.nodes if n.kind == "leaf"]
    assert len(leaves) == model.n_leaves_
    assert {n.cluster_name for n in leaves} == set(names)
    assert {n.feature for n in layout.nodes if n.kind == "split"} <= set("abcd")
    if name != "Kauri":
        assert {n.move for n in layout.nodes} == {"cut", "leaf"}


def test_layout_is_plain_data(iris):
    import json

    layout = layout_tree(Kauri(3, max_leaf_nodes=4).fit(iris))
    assert json.loads(json.dumps(asdict(layout)))["nodes"][0]["size"] == 150


def test_missing_values_are_in_the_conditions():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [np.nan, 0.0], [5.0, 0.0], [5.2, 0.0]])
    model = Kauri(2, max_leaf_nodes=2, engine="binned").fit(X)
    words = [n.condition for n in layout_tree(model).nodes]
    assert sum("or missing" in w for w in words) == 1
    X = np.array([[np.nan, 0.0]] * 3 + [[1.0, 9.0]] * 3)
    tree = Kauri(2, engine="binned", max_leaf_nodes=None).fit(X).tree_
    infinite = type(tree).from_dict(
        {**tree.to_dict(), "feature": [0, -2, -2], "threshold": [float("inf"), -2.0, -2.0]}
    )
    assert [n.condition for n in layout_tree(infinite).nodes] == ["", "is known", "is missing"]


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), RobustScaler()])
def test_thresholds_before_a_scaler(iris, scaler):
    scaled = scaler.fit_transform(iris)
    model = Kauri(3, max_leaf_nodes=6).fit(scaled)
    at = {n.node: n for n in layout_tree(model, scaler=scaler, digits=12).nodes}
    tree = model.tree_
    passes = np.asarray(model.decision_path(scaled).todense(), dtype=bool)
    for i in np.flatnonzero(~tree.is_leaf):
        left = int(tree.children_left[i])
        sign, value = at[left].condition.split()
        assert sign == "<="
        goes_left = iris[passes[:, i], tree.feature[i]] <= float(value)
        np.testing.assert_array_equal(goes_left, passes[passes[:, i], left])


def test_errors(iris):
    model = Kauri(3, max_leaf_nodes=4).fit(iris)
    with pytest.raises(ValueError, match="feature_names has 3 names; the tree has 4"):
        layout_tree(model, feature_names=list("abc"))
    with pytest.raises(ValueError, match="cluster_names has 2 names; the tree has 3"):
        layout_tree(model, cluster_names=list("ab"))
    with pytest.raises(NotFittedError):
        layout_tree(Kauri(3, max_leaf_nodes=None))
    with pytest.raises(TypeError, match="must be a fitted estimator of agathis"):
        layout_tree(StandardScaler().fit(iris))
    with pytest.raises(ValueError, match="'max_depth' parameter"):
        layout_tree(model, max_depth=-1)
    with pytest.raises(ValueError, match="digits must be an integer, at least 1"):
        layout_tree(model, digits=0)
    for scaler in (3, PCA().fit(iris)):
        with pytest.raises(TypeError, match="scaler must be a fitted step that can be inverted"):
            layout_tree(model, scaler=scaler)
    with pytest.raises(ValueError, match="scaler"):
        layout_tree(model, scaler=StandardScaler().fit(iris[:, :2]))
    with pytest.raises(NotFittedError):
        layout_tree(model, scaler=StandardScaler())


def test_conditions_of_categories_and_codes(iris):
    X = np.column_stack([iris[:, 2] > 3, iris[:, 3] / 100]).astype(float)
    model = Kauri(2, max_leaf_nodes=2).fit(X)
    names = {"feature_names": ["kind_long", "width"], "one_hot": {"kind": ["kind_long"]}}
    root, *children = layout_tree(model, **names).nodes
    assert root.feature == "kind"
    assert [n.condition for n in children] == ["is not long", "is long"]


def test_a_pipeline_brings_its_scaler(iris):
    scaler = StandardScaler().fit(iris)
    pipeline = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=4)).fit(iris)
    model = Kauri(3, max_leaf_nodes=4).fit(scaler.transform(iris))
    assert layout_tree(pipeline) == layout_tree(model, scaler=scaler)
