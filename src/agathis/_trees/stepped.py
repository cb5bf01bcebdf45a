"""Trees over raw columns with transformed terms, such as sums of scaled columns.

A split on one scaled column equals a split on the raw column exactly. A weighted sum of scaled
columns equals a sum of raw columns only up to rounding, so rows at the threshold may go the other
way. Therefore a tree over raw columns stores the arithmetic of the transformations with its terms,
and exports to SQL or Python repeat the same operations in the same order.

A ``Step`` is one operation with a constant. A ``Mapped`` is any other function, such as ranks: it
can be described and computed here, but not exported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

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


@dataclass(frozen=True, eq=False)
class Mapped:
    """Any other function; ``words`` has "{}" for the name of the column, "log of {}"."""

    words: str
    function: Callable[[np.ndarray], np.ndarray]

    def of(self, values: np.ndarray) -> np.ndarray:
        return self.function(values)


Steps = tuple[Step | Mapped, ...]


def after(values: np.ndarray, steps: Steps) -> np.ndarray:
    """Apply steps to a column, as float64.

    >>> after(np.array([1.0, np.nan, 9.0]), (Step("at_most", 5.0), Step("subtract", 1.0)))
    array([ 0., nan,  4.])
    """
    out = np.asarray(values, dtype=np.float64)
    for step in steps:
        out = step.of(out)
    return out


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
        tree, made = self._flat
        columns = [after(X[:, f], steps)[:, None] for f, steps in made]
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
        """The tree as lists and numbers; raises ValueError for ``Mapped`` steps."""
        return {**super().to_dict(), "term_steps": [written(steps) for steps in self.term_steps]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tree:
        """Create a tree from :meth:`to_dict`."""
        plain = Tree.from_dict({name: data[name] for name in data if name != "term_steps"})
        steps = [
            tuple(Step(str(how), float(by)) for how, by in steps_of_term)
            for steps_of_term in data["term_steps"]
        ]
        return with_steps(plain, steps)


def written(steps: Steps) -> list[list[object]]:
    """Steps as pairs of an operation and its constant."""
    for step in steps:
        if not isinstance(step, Step):
            raise ValueError(f"a step cannot be exported: {step.words.format('a column')}.")
    return [[step.operation, step.by] for step in steps if isinstance(step, Step)]


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
