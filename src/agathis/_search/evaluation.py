"""Evaluate the cost and the centres of clusters on all rows, by the objective of the fit.

A search may use a sample or approximate points. Its result is evaluated on all rows with the
points of the engine, or with kernel values.
"""

from __future__ import annotations

import numpy as np

from agathis._dataset.memory import InMemory
from agathis._growth.engines.points import PointEngine
from agathis._growth.engines.protocol import GainEngine
from agathis._kernels.space import Space
from agathis._objective.centres import Centres, PointCentres, centres_of
from agathis._objective.cost import cost_of_sums, kernel_cost
from agathis._objective.objective import pairwise_kernel_sums, point_sums


class ObjectiveEvaluator:
    """Evaluates clusters with the same objective as an engine.

    Parameters
    ----------
    data : InMemory
    gain_engine : GainEngine

    Attributes
    ----------
    space : Space or None
        Maps rows to the points of the engine; ``None`` if it uses kernel values.
    """

    def __init__(self, data: InMemory, gain_engine: GainEngine) -> None:
        self.data = data
        self.points = gain_engine if isinstance(gain_engine, PointEngine) else None
        self.space: Space | None = None if self.points is None else self.points.space

    def cost(self, labels: np.ndarray) -> float:
        """The sum of squared distances of rows to the mean of their cluster."""
        data = self.data
        if self.points is None:
            return kernel_cost(data.kernel, data.X, labels, data.weight, data.threads, data.matrix)
        sums, size, origin = self._sums(self.points.space, labels)
        # Inertia is about the origin of the engine; the minimum is about the mean of the points.
        apart = origin - self.points.origin
        return cost_of_sums(self.points.inertia - size.sum() * float(apart @ apart), sums, size)

    def centres(self, labels: np.ndarray, keep: bool) -> Centres | None:
        """The centres; ``None`` if they need the training rows and these are not kept."""
        data = self.data
        if self.space is not None:
            sums, size, origin = self._sums(self.space, labels)
            return PointCentres(self.space, sums / size[:, None], origin)
        X = np.asarray(data.X, dtype=np.float64)
        means = np.zeros(int(labels.max()) + 1)
        if not data.kernel.has_features:
            kernel_sum, size = pairwise_kernel_sums(
                data.kernel, X, labels, data.weight, data.threads, data.matrix
            )
            means = kernel_sum / size**2
        return centres_of(data.kernel, X, labels, data.weight, means, keep=keep)

    def _sums(self, space: Space, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sum and the weight of the points of each cluster, and their origin."""
        data, n_clusters = self.data, int(labels.max()) + 1
        weight = np.ones(len(data.X)) if data.weight is None else data.weight
        sums, origin = point_sums(space, data.X, labels, weight, data.threads, n_clusters)
        return sums, np.bincount(labels, weight, minlength=n_clusters), origin
