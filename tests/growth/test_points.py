"""Tables of sums of points, and their search, against naive references."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from agathis._core.points.sorted_points import SortedPoints
from helpers.examples import examples, mostly_slow
from helpers.naive import Leaves
from helpers.strategies import WEIGHTS
from helpers.tables import (
    DATA,
    MAX_SAMPLES,
    SEEDS,
    Grown,
    binned_engine,
    close,
    padded_points,
    radius_of,
    rows_of,
    some_engine,
    sorted_engine,
    weights_of,
    wide,
)
from hypothesis import given
from hypothesis import strategies as st

# The table of a leaf.


def block_stops(cut: np.ndarray, few: int) -> list[int]:
    """Where the blocks of a leaf end; ``cut`` says where a threshold fits after a sample."""
    n, done, stops = len(cut), 0, []
    while done < n:
        size = min(3 * done, 3 * (n - done) // 4, MAX_SAMPLES, max(few, n // 16))
        stop = done + max(1, size)
        while stop < n and not cut[stop - 1]:
            stop += 1
        stops.append(stop)
        done = stop
    return stops


def check_sorted_table(table, naive: Leaves, leaf_index: int, few: int = 16) -> None:
    """Sums, counts, weights and radii of the blocks, each from the samples."""
    arrays, members = table.arrays, naive.members(leaf_index)
    width = arrays["sum"].shape[1]
    total, total_weight = naive.total(members)
    assert table.n_samples == len(members)
    assert table.leaf_weight == pytest.approx(total_weight, rel=1e-12)
    scale = 1 + np.abs(naive.weight[:, None] * naive.points).sum()
    close(arrays["total"], wide(total[None], width)[0], scale)
    assert set(arrays) == {
        "first", "stop", "sum", "count", "weight", "radius", "bound", "total"
    }  # fmt: skip
    for f in range(naive.values.shape[1]):
        order = members[np.argsort(naive.values[members, f], kind="stable")]
        column = naive.values[order, f]
        cut = np.append(column[:-1] < column[1:], False)
        sizes = np.cumsum(naive.weight[order])
        sums = np.cumsum(naive.weight[order, None] * naive.points[order], axis=0)
        stops = block_stops(cut, few)
        blocks = slice(arrays["first"][f], arrays["stop"][f])
        ends = np.array(stops) - 1
        np.testing.assert_array_equal(arrays["count"][blocks], stops)
        close(arrays["weight"][blocks], sizes[ends], sizes[-1])
        close(arrays["sum"][blocks], wide(sums[ends], width), scale)
        begins = [0, *stops[:-1]]
        radius = [
            radius_of(
                sums,
                sizes,
                begin - 1,
                end,
                [e for e in range(begin, end) if cut[e]],
                total_weight,
            )
            for begin, end in zip(begins, ends, strict=True)
        ]
        close(arrays["radius"][blocks], radius, scale)
        assert table.has_cut()[f] == cut.any()


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("kind", [None, "fractions"])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 40, 300, 1500])
def test_sorted_tables(n, kind, data):
    random = np.random.default_rng(n)
    X = rows_of(random, n, 3, data)
    points = random.normal(size=(n, 5))
    weight = weights_of(random, n, kind)
    values = np.ascontiguousarray(X.T)
    for threads, few in ((1, 16), (3, 16), (1, 1), (1, 5)):
        samples = SortedPoints(values, padded_points(points), weight, threads, few)
        table = samples.table(0)
        check_sorted_table(table, Leaves(X, points, weight, 1), 0, few)


@pytest.mark.parametrize("weight", [1e-9, 1e9])
def test_a_block_around_a_weight_unlike_the_others_is_never_narrow(weight):
    """No line holds there: the radius is not known, and its cuts are looked at one by one."""
    n, place = 400, 200
    random = np.random.default_rng(0)
    points, heavy = random.normal(size=(n, 2)), np.ones(n)
    heavy[place] = weight
    X = np.arange(float(n))[:, None]
    table = SortedPoints(X.T.copy(), padded_points(points), heavy, 1).table(0)
    check_sorted_table(table, Leaves(X, points, heavy, 1), 0)
    radius = table.arrays["radius"][: table.arrays["stop"][0]]
    assert np.isinf(radius).any() == (weight > 1)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("n", mostly_slow([2, 3, 8, 30, 700], 2, 3, 8, 30))
def test_sorted_samples_are_split(n, data):
    """Orders stay sorted in each leaf, and thresholds fit where values differ."""
    random = np.random.default_rng(n)
    X = rows_of(random, n, 4, data)
    naive = Leaves(X, X, np.ones(n), 1)
    samples = SortedPoints(np.ascontiguousarray(X.T), padded_points(X), naive.weight, 1)
    for step in range(12):
        for leaf_index in range(len(naive.cluster_of)):
            members = naive.members(leaf_index)
            assert sorted(samples.samples(leaf_index)) == members.tolist()
            for f in range(4):
                column = np.sort(X[members, f])
                around = [samples.values_around(leaf_index, f, p) for p in range(len(column) - 1)]
                expected = np.column_stack([column[:-1], column[1:]])
                np.testing.assert_array_equal(np.reshape(around, (-1, 2)), expected)
        if n < 700 or step in (1, 11):
            for leaf_index in range(len(naive.cluster_of)):
                table = samples.table(leaf_index)
                check_sorted_table(table, naive, leaf_index)
        leaf_index, feature = int(random.integers(len(naive.cluster_of))), int(random.integers(4))
        cuts = naive.cuts(leaf_index, feature)
        if len(cuts.last):
            at = int(random.integers(len(cuts.last)))
            samples.split(leaf_index, len(naive.cluster_of), feature, int(cuts.count[at]))
            naive.cut(
                leaf_index, naive.goes_left(leaf_index, feature, cuts.last[at], False), (0, 0)
            )


# The search.

UNREACHED = 1e300  # a floor that no gain reaches: nothing is looked into


def blocks_of(table, feature: int):
    """The blocks of a feature: number, and the range of counts or of rows they hold cuts at."""
    arrays = table.arrays
    first, stop = int(arrays["first"][feature]), int(arrays["stop"][feature])
    if "row" in arrays:
        ends = arrays["row"][first:stop] + 1
        begin = int(ends[0]) - 1 if first < stop else 0
    else:
        ends, begin = arrays["count"][first:stop], 0
    for b, end in enumerate(ends.astype(int).tolist(), first):
        yield b, begin, end
        begin = end


def cuts_within(table, cuts, feature: int, begin: int, stop: int) -> np.ndarray:
    """Which of the cuts of a feature are in a block, its end included."""
    arrays = table.arrays
    if "row" not in arrays:
        return (cuts.count > begin) & (cuts.count <= stop)
    counts = arrays["row_count"][begin:stop]
    return np.isin(cuts.count, counts)


def bounds_hold(grown: Grown, fresh: bool = False) -> int:
    """No cut gains more than the bound of its block; how many bounds are of several cuts.

    While no cluster changed (``fresh``), a bound of one cut is its gain.
    """
    leaf_indices = np.array(grown.leaf_indices, dtype=np.int32)
    grown.gain_engine.search(leaf_indices, None, UNREACHED)
    # Bounds of a radius that is not known reach any floor: these blocks were looked into.
    slack, several = 1e-12 * grown.naive.scale, 0
    for leaf_index in grown.leaf_indices:
        table = grown.state.tables[leaf_index]
        arrays = table.arrays
        best, leaf_bound = -np.inf, grown.gain_engine.bound[leaf_index]
        for f in range(grown.naive.values.shape[1]):
            cuts = grown.naive.cuts(leaf_index, f)
            gains = grown.naive.best_gains(leaf_index, cuts)
            best = max(best, gains.max(initial=-np.inf))
            seen = 0
            for b, begin, stop in blocks_of(table, f):
                inside = cuts_within(table, cuts, f, begin, stop)
                seen += inside.sum()
                most = gains[inside].max(initial=-np.inf)
                if np.isinf(arrays["radius"][b]):
                    if grown.gain_engine.limits.min_leaf == 0:
                        assert arrays["bound"][b] == pytest.approx(most, abs=slack)
                        assert grown.gain_engine.gain[leaf_index] >= most - slack
                    continue
                # Clusters that promise too little are not asked about: the leaf's bound tells.
                assert max(arrays["bound"][b], leaf_bound) >= most - slack
                several += np.sum(inside) > 1
                alone = b + 1 == arrays["stop"][f] or arrays["radius"][b + 1] == 0
                if fresh and arrays["radius"][b] == 0 and alone:
                    assert arrays["bound"][b] == pytest.approx(most, abs=slack)
            assert seen == len(cuts.last)
        assert (
            grown.gain_engine.bound[leaf_index] >= best - slack
            or grown.gain_engine.limits.min_leaf > 0
        )
    return several


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("data", mostly_slow(DATA, *list(DATA)[:2]))
@pytest.mark.parametrize("kind", mostly_slow([None, "fractions"], None))
def test_no_cut_gains_more_than_the_bound_of_its_block(engine, data, kind):
    """Whatever the leaves and clusters, while clusters are founded and after that."""
    # Fixed seeds: how many blocks have several cuts is counted over all of them.
    several = 0
    for seed in range(3):
        random = np.random.default_rng(seed)
        n_clusters = int(random.choice([2, 4, 6]))
        grown = some_engine(seed, 200, 3 + 5 * (seed == 0), data, kind, n_clusters, engine=engine)
        for step in range(7):
            if step in (0, 1, 3, 6):
                several += bounds_hold(grown, fresh=step == 0)
            grown.cut(random, founding=step < 2 and grown.naive.n_clusters < n_clusters)
    assert several > 5


@pytest.mark.parametrize("engine", ["features", "binned"])
@given(
    st.integers(2, 120),
    st.integers(1, 3),
    st.sampled_from(DATA),
    st.sampled_from(WEIGHTS),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.0, 0.2]),
    SEEDS,
)
@examples(40)
def test_bounds_of_any_leaves(engine, n, d, data, kind, n_clusters, missing, seed):
    random = np.random.default_rng(seed)
    grown = some_engine(seed, n, d, data, kind, n_clusters, engine=engine, missing=missing)
    for _ in range(random.integers(0, 7)):
        grown.cut(random)
    bounds_hold(grown)


def naive_gains(grown: Grown, leaf_index: int) -> list[np.ndarray]:
    """The best gain of each cut along each feature."""
    naive, min_leaf = grown.naive, grown.gain_engine.limits.min_leaf
    return [
        naive.best_gains(leaf_index, naive.cuts(leaf_index, f), min_leaf)
        for f in range(naive.values.shape[1])
    ]


def best_of(gains: list[np.ndarray]) -> float:
    return max(g.max(initial=-np.inf) for g in gains)


def search_holds(grown: Grown, random: np.random.Generator) -> None:
    """The best leaf has its gain for certain, the others a gain that they have and a bound."""
    gain_engine, leaf_indices = grown.gain_engine, np.array(grown.leaf_indices, dtype=np.int32)
    slack = 1e-12 * grown.naive.scale
    every = [naive_gains(grown, leaf_index) for leaf_index in leaf_indices]
    for drawn in (None, random.integers(0, 2, (len(leaf_indices), len(every[0]))).astype(np.uint8)):
        expected = np.array(
            [
                best_of([g for f, g in enumerate(gains) if drawn is None or drawn[j, f]] or [[]])
                if drawn is None or drawn[j].any()
                else -np.inf
                for j, gains in enumerate(every)
            ]
        )
        gain_engine.search(leaf_indices, drawn, -np.inf)
        gain, bound = gain_engine.gain[leaf_indices], gain_engine.bound[leaf_indices]
        best = expected.max()
        near = expected >= best - gain_engine.tolerance / 2
        np.testing.assert_allclose(gain[near], expected[near], rtol=0, atol=slack)
        np.testing.assert_array_equal(gain[near], bound[near])
        finite = gain > -np.inf
        assert np.all(gain[finite] <= expected[finite] + slack)
        assert np.all(bound >= gain)
        assert np.all(bound >= expected - slack)
        # With a floor above all of them nothing need be certain, but what is said still holds.
        if best > -np.inf:
            gain_engine.search(leaf_indices, drawn, best + 1 + abs(best))
            assert np.all(gain_engine.bound[leaf_indices] >= expected - slack)
    for j, leaf_index in enumerate(leaf_indices):
        gain_engine.search(leaf_indices[j : j + 1], None, -np.inf)
        assert gain_engine.gain[leaf_index] == gain_engine.bound[leaf_index]
        if best_of(every[j]) == -np.inf:
            assert gain_engine.gain[leaf_index] == -np.inf
        else:
            assert gain_engine.gain[leaf_index] == pytest.approx(best_of(every[j]), abs=slack)
            locate_holds(grown, leaf_index, every[j])


def locate_holds(grown: Grown, leaf_index: int, gains: list[np.ndarray]) -> None:
    """The first cut by feature and threshold that reaches a floor, and its preferred move."""
    gain_engine, naive = grown.gain_engine, grown.naive
    tolerance, best = gain_engine.tolerance, best_of(gains)
    for floor in (best - tolerance, best - 0.2 * abs(best) - tolerance):
        everything = np.concatenate(gains)
        if np.any(np.abs(everything - floor) < 0.1 * tolerance):
            continue  # rounding decides
        feature = next(f for f, g in enumerate(gains) if np.any(g >= floor))
        at = int(np.argmax(gains[feature] >= floor))
        cuts = naive.cuts(leaf_index, feature)
        split = gain_engine.locate(leaf_index, floor)
        assert split.feature == feature
        left = naive.goes_left(leaf_index, feature, cuts.last[at], cuts.missing_left[at])
        if gain_engine.samples is None:
            assert split.position == cuts.last[at]
            assert (split.missing == 1) == cuts.missing_left[at]
        else:
            assert split.position == cuts.count[at] - 1
            members = naive.members(leaf_index)
            column = naive.values[members, feature]
            np.testing.assert_array_equal(members[column <= split.threshold], left)
        each = naive.gains(leaf_index, cuts)[at]
        if np.any(np.abs(each - (each.max() - tolerance)) < 0.1 * tolerance):
            continue
        preferred = int(np.argmax(each >= each.max() - tolerance))
        assert (split.move, split.left, split.right) == naive.moves(leaf_index)[preferred]
        assert split.gain == pytest.approx(each[preferred], abs=1e-12 * naive.scale)


@pytest.mark.parametrize("engine", ["features", "binned"])
@given(
    st.integers(2, 90),
    st.integers(1, 4),
    st.sampled_from(DATA),
    st.sampled_from(WEIGHTS),
    st.integers(2, 6),
    st.sampled_from([0.0, 0.0, 2.0, 5.0]),
    st.sampled_from([0.0, 0.0, 0.2, 0.6]),
    SEEDS,
)
@examples(60)
def test_search_and_locate(engine, n, d, data, kind, n_clusters, min_leaf, missing, seed):
    random = np.random.default_rng(seed)
    grown = some_engine(
        seed, n, d, data, kind, n_clusters, engine=engine, min_leaf=min_leaf, missing=missing
    )
    for step in range(random.integers(1, 6)):
        if step:
            grown.cut(random, founding=bool(step < 3 and random.integers(2)))
    search_holds(grown, random)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "data"), product(["features", "binned"], DATA))
def test_search_of_larger_leaves(engine, data):
    """Blocks of up to 256 samples, tiles that end within a feature, many clusters."""
    random = np.random.default_rng(4)
    grown = some_engine(
        4, 1600, 5, data, "fractions" if data == "mixed" else None, 9, engine=engine, missing=0.02
    )
    for step in range(8):
        if step in (0, 2, 7):
            search_holds(grown, random)
        grown.cut(random, founding=step < 5)


def test_a_leaf_of_equal_rows_has_no_split():
    X = np.ones((20, 2))
    for make in (sorted_engine, binned_engine):
        grown = make(X, np.ones(20), X, 3)
        assert not grown.gain_engine.has_threshold(0).any()
        grown.gain_engine.search(np.zeros(1, dtype=np.int32), None, -np.inf)
        assert grown.gain_engine.gain[0] == grown.gain_engine.bound[0] == -np.inf


def test_a_floor_that_is_not_reached_is_an_error():
    X = np.arange(6.0)[:, None]
    grown = sorted_engine(X, np.ones(6), X, 2)
    grown.gain_engine.search(np.zeros(1, dtype=np.int32), None, -np.inf)
    with pytest.raises(RuntimeError, match="no split of leaf 0 gains"):
        grown.gain_engine.locate(0, 2 * grown.gain_engine.gain[0])


@pytest.mark.parametrize("engine", ["features", "binned"])
def test_threads_change_no_bit_of_a_search(engine):
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 12))
    X[:, ::2] = np.round(X[:, ::2], 1)
    make = sorted_engine if engine == "features" else binned_engine
    weight = weights_of(random, 3000, "fractions")
    grown = [make(X, weight, X, 6, threads=threads) for threads in (1, 2, 4)]
    for seed in range(6):
        found = []
        for one in grown:
            leaf_indices = np.array(one.leaf_indices, dtype=np.int32)
            one.gain_engine.search(leaf_indices, None, -np.inf)
            found.append(
                np.append(one.gain_engine.gain[leaf_indices], one.gain_engine.bound[leaf_indices])
            )
            one.cut(np.random.default_rng(seed))
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])
        for one in grown:
            np.testing.assert_array_equal(one.state.centres(), grown[0].state.centres())


# What engine say of clusters.


@pytest.mark.parametrize("engine", ["features", "binned"])
@given(st.sampled_from(DATA), st.sampled_from([None, "fractions"]), SEEDS)
@examples(10)
def test_clusters_are_sums(engine, data, kind, seed):
    random = np.random.default_rng(seed)
    grown = some_engine(seed, 60, 2, data, kind, 5, engine=engine, missing=0.1)
    naive, scale = grown.naive, grown.naive.scale
    for _ in range(10):
        assert grown.gain_engine.n_clusters == naive.n_clusters
        value = -grown.gain_engine.inertia
        centres = grown.gain_engine.centres(np.empty(0, dtype=np.int32), keep=False).points
        for k in range(naive.n_clusters):
            leaf_indices = np.flatnonzero(np.array(naive.cluster_of) == k)
            total, size = naive.total(np.flatnonzero(np.isin(naive.leaf_index_of, leaf_indices)))
            assert grown.state.cluster_sizes()[k] == pytest.approx(size, rel=1e-12)
            np.testing.assert_allclose(
                centres[k], total / size, rtol=1e-9, atol=1e-12 * scale / size
            )
            value += total @ total / size
        assert grown.gain_engine.objective == pytest.approx(value, abs=1e-12 * scale)
        points = naive.points + grown.gain_engine.origin
        assert grown.gain_engine.trace == pytest.approx(naive.weight @ np.sum(points**2, axis=1))
        for leaf_index in grown.leaf_indices:
            members = naive.members(leaf_index)
            n_samples, weight = grown.gain_engine.leaf_size(leaf_index)
            assert (n_samples, weight) == (len(members), pytest.approx(naive.total(members)[1]))
            cuts = [len(naive.cuts(leaf_index, f).last) > 0 for f in range(2)]
            np.testing.assert_array_equal(grown.gain_engine.has_threshold(leaf_index), cuts)
        if not grown.cut(random):
            break
