"""The interface of engines.

An engine holds the samples, the kernel and the clusters. It finds the best split of a leaf and
applies it; the grower decides which leaf is split next and when growth stops. Leaves have an
index: the root is 0, the left child of a split keeps the index of its parent, and the right child
gets the next one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from agathis._dataset.splits import Split, sent_left
from agathis._objective.centres import Centres

EPS = float(np.finfo(np.float64).eps)
# Relative rounding errors of the sums from which gains are computed, and of kernel values.
SUM_ROUNDING = 2048 * EPS
KERNEL_ROUNDING = 16 * EPS


class Place(NamedTuple):
    """The position of a threshold in a leaf (``Split.position``) and the samples on the left.

    The position is -1 for a split that is applied by comparing values. ``misses`` tells whether the
    feature is missing for some samples of the leaf.
    """

    position: int
    n_left: int
    misses: bool = False

    @classmethod
    def by_values(cls, values: np.ndarray, threshold: float, missing_left: bool) -> Place:
        """For a split that is applied by comparing values."""
        n_left = int(np.count_nonzero(sent_left(values, threshold, missing_left)))
        return cls(-1, n_left, bool(np.isnan(values).any()))


class GainEngine(Protocol):
    """An engine: the kernel sums of a growing tree.

    Attributes
    ----------
    n_features : int
        The number of columns of the data.
    trace : float
        The sum of w k(x, x) over the samples.
    tolerance : float
        The rounding error of gains: gains within it are equal, and not larger ones are zero.
    gain, bound : ndarray, by leaf index
        The best gain of the last search of a leaf, -inf if it cannot be split, and an upper bound
        of its current gain, infinite if unknown. They are equal if the gain is certain. The grower
        writes -inf to both for a leaf that must not be split, and infinity to ``bound`` for one to
        be searched again.
    """

    tolerance: float

    @property
    def n_features(self) -> int: ...

    @property
    def trace(self) -> float: ...

    @property
    def gain(self) -> np.ndarray: ...

    @property
    def bound(self) -> np.ndarray: ...

    @property
    def n_clusters(self) -> int: ...

    @property
    def objective(self) -> float:
        """The current objective, minus that of every sample in a separate cluster."""
        ...

    def leaf_size(self, leaf_index: int) -> tuple[int, float]:
        """The number of samples and the weight of a leaf."""
        ...

    def has_threshold(self, leaf_index: int) -> np.ndarray:
        """Whether the rows of a leaf differ, by candidate: columns, then categorical features."""
        ...

    def search(self, leaf_indices: np.ndarray, drawn: np.ndarray | None, floor: float) -> None:
        """Find the best gain of each leaf that may be within the tolerance of the best.

        The best is the maximum over the leaves and ``floor``. For other leaves any gain and a
        bound are enough. ``drawn`` is a mask of candidates, of shape (n_leaves, n_candidates).
        """
        ...

    def locate(self, leaf_index: int, floor: float) -> Split:
        """The first split of a leaf, by ``Split.order``, with a gain of at least ``floor``.

        The leaf must have been searched since the last change of the clusters.
        """
        ...

    def place(
        self,
        leaf_index: int,
        feature: int,
        threshold: float,
        missing_left: bool,
        terms: tuple[tuple[int, float], ...] = (),
    ) -> Place:
        """The position of any split in a leaf; ValueError if the engine does not support it."""
        ...

    def commit(self, leaf_index: int, split: Split) -> int:
        """Split a leaf and move its sides to their clusters; return the index of the right child.

        A side joins an existing cluster, or a new one with the next number; the left one is moved
        first. No cluster may become empty.
        """
        ...

    def move(self, leaf_index: int, cluster: int) -> None:
        """Move a leaf to another cluster, or to a new one with the next number."""
        ...

    def centres(self, labels: np.ndarray, keep: bool) -> Centres | None:
        """The centres, for distances to clusters.

        ``labels`` are the clusters of all training rows, including those of zero weight. ``None``
        if distances require the training rows and these are not kept (``keep``).
        """
        ...
