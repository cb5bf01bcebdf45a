"""What ends growth, beside the gains: how many clusters and leaves, how deep, how small.

The grower asks before it cuts (``Grower._settle``), the search of a leaf keeps ``min_leaf``.
"""

from __future__ import annotations

from dataclasses import dataclass


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
