"""Nested trees: of a tree with one leaf per cluster, the trees of its first splits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agathis._trees.tree import DTYPES, LEAF, TERM_DTYPES, UNDEFINED, Tree

#: The entries of a leaf.
_OF_LEAF = {
    "children_left": LEAF,
    "children_right": LEAF,
    "feature": UNDEFINED,
    "threshold": UNDEFINED,
    "gain": 0.0,
    "move": 0,
    "missing": 0,
}


def coarser(tree: Tree, n_leaves: int) -> Tree:
    """Return the tree before its last splits.

    Examples
    --------
    >>> from agathis import Kauri
    >>> tree = Kauri(3).fit([[0.0], [1.0], [9.0], [20.0]]).tree_
    >>> coarser(tree, 2)
    Tree(2 leaves, 2 clusters, depth 1, 1 features)
    """
    n = 2 * n_leaves - 1
    arrays = {name: getattr(tree, name)[:n].copy() for name in DTYPES}
    ends = arrays["children_left"] >= n
    for name, value in _OF_LEAF.items():
        arrays[name][ends] = value
    sizes = np.where(ends, 0, np.diff(tree.term_start)[:n])
    kept = np.repeat(~ends, np.diff(tree.term_start)[:n])
    n_terms = len(kept)
    arrays["term_start"] = np.concatenate([[0], np.cumsum(sizes)])
    for name in ("term_feature", "term_weight"):
        arrays[name] = getattr(tree, name)[:n_terms][kept]
    return replace(tree, **{n: a.astype({**DTYPES, **TERM_DTYPES}[n]) for n, a in arrays.items()})
