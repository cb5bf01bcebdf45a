"""The nodes of a tree in JSON: an array for each property of nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from agathis._model.fitted_model import FittedModel
from agathis._rules.described_tree import describe
from agathis._trees.stepped import Steps, with_steps
from agathis._trees.tree import LEAF, MISSING_GOES, MOVES, UNDEFINED, Tree
from agathis.export._json_checks import real, short, whole, wrong
from agathis.export._json_terms import VERSION_OF_FIT, VERSION_WITH_TERMS, read_terms, terms_of

NODES = (
    "left", "right", "feature", "threshold", "cluster", "samples", "weight", "missing", "move",
    "gain",
)  # fmt: skip


def nodes_record(model: FittedModel) -> dict[str, Any]:
    """The nodes of its tree, as a model file has them."""
    tree = model.tree_
    return _record(tree, terms_of(tree, describe(model).columns) if tree.has_terms else None)


def fitted_nodes_record(tree: Tree | None) -> dict[str, Any] | None:
    """The nodes of the tree over the columns of the fit, where these are not the raw ones."""
    if tree is None:
        return None
    terms = [[list(term) for term in tree.terms(node)] or None for node in range(tree.node_count)]
    return _record(tree, terms if tree.has_terms else None)


def _record(tree: Tree, terms: list[Any] | None) -> dict[str, Any]:
    leaf = tree.is_leaf.tolist()

    def of_cuts(values: np.ndarray) -> list[Any]:
        return [None if ends else value for value, ends in zip(values.tolist(), leaf, strict=True)]

    return {
        "left": of_cuts(tree.children_left),
        "right": of_cuts(tree.children_right),
        "feature": of_cuts(tree.feature),
        "threshold": ["inf" if t == math.inf else t for t in of_cuts(tree.threshold)],
        "cluster": tree.cluster.tolist(),
        "samples": tree.n_node_samples.tolist(),
        "weight": tree.weighted_n_node_samples.tolist(),
        "missing": [MISSING_GOES[i] for i in tree.missing],
        "move": [MOVES[i] for i in tree.move],
        "gain": tree.gain.tolist(),
        "terms": terms,
    }


def read_nodes(nodes: object, n_features: int, version: int) -> Tree:
    """The tree of these nodes."""
    if not isinstance(nodes, Mapping):
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

    def of_cuts(name: str, missing: int, high: int) -> list[int]:
        return [missing if v is None else whole(v, name, 0, high) for v in nodes[name]]

    def word(name: str, words: tuple[str, ...]) -> list[int]:
        for value in nodes[name]:
            if not isinstance(value, str) or value not in words:
                raise wrong(f"{name} is {short(value)}, none of {', '.join(words)}")
        return [words.index(value) for value in nodes[name]]

    def at(threshold: object) -> float:
        if threshold is None or threshold == "inf":
            return float(UNDEFINED) if threshold is None else math.inf
        return real(threshold, "threshold", -math.inf)

    arrays = {
        "children_left": of_cuts("left", LEAF, n - 1),
        "children_right": of_cuts("right", LEAF, n - 1),
        "feature": of_cuts("feature", UNDEFINED, n_features - 1),
        "threshold": [at(value) for value in nodes["threshold"]],
        "cluster": [whole(v, "cluster", 0, n - 1) for v in nodes["cluster"]],
        "gain": [real(v, "gain", -math.inf) for v in nodes["gain"]],
        "move": word("move", MOVES),
        "missing": word("missing", MISSING_GOES),
        "n_node_samples": [whole(v, "samples", 0, 2**63 - 1) for v in nodes["samples"]],
        "weighted_n_node_samples": [real(v, "weight", 0.0) for v in nodes["weight"]],
        "depth": [0] * n,
        "n_features": n_features,
    }
    steps: list[Steps] = []
    terms = nodes.get("terms", "absent")
    if version >= VERSION_WITH_TERMS and not (version >= VERSION_OF_FIT and terms is None):
        found, steps = read_terms(terms, n, n_features, version)
        arrays |= found
    try:
        # Children come after their parent, each of one: there is no cycle once this holds.
        tree = with_steps(Tree.from_dict(arrays), steps)
    except ValueError as error:
        raise wrong(str(error).rstrip(".").removeprefix("data is not a tree: ")) from error
    for node in np.flatnonzero(~tree.is_leaf):
        tree.depth[[tree.children_left[node], tree.children_right[node]]] = tree.depth[node] + 1
    return tree
