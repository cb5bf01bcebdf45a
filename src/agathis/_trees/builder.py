"""Build a tree node by node.

Growers set splits, clusters, gains and counts. Baselines set only splits and the clusters of
leaves; :mod:`agathis._trees.completion` computes the rest from the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agathis._trees.tree import DTYPES, LEAF, MOVES, TERM_DTYPES, UNDEFINED, Tree

CUT = MOVES.index("cut")


class TreeBuilder:
    """Nodes in the order of creation: the root is 0, a split appends its left, then right child.

    The attributes are lists with one entry per node, named as those of :class:`~agathis.Tree`.
    Clusters, gains and counts are 0 until they are set. ``terms`` has the columns and weights of
    nodes that split on a weighted sum.

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
        """Add a leaf and return its id."""
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
        """Split a leaf, with ``x[feature] <= threshold`` on the left; return the children.

        With ``terms``, pairs of a column and its weight, the weighted sum of these columns is
        compared with the threshold; ``feature`` is the first of the columns.
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
        flat = [term for terms_of_node in terms for term in terms_of_node]
        arrays = {
            "term_start": np.cumsum([0, *map(len, terms)]),
            "term_feature": np.array([column for column, _ in flat]),
            "term_weight": np.array([weight for _, weight in flat]),
        }
        return {name: arrays[name].astype(dtype) for name, dtype in TERM_DTYPES.items()}
