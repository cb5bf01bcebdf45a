"""Shorter explanations at next to no cost: the last thing that is done to a tree that was found.

Among trees that cost nearly the same the one is preferred whose leaves are explained by fewer
conditions. A node may ask one of the next best questions, and a leaf may go, as long as the mean
size of an explanation falls and all that is given back is within an allowance.
"""

from __future__ import annotations

import numpy as np

from agathis._core.search.draft import Draft
from agathis._searching.drafts import CONDITION, PAIR
from agathis._searching.moves import Move, Proposal, Prune, Resplit
from agathis._searching.tuning import PASSES, SIMPLER_SPLITS

# Mean sizes that differ by less are the same.
SAME_SIZE = 1e-9


def explanation_size(draft: Draft) -> float:
    """The weighted mean over the leaves of how many (column, direction) pairs lead to them.

    What :func:`agathis.metrics.weighted_average_explanation_size` tells of the tree.
    """
    total, weight = 0.0, 0.0
    waiting: list[tuple[int, frozenset[tuple[object, ...]]]] = [(0, frozenset())]
    while waiting:
        node, known = waiting.pop()
        if draft.is_leaf(node):
            own = draft.size_of(node)[1]
            total, weight = total + own * len(known), weight + own
            continue
        asked = _asked(draft.condition_of(node))
        for side, child in enumerate(draft.children(node)):
            waiting.append((child, known | {(*one, side) for one in asked}))
    return total / weight


def _asked(condition: bytes) -> tuple[tuple[int, ...], ...]:
    """What a question asks for: a column or a source, or both columns of a sum."""
    asks = np.frombuffer(condition, CONDITION)[0]
    kind, column, other = int(asks["kind"]), int(asks["column"]), int(asks["other"])
    if kind != PAIR:
        return ((kind, column),)
    return ((kind, column, other, column), (kind, column, other, other))


def simplify(draft: Draft, resplit: Resplit, allowance: float) -> bool:
    """Shorten the explanations of a draft; whether anything was changed.

    Parameters
    ----------
    draft : Draft
    resplit : Resplit
        Proposes questions within the limits.
    allowance : float
        How much the objective may fall in all.
    """
    prune, least = Prune(), draft.objective - allowance
    size, any_change = explanation_size(draft), False
    for _ in range(PASSES):
        changed = False
        for node in draft.nodes():
            if not draft.is_used(node):
                continue
            move: Move = prune if draft.is_leaf(node) else resplit
            best, saved = None, draft.save()
            for proposal in _proposals(draft, node, prune, resplit):
                if draft.objective + proposal.gain < least:
                    continue
                move.apply(draft, proposal)
                shorter = explanation_size(draft)
                if shorter < size - SAME_SIZE and draft.objective >= least:
                    best, size = proposal, shorter
                draft.restore(saved)
            if best is not None:
                move.apply(draft, best)
                changed = True
        any_change |= changed
        if not changed:
            break
    return any_change


def _proposals(draft: Draft, node: int, prune: Prune, resplit: Resplit) -> list[Proposal]:
    """Questions of an inner node; that a leaf goes."""
    if not draft.is_leaf(node):
        return resplit.propose_some(draft, node, SIMPLER_SPLITS)
    own = draft.cluster_of(node)
    if sum(draft.cluster_of(leaf) == own for leaf in draft.leaves()) == 1:
        return []  # a cluster that was asked for is worth its leaf
    found = prune.propose(draft, node)
    return [] if found is None else [found]
