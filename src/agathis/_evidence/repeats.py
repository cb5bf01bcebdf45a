"""The evidence of a table and of each split of a tree, over random halves of the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.utils import check_random_state

from agathis._checks.roles import EncodedRows
from agathis._evidence.halves import TestedRows, TestedSplit, children_rows, corrected, repeat
from agathis._evidence.power import detectable
from agathis._evidence.tuning import (
    HALVINGS,
    INTERVAL,
    JACCARD,
    MAX_GROUPS,
    MAX_ROWS,
    MIN_ROWS,
)
from agathis._model.evidence import LEVEL, Evidence, RuleEvidence, SplitEvidence
from agathis._trees.tree import Tree
from agathis._utils.progress import Show

RandomState = int | np.random.RandomState | None


@dataclass(frozen=True, eq=False)
class Repeats:
    """The splits of random halves of some rows, each tested by the other half.

    Attributes
    ----------
    X : EncodedRows of shape (n_samples, n_features)
        The rows, or a sample of them.
    rows : ndarray of int
        Their positions.
    n_given : int
        The number of all rows.
    max_groups : int
    splits : list of lists of TestedSplit
        Those of each repeat; none if there are too few rows.
    """

    X: EncodedRows
    rows: np.ndarray
    n_given: int
    max_groups: int
    splits: list[list[TestedSplit]]

    @cached_property
    def pvalues(self) -> list[list[float]]:
        """The corrected p-values of these splits."""
        return [corrected(splits) for splits in self.splits]

    @classmethod
    def of(
        cls,
        X: EncodedRows,
        random_state: RandomState = None,
        max_groups: int = MAX_GROUPS,
        show: Show | None = None,
    ) -> Repeats:
        """Halve rows at random, several times; at most ``MAX_ROWS`` of them."""
        random = check_random_state(random_state)
        rows = np.arange(len(X))
        if len(X) > MAX_ROWS:
            rows = np.sort(random.permutation(len(X))[:MAX_ROWS])
        table = TestedRows.of(X[rows])
        splits = []
        for i in range(HALVINGS if len(rows) // 2 >= MIN_ROWS else 0):
            if show is not None:
                show("halves of the rows", i, HALVINGS)
            splits.append(repeat(table, max_groups, random))
        return cls(X[rows], rows, len(X), max_groups, splits)

    @property
    def pvalue(self) -> float:
        """The p-value of one group."""
        return _combined([min(pvalues, default=1.0) for pvalues in self.pvalues])

    def evidence(self, tree: Tree) -> Evidence:
        """Return the evidence of the table and of the splits of a tree of its rows."""
        splits = [self._of_split(*split) for split in children_rows(tree, np.asarray(self.X))]
        by_node = tuple(sorted(splits, key=lambda split: split.node))
        labels = tree.predict(np.asarray(self.X))
        rules = [self._of_rule(k, labels == k) for k in range(tree.n_clusters)]
        n_rows = len(self.rows)
        seen = detectable(n_rows, self.max_groups)
        return Evidence(self.pvalue, n_rows, by_node, tuple(rules) if splits else (), *seen)

    @property
    def n_groups(self) -> int:
        """The number of groups that are shown: the median over the repeats; 1 if none are shown.

        A repeat shows those splits that reject one mode, and the splits above them: rows are not
        one group if some of them are more than one.
        """
        if self.pvalue > LEVEL:
            return 1
        return int(
            np.median([1 + _n_shown(*of) for of in zip(self.splits, self.pvalues, strict=True)])
        )

    def _of_rule(self, cluster: int, rows: np.ndarray) -> RuleEvidence:
        """Return the evidence of a cluster: of the splits that have it as a child."""
        same = [
            _best(max(_jaccard(rows, one.left), _jaccard(rows, one.right)) for one in splits)
            for splits in self.splits
        ]
        return RuleEvidence(cluster, *self._of_matches(same))

    def _of_matches(self, same: list[int | None]) -> tuple[float, float]:
        """Return the p-value and the recurrence of splits, one of each repeat or None."""
        pvalues = [1.0 if i is None else of[i] for i, of in zip(same, self.pvalues, strict=True)]
        return _combined(pvalues), sum(i is not None for i in same) / max(1, len(same))

    def _of_split(self, node: int, left: np.ndarray, right: np.ndarray) -> SplitEvidence:
        same = [_best(_as_split(one, left, right) for one in splits) for splits in self.splits]
        p, recurrence = self._of_matches(same)
        matched = [of[i] for i, of in zip(same, self.splits, strict=True) if i is not None]
        at = [split for split in matched if split.feature is not None]
        if not at:
            return SplitEvidence(node, p, recurrence)
        feature = Counter(split.feature for split in at).most_common(1)[0][0]
        below = [split.below for split in at if split.feature == feature]
        above = [split.above for split in at if split.feature == feature]
        low, high = np.quantile(below, INTERVAL[0]), np.quantile(above, INTERVAL[1])
        return SplitEvidence(node, p, recurrence, float(low), float(high))


def _as_split(one: TestedSplit, left: np.ndarray, right: np.ndarray) -> float:
    """How much the children of two splits have in common."""
    return max(
        min(_jaccard(left, one.left), _jaccard(right, one.right)),
        min(_jaccard(left, one.right), _jaccard(right, one.left)),
    )


def _best(alike: Iterable[float]) -> int | None:
    """Return the position of the largest value, if it is large enough."""
    values = list(alike)
    best = int(np.argmax(values)) if values else 0
    return best if values and values[best] >= JACCARD else None


def _n_shown(splits: list[TestedSplit], pvalues: list[float]) -> int:
    """Return how many splits are shown, or are above one that is."""
    rows = [split.left | split.right for split in splits]
    shown = [rows[i] for i, p in enumerate(pvalues) if p <= LEVEL]
    return sum(any(not (below & ~above).any() for below in shown) for above in rows)


def _jaccard(one: np.ndarray, other: np.ndarray) -> float:
    either = int(np.count_nonzero(one | other))
    return int(np.count_nonzero(one & other)) / max(1, either)


def _combined(pvalues: list[float]) -> float:
    """Combine p-values of dependent tests of one hypothesis: twice their median."""
    return min(1.0, 2 * float(np.median(pvalues))) if pvalues else 1.0
