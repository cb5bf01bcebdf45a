"""Each compiled loop beside a naive twin."""

from __future__ import annotations

import numpy as np
import pytest
from agathis._core.clusters import transfer
from agathis._core.matrix import inspect
from agathis._core.pairs import Separation, close_root, open_root, sum_rows
from agathis._core.partition import partition
from agathis._core.predict import walk
from agathis._core.state import State
from invariants import route
from strategies import (
    KERNELS,
    Problem,
    kernel_matrix,
    leaves_of,
    pair_stocks,
    random_split,
    search_anew,
    table,
    weights,
)

from agathis import Kauri
from agathis import _reference as reference

# Sizes about those that the loops work in: 4 rows, 512 columns, tiles of 128 thresholds.
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 127, 128, 129, 130, 257, 511, 512, 513, 517]


def problem_of(seed, n, d, kernel, kind, n_clusters, values="normal") -> Problem:
    random = np.random.default_rng(seed)
    X = table(random, n, d, values)
    return Problem(X, kernel_matrix(random, X, kernel), weights(random, n, kind), n_clusters)


def weight_of(problem: Problem) -> np.ndarray:
    return np.ones(len(problem.X)) if problem.weight is None else problem.weight


def pair_values(problem: Problem) -> np.ndarray:
    """``w_i w_j d(i, j)``, d the kernel in distance form."""
    weight = weight_of(problem)
    return weight[:, None] * weight[None, :] * reference.distance_form(problem.gram)


def new_state(problem: Problem, threads: int = 1) -> State:
    return State(
        np.ascontiguousarray(problem.X.T),
        weight_of(problem),
        np.diagonal(problem.gram) / 2,
        problem.n_clusters,
        len(problem.X),
        threads,
    )


def all_rows(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ids = np.arange(len(problem.X), dtype=np.int32)
    return problem.gram, ids, ids


def blocks_of(problem: Problem, ids: np.ndarray, length: int):
    """Kernel rows of ``ids`` as blocks of their own, ``length`` at a time."""
    for first in range(0, len(ids), length):
        part = ids[first : first + length]
        # Not in order, so that an index that is ignored shows.
        block = np.ascontiguousarray(problem.gram[part][::-1])
        yield block, np.arange(len(part), dtype=np.int32)[::-1].copy(), part


def close(actual, desired, problem: Problem) -> None:
    scale = 1e-13 * (1 + np.abs(pair_values(problem)).sum())
    np.testing.assert_allclose(actual, desired, rtol=1e-11, atol=scale)


# What a state keeps, after cuts of every kind.


def holds_the_definitions(problem: Problem, state: State) -> None:
    """Everything that can be read from a state, from its leaves and clusters alone."""
    values = pair_values(problem)
    weight = weight_of(problem)
    cluster = np.empty(len(problem.X), dtype=int)
    seen = []
    for slot in range(state.n_leaves):
        inside = state.samples(slot)
        seen.extend(inside.tolist())
        cluster[inside] = state.cluster_of(slot)
        n_samples, leaf_weight = state.leaf_size(slot)
        assert n_samples == len(inside) > 0
        assert leaf_weight == pytest.approx(weight[inside].sum(), rel=1e-12)
        for feature in range(state.n_features):
            column = np.sort(problem.X[inside, feature])
            pairs = [state.values_around(slot, feature, p) for p in range(n_samples - 1)]
            expected = np.column_stack([column[:-1], column[1:]])
            np.testing.assert_array_equal(np.reshape(pairs, (-1, 2)), expected)
    assert sorted(seen) == list(range(len(problem.X)))
    assert set(cluster.tolist()) == set(range(state.n_clusters))
    for slot in range(state.n_leaves):
        here = cluster == state.cluster_of(slot)
        assert state.is_whole_cluster(slot) == (here.sum() == state.leaf_size(slot)[0])
    share = 0.0
    for k in range(state.n_clusters):
        close(state.cluster_stocks(k), values[:, cluster == k].sum(axis=1), problem)
        stock = values[np.ix_(cluster == k, cluster == k)].sum()
        size = weight[cluster == k].sum()
        close(state.cluster_means()[k] * size**2, stock, problem)
        share += stock / size
    close(state.objective(), share, problem)
    average = state.cluster_averages(problem.X[:, 0])
    for k in range(state.n_clusters):
        here = cluster == k
        assert average[k] == pytest.approx(np.average(problem.X[here, 0], weights=weight[here]))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", [None, "fractions"])
@pytest.mark.parametrize("n", SIZES)
def test_root(n, kind, threads):
    problem = problem_of(n, n, 3, "indefinite", kind, min(n, 3))
    values = pair_values(problem)
    state = new_state(problem, threads)
    magnitude = open_root(state, *all_rows(problem))
    close_root(state)
    assert magnitude == pytest.approx(np.abs(values).sum(), rel=1e-12)
    assert pair_stocks(problem).tolerance == pytest.approx(problem.tolerance, rel=1e-9)
    holds_the_definitions(problem, state)


@pytest.mark.parametrize("length", [1, 3, 4, 6])
def test_root_in_blocks(length):
    problem = problem_of(0, 23, 2, "indefinite", "whole", 3)
    state = new_state(problem)
    order = np.random.default_rng(0).permutation(23).astype(np.int32)
    magnitude = sum(open_root(state, *block) for block in blocks_of(problem, order, length))
    close_root(state)
    assert magnitude == pytest.approx(np.abs(pair_values(problem)).sum(), rel=1e-12)
    holds_the_definitions(problem, state)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", [None, "whole", "fractions"])
@pytest.mark.parametrize("n", [2, 3, 6, 11, 40])
def test_commits(n, kind, kernel):
    """Cuts of any leaf anywhere by any move leave what the definitions say."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        values = "integer" if seed % 2 else "normal"
        problem = problem_of(seed, n, 2, kernel, kind, min(n, 5), values)
        stocks = pair_stocks(problem)
        for _ in range(20):
            chosen = random_split(stocks, random)
            if chosen is None:
                break
            stocks.commit(*chosen)
            holds_the_definitions(problem, stocks.state)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [511, 512, 513, 1025])
def test_commits_over_several_chunks_of_columns(n, threads):
    problem = problem_of(n, n, 4, "rbf", "fractions" if n % 2 else None, 4)
    random = np.random.default_rng(n)
    stocks = pair_stocks(problem, threads)
    for _ in range(6):
        stocks.commit(*random_split(stocks, random))
    holds_the_definitions(problem, stocks.state)


def cut_in_two(problem: Problem, position: int) -> State:
    state = new_state(problem)
    open_root(state, *all_rows(problem))
    close_root(state)
    assert partition(state, 0, 0, position) == 1
    return state


@pytest.mark.parametrize("position", [0, 7, 11, 18])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("length", [1, 3, 4, 100])
def test_separation_sums(position, swapped, length):
    """The stock of each sample with the near side, whichever that is, in any blocks."""
    problem = problem_of(1, 20, 3, "indefinite", "fractions", 3)
    state = cut_in_two(problem, position)
    near, far = (1, 0) if swapped else (0, 1)
    between = Separation(state, near, far)
    ids = state.samples(near).copy()
    for block in blocks_of(problem, ids, length):
        between.add(*block)
    between.finish()
    expected = pair_values(problem)[:, ids].sum(axis=1) / weight_of(problem)
    close(between.sums, expected, problem)

    sums = np.zeros(20)
    for block in blocks_of(problem, ids, length):
        sum_rows(state, *block, sums)
    close(sums, expected, problem)

    transfer(state, near, 1, between.sums)
    assert state.n_clusters == 2
    holds_the_definitions(problem, state)


@pytest.mark.parametrize("feature", [0, 1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_partition(feature, seed):
    """Left is what stands before the cut; within a side every feature stays in order."""
    problem = problem_of(seed, 30, 3, "rbf", "whole", 2, "integer" if seed % 2 else "normal")
    state = new_state(problem)
    column = np.sort(problem.X[:, feature])
    position = int(np.flatnonzero(column[:-1] < column[1:])[seed % 3])
    assert partition(state, 0, feature, position) == 1
    left, right = state.samples(0), state.samples(1)
    assert len(left) == position + 1
    assert problem.X[left, feature].max() < problem.X[right, feature].min()
    for slot, inside in enumerate((left, right)):
        assert state.leaf_size(slot) == (len(inside), weight_of(problem)[inside].sum())
        assert state.cluster_of(slot) == 0
        assert not state.is_whole_cluster(slot)
        for f in range(3):
            column = np.sort(problem.X[inside, f])
            for p in range(len(inside) - 1):
                assert state.values_around(slot, f, p) == tuple(column[p : p + 2])


@pytest.mark.parametrize("kind", [None, "fractions"])
def test_sums_kept_for_each_feature(kind):
    """Stocks of each sample with what stands before it in its leaf, and with its leaf."""
    problem = problem_of(2, 40, 3, "indefinite", kind, 4)
    random = np.random.default_rng(0)
    stocks = pair_stocks(problem)
    values = pair_values(problem)
    for _ in range(15):
        arrays = stocks.state.arrays()
        slot_of, _ = leaves_of(stocks)
        together = slot_of[:, None] == slot_of[None, :]
        for f in range(3):
            before = arrays["rank"][f][None, :] < arrays["rank"][f][:, None]
            close(arrays["alpha"][f], (values * (together & before)).sum(axis=1), problem)
            for slot in range(stocks.state.n_leaves):
                start, stop = arrays["start"][slot], arrays["stop"][slot]
                inside = arrays["order"][f, start:stop]
                assert sorted(inside) == np.flatnonzero(slot_of == slot).tolist()
                column = problem.X[inside, f]
                np.testing.assert_array_equal(
                    arrays["cut"][f, start : stop - 1], np.diff(column) > 0
                )
                assert arrays["cut"][f, stop - 1] == 0
        close(arrays["rows"][:, 1], (values * together).sum(axis=1), problem)
        for slot in range(stocks.state.n_leaves):
            inside = slot_of == slot
            close(arrays["leaf_self"][slot], values[np.ix_(inside, inside)].sum(), problem)
        chosen = random_split(stocks, random)
        if chosen is None:
            break
        stocks.commit(*chosen)


# The search of a leaf.


def best_gains(problem: Problem, stocks, min_leaf: int = 1) -> np.ndarray:
    """The best gain of each leaf along each feature, every candidate tried."""
    slot_of, cluster_of = leaves_of(stocks)
    best = np.full((stocks.state.n_leaves, stocks.state.n_features), -np.inf)
    for c in reference.candidates(
        problem.X,
        problem.gram,
        slot_of,
        cluster_of,
        problem.weight,
        problem.n_clusters,
        min_samples_leaf=min_leaf,
    ):
        best[c.leaf, c.feature] = max(best[c.leaf, c.feature], c.gain)
    return best


def searched_gains(stocks) -> np.ndarray:
    """The same by the compiled search, one drawn feature at a time."""
    best = np.empty((stocks.state.n_leaves, stocks.state.n_features))
    for f in range(stocks.state.n_features):
        drawn = np.zeros(best.shape, dtype=np.uint8)
        drawn[:, f] = 1
        best[:, f] = search_anew(stocks, drawn)
        np.testing.assert_array_equal(best[:, f], stocks.bound[: len(best)])
    return best


def close_gains(stocks, found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-3 * stocks.tolerance)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", [None, "whole", "fractions"])
@pytest.mark.parametrize("min_leaf", [1, 3])
def test_search(kernel, kind, min_leaf):
    """After any cuts, for every leaf and feature; drawn together, the best of those drawn."""
    for seed in range(6):
        random = np.random.default_rng(seed)
        values = "integer" if seed % 2 else "normal"
        problem = problem_of(seed, 12, 3, kernel, kind, 5, values)
        stocks = pair_stocks(problem, min_leaf=float(min_leaf) if min_leaf > 1 else 0.0)
        for _ in range(5):
            expected = best_gains(problem, stocks, min_leaf)
            found = searched_gains(stocks)
            np.testing.assert_allclose(found, expected, rtol=0, atol=problem.tolerance)
            drawn = random.integers(0, 2, found.shape).astype(np.uint8)
            of_drawn = np.where(drawn, found, -np.inf).max(axis=1)
            close_gains(stocks, search_anew(stocks, drawn), of_drawn)
            close_gains(stocks, search_anew(stocks), found.max(axis=1))
            chosen = random_split(stocks, random)
            if chosen is None:
                break
            stocks.commit(*chosen)


@pytest.mark.parametrize("kernel", ["rbf", "ties"])
@pytest.mark.parametrize("kind", [None, "fractions"])
def test_locate_is_the_first_split_that_reaches_the_floor(kernel, kind):
    for seed in range(8):
        random = np.random.default_rng(seed)
        problem = problem_of(seed, 11, 2, kernel, kind, 5, "integer" if seed % 2 else "normal")
        stocks = pair_stocks(problem)
        for _ in range(4):
            slot_of, cluster_of = leaves_of(stocks)
            found = reference.candidates(
                problem.X, problem.gram, slot_of, cluster_of, problem.weight, problem.n_clusters
            )
            search_anew(stocks)
            for slot in range(stocks.state.n_leaves):
                here = [c for c in found if c.leaf == slot]
                if not here:
                    assert stocks.gain[slot] == -np.inf
                    continue
                best = stocks.gain[slot]
                for floor in (best - stocks.tolerance, best - 0.3 * abs(best) - stocks.tolerance):
                    split = stocks.locate(slot, floor)
                    # No candidate is so near the floor that rounding decides.
                    cut = min(c.cut for c in here if c.gain >= floor)
                    assert (split.feature, split.threshold) == cut[:2]
                    at = [c for c in here if c.cut == cut]
                    most = max(c.gain for c in at)
                    first = next(c for c in at if c.gain >= most - stocks.tolerance)
                    assert (split.move, split.left, split.right) == first[3:6]
                    assert split.gain == pytest.approx(first.gain, abs=stocks.tolerance)
                    column = np.sort(problem.X[slot_of == slot, split.feature])
                    assert np.sum(column <= split.threshold) == split.position + 1
            chosen = random_split(stocks, random)
            if chosen is None:
                break
            stocks.commit(*chosen)


def cluster_objective(values: np.ndarray, weight: np.ndarray, member: np.ndarray) -> np.ndarray:
    """sigma(C^2) / |C| for many sets C, the columns of ``member``; 0 for an empty one."""
    size = weight @ member
    stock = np.einsum("ic,ic->c", member, values @ member)
    return np.divide(stock, size, out=np.zeros_like(stock), where=size > 0)


def best_gain_of_many_thresholds(problem: Problem, stocks, slot: int, feature: int) -> float:
    """As `best_gains`, but all thresholds of a move at once: clusters written down as sets."""
    slot_of, cluster_of = leaves_of(stocks)
    values, weight = pair_values(problem), weight_of(problem)
    inside = slot_of == slot
    own = cluster_of[slot]
    column = problem.X[:, feature]
    low = np.unique(column[inside])[:-1]
    left = (inside[:, None] & (column[:, None] <= low[None, :])).astype(np.float64)
    right = inside[:, None].astype(np.float64) - left
    labels = np.array(cluster_of)[slot_of]
    empty = np.zeros((len(labels), 1))
    best = -np.inf
    state = stocks.state
    for _, a, b in reference.moves(
        own, state.n_clusters, state.max_clusters, state.is_whole_cluster(slot)
    ):
        change = 0.0
        for k in {own, a, b}:
            before = (labels == k).astype(np.float64)[:, None] if k < state.n_clusters else empty
            after = before - inside[:, None] if k == own else before
            after = after + (left if k == a else 0.0) + (right if k == b else 0.0)
            change = change + cluster_objective(values, weight, after)
            change = change - cluster_objective(values, weight, before)
        best = max(best, change.max(initial=-np.inf))
    return best


@pytest.mark.parametrize("kind", [None, "fractions"])
@pytest.mark.parametrize("n", [127, 128, 129, 130, 257, 300])
def test_search_over_several_tiles(n, kind):
    """Columns without ties, with few and with many; more clusters than are summed together."""
    random = np.random.default_rng(n)
    X = table(random, n, 5, "normal")
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] = 1.0
    gram = kernel_matrix(random, X, "indefinite" if n % 2 else "rbf")
    problem = Problem(X, gram, weights(random, n, kind), 7)
    stocks = pair_stocks(problem)
    for step in range(7):
        if step in (0, 1, 6):
            found = searched_gains(stocks)
            for slot in range(stocks.state.n_leaves):
                for feature in range(5):
                    expected = best_gain_of_many_thresholds(problem, stocks, slot, feature)
                    assert found[slot, feature] == pytest.approx(expected, abs=problem.tolerance)
        stocks.commit(*random_split(stocks, random))


@pytest.mark.parametrize("n_features", [2, 3, 16, 40, 200])
@pytest.mark.parametrize("n", [3, 9, 33, 65])
def test_search_over_many_features(n, n_features):
    """Small leaves of many features: all together are what each is alone."""
    random = np.random.default_rng(n)
    X = table(random, n, n_features, "normal")
    X[:, ::3] = np.round(X[:, ::3])
    problem = Problem(X, kernel_matrix(random, X, "indefinite"), None, 3)
    stocks = pair_stocks(problem)
    for _ in range(3):
        found = searched_gains(stocks)
        close_gains(stocks, search_anew(stocks), found.max(axis=1))
        for slot in range(stocks.state.n_leaves):
            for feature in (0, 1, n_features - 1):
                expected = best_gain_of_many_thresholds(problem, stocks, slot, feature)
                assert found[slot, feature] == pytest.approx(expected, abs=problem.tolerance)
            if stocks.gain[slot] > -np.inf:
                floor = stocks.gain[slot] - stocks.tolerance
                split = stocks.locate(slot, floor)
                assert split.feature == np.flatnonzero(found[slot] >= floor)[0]
        chosen = random_split(stocks, random)
        if chosen is None:
            break
        stocks.commit(*chosen)


def test_threads_change_no_bit_of_a_search():
    """Large enough that several threads search, cut and sum."""
    problem = problem_of(3, 1300, 40, "rbf", None, 6)
    random = np.random.default_rng(3)
    one, three = pair_stocks(problem, 1), pair_stocks(problem, 3)
    for _ in range(6):
        np.testing.assert_array_equal(search_anew(one), search_anew(three))
        for k in range(one.state.n_clusters):
            np.testing.assert_array_equal(
                one.state.cluster_stocks(k), three.state.cluster_stocks(k)
            )
        chosen = random_split(one, random)
        one.commit(*chosen)
        three.commit(*chosen)


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
    tree = Kauri(5, kernel="rbf").fit(X).tree_
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
    tree = Kauri(6, kernel="rbf").fit(X).tree_
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
    walk(X, one, one, feature, threshold, missing_left, answer, found, 0.0, 1)
    np.testing.assert_array_equal(found, np.full(5, 7))
