"""The stopping rules: maximum numbers of clusters and leaves, maximum depth, minimum sizes.

:class:`Constraints` are the parameters of the user, possibly fractions; :class:`Limits` are the
resolved values. The grower checks them before a split (``Grower._settle``), except ``min_leaf``,
which the split search checks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from agathis._checks.data import min_weight
from agathis._core.shared.limits import LIMITS, UNLIMITED
from agathis._trees.tree import Tree

# The relative rounding error of sums of weights.
WEIGHT_ROUNDING = 1e-9
# The default fraction of rows in a leaf for raw tables: rules for fewer are of little use.
SMALLEST_LEAF = 0.02


def default_min_leaf(leaves: int) -> float:
    """Return the default fraction of the rows in a leaf; smaller for many leaves."""
    return min(SMALLEST_LEAF, 1 / (4 * leaves))


class Counted(Protocol):
    """The counts of a dataset that are needed to resolve constraints."""

    @property
    def n_counted(self) -> int: ...

    @property
    def total_weight(self) -> float: ...


@dataclass(frozen=True)
class Constraints:
    """The stopping rules as given by the user.

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
        max_leaves = leaf_limit(self.max_leaf_nodes, n_clusters)
        return Limits(
            n_clusters=n_clusters,
            max_leaves=dataset.n_counted
            if max_leaves is None
            else min(dataset.n_counted, max_leaves),
            max_depth=self.max_depth,
            min_split=min_weight(self.min_samples_split, total, 2),
            min_leaf=min_weight(self.min_samples_leaf, total, 1),
        )


@dataclass(frozen=True)
class Limits:
    """The stopping rules as resolved for a dataset.

    The grower and the searches check :meth:`allows_split` before a split, and :meth:`allows_tree`
    checks an entire tree. Compiled loops read :attr:`record`: all scans read ``min_leaf``, searches
    also ``min_split``, and the optimal search also ``max_depth`` and ``max_leaves``. The number of
    clusters is a part of the state of an engine or a mutable tree.

    Two things are not in the record. ``split_features`` selects the columns that engines and
    searches get (``Features.searched``), so that no loop needs a mask of columns; ``drawn`` masks
    are another thing, a random sample per leaf for ``max_features``. No loop limits the weight of a
    leaf or a cluster from above: such a limit becomes a member of ``tree_limits`` together with
    the loop that reads it.

    Attributes
    ----------
    n_clusters, max_leaves : int
        The maximum numbers of clusters and of leaves.
    max_depth : int or None
        The maximum depth of the tree.
    min_split, min_leaf : float
        The minimum weight required to split a node, and to be a leaf.
    """

    n_clusters: int
    max_leaves: int
    max_depth: int | None = None
    min_split: float = 0.0
    min_leaf: float = 0.0

    @cached_property
    def record(self) -> np.ndarray:
        """The limits as compiled loops read them: ``tree_limits`` of ``_core/shared/limits.h``."""
        depth = UNLIMITED if self.max_depth is None else min(self.max_depth, UNLIMITED)
        leaves = min(self.max_leaves, UNLIMITED)
        return np.array([(self.min_split, self.min_leaf, depth, leaves)], dtype=LIMITS)

    def scaled(self, share: float) -> Limits:
        """The limits for a sample with this fraction of the weight."""
        return replace(self, min_leaf=share * self.min_leaf, min_split=share * self.min_split)

    def allows_split(self, depth: int, weight: float) -> bool:
        """Whether a node at this depth, with rows of this weight, may be split."""
        return weight >= self.min_split and (self.max_depth is None or depth < self.max_depth)

    def allows_tree(self, tree: Tree) -> bool:
        """Whether a tree is within the limits and has no empty leaf."""
        weight, is_leaf = tree.weighted_n_node_samples, tree.is_leaf
        least_leaf = self.min_leaf * (1 - WEIGHT_ROUNDING)
        least_split = self.min_split * (1 - WEIGHT_ROUNDING)
        return (
            tree.n_leaves <= self.max_leaves
            and tree.n_clusters <= self.n_clusters
            and (self.max_depth is None or tree.max_depth <= self.max_depth)
            and bool(tree.n_node_samples.all())
            and not (weight[is_leaf] < least_leaf).any()
            and not (weight[~is_leaf] < least_split).any()
        )


def leaf_limit(max_leaf_nodes: int | str | None, n_clusters: int) -> int | None:
    """The maximum number of leaves for a parameter ``max_leaf_nodes``.

    ``"auto"`` is one leaf per cluster and at least two; ``None`` is no limit.

    >>> leaf_limit("auto", 3), leaf_limit("auto", 1), leaf_limit(12, 3), leaf_limit(None, 3)
    (3, 2, 12, None)
    """
    return max(2, n_clusters) if isinstance(max_leaf_nodes, str) else max_leaf_nodes
