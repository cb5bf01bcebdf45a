"""What ends growth, beside the gains: how many clusters and leaves, how deep, how small.

:class:`Constraints` are as the user gives them, fractions included; :class:`Limits` are what the
code checks. The grower asks before it cuts (``Grower._settle``), the search of a leaf keeps
``min_leaf``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agathis._checks.data import least_weight


class Counted(Protocol):
    """What constraints are resolved for: rows with weights."""

    @property
    def n_counted(self) -> int: ...

    @property
    def total_weight(self) -> float: ...


@dataclass(frozen=True)
class Constraints:
    """What a tree may become, as the user asks for it.

    Attributes
    ----------
    max_leaf_nodes : int, "auto" or None
        "auto" is one leaf per cluster, ``None`` is no limit: see :func:`leaf_limit`.
    max_depth : int or None
    min_samples_split, min_samples_leaf : int or float
        A float is a fraction of the samples.
    """

    max_leaf_nodes: int | str | None = "auto"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1

    def resolve(self, dataset: Counted, n_clusters: int) -> Limits:
        """The limits of a tree of these rows, with at most ``n_clusters`` clusters."""
        total = dataset.total_weight
        most = leaf_limit(self.max_leaf_nodes, n_clusters)
        return Limits(
            n_clusters=n_clusters,
            max_leaves=dataset.n_counted if most is None else min(dataset.n_counted, most),
            max_depth=self.max_depth,
            min_split=least_weight(self.min_samples_split, total, 2),
            min_leaf=least_weight(self.min_samples_leaf, total, 1),
        )


@dataclass(frozen=True)
class Limits:
    """What a tree may become.

    Attributes
    ----------
    n_clusters, max_leaves : int
        The most there may be.
    max_depth : int or None
        The most cuts on the way to a leaf.
    min_split, min_leaf : float
        Least weight of a leaf that is cut, and of a leaf.
    """

    n_clusters: int
    max_leaves: int
    max_depth: int | None = None
    min_split: float = 0.0
    min_leaf: float = 0.0


def leaf_limit(max_leaf_nodes: int | str | None, n_clusters: int) -> int | None:
    """The maximum number of leaves that a parameter ``max_leaf_nodes`` asks for.

    ``"auto"`` is one leaf per cluster and at least two; ``None`` is no limit.

    >>> leaf_limit("auto", 3), leaf_limit("auto", 1), leaf_limit(12, 3), leaf_limit(None, 3)
    (3, 2, 12, None)
    """
    return max(2, n_clusters) if isinstance(max_leaf_nodes, str) else max_leaf_nodes
