"""The gain of each split, in the order in which they were made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._rules.described_tree import last_step
from agathis._trees.model import tree_of
from agathis._trees.tree import MOVES, Tree


@dataclass(frozen=True)
class GainCurve:
    """The growth of a tree: one entry for the root alone, then one per split.

    Attributes
    ----------
    n_leaves : ndarray of shape (n_splits + 1,)
        1, 2, ...
    gain : ndarray of shape (n_splits + 1,)
        The gain of the last split; 0 for the root.
    cumulative : ndarray of shape (n_splits + 1,)
        The sum of gains so far.
    objective : ndarray of shape (n_splits + 1,) or None
        The objective, for Kauri.
    n_clusters : ndarray of shape (n_splits + 1,)
        The number of clusters of the leaves so far.
    founds : ndarray of shape (n_splits + 1,)
        Whether the last split raised the number of clusters; False for the root.
    node : ndarray of shape (n_splits + 1,)
        The node that was split, -1 for the root.
    move : tuple of str
        Kind of split, ``"leaf"`` for the root.
    """

    n_leaves: np.ndarray
    gain: np.ndarray
    cumulative: np.ndarray
    objective: np.ndarray | None
    n_clusters: np.ndarray
    founds: np.ndarray
    node: np.ndarray
    move: tuple[str, ...]

    def leaves_for(self, share: float) -> int:
        """Return the minimum number of leaves that reach this fraction of all gains."""
        if not 0 <= share <= 1:
            raise ValueError(f"share must be from 0 to 1; it is {share!r}.")
        # The last split reaches all gains, despite rounding of the sum.
        enough = self.cumulative >= share * self.cumulative[-1]
        return int(self.n_leaves[np.argmax(enough)])


def gain_curve(model: BaseEstimator | Pipeline | Tree) -> GainCurve:
    """Compute the gain of each split, the data of :func:`plot_gains`.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.

    Returns
    -------
    curve : GainCurve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.plot import gain_curve
    >>> curve = gain_curve(Kauri(n_clusters=3, max_leaf_nodes=8).fit(load_iris().data))
    >>> curve.n_leaves, curve.n_clusters
    (array([1, 2, 3, 4, 5, 6]), array([1, 2, 3, 3, 3, 3]))
    >>> curve.leaves_for(0.99)
    4
    """
    model = last_step(model)
    tree = tree_of(model)
    nodes = np.flatnonzero(~tree.is_leaf)
    # The i-th split made the nodes 2 i + 1 and 2 i + 2.
    nodes = nodes[np.argsort(tree.children_left[nodes])]
    gain = np.concatenate([[0.0], tree.gain[nodes]])
    cumulative = np.cumsum(gain)
    objective = None
    last = getattr(model, "objective_", None)
    if last is not None:
        # Backwards from the final objective, which the model knows.
        objective = last - (cumulative[-1] - cumulative)
    n_leaves_of = np.zeros(tree.n_clusters, dtype=np.int64)
    n_leaves_of[tree.cluster[0]] = 1
    n_clusters = [1]
    for node in nodes:
        n_leaves_of[tree.cluster[node]] -= 1
        n_leaves_of[tree.cluster[tree.children_left[node]]] += 1
        n_leaves_of[tree.cluster[tree.children_right[node]]] += 1
        n_clusters.append(int(np.count_nonzero(n_leaves_of)))
    return GainCurve(
        n_leaves=np.arange(1, len(nodes) + 2),
        gain=gain,
        cumulative=cumulative,
        objective=objective,
        n_clusters=np.array(n_clusters),
        founds=np.diff(n_clusters, prepend=1) > 0,
        node=np.concatenate([[-1], nodes]),
        move=("leaf", *(MOVES[m] for m in tree.move[nodes])),
    )
