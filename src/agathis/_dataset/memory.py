"""What a tree is grown from, in parts that do not change: data, and how they are approximated.

All of it is checked: whoever makes these has looked at the user's arguments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.random import sample_without_replacement

from agathis._checks.roles import FeatureRoles
from agathis._dataset.features import SearchedColumns, Sources
from agathis._dataset.parts import LocalParts, Part, Plan
from agathis._dataset.row_stores import MemoryStore, StreamStore, take
from agathis._dataset.splits import asked_values
from agathis._kernels.kernel import Kernel
from agathis._support.exact_sums import exact_sum


@dataclass(frozen=True)
class TrainingData:
    """The rows, their weights and their kernel.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
    kernel : Kernel
    matrix : ndarray or None
        The kernel matrix of X, where it is given.
    weight : ndarray of shape (n_rows,) or None
        ``None`` where all weights are 1.
    ids : ndarray of int32 or None
        The rows of positive weight; ``None`` where it is all of them.
    mapped : bool
        Whether X is a file that is mapped, and need not fit in memory.
    fill : ndarray of shape (n_features,) or None
        The mean of each column, where values are missing.
    threads : int
        How many may work on the rows at a time.
    roles : FeatureRoles or None
        Which columns are split on, and which are categories of one source; ``None`` where all are
        numbers that are split on. What the kernel sees is known to the kernel.
    on : ndarray or None
        What a column of each source that is split on has that is on.
    """

    X: np.ndarray
    kernel: Kernel
    matrix: np.ndarray | None = None
    weight: np.ndarray | None = None
    ids: np.ndarray | None = None
    mapped: bool = False
    fill: np.ndarray | None = None
    threads: int = 1
    roles: FeatureRoles | None = None
    on: np.ndarray | None = None

    @property
    def searched(self) -> SearchedColumns:
        """The columns whose thresholds are looked at."""
        columns = np.arange(self.n_features) if self.roles is None else self.roles.searched
        return SearchedColumns(columns, self.n_features)

    @property
    def sources(self) -> Sources | None:
        """The sources of categories that are split on, where there are any."""
        if self.roles is None or self.on is None or not self.roles.groups:
            return None
        return Sources(self.roles.groups, self.on)

    @property
    def n_candidates(self) -> int:
        """What a search looks at: columns, and sources, each as one."""
        if self.roles is None:
            return self.n_features
        return len(self.roles.searched) + len(self.roles.groups)

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def n_counted(self) -> int:
        """Rows of positive weight."""
        return len(self.X) if self.ids is None else len(self.ids)

    @property
    def total_weight(self) -> float:
        """Of all rows."""
        return float(len(self.X)) if self.weight is None else exact_sum(self.weight)

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    def holder(self, plan: Plan) -> LocalParts:
        """Who has the rows, for stocks with bins."""
        store_of = StreamStore if self.mapped else MemoryStore
        store = store_of(self.X, plan.bins, plan.space, self.threads, plan.searched, plan.sources)
        return LocalParts([Part(store, self.counted_ids(), self.weight)])

    def counted_ids(self) -> np.ndarray:
        """The rows of positive weight, as numbers that are the caller's to reorder."""
        if self.ids is None:
            return np.arange(len(self.X), dtype=np.int32)
        return self.ids.copy()

    def rows(self) -> np.ndarray:
        """The rows of positive weight, as float64."""
        rows = self.X if self.ids is None else self.X[self.ids]
        return np.asarray(rows, dtype=np.float64)

    def asked(
        self, samples: np.ndarray, feature: int, terms: tuple[tuple[int, float], ...]
    ) -> np.ndarray:
        """What a cut compares with its threshold, of some of the rows of positive weight."""
        rows = samples if self.ids is None else self.ids[samples]
        return asked_values(self.X, rows, feature, terms)

    def weights(self) -> np.ndarray:
        """Their weights."""
        if self.weight is None:
            return np.ones(self.n_counted)
        return self.weight if self.ids is None else self.weight[self.ids]

    def sample(
        self, most: int, random_state: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Some rows of positive weight in their order, no more than ``most``; their weights."""
        n = self.n_counted
        if n <= most:
            ids = np.arange(n) if self.ids is None else self.ids
            rows = self.X if self.ids is None and not self.mapped else take(self.X, ids)
        else:
            places = sample_without_replacement(n, most, random_state=random_state)
            places.sort()
            ids = places if self.ids is None else self.ids[places]
            rows = take(self.X, ids)
        return rows, None if self.weight is None else self.weight[ids]
