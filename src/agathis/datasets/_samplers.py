"""Building blocks of the data set generators.

A ``Sampler`` takes a random generator and a number of rows, and returns the rows of one class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.random import RandomState
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._checks.parameters import MAKER_CONSTRAINTS, at_least

Sampler: TypeAlias = Callable[[RandomState, int], np.ndarray]
Seed: TypeAlias = "int | RandomState | None"
Point: TypeAlias = "Sequence[float] | np.ndarray"


def check_maker(
    maker: str, min_samples: int, n_samples: int, random_state: Seed, **numbers: float
) -> RandomState:
    """Validate the arguments of a data set generator and return the random generator.

    ``numbers`` are further arguments.
    """
    constraints = MAKER_CONSTRAINTS | {"n_samples": at_least(min_samples)}
    values = {"n_samples": n_samples, "random_state": random_state, **numbers}
    checks.check_arguments(maker, constraints, **values)
    return check_random_state(random_state)


def make(
    maker: str, n_samples: int, random_state: Seed, parts: Sequence[tuple[int, Sampler]]
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes; ``parts`` are the relative size and the sampler of each class."""
    random = check_maker(maker, len(parts), n_samples, random_state)
    sizes = apportion(n_samples, [share for share, _ in parts])
    return sample_all(random, sizes, [sampler for _, sampler in parts])


def sample_all(
    random: RandomState, sizes: Sequence[int] | np.ndarray, samplers: Sequence[Sampler]
) -> tuple[np.ndarray, np.ndarray]:
    """Sample the rows of each class, shuffled."""
    X = np.vstack([sampler(random, n) for n, sampler in zip(sizes, samplers, strict=True)])
    y = np.repeat(np.arange(len(sizes)), sizes)
    order = random.permutation(len(y))
    return X[order], y[order]


def apportion(n: int, shares: Sequence[int]) -> np.ndarray:
    """Integers that sum to n, each at least 1, closest to the given proportions."""
    exact = n * np.asarray(shares) / np.sum(shares)
    sizes = np.maximum(1, np.floor(exact)).astype(np.int64)
    while sizes.sum() < n:
        sizes[np.argmax(exact - sizes)] += 1
    while sizes.sum() > n:
        sizes[np.argmax(np.where(sizes > 1, sizes - exact, -np.inf))] -= 1
    return sizes


def gaussian(mean: Point, covariance: Sequence[Sequence[float]] | np.ndarray) -> Sampler:
    return lambda random, n: random.multivariate_normal(mean, covariance, n)


def round_gaussian(mean: Point, variance: float) -> Sampler:
    return gaussian(mean, np.diag(np.full(len(mean), variance)))


def box(low: Sequence[float], high: Sequence[float]) -> Sampler:
    return lambda random, n: random.uniform(low, high, (n, len(low)))


def ball(centre: Point, radius: float, hole: float = 0.0) -> Sampler:
    """Uniform in a ball, except a concentric ball of radius ``hole``."""
    d = len(centre)

    def sampler(random: RandomState, n: int) -> np.ndarray:
        direction = random.normal(size=(n, d))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        # The volume is proportional to the radius to the power d.
        length = random.uniform(hole**d, radius**d, (n, 1)) ** (1 / d)
        return np.asarray(centre) + length * direction

    return sampler


def transformed(
    sampler: Sampler, matrix: Sequence[Sequence[float]], shift: Sequence[float]
) -> Sampler:
    """Rotate or mirror the points of a class, then shift them."""
    return lambda random, n: sampler(random, n) @ np.transpose(matrix) + shift


def stacked(*samplers: Sampler) -> Sampler:
    """Concatenate the columns of several samplers."""
    return lambda random, n: np.hstack([sampler(random, n) for sampler in samplers])
