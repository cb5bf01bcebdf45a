"""Datasets in memory, or in a file that is mapped or read repeatedly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils import gen_batches

from agathis._checks.data import ROWS_AT_ONCE
from agathis._checks.roles import Units
from agathis._dataset.features import Features
from agathis._dataset.parts import Part
from agathis._dataset.protocol import sampled_positions
from agathis._dataset.row_stores import Plan, RowStore, take
from agathis._dataset.splits import asked_values
from agathis._kernels.kernel import Kernel
from agathis._trees.tree import Tree
from agathis._utils.exact_sums import exact_sum


@dataclass(frozen=True, eq=False)
class InMemory:
    """A dataset with random access to all rows, as exact engines and searches need.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
    features : Features
    kernel : Kernel
    matrix : ndarray or None
        The precomputed kernel matrix of X, if given.
    weight : ndarray of shape (n_rows,) or None
        ``None`` if all weights are 1.
    ids : ndarray of int32 or None
        The rows of positive weight; ``None`` if all.
    mapped : bool
        Whether X is a file, and need not fit in memory.
    fill : ndarray of shape (n_features,) or None
        The mean of each column, if values are missing.
    threads : int
        The number of threads.
    units : Units or None
        The original units of encoded rows.
    """

    X: np.ndarray
    features: Features
    kernel: Kernel
    matrix: np.ndarray | None = None
    weight: np.ndarray | None = None
    ids: np.ndarray | None = None
    mapped: bool = False
    fill: np.ndarray | None = None
    threads: int = 1
    units: Units | None = None

    @property
    def n_counted(self) -> int:
        """The number of rows of positive weight."""
        return len(self.X) if self.ids is None else len(self.ids)

    @property
    def total_weight(self) -> float:
        """The total weight of all rows."""
        return float(len(self.X)) if self.weight is None else exact_sum(self.weight)

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    def holder(self, plan: Plan) -> Part:
        """The holder of the rows, for the binned engine."""
        store = RowStore(self.X, plan, self.threads, self.mapped)
        return Part(store, self.counted_ids(), self.weight)

    def labels(self, tree: Tree) -> np.ndarray:
        """The cluster of each row, including those of zero weight."""
        if not self.mapped:
            return tree.predict(self.X, self.threads)
        labels = np.empty(len(self.X), dtype=np.int32)
        for rows in gen_batches(len(self.X), ROWS_AT_ONCE):
            labels[rows] = tree.predict(np.asarray(self.X[rows]), self.threads)
        return labels

    def counted_ids(self) -> np.ndarray:
        """The indices of rows of positive weight, as a new array."""
        if self.ids is None:
            return np.arange(len(self.X), dtype=np.int32)
        return self.ids.copy()

    def rows(self) -> np.ndarray:
        """The rows of positive weight, as float64."""
        rows = self.X if self.ids is None else self.X[self.ids]
        return np.ascontiguousarray(rows, dtype=np.float64)

    def asked(
        self, samples: np.ndarray, feature: int, terms: tuple[tuple[int, float], ...]
    ) -> np.ndarray:
        """The values compared with a threshold, for some of the rows of positive weight."""
        rows = samples if self.ids is None else self.ids[samples]
        return asked_values(self.X, rows, feature, terms)

    def weights(self) -> np.ndarray:
        """The weights of the rows of positive weight."""
        if self.weight is None:
            return np.ones(self.n_counted)
        return self.weight if self.ids is None else self.weight[self.ids]

    def sample(
        self, most: int, random_state: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """A sample of at most ``most`` rows of positive weight in their order, with weights."""
        ids = sampled_positions(self.n_counted, most, random_state)
        if len(ids) == len(self.X) and not self.mapped:
            return self.X, self.weight
        ids = ids if self.ids is None else self.ids[ids]
        rows = take(self.X, ids)
        return rows, None if self.weight is None else self.weight[ids]
