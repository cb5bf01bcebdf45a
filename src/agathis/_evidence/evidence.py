"""The evidence of a table and of each split of a tree, over random halves of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._checks.roles import FeatureRoles, roles_of
from agathis._evidence.halves import TestedRows, TestedSplit, children_rows, corrected, repeat
from agathis._evidence.power import detectable
from agathis._evidence.tuning import HALVINGS, INTERVAL, JACCARD, MAX_ROWS, MIN_ROWS
from agathis._model.evidence import LEVEL, Evidence, SplitEvidence
from agathis._model.fitted_model import FittedModel
from agathis._trees.model import tree_of
from agathis._trees.tree import Tree

RandomState = int | np.random.RandomState | None


@dataclass(frozen=True, eq=False)
class Repeats:
    """The splits of random halves of some rows, each tested by the other half.

    Attributes
    ----------
    rows : ndarray of int
        Positions of the rows.
    table : TestedRows
        These rows.
    splits : list of lists of TestedSplit
        Those of each repeat.
    """

    rows: np.ndarray
    table: TestedRows
    splits: list[list[TestedSplit]]

    @cached_property
    def pvalues(self) -> list[list[float]]:
        """The corrected p-values of these splits."""
        return [corrected(splits) for splits in self.splits]

    @classmethod
    def of(cls, X: np.ndarray, roles: FeatureRoles, random_state: RandomState = None) -> Repeats:
        """Halve rows at random, several times; at most ``MAX_ROWS`` of them."""
        random = check_random_state(random_state)
        rows = np.arange(len(X))
        if len(X) > MAX_ROWS:
            rows = np.sort(random.permutation(len(X))[:MAX_ROWS])
        table = TestedRows.of(X, roles)[rows]
        if len(rows) // 2 < MIN_ROWS:
            return cls(rows, table, [])
        return cls(rows, table, [repeat(table, random) for _ in range(HALVINGS)])

    @property
    def pvalue(self) -> float:
        """The p-value of one group."""
        return _combined([min(pvalues, default=1.0) for pvalues in self.pvalues])

    def evidence(self, tree: Tree, X: np.ndarray) -> Evidence:
        """Return the evidence of the table and of the splits of a tree of X."""
        splits = [
            self._of_split(node, left, right)
            for node, left, right in children_rows(tree, np.asarray(X)[self.rows])
        ]
        by_node = tuple(sorted(splits, key=lambda split: split.node))
        n_rows = len(self.rows)
        return Evidence(self.pvalue, n_rows, by_node, *detectable(n_rows))

    @property
    def n_groups(self) -> int:
        """The number of groups that are shown: the median over the repeats; 1 if none are shown.

        A repeat shows those splits that reject one mode, and the splits above them: rows are not
        one group if some of them are more than one.
        """
        if self.pvalue > LEVEL:
            return 1
        return int(np.median([1 + _n_shown(*of) for of in zip(self.splits, self.pvalues, strict=True)]))

    def _of_split(self, node: int, left: np.ndarray, right: np.ndarray) -> SplitEvidence:
        same = [_same(splits, left, right) for splits in self.splits]
        p = _combined(
            [1.0 if i is None else of[i] for i, of in zip(same, self.pvalues, strict=True)]
        )
        matched = [of[i] for i, of in zip(same, self.splits, strict=True) if i is not None]
        recurrence = len(matched) / len(same) if same else 0.0
        at = [split for split in matched if split.feature is not None]
        if not at:
            return SplitEvidence(node, p, recurrence)
        features = [split.feature for split in at]
        feature = max(sorted(set(features)), key=features.count)
        below = [split.below for split in at if split.feature == feature]
        above = [split.above for split in at if split.feature == feature]
        low, high = np.quantile(below, INTERVAL[0]), np.quantile(above, INTERVAL[1])
        return SplitEvidence(node, p, recurrence, float(low), float(high))


def _same(splits: list[TestedSplit], left: np.ndarray, right: np.ndarray) -> int | None:
    """Return the split whose children are the most like these, if they are enough so."""
    alike = [
        max(
            min(_jaccard(left, one.left), _jaccard(right, one.right)),
            min(_jaccard(left, one.right), _jaccard(right, one.left)),
        )
        for one in splits
    ]
    best = int(np.argmax(alike)) if alike else 0
    return best if alike and alike[best] >= JACCARD else None


def _n_shown(splits: list[TestedSplit], pvalues: list[float]) -> int:
    """Return how many splits are shown, or are above one that is."""
    rows = [split.left | split.right for split in splits]
    shown = [rows[i] for i, p in enumerate(pvalues) if p <= LEVEL]
    return sum(any(not (below & ~above).any() for below in shown) for above in rows)


def _jaccard(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.count_nonzero(one & other) / max(1, np.count_nonzero(one | other)))


def _combined(pvalues: list[float]) -> float:
    """Combine p-values of dependent tests of one hypothesis: twice their median."""
    return min(1.0, 2 * float(np.median(pvalues))) if pvalues else 1.0
