"""The interface of datasets.

:class:`~agathis._dataset.memory.InMemory` holds rows in memory or in a file, ``agathis.dask`` on
other machines. A new backend is a class with these attributes and methods.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from sklearn.utils.random import sample_without_replacement

from agathis._dataset.features import Features
from agathis._dataset.parts import Holder
from agathis._dataset.row_stores import Plan
from agathis._kernels.kernel import Kernel
from agathis._trees.tree import Tree


class Dataset(Protocol):
    """Rows, features, weights, and the kernel between the rows.

    Attributes
    ----------
    features : Features
    kernel : Kernel
        With its columns.
    n_counted : int
        The number of rows of positive weight.
    weighted : bool
        Whether some weight is not 1.
    total_weight : float
        The total weight of all rows.
    fill : ndarray of shape (n_features,) or None
        The exact mean of each column, if values are missing.
    threads : int
        The number of threads in this process.
    """

    @property
    def features(self) -> Features: ...

    @property
    def kernel(self) -> Kernel: ...

    @property
    def n_counted(self) -> int: ...

    @property
    def weighted(self) -> bool: ...

    @property
    def total_weight(self) -> float: ...

    @property
    def fill(self) -> np.ndarray | None: ...

    @property
    def threads(self) -> int: ...

    def sample(
        self, most: int, random_state: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """At most ``most`` rows of positive weight in their order, and their weights.

        They are sampled by position, so that every backend samples the same rows.
        """
        ...

    def holder(self, plan: Plan) -> Holder:
        """The holder of the rows, which computes sums and sizes of leaves."""
        ...

    def labels(self, tree: Tree) -> Any:
        """The cluster of each row, including those of zero weight; lazy for distributed rows."""
        ...


def sampled_positions(n_rows: int, most: int, random_state: np.random.RandomState) -> np.ndarray:
    """The sorted positions of a random sample of at most ``most`` rows."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(sample_without_replacement(n_rows, most, random_state=random_state))
