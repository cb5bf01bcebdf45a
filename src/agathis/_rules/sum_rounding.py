"""Round splits on sums of columns to few digits.

For a sum of raw columns only the threshold is rounded, since weights have few digits already. A sum
of scaled columns becomes one of the raw columns, where rows allow it: "petal width + 0.43 × petal
length <= 2.9". Weights of one digit are tried first, then of two and so on; of those that split the
rows the same way, the sum with the fewest digits in all is chosen. Clipping is omitted if no row
needs it. The text of the sum is what the tree computes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from agathis._rules.linear_terms import Shape, shape_of
from agathis._rules.numerals import shortest
from agathis._trees.stepped import Step, Steps, after, steps_of, with_steps
from agathis._trees.tree import Tree
from agathis._utils.numbers import threshold_between

# The maximum digits of weights, unless no such sum splits the rows the same way; and at all.
_FEW, _MAX_DIGITS = 6, 17

#: A node with the rows of its left and right child.
Sides = tuple[int, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class _Sum:
    weights: tuple[float, ...]
    steps: tuple[Steps, ...]
    threshold: float


def rounded_sums(
    tree: Tree, X: np.ndarray, sides: Iterable[Sides], but: Collection[int] = ()
) -> Tree:
    """Return the tree with the shortest sums of raw columns that send every row the same way.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_samples, n_features)
    sides : iterable of nodes with the rows of their children
    but : collection of int
        Features whose sums are unchanged.
    """
    if not any(map(any, _steps(tree))):
        return tree
    threshold, weight = tree.threshold.copy(), tree.term_weight.copy()
    term_steps = _steps(tree)
    for node, left, right in sides:
        columns = np.array([f for f, _ in tree.terms(node)], dtype=np.intp)
        if not any(term_steps[node]) or not {*columns.tolist()}.isdisjoint(but):
            continue
        if not np.isfinite(threshold[node]):
            continue
        short = _in_raw_columns(tree, node, X[np.ix_(left, columns)], X[np.ix_(right, columns)])
        if short is not None:
            threshold[node], term_steps[node] = short.threshold, short.steps
            weight[tree.term_start[node] : tree.term_start[node + 1]] = short.weights
    steps = [one for of_node in term_steps for one in of_node]
    return with_steps(replace(tree, threshold=threshold, term_weight=weight), steps)


def with_images(tree: Tree, raw: Tree, short: Tree, X: np.ndarray) -> Tree:
    """Return the tree of scaled rows whose sums are the images of short sums of raw columns.

    A sum is unchanged if its image would send rows the other way.

    Parameters
    ----------
    tree : Tree
        A tree of scaled rows.
    raw, short : Tree
        The same over raw columns, with steps in its sums, before and after :func:`rounded_sums`.
    X : ndarray of shape (n_samples, n_features)
        The scaled rows.
    """
    if not any(map(any, _steps(raw))):
        return tree
    weight, threshold = tree.term_weight.copy(), tree.threshold.copy()
    passed = tree.decision_path(X).tocsc()
    for node, steps in enumerate(_steps(raw)):
        shapes = [shape_of(of_column) for of_column in steps]
        if not all(shape.is_invertible for shape in shapes) or steps == steps_of(short, node):
            continue
        images = [w / shape.slope for (_, w), shape in zip(short.terms(node), shapes, strict=True)]
        shift = sum(image * shape.offset for image, shape in zip(images, shapes, strict=True))
        at = float(short.threshold[node]) + shift
        columns, weights = zip(*tree.terms(node), strict=True)
        rows = X[passed[:, node].indices][:, columns]
        if np.array_equal(_total(images, rows) <= at, _total(weights, rows) <= threshold[node]):
            weight[tree.term_start[node] : tree.term_start[node + 1]] = images
            threshold[node] = at
    return replace(tree, term_weight=weight, threshold=threshold)


def _steps(tree: Tree) -> list[tuple[Steps, ...]]:
    return [steps_of(tree, node) for node in range(tree.node_count)]


def _total(weights: Sequence[float], values: np.ndarray) -> np.ndarray:
    total = np.zeros(len(values))
    for weight, column in zip(weights, values.T, strict=True):
        total += weight * column.astype(np.float64)
    return total


def interval_of(
    weights: Sequence[float], left: np.ndarray, right: np.ndarray
) -> tuple[float, float]:
    """Return the largest known sum on the left and the smallest on the right."""
    sums = [_total(weights, side) for side in (left, right)]
    low, high = (values[~np.isnan(values)] for values in sums)
    return float(low.max(initial=-np.inf)), float(high.min(initial=np.inf))


def _in_raw_columns(tree: Tree, node: int, left: np.ndarray, right: np.ndarray) -> _Sum | None:
    """Return the sum without its steps, or with few of them; None if rows allow none."""
    weights = [weight for _, weight in tree.terms(node)]
    shapes = [shape_of(steps) for steps in steps_of(tree, node)]
    if not all(shape.is_invertible for shape in shapes):
        return None
    size = abs(weights[0] * shapes[0].slope)
    exact = [w * shape.slope / size for w, shape in zip(weights, shapes, strict=True)]
    shift = sum(w * shape.offset for w, shape in zip(weights, shapes, strict=True))
    at = (float(tree.threshold[node]) - shift) / size
    for clips in (False, True):
        steps = tuple(_remaining(shape, clips) for shape in shapes)
        values = [
            np.column_stack(
                [after(c, of_column) for c, of_column in zip(side.T, steps, strict=True)]
            )
            for side in (left, right)
        ]
        best: tuple[int, _Sum] | None = None
        for digits in range(1, _MAX_DIGITS + 1):
            if digits > _FEW and best is not None:
                break
            rounded = [float(f"{weight:.{digits}g}") for weight in exact]
            low, high = interval_of(rounded, *values)
            if not low < high or not np.isfinite(low) or not np.isfinite(high):
                continue
            terms = zip(rounded, exact, shapes, strict=True)
            moved = at + sum((new - old) * shape.middle for new, old, shape in terms)
            if not low <= moved < high:
                moved = threshold_between(low, high)
            threshold = shortest(moved, low, high)
            length = sum(map(_digits, [*rounded, threshold]))
            if best is None or length < best[0]:
                best = length, _Sum(tuple(rounded), steps, threshold)
        if best is not None:
            return best[1]
    return None


def _remaining(shape: Shape, clips: bool) -> Steps:
    """Return the steps that weights cannot absorb: functions, imputation, maybe clipping."""
    out = list(shape.mapped)
    if shape.fill is not None:
        out.append(Step("fill", shape.fill))
    if clips and shape.low > -np.inf:
        out.append(Step("at_least", shape.low))
    if clips and shape.high < np.inf:
        out.append(Step("at_most", shape.high))
    return tuple(out)


def _digits(value: float) -> int:
    return len(Decimal(repr(value)).normalize().as_tuple().digits)
