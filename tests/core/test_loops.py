"""The compiled loops that keep sums of pairs through cuts of every kind, beside naive twins."""

from __future__ import annotations

import numpy as np
import pytest
from agathis._core.pairwise.clusters import transfer
from agathis._core.pairwise.state import State, partition
from agathis._core.pairwise.updates import Separation, close_root, open_root, sum_rows
from helpers.examples import examples
from helpers.models import SEEDS
from helpers.pair_problems import (
    all_rows,
    blocks_of,
    close,
    new_state,
    pair_values,
    problem_of,
    weight_of,
)
from helpers.strategies import (
    KERNELS,
    Problem,
    leaves_of,
    pairwise_kernel_sums,
    random_split,
)
from hypothesis import given
from hypothesis import strategies as st

# Sizes about those that the loops work in: 4 rows, 512 columns, tiles of 128 thresholds.
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 127, 128, 129, 130, 257, 511, 512, 513, 517]


def holds_the_definitions(problem: Problem, state: State) -> None:
    """Everything that can be read from a state, from its leaves and clusters alone."""
    values = pair_values(problem)
    weight = weight_of(problem)
    cluster = np.empty(len(problem.X), dtype=int)
    seen = []
    for leaf_index in range(state.n_leaves):
        inside = state.samples(leaf_index)
        seen.extend(inside.tolist())
        cluster[inside] = state.cluster_of(leaf_index)
        n_samples, leaf_weight = state.leaf_size(leaf_index)
        assert n_samples == len(inside) > 0
        assert leaf_weight == pytest.approx(weight[inside].sum(), rel=1e-12)
        for feature in range(state.n_features):
            column = np.sort(problem.X[inside, feature])
            pairs = [state.values_around(leaf_index, feature, p) for p in range(n_samples - 1)]
            expected = np.column_stack([column[:-1], column[1:]])
            np.testing.assert_array_equal(np.reshape(pairs, (-1, 2)), expected)
    assert sorted(seen) == list(range(len(problem.X)))
    assert set(cluster.tolist()) == set(range(state.n_clusters))
    for leaf_index in range(state.n_leaves):
        here = cluster == state.cluster_of(leaf_index)
        assert state.is_whole_cluster(leaf_index) == (here.sum() == state.leaf_size(leaf_index)[0])
    share = 0.0
    for k in range(state.n_clusters):
        close(state.cluster_kernel_sums(k), values[:, cluster == k].sum(axis=1), problem)
        kernel_sum = values[np.ix_(cluster == k, cluster == k)].sum()
        size = weight[cluster == k].sum()
        close(state.cluster_means()[k] * size**2, kernel_sum, problem)
        share += kernel_sum / size
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
    assert pairwise_kernel_sums(problem).tolerance == pytest.approx(problem.tolerance, rel=1e-9)
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
@examples(60)
@given(
    SEEDS,
    st.sampled_from([2, 3, 6, 11, 40]),
    st.sampled_from([None, "whole", "fractions"]),
    st.sampled_from(["normal", "integer"]),
)
def test_commits(kernel, seed, n, kind, values):
    """Cuts of any leaf anywhere by any move leave what the definitions say."""
    random = np.random.default_rng(seed)
    problem = problem_of(seed, n, 2, kernel, kind, min(n, 5), values)
    gain_engine = pairwise_kernel_sums(problem)
    for _ in range(20):
        chosen = random_split(gain_engine, random)
        if chosen is None:
            break
        gain_engine.commit(*chosen)
        holds_the_definitions(problem, gain_engine.state)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [511, 512, 513, 1025])
def test_commits_over_several_chunks_of_columns(n, threads):
    problem = problem_of(n, n, 4, "rbf", "fractions" if n % 2 else None, 4)
    random = np.random.default_rng(n)
    gain_engine = pairwise_kernel_sums(problem, threads)
    for _ in range(6):
        gain_engine.commit(*random_split(gain_engine, random))
    holds_the_definitions(problem, gain_engine.state)


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
@given(SEEDS, st.sampled_from(["normal", "integer"]), st.integers(0, 28))
@examples(10)
def test_partition(feature, seed, values, which):
    """Left is what stands before the cut; within a side every feature stays in order."""
    problem = problem_of(seed, 30, 3, "rbf", "whole", 2, values)
    state = new_state(problem)
    column = np.sort(problem.X[:, feature])
    cuts = np.flatnonzero(column[:-1] < column[1:])
    position = int(cuts[which % len(cuts)])
    assert partition(state, 0, feature, position) == 1
    left, right = state.samples(0), state.samples(1)
    assert len(left) == position + 1
    assert problem.X[left, feature].max() < problem.X[right, feature].min()
    for leaf_index, inside in enumerate((left, right)):
        assert state.leaf_size(leaf_index) == (len(inside), weight_of(problem)[inside].sum())
        assert state.cluster_of(leaf_index) == 0
        assert not state.is_whole_cluster(leaf_index)
        for f in range(3):
            column = np.sort(problem.X[inside, f])
            for p in range(len(inside) - 1):
                assert state.values_around(leaf_index, f, p) == tuple(column[p : p + 2])


@pytest.mark.parametrize("kind", [None, "fractions"])
def test_sums_kept_for_each_feature(kind):
    """Stocks of each sample with what stands before it in its leaf, and with its leaf."""
    problem = problem_of(2, 40, 3, "indefinite", kind, 4)
    random = np.random.default_rng(0)
    gain_engine = pairwise_kernel_sums(problem)
    values = pair_values(problem)
    for _ in range(15):
        arrays = gain_engine.state.arrays()
        leaf_index_of, _ = leaves_of(gain_engine)
        together = leaf_index_of[:, None] == leaf_index_of[None, :]
        for f in range(3):
            before = arrays["rank"][f][None, :] < arrays["rank"][f][:, None]
            close(arrays["alpha"][f], (values * (together & before)).sum(axis=1), problem)
            for leaf_index in range(gain_engine.state.n_leaves):
                start, stop = arrays["start"][leaf_index], arrays["stop"][leaf_index]
                inside = arrays["order"][f, start:stop]
                assert sorted(inside) == np.flatnonzero(leaf_index_of == leaf_index).tolist()
                column = problem.X[inside, f]
                np.testing.assert_array_equal(
                    arrays["cut"][f, start : stop - 1], np.diff(column) > 0
                )
                assert arrays["cut"][f, stop - 1] == 0
        close(arrays["within"], (values * together).sum(axis=1), problem)
        for leaf_index in range(gain_engine.state.n_leaves):
            inside = leaf_index_of == leaf_index
            close(arrays["leaf_self"][leaf_index], values[np.ix_(inside, inside)].sum(), problem)
        chosen = random_split(gain_engine, random)
        if chosen is None:
            break
        gain_engine.commit(*chosen)
