"""Splits on two columns, ``a x + b y <= t``, if they gain clearly more than one column.

A move replaces the split of a node and keeps its subtrees, as in
:class:`~agathis._search.local.moves.Resplit`. Factors are small integers, so that people can check
a condition; the second column is scaled to about the first by 1, 2 or 5 times a power of ten. The
gain over the split on one column must exceed a penalty, a fraction of the inertia of the rows.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from agathis._core.search.mutable_tree import MutableTree
from agathis._core.search.node_splits import node_prices, node_split_gain
from agathis._growth.limits import Limits
from agathis._search.local.improvement import MIN_GAIN
from agathis._search.local.moves import Proposal, Resplit
from agathis._search.local.mutable_trees import CONDITION, PAIR
from agathis._search.rows import SearchRows
from agathis._search.tuning import MAX_CHECKED, MOST_COLUMNS
from agathis._utils.numbers import threshold_between

# Factors of the two columns.
FACTORS = ((1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1), (1, 3), (3, 1), (1, -3), (3, -1))


class ObliqueResplit(Resplit):
    """The move that replaces a split by one on a sum of two columns.

    Parameters
    ----------
    rows : SearchRows
    limits : Limits
    price : float
        The minimum gain, in units of the objective.
    """

    name = "pair"

    def __init__(self, rows: SearchRows, limits: Limits, price: float) -> None:
        super().__init__(limits)
        self.tolerance = MIN_GAIN * rows.inertia
        self.price = max(price, self.tolerance)
        self.spread = np.array([_spread(values, rows.weight) for values in rows.values])

    def propose(self, mutable_tree: MutableTree, node: int) -> Proposal | None:
        """The best sum of two columns with its gain; ``None`` if none exceeds the penalty."""
        if mutable_tree.is_leaf(node):
            return None
        ids, change = node_prices(mutable_tree, node)
        columns = self._columns(mutable_tree.rows, ids, change)
        sums = []
        for i, j in combinations(sorted(columns), 2):
            scale = simplicity_factor(self.spread[i] / self.spread[j])
            for a, b in FACTORS:
                # Round to three digits, as 3 times 0.2 is not exactly 0.6.
                second = float(f"{b * scale:.3g}")
                sums += _best_cuts(mutable_tree.rows, ids, change, (i, float(a)), (j, second))
        sums.sort(key=lambda one: one[0])
        proposals = []
        for _, condition, swapped in sums[:MAX_CHECKED]:
            gain = node_split_gain(mutable_tree, node, condition, swapped, self.limits.record)
            proposals.append(Proposal(node, gain, (condition, swapped)))
        best = max(proposals, key=lambda one: one.gain, default=None)
        # Replacing one pair by another has no penalty.
        condition = np.frombuffer(mutable_tree.condition_of(node), CONDITION)[0]
        price = self.tolerance if condition["kind"] == PAIR else self.price
        return best if best is not None and best.gain > price else None

    def _columns(self, rows: SearchRows, ids: np.ndarray, change: np.ndarray) -> list[int]:
        """The columns most correlated with the change of cost, without constant columns."""
        apart = change - change.mean()
        strength = np.zeros(rows.n_columns)
        for column, values in enumerate(rows.values):
            known_values = values[ids]
            known = ~np.isnan(known_values)
            if self.spread[column] > 0 and known.any():
                known_values = np.where(known, known_values - known_values[known].mean(), 0.0)
                length = math.sqrt(float(known_values @ known_values))
                strength[column] = abs(float(known_values @ apart)) / length if length > 0 else 0.0
        order = np.argsort(-strength, kind="stable")[:MOST_COLUMNS]
        return [int(column) for column in order if strength[column] > 0]


def simplicity_factor(ratio: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten.

    >>> simplicity_factor(0.9), simplicity_factor(2.4), simplicity_factor(0.0004)
    (1.0, 2.0, 0.0005)
    """
    power = math.floor(math.log10(ratio))
    near = [float(f"{digit}e{exponent}") for exponent in (power, power + 1) for digit in (1, 2, 5)]
    return min(near, key=lambda factor: abs(math.log(factor / ratio)))


def _spread(values: np.ndarray, weight: np.ndarray) -> float:
    """The weighted standard deviation of the values that are not missing."""
    known = ~np.isnan(values)
    if not known.any():
        return 0.0
    known_values, share = values[known], weight[known] / weight[known].sum()
    return math.sqrt(float(share @ (known_values - share @ known_values) ** 2))


def _best_cuts(
    rows: SearchRows,
    ids: np.ndarray,
    change: np.ndarray,
    first: tuple[int, float],
    second: tuple[int, float],
) -> list[tuple[float, bytes, bool]]:
    """The best splits on a sum, without and with swapped subtrees: cost change and condition."""
    (i, a), (j, b) = first, second
    total = a * rows.values[i, ids] + b * rows.values[j, ids]
    missing = np.isnan(total)
    absent = float(change[missing].sum())
    known = np.flatnonzero(~missing)
    order = known[np.argsort(total[known], kind="stable")]
    ordered = total[order]
    ends = np.flatnonzero(ordered[1:] > ordered[:-1])
    if len(ends) == 0:
        return []
    along = np.cumsum(change[order])[ends]
    everything = float(change.sum())
    splits = []
    for swapped in (False, True):
        at = int(np.argmax(along) if swapped else np.argmin(along))
        missing_left = absent > 0 if swapped else absent < 0
        left = float(along[at]) + (absent if missing_left else 0.0)
        condition = np.zeros((), CONDITION)
        condition["kind"], condition["column"], condition["other"] = PAIR, i, j
        condition["a"], condition["b"], condition["missing_left"] = a, b, missing_left
        condition["threshold"] = threshold_between(
            float(ordered[ends[at]]), float(ordered[ends[at] + 1])
        )
        splits.append((everything - left if swapped else left, condition.tobytes(), swapped))
    return splits


def with_oblique_splits(mutable_tree: MutableTree, limits: Limits, price: float) -> bool:
    """Replace splits by pairs from the root down; return whether anything changed."""
    move = ObliqueResplit(mutable_tree.rows, limits, price * mutable_tree.rows.inertia)
    changed = False
    for node in mutable_tree.nodes():
        if mutable_tree.is_used(node):
            proposal = move.propose(mutable_tree, node)
            if proposal is not None:
                move.apply(mutable_tree, proposal)
                changed = True
    return changed
