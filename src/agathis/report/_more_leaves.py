"""What more leaves would buy: trees of K, 2 K and 4 K leaves, grown from the rows of the page.

A tree is grown in the way of the model, with the model's own limits. What these limits, the method
or the number of rows forbid is told in words, so that no number of leaves is missing without a
reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from agathis._suggest import default_min_leaf
from agathis._trees.tree import Tree

#: What more leaves buy is told of so many times the clusters.
TIMES = (1, 2, 4)


@dataclass(frozen=True)
class MoreLeaves:
    """Trees by the leaves that they were allowed.

    Attributes
    ----------
    trees : list of dict
        ``allowed``, ``n_leaves`` and what the tree has ``explained``, a tree each.
    why : str or None
        Why there are not all of them, or why one has fewer leaves than it was allowed.
    """

    trees: list[dict[str, Any]]
    why: str | None = None


def more_leaves(
    grower: BaseEstimator,
    own: Tree | None,
    n_clusters: int,
    rows: Any,
    fitted: Callable[..., BaseEstimator],
    explained: Callable[[BaseEstimator], float | None],
) -> MoreLeaves:
    """Trees of K, 2 K and 4 K leaves.

    Parameters
    ----------
    grower : estimator
        Grows trees as the model does.
    own : Tree or None
        The tree of the model over the columns of ``rows``: a search begins with it, so that more
        leaves are never worse for want of luck.
    n_clusters : int
    rows : EncodedRows
    fitted : callable
        Fits a grower to rows, quietly.
    explained : callable
        What a fitted model explains of the rows.
    """
    params = grower.get_params(deep=False)
    if "max_leaf_nodes" not in params:
        return MoreLeaves([], f"a leaf of {type(grower).__name__} is a cluster")
    searches = params.get("search", "greedy") != "greedy"
    found: list[dict[str, Any]] = []
    why = None
    for allowed in (times * n_clusters for times in TIMES):
        if allowed > len(rows) // 2:
            why = f"{allowed} leaves are too many for {len(rows):,} rows"
            break
        other = with_leaves(grower, allowed)
        begin = {"start": own} if searches and own is not None and own.n_leaves <= allowed else {}
        model = fitted(other, rows, **begin)
        own = model.tree_ if searches else None
        n_leaves = int(model.tree_.n_leaves)
        found.append({"allowed": allowed, "n_leaves": n_leaves, "explained": explained(model)})
        if n_leaves < allowed and why is None:
            why = _limit(other, len(rows), allowed)
    return MoreLeaves(found, why)


def with_leaves(grower: BaseEstimator, allowed: int) -> BaseEstimator:
    """The same with so many leaves, and room for them."""
    other = clone(grower).set_params(max_leaf_nodes=allowed)
    if getattr(other, "search", None) == "optimal":
        # The optimum is of trees with a leaf a cluster.
        other.set_params(search="local")
    least = getattr(other, "min_samples_leaf", 1)
    if isinstance(least, float) and least > default_min_leaf(allowed):
        # A share of the rows that leaves no room for so many.
        other.set_params(min_samples_leaf=default_min_leaf(allowed))
    return other


def for_share(grower: BaseEstimator, share: float) -> BaseEstimator:
    """A grower for a share of the rows: limits that count rows are as much smaller."""
    known = grower.get_params(deep=False)
    counts = {
        name: max(least, round(share * known[name]))
        for name, least in (("min_samples_leaf", 1), ("min_samples_split", 2))
        if isinstance(known.get(name), (int, np.integer)) and share < 1
    }
    return clone(grower).set_params(**counts)


def _limit(grower: BaseEstimator, n_rows: int, allowed: int) -> str | None:
    """The limit that leaves no room for so many leaves; None where rows have no more to give."""
    depth = getattr(grower, "max_depth", None)
    if depth is not None and 2**depth < allowed:
        return f"max_depth={depth} allows no more than {2**depth} leaves"
    least = getattr(grower, "min_samples_leaf", 1)
    if isinstance(least, (int, np.integer)) and least * allowed > n_rows:
        return f"leaves of {least:,} rows or more leave no room for {allowed}"
    return None
