"""The terms of nodes in JSON: features, weights and what is done with each feature before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from agathis._rules.columns import Column
from agathis._trees.stepped import OPERATIONS, Step, Steps, steps_of
from agathis._trees.tree import Tree
from agathis.export._json_checks import real, short, whole, wrong
from agathis.export._sums import operations

# Files of version 1 have no terms, those of version 2 no steps, and those of version 3 no fit.
VERSION_WITH_TERMS, VERSION_WITH_STEPS, VERSION_OF_FIT = 2, 3, 4
# More than any pipeline has.
MAX_STEPS = 100


def terms_of(tree: Tree, columns: Sequence[Column]) -> list[list[list[object]] | None]:
    """Of each node the features, their weights and, where there are some, the steps before."""
    out: list[list[list[object]] | None] = []
    for node in range(tree.node_count):
        own: list[list[object]] = []
        for (f, weight), steps in zip(tree.terms(node), steps_of(tree, node), strict=True):
            found = operations(columns[f], steps, "a reader of JSON")
            told = [[step.operation, step.by] for step in found]
            own.append([f, weight, told] if told else [f, weight])
        out.append(own or None)
    return out


def read_terms(
    found: object, n: int, n_features: int, version: int
) -> tuple[dict[str, list[Any]], list[Steps]]:
    """The arrays of the terms of all nodes, and the steps before each term."""
    if not isinstance(found, list) or len(found) != n:
        raise wrong("nodes has no list terms with an entry for each node")
    parts = (2,) if version < VERSION_WITH_STEPS else (2, 3)
    start, features, weights, steps = [0], [], [], []
    for own in found:
        for term in [] if own is None else own if isinstance(own, list) else [None]:
            if not isinstance(term, list) or len(term) not in parts:
                raise wrong(f"terms has {short(own)}, not pairs of a feature and its weight")
            features.append(whole(term[0], "a feature of terms", 0, n_features - 1))
            weights.append(real(term[1], "a weight of terms", -math.inf))
            steps.append(_steps(term[2]) if len(term) == 3 else ())
        start.append(len(features))
    return {"term_start": start, "term_feature": features, "term_weight": weights}, steps


def _steps(found: object) -> Steps:
    out = []
    for pair in found if isinstance(found, list) else [None]:
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] not in OPERATIONS:
            raise wrong(
                f"a term has the steps {short(found)}, not pairs of a number and one of "
                f"{', '.join(OPERATIONS)}"
            )
        by = real(pair[1], "the number of a step", -math.inf)
        if by == 0 and pair[0] in ("multiply", "divide"):
            raise wrong(f"a step is to {pair[0]} by 0")
        out.append(Step(pair[0], by))
    if len(out) > MAX_STEPS:
        raise wrong(f"a term has {len(out)} steps, more than {MAX_STEPS}")
    return tuple(out)
