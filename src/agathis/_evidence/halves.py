"""One repeat: half of the rows choose splits, the other half tests them.

    rows -> half A: encoding, weights, greedy tree -> its splits, a direction for each
         -> half B: rows of each split, projected on its direction -> dip test

No row of B chooses anything, so that the p-values are valid however the splits were found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._evidence.dip_test import dip_pvalue, permutation_pvalue
from agathis._evidence.recorded_steps import recorded_step, spread
from agathis._evidence.tuning import LEAST_VARIANCE, MIN_ROWS, ROWS_OF_COPIES
from agathis._growth.limits import default_min_leaf
from agathis._kauri import Kauri
from agathis._trees.tree import Tree

#: From raw rows to their encoding, and to the same without clipping, which makes modes.
Encode = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class TestedRows:
    """The rows of a table, before their encoding.

    Attributes
    ----------
    raw : ndarray of shape (n_samples, n_features)
    roles : FeatureRoles
    encoder_of : callable
        Fits the encoding to some rows.
    categorical : tuple of ndarray of int
        The features of each column with few values that are no quantities: categories, and the
        points of date parts on a circle.
    """

    raw: np.ndarray
    roles: FeatureRoles
    encoder_of: Callable[[np.ndarray], Encode]
    categorical: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, X: EncodedRows) -> TestedRows:
        """Encoded rows, whose encoding is fitted again if their units are known."""
        units, roles = X.units, X.roles
        assert roles is not None
        if units is None:
            raw = np.asarray(X, dtype=np.float64)
            return cls(raw, roles, lambda half: lambda rows: (rows, rows), roles.one_hot)
        encoder = units.encoder

        def encoder_of(half: np.ndarray) -> Encode:
            scaler = encoder.scaler_of(half)
            free = scaler.without_clipping()
            return lambda rows: (scaler.transform(rows), free.transform(rows))

        groups = tuple(np.asarray(features, dtype=np.intp) for features in encoder.scaler_.sources)
        return cls(units.raw, roles, encoder_of, groups)

    @cached_property
    def steps(self) -> np.ndarray:
        """The recorded step of each number; 0 for categories."""
        steps = np.array([recorded_step(column) for column in self.raw.T])
        for features in self.categorical:
            steps[features] = 0.0
        return steps


@dataclass(frozen=True, eq=False)
class TestedSplit:
    """A split that one half found and the other tested.

    Attributes
    ----------
    left, right : ndarray of bool, of shape (n_samples,)
        The rows of its children, of both halves.
    pvalue : float or None
        Of one mode; None if too few rows reach the split.
    feature : int or None
        The feature of a split at a threshold.
    below, above : float
        The neighbours of the threshold in the half that chose it, in units of the table.
    """

    left: np.ndarray
    right: np.ndarray
    pvalue: float | None
    feature: int | None
    below: float
    above: float


def children_rows(tree: Tree, X: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Return for each split its node and masks of the rows of its children, as they were made."""
    leaf = tree.apply(X)
    rows = [leaf == node for node in range(tree.node_count)]
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        rows[node] = rows[tree.children_left[node]] | rows[tree.children_right[node]]
    splits = np.flatnonzero(~tree.is_leaf)
    splits = splits[np.argsort(tree.children_left[splits])]
    return [
        (int(node), rows[tree.children_left[node]], rows[tree.children_right[node]])
        for node in splits
    ]


def repeat(table: TestedRows, groups: int, random: np.random.RandomState) -> list[TestedSplit]:
    """Halve the rows, split one half into groups and test the splits with the other."""
    n = len(table.raw)
    order = random.permutation(n)
    chooses, tests = np.sort(order[: n // 2]), order[n // 2 :]
    raw = table.raw
    empty = np.isnan(raw[chooses]).all(axis=0)
    if empty.any():
        raw = np.where(empty, 0.0, raw)
    encode = table.encoder_of(raw[chooses])
    X = encode(raw)[0]
    tree = greedy_tree(X[chooses], table.roles, groups)
    projected = _Projection(table, raw[tests], encode, random)
    mean = np.nanmean(X[chooses], axis=0)
    points = np.where(np.isnan(X[chooses]), mean, X[chooses])
    out: list[TestedSplit] = []
    for node, left, right in children_rows(tree, X):
        children = points[left[chooses]], points[right[chooses]]
        there = np.flatnonzero((left | right)[tests])
        p = projected.pvalue(there, *children) if len(there) >= MIN_ROWS else None
        at = _neighbours(tree, node, raw, chooses, left, right)
        out.append(TestedSplit(left, right, p, *at))
    return out


def corrected(splits: list[TestedSplit]) -> list[float]:
    """Correct the p-values of a repeat for the number of tests.

    The weights of Bonferroni's correction fall with the order of the splits, as groups show in the
    first ones: 1, 1/2, 1/3 and so on, divided by their sum.
    """
    tested = [split.pvalue for split in splits if split.pvalue is not None]
    total = sum(1 / place for place in range(1, len(tested) + 1))
    out, place = [], 0
    for split in splits:
        place += split.pvalue is not None
        out.append(1.0 if split.pvalue is None else min(1.0, split.pvalue * total * place))
    return out


def greedy_tree(X: np.ndarray, roles: FeatureRoles, groups: int) -> Tree:
    """Return the greedy tree with one leaf per group, whose first splits are the coarser trees."""
    rows = EncodedRows.of(X, roles)
    size = default_min_leaf(groups)
    return Kauri(groups, min_samples_leaf=size, n_jobs=1).fit(rows).tree_


def direction(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the direction that tells two children apart best, by their means and variances.

    Splits on one feature mix groups that differ in several: each row is assigned to the nearer
    child once more.
    """
    rows = np.concatenate([left, right])
    is_right = np.arange(len(rows)) >= len(left)
    u = np.zeros(rows.shape[1])
    for _ in range(2):
        first, second = rows[~is_right], rows[is_right]
        if not len(first) or not len(second):
            break
        means = first.mean(axis=0), second.mean(axis=0)
        variance = (first.var(axis=0) * len(first) + second.var(axis=0) * len(second)) / len(rows)
        variance += LEAST_VARIANCE * variance.max()
        u = np.divide(means[1] - means[0], variance, out=np.zeros_like(u), where=variance > 0)
        is_right = rows @ u > (means[0] + means[1]) @ u / 2
    return u


class _Projection:
    """Rows that test splits, projected on directions.

    Their numbers are spread within the recorded steps, and missing ones replaced by those of random
    other rows at the split: a constant would be a mode.
    """

    def __init__(
        self, table: TestedRows, raw: np.ndarray, encode: Encode, random: np.random.RandomState
    ) -> None:
        self.values = encode(spread(raw, table.steps, random))[1]
        kernel = table.roles.kernel
        self.random = random
        self.categorical = [features[kernel[features]] for features in table.categorical]
        self.numeric = kernel.copy()
        for features in table.categorical:
            self.numeric[features] = False

    def pvalue(self, rows: np.ndarray, left: np.ndarray, right: np.ndarray) -> float:
        """The p-value of one mode in some rows, in a direction given by children of other rows."""
        numbers = self._filled(self.values[rows][:, self.numeric])
        p = 1.0
        if self.numeric.any():
            p = dip_pvalue(numbers @ direction(left[:, self.numeric], right[:, self.numeric]))
        u = right.mean(axis=0) - left.mean(axis=0)
        parts = []
        for features in self.categorical:
            if u[features].any():
                part = self.values[rows][:, features] @ u[features]
                parts.append(np.where(np.isnan(part), 0.0, part)[:ROWS_OF_COPIES])
        if not parts:
            return p
        sums = numbers[:ROWS_OF_COPIES] @ u[self.numeric]
        of_copies = permutation_pvalue(sums, parts, self.random)
        # Copies keep the modes of the numbers, so that these are tested alone too.
        return min(1.0, 2 * min(p, of_copies)) if self.numeric.any() else of_copies

    def _filled(self, values: np.ndarray) -> np.ndarray:
        missing = np.isnan(values)
        for f in np.flatnonzero(missing.any(axis=0)):
            known = values[~missing[:, f], f]
            absent = int(missing[:, f].sum())
            values[missing[:, f], f] = self.random.choice(known, absent) if len(known) else 0.0
        return values


def _neighbours(
    tree: Tree,
    node: int,
    raw: np.ndarray,
    chooses: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
) -> tuple[int | None, float, float]:
    """Return the feature of a split, and the values next to its threshold on both sides."""
    if tree.terms(node) or not np.isfinite(tree.threshold[node]):
        return None, np.nan, np.nan
    f = int(tree.feature[node])
    values = raw[chooses, f]
    below, above = values[left[chooses]], values[right[chooses]]
    if np.isnan(below).all() or np.isnan(above).all():
        return None, np.nan, np.nan
    return f, float(np.nanmax(below)), float(np.nanmin(above))
