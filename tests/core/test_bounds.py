"""The bounds by which leaves are not searched again.

A leaf that was searched keeps a bound of what its best gain may have become since, because
clusters changed. Were a bound too low, a better split would be passed over, and no other test
might notice: so trees are grown with and without bounds, and every bound is held against a fresh
search, also after cuts that no greedy growth would make.
"""

from __future__ import annotations

import numpy as np
import pytest
from helpers.examples import examples, mostly_slow
from helpers.invariants import same_tree, valid_tree
from helpers.models import SEEDS
from helpers.strategies import (
    KERNELS,
    WEIGHTS,
    Problem,
    kernel_matrix,
    on_a_line,
    pairwise_kernel_sums,
    random_split,
    search_anew,
    small_problems,
    table,
    weights,
)
from hypothesis import given
from hypothesis import strategies as st

import agathis._fit.fit
from agathis import Kauri
from agathis._dataset.splits import Split
from agathis._growth.grower import Grower


class ThoroughGrower(Grower):
    """Searches every leaf at every step."""

    def _best_gain(self):
        self.gain_engine.bound[: self.n_leaves] = np.inf
        return super()._best_gain()


class CountingGrower(Grower):
    searches = 0

    def _search(self, leaf_indices, *rest):
        type(self).searches += len(leaf_indices)
        super()._search(leaf_indices, *rest)


def fit_thoroughly(problem: Problem) -> Kauri:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(agathis._fit.fit, "Grower", ThoroughGrower)
        return problem.fit()


def random_problem(seed: int, kernel: str, low: int, high: int) -> Problem:
    random = np.random.default_rng(seed)
    n = int(random.integers(low, high))
    X = table(random, n, int(random.integers(1, 6)), random.choice(["normal", "integer"]))
    X[:, 0] += random.normal(size=n)  # so that one column at least can be cut anywhere
    gram = kernel_matrix(random, X, kernel)
    if kernel == "ties" and seed % 2:
        gram[random.random((n, n)) < 0.7] = 0.0
        gram = np.triu(gram) + np.triu(gram, 1).T
    kind = random.choice([None, "whole", "fractions"])
    return Problem(X, gram, weights(random, n, kind), int(random.integers(2, 9)))


@pytest.mark.parametrize("kernel", KERNELS)
@given(SEEDS)
@examples(6)
def test_bounds_change_no_tree(kernel, seed):
    problem = random_problem(seed, kernel, 150, 400)
    lazy, thorough = problem.fit(), fit_thoroughly(problem)
    valid_tree(lazy.tree_, problem.X, lazy.labels_, problem.weight, problem.n_clusters)
    same_tree(lazy.tree_, thorough.tree_, gains=problem.tolerance)


@given(small_problems())
@examples(300)
def test_bounds_change_no_small_tree(problem):
    lazy, thorough = problem.fit(), fit_thoroughly(problem)
    valid_tree(
        lazy.tree_, problem.X, lazy.labels_, problem.weight, problem.n_clusters, **problem.limits
    )
    same_tree(lazy.tree_, thorough.tree_, gains=problem.tolerance)


def test_bounds_save_searches(monkeypatch):
    """Else the tests of this file would hold of bounds that say nothing."""
    random = np.random.default_rng(0)
    X = table(random, 400, 4, "normal")
    problem = Problem(X, kernel_matrix(random, X, "rbf"), None, 6)
    monkeypatch.setattr(agathis._fit.fit, "Grower", CountingGrower)
    CountingGrower.searches = 0
    leaves = problem.fit().n_leaves_
    assert leaves > 30
    assert CountingGrower.searches < leaves * leaves / 4


STALE = {
    "six rows": (4, "0 0 2 2 0 / 0 2 3 0 / 2 -3 -3 / -2 4 / -2"),
    "seven rows": (4, "-6 0 -5 -3 6 3 / 0 2 -5 0 0 / -6 -4 0 0 / -6 1 1 / -2 -3 / 0"),
}


@pytest.mark.parametrize("name", STALE)
def test_a_gain_that_fell_is_not_taken_for_certain(name):
    """Nothing can have raised the best gain of a leaf, but it has fallen.

    A cluster of this indefinite kernel moves so that its distance to each sample of the leaf is
    0, from below 0: the bound stays where it was, and it is not the gain any more.
    """
    n_clusters, upper = STALE[name]
    problem = on_a_line(upper, n_clusters)
    model, oracle = problem.fit(), problem.oracle()
    same_tree(fit_thoroughly(problem).tree_, oracle, gains=problem.tolerance)
    same_tree(model.tree_, oracle, gains=problem.tolerance)
    valid_tree(model.tree_, problem.X, model.labels_, n_clusters=n_clusters)


def search_some(gain_engine, random: np.random.Generator, again: float) -> None:
    """Search the leaves of which nothing is known, and some others."""
    n_leaves = gain_engine.state.n_leaves
    unknown = gain_engine.bound[:n_leaves] == np.inf
    leaf_indices = np.flatnonzero(unknown | (random.random(n_leaves) < again)).astype(np.int32)
    if len(leaf_indices):
        gain_engine.search(leaf_indices, None, -np.inf)
        np.testing.assert_array_equal(
            gain_engine.bound[leaf_indices], gain_engine.gain[leaf_indices]
        )


def walk(problem: Problem, seed: int, steps: int, greedy: bool, again: float) -> tuple[int, int]:
    """Cut leaves and hold every bound against a fresh search of the same leaves.

    Two stocks are cut alike. The first is searched only where nothing is known of a leaf, and
    now and then elsewhere, so that its bounds grow old; the second is searched everywhere.

    Returns
    -------
    finite, raised : int
        Bounds that were compared, and those of them above the gain of their last search.
    """
    random = np.random.default_rng(seed)
    old, fresh = pairwise_kernel_sums(problem), pairwise_kernel_sums(problem)
    tolerance = 1e-3 * old.tolerance + 1e-13
    finite = raised = 0
    for step in range(steps):
        now = search_anew(fresh).copy()
        n_leaves = len(now)
        for moment in ("after the cut", "after a search"):
            if moment == "after a search":
                search_some(old, random, again)
            then, bound = old.gain[:n_leaves], old.bound[:n_leaves]
            assert not np.isnan(bound).any()
            low = bound < now - tolerance
            assert not low.any(), f"step {step} {moment}: gain {now[low]}, bound {bound[low]}"
            certain = (bound == then) & (bound > -np.inf)
            np.testing.assert_allclose(
                then[certain], now[certain], rtol=0, atol=tolerance, err_msg=f"{step} {moment}"
            )
            finite += int(np.isfinite(bound).sum())
            raised += int(np.sum(np.isfinite(bound) & (bound > then)))
        chosen = random_split(old, random)
        if chosen is None:
            break
        if greedy and step % 3 and now.max() > -np.inf:
            leaf_index = int(np.argmax(now))
            chosen = leaf_index, fresh.locate(leaf_index, now[leaf_index] - fresh.tolerance)
        assert old.commit(*chosen) == fresh.commit(*chosen) == n_leaves
    return finite, raised


@pytest.mark.parametrize(
    "greedy",
    [
        pytest.param(False, id="any cut"),
        pytest.param(True, id="mostly the best cut", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("kernel", mostly_slow(KERNELS, "rbf", "ties"))
def test_no_bound_is_below_the_best_gain(kernel, greedy):
    """Hundreds of small problems: an inequality that is wrong somewhere shows somewhere."""
    # Fixed seeds: how many bounds are finite is counted over all of them.
    total = np.zeros(2, dtype=int)
    seeds = 100 if greedy else 60
    for seed in range(seeds):
        problem = random_problem(seed, kernel, 6, 40)
        problem.n_clusters = min(problem.n_clusters, len(problem.X))
        total += walk(problem, seed, 25, greedy, again=(0.0, 0.1, 0.5)[seed % 3])
    assert np.all(total > 5 * seeds)  # it was not all infinite


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", WEIGHTS[:2])
def test_no_bound_is_below_the_best_gain_of_large_leaves(kernel, kind):
    """Sides of all the kinds that bounds are kept by: up to 1,000 samples."""
    random = np.random.default_rng(7)
    n = 1100
    X = table(random, n, 3, "normal")
    problem = Problem(X, kernel_matrix(random, X, kernel), weights(random, n, kind), 4)
    finite, raised = walk(problem, 0, 30, greedy=False, again=0.0)
    assert finite > 50
    assert raised > 50


class Blocks:
    """Rows along a line in blocks; the kernel has one value for each pair of blocks."""

    def __init__(self, random: np.random.Generator, names: str) -> None:
        self.names = names
        self.sizes = {name: int(random.integers(2, 10)) for name in names}
        self.value = {}

    def matrix(self) -> np.ndarray:
        block = np.repeat(np.arange(len(self.names)), [self.sizes[name] for name in self.names])
        values = np.zeros((len(self.names), len(self.names)))
        for (a, b), value in self.value.items():
            i, j = self.names.index(a), self.names.index(b)
            values[i, j] = values[j, i] = value
        gram = values[np.ix_(block, block)]
        np.fill_diagonal(gram, 0.0)
        return gram

    def rows(self, names: str) -> np.ndarray:
        block = np.repeat(list(self.names), [self.sizes[name] for name in self.names])
        return np.isin(block, list(names))

    def distance(self, name: str, cluster: str) -> float:
        """Squared distance of a row of a block to the centre of a cluster of blocks."""
        gram, inside = self.matrix(), self.rows(cluster)
        row = gram[np.argmax(self.rows(name))]
        return -2 * row[inside].mean() + gram[np.ix_(inside, inside)].mean()

    def set_distance(self, name: str, cluster: str, free: str) -> None:
        """Make that distance 0, by the value within one of the blocks."""
        distances = []
        for value in (0.0, 1.0):
            self.value[free, free] = value
            distances.append(self.distance(name, cluster))
        self.value[free, free] = -distances[0] / (distances[1] - distances[0])

    def cut(self, gain_engine, cuts: list) -> None:
        for leaf_index, left, *clusters in cuts:
            position = sum(self.sizes[name] for name in left) - 1
            gain_engine.commit(leaf_index, Split(0, np.nan, np.nan, 0, *clusters, position))


# Each case: blocks along a line; cuts (slot, blocks of the left side, clusters of both) that make
# the clusters, with n_clusters of them, and then, after a search, cuts that change some. The
# leaf of interest has slot 0.


def own_cluster_shrinks(random):
    """S attracts itself, its cluster STWUV loses V, then U; S is at distance 0 to it always."""
    blocks = Blocks(random, "STQWUVR")
    blocks.value["S", "S"] = random.uniform(1, 20)
    for pair in ("SU", "SV", "SW", "UW"):
        blocks.value[pair[0], pair[1]] = random.normal() * random.choice([0, 1, 3])
    for cluster in ("STW", "STWU", "STWUV"):
        blocks.set_distance("S", cluster, free=cluster[-1])
    make = [(0, "STQ", 0, 1), (0, "ST", 0, 2), (1, "WUV", 0, 1)]
    return blocks, make, [(1, "WU", 0, 1), (1, "W", 0, 1)]


def target_shrinks(random):
    """S attracts itself, and may go to WUV, at distance 0, which loses V, then U."""
    blocks = Blocks(random, "STWUVR")
    blocks.value["S", "S"] = random.uniform(1, 20)
    blocks.value["T", "T"] = 10 * blocks.value["S", "S"]  # so T is not the side that goes
    blocks.sizes["R"] = 60  # so R is not where S goes
    return blocks, [(0, "ST", 0, 1), (1, "WUV", 1, 2)], [(1, "WU", 1, 2), (1, "W", 1, 2)]


def target_shrinks_and_again(random):
    """The same, but first much, then hardly."""
    blocks, make, change = target_shrinks(random)
    blocks.sizes |= {"S": 3, "W": 100, "U": 1, "V": 200, "R": 400}
    return blocks, make, change


def target_comes_nearer(random):
    """Few samples S of a leaf may go to W, which U and then V join; both attract S.

    T holds together, so that no other side than S may go, and P is so large that its cluster,
    where U and V come from, is never the best for S.
    """
    blocks = Blocks(random, "STWUVP")
    blocks.sizes |= {"S": 3, "T": 30, "W": 200, "U": 200, "V": 200, "P": 500}
    blocks.value["S", "U"] = blocks.value["S", "V"] = random.uniform(1, 5)
    blocks.value["T", "T"] = 20 * blocks.value["S", "U"]
    return blocks, [(0, "ST", 0, 1), (1, "W", 1, 2)], [(2, "U", 1, 2), (3, "V", 1, 2)]


def own_cluster_of_both_sides_shrinks(random):
    """S and T attract one another, but A attracts S more, and B attracts T; U leaves them."""
    blocks = Blocks(random, "STAWUBR")
    blocks.sizes["T"] = blocks.sizes["S"]
    blocks.value["S", "T"] = random.uniform(1, 20)
    blocks.value["S", "A"] = blocks.value["T", "B"] = 100.0
    blocks.value["S", "W"] = blocks.value["T", "W"] = random.normal()
    blocks.set_distance("S", "STW", free="W")
    blocks.set_distance("S", "STWU", free="U")
    make = [(0, "STA", 0, 1), (0, "ST", 0, 2), (1, "WU", 0, 1), (3, "B", 1, 3)]
    return blocks, make, [(1, "W", 0, 3)]


def target_of_one_of_both_sides_shrinks(random):
    """W drives S to A, which attracts it, and T, which attracts itself, to BU, which loses U."""
    blocks = Blocks(random, "STAWBUR")
    s, t = blocks.sizes["S"], blocks.sizes["T"]
    blocks.value["T", "T"] = random.uniform(1, 20)
    blocks.value["S", "T"] = -blocks.value["T", "T"] * (t - 1) / (2 * s)  # within ST: 0
    blocks.value["S", "W"] = blocks.value["T", "W"] = -50.0
    blocks.value["S", "A"] = 50.0
    blocks.sizes |= {"A": 60, "R": 60}
    make = [(0, "STA", 0, 1), (0, "ST", 0, 2), (1, "W", 0, 1), (3, "BU", 1, 3)]
    return blocks, make, [(3, "B", 1, 3)]


# With how many seeds: enough that the bound without its term is too low for one of them.
CASES = {
    own_cluster_shrinks: 50,
    target_shrinks: 50,
    target_shrinks_and_again: 20,
    target_comes_nearer: 5,
    own_cluster_of_both_sides_shrinks: 150,
    target_of_one_of_both_sides_shrinks: 50,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_every_term_of_a_bound_is_needed(case):
    """Kernels for which one term is all that the best gain rises by.

    Random kernels do not come near such cases: there the other terms cover for it.
    """
    # Fixed seeds: in how many the gain rises is counted over all of them.
    rose = 0
    for seed in range(CASES[case]):
        blocks, make, change = case(np.random.default_rng(seed))
        gram = blocks.matrix()
        n_clusters = 1 + max(max(clusters) for _, _, *clusters in make)
        problem = Problem(np.arange(float(len(gram)))[:, None], gram, None, n_clusters)
        old, fresh = pairwise_kernel_sums(problem), pairwise_kernel_sums(problem)
        for gain_engine in (old, fresh):
            blocks.cut(gain_engine, make)
        before = search_anew(old)[0]
        for gain_engine in (old, fresh):
            blocks.cut(gain_engine, change)
        now = search_anew(fresh)
        assert np.isfinite(old.bound[0])
        assert np.all(old.bound[: len(now)] >= now - problem.tolerance)
        rose += now[0] > before + problem.tolerance
    assert rose > CASES[case] / 5


@given(small_problems(), st.integers(0, 2**32 - 1))
@examples(200)
def test_no_bound_is_below_the_best_gain_of_tiny_trees(problem, seed):
    """Kernels of a few whole numbers, zeros and weights of the like."""
    if problem.weight is not None:
        kept = problem.weight > 0
        problem = Problem(
            problem.X[kept],
            problem.gram[np.ix_(kept, kept)],
            problem.weight[kept],
            problem.n_clusters,
        )
    finite, _ = walk(problem, seed, len(problem.X), greedy=False, again=0.2)
    assert finite >= 0


@pytest.mark.parametrize("spread", mostly_slow([1e3, 1e6], 1e6))
@pytest.mark.parametrize("kernel", mostly_slow(KERNELS, "rbf", "indefinite"))
def test_no_bound_is_below_the_best_gain_where_weights_differ_much(kernel, spread):
    # Fixed seeds: how many bounds were raised is counted over all of them.
    raised = 0
    for seed in range(40):
        problem = random_problem(seed, kernel, 10, 40)
        random = np.random.default_rng(seed)
        problem.weight = spread ** random.uniform(-0.5, 0.5, len(problem.X))
        raised += walk(problem, seed, 20, greedy=False, again=0.1)[1]
    assert raised > 100
