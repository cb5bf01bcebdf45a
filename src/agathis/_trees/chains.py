"""Replace splits on several categories by chains of splits on one column each.

Some formats support splits on a single column only. There a split that sends the categories A, B
and C right becomes three nested splits, and the right subtree is repeated under each of them.
"""

from __future__ import annotations

import numpy as np

from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import MISSING_GOES, Tree

_LEFT, _RIGHT = MISSING_GOES.index("left"), MISSING_GOES.index("right")


def without_terms(tree: Tree) -> Tree:
    """An equivalent tree without terms.

    The first copy of a repeated subtree has its counts and gains, the others have zeros; the gain
    of a split is divided equally among its chain. So sums of gains and counts are unchanged. The
    direction of missing values is explicit at every split, because it cannot follow from counts.

    Parameters
    ----------
    tree : Tree
        Its terms must be splits on categories: of weight 1, with a threshold above 0, where at
        most one column is positive in a row.

    Raises
    ------
    ValueError
        If some terms are another weighted sum.

    Examples
    --------
    >>> builder = TreeBuilder()
    >>> left, right = builder.cut(0, 1, 0.5, terms=((1, 1.0), (3, 1.0)))
    >>> builder.cluster[right] = 1
    >>> tree = without_terms(builder.build(n_features=4))
    >>> tree.feature.tolist(), tree.cluster[tree.is_leaf].tolist()
    ([1, 3, -2, -2, -2], [1, 0, 1])
    """
    if not tree.has_terms:
        return tree
    _check_categories(tree)
    out, missing_left = TreeBuilder(), tree.missing_left
    # Node of `tree`, node of the new tree, and whether it is the first copy.
    waiting = [(0, 0, True)]
    while waiting:
        node, new_node, first = waiting.pop()
        out.cluster[new_node] = int(tree.cluster[node])
        if first:
            out.n_node_samples[new_node] = int(tree.n_node_samples[node])
            out.weighted_n_node_samples[new_node] = float(tree.weighted_n_node_samples[node])
        if tree.is_leaf[node]:
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        columns = [column for column, _ in tree.terms(node)] or [int(tree.feature[node])]
        for column in columns:
            new_node, beside = out.cut(
                new_node,
                column,
                float(tree.threshold[node]),
                gain=float(tree.gain[node]) / len(columns) if first else 0.0,
                move=int(tree.move[node]),
                missing=_LEFT if missing_left[node] else _RIGHT,
            )
            waiting.append((right, beside, first and column == columns[0]))
            # Overwritten at the end of the chain; the first split removes the right child.
            out.cluster[new_node] = int(tree.cluster[node])
            if first:
                out.n_node_samples[new_node] = int(tree.n_node_samples[left])
                out.weighted_n_node_samples[new_node] = float(tree.weighted_n_node_samples[left])
        waiting.append((left, new_node, first))
    return out.build(tree.n_features)


def _check_categories(tree: Tree) -> None:
    with_terms = np.diff(tree.term_start) > 0
    other = np.flatnonzero(with_terms & (tree.threshold <= 0))
    if (tree.term_weight != 1).any() or len(other):
        raise ValueError(
            "only splits on categories (weights 1, threshold above 0) can be written without "
            f"sums; this tree has weights {np.unique(tree.term_weight).tolist()} and thresholds "
            f"{np.unique(tree.threshold[with_terms]).tolist()}."
        )
