"""Simplify a tree: shorter explanations at next to no cost, as the last step of a search.

A split may be replaced by another good one, and a leaf may be pruned, if this reduces the mean
size of the explanations and the total loss stays within an allowance.
"""

from __future__ import annotations

import numpy as np

from agathis._core.search.mutable_tree import MutableTree
from agathis._search.local.moves import Move, Proposal, Prune, Resplit
from agathis._search.local.mutable_trees import CONDITION, PAIR
from agathis._search.tuning import PASSES, SIMPLER_SPLITS

# Mean sizes with a smaller difference are equal.
SAME_SIZE = 1e-9


def explanation_size(mutable_tree: MutableTree) -> float:
    """The weighted mean over the leaves of the number of (column, direction) pairs on the path.

    The same as :func:`agathis.metrics.weighted_average_explanation_size`.
    """
    total, weight = 0.0, 0.0
    waiting: list[tuple[int, frozenset[tuple[object, ...]]]] = [(0, frozenset())]
    while waiting:
        node, known = waiting.pop()
        if mutable_tree.is_leaf(node):
            leaf_weight = mutable_tree.size_of(node)[1]
            total, weight = total + leaf_weight * len(known), weight + leaf_weight
            continue
        columns = _asked(mutable_tree.condition_of(node))
        for side, child in enumerate(mutable_tree.children(node)):
            waiting.append((child, known | {(*one, side) for one in columns}))
    return total / weight


def _asked(condition: bytes) -> tuple[tuple[int, ...], ...]:
    """The columns of a condition: a column or a categorical feature, or both columns of a sum."""
    fields = np.frombuffer(condition, CONDITION)[0]
    kind, column, other = int(fields["kind"]), int(fields["column"]), int(fields["other"])
    if kind != PAIR:
        return ((kind, column),)
    return ((kind, column, other, column), (kind, column, other, other))


def simplify(mutable_tree: MutableTree, resplit: Resplit, allowance: float) -> bool:
    """Shorten the explanations of a mutable tree; return whether anything changed.

    Parameters
    ----------
    mutable_tree : MutableTree
    resplit : Resplit
        Proposes splits within the limits.
    allowance : float
        The maximum total decrease of the objective.
    """
    prune, minimum = Prune(resplit.limits), mutable_tree.objective - allowance
    size, any_change = explanation_size(mutable_tree), False
    for _ in range(PASSES):
        changed = False
        for node in mutable_tree.nodes():
            if not mutable_tree.is_used(node):
                continue
            move: Move = prune if mutable_tree.is_leaf(node) else resplit
            best, saved = None, mutable_tree.save()
            for proposal in _proposals(mutable_tree, node, prune, resplit):
                if mutable_tree.objective + proposal.gain < minimum:
                    continue
                move.apply(mutable_tree, proposal)
                shorter = explanation_size(mutable_tree)
                if shorter < size - SAME_SIZE and mutable_tree.objective >= minimum:
                    best, size = proposal, shorter
                mutable_tree.restore(saved)
            if best is not None:
                move.apply(mutable_tree, best)
                changed = True
        any_change |= changed
        if not changed:
            break
    return any_change


def _proposals(
    mutable_tree: MutableTree, node: int, prune: Prune, resplit: Resplit
) -> list[Proposal]:
    """The splits of an internal node to try, or the pruning of a leaf."""
    if not mutable_tree.is_leaf(node):
        return resplit.propose_some(mutable_tree, node, SIMPLER_SPLITS)
    cluster = mutable_tree.cluster_of(node)
    if sum(mutable_tree.cluster_of(leaf) == cluster for leaf in mutable_tree.leaves()) == 1:
        return []  # keep the last leaf of a cluster
    proposal = prune.propose(mutable_tree, node)
    return [] if proposal is None else [proposal]
