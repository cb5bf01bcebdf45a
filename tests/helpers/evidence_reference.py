"""The evidence, slow and obvious: the dip by linear programming, each repeat step by step.

The dip is the distance of the empirical distribution function from the nearest one with one mode,
so that it is the optimum of a linear program for each place of the mode. A repeat is written as its
definition reads, one row and one column at a time; only the tree and the encoding are those of the
package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import linprog


def dip(values: Sequence[float]) -> float:
    """The dip of a few values, at least ``1 / (2 n)``."""
    n = len(values)
    distinct, counts = np.unique(values, return_counts=True)
    after = np.cumsum(counts) / n
    before = after - counts / n
    m = len(distinct)
    best = 1.0 if m > 1 else 0.0
    for mode in range(m if m > 1 else 0):
        # Variables: the function just below each value, at each value, and the distance.
        at_most: list[np.ndarray] = []
        limits: list[float] = []
        equal: list[np.ndarray] = []

        def unit(i: int, size: float = 1.0) -> np.ndarray:
            out = np.zeros(2 * m + 1)
            out[i] = size
            return out

        for i in range(m):
            if i == mode:  # there may be a jump
                at_most.append(unit(i) - unit(m + i))
                limits.append(0.0)
            else:
                equal.append(unit(i) - unit(m + i))
            for variable, target in ((i, before[i]), (m + i, after[i])):
                for sign in (1.0, -1.0):
                    at_most.append(unit(variable, sign) - unit(2 * m))
                    limits.append(sign * target)
        slopes = [
            (unit(i + 1) - unit(m + i)) / (distinct[i + 1] - distinct[i]) for i in range(m - 1)
        ]
        for slope in slopes:
            at_most.append(-slope)
            limits.append(0.0)
        for i in range(m - 2):
            if i + 1 != mode:
                grows = slopes[i] - slopes[i + 1]
                at_most.append(grows if i + 1 < mode else -grows)
                limits.append(0.0)
        found = linprog(
            unit(2 * m),
            A_ub=np.array(at_most),
            b_ub=limits,
            A_eq=np.array(equal),
            b_eq=np.zeros(len(equal)),
            bounds=[(0, 1)] * (2 * m + 1),
        )
        best = min(best, found.fun)
    return max(best, 1 / (2 * n))


def direction(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The difference of two means over the variances within, after one assignment to the nearer."""

    def between(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        d = first.shape[1]
        within = np.zeros(d)
        for j in range(d):
            for part in (first[:, j], second[:, j]):
                within[j] += sum((value - part.mean()) ** 2 for value in part)
        within /= len(first) + len(second)
        within += 0.01 * within.max()
        middle = (first.mean(axis=0) + second.mean(axis=0)) / 2
        return (second.mean(axis=0) - first.mean(axis=0)) / within, middle

    rows = [*left, *right]
    u, middle = between(left, right)
    nearer = [float(np.dot(row - middle, u)) > 0 for row in rows]
    first = np.array([row for row, is_right in zip(rows, nearer, strict=True) if not is_right])
    second = np.array([row for row, is_right in zip(rows, nearer, strict=True) if is_right])
    return u if not len(first) or not len(second) else between(first, second)[0]


def splits_of_half(
    X: np.ndarray,
    chooses: np.ndarray,
    tests: np.ndarray,
    tree,
    pvalue: Callable[[np.ndarray], float],
) -> list[tuple[set[int], set[int], float | None]]:
    """For each split the rows of its children, and the p-value of the rows that test it."""
    reached: dict[int, set[int]] = {0: set(range(len(X)))}
    out = []
    for node in sorted(
        (i for i in range(tree.node_count) if tree.children_left[i] >= 0),
        key=lambda i: tree.children_left[i],
    ):
        rows = reached[node]
        left = {i for i in rows if X[i, tree.feature[node]] <= tree.threshold[node]}
        right = rows - left
        reached[tree.children_left[node]], reached[tree.children_right[node]] = left, right
        u = direction(
            np.array([X[i] for i in chooses if i in left]),
            np.array([X[i] for i in chooses if i in right]),
        )
        testing = [i for i in tests if i in rows]
        p = None
        if len(testing) >= 20:
            p = pvalue(np.array([float(np.dot(X[i], u)) for i in testing]))
        out.append((left, right, p))
    return out


def jaccard(one: set[int], other: set[int]) -> float:
    return len(one & other) / max(1, len(one | other))


Repeat = list[tuple[set[int], set[int], float | None]]


def evidence_of_split(
    children: tuple[set[int], set[int]], repeats: list[Repeat]
) -> tuple[float, float]:
    """The p-value of a split, and its recurrence."""

    def alike(left: set[int], right: set[int]) -> float:
        return max(
            min(jaccard(children[0], left), jaccard(children[1], right)),
            min(jaccard(children[0], right), jaccard(children[1], left)),
        )

    return matched(repeats, alike)


def evidence_of_rule(rows: set[int], repeats: list[Repeat]) -> tuple[float, float]:
    """The p-value of a cluster, and its recurrence."""
    return matched(repeats, lambda left, right: max(jaccard(rows, left), jaccard(rows, right)))


def matched(
    repeats: list[Repeat], alike: Callable[[set[int], set[int]], float]
) -> tuple[float, float]:
    of_repeats, matches = [], 0
    for splits in repeats:
        corrected, tested = [], 0
        total = sum(1 / place for place in range(1, 1 + sum(p is not None for *_, p in splits)))
        for *_, p in splits:
            tested += p is not None
            corrected.append(1.0 if p is None else min(1.0, p * total * tested))
        values = [alike(left, right) for left, right, _ in splits]
        best = int(np.argmax(values)) if values else 0
        is_same = bool(values) and values[best] >= 0.8
        matches += is_same
        of_repeats.append(corrected[best] if is_same else 1.0)
    return min(1.0, 2 * float(np.median(of_repeats))), matches / len(repeats)
