"""Sums of points: each compiled loop beside a naive twin, and the bounds of the search."""

from __future__ import annotations

import numpy as np
import pytest
from agathis._core.binning import look_over
from agathis._core.histogram import Histogram, goes_left, remainder, split_ids
from agathis._core.points import padded
from agathis._core.sorted import SortedSamples
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import Leaves
from strategies import WEIGHTS, weights

from agathis._binning import MISSING, Bins, find_bins
from agathis._kernels import Kernel
from agathis._progress import Progress
from agathis._space import Space
from agathis.stocks.base import Split, threshold_between
from agathis.stocks.binned import BinnedStocks
from agathis.stocks.features import FeatureStocks
from agathis.stocks.store import MemoryStore

# The most samples of a block, and the most rows of a block of bins.
MOST_SAMPLES, MOST_ROWS = 256, 32
SEEDS = st.integers(0, 2**32 - 1)
DATA = ("normal", "integer", "mixed", "outliers")


def rows_of(random: np.random.Generator, n: int, d: int, kind: str) -> np.ndarray:
    """Values that differ, that tie, some of each, and some that are far from the others."""
    X = random.normal(size=(n, d))
    if kind == "integer":
        X = np.round(2 * X)
    elif kind == "mixed":
        X[:, ::2] = np.round(X[:, ::2], 1)
        X[:, -1] = 3.0
    elif kind == "outliers":
        X *= np.exp(random.normal(size=(n, 1)) * 2)
        X[random.integers(n)] *= 1e3
    return X


def weights_of(random: np.random.Generator, n: int, kind: str | None) -> np.ndarray:
    weight = weights(random, n, kind)
    return np.ones(n) if weight is None else np.maximum(weight, 0.25)


def padded_points(points: np.ndarray) -> np.ndarray:
    out = np.zeros((len(points), padded(points.shape[1])))
    out[:, : points.shape[1]] = points
    return out


def wide(sums: np.ndarray, width: int) -> np.ndarray:
    """Sums with their padding."""
    return np.pad(sums, ((0, 0), (0, width - sums.shape[1])))


def close(actual, desired, scale: float = 1.0) -> None:
    np.testing.assert_allclose(actual, desired, rtol=1e-11, atol=1e-12 * scale)


# Stocks with a naive twin, and cuts of both.


class Grown:
    """Stocks of points that are cut at random, beside the same leaves kept naively."""

    def __init__(self, stocks, twin: Leaves) -> None:
        self.stocks, self.state, self.twin = stocks, stocks.state, twin

    @property
    def slots(self) -> range:
        return range(self.state.n_leaves)

    def cut(self, random: np.random.Generator, founding: bool = False) -> bool:
        """Any cut of any leaf by any allowed move, whatever it gains; whether there is one."""
        twin = self.twin
        for slot in random.permutation(self.state.n_leaves).tolist():
            for feature in random.permutation(twin.values.shape[1]).tolist():
                cuts, moves = twin.cuts(slot, feature), twin.moves(slot)
                if founding:
                    moves = [m for m in moves if m[0] == 1]
                if len(cuts.last) and moves:
                    at = int(random.integers(len(cuts.last)))
                    self.make(slot, feature, cuts, at, moves[random.integers(len(moves))])
                    return True
        return False

    def make(self, slot, feature, cuts, at, move) -> None:
        last, missing_left = float(cuts.last[at]), bool(cuts.missing_left[at])
        left = self.twin.goes_left(slot, feature, last, missing_left)
        position = int(last) if self.stocks.samples is None else int(cuts.count[at]) - 1
        misses = np.isnan(self.twin.values[self.twin.members(slot), feature]).any()
        missing = (1 if missing_left else 2) if misses else 0
        split = Split(feature, np.nan, np.nan, *move, position, missing)
        assert self.stocks.commit(slot, split) == len(self.twin.cluster_of)
        self.twin.cut(slot, left, move[1:])


def sorted_stocks(X, weight, points, n_clusters, min_leaf=0.0, threads=1) -> Grown:
    stocks = FeatureStocks(
        X, weight, points, n_clusters=n_clusters, min_leaf=min_leaf, threads=threads
    )
    return Grown(stocks, Leaves(X, points - stocks.origin, weight, n_clusters))


def binned_stocks(X, weight, points, n_clusters, min_leaf=0.0, threads=1, max_bins=255) -> Grown:
    """Bins of X, and other points: as if these came from a feature map."""
    bins = find_bins(X, weight, max_bins)
    store = MemoryStore(X, bins, Space(Kernel("linear")), threads)
    store.points = np.ascontiguousarray(points)
    origin = np.average(points, axis=0, weights=weight)
    stocks = BinnedStocks(
        store,
        bins,
        np.arange(len(X), dtype=np.int32),
        weight,
        origin,
        np.zeros(len(origin)),
        n_clusters=n_clusters,
        min_leaf=min_leaf,
        threads=threads,
        progress=Progress(0, None, n_clusters),
    )
    values = store.bins.astype(np.float64)
    values[values == MISSING] = np.nan
    return Grown(stocks, Leaves(values, points - origin, weight, n_clusters))


def some_stocks(seed, n, d, data, kind, n_clusters, *, stocks, min_leaf=0.0, missing=0.0, D=3):
    random = np.random.default_rng(seed)
    X = rows_of(random, n, d, data)
    points = np.column_stack([X, random.normal(size=(n, D))])
    if seed % 3 == 0:
        points = X.copy()
    weight = weights_of(random, n, kind)
    if stocks == "features":
        return sorted_stocks(X, weight, points, n_clusters, min_leaf)
    X = X.copy()
    X[random.random(X.shape) < missing] = np.nan
    max_bins = int(random.choice([255, 255, 40, 7]))
    return binned_stocks(X, weight, points, n_clusters, min_leaf, max_bins=max_bins)


# The table of a leaf.


def block_stops(cut: np.ndarray) -> list[int]:
    """Where the blocks of a leaf end; ``cut`` says where a threshold fits after a sample."""
    n, done, stops = len(cut), 0, []
    while done < n:
        size = min(3 * done, 3 * (n - done) // 4, MOST_SAMPLES, max(16, n // 16))
        stop = done + max(1, size)
        while stop < n and not cut[stop - 1]:
            stop += 1
        stops.append(stop)
        done = stop
    return stops


def is_narrow(begin: float, end: float, total: float) -> bool:
    return end <= 4 * begin and total - begin <= 4 * (total - end)


def radius_of(sums, sizes, before: int, end: int, inner: list[int], total: float) -> float:
    """How far the inner cuts are off the line between the cuts ``before`` and ``end``."""
    if not inner:
        return 0.0
    if before < 0 or not is_narrow(sizes[before], sizes[end], total):
        return np.inf
    step = (sums[end] - sums[before]) / (sizes[end] - sizes[before])
    offsets = [sums[e] - sums[before] - (sizes[e] - sizes[before]) * step for e in inner]
    return max(float(np.linalg.norm(off)) for off in offsets)


def check_sorted_table(table, twin: Leaves, slot: int) -> None:
    """Sums, counts, weights and radii of the blocks, each from the samples."""
    arrays, members = table.arrays, twin.members(slot)
    width = arrays["sum"].shape[1]
    total, total_weight = twin.total(members)
    assert table.n_samples == len(members)
    assert table.leaf_weight == pytest.approx(total_weight, rel=1e-12)
    scale = 1 + np.abs(twin.weight[:, None] * twin.points).sum()
    close(arrays["total"], wide(total[None], width)[0], scale)
    assert set(arrays) == {
        "first", "stop", "sum", "count", "weight", "radius", "bound", "total"
    }  # fmt: skip
    for f in range(twin.values.shape[1]):
        order = members[np.argsort(twin.values[members, f], kind="stable")]
        column = twin.values[order, f]
        cut = np.append(column[:-1] < column[1:], False)
        sizes = np.cumsum(twin.weight[order])
        sums = np.cumsum(twin.weight[order, None] * twin.points[order], axis=0)
        stops = block_stops(cut)
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
    for threads in (1, 3):
        samples = SortedSamples(np.ascontiguousarray(X.T), padded_points(points), weight, threads)
        (table,) = samples.tables([0])
        check_sorted_table(table, Leaves(X, points, weight, 1), 0)


@pytest.mark.parametrize("weight", [1e-9, 1e9])
def test_a_block_around_a_weight_unlike_the_others_is_never_narrow(weight):
    """No line holds there: the radius is not known, and its cuts are looked at one by one."""
    n, place = 400, 200
    random = np.random.default_rng(0)
    points, heavy = random.normal(size=(n, 2)), np.ones(n)
    heavy[place] = weight
    X = np.arange(float(n))[:, None]
    (table,) = SortedSamples(X.T.copy(), padded_points(points), heavy, 1).tables([0])
    check_sorted_table(table, Leaves(X, points, heavy, 1), 0)
    radius = table.arrays["radius"][: table.arrays["stop"][0]]
    assert np.isinf(radius).any() == (weight > 1)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("n", [2, 3, 8, 30, 700])
def test_sorted_samples_are_split(n, data):
    """Orders stay sorted in each leaf, and thresholds fit where values differ."""
    random = np.random.default_rng(n)
    X = rows_of(random, n, 4, data)
    twin = Leaves(X, X, np.ones(n), 1)
    samples = SortedSamples(np.ascontiguousarray(X.T), padded_points(X), twin.weight, 1)
    for step in range(12):
        for slot in range(len(twin.cluster_of)):
            members = twin.members(slot)
            assert sorted(samples.samples(slot)) == members.tolist()
            for f in range(4):
                column = np.sort(X[members, f])
                around = [samples.values_around(slot, f, p) for p in range(len(column) - 1)]
                expected = np.column_stack([column[:-1], column[1:]])
                np.testing.assert_array_equal(np.reshape(around, (-1, 2)), expected)
        if n < 700 or step in (1, 11):
            for slot, table in enumerate(samples.tables(list(range(len(twin.cluster_of))))):
                check_sorted_table(table, twin, slot)
        slot, feature = int(random.integers(len(twin.cluster_of))), int(random.integers(4))
        cuts = twin.cuts(slot, feature)
        if len(cuts.last):
            at = int(random.integers(len(cuts.last)))
            samples.split(slot, len(twin.cluster_of), feature, int(cuts.count[at]))
            twin.cut(slot, twin.goes_left(slot, feature, cuts.last[at], False), (0, 0))


# Histograms.


def histogram_of(
    phi, bins, ids, weight, origin, gap, *, threads=1, width=None, parts=1
) -> Histogram:
    histogram = Histogram(
        bins.shape[1], width or padded(len(origin)), origin, gap, weight is not None, threads
    )
    for part in np.array_split(np.arange(len(ids)), parts):
        some = None if weight is None else np.ascontiguousarray(weight[part])
        histogram.add(phi, bins, np.ascontiguousarray(ids[part]), some, True)
    return histogram


def check_binned_table(table, points, bins, weight) -> None:
    """A table of some rows against sums that np.add.at makes of them; points may not be NaN."""
    arrays = table.arrays
    n, d = bins.shape
    width = arrays["sum"].shape[1]
    scale = 1 + np.abs(weight[:, None] * points).sum()
    assert table.n_samples == n
    assert table.leaf_weight == pytest.approx(weight.sum(), rel=1e-11)
    close(arrays["total"], wide((weight @ points)[None], width)[0], scale)
    begin = 0
    for f in range(d):
        sums, sizes, counts = np.zeros((256, points.shape[1])), np.zeros(256), np.zeros(256)
        np.add.at(sums, bins[:, f], weight[:, None] * points)
        np.add.at(sizes, bins[:, f], weight)
        np.add.at(counts, bins[:, f], 1)
        found = np.flatnonzero(counts[:MISSING])
        rows = slice(begin, begin + len(found))
        np.testing.assert_array_equal(arrays["bin"][rows], found)
        np.testing.assert_array_equal(arrays["row_count"][rows], np.cumsum(counts[found]))
        sums_up_to = np.cumsum(sums[found], axis=0)
        sizes_up_to = np.cumsum(sizes[found])
        close(arrays["row_sum"][rows], wide(sums_up_to, width), scale)

        blocks = slice(arrays["first"][f], arrays["stop"][f])
        misses = counts[MISSING] > 0
        ends = row_blocks(sizes_up_to, 1 if misses else MOST_ROWS)
        np.testing.assert_array_equal(arrays["row"][blocks] - begin, ends)
        np.testing.assert_array_equal(arrays["count"][blocks], np.cumsum(counts[found])[ends])
        close(arrays["weight"][blocks], sizes_up_to[ends], weight.sum())
        close(arrays["sum"][blocks], wide(sums_up_to[ends], width), scale)
        radius = [
            radius_of(
                sums_up_to, sizes_up_to, before, end, list(range(before + 1, end)), sizes_up_to[-1]
            )
            for before, end in zip([-1, *ends[:-1]], ends, strict=False)
        ]
        close(arrays["radius"][blocks], radius, scale)

        assert table.n_missing(f) == counts[MISSING]
        assert table.has_cut()[f] == (len(found) + misses > 1)
        if "missing" in arrays:
            close(arrays["missing"][f], wide(sums[MISSING][None], width)[0], scale)
        if len(found):
            assert table.bins_around(f, begin + len(found) - 1) == (found[-1], -1)
        if len(found) > 1:
            assert table.bins_around(f, begin) == (found[0], found[1])
        begin += len(found)


def row_blocks(sizes: np.ndarray, most: int) -> list[int]:
    """The last row of each block of bins: as many as keep it narrow."""
    n, done, ends = len(sizes), 0, []
    while done < n:
        size = 1
        while (
            done > 0
            and size < most
            and done + size < n
            and is_narrow(sizes[done - 1], sizes[done + size], sizes[-1])
        ):
            size += 1
        done += size
        ends.append(done - 1)
    return ends


def random_bins(random, n, d, missing) -> np.ndarray:
    bins = np.column_stack(
        [random.integers(0, random.choice([1, 2, 10, 255]), n) for _ in range(d)]
    ).astype(np.uint8)
    bins[random.random(bins.shape) < missing] = MISSING
    return bins


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.1, 1.0])
@pytest.mark.parametrize(("n", "components"), [(1, 1), (5, 8), (200, 9), (3000, 5)])
def test_histogram(n, components, missing, weighted, dtype):
    """Of some rows of a table, in any number of parts; missing components are the gap."""
    random = np.random.default_rng(n)
    rows = n + 7
    phi = random.normal(size=(rows, components)).astype(dtype)
    phi[random.random(phi.shape) < missing / 2] = np.nan
    bins = random_bins(random, rows, 4, missing)
    ids = np.sort(random.permutation(rows)[:n]).astype(np.int32)
    weight = random.choice([0.25, 0.5, 1.0, 3.0], n) if weighted else None
    origin, gap = random.normal(size=(2, components))
    points = np.where(np.isnan(phi), gap, phi.astype(np.float64) - origin)[ids]
    own = np.ones(n) if weight is None else weight
    for parts in (1, min(n, 3)):
        histogram = histogram_of(phi, bins, ids, weight, origin, gap, parts=parts)
        assert histogram.squares == pytest.approx(own @ np.sum(points**2, axis=1), rel=1e-12)
        check_binned_table(histogram.table(), points, bins[ids], own)
        # Nothing is left for the next leaf.
        histogram.add(phi, bins, ids[:1], None if weight is None else own[:1])
        check_binned_table(histogram.table(), points[:1], bins[ids[:1]], own[:1])


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_remainder(missing):
    """A leaf without one of its children, down to a few rows."""
    random = np.random.default_rng(0)
    n, components = 900, 3
    phi = random.normal(size=(n, components))
    bins = random_bins(random, n, 5, missing)
    bins[:, 0] = MISSING if missing else 3
    weight = random.choice([0.25, 0.5, 1.0, 3.0], n)
    zero = np.zeros(components)
    left = np.arange(n, dtype=np.int32)
    parent = histogram_of(phi, bins, left, weight, zero, zero).table()
    while len(left) > 1:
        child = random.random(len(left)) < random.choice([0.1, 0.5])
        child[random.integers(len(left))] = True
        child[random.integers(len(left))] = False
        ids, left = left[child], left[~child]
        if len(left) == 0:
            break
        small = histogram_of(phi, bins, ids, weight[ids], zero, zero).table()
        parent = remainder(parent, small)
        check_binned_table(parent, phi[left], bins[left], weight[left])


def test_histogram_by_several_threads():
    """To the last bit the same: each feature is summed by one of them."""
    random = np.random.default_rng(1)
    n, d, components = 4000, 7, 20
    phi = random.normal(size=(n, components))
    bins = random_bins(random, n, d, 0.01)
    ids = np.arange(n, dtype=np.int32)
    weight = random.random(n) + 0.5
    zero = np.zeros(components)
    assert n * d * padded(components) > 400_000  # what several threads share
    one, *others = (
        histogram_of(phi, bins, ids, weight, zero, zero, threads=threads) for threads in (1, 2, 9)
    )
    expected, squares = one.table().arrays, one.squares
    for other in others:
        assert other.squares == squares
        for name, values in other.table().arrays.items():
            if name != "bound":
                np.testing.assert_array_equal(values, expected[name], err_msg=name)


@pytest.mark.parametrize("missing_left", [False, True])
@pytest.mark.parametrize("last", [0, 3, 254])
def test_goes_left_and_split_ids(last, missing_left):
    random = np.random.default_rng(last)
    bins = random.integers(0, 8, (500, 3)).astype(np.uint8)
    bins[random.random(bins.shape) < 0.2] = MISSING
    for n in (0, 1, 2, 200, 500):
        ids = np.sort(random.permutation(500)[:n]).astype(np.int32)
        for feature in range(3):
            own = bins[ids, feature]
            expected = np.where(own == MISSING, missing_left, own <= last)
            for threads in (1, 3):
                left = goes_left(bins, ids, feature, last, missing_left, threads)
                assert left.dtype == np.uint8
                np.testing.assert_array_equal(left, expected)
            moved = ids.copy()
            assert split_ids(moved, left) == expected.sum()
            np.testing.assert_array_equal(moved, [*ids[expected], *ids[~expected]])


# Bins.


def assert_bins_are(bins: Bins, sample: np.ndarray) -> None:
    """What holds for any bins of a sample."""
    assigned = bins.assign(np.ascontiguousarray(sample))
    for f in range(sample.shape[1]):
        low, high, edges = bins.low[f], bins.high[f], bins.edges[f]
        column = sample[:, f].astype(np.float64)
        known = column[~np.isnan(column)]
        assert len(low) == len(high) == len(np.unique(assigned[:, f][~np.isnan(column)]))
        assert len(edges) == max(0, len(low) - 1)
        assert np.all(assigned[np.isnan(column), f] == MISSING)
        for b in range(len(low)):
            inside = column[assigned[:, f] == b]
            assert (low[b], high[b]) == (inside.min(), inside.max())
        for b, edge in enumerate(edges):
            assert high[b] <= edge < low[b + 1]
            assert edge == threshold_between(high[b], low[b + 1]) == bins.threshold(f, b, b + 1)
        if len(known):
            assert bins.threshold(f, len(low) - 1, -1) == np.inf
            assert (low[0], high[-1]) == (known.min(), known.max())


@given(
    st.integers(1, 300),
    st.integers(2, 255),
    st.sampled_from([*DATA, "equal"]),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([0.0, 0.2, 1.0]),
    SEEDS,
)
@settings(max_examples=80)
def test_find_bins(n, max_bins, data, dtype, missing, seed):
    random = np.random.default_rng(seed)
    sample = np.ones((n, 2)) if data == "equal" else rows_of(random, n, 2, data)
    sample = sample.astype(dtype)
    sample[random.random(sample.shape) < missing] = np.nan
    bins = find_bins(sample, None, max_bins)
    assert_bins_are(bins, sample)
    for f in range(2):
        known = sample[:, f][~np.isnan(sample[:, f])]
        distinct, counts = np.unique(known, return_counts=True)
        assert len(bins.low[f]) <= max_bins
        if len(distinct) <= max_bins:
            np.testing.assert_array_equal(bins.low[f], distinct)
            np.testing.assert_array_equal(bins.high[f], distinct)
        else:
            # No more than a share of the quantiles, and the rows that equal its last value.
            rows = np.histogram(known, [*bins.low[f], np.inf])[0]
            assert rows.max() <= len(known) / (max_bins * 2 // 3 + 1) + counts.max()


@given(st.integers(1, 200), st.integers(2, 255), st.sampled_from(DATA), SEEDS)
@settings(max_examples=80)
def test_bins_of_weights_are_those_of_repeats(n, max_bins, data, seed):
    random = np.random.default_rng(seed)
    sample = rows_of(random, n, 2, data)
    sample[random.random(sample.shape) < 0.1] = np.nan
    weight = random.integers(1, 4, n)
    weighted = find_bins(sample, weight.astype(np.float64), max_bins)
    repeated = find_bins(np.repeat(sample, weight, axis=0), None, max_bins)
    assert_bins_are(weighted, sample)
    for f in range(2):
        np.testing.assert_array_equal(weighted.edges[f], repeated.edges[f])
        np.testing.assert_array_equal(weighted.low[f], repeated.low[f])


@pytest.mark.parametrize("times", [2, 3, 7])
def test_bins_of_whole_shares(times):
    """Whatever rounding says of the shares, weights are repeats."""
    for max_bins in range(2, 256):
        sample = np.arange(float(times * max_bins))[:, None]
        bins = find_bins(sample, None, max_bins)
        assert len(bins.low[0]) <= max_bins
        doubled = find_bins(sample, np.full(len(sample), 2.0), max_bins)
        np.testing.assert_array_equal(bins.edges[0], doubled.edges[0])


def test_a_small_far_group_has_an_edge():
    """Fewer rows than a quantile bin holds, far from the others."""
    random = np.random.default_rng(0)
    values = random.normal(size=20_000)
    values[:30] += 1000.0
    (edges,) = find_bins(values[:, None], None, 255).edges
    assert np.any((edges > values[30:].max()) & (edges < values[:30].min()))


def test_groups_far_apart_have_an_edge_between_them():
    random = np.random.default_rng(0)
    group = random.integers(0, 4, 20_000)
    values = 20.0 * group + random.normal(size=20_000)
    (edges,) = find_bins(values[:, None], None, 255).edges
    for k in range(3):
        low, high = values[group == k].max(), values[group == k + 1].min()
        assert np.any((edges >= low) & (edges < high))


def test_rare_values_below_a_common_one():
    """Most rows have the largest value; the others are told apart all the same."""
    values = np.append(np.zeros(99_700), -np.arange(1.0, 301.0))
    for sign in (1, -1):
        (edges,) = find_bins(sign * values[:, None], None, 255).edges
        assert len(edges) > 200


@pytest.mark.parametrize("max_bins", range(2, 20))
def test_common_values_do_not_make_more_bins_than_allowed(max_bins):
    random = np.random.default_rng(max_bins)
    for n_common in range(1, 12):
        common = np.repeat(random.permutation(40)[:n_common], random.integers(1, 90, n_common))
        sample = np.append(common, np.arange(40.0))[:, None]
        bins = find_bins(sample, None, max_bins)
        assert_bins_are(bins, sample)
        assert 2 <= len(bins.low[0]) <= max_bins


def test_bins_do_not_depend_on_threads_or_layout():
    random = np.random.default_rng(0)
    sample = rows_of(random, 30_000, 4, "mixed")
    one = find_bins(sample, None, 255, 1)
    for other in (find_bins(sample, None, 255, 3), find_bins(np.asfortranarray(sample), None, 255)):
        for f in range(4):
            np.testing.assert_array_equal(one.edges[f], other.edges[f])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_bins", [1, 2, 3, 4, 5, 17, 127, 128, 129, 130, 254, 255])
def test_assign(n_bins, dtype):
    """How many edges lie below each value; also on the edges, and beside them."""
    random = np.random.default_rng(n_bins)
    edges = [np.sort(random.normal(size=n_bins - 1)), np.arange(n_bins - 1.0), np.empty(0)]
    bins = Bins([], [], edges)
    for n in (1, 127, 128, 129, 5000):
        X = random.normal(size=(n, 3)).astype(dtype)
        if n_bins > 1:
            for f in range(2):
                on = random.choice(edges[f], n).astype(dtype)
                beside = np.nextafter(on, dtype(random.choice([-9, 9])))
                X[:, f] = np.choose(random.integers(0, 3, n), [X[:, f], on, beside])
        X[random.random(X.shape) < 0.05] = np.nan
        X[0] = [1e30, -1e30, 0]
        expected = np.column_stack(
            [np.searchsorted(own, X[:, f].astype(np.float64)) for f, own in enumerate(edges)]
        )
        expected[np.isnan(X)] = MISSING
        for threads in (1, 3):
            found = bins.assign(X, threads)
            assert found.dtype == np.uint8
            np.testing.assert_array_equal(found, expected)
        out = np.empty(X.shape, dtype=np.uint8)
        assert bins.assign(np.asfortranarray(X), 1, out) is out
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [0, 1, 5, 4095, 4096, 4097, 9000])
def test_look_over(n, dtype):
    random = np.random.default_rng(n)
    X = random.normal(size=(n, 3)).astype(dtype)
    most = np.finfo(dtype).max
    X[random.random(X.shape) < 0.01] = most
    X[random.random(X.shape) < 0.01] = -most
    X[random.random(X.shape) < 0.05] = np.nan
    for threads in (1, 3):
        missing, infinite = look_over(X, threads)
        np.testing.assert_array_equal(missing, np.isnan(X).sum(axis=0))
        assert infinite is False
        for value in (np.inf, -np.inf):
            for row in {0, n // 2, n - 1} if n else ():
                for column in range(3):
                    other = X.copy()
                    other[row, column] = value
                    missing, infinite = look_over(other, threads)
                    assert infinite is True
                    np.testing.assert_array_equal(missing, np.isnan(other).sum(axis=0))


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


def bounds_hold(grown: Grown) -> int:
    """No cut gains more than the bound of its block; how many bounds are of several cuts."""
    slots = np.array(grown.slots, dtype=np.int32)
    grown.stocks.search(slots, None, UNREACHED)
    # Bounds of a radius that is not known reach any floor: these blocks were looked into.
    slack, several = 1e-12 * grown.twin.scale, 0
    for slot in grown.slots:
        table = grown.state.tables[slot]
        arrays = table.arrays
        best = -np.inf
        for f in range(grown.twin.values.shape[1]):
            cuts = grown.twin.cuts(slot, f)
            gains = grown.twin.best_gains(slot, cuts)
            best = max(best, gains.max(initial=-np.inf))
            seen = 0
            for b, begin, stop in blocks_of(table, f):
                inside = cuts_within(table, cuts, f, begin, stop)
                seen += inside.sum()
                most = gains[inside].max(initial=-np.inf)
                if np.isinf(arrays["radius"][b]):
                    assert arrays["bound"][b] == -np.inf
                    if grown.stocks.min_leaf == 0:
                        assert grown.stocks.gain[slot] >= most - slack
                    continue
                assert arrays["bound"][b] >= most - slack
                several += np.sum(inside) > 1
                alone = b + 1 == arrays["stop"][f] or arrays["radius"][b + 1] == 0
                if arrays["radius"][b] == 0 and alone:
                    assert arrays["bound"][b] == pytest.approx(most, abs=slack)
            assert seen == len(cuts.last)
        assert grown.stocks.bound[slot] >= best - slack or grown.stocks.min_leaf > 0
    return several


@pytest.mark.parametrize("stocks", ["features", "binned"])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("kind", [None, "fractions"])
def test_no_cut_gains_more_than_the_bound_of_its_block(stocks, data, kind):
    """Whatever the leaves and clusters, while clusters are founded and after that."""
    several = 0
    for seed in range(3):
        random = np.random.default_rng(seed)
        n_clusters = int(random.choice([2, 4, 6]))
        grown = some_stocks(seed, 300, 3 + 9 * (seed == 0), data, kind, n_clusters, stocks=stocks)
        for step in range(7):
            if step in (0, 1, 3, 6):
                several += bounds_hold(grown)
            grown.cut(random, founding=step < 2 and grown.twin.n_clusters < n_clusters)
    assert several > 5


@pytest.mark.parametrize("stocks", ["features", "binned"])
@given(
    st.integers(2, 120),
    st.integers(1, 3),
    st.sampled_from(DATA),
    st.sampled_from(WEIGHTS),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.0, 0.2]),
    SEEDS,
)
@settings(max_examples=40)
def test_bounds_of_any_leaves(stocks, n, d, data, kind, n_clusters, missing, seed):
    random = np.random.default_rng(seed)
    grown = some_stocks(seed, n, d, data, kind, n_clusters, stocks=stocks, missing=missing)
    for _ in range(random.integers(0, 7)):
        grown.cut(random)
    bounds_hold(grown)


def naive_gains(grown: Grown, slot: int) -> list[np.ndarray]:
    """The best gain of each cut along each feature."""
    twin, min_leaf = grown.twin, grown.stocks.min_leaf
    return [
        twin.best_gains(slot, twin.cuts(slot, f), min_leaf) for f in range(twin.values.shape[1])
    ]


def best_of(gains: list[np.ndarray]) -> float:
    return max(g.max(initial=-np.inf) for g in gains)


def search_holds(grown: Grown, random: np.random.Generator) -> None:
    """The best leaf has its gain for certain, the others a gain that they have and a bound."""
    stocks, slots = grown.stocks, np.array(grown.slots, dtype=np.int32)
    slack = 1e-12 * grown.twin.scale
    every = [naive_gains(grown, slot) for slot in slots]
    for drawn in (None, random.integers(0, 2, (len(slots), len(every[0]))).astype(np.uint8)):
        expected = np.array(
            [
                best_of([g for f, g in enumerate(gains) if drawn is None or drawn[j, f]] or [[]])
                if drawn is None or drawn[j].any()
                else -np.inf
                for j, gains in enumerate(every)
            ]
        )
        stocks.search(slots, drawn, -np.inf)
        gain, bound = stocks.gain[slots], stocks.bound[slots]
        best = expected.max()
        near = expected >= best - stocks.tolerance / 2
        np.testing.assert_allclose(gain[near], expected[near], rtol=0, atol=slack)
        np.testing.assert_array_equal(gain[near], bound[near])
        finite = gain > -np.inf
        assert np.all(gain[finite] <= expected[finite] + slack)
        assert np.all(bound >= gain)
        assert np.all(bound >= expected - slack)
        # With a floor above all of them nothing need be certain, but what is said still holds.
        if best > -np.inf:
            stocks.search(slots, drawn, best + 1 + abs(best))
            assert np.all(stocks.bound[slots] >= expected - slack)
    for j, slot in enumerate(slots):
        stocks.search(slots[j : j + 1], None, -np.inf)
        assert stocks.gain[slot] == stocks.bound[slot]
        if best_of(every[j]) == -np.inf:
            assert stocks.gain[slot] == -np.inf
        else:
            assert stocks.gain[slot] == pytest.approx(best_of(every[j]), abs=slack)
            locate_holds(grown, slot, every[j])


def locate_holds(grown: Grown, slot: int, gains: list[np.ndarray]) -> None:
    """The first cut by feature and threshold that reaches a floor, and its preferred move."""
    stocks, twin = grown.stocks, grown.twin
    tolerance, best = stocks.tolerance, best_of(gains)
    for floor in (best - tolerance, best - 0.2 * abs(best) - tolerance):
        everything = np.concatenate(gains)
        if np.any(np.abs(everything - floor) < 0.1 * tolerance):
            continue  # rounding decides
        feature = next(f for f, g in enumerate(gains) if np.any(g >= floor))
        at = int(np.argmax(gains[feature] >= floor))
        cuts = twin.cuts(slot, feature)
        split = stocks.locate(slot, floor)
        assert split.feature == feature
        left = twin.goes_left(slot, feature, cuts.last[at], cuts.missing_left[at])
        if stocks.samples is None:
            assert split.position == cuts.last[at]
            assert (split.missing == 1) == cuts.missing_left[at]
        else:
            assert split.position == cuts.count[at] - 1
            members = twin.members(slot)
            column = twin.values[members, feature]
            np.testing.assert_array_equal(members[column <= split.threshold], left)
        each = twin.gains(slot, cuts)[at]
        if np.any(np.abs(each - (each.max() - tolerance)) < 0.1 * tolerance):
            continue
        preferred = int(np.argmax(each >= each.max() - tolerance))
        assert (split.move, split.left, split.right) == twin.moves(slot)[preferred]
        assert split.gain == pytest.approx(each[preferred], abs=1e-12 * twin.scale)


@pytest.mark.parametrize("stocks", ["features", "binned"])
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
@settings(max_examples=60)
def test_search_and_locate(stocks, n, d, data, kind, n_clusters, min_leaf, missing, seed):
    random = np.random.default_rng(seed)
    grown = some_stocks(
        seed, n, d, data, kind, n_clusters, stocks=stocks, min_leaf=min_leaf, missing=missing
    )
    for step in range(random.integers(1, 6)):
        if step:
            grown.cut(random, founding=bool(step < 3 and random.integers(2)))
    search_holds(grown, random)


@pytest.mark.parametrize("stocks", ["features", "binned"])
@pytest.mark.parametrize("data", DATA)
def test_search_of_larger_leaves(stocks, data):
    """Blocks of up to 256 samples, tiles that end within a feature, many clusters."""
    random = np.random.default_rng(4)
    grown = some_stocks(
        4, 1600, 5, data, "fractions" if data == "mixed" else None, 9, stocks=stocks, missing=0.02
    )
    for step in range(8):
        if step in (0, 2, 7):
            search_holds(grown, random)
        grown.cut(random, founding=step < 5)


def test_a_leaf_of_equal_rows_has_no_split():
    X = np.ones((20, 2))
    for make in (sorted_stocks, binned_stocks):
        grown = make(X, np.ones(20), X, 3)
        assert not grown.stocks.has_threshold(0).any()
        grown.stocks.search(np.zeros(1, dtype=np.int32), None, -np.inf)
        assert grown.stocks.gain[0] == grown.stocks.bound[0] == -np.inf


def test_a_floor_that_is_not_reached_is_an_error():
    X = np.arange(6.0)[:, None]
    grown = sorted_stocks(X, np.ones(6), X, 2)
    grown.stocks.search(np.zeros(1, dtype=np.int32), None, -np.inf)
    with pytest.raises(RuntimeError, match="no split of leaf 0 gains"):
        grown.stocks.locate(0, 2 * grown.stocks.gain[0])


@pytest.mark.parametrize("stocks", ["features", "binned"])
def test_threads_change_no_bit_of_a_search(stocks):
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 12))
    X[:, ::2] = np.round(X[:, ::2], 1)
    make = sorted_stocks if stocks == "features" else binned_stocks
    weight = weights_of(random, 3000, "fractions")
    grown = [make(X, weight, X, 6, threads=threads) for threads in (1, 2, 4)]
    for seed in range(6):
        found = []
        for one in grown:
            slots = np.array(one.slots, dtype=np.int32)
            one.stocks.search(slots, None, -np.inf)
            found.append(np.append(one.stocks.gain[slots], one.stocks.bound[slots]))
            one.cut(np.random.default_rng(seed))
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])
        for one in grown:
            np.testing.assert_array_equal(one.state.centres(), grown[0].state.centres())


# What stocks say of clusters.


@pytest.mark.parametrize("stocks", ["features", "binned"])
@pytest.mark.parametrize("kind", [None, "fractions"])
def test_clusters_are_sums(stocks, kind):
    for seed in range(4):
        random = np.random.default_rng(seed)
        grown = some_stocks(seed, 60, 2, DATA[seed], kind, 5, stocks=stocks, missing=0.1)
        twin, scale = grown.twin, grown.twin.scale
        for _ in range(10):
            assert grown.stocks.n_clusters == twin.n_clusters
            value = -grown.stocks.inertia
            for k in range(twin.n_clusters):
                slots = np.flatnonzero(np.array(twin.cluster_of) == k)
                total, size = twin.total(np.flatnonzero(np.isin(twin.slot_of, slots)))
                assert grown.state.cluster_sizes()[k] == pytest.approx(size, rel=1e-12)
                np.testing.assert_allclose(
                    grown.stocks.centres()[k], total / size, rtol=1e-9, atol=1e-12 * scale / size
                )
                value += total @ total / size
            assert grown.stocks.objective == pytest.approx(value, abs=1e-12 * scale)
            points = twin.points + grown.stocks.origin
            assert grown.stocks.trace == pytest.approx(twin.weight @ np.sum(points**2, axis=1))
            for slot in grown.slots:
                members = twin.members(slot)
                n_samples, weight = grown.stocks.leaf_size(slot)
                assert (n_samples, weight) == (len(members), pytest.approx(twin.total(members)[1]))
                cuts = [len(twin.cuts(slot, f).last) > 0 for f in range(2)]
                np.testing.assert_array_equal(grown.stocks.has_threshold(slot), cuts)
            if not grown.cut(random):
                break
