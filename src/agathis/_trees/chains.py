"""The same tree without sums: a split on some categories as a chain of cuts on one each.

Some formats know conditions on a single column only. There a split that sends the categories
A, B and C right becomes three cuts, one below the other, and what was the right child is repeated
under each of them.
"""

from __future__ import annotations

import numpy as np

from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import MISSING_GOES, Tree

_LEFT, _RIGHT = MISSING_GOES.index("left"), MISSING_GOES.index("right")


def without_terms(tree: Tree) -> Tree:
    """A tree that gives the same clusters, and no node of which has terms.

    Of a subtree that is repeated, the first has the counts and gains, and the others have
    zeros; the gain of a split goes to the cuts of its chain in equal parts. So sums of gains, by
    feature and in all, are those of ``tree``, and counts still add up. Where rows that miss a value
    go is written at every cut, because counts no longer tell it.

    Parameters
    ----------
    tree : Tree
        Its terms must be splits on categories: of weight 1, with a threshold above 0. Of the
        columns of such a split a row has at most one on.

    Raises
    ------
    ValueError
        Where some terms are another kind of sum.

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
    made, missing_left = TreeBuilder(), tree.missing_left
    # The node of `tree`, its place in the tree that is made, and whether it is the first there.
    waiting = [(0, 0, True)]
    while waiting:
        node, place, first = waiting.pop()
        _count(made, place, tree, node, first)
        if tree.is_leaf[node]:
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        columns = [column for column, _ in tree.terms(node)] or [int(tree.feature[node])]
        for column in columns:
            place, beside = made.cut(
                place,
                column,
                float(tree.threshold[node]),
                gain=float(tree.gain[node]) / len(columns) if first else 0.0,
                move=int(tree.move[node]),
                missing=_LEFT if missing_left[node] else _RIGHT,
            )
            waiting.append((right, beside, first and column == columns[0]))
            # Until the chain ends; the right child is taken off at its first cut.
            made.cluster[place] = int(tree.cluster[node])
            if first:
                made.n_node_samples[place] = int(tree.n_node_samples[left])
                made.weighted_n_node_samples[place] = float(tree.weighted_n_node_samples[left])
        waiting.append((left, place, first))
    return made.build(tree.n_features)


def _count(made: TreeBuilder, place: int, tree: Tree, node: int, first: bool) -> None:
    """Write down what is known of a node; a repeated one has no rows."""
    made.cluster[place] = int(tree.cluster[node])
    if first:
        made.n_node_samples[place] = int(tree.n_node_samples[node])
        made.weighted_n_node_samples[place] = float(tree.weighted_n_node_samples[node])


def _check_categories(tree: Tree) -> None:
    with_terms = np.diff(tree.term_start) > 0
    other = np.flatnonzero(with_terms & (tree.threshold <= 0))
    if (tree.term_weight != 1).any() or len(other):
        raise ValueError(
            "only splits on categories can be told without sums, of columns of weight 1 and with "
            f"a threshold above 0; this tree has weights {np.unique(tree.term_weight).tolist()} "
            f"and thresholds {np.unique(tree.threshold[with_terms]).tolist()}."
        )
