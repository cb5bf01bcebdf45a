"""The search among subsets of categories, from plain sums, against trying every one of them."""

from itertools import product

import numpy as np
import pytest
from agathis._core.shared.category_subsets import EXACT, best_subset
from helpers.reference import moves, objective
from hypothesis import given
from hypothesis import strategies as st

from agathis import Kauri


class Leaf:
    """A leaf of some items, with a cluster it is part of and others; every item is a few rows."""

    def __init__(self, random, m, n_clusters, whole, dimensions=3, ties=False):
        draw = random.integers(-2, 3, (4 * m, dimensions)) if ties else None
        rows = random.normal(size=(4 * m, dimensions)) * 3 if draw is None else draw.astype(float)
        self.item = np.concatenate([np.arange(m), random.integers(-n_clusters, m, 3 * m)])
        self.item[self.item < 0] -= m  # rows outside the leaf, in clusters of their own
        outside = self.item < 0
        self.labels = np.zeros(4 * m, dtype=int)
        if n_clusters > 1:
            self.labels[outside] = random.integers(int(whole), n_clusters, outside.sum())
        elif whole:
            keep = ~outside
            rows, self.item, self.labels = rows[keep], self.item[keep], self.labels[keep]
        present, self.labels = np.unique(self.labels, return_inverse=True)
        self.weight = random.integers(1, 4, len(rows)).astype(float)
        self.gram = rows @ rows.T
        self.m, self.K = m, len(present)

    @property
    def whole(self):
        return not np.any((self.labels == 0) & (self.item < 0))

    def sums(self):
        gain_engine = self.gram * np.outer(self.weight, self.weight)
        items = np.array([self.item == i for i in range(self.m)], dtype=float)
        clusters = np.array([self.labels == k for k in range(self.K)], dtype=float)
        size = clusters @ self.weight
        kernel_sum = np.einsum("ki,ij,kj->k", clusters, gain_engine, clusters)
        leave_all = -np.inf
        inside = self.item >= 0
        if not self.whole:
            rest = (self.labels == 0) & ~inside
            after = rest @ gain_engine @ rest / self.weight[rest].sum()
            leave_all = after - kernel_sum[0] / size[0]
        return {
            "weight": items @ self.weight,
            "cross": np.ascontiguousarray(items @ gain_engine @ clusters.T),
            "kernel_sum": np.ascontiguousarray(items @ gain_engine @ items.T),
            "cluster_size": size,
            "cluster_kernel_sum": kernel_sum,
            "own": 0,
            "leave_all": leave_all,
        }

    def gain(self, left, more):
        """The best gain of the way that sends these items left."""
        goes_left = (self.item >= 0) & left[np.maximum(self.item, 0)]
        goes_right = (self.item >= 0) & ~goes_left
        before = objective(self.gram, self.labels, self.weight)
        best = -np.inf
        for _, a, b in moves(0, self.K, self.K + more, self.whole):
            after = self.labels.copy()
            after[goes_left], after[goes_right] = a, b
            best = max(best, objective(self.gram, after, self.weight) - before)
        return best


def ways(m):
    for bits in product([False, True], repeat=m - 1):
        if any(bits):
            yield np.array([*bits, False])


@st.composite
def leaves(draw, least, most):
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, K = draw(st.integers(least, most)), draw(st.integers(1, 4))
    leaf = Leaf(random, m, K, draw(st.booleans()), ties=draw(st.booleans()))
    return leaf, draw(st.integers(0, 2))


@given(leaves(2, 5))
def test_every_way_is_looked_at(problem):
    leaf, more = problem
    gain, _ = best_subset(**leaf.sums(), more_clusters=more)
    best = max(leaf.gain(left, more) for left in ways(leaf.m))
    scale = 1 + abs(leaf.gram).max() * leaf.weight.sum()
    if best == -np.inf:
        assert gain == -np.inf
    else:
        assert gain == pytest.approx(best, abs=1e-10 * scale)


@given(leaves(2, 5))
def test_the_first_of_the_best_is_told(problem):
    leaf, more = problem
    sums = leaf.sums()
    gain, _ = best_subset(**sums, more_clusters=more)
    if gain == -np.inf:
        return
    tolerance = 1e-9 * (1 + abs(leaf.gram).max() * leaf.weight.sum())
    _, right = best_subset(**sums, more_clusters=more, floor=gain - tolerance)
    tied = []
    for left in ways(leaf.m):
        if leaf.gain(left, more) >= gain - tolerance:
            own = sums["weight"][left].sum(), sums["weight"][~left].sum()
            lighter = left if own[0] < own[1] or (own[0] == own[1] and not left[0]) else ~left
            tied.append((lighter.sum(), tuple(np.flatnonzero(lighter))))
    assert min(tied)[1] == tuple(np.flatnonzero(right))


@given(leaves(2, EXACT))
def test_good_ways_are_ways(problem):
    """Without looking at every way: what is told gains what is said, and no more than the best."""
    leaf, more = problem
    sums = leaf.sums()
    best, _ = best_subset(**sums, more_clusters=more)
    gain, _ = best_subset(**sums, more_clusters=more, exact=0)
    tolerance = 1e-9 * (1 + abs(leaf.gram).max() * leaf.weight.sum())
    assert gain <= best + tolerance
    assert (gain == -np.inf) == (best == -np.inf)
    if gain > -np.inf:
        _, right = best_subset(**sums, more_clusters=more, exact=0, floor=gain)
        assert leaf.gain(~right, more) == pytest.approx(gain, abs=tolerance)


@given(leaves(2, 5), st.floats(0, 0.6))
def test_least_weight(problem, share):
    leaf, more = problem
    sums = leaf.sums()
    least = share * sums["weight"].sum()
    allowed = [
        leaf.gain(left, more)
        for left in ways(leaf.m)
        if min(sums["weight"][left].sum(), sums["weight"][~left].sum()) >= least
    ]
    gain, _ = best_subset(**sums, more_clusters=more, min_leaf=least)
    if max(allowed, default=-np.inf) == -np.inf:
        assert gain == -np.inf
    else:
        scale = 1 + abs(leaf.gram).max() * leaf.weight.sum()
        assert gain == pytest.approx(max(allowed), abs=1e-10 * scale)


@given(leaves(3, 6), st.booleans())
def test_items_without_a_column(problem, missing):
    """Samples of no category go left; missing values go either way."""
    leaf, more = problem
    sums = leaf.sums()
    gain, _ = best_subset(**sums, more_clusters=more)
    if gain == -np.inf:
        return
    columns = leaf.m - 1
    _, right = best_subset(
        **sums, more_clusters=more, floor=gain, categories=columns, missing=missing
    )
    assert right.any()
    if not missing:
        assert not right[-1]
    assert leaf.gain(~right, more) >= gain * (1 - 1e-12) - 1e-9


@pytest.mark.parametrize("m", [12, 40, 200])
def test_many_items_in_two_groups_are_told_apart(m):
    """Items that lie in two heaps: the way between them is the best, and is found."""
    random = np.random.default_rng(m)
    heap = random.random(m) < 0.4
    heap[:2] = True, False
    points = random.normal(size=(m, 5)) + np.where(heap, 8.0, -8.0)[:, None]
    weight = random.integers(1, 5, m).astype(float)
    sums = points * weight[:, None]
    total = sums.sum(axis=0)
    gain, _ = best_subset(
        weight,
        np.ascontiguousarray(sums @ total[:, None]),
        np.ascontiguousarray(sums @ sums.T),
        np.array([weight.sum()]),
        np.array([total @ total]),
        0,
        -np.inf,
        1,
    )
    sides = sums[heap].sum(axis=0), sums[~heap].sum(axis=0)
    best = sum(
        s @ s / w for s, w in zip(sides, (weight[heap].sum(), weight[~heap].sum()), strict=True)
    )
    assert gain == pytest.approx(best - total @ total / weight.sum())


def test_items_that_may_not_be_alone_begin_in_their_order():
    """The search began with whatever was in memory where no single item makes a leaf."""
    rows, sizes = np.eye(30), np.random.default_rng(0).integers(1, 5000, 30)
    found, held = set(), []
    for size in sizes.tolist():
        held.append(np.full(size, float(size)))  # so that other memory is used each time
        model = Kauri(3, max_leaf_nodes=3, min_samples_leaf=3, one_hot=[list(range(30))], n_jobs=1)
        found.add((tuple(model.fit(rows).labels_), model.objective_))
    assert len(found) == 1
