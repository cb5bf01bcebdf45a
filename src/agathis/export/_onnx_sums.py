"""Sums of columns in ONNX, whose trees split on single columns.

Each sum that a node splits on becomes an additional column, computed by operators of the graph
before the tree: 1 if the sum is above the threshold, 0 if not, NaN if it is missing. The operators
use float64 and the operations of the model in their order, so that rows of float32 reach the same
leaves as in ``predict``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agathis._rules.described_tree import Described
from agathis._rules.rows_in_units import table_of
from agathis._rules.split_axes import SumAxis
from agathis._trees.stepped import Step
from agathis._trees.tree import Tree
from agathis.export._terms import terms_of

_OPERATORS = {"subtract": "Sub", "add": "Add", "multiply": "Mul", "divide": "Div"}
# The first with IsNaN and Where for float64.
_OPSET = 13


@dataclass(frozen=True)
class SumColumns:
    """A tree with an additional column for each sum that it splits on.

    Attributes
    ----------
    raw : Described
        The tree without these columns.
    described : Described
        The tree with them: its nodes split on single columns, or on categories.
    sums : mapping
        The sum of each node; the columns are in this order.
    thresholds : mapping
        The threshold of each of these nodes.
    """

    raw: Described
    described: Described
    sums: Mapping[int, SumAxis]
    thresholds: Mapping[int, float]

    @classmethod
    def of(cls, described: Described, X: ArrayLike | None) -> SumColumns:
        """Define the columns; rows of X, if given, reach the same leaves as float32."""
        sums = described.sums
        tree, n = described.tree, described.tree.n_features
        thresholds = {node: float(tree.threshold[node]) for node in sums}
        if X is not None:
            rows = np.asarray(table_of(described, X, missing=True), dtype=np.float64)
            thresholds = _separating_thresholds(described, sums, rows)
        feature, threshold = tree.feature.copy(), tree.threshold.copy()
        counts = np.diff(tree.term_start)
        is_kept = np.ones(len(tree.term_feature), dtype=bool)
        for i, node in enumerate(sums):
            feature[node], threshold[node] = n + i, 0.5
            is_kept[tree.term_start[node] : tree.term_start[node + 1]] = False
            counts[node] = 0
        flat = Tree(
            **{
                **{field.name: getattr(tree, field.name) for field in fields(Tree)},
                "feature": feature,
                "threshold": threshold,
                "n_features": n + len(sums),
                "term_start": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
                "term_feature": tree.term_feature[is_kept],
                "term_weight": tree.term_weight[is_kept],
            }
        )
        names = [f"sum {i}" for i in range(len(sums))]
        wide = replace(
            described, tree=flat, features=[*described.features, *names], preparation=None
        )
        return cls(described, wide, sums, thresholds)

    def rows(self, X: ArrayLike) -> np.ndarray:
        """Append the columns of sums to rows."""
        X = np.asarray(table_of(self.raw, X, missing=True), dtype=np.float64)
        columns = []
        for node, axis in self.sums.items():
            total = axis.total(X)
            above = (total > self.raw.tree.threshold[node]).astype(np.float64)
            columns.append(np.where(np.isnan(total), np.nan, above)[:, None])
        return np.hstack([X, *columns])

    def put_before(self, model_proto: Any) -> None:
        """Insert the operators before a tree that takes rows with the columns of sums."""
        from onnx import TensorProto, helper, numpy_helper

        graph = model_proto.graph
        nodes: list[Any] = []

        def constant(value: object, dtype: type) -> str:
            name = f"constant_{len(graph.initializer)}"
            graph.initializer.append(numpy_helper.from_array(np.array(value, dtype=dtype), name))
            return name

        def put(operator: str, *inputs: str, **attributes: object) -> str:
            name = f"sum_{len(nodes)}"
            nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
            return name

        def stepped(x: str, step: Step) -> str:
            by = constant(step.by, np.float64)
            if step.operation == "fill":
                return put("Where", put("IsNaN", x), by, x)
            if step.operation in _OPERATORS:
                return put(_OPERATORS[step.operation], x, by)
            # Comparisons with NaN are false, so it stays, as in the model.
            beyond = "Less" if step.operation == "at_least" else "Greater"
            return put("Where", put(beyond, x, by), by, x)

        entry = graph.input[0]
        rows = put("Cast", entry.name, to=TensorProto.DOUBLE)
        nan = constant(np.nan, np.float64)
        one, zero = constant(1.0, np.float64), constant(0.0, np.float64)
        columns = [entry.name]
        for node, axis in self.sums.items():
            total = ""
            for term in terms_of(axis, "ONNX"):
                x = put("Gather", rows, constant([term.feature], np.int64), axis=1)
                for step in term.steps:
                    x = stepped(x, step)
                x = put("Mul", x, constant(term.weight, np.float64))
                total = put("Add", total, x) if total else x
            bound = constant(self.thresholds[node], np.float64)
            above = put("Where", put("Greater", total, bound), one, zero)
            known = put("Where", put("IsNaN", total), nan, above)
            columns.append(put("Cast", known, to=TensorProto.FLOAT))
        wide = put("Concat", *columns, axis=1)
        for node in graph.node:
            for i, name in enumerate(node.input):
                if name == entry.name:
                    node.input[i] = wide
        later = list(graph.node)
        del graph.node[:]
        graph.node.extend([*nodes, *later])
        entry.type.tensor_type.shape.dim[1].dim_value = self.raw.tree.n_features
        for opset in model_proto.opset_import:
            if opset.domain == "":
                opset.version = max(opset.version, _OPSET)
                break
        else:
            model_proto.opset_import.append(helper.make_opsetid("", _OPSET))


def _separating_thresholds(
    described: Described, sums: Mapping[int, SumAxis], X: np.ndarray
) -> dict[int, float]:
    """Thresholds by which rows rounded to float32 reach the leaves of the exact rows."""
    tree = described.tree
    with np.errstate(over="ignore"):
        rounded = X.astype(np.float32).astype(np.float64)
    passed = tree.decision_path(X).tocsc()
    out = {}
    for node, axis in sums.items():
        rows = passed[:, node].indices
        exact, near = axis.total(X[rows]), axis.total(rounded[rows])
        threshold = float(tree.threshold[node])
        low = near[exact <= threshold].max(initial=-np.inf)
        high = near[exact > threshold].min(initial=np.inf)
        if low >= high:
            raise ValueError(
                f"float32 does not tell apart rows of X that node {node} separates: "
                f"{described.sides(node)[0]}. Without X such rows may go the other way."
            )
        out[node] = threshold if low <= threshold < high else float(low)
    return out
