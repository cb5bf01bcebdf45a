"""The nodes of a tree in JSON: an array for each property of nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from agathis._model.fitted_model import FittedModel
from agathis._rules.columns import Column
from agathis._rules.described_tree import describe
from agathis._trees.stepped import Steps, steps_of, with_steps
from agathis._trees.tree import LEAF, MISSING_GOES, MOVES, UNDEFINED, Tree
from agathis.export._json_checks import integer, items, read_step, real, short, wrong
from agathis.export._terms import operations

NODES = (
    "left", "right", "feature", "threshold", "cluster", "samples", "weight", "missing", "move",
    "gain",
)  # fmt: skip
# More than any pipeline has.
MAX_STEPS = 100


def nodes_record(model: FittedModel) -> dict[str, Any]:
    """The nodes of the model's tree, as a model file stores them."""
    tree = model.tree_
    return _record(tree, _terms(tree, describe(model).columns) if tree.has_terms else None)


def fitted_nodes_record(tree: Tree | None) -> dict[str, Any] | None:
    """The nodes of the tree over the columns of the fit, if these are not the raw ones."""
    if tree is None:
        return None
    terms = [[list(term) for term in tree.terms(node)] or None for node in range(tree.node_count)]
    return _record(tree, terms if tree.has_terms else None)


def _terms(tree: Tree, columns: Sequence[Column]) -> list[list[list[object]] | None]:
    """For each node the features, their weights and, if any, the operations before."""
    out: list[list[list[object]] | None] = []
    for node in range(tree.node_count):
        terms: list[list[object]] = []
        for (f, weight), steps in zip(tree.terms(node), steps_of(tree, node), strict=True):
            pairs = [[s.operation, s.by] for s in operations(columns[f], steps, "a reader of JSON")]
            terms.append([f, weight, pairs] if pairs else [f, weight])
        out.append(terms or None)
    return out


def _record(tree: Tree, terms: list[Any] | None) -> dict[str, Any]:
    leaf = tree.is_leaf.tolist()

    def of_splits(values: np.ndarray) -> list[Any]:
        return [None if ends else value for value, ends in zip(values.tolist(), leaf, strict=True)]

    return {
        "left": of_splits(tree.children_left),
        "right": of_splits(tree.children_right),
        "feature": of_splits(tree.feature),
        "threshold": ["inf" if t == math.inf else t for t in of_splits(tree.threshold)],
        "cluster": tree.cluster.tolist(),
        "samples": tree.n_node_samples.tolist(),
        "weight": tree.weighted_n_node_samples.tolist(),
        "missing": [MISSING_GOES[i] for i in tree.missing],
        "move": [MOVES[i] for i in tree.move],
        "gain": tree.gain.tolist(),
        "terms": terms,
    }


def read_nodes(nodes: object, n_features: int) -> Tree:
    """Build the tree of these nodes."""
    if not isinstance(nodes, dict):
        raise wrong("it has no nodes")
    for name in NODES:
        if not isinstance(nodes.get(name), list):
            raise wrong(f"nodes has no list {name}")
    n = len(nodes["left"])
    lengths = {len(nodes[name]) for name in NODES}
    if lengths != {n} or n == 0:
        raise wrong(f"the lists of nodes have the lengths {sorted(lengths)}")
    leaf = [value is None for value in nodes["left"]]
    for name in ("right", "feature", "threshold"):
        if [value is None for value in nodes[name]] != leaf:
            raise wrong(f"left and {name} are not null at the same nodes")

    def of_splits(name: str, missing: int, high: int) -> list[int]:
        return [missing if v is None else integer(v, name, 0, high) for v in nodes[name]]

    def index(name: str, names: tuple[str, ...]) -> list[int]:
        for value in nodes[name]:
            if not isinstance(value, str) or value not in names:
                raise wrong(f"{name} is {short(value)}, none of {', '.join(names)}")
        return [names.index(value) for value in nodes[name]]

    def threshold(value: object) -> float:
        if value is None or value == "inf":
            return float(UNDEFINED) if value is None else math.inf
        return real(value, "threshold")

    arrays = {
        "children_left": of_splits("left", LEAF, n - 1),
        "children_right": of_splits("right", LEAF, n - 1),
        "feature": of_splits("feature", UNDEFINED, n_features - 1),
        "threshold": [threshold(value) for value in nodes["threshold"]],
        "cluster": [integer(v, "cluster", 0, n - 1) for v in nodes["cluster"]],
        "gain": [real(v, "gain") for v in nodes["gain"]],
        "move": index("move", MOVES),
        "missing": index("missing", MISSING_GOES),
        "n_node_samples": [integer(v, "samples") for v in nodes["samples"]],
        "weighted_n_node_samples": [real(v, "weight", 0.0) for v in nodes["weight"]],
        "depth": [0] * n,
        "n_features": n_features,
    }
    steps: list[Steps] = []
    terms = nodes.get("terms", "absent")
    if terms is not None:
        term_arrays, steps = _read_terms(terms, n, n_features)
        arrays |= term_arrays
    try:
        # Children come after their parent, each of one: there is no cycle once this holds.
        tree = with_steps(Tree.from_dict(arrays), steps)
    except ValueError as error:
        raise wrong(str(error).rstrip(".").removeprefix("data is not a tree: ")) from error
    for node in np.flatnonzero(~tree.is_leaf):
        tree.depth[[tree.children_left[node], tree.children_right[node]]] = tree.depth[node] + 1
    return tree


def _read_terms(terms: object, n: int, n_features: int) -> tuple[dict[str, list[Any]], list[Steps]]:
    """Read the arrays of the terms of all nodes, and the operations before each term."""
    if not isinstance(terms, list) or len(terms) != n:
        raise wrong("nodes has no list terms with an entry for each node")
    start, features, weights = [0], [], []
    steps: list[Steps] = []
    for of_node in terms:
        for term in [] if of_node is None else items(of_node, "terms"):
            if not isinstance(term, list) or len(term) not in (2, 3):
                raise wrong(f"terms has {short(of_node)}, not pairs of a feature and its weight")
            pairs = items(term[2], "the steps of a term", MAX_STEPS) if len(term) == 3 else []
            features.append(integer(term[0], "a feature of terms", 0, n_features - 1))
            weights.append(real(term[1], "a weight of terms"))
            steps.append(
                tuple(read_step(pair, "a step of a term", ("multiply", "divide")) for pair in pairs)
            )
        start.append(len(features))
    return {"term_start": start, "term_feature": features, "term_weight": weights}, steps
