"""Evaluate the cost and the centres of clusters on all rows, by the objective of the fit.

A search may use a sample or approximate points. Its result is evaluated on all rows with the
points of the engine, or with kernel values.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from agathis._dataset.memory import InMemory
from agathis._growing.engines.points import PointStocks
from agathis._growing.engines.protocol import Stocks
from agathis._kernels.space import Space
from agathis._partitions.centres import Centres, PointCentres, centres_of
from agathis._partitions.cost import cost_of_sums, kernel_cost
from agathis._partitions.objective import pair_stocks, point_sums


class Judge(Protocol):
    """Evaluates the cost and the centres of clusters on all rows."""

    space: Space | None

    def cost(self, labels: np.ndarray) -> float: ...

    def centres(self, labels: np.ndarray, keep: bool) -> Centres | None: ...


class PointJudge:
    """The evaluator for engines whose rows are points."""

    def __init__(self, data: InMemory, stocks: PointStocks) -> None:
        self.data, self.stocks = data, stocks
        self.space: Space | None = stocks.space
        self.weight = np.ones(len(data.X)) if data.weight is None else data.weight

    def _sums(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        count, data = int(labels.max()) + 1, self.data
        sums, origin = point_sums(
            self.stocks.space, data.X, labels, self.weight, data.threads, count
        )
        return sums, np.bincount(labels, self.weight, minlength=count), origin

    def cost(self, labels: np.ndarray) -> float:
        sums, size, origin = self._sums(labels)
        # Inertia is about the origin of the engine; the minimum is about the mean of the points.
        apart = origin - self.stocks.origin
        inertia = self.stocks.inertia - self.weight.sum() * float(apart @ apart)
        return cost_of_sums(inertia, sums, size)

    def centres(self, labels: np.ndarray, keep: bool) -> PointCentres:
        sums, size, origin = self._sums(labels)
        return PointCentres(self.stocks.space, sums / size[:, None], origin)


class KernelJudge:
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
            stock, size = pair_stocks(
                data.kernel, X, labels, data.weight, data.threads, data.matrix
            )
            means = stock / size**2
        return centres_of(data.kernel, X, labels, data.weight, means, keep=keep)


def judge_of(data: InMemory, stocks: Stocks) -> Judge:
    """The evaluator that uses the same objective as an engine."""
    return PointJudge(data, stocks) if isinstance(stocks, PointStocks) else KernelJudge(data)
