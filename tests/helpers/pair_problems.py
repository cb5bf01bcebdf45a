"""Problems for the compiled loops over pairs, and the values that they sum."""

from __future__ import annotations

import numpy as np
from agathis._core.pairwise.state import State

from helpers import reference
from helpers.strategies import (
    Problem,
    kernel_matrix,
    table,
    weights,
)


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
