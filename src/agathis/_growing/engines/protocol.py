"""What a grower and an estimator ask of stocks.

Stocks know the samples, the kernel and the clusters; they find the best split of a leaf and
carry it out. They do not know which leaf is cut next, nor when growth ends. Leaves are
numbered by *slot*: the first is 0, the left child of a cut keeps its parent's slot, and the
right child gets the next free one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from agathis._partitions.centres import Centres

EPS = float(np.finfo(np.float64).eps)
# How rounding adds up in the sums from which gains are made, and in the kernel's own values.
SUM_ROUNDING = 2048 * EPS
KERNEL_ROUNDING = 16 * EPS


class Split(NamedTuple):
    """Where a leaf is cut, and what becomes of its two sides.

    ``left`` and ``right`` are the clusters of the children, ``move`` an index into
    ``agathis._trees.tree.MOVES``. ``position`` is the number of samples on the left, less one, in
    the order of the feature, or the last bin on the left where there are bins. ``missing`` says
    where missing values go, an index into ``agathis._trees.tree.MISSING_GOES``.
    """

    feature: int
    threshold: float
    gain: float
    move: int
    left: int
    right: int
    position: int
    missing: int = 0


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


class Stocks(Protocol):
    """The stocks of a growing tree.

    Attributes
    ----------
    n_features : int
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
        """Whether the rows of a leaf differ, feature by feature."""
        ...

    def search(self, slots: np.ndarray, drawn: np.ndarray | None, floor: float) -> None:
        """Find the best gain of each leaf that has one near the best of them, or of ``floor``.

        Those get their best gain for certain. Of a leaf that stays below by more than the
        tolerance a gain that it has and a bound are enough. ``drawn``, of shape (len(slots),
        n_features), says which features are looked at.
        """
        ...

    def locate(self, slot: int, floor: float) -> Split:
        """The first split of a leaf, by feature and threshold, that gains ``floor`` or more.

        The leaf must have been searched since the clusters last changed.
        """
        ...

    def place(self, slot: int, feature: int, threshold: float, missing_left: bool) -> Place:
        """Where any threshold cuts a leaf; ValueError where stocks cannot cut there."""
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
