"""What a fit asks of its data, wherever the rows are.

:class:`~agathis._dataset.memory.InMemory` holds rows in memory or in a file, ``agathis.dask`` has
them on other machines; another backend is another class with these attributes and methods.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from sklearn.utils.random import sample_without_replacement

from agathis._dataset.features import Features
from agathis._dataset.parts import Holder, Plan
from agathis._kernels.kernel import Kernel
from agathis._trees.tree import Tree


class Dataset(Protocol):
    """Rows, features, weights, and the kernel between the rows.

    Attributes
    ----------
    features : Features
    kernel : Kernel
        Of the columns that it sees.
    n_counted : int
        The number of rows of positive weight.
    weighted : bool
        Whether some weight is not 1.
    total_weight : float
        Of all rows.
    fill : ndarray of shape (n_features,) or None
        The exact mean of each column, where values are missing.
    threads : int
        How many may work on rows at a time in this process.
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

        They are sampled by their position, so that the same rows are found wherever they are.
        """
        ...

    def holder(self, plan: Plan) -> Holder:
        """What answers questions on sums, sizes and cuts; it may be asked the same again."""
        ...

    def labels(self, tree: Tree) -> Any:
        """The cluster of each row, those of no weight too; lazily where rows are elsewhere."""
        ...


def sampled_positions(n_rows: int, most: int, random_state: np.random.RandomState) -> np.ndarray:
    """The positions of at most ``most`` rows, rising; all of them where these are not more."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(sample_without_replacement(n_rows, most, random_state=random_state))
