"""Explained variance by number of leaves: trees of K, 2 K and 4 K leaves, fitted to the rows.

Trees are fitted with the settings and limits of the model. Where a limit, the method or the number
of rows allows fewer leaves, the reason is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from agathis._growth.limits import default_min_leaf
from agathis._trees.tree import Tree
from agathis.report._tuning import LEAF_MULTIPLES


def more_leaves(
    grower: BaseEstimator,
    tree: Tree | None,
    n_clusters: int,
    rows: Any,
    fitted: Callable[..., BaseEstimator],
    explained: Callable[[BaseEstimator], float | None],
) -> tuple[list[dict[str, Any]], str | None]:
    """Trees of K, 2 K and 4 K leaves.

    Parameters
    ----------
    grower : estimator
        With the settings of the model.
    tree : Tree or None
        The tree of the model over the columns of ``rows``: a search starts from it, so that trees
        with more leaves are never worse.
    n_clusters : int
    rows : EncodedRows
    fitted : callable
        Fits a grower to rows without warnings.
    explained : callable
        The explained variance of a fitted model.

    Returns
    -------
    trees : list of dict
        For each tree its maximum number of leaves, ``allowed``, ``n_leaves`` and ``explained``.
    why : str or None
        Why some trees were not fitted, or why one has fewer leaves than the maximum.
    """
    params = grower.get_params(deep=False)
    if "max_leaf_nodes" not in params:
        return [], f"{type(grower).__name__} has one leaf per cluster"
    searches = params.get("search", "greedy") != "greedy"
    trees: list[dict[str, Any]] = []
    why = None
    for allowed in (multiple * n_clusters for multiple in LEAF_MULTIPLES):
        if allowed > len(rows) // 2:
            why = f"{allowed} leaves are too many for {len(rows):,} rows"
            break
        other = with_leaves(grower, allowed)
        start = (
            {"start": tree} if searches and tree is not None and tree.n_leaves <= allowed else {}
        )
        model = fitted(other, rows, **start)
        tree = model.tree_
        n_leaves = int(tree.n_leaves)
        trees.append({"allowed": allowed, "n_leaves": n_leaves, "explained": explained(model)})
        if n_leaves < allowed and why is None:
            why = _limit(other, len(rows), allowed)
    return trees, why


def with_leaves(grower: BaseEstimator, allowed: int) -> BaseEstimator:
    """A clone with this maximum number of leaves, and a leaf size that allows it."""
    other = clone(grower).set_params(max_leaf_nodes=allowed)
    if getattr(other, "search", None) == "optimal":
        # The optimal search is for one leaf per cluster.
        other.set_params(search="local")
    fraction = getattr(other, "min_samples_leaf", 1)
    if isinstance(fraction, float):
        # The fraction of the model may allow fewer leaves.
        other.set_params(min_samples_leaf=min(fraction, default_min_leaf(allowed)))
    return other


def for_share(grower: BaseEstimator, share: float) -> BaseEstimator:
    """A clone for a fraction of the rows: limits in rows are scaled down."""
    params = grower.get_params(deep=False)
    counts = {
        name: max(minimum, round(share * params[name]))
        for name, minimum in (("min_samples_leaf", 1), ("min_samples_split", 2))
        if isinstance(params.get(name), (int, np.integer)) and share < 1
    }
    return clone(grower).set_params(**counts)


def _limit(grower: BaseEstimator, n_rows: int, allowed: int) -> str | None:
    """The limit that prevents this number of leaves; None where no further split has a gain."""
    depth = getattr(grower, "max_depth", None)
    if depth is not None and 2**depth < allowed:
        return f"max_depth={depth} allows at most {2**depth} leaves"
    size = getattr(grower, "min_samples_leaf", 1)
    if isinstance(size, (int, np.integer)) and size * allowed > n_rows:
        return f"min_samples_leaf={size} allows at most {n_rows // size} leaves"
    return None
