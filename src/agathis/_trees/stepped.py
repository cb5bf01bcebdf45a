"""Trees over raw columns with transformed terms, such as sums of scaled columns.

A split on one scaled column equals a split on the raw column exactly. A weighted sum of scaled
columns equals a sum of raw columns only up to rounding, so rows at the threshold may go the other
way. Therefore a tree over raw columns stores the arithmetic of the transformations with its terms,
and exports to SQL or Python repeat the same operations in the same order.

A ``Step`` is one operation with a constant, which every export can write. ``Logarithm`` and
``Ranks`` are stored in model files only. A ``Mapped`` is any other function: it can be described
and computed here, but not exported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from agathis._trees.tree import Tree

_ARITHMETIC: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "subtract": np.subtract,
    "add": np.add,
    "multiply": np.multiply,
    "divide": np.divide,
    "at_least": np.maximum,
    "at_most": np.minimum,
    "fill": lambda values, by: np.where(np.isnan(values), by, values),
}
#: Operations of a step; "fill" replaces missing values by its constant.
OPERATIONS = tuple(_ARITHMETIC)


@dataclass(frozen=True)
class Step:
    """One operation on a column: one of ``OPERATIONS``, and its constant."""

    operation: str
    by: float

    def of(self, values: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return _ARITHMETIC[self.operation](values, self.by)


@dataclass(frozen=True)
class Logarithm:
    """sign(x) log(1 + |x|)."""

    template: ClassVar[str] = "log of (1 + {})"

    def of(self, values: np.ndarray) -> np.ndarray:
        return np.copysign(np.log1p(np.abs(values)), values)


@dataclass(frozen=True)
class Ranks:
    """Ranks from 0 to 1, by linear interpolation between points."""

    points: tuple[float, ...]
    ranks: tuple[float, ...]
    template: ClassVar[str] = "rank of {}"

    def of(self, values: np.ndarray) -> np.ndarray:
        ranks = np.interp(values, self.points, self.ranks)
        return np.where(np.isnan(values), np.nan, ranks)


@dataclass(frozen=True, eq=False)
class Mapped:
    """Any other function; ``template`` has "{}" for the name of the column, "log of {}"."""

    template: str
    function: Callable[[np.ndarray], np.ndarray]

    def of(self, values: np.ndarray) -> np.ndarray:
        return self.function(values)


Operation = Step | Logarithm | Ranks
Steps = tuple[Operation | Mapped, ...]


def after(values: np.ndarray, steps: Steps) -> np.ndarray:
    """Apply steps to a column, as float64.

    >>> after(np.array([1.0, np.nan, 9.0]), (Step("at_most", 5.0), Step("subtract", 1.0)))
    array([ 0., nan,  4.])
    """
    out = np.asarray(values, dtype=np.float64)
    for step in steps:
        out = step.of(out)
    return out


def described(label: str, steps: Iterable[Operation | Mapped]) -> str:
    """Describe a column after the functions among some steps.

    >>> described("price", (Step("at_most", 5.0), Logarithm()))
    'log of (1 + price)'
    """
    for step in steps:
        if not isinstance(step, Step):
            label = step.template.format(label)
    return label


@dataclass(frozen=True, eq=False, repr=False)
class SteppedTree(Tree):
    """A tree with transformed terms.

    Attributes
    ----------
    term_steps : tuple of tuples of Step
        The transformation of the column of each term, before it is multiplied by its weight.
    """

    term_steps: tuple[Steps, ...] = ()

    @cached_property
    def _flat(self) -> tuple[Tree, list[tuple[int, Steps]]]:
        """An equivalent tree without steps, and its additional columns."""
        new_column: dict[tuple[int, Steps], int] = {}
        feature = self.term_feature.copy()
        for i, steps in enumerate(self.term_steps):
            if steps:
                key = int(feature[i]), steps
                feature[i] = new_column.setdefault(key, self.n_features + len(new_column))
        arrays = {field.name: getattr(self, field.name) for field in fields(Tree)}
        arrays["n_features"] = self.n_features + len(new_column)
        return Tree(**{**arrays, "term_feature": feature}), list(new_column)

    def _descend(self, X: np.ndarray, answer: np.ndarray, threads: int) -> np.ndarray:
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            return super()._descend(X, answer, threads)
        tree, new_columns = self._flat
        columns = [after(X[:, f], steps)[:, None] for f, steps in new_columns]
        return tree._descend(np.hstack([X, *columns]), answer, threads)

    def check(self) -> None:
        """Raise ValueError if the arrays are not a valid tree."""
        super().check()
        if len(self.term_steps) != len(self.term_feature):
            raise ValueError(
                f"data is not a valid tree: it has {len(self.term_feature)} terms and "
                f"{len(self.term_steps)} term_steps."
            )

    def to_dict(self) -> dict[str, Any]:
        """Raise TypeError: only :func:`agathis.export.to_json` stores the steps."""
        raise TypeError("a tree with steps before its terms has no to_dict; use export.to_json.")


def steps_of(tree: Tree, node: int) -> tuple[Steps, ...]:
    """The steps of each term of a node."""
    part = slice(tree.term_start[node], tree.term_start[node + 1])
    if isinstance(tree, SteppedTree):
        return tree.term_steps[part]
    return ((),) * len(tree.term_feature[part])


def with_steps(tree: Tree, term_steps: Sequence[Steps]) -> Tree:
    """The tree with transformed terms; a plain tree if there are no steps."""
    arrays = {field.name: getattr(tree, field.name) for field in fields(Tree)}
    if not any(term_steps):
        return Tree(**arrays)
    out = SteppedTree(**arrays, term_steps=tuple(term_steps))
    out.check()
    return out
