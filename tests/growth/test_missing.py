"""Missing values: where they go, and what stands for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import reference
from helpers.examples import examples
from helpers.invariants import creation_order, route, valid_tree
from helpers.models import KERNELS, SEEDS, binned, blobs_of, filled, points_of, same_bits
from helpers.naive import Leaves
from helpers.strategies import RowsProblem, seeded_rows, small_rows
from hypothesis import assume, given
from hypothesis import strategies as st

from agathis import Kauri
from agathis._trees.tree import MISSING_GOES
from agathis._utils.numbers import threshold_between
from agathis.export import to_text


def grow_naively(X, points, weight, n_clusters, tolerance, max_leaves=None) -> list[dict]:
    """Splits in order of creation, by every cut and both ways for missing values."""
    weight = np.ones(len(X)) if weight is None else weight
    leaves = Leaves(X, points - np.average(points, axis=0, weights=weight), weight, n_clusters)
    node_of, splits = [0], []
    while max_leaves is None or len(leaves.cluster_of) < max_leaves:
        found = []
        for leaf_index in range(len(leaves.cluster_of)):
            for f in range(X.shape[1]):
                cuts = leaves.cuts(leaf_index, f)
                for at, gain in enumerate(leaves.best_gains(leaf_index, cuts)):
                    found.append((leaf_index, f, cuts, at, gain))
        best = max((gain for *_, gain in found), default=0.0)
        if best <= tolerance:
            break
        first = {}  # of each leaf
        for leaf_index, f, cuts, at, gain in found:
            if gain >= best - tolerance and leaf_index not in first:
                column = X[leaves.members(leaf_index), f]
                after = column[column > cuts.last[at]]
                threshold = np.inf
                if len(after):
                    threshold = threshold_between(float(cuts.last[at]), float(after.min()))
                first[leaf_index] = (f, threshold, node_of[leaf_index], leaf_index, cuts, at)
        f, threshold, node, leaf_index, cuts, at = min(first.values(), key=lambda s: s[:3])
        gains = leaves.gains(leaf_index, cuts)[at]
        move, left, right = leaves.moves(leaf_index)[
            int(np.argmax(gains >= gains.max() - tolerance))
        ]
        misses = np.isnan(X[leaves.members(leaf_index), f]).any()
        missing = (1 if cuts.missing_left[at] else 2) if misses else 0
        splits.append(
            {
                "node": node,
                "feature": f,
                "threshold": threshold,
                "missing": missing,
                "move": move,
                "clusters": (left, right),
                "gain": gains.max(),
            }
        )
        members = leaves.goes_left(leaf_index, f, cuts.last[at], cuts.missing_left[at])
        leaves.cut(leaf_index, members, (left, right))
        node_of[leaf_index] = 2 * len(splits) - 1
        node_of.append(2 * len(splits))
    return splits


@st.composite
def missing_rows(draw, max_n: int = 16, values=None) -> RowsProblem:
    """Rows of which some miss some values; at times whole columns."""
    problem = draw(st.one_of(small_rows(), seeded_rows(2, max_n, values=values)))
    random = np.random.default_rng(draw(SEEDS))
    X = problem.X.copy()
    X[random.random(X.shape) < draw(st.sampled_from([0.1, 0.3, 0.8]))] = np.nan
    if draw(st.sampled_from([0, 0, 0, 1])):
        X[:, random.integers(X.shape[1])] = np.nan
    return replace(problem, X=X)


@given(missing_rows())
@examples(200)
def test_missing_values_go_where_most_is_gained(problem):
    problem = replace(problem, limits={})
    X, weight = problem.X, problem.weight
    counted = np.ones(len(X), dtype=bool) if weight is None else weight > 0
    points = points_of(filled(X, weight), problem.kernel)
    model = problem.fit("binned")
    gram = points @ points.T
    tolerance = reference.tolerance(gram[np.ix_(counted, counted)], None) * 8
    splits = grow_naively(
        X[counted],
        points[counted],
        None if weight is None else weight[counted],
        problem.n_clusters,
        tolerance / 8,
    )
    tree = model.tree_
    assert tree.n_leaves == len(splits) + 1
    for node, split in zip(creation_order(tree), splits, strict=True):
        assert node == split["node"]
        assert tree.feature[node] == split["feature"]
        assert tree.threshold[node] == split["threshold"]
        assert tree.missing[node] == split["missing"]
        assert tree.move[node] == split["move"]
        children = tree.children_left[node], tree.children_right[node]
        assert tuple(tree.cluster[list(children)]) == split["clusters"]
        assert tree.gain[node] == pytest.approx(split["gain"], abs=tolerance)


@given(missing_rows(max_n=80), st.integers(2, 255))
@examples(100)
def test_rows_that_miss_values(problem, max_bins):
    """Predictions are the labels, and the objective is that of the rows with means filled in."""
    X, weight = problem.X, problem.weight
    # By the cosine a mean that is 0 but for rounding is a direction, and rounding tells which.
    means = filled(X, weight)[np.isnan(X)]
    assume(problem.kernel == "linear" or not np.any((means != 0) & (np.abs(means) < 1e-9)))
    model = problem.fit("binned", max_bins=max_bins)
    valid_tree(
        model.tree_,
        X,
        model.labels_,
        weight,
        problem.n_clusters,
        **problem.limits,
        midpoints=False,
    )
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    full = filled(X, weight)
    points = points_of(full, problem.kernel)
    value = reference.objective(points @ points.T, model.labels_, weight)
    scale = 1e-12 * (1 + np.sum(points**2) * (1 if weight is None else weight.max()))
    assert model.objective_ == pytest.approx(value, rel=1e-9, abs=scale)
    assert model.score(X, sample_weight=weight) == pytest.approx(value, rel=1e-9, abs=scale)
    np.testing.assert_array_equal(
        model.decision_path(X).toarray().astype(bool), route(model.tree_, X)
    )
    np.testing.assert_allclose(model.transform(X), model.transform(full), rtol=1e-7, atol=1e-7)
    again = problem.fit("binned", max_bins=max_bins)
    np.testing.assert_array_equal(again.labels_, model.labels_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_methods_take_missing_values(dtype):
    X = blobs_of(300).astype(dtype)
    X[::7, 0] = X[::5, 2] = np.nan
    model = binned(5, max_leaf_nodes=12)
    labels = model.fit_predict(X)
    np.testing.assert_array_equal(labels, model.labels_)
    distances = model.transform(X)
    assert np.isfinite(distances).all()
    np.testing.assert_array_equal(distances, binned(5, max_leaf_nodes=12).fit_transform(X))
    points = filled(X.astype(np.float64), None)
    centres = np.array([points[labels == k].mean(axis=0) for k in range(5)])
    expected = np.linalg.norm(points[:, None] - centres, axis=2)
    np.testing.assert_allclose(distances, expected, rtol=1e-5)
    np.testing.assert_array_equal(model.tree_.cluster[model.apply(X)], labels)
    assert model.score(X) == pytest.approx(model.objective_, rel=1e-5)


def test_missing_as_an_answer():
    """Where nothing but being missing tells two clusters apart, the leaf says so."""
    X = np.array([[4.0, 0], [4, 1], [4, 0], [4, 1], [np.nan, 30], [np.nan, 31], [np.nan, 30]])
    X = np.column_stack([X[:, 0], np.full(7, 2.0)])  # the second column says nothing
    gap = binned(2).fit(X)
    assert gap.n_leaves_ == 1  # the mean fills in: to the linear kernel the rows are equal
    # A second column that says it, of one bin for all: only the first can cut.
    wide = np.column_stack([X[:, 0], [0.0, 1, 0, 1, 30, 31, 30]])
    model = binned(2, max_bins=2, max_leaf_nodes=2).fit(np.repeat(wide, [9, 1, 1, 1, 1, 1, 1], 0))
    assert model.n_leaves_ == 2
    assert model.tree_.threshold[0] == np.inf
    assert MISSING_GOES[model.tree_.missing[0]] == "right"
    assert to_text(model).splitlines() == [
        "x[0] is known",
        "|   cluster 0 (12 samples)",
        "x[0] is missing",
        "|   cluster 1 (3 samples)",
    ]
    np.testing.assert_array_equal(model.predict([[1e300, 0], [-1e300, 0], [np.nan, 0]]), [0, 0, 1])
    np.testing.assert_array_equal(model.predict(wide), model.predict(wide.astype(np.float32)))


@pytest.mark.parametrize("side", ["left", "right"])
def test_missing_beside_a_threshold_in_words(side):
    x = np.array([0.0, 1, 2, 50, 51, 52, np.nan, np.nan])
    y = np.array([0.0, 0, 0, 50, 50, 50, *(2 * [0 if side == "left" else 50])])
    model = binned(2, max_leaf_nodes=2).fit(np.column_stack([x, y]))
    assert MISSING_GOES[model.tree_.missing[0]] == side
    lines = to_text(model).splitlines()
    assert lines[0] == "x[0] <= 26" + (" or missing" if side == "left" else "")
    assert lines[2] == "x[0] > 26" + (" or missing" if side == "right" else "")
    assert "missing" not in to_text(binned(2, max_leaf_nodes=2).fit(np.column_stack([y, y])))


def test_columns_without_any_value():
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 2))
    exact = binned(4).fit(X)
    for place in range(3):
        with_gap = np.insert(X, place, np.nan, axis=1)
        model = binned(4).fit(with_gap)
        np.testing.assert_array_equal(model.labels_, exact.labels_)
        assert place not in model.tree_.feature
        assert model.objective_ == pytest.approx(exact.objective_)
        assert np.isfinite(model.transform(with_gap)).all()
    nothing = binned(3).fit(np.full((9, 2), np.nan))
    assert (nothing.n_leaves_, nothing.objective_, nothing.inertia_) == (1, 0.0, 0.0)


@pytest.mark.parametrize("kernel", [*KERNELS, "rbf"])
def test_missing_only_in_rows_to_come(kernel):
    """They go to the child with more rows; to the kernel they are at the column's mean."""
    X = blobs_of(200, 3)
    parameters = {"n_components": 100, "gamma": 0.01} if kernel == "rbf" else {}
    model = binned(4, kernel=kernel, max_leaf_nodes=9, **parameters).fit(X)
    assert not model.tree_.missing.any()
    gaps = X.copy()
    gaps[::2, 0] = gaps[::3, 2] = np.nan
    valid_tree(model.tree_, X, model.labels_)
    passes = route(model.tree_, gaps)
    leaves = np.flatnonzero(model.tree_.is_leaf)
    expected = leaves[np.argmax(passes[:, leaves], axis=1)]
    np.testing.assert_array_equal(model.apply(gaps), expected)
    np.testing.assert_array_equal(model.predict(gaps), model.tree_.cluster[expected])
    node, tree = 0, model.tree_
    while tree.children_left[node] >= 0:
        left, right = tree.children_left[node], tree.children_right[node]
        node = left if tree.n_node_samples[left] >= tree.n_node_samples[right] else right
    assert model.apply(np.full((1, 3), np.nan)) == node
    full = np.where(np.isnan(gaps), X.mean(axis=0), gaps)
    np.testing.assert_allclose(model.transform(gaps), model.transform(full), rtol=1e-9)
    assert np.isfinite(model.score(gaps))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"kernel": "cosine"},
        {"kernel": "rbf", "gamma": 0.001, "n_components": 40, "random_state": 0},
    ],
)
def test_auto_means_binned_where_values_are_missing(parameters):
    X = blobs_of(80)
    X[::7, 1] = X[::5, 2] = np.nan
    auto = Kauri(4, max_leaf_nodes=9, **parameters).fit(X)
    assert auto.engine_ == "binned"
    asked = binned(4, max_leaf_nodes=9, **parameters).fit(X)
    same_bits(auto.tree_, asked.tree_)
    assert auto.tree_.missing.any()
    np.testing.assert_array_equal(auto.predict(X), auto.labels_)
    np.testing.assert_array_equal(auto.transform(X), asked.transform(X))
    assert Kauri(4, max_leaf_nodes=None, **parameters).__sklearn_tags__().input_tags.allow_nan
    # Without missing values it is what it was, and takes none in rows to come.
    exact = Kauri(4, max_leaf_nodes=9, **parameters).fit(blobs_of(80))
    assert exact.engine_ == "features"
    with pytest.raises(ValueError, match="engine_='features'"):
        exact.predict(X)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed", lambda x, y: float(x @ y)])
def test_auto_says_what_to_do_where_it_cannot_take_missing_values(kernel):
    X = blobs_of(30)
    X[4, 2] = np.nan
    model = Kauri(3, kernel=kernel, max_leaf_nodes=None)
    assert not model.__sklearn_tags__().input_tags.allow_nan
    message = r"X contains NaN.*column 2\. .*linear or cosine kernel or n_components.*SimpleImputer"
    gram = {"gram": np.eye(30)} if kernel == "precomputed" else {}
    with pytest.raises(ValueError, match=message):
        model.fit(X, **gram)


@pytest.mark.parametrize("engine", ["auto", "gram", "blocks", "features"])
def test_missing_values_with_other_engines_are_an_error(engine):
    X = blobs_of(30)
    X[4, 2] = np.nan
    message = (
        rf"X contains NaN.*column 2.*engine='auto' or 'binned'.*here .*engine='{engine}'"
        ".*SimpleImputer"
    )
    if engine != "auto":
        assert (
            not Kauri(3, engine=engine, max_leaf_nodes=None).__sklearn_tags__().input_tags.allow_nan
        )
        with pytest.raises(ValueError, match=message):
            Kauri(3, engine=engine, max_leaf_nodes=None).fit(X)
    model = Kauri(3, engine=engine, max_leaf_nodes=None).fit(blobs_of(30))
    for method in ("predict", "transform", "score", "apply", "decision_path"):
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(X)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_infinity_is_an_error(value, dtype):
    X = blobs_of(30).astype(dtype)
    model = binned(3).fit(X)
    X[7, 1] = value
    X[3, 2] = np.nan
    for call in (binned(3).fit, model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match="X contains infinity"):
            call(X)


def test_missing_values_of_rows_without_weight():
    """They count for nothing, but they get a label."""
    X = blobs_of(60)
    X[::4, 1] = np.nan
    weight = np.ones(60)
    weight[::4] = 0.0
    model = binned(4).fit(X, sample_weight=weight)
    assert not model.tree_.missing.any()
    exact = binned(4).fit(X[weight > 0])
    same_bits(model.tree_, exact.tree_)
    np.testing.assert_array_equal(model.labels_, model.predict(X))
