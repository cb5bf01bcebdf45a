"""What a grower and an estimator ask of stocks.

Stocks know the samples, the kernel and the clusters; they find the best split of a leaf and
carry it out. They do not know which leaf is cut next, nor when growth ends. Leaves are
numbered by *slot*: the first is 0, the left child of a cut keeps its parent's slot, and the
right child gets the next free one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from agathis._dataset.splits import Split, sent_left
from agathis._partitions.centres import Centres

EPS = float(np.finfo(np.float64).eps)
# How rounding adds up in the sums from which gains are made, and in the kernel's own values.
SUM_ROUNDING = 2048 * EPS
KERNEL_ROUNDING = 16 * EPS


class Place(NamedTuple):
    """Where a threshold cuts a leaf: as ``Split.position``, with the samples on the left.

    ``misses`` says whether samples of the leaf miss the feature.
    """

    position: int
    n_left: int
    misses: bool = False

    @classmethod
    def among(cls, values: np.ndarray, threshold: float) -> Place:
        """Of a leaf whose samples have these values, none missing, cut anywhere between two."""
        n_left = int(np.count_nonzero(values <= threshold))
        return cls(n_left - 1, n_left)

    @classmethod
    def by_values(cls, values: np.ndarray, threshold: float, missing_left: bool) -> Place:
        """Of a cut that sends samples where their values tell."""
        n_left = int(np.count_nonzero(sent_left(values, threshold, missing_left)))
        return cls(-1, n_left, bool(np.isnan(values).any()))


class Stocks(Protocol):
    """The stocks of a growing tree.

    Attributes
    ----------
    n_features : int
        Columns of the data.
    trace : float
        The sum of w k(x, x) over the samples.
    tolerance : float
        Two gains that differ by no more are the same but for rounding; a gain that is no
        larger is none.
    gain, bound : ndarray, by slot
        The best gain of a leaf that its last search found, -inf where it cannot be cut; and
        what its best gain now cannot exceed, infinite where nothing is known. They are equal
        where the gain is certain. The grower writes -inf to both for a leaf that it may not cut,
        and infinity to ``bound`` for one that has to be searched again.
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
        """The objective now, less what it would be with every sample a cluster of its own."""
        ...

    def leaf_size(self, slot: int) -> tuple[int, float]:
        """Samples and weight of a leaf."""
        ...

    def has_threshold(self, slot: int) -> np.ndarray:
        """Whether the rows of a leaf differ, candidate by candidate.

        The candidates are the columns that are searched, then the sources of categories.
        """
        ...

    def search(self, slots: np.ndarray, drawn: np.ndarray | None, floor: float) -> None:
        """Find the best gain of each leaf that has one near the best of them, or of ``floor``.

        Those get their best gain for certain. Of a leaf that stays below by more than the
        tolerance a gain that it has and a bound are enough. ``drawn``, of shape (len(slots),
        n_candidates), says which candidates are looked at.
        """
        ...

    def locate(self, slot: int, floor: float) -> Split:
        """The first split of a leaf, by ``Split.order``, that gains ``floor`` or more.

        The leaf must have been searched since the clusters last changed.
        """
        ...

    def place(
        self,
        slot: int,
        feature: int,
        threshold: float,
        missing_left: bool,
        terms: tuple[tuple[int, float], ...] = (),
    ) -> Place:
        """Where any cut parts a leaf; ValueError where stocks cannot cut there."""
        ...

    def commit(self, slot: int, split: Split) -> int:
        """Cut a leaf, move its sides to their clusters; the slot of its right child.

        A side goes to a cluster that there is, or to the first unused number, which founds one;
        the left one goes first. No cluster may be left empty.
        """
        ...

    def move(self, slot: int, cluster: int) -> None:
        """Move a leaf to another cluster, or to the first unused number, which founds one."""
        ...

    def centres(self, labels: np.ndarray, keep: bool) -> Centres | None:
        """What it takes to tell distances to the clusters.

        ``labels`` are the clusters of all training rows, those of no weight too. ``None`` comes
        back where it takes training rows, and these are not to be kept (``keep``).
        """
        ...
