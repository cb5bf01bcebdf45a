"""A tree that is made node by node, whoever grows it.

A grower says which leaf is cut where and what else it knows: the clusters, the gain, the rows of
a node. Who only draws cuts and the clusters of leaves lets the rest be worked out from the rows
(:mod:`agathis._trees.completion`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agathis._trees.tree import DTYPES, LEAF, MOVES, TERM_DTYPES, UNDEFINED, Tree

CUT = MOVES.index("cut")


class TreeBuilder:
    """Nodes as they are made: the root is 0, a cut appends its left child, then its right.

    The attributes are lists with an entry a node, named as those of
    :class:`~agathis.Tree`. All but the tree's shape may be set by whoever knows them; until
    then they are 0. ``terms`` has the columns and weights of each node that asks for a sum.

    Examples
    --------
    >>> builder = TreeBuilder()
    >>> left, right = builder.cut(0, feature=1, threshold=2.5)
    >>> builder.cluster[right] = 1
    >>> builder.build(n_features=2)
    Tree(2 leaves, 2 clusters, depth 1, 2 features)
    """

    def __init__(self) -> None:
        self.children_left: list[int] = []
        self.children_right: list[int] = []
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.cluster: list[int] = []
        self.gain: list[float] = []
        self.move: list[int] = []
        self.missing: list[int] = []
        self.n_node_samples: list[int] = []
        self.weighted_n_node_samples: list[float] = []
        self.depth: list[int] = []
        self.terms: dict[int, Sequence[tuple[int, float]]] = {}
        self._append(0)

    def _append(self, depth: int) -> int:
        """One more leaf; its number."""
        self.children_left.append(LEAF)
        self.children_right.append(LEAF)
        self.feature.append(UNDEFINED)
        self.threshold.append(float(UNDEFINED))
        self.depth.append(depth)
        for zeros in (self.cluster, self.move, self.missing, self.n_node_samples):
            zeros.append(0)
        for values in (self.gain, self.weighted_n_node_samples):
            values.append(0.0)
        return len(self.depth) - 1

    def cut(
        self,
        node: int,
        feature: int,
        threshold: float,
        *,
        gain: float = 0.0,
        move: int = CUT,
        missing: int = 0,
        terms: Sequence[tuple[int, float]] = (),
    ) -> tuple[int, int]:
        """Give a leaf two children, rows with ``x[feature] <= threshold`` left; their numbers.

        With ``terms``, pairs of a column and its weight, rows go left whose weighted sum of these
        columns is not above the threshold; ``feature`` is the first of the columns.
        """
        depth = self.depth[node] + 1
        children = self._append(depth), self._append(depth)
        self.children_left[node], self.children_right[node] = children
        self.feature[node], self.threshold[node] = int(feature), float(threshold)
        self.gain[node], self.move[node], self.missing[node] = gain, move, missing
        if len(terms) > 0:
            self.terms[node] = tuple(terms)
        return children

    def build(self, n_features: int) -> Tree:
        arrays = {name: np.array(getattr(self, name), dtype) for name, dtype in DTYPES.items()}
        if self.terms:
            arrays.update(self._term_arrays())
        return Tree(**arrays, n_features=n_features)

    def _term_arrays(self) -> dict[str, np.ndarray]:
        terms = [self.terms.get(node, ()) for node in range(len(self.depth))]
        flat = [term for own in terms for term in own]
        arrays = {
            "term_start": np.cumsum([0, *map(len, terms)]),
            "term_feature": np.array([column for column, _ in flat]),
            "term_weight": np.array([weight for _, weight in flat]),
        }
        return {name: arrays[name].astype(dtype) for name, dtype in TERM_DTYPES.items()}
