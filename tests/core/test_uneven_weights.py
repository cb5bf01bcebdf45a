"""Weights from 1e-6 to 1e6: what is kept of a light cluster is not the rounding of a heavy one."""

import numpy as np
import pytest
from helpers import reference
from helpers.examples import examples
from helpers.models import SEEDS
from helpers.strategies import (
    KERNELS,
    Problem,
    kernel_matrix,
    pairwise_kernel_sums,
    random_split,
    table,
)
from hypothesis import given
from hypothesis import strategies as st

EPS = np.finfo(np.float64).eps


@pytest.mark.parametrize("kernel", KERNELS)
@given(SEEDS, st.integers(3, 14))
@examples(30)
def test_the_share_of_every_cluster_after_any_cuts(kernel, seed, n):
    """Off by roundings of what a row's distances to all others come to, however little is left.

    As the difference of a heavy cluster and a heavy leaf that leaves it, the stock of what stays
    was off by a rounding of the two; over the weight of what stays that may be any number.
    """
    random = np.random.default_rng(seed)
    X = table(random, n, 2, "normal")
    problem = Problem(X, kernel_matrix(random, X, kernel), 10.0 ** random.integers(-6, 7, n), 3)
    weight = problem.weight.astype(np.longdouble)
    form = reference.distance_form(problem.gram.astype(np.longdouble))
    # Halves of the diagonal are taken off, with a rounding each, before anything is summed.
    half = np.abs(np.diagonal(problem.gram)) / 2
    reach = ((np.abs(form) + half[:, None] + half[None, :]) @ weight).max()
    gain_engine = pairwise_kernel_sums(problem)
    for _ in range(6):
        chosen = random_split(gain_engine, random)
        if chosen is None:
            break
        gain_engine.commit(*chosen)
        means = gain_engine.state.cluster_means()
        leaf_indices = range(gain_engine.state.n_leaves)
        for k, mean in enumerate(means.tolist()):
            inside = [s for s in leaf_indices if gain_engine.state.cluster_of(s) == k]
            rows = np.concatenate([gain_engine.state.samples(leaf_index) for leaf_index in inside])
            size = weight[rows].sum()
            share = weight[rows] @ form[np.ix_(rows, rows)] @ weight[rows] / size
            assert abs(mean * size - share) <= n * EPS * reach
