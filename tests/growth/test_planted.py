"""Splits are planted at known places, and must be found there."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import reference
from helpers.examples import examples
from helpers.invariants import creation_order, same_tree, valid_tree
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri
from agathis._trees.tree import MOVES


def noise(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Columns that say nothing."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, d))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("d", [1, 4])
@pytest.mark.parametrize("n_left", [3, 20, 37])
def test_one_split_in_each_feature(d, n_left, kernel):
    n = 40
    for feature in range(d):
        X = noise(n, d, seed=feature)
        right = np.arange(n) >= n_left
        X[:, feature] = np.where(right, 20.0, 0.0) + noise(n, 1, seed=9)[:, 0]
        gamma = None if kernel == "linear" else 0.05
        model = Kauri(2, kernel=kernel, gamma=gamma, max_leaf_nodes=2).fit(X)
        valid_tree(model.tree_, X, model.labels_, n_clusters=2, max_leaf_nodes=2)
        column = X[:, feature]
        assert model.tree_.feature[0] == feature
        assert model.tree_.threshold[0] == column[~right].max() / 2 + column[right].min() / 2
        np.testing.assert_array_equal(model.labels_, right)
        np.testing.assert_allclose(model.feature_importances_, np.eye(d)[feature])


@pytest.mark.parametrize("offset", [0.0, -1e5, 1e6])
def test_a_threshold_is_the_midpoint(offset):
    X = np.array([[0.0], [1.0], [10.0], [11.0]]) + offset
    tree = Kauri(2, max_leaf_nodes=2).fit(X).tree_
    assert tree.threshold[0] == 5.5 + offset
    assert tree.gain[0] == pytest.approx(100.0)
    np.testing.assert_array_equal(tree.n_node_samples, [4, 2, 2])


@pytest.mark.parametrize("engine", ["gram", "features", "binned"])
@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=5),
    st.integers(2, 5),
    st.sampled_from([10, 100]),
    st.integers(2, 7),
)
@example([0, 1, 2], 2, 10, 5)
@examples(40)
def test_of_groups_that_are_alike_the_first_is_cut_first(engine, pattern, n_groups, far, most):
    """Their gains tie, whichever leaves were searched last; feature, threshold and node decide."""
    group, value = np.divmod(np.arange(n_groups * len(pattern)), len(pattern))
    X = np.column_stack([far * group, np.take(pattern, value)]).astype(np.float64)
    limits = {"n_clusters": min(most, len(X)), "max_leaf_nodes": max(most, len(X) // 2)}
    gram = X @ X.T
    model = Kauri(engine=engine, **limits).fit(X)
    oracle = reference.grow(X, gram, **limits)
    same_tree(model.tree_, oracle, gains=reference.tolerance(gram))
    np.testing.assert_array_equal(model.labels_, oracle.labels)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_where_no_two_rows_differ_to_the_kernel_nothing_is_found(value):
    """With a kernel of zeros the tolerance is 0 as well: a gain has to be more than that."""
    X = np.arange(6.0)[:, None]
    model = Kauri(2, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=np.full((6, 6), value))
    assert model.n_leaves_ == 1


def test_neighbouring_floats_are_separated():
    low = 1.0
    high = np.nextafter(low, 2.0)
    X = np.array([low, low, high, high])[:, None]
    gram = np.kron(np.eye(2), np.ones((2, 2)))
    model = Kauri(2, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=gram)
    assert model.tree_.threshold[0] == low
    np.testing.assert_array_equal(model.labels_, [0, 0, 1, 1])
    np.testing.assert_array_equal(model.predict(X), [0, 0, 1, 1])


def test_a_grid_of_boxes():
    """Nested: the wide gap first, then the narrower ones, in the other column."""
    places = np.array([[0, 0], [0, 6], [20, 0], [20, 6]], dtype=np.float64)
    truth = np.repeat(np.arange(4), 25)
    X = places[truth] + noise(100, 2)
    model = Kauri(4, max_leaf_nodes=4).fit(X)
    valid_tree(model.tree_, X, model.labels_, n_clusters=4)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    np.testing.assert_array_equal(model.tree_.feature[:3], [0, 1, 1])
    np.testing.assert_allclose(model.tree_.threshold[:3], [10.0, 3.0, 3.0], atol=1.0)
    moves = [MOVES[m] for m in model.tree_.move[creation_order(model.tree_)]]
    assert moves == ["star"] * 3


def test_a_deep_chain():
    """Eight groups along a line, each gap as wide: every one is found."""
    truth = np.repeat(np.arange(8), 12)
    X = np.column_stack([noise(96, 1)[:, 0], truth * 10.0 + noise(96, 1, seed=1)[:, 0]])
    model = Kauri(8, max_leaf_nodes=None).fit(X)
    valid_tree(model.tree_, X, model.labels_, n_clusters=8)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    inner = model.tree_.feature >= 0
    assert set(model.tree_.feature[inner].tolist()) == {1}
    np.testing.assert_allclose(
        np.sort(model.tree_.threshold[inner]), np.arange(5.0, 75.0, 10.0), atol=1.0
    )


def test_rings_by_the_distance_from_their_centre():
    """Rings are no boxes in the plane, but they are intervals of a column of radii."""
    random = np.random.default_rng(2)
    truth = np.repeat([0, 1, 2], 60)
    angle = random.uniform(0, 2 * np.pi, 180)
    radius = np.array([1.0, 5.0, 10.0])[truth] + random.normal(scale=0.2, size=180)
    plane = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    X = np.column_stack([plane, radius])
    gram = np.exp(-0.5 * (radius[:, None] - radius[None, :]) ** 2)
    model = Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=gram)
    valid_tree(model.tree_, X, model.labels_, n_clusters=3)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    assert set(model.tree_.feature.tolist()) == {2, -2}


def test_a_ring_in_the_plane_by_several_boxes():
    """A kernel that joins the whole ring: its pieces are cut off, and join one cluster."""
    random = np.random.default_rng(3)
    ring = np.repeat([0, 1], [80, 160])
    angle = random.uniform(0, 2 * np.pi, 240)
    radius = np.where(ring, 6.0, 1.0) + random.uniform(-0.3, 0.3, 240)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    gram = np.exp(-0.5 * (radius[:, None] - radius[None, :]) ** 2)
    model = Kauri(2, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=gram)
    valid_tree(model.tree_, X, model.labels_, n_clusters=2)
    assert adjusted_rand_score(ring, model.labels_) == 1.0
    moves = [MOVES[m] for m in model.tree_.move[creation_order(model.tree_)]]
    assert moves[0] == "star"
    assert moves[1:] == ["switch"] * (len(moves) - 1)
    assert len(moves) >= 3  # four sides of a box, one of which may be shared


def same_group(truth: np.ndarray) -> np.ndarray:
    """The kernel that knows the answer."""
    return (truth[:, None] == truth[None, :]).astype(np.float64)


@pytest.mark.parametrize("sizes", [(30, 20, 20, 40), (10, 30, 5, 12), (1, 1, 1, 1), (3, 9, 4, 50)])
def test_an_l_shape_takes_a_switch(sizes):
    """No single cut parts an L from the box in its corner: two levels, and a switch back."""
    boxes = np.array([[0, 0], [10, 0], [0, 10], [10, 10]], dtype=np.float64)
    place = np.random.default_rng(0).permutation(np.repeat(np.arange(4), sizes))
    X, truth = boxes[place], np.array([0, 0, 0, 1])[place]
    model = Kauri(2, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=same_group(truth))
    valid_tree(model.tree_, X, model.labels_, n_clusters=2)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    cuts = creation_order(model.tree_)
    assert [MOVES[m] for m in model.tree_.move[cuts]] == ["star", "switch"]
    assert sorted(model.tree_.feature[cuts]) == [0, 1]
    np.testing.assert_array_equal(model.tree_.threshold[cuts], [5.0, 5.0])
    # The second cut is of the side with the corner; what is not the corner goes back.
    assert model.tree_.cluster[cuts[1]] == model.labels_[np.flatnonzero(truth == 1)[0]]
    assert model.objective_ == pytest.approx(len(X))  # each cluster adds its size


@pytest.mark.parametrize("sizes", [(10, 20, 10), (5, 20, 15), (7, 9, 3)])
def test_a_stripe_between_two_of_the_other_cluster(sizes):
    stripe = np.repeat([0, 1, 2], sizes)
    X = np.column_stack([np.ones(len(stripe)), stripe * 3.0])
    truth = stripe % 2
    model = Kauri(2, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=same_group(truth))
    valid_tree(model.tree_, X, model.labels_, n_clusters=2)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    cuts = creation_order(model.tree_)
    assert [MOVES[m] for m in model.tree_.move[cuts]] == ["star", "switch"]
    assert set(model.tree_.feature[cuts]) == {1}
    np.testing.assert_array_equal(np.sort(model.tree_.threshold[cuts]), [1.5, 4.5])
    # With a cluster to spare both ways gain the same, and a star comes before a switch.
    spare = Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=same_group(truth))
    assert [MOVES[m] for m in spare.tree_.move[creation_order(spare.tree_)]] == ["star", "star"]
    assert spare.objective_ == pytest.approx(model.objective_)


def test_weights_move_the_best_split():
    """Of two gaps the one that parts more weight is cut first."""
    X = np.array([0.0, 4.0, 8.5])[:, None]
    plain = Kauri(2, max_leaf_nodes=2).fit(X)
    assert plain.tree_.threshold[0] == 6.25
    heavy = Kauri(2, max_leaf_nodes=2).fit(X, sample_weight=[9.0, 9.0, 1.0])
    assert heavy.tree_.threshold[0] == 2.0


def test_fewer_clusters_where_more_do_not_help():
    X = np.repeat([[0.0], [5.0], [9.0]], 4, axis=0)
    model = Kauri(6, max_leaf_nodes=None).fit(X)
    valid_tree(model.tree_, X, model.labels_, n_clusters=6)
    assert model.n_clusters_ == model.n_leaves_ == 3
    assert model.inertia_ == pytest.approx(0.0, abs=1e-9)


def test_equal_rows_and_constant_columns():
    X = np.full((10, 3), 2.0)
    model = Kauri(3, max_leaf_nodes=None).fit(X)
    assert model.n_leaves_ == 1
    np.testing.assert_array_equal(model.labels_, np.zeros(10))
    valid_tree(model.tree_, X, model.labels_, n_clusters=3)
