"""Bins and histograms against naive twins."""

from __future__ import annotations

import numpy as np
import pytest
from agathis._core.points.binning import look_over
from agathis._core.points.histogram import Histogram, goes_left, remainder, split_ids
from agathis._core.points.leaves import padded
from helpers.examples import examples
from helpers.tables import DATA, MAX_ROWS, SEEDS, close, is_narrow, radius_of, rows_of, wide
from hypothesis import given
from hypothesis import strategies as st

from agathis._dataset.bins import MISSING_BIN, Bins, find_bins
from agathis._dataset.fixed_point import Grid, Seen
from agathis._dataset.parts import added
from agathis._utils.exact_sums import exact_sum
from agathis._utils.numbers import threshold_between

# Histograms.


def histogram_of(
    phi, bins, ids, weight, origin, gap, *, threads=1, width=None, parts=1
) -> Histogram:
    total = None if weight is None else exact_sum(weight)
    grid = Grid.guess(phi[ids], weight, len(ids), total, origin, gap)
    histogram = Histogram(bins.shape[1], width or padded(len(origin)), grid, threads)
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
        found = np.flatnonzero(counts[:MISSING_BIN])
        rows = slice(begin, begin + len(found))
        np.testing.assert_array_equal(arrays["bin"][rows], found)
        np.testing.assert_array_equal(arrays["row_count"][rows], np.cumsum(counts[found]))
        sums_up_to = np.cumsum(sums[found], axis=0)
        sizes_up_to = np.cumsum(sizes[found])
        close(arrays["row_sum"][rows], wide(sums_up_to, width), scale)

        blocks = slice(arrays["first"][f], arrays["stop"][f])
        misses = counts[MISSING_BIN] > 0
        ends = row_blocks(sizes_up_to, 1 if misses else MAX_ROWS)
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

        assert table.n_missing(f) == counts[MISSING_BIN]
        assert table.has_cut()[f] == (len(found) + misses > 1)
        if "missing" in arrays:
            close(arrays["missing"][f], wide(sums[MISSING_BIN][None], width)[0], scale)
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
    bins[random.random(bins.shape) < missing] = MISSING_BIN
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
        inertia = histogram.grid.inertia(Seen(*histogram.seen))
        assert inertia == pytest.approx(own @ np.sum(points**2, axis=1), rel=1e-12)
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
    bins[:, 0] = MISSING_BIN if missing else 3
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
        if len(ids) == 0:
            continue
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
    squares, expected = one.seen[1], one.table().arrays
    for other in others:
        assert other.seen[1] == squares
        for name, values in other.table().arrays.items():
            if name != "bound":
                np.testing.assert_array_equal(values, expected[name], err_msg=name)


@pytest.mark.parametrize("missing_left", [False, True])
@pytest.mark.parametrize("last", [0, 3, 254])
def test_goes_left_and_split_ids(last, missing_left):
    random = np.random.default_rng(last)
    bins = random.integers(0, 8, (500, 3)).astype(np.uint8)
    bins[random.random(bins.shape) < 0.2] = MISSING_BIN
    for n in (0, 1, 2, 200, 500):
        ids = np.sort(random.permutation(500)[:n]).astype(np.int32)
        for feature in range(3):
            own = bins[ids, feature]
            expected = np.where(own == MISSING_BIN, missing_left, own <= last)
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
        assert np.all(assigned[np.isnan(column), f] == MISSING_BIN)
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
@examples(80)
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
@examples(80)
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
        expected[np.isnan(X)] = MISSING_BIN
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


@given(SEEDS, st.booleans(), st.sampled_from([0.0, 0.3]), st.booleans())
@examples(100)
def test_sums_of_parts_add_up_to_the_last_bit(seed, outlier, missing, weighted):
    """Whoever summed which rows, in whatever order; the whole is near what floats give."""
    random = np.random.default_rng(seed)
    n, d, components = int(random.integers(2, 200)), int(random.integers(1, 5)), 3
    phi = random.normal(size=(n, components)) * 10.0 ** random.integers(-9, 9)
    if outlier:
        phi[random.integers(n)] *= 1e9
    bins = random_bins(random, n, d, missing)
    weight = random.uniform(0.1, 3.0, n) if weighted else None
    ids = np.arange(n, dtype=np.int32)
    zero = np.zeros(components)
    whole = histogram_of(phi, bins, ids, weight, zero, zero)
    seen, expected = Seen(*whole.seen), whole.table().arrays
    part = random.integers(0, random.integers(2, 6), n)
    parts = []
    for k in random.permutation(np.unique(part)):
        own = Histogram(d, padded(components), whole.grid, 1)
        some = random.permutation(ids[part == k])
        own.add(phi, bins, some, None if weight is None else weight[some], True)
        parts.append((own.sums(), own.n_samples, Seen(*own.seen)))
    total = Histogram(d, padded(components), whole.grid, 1)
    for sums, n_samples, _ in parts:
        total.put(sums, n_samples)
    table = total.table()
    check_binned_table(table, phi, bins, np.ones(n) if weight is None else weight)
    for name, values in table.arrays.items():
        if name != "bound":
            np.testing.assert_array_equal(values, expected[name], err_msg=name)
    together = added(seen for _, _, seen in parts)
    assert together.lengths == seen.lengths
    assert together.squares == seen.squares
