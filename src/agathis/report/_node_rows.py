"""The rows of each node.

Rows are sorted by their leaf, from left to right, so that those of any node are a slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agathis._checks import data as checks
from agathis._columns.datetimes import part_of_name
from agathis._rules.boxes import Box, inside
from agathis._rules.columns import Column, Indicator
from agathis._rules.numerals import are_years
from agathis._trees.tree import Tree
from agathis.report._private import quantiles
from agathis.report._tuning import MAX_CLASSES, MAX_NODE_COLUMNS


@dataclass(frozen=True)
class NodeRows:
    """Rows of X by node.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Sorted by leaf.
    counted : ndarray of shape (n_samples, n_features)
        The same with 0 for missing categories: see :func:`counted`.
    order : ndarray of shape (n_samples,)
        The position in the table of each of these rows.
    leaf : ndarray of shape (n_samples,)
        The leaf of each row of the table, as a position in ``leaves``.
    leaves : list of int
        Node numbers from left to right.
    begin, end : ndarray of shape (n_nodes,)
        The rows of a node are ``X[begin:end]``.
    """

    X: np.ndarray
    counted: np.ndarray
    order: np.ndarray
    leaf: np.ndarray
    leaves: list[int]
    begin: np.ndarray
    end: np.ndarray

    @property
    def size(self) -> np.ndarray:
        return self.end - self.begin

    def of(self, node: int) -> slice:
        return slice(int(self.begin[node]), int(self.end[node]))


def rows_by_node(
    tree: Tree, X: np.ndarray, leaves: Sequence[int], columns: Sequence[Column]
) -> NodeRows:
    """Sort rows by leaf; ``leaves`` are all leaves from left to right."""
    position = np.zeros(tree.node_count, dtype=np.intp)
    position[list(leaves)] = np.arange(len(leaves))
    leaf = position[tree.apply(X, checks.n_threads(None))]
    order = np.argsort(leaf, kind="stable")
    last = np.cumsum(np.bincount(leaf, minlength=len(leaves)))
    begin, end = np.zeros((2, tree.node_count), dtype=np.intp)
    end[list(leaves)] = last
    begin[list(leaves)] = np.concatenate([[0], last[:-1]])
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        begin[node] = begin[tree.children_left[node]]
        end[node] = end[tree.children_right[node]]
    rows = X[order]
    return NodeRows(rows, counted(rows, columns), order, leaf, list(leaves), begin, end)


def counted(X: np.ndarray, columns: Sequence[Column]) -> np.ndarray:
    """The rows with 0 for missing categories, so that means are fractions of all rows."""
    indicators = [f for f, column in enumerate(columns) if isinstance(column, Indicator)]
    if not np.isnan(X[:, indicators]).any():
        return X
    out = X.copy()
    out[:, indicators] = np.nan_to_num(out[:, indicators])
    return out


def counts_by_node(rows: NodeRows, group: np.ndarray, n_groups: int) -> np.ndarray:
    """Count the rows of each group in each node; ``group`` is in the order of the table."""
    sorted_group = group[rows.order]
    return np.array(
        [
            np.bincount(sorted_group[rows.of(node)], minlength=n_groups)
            for node in range(len(rows.begin))
        ]
    )


def by_cover(X: np.ndarray, boxes: Sequence[Box]) -> list[tuple[int, int]]:
    """Sort the boxes of a cluster by the number of rows that each adds, which is returned too.

    Boxes may overlap: a row is counted in the first that contains it.
    """
    members = [inside(X, box) for box in boxes]
    out: list[tuple[int, int]] = []
    uncovered = np.ones(len(X), dtype=bool)
    todo = list(range(len(boxes)))
    while todo:
        counts = [int(np.count_nonzero(members[i] & uncovered)) for i in todo]
        best = int(np.argmax(counts))
        out.append((todo.pop(best), counts[best]))
        uncovered &= ~members[out[-1][0]]
    return out


def telling_features(
    rows: NodeRows,
    node: int,
    mean: np.ndarray,
    spread: np.ndarray,
    order: np.ndarray,
    min_rows: int,
) -> list[int]:
    """The features whose mean in a node differs most from that of all rows; ties by ``order``.

    Those with fewer than ``min_rows`` known values are left out.
    """
    part = rows.counted[rows.of(node)]
    if len(part) < min_rows:
        return []
    here = checks.column_means(part, None)
    apart = np.divide(np.abs(here - mean), spread, out=np.zeros_like(mean), where=spread > 0)
    apart[np.sum(~np.isnan(part), axis=0) < min_rows] = -1.0
    first = order[np.argsort(-apart[order].round(9), kind="stable")][:MAX_NODE_COLUMNS]
    return [int(f) for f in first if apart[f] >= 0]


def spread_of(values: np.ndarray, min_rows: int, column: Column) -> dict[str, object]:
    """Mean, quartiles and missing values of a feature, None for fewer than ``min_rows`` values.

    The mean of a category is its fraction of all rows.
    """
    missing = np.isnan(values)
    out: dict[str, object] = {"missing": int(missing.sum())}
    is_category = isinstance(column, Indicator)
    known = np.nan_to_num(values) if is_category else values[~missing].astype(np.float64)
    if len(known) < min_rows:
        return {**out, "mean": None, "quartiles": None}
    quartiles = quantiles(known, (0.25, 0.5, 0.75), min_rows)
    # Divide by the maximum, so that no sum overflows.
    largest = float(np.abs(known).max()) or 1.0
    mean = float(np.mean(known / largest)) * largest
    return {**out, "mean": rounded(mean), "quartiles": [rounded(q) for q in quartiles]}


def are_of_years(column: Column, values: np.ndarray) -> bool:
    """Whether a column holds years, by its name or its part of a date, and its values."""
    if isinstance(column, Indicator):
        return False
    part = part_of_name(column.name) if column.when is None else column.when.part
    known = values[~np.isnan(values)]
    return (part == "year" or "year" in column.name.lower()) and are_years(known.tolist())


def rounded(value: float) -> float | None:
    """Six significant digits; None if the value is not finite."""
    return float(f"{value:.6g}") if np.isfinite(value) else None


def named_classes(y: np.ndarray, codes: np.ndarray, min_rows: int) -> tuple[list[str], np.ndarray]:
    """The names of the most frequent classes and the class of each row; the others become one.

    Among the others are classes of fewer than ``min_rows`` rows.
    """
    counts = np.bincount(codes)
    _, first = np.unique(codes, return_index=True)
    by_size = np.argsort(-counts, kind="stable")
    # In their own order: low, medium, high.
    shown = np.sort(by_size[: min(MAX_CLASSES, np.count_nonzero(counts >= min_rows))])
    position = np.full(len(counts), len(shown))
    position[shown] = np.arange(len(shown))
    names = [str(y[first[code]]) for code in shown]
    if len(shown) < len(counts):
        rest = len(counts) - len(shown)
        names.append(f"{rest} other{'s'[: rest != 1]}")
    return names, position[codes]
