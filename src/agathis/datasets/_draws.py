"""Groups of points, drawn one by one and put together: what the makers of data sets are made of.

A ``Draw`` takes a generator and a number of rows, and returns the rows of one group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.random import RandomState
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._checks.parameters import MAKER_CONSTRAINTS, at_least

Draw: TypeAlias = Callable[[RandomState, int], np.ndarray]
Seed: TypeAlias = "int | RandomState | None"
Point: TypeAlias = "Sequence[float] | np.ndarray"


def check_maker(
    maker: str, least: int, n_samples: int, random_state: Seed, **numbers: float
) -> RandomState:
    """The generator of a maker, all of whose arguments are as they may be.

    ``least`` is the smallest number of rows; ``numbers`` are its further arguments.
    """
    constraints = MAKER_CONSTRAINTS | {"n_samples": at_least(least)}
    values = {"n_samples": n_samples, "random_state": random_state, **numbers}
    checks.check_arguments(maker, constraints, **values)
    return check_random_state(random_state)


def make(
    maker: str, n_samples: int, random_state: Seed, parts: Sequence[tuple[int, Draw]]
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes; parts are the share of each class and how it is drawn."""
    random = check_maker(maker, len(parts), n_samples, random_state)
    sizes = share_out(n_samples, [share for share, _ in parts])
    return draw_all(random, sizes, [draw for _, draw in parts])


def draw_all(
    random: RandomState, sizes: Sequence[int] | np.ndarray, draws: Sequence[Draw]
) -> tuple[np.ndarray, np.ndarray]:
    """So many rows of each class, shuffled."""
    X = np.vstack([draw(random, n) for n, draw in zip(sizes, draws, strict=True)])
    y = np.repeat(np.arange(len(sizes)), sizes)
    order = random.permutation(len(y))
    return X[order], y[order]


def share_out(n: int, shares: Sequence[int]) -> np.ndarray:
    """Whole numbers that sum to n, each at least 1, as near as can be to the shares."""
    exact = n * np.asarray(shares) / np.sum(shares)
    sizes = np.maximum(1, np.floor(exact)).astype(np.int64)
    while sizes.sum() < n:
        sizes[np.argmax(exact - sizes)] += 1
    while sizes.sum() > n:
        sizes[np.argmax(np.where(sizes > 1, sizes - exact, -np.inf))] -= 1
    return sizes


def gaussian(mean: Point, covariance: Sequence[Sequence[float]] | np.ndarray) -> Draw:
    return lambda random, n: random.multivariate_normal(mean, covariance, n)


def round_gaussian(mean: Point, variance: float) -> Draw:
    return gaussian(mean, np.diag(np.full(len(mean), variance)))


def box(low: Sequence[float], high: Sequence[float]) -> Draw:
    return lambda random, n: random.uniform(low, high, (n, len(low)))


def ball(centre: Point, radius: float, hole: float = 0.0) -> Draw:
    """Uniform in a ball, a disc in the plane, or between it and a hole of another radius."""
    d = len(centre)

    def draw(random: RandomState, n: int) -> np.ndarray:
        way = random.normal(size=(n, d))
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        # The volume within a distance grows with its power d.
        length = random.uniform(hole**d, radius**d, (n, 1)) ** (1 / d)
        return np.asarray(centre) + length * way

    return draw


def moved(draw: Draw, matrix: Sequence[Sequence[float]], shift: Sequence[float]) -> Draw:
    """The points of a group turned or mirrored, then shifted."""
    return lambda random, n: draw(random, n) @ np.transpose(matrix) + shift


def beside(*draws: Draw) -> Draw:
    """The columns of several draws side by side."""
    return lambda random, n: np.hstack([draw(random, n) for draw in draws])
