"""Tables of leaves, with naive twins: what tests of points and of bins share."""

from __future__ import annotations

import numpy as np
from agathis._core.points.leaves import padded
from hypothesis import strategies as st

from agathis._dataset.bins import MISSING_BIN, find_bins
from agathis._dataset.features import Features
from agathis._dataset.fixed_point import Grid
from agathis._dataset.memory import InMemory
from agathis._dataset.parts import Part
from agathis._dataset.row_stores import Plan, RowStore
from agathis._dataset.splits import Split
from agathis._growth.engines.binned import BinnedEngine
from agathis._growth.engines.exact import ExactPointEngine
from agathis._growth.limits import Limits
from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space
from agathis._utils.exact_sums import exact_sum
from agathis._utils.progress import Progress
from helpers.naive import Leaves
from helpers.strategies import weights

# The most samples of a block, and the most rows of a block of bins.
MAX_SAMPLES, MAX_ROWS = 256, 32
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

    def __init__(self, gain_engine, naive: Leaves) -> None:
        self.gain_engine, self.state, self.naive = gain_engine, gain_engine.state, naive

    @property
    def leaf_indices(self) -> range:
        return range(self.state.n_leaves)

    def cut(self, random: np.random.Generator, founding: bool = False) -> bool:
        """Any cut of any leaf by any allowed move, whatever it gains; whether there is one."""
        naive = self.naive
        for leaf_index in random.permutation(self.state.n_leaves).tolist():
            for feature in random.permutation(naive.values.shape[1]).tolist():
                cuts, moves = naive.cuts(leaf_index, feature), naive.moves(leaf_index)
                if founding:
                    moves = [m for m in moves if m[0] == 1]
                if len(cuts.last) and moves:
                    at = int(random.integers(len(cuts.last)))
                    self.make(leaf_index, feature, cuts, at, moves[random.integers(len(moves))])
                    return True
        return False

    def make(self, leaf_index, feature, cuts, at, move) -> None:
        last, missing_left = float(cuts.last[at]), bool(cuts.missing_left[at])
        left = self.naive.goes_left(leaf_index, feature, last, missing_left)
        position = int(last) if self.gain_engine.samples is None else int(cuts.count[at]) - 1
        misses = np.isnan(self.naive.values[self.naive.members(leaf_index), feature]).any()
        missing = (1 if missing_left else 2) if misses else 0
        split = Split(feature, np.nan, np.nan, *move, position, missing)
        assert self.gain_engine.commit(leaf_index, split) == len(self.naive.cluster_of)
        self.naive.cut(leaf_index, left, move[1:])


def sorted_engine(X, weight, points, n_clusters, min_leaf=0.0, threads=1) -> Grown:
    kernel = Kernel("linear")
    data = InMemory(X, Features.plain(X.shape[1]), kernel, weight=weight, threads=threads)
    limits = Limits(n_clusters, len(X), min_leaf=min_leaf)
    gain_engine = ExactPointEngine(data, Space(kernel), points, limits)
    return Grown(gain_engine, Leaves(X, points - gain_engine.origin, weight, n_clusters))


def binned_engine(X, weight, points, n_clusters, min_leaf=0.0, threads=1, max_bins=255) -> Grown:
    """Bins of X, and other points: as if these came from a feature map."""
    bins = find_bins(X, weight, max_bins)
    space = Space(Kernel("linear"))
    data = InMemory(X, Features.plain(X.shape[1]), space.kernel, weight=weight, threads=threads)
    total = None if weight is None else exact_sum(weight)
    grid = Grid.guess(points, weight, len(X), total)
    plan = Plan(bins, space, data.features.searched, None, grid)
    store = RowStore(X, plan, threads)
    store.kept = store.kept._replace(points=np.ascontiguousarray(points))
    gain_engine = BinnedEngine(
        Part(store, data.counted_ids(), weight),
        plan,
        space,
        Limits(n_clusters, len(X), min_leaf=min_leaf),
        threads,
        Progress(0, None, n_clusters),
    )
    origin = gain_engine.origin
    values = store.kept.bins.astype(np.float64)
    values[values == MISSING_BIN] = np.nan
    return Grown(gain_engine, Leaves(values, points - origin, weight, n_clusters))


def some_engine(seed, n, d, data, kind, n_clusters, *, engine, min_leaf=0.0, missing=0.0, D=3):
    random = np.random.default_rng(seed)
    X = rows_of(random, n, d, data)
    points = np.column_stack([X, random.normal(size=(n, D))])
    if seed % 3 == 0:
        points = X.copy()
    weight = weights_of(random, n, kind)
    if engine == "features":
        return sorted_engine(X, weight, points, n_clusters, min_leaf)
    X = X.copy()
    X[random.random(X.shape) < missing] = np.nan
    max_bins = int(random.choice([255, 255, 40, 7]))
    return binned_engine(X, weight, points, n_clusters, min_leaf, max_bins=max_bins)


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
