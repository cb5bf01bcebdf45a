"""Trees over raw columns whose sums are of columns after some steps, such as scaling.

A cut of one column behind a scaler is a cut of the raw column, to the last bit. A sum of two
columns behind scalers is a sum of the raw ones but for rounding: rows at the threshold may go the
other way. So a tree over raw columns keeps the arithmetic of the steps beside the terms of its
sums, operation by operation and in their order. Every number it computes is the one that the model
computes, and so is every number in SQL or Python that writes the same operations down.

A ``Step`` is one operation with a constant. A ``Mapped`` is what has no such form, such as ranks:
it can be told in words and computed here, and cannot be written down elsewhere.
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
#: What a step may do with its constant; "fill" puts it in the place of missing values.
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
    """A step that no operation is; ``words`` has "{}" for the name of the column: "log of {}"."""

    words: str
    function: Callable[[np.ndarray], np.ndarray]

    def of(self, values: np.ndarray) -> np.ndarray:
        return self.function(values)


Steps = tuple[Step | Mapped, ...]


def after(values: np.ndarray, steps: Steps) -> np.ndarray:
    """A column after some steps, as float64.

    >>> after(np.array([1.0, np.nan, 9.0]), (Step("at_most", 5.0), Step("subtract", 1.0)))
    array([ 0., nan,  4.])
    """
    out = np.asarray(values, dtype=np.float64)
    for step in steps:
        out = step.of(out)
    return out


@dataclass(frozen=True, eq=False, repr=False)
class SteppedTree(Tree):
    """A tree with steps before the terms of its sums.

    Attributes
    ----------
    term_steps : tuple of tuples of Step
        For each term what is done with its column before it is multiplied by its weight.
    """

    term_steps: tuple[Steps, ...] = ()

    @cached_property
    def _flat(self) -> tuple[Tree, list[tuple[int, Steps]]]:
        """The same tree without steps, and the columns that it has beside those of this one."""
        place: dict[tuple[int, Steps], int] = {}
        feature = self.term_feature.copy()
        for i, steps in enumerate(self.term_steps):
            if steps:
                key = int(feature[i]), steps
                feature[i] = place.setdefault(key, self.n_features + len(place))
        own = {field.name: getattr(self, field.name) for field in fields(Tree)}
        own["n_features"] = self.n_features + len(place)
        return Tree(**{**own, "term_feature": feature}), list(place)

    def _walk(self, X: np.ndarray, answer: np.ndarray, threads: int) -> np.ndarray:
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            return super()._walk(X, answer, threads)
        tree, made = self._flat
        columns = [after(X[:, f], steps)[:, None] for f, steps in made]
        return tree._walk(np.hstack([X, *columns]), answer, threads)

    def check(self) -> None:
        """Raise ValueError where the arrays do not make a tree that can be walked."""
        super().check()
        if len(self.term_steps) != len(self.term_feature):
            raise ValueError(
                f"data is not a tree: {len(self.term_steps)} of its {len(self.term_feature)} terms "
                "have steps."
            )

    def to_dict(self) -> dict[str, Any]:
        """The tree as lists and numbers; raises ValueError where a step is no operation."""
        return {**super().to_dict(), "term_steps": [written(steps) for steps in self.term_steps]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tree:
        """The tree of :meth:`to_dict`."""
        plain = Tree.from_dict({name: data[name] for name in data if name != "term_steps"})
        steps = [tuple(Step(str(how), float(by)) for how, by in own) for own in data["term_steps"]]
        return with_steps(plain, steps)


def written(steps: Steps) -> list[list[object]]:
    """Steps as pairs of an operation and its constant."""
    for step in steps:
        if not isinstance(step, Step):
            raise ValueError(f"a step cannot be written down: {step.words.format('a column')}.")
    return [[step.operation, step.by] for step in steps if isinstance(step, Step)]


def steps_of(tree: Tree, node: int) -> tuple[Steps, ...]:
    """The steps before each term of a node; of most trees there are none."""
    part = slice(tree.term_start[node], tree.term_start[node + 1])
    if isinstance(tree, SteppedTree):
        return tree.term_steps[part]
    return ((),) * len(tree.term_feature[part])


def with_steps(tree: Tree, term_steps: Sequence[Steps]) -> Tree:
    """The tree with steps before its terms; it stays a plain one where there are none."""
    own = {field.name: getattr(tree, field.name) for field in fields(Tree)}
    if not any(term_steps):
        return Tree(**own)
    out = SteppedTree(**own, term_steps=tuple(term_steps))
    out.check()
    return out
