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
from agathis._trees.stepped import Mapped, Step, Steps, after, steps_of, with_steps
from agathis._trees.tree import Tree
from agathis._utils.numbers import threshold_between

# Weights of more digits than these are tried only where no shorter ones part the rows.
_FEW, _MOST = 6, 17

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
    """The tree with sums of as few digits as send every row of X the way it goes now.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_samples, n_features)
    sides : iterable of nodes with the rows of their children
    but : collection of int
        Features whose sums stay as they are.
    """
    if not tree.has_terms:
        return tree
    found: dict[int, _Sum] = {}
    shared: dict[object, list[tuple[int, float, float]]] = {}
    for node, left, right in sides:
        terms, steps = tree.terms(node), steps_of(tree, node)
        if not terms or not np.isfinite(tree.threshold[node]) or {f for f, _ in terms} & {*but}:
            continue
        columns = np.array([f for f, _ in terms])
        below, above = X[np.ix_(left, columns)], X[np.ix_(right, columns)]
        if any(steps):
            short = _in_raw_columns(tree, node, below, above)
            if short is not None:
                found[node] = short
            continue
        low, high = _room([weight for _, weight in terms], below, above)
        shared.setdefault((terms, float(tree.threshold[node])), []).append((node, low, high))
    threshold = tree.threshold.copy()
    for own in shared.values():
        # A threshold that several nodes share stays one.
        low, high = max(each[1] for each in own), min(each[2] for each in own)
        if np.isfinite(low) and np.isfinite(high):
            at = float(threshold[own[0][0]])
            threshold[[node for node, _, _ in own]] = shortest(at, low, high)
    weight = tree.term_weight.copy()
    term_steps: list[Steps] = []
    for node in range(tree.node_count):
        part = slice(tree.term_start[node], tree.term_start[node + 1])
        if node in found:
            threshold[node], weight[part] = found[node].threshold, found[node].weights
        term_steps += found[node].steps if node in found else steps_of(tree, node)
    return with_steps(replace(tree, threshold=threshold, term_weight=weight), term_steps)


def with_images(tree: Tree, raw: Tree, short: Tree, X: np.ndarray) -> Tree:
    """The tree of scaled rows whose sums are the images of short sums of raw columns.

    A sum whose image would part the rows in another way stays as it is.

    Parameters
    ----------
    tree : Tree
        Of scaled rows.
    raw : Tree
        The same over raw columns, with steps before its sums.
    short : Tree
        What :func:`rounded_sums` made of it.
    X : ndarray of shape (n_samples, n_features)
        The scaled rows.
    """
    weight, threshold = tree.term_weight.copy(), tree.threshold.copy()
    passed = tree.decision_path(X).tocsc() if any(map(any, _steps(raw))) else None
    for node in range(tree.node_count):
        steps = steps_of(raw, node)
        if passed is None or not any(steps):
            continue
        shapes = [shape_of(own) for own in steps]
        told = [each for _, each in short.terms(node)]
        if not all(shape.is_told for shape in shapes) or steps == steps_of(short, node):
            continue
        images = [each / shape.slope for each, shape in zip(told, shapes, strict=True)]
        shift = sum(each * shape.offset for each, shape in zip(images, shapes, strict=True))
        at = float(short.threshold[node]) + shift
        rows = X[passed[:, node].indices][:, [f for f, _ in tree.terms(node)]]
        before = _total([each for _, each in tree.terms(node)], rows) <= tree.threshold[node]
        if np.array_equal(_total(images, rows) <= at, before):
            weight[tree.term_start[node] : tree.term_start[node + 1]] = images
            threshold[node] = at
    return replace(tree, term_weight=weight, threshold=threshold)


def _steps(tree: Tree) -> list[tuple[Steps, ...]]:
    return [steps_of(tree, node) for node in range(tree.node_count)]


def _total(weights: Sequence[float], U: np.ndarray) -> np.ndarray:
    total = np.zeros(len(U))
    for weight, column in zip(weights, U.T, strict=True):
        total += weight * column.astype(np.float64)
    return total


def _room(weights: Sequence[float], left: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """The largest sum on the left and the smallest on the right."""
    sums = [_total(weights, side) for side in (left, right)]
    low, high = (values[~np.isnan(values)] for values in sums)
    return float(low.max(initial=-np.inf)), float(high.min(initial=np.inf))


def _in_raw_columns(tree: Tree, node: int, left: np.ndarray, right: np.ndarray) -> _Sum | None:
    """The sum without its steps, or with as few of them as rows allow; None where none will do."""
    weights = [weight for _, weight in tree.terms(node)]
    shapes = [shape_of(steps) for steps in steps_of(tree, node)]
    if not all(shape.is_told for shape in shapes):
        return None
    size = abs(weights[0] * shapes[0].slope)
    exact = [w * shape.slope / size for w, shape in zip(weights, shapes, strict=True)]
    shift = sum(w * shape.offset for w, shape in zip(weights, shapes, strict=True))
    at = (float(tree.threshold[node]) - shift) / size
    for held in (False, True):
        steps = tuple(_kept(shape, held) for shape in shapes)
        U, V = (
            np.column_stack([after(c, own) for c, own in zip(side.T, steps, strict=True)])
            for side in (left, right)
        )
        best: tuple[int, _Sum] | None = None
        for digits in range(1, _MOST + 1):
            if digits > _FEW and best is not None:
                break
            told = [float(f"{weight:.{digits}g}") for weight in exact]
            low, high = _room(told, U, V)
            if not low < high or not np.isfinite(low) or not np.isfinite(high):
                continue
            turned = zip(told, exact, shapes, strict=True)
            moved = at + sum((new - old) * shape.middle for new, old, shape in turned)
            if not low <= moved < high:
                moved = threshold_between(low, high)
            threshold = shortest(moved, low, high)
            length = sum(map(_digits, [*told, threshold]))
            if best is None or length < best[0]:
                best = length, _Sum(tuple(told), steps, threshold)
        if best is not None:
            return best[1]
    return None


def _kept(shape: Shape, held: bool) -> Steps:
    """What stays before a column: what is no arithmetic, what fills in, and maybe bounds."""
    out: list[Step | Mapped] = list(shape.mapped)
    if shape.fill is not None:
        out.append(Step("fill", shape.fill))
    if held and shape.low > -np.inf:
        out.append(Step("at_least", shape.low))
    if held and shape.high < np.inf:
        out.append(Step("at_most", shape.high))
    return tuple(out)


def _digits(value: float) -> int:
    return len(Decimal(repr(value)).normalize().as_tuple().digits)
