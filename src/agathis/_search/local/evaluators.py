"""Evaluate the cost and the centres of clusters on all rows, by the objective of the fit.

A search may use a sample or approximate points. Its result is evaluated on all rows with the
points of the engine, or with kernel values.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from agathis._dataset.memory import InMemory
from agathis._growth.engines.points import PointEngine
from agathis._growth.engines.protocol import GainEngine
from agathis._kernels.space import Space
from agathis._objective.centres import Centres, PointCentres, centres_of
from agathis._objective.cost import cost_of_sums, kernel_cost
from agathis._objective.objective import pairwise_kernel_sums, point_sums


class ObjectiveEvaluator(Protocol):
    """Evaluates the cost and the centres of clusters on all rows."""

    space: Space | None

    def cost(self, labels: np.ndarray) -> float: ...

    def centres(self, labels: np.ndarray, keep: bool) -> Centres | None: ...


class PointEvaluator:
    """The evaluator for engines whose rows are points."""

    def __init__(self, data: InMemory, gain_engine: PointEngine) -> None:
        self.data, self.gain_engine = data, gain_engine
        self.space: Space | None = gain_engine.space
        self.weight = np.ones(len(data.X)) if data.weight is None else data.weight

    def _sums(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        count, data = int(labels.max()) + 1, self.data
        sums, origin = point_sums(
            self.gain_engine.space, data.X, labels, self.weight, data.threads, count
        )
        return sums, np.bincount(labels, self.weight, minlength=count), origin

    def cost(self, labels: np.ndarray) -> float:
        sums, size, origin = self._sums(labels)
        # Inertia is about the origin of the engine; the minimum is about the mean of the points.
        apart = origin - self.gain_engine.origin
        inertia = self.gain_engine.inertia - self.weight.sum() * float(apart @ apart)
        return cost_of_sums(inertia, sums, size)

    def centres(self, labels: np.ndarray, keep: bool) -> PointCentres:
        sums, size, origin = self._sums(labels)
        return PointCentres(self.gain_engine.space, sums / size[:, None], origin)


class KernelEvaluator:
    """The evaluator for engines that use kernel values."""

    space: Space | None = None

    def __init__(self, data: InMemory) -> None:
        self.data = data

    def cost(self, labels: np.ndarray) -> float:
        data = self.data
        return kernel_cost(data.kernel, data.X, labels, data.weight, data.threads, data.matrix)

    def centres(self, labels: np.ndarray, keep: bool) -> Centres | None:
        data = self.data
        X = np.asarray(data.X, dtype=np.float64)
        if data.kernel.has_features:
            means = np.zeros(int(labels.max()) + 1)
        else:
            kernel_sum, size = pairwise_kernel_sums(
                data.kernel, X, labels, data.weight, data.threads, data.matrix
            )
            means = kernel_sum / size**2
        return centres_of(data.kernel, X, labels, data.weight, means, keep=keep)


def evaluator_of(data: InMemory, gain_engine: GainEngine) -> ObjectiveEvaluator:
    """The evaluator that uses the same objective as an engine."""
    return (
        PointEvaluator(data, gain_engine)
        if isinstance(gain_engine, PointEngine)
        else KernelEvaluator(data)
    )
