"""The rows of each node.

Rows are sorted by their leaf, from left to right, so that the rows of any node lie side by side:
what is told of a node is told of a slice.
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

#: Fewer values than these are not told of, only how many there are: their mean is nearly a value.
FEW = 5
#: Features of a node that are told of.
TELLING = 6
#: Classes that are told of one by one.
MAX_CLASSES = 12


@dataclass(frozen=True)
class NodeRows:
    """Rows of X by node.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Sorted by leaf.
    counted : ndarray of shape (n_samples, n_features)
        The same with 0 where the category of a row is not known: shares are of all rows.
    order : ndarray of shape (n_samples,)
        Which row of the table each of these is.
    leaf : ndarray of shape (n_samples,)
        Of each row of the table its leaf, as a place in ``leaves``.
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
    place = np.zeros(tree.node_count, dtype=np.intp)
    place[list(leaves)] = np.arange(len(leaves))
    leaf = place[tree.apply(X, checks.n_threads(None))]
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
    """The rows with 0 where the category of a row is not known."""
    shares = [f for f, column in enumerate(columns) if isinstance(column, Indicator)]
    if not np.isnan(X[:, shares]).any():
        return X
    out = X.copy()
    out[:, shares] = np.nan_to_num(out[:, shares])
    return out


def counts_by_node(rows: NodeRows, group: np.ndarray, n_groups: int) -> np.ndarray:
    """Of each node how many rows are in each group; ``group`` is that of each row of the table."""
    sorted_group = group[rows.order]
    return np.array(
        [
            np.bincount(sorted_group[rows.of(node)], minlength=n_groups)
            for node in range(len(rows.begin))
        ]
    )


def by_cover(X: np.ndarray, boxes: Sequence[Box]) -> list[tuple[int, int]]:
    """The boxes of a cluster, each with the rows that it adds, the one that adds most first.

    Boxes may overlap: a row is counted with the first that holds it.
    """
    held = [inside(X, box) for box in boxes]
    out: list[tuple[int, int]] = []
    left = np.ones(len(X), dtype=bool)
    todo = list(range(len(boxes)))
    while todo:
        counts = [int(np.count_nonzero(held[i] & left)) for i in todo]
        best = int(np.argmax(counts))
        out.append((todo.pop(best), counts[best]))
        left &= ~held[out[-1][0]]
    return out


def telling_features(
    rows: NodeRows,
    node: int,
    mean: np.ndarray,
    spread: np.ndarray,
    order: np.ndarray,
    least: int,
) -> list[int]:
    """The features in which a node is least like all rows; ties in the given order.

    Those of which fewer than ``least`` values are known are left out.
    """
    part = rows.counted[rows.of(node)]
    if len(part) < least:
        return []
    here = checks.column_means(part, None)
    apart = np.divide(np.abs(here - mean), spread, out=np.zeros_like(mean), where=spread > 0)
    apart[np.sum(~np.isnan(part), axis=0) < least] = -1.0
    found = order[np.argsort(-apart[order].round(9), kind="stable")][:TELLING]
    return [int(f) for f in found if apart[f] >= 0]


def spread_of(values: np.ndarray, least: int, column: Column) -> dict[str, object]:
    """Mean, quartiles and missing values of one feature; of fewer than ``least`` values none.

    Of a category the mean is its share of all rows.
    """
    missing = np.isnan(values)
    out: dict[str, object] = {"missing": int(missing.sum())}
    share = isinstance(column, Indicator)
    known = np.where(missing, 0.0, values) if share else values[~missing].astype(np.float64)
    if len(known) < least:
        return {**out, "mean": None, "quartiles": None}
    quartiles = np.quantile(known, [0.25, 0.5, 0.75])
    # Over the largest, so that no sum is out of range.
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
    """Six significant digits; None for what is no number."""
    return float(f"{value:.6g}") if np.isfinite(value) else None


def named_classes(y: np.ndarray, codes: np.ndarray) -> tuple[list[str], np.ndarray]:
    """The most frequent classes by name and the class of each row; rare ones become one."""
    counts = np.bincount(codes)
    _, first = np.unique(codes, return_index=True)
    by_size = np.argsort(-counts, kind="stable")
    # As they come unless there are too many: an order such as low, medium, high stays.
    kept = np.sort(by_size[: MAX_CLASSES if len(counts) > MAX_CLASSES else None])
    place = np.full(len(counts), len(kept))
    place[kept] = np.arange(len(kept))
    names = [str(y[first[code]]) for code in kept]
    if len(kept) < len(counts):
        rest = len(counts) - len(kept)
        names.append(f"{rest} other{'s'[: rest != 1]}")
    return names, place[codes]
