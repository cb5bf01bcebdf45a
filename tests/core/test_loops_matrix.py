"""The compiled look over a matrix and walk down a tree, beside naive twins."""

from __future__ import annotations

import numpy as np
import pytest
from agathis._core.pairwise.matrix import inspect
from agathis._core.shared.predict import descend
from helpers.invariants import route

from agathis import Kauri

# The look over a matrix.

TILE_SIZES = [1, 2, 31, 32, 33, 63, 64, 65, 97, 255, 256, 300]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("n", TILE_SIZES)
def test_inspect_symmetric(n, threads):
    random = np.random.default_rng(n)
    half = random.normal(size=(n, n))
    largest, apart, finite = inspect(half + half.T, threads)
    assert (largest, apart, finite) == (np.abs(half + half.T).max(), 0.0, True)


@pytest.mark.parametrize("n", TILE_SIZES)
def test_inspect_asymmetric(n):
    matrix = np.random.default_rng(n).normal(size=(n, n))
    largest, apart, finite = inspect(matrix, 2)
    assert finite
    assert apart == np.abs(matrix - matrix.T).max()
    # The mirror half is looked at for symmetry and for NaN; its size differs by `apart` at most.
    assert np.abs(matrix).max() - apart <= largest <= np.abs(matrix).max()


def corners(n: int) -> list[tuple[int, int]]:
    edges = sorted({0, n // 2, n - 1, *(e for e in (30, 31, 32, 63, 64) if e < n)})
    return [(i, j) for i in edges for j in edges]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 65])
def test_inspect_finds_one_bad_value(n, value):
    matrix = np.zeros((n, n))
    for i, j in corners(n):
        matrix[i, j] = value
        assert not inspect(matrix, 1)[2], (i, j)
        matrix[j, i] = value  # infinities that cancel in the difference
        assert not inspect(matrix, 1)[2], (i, j)
        matrix[i, j] = matrix[j, i] = 0.0
    assert inspect(matrix, 1) == (0.0, 0.0, True)


@pytest.mark.parametrize("n", [2, 31, 32, 33, 64, 65])
def test_inspect_finds_one_difference(n):
    matrix = np.ones((n, n))
    for i, j in corners(n):
        matrix[i, j] = 1.5
        largest, apart, finite = inspect(matrix, 1)
        assert finite
        assert apart == (0.0 if i == j else 0.5)
        assert largest <= 1.5
        matrix[i, j] = 1.0


# The walk down a tree.


def leaf_by_walking(tree, row) -> int:
    node = 0
    while tree.children_left[node] >= 0:
        value = float(row[tree.feature[node]])
        side = tree.children_left if value <= tree.threshold[node] else tree.children_right
        node = int(side[node])
    return node


def layouts(X: np.ndarray) -> dict[str, np.ndarray]:
    n, d = X.shape
    wide = np.full((3 * n, 2 * d), np.nan, dtype=X.dtype)
    wide[1::3, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    return {
        "C": X,
        "F": np.asfortranarray(X),
        "strided": wide[1::3, ::2],
        "backwards": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "one row for all": np.broadcast_to(X[0], X.shape),
        "read only": read_only,
        "no rows": X[:0],
    }


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", layouts(np.zeros((1, 1))))
def test_apply(layout, dtype):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4)).astype(dtype)
    X[::5] = np.round(X[::5])
    tree = Kauri(5, kernel="rbf", max_leaf_nodes=None).fit(X).tree_
    assert tree.n_leaves > 8
    # Some values stand on a threshold: these go left.
    for node in np.flatnonzero(tree.feature >= 0):
        X[node % 300, tree.feature[node]] = tree.threshold[node]
    rows = layouts(X)[layout]
    expected = [leaf_by_walking(tree, row) for row in rows]
    for threads in (1, 3):
        found = tree.apply(rows, threads)
        assert found.dtype == np.intp
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(tree.predict(rows), tree.cluster[np.array(expected, dtype=int)])


def test_apply_by_several_threads():
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 3))
    tree = Kauri(6, kernel="rbf", max_leaf_nodes=None).fit(X).tree_
    many = random.normal(size=(60_000, 3))
    leaves = np.flatnonzero(tree.children_left < 0)
    expected = leaves[np.argmax(route(tree, many)[:, leaves], axis=1)]
    assert len(many) * tree.max_depth > 100_000  # what several threads share
    for threads in (1, 2, 4):
        np.testing.assert_array_equal(tree.apply(many, threads), expected)


def test_apply_of_a_single_leaf():
    one = np.array([-1], dtype=np.int32)
    threshold = np.array([-2.0])
    found = np.empty(5, dtype=np.int32)
    feature, missing_left = np.array([-2], dtype=np.int32), np.zeros(1, dtype=np.uint8)
    X, answer = np.zeros((5, 2)), np.array([7], dtype=np.int32)
    start, none, weight = np.zeros(2, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0)
    tree = (one, one, feature, threshold, missing_left, start, none, weight)
    descend(X, *tree, answer, found, 0.0, 1)
    np.testing.assert_array_equal(found, np.full(5, 7))
