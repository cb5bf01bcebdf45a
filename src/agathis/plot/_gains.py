"""What each split was worth, in the order in which they were made: how many leaves are enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator

from agathis._describe.colours import COLOURS
from agathis._trees.model import tree_of
from agathis._trees.tree import MOVES, Tree
from agathis.plot._canvas import GREY, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class GainCurve:
    """The tree as it grew: an entry for the root alone, then one for each split.

    Attributes
    ----------
    n_leaves : ndarray of shape (n_splits + 1,)
        1, 2, ...
    gain : ndarray of shape (n_splits + 1,)
        What the last split added; 0 for the root.
    cumulative : ndarray of shape (n_splits + 1,)
        What all splits so far added.
    objective : ndarray of shape (n_splits + 1,) or None
        The objective, where the model knows it and gains are its changes: Kauri.
    n_clusters : ndarray of shape (n_splits + 1,)
        Clusters of the leaves so far; of trees other than Kauri's by the cluster with most
        weight in each.
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
        """The fewest leaves that reach this share of all gains."""
        if not 0 <= share <= 1:
            raise ValueError(f"share must be from 0 to 1; it is {share!r}.")
        # What the last split reaches is all, whatever the rounding of the sum.
        enough = self.cumulative >= share * self.cumulative[-1]
        return int(self.n_leaves[np.argmax(enough)])


def gain_curve(model: BaseEstimator | Tree) -> GainCurve:
    """Tell what each split was worth: what :func:`plot_gains` draws.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator with ``tree_``, or the tree itself.

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
    tree = tree_of(model)
    cuts = np.flatnonzero(~tree.is_leaf)
    # The i-th split made the nodes 2 i + 1 and 2 i + 2.
    cuts = cuts[np.argsort(tree.children_left[cuts])]
    gain = np.concatenate([[0.0], tree.gain[cuts]])
    cumulative = np.cumsum(gain)
    objective = None
    last = getattr(model, "objective_", None)
    if last is not None:
        # From the last one back, which is the one that the model tells.
        objective = last - (cumulative[-1] - cumulative)
    held = np.zeros(tree.n_clusters, dtype=np.int64)
    held[tree.cluster[0]] = 1
    n_clusters = [1]
    for node in cuts:
        held[tree.cluster[node]] -= 1
        held[tree.cluster[tree.children_left[node]]] += 1
        held[tree.cluster[tree.children_right[node]]] += 1
        n_clusters.append(int(np.count_nonzero(held)))
    return GainCurve(
        n_leaves=np.arange(1, len(cuts) + 2),
        gain=gain,
        cumulative=cumulative,
        objective=objective,
        n_clusters=np.array(n_clusters),
        founds=np.diff(n_clusters, prepend=1) > 0,
        node=np.concatenate([[-1], cuts]),
        move=("leaf", *(MOVES[m] for m in tree.move[cuts])),
    )


def plot_gains(model: BaseEstimator | Tree, *, ax: Axes | None = None) -> Axes:
    """Draw the objective against the number of leaves.

    Where the line turns flat, further leaves explain little more. Squares are splits that found a
    cluster, with the number of clusters from there on. The scale on the right is the share of all
    gains. A Kauri tree with fewer leaves is the first part of one with more, so the
    picture also tells what ``max_leaf_nodes`` would have given.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator with ``tree_``, or the tree itself.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.plot import plot_gains
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=8).fit(load_iris().data)
    >>> ax = plot_gains(model, ax=Figure().add_subplot())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('leaves', 'objective')
    """
    curve = gain_curve(model)
    ax = canvas(ax, (6.4, 4.0))
    known = curve.objective is not None
    y = curve.objective if known else curve.cumulative
    others = ~curve.founds
    ax.plot(curve.n_leaves, y, color=GREY, linewidth=1, zorder=1)
    ax.plot(
        curve.n_leaves[others], y[others], "o", color=GREY, markersize=4, label="split", zorder=2
    )
    if curve.founds.any():
        ax.plot(
            curve.n_leaves[curve.founds],
            y[curve.founds],
            "s",
            color=COLOURS[0],
            markersize=7,
            label="split that founds a cluster",
            zorder=3,
        )
    _draw_counts(ax, curve, y)
    ax.set_xlabel("leaves")
    ax.set_ylabel("objective" if known else "sum of gains")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.margins(y=0.1)
    total = float(curve.cumulative[-1])
    if total > 0:
        first = float(y[0])
        percent = ax.secondary_yaxis(
            "right",
            functions=(
                lambda value: 100 * (value - first) / total,
                lambda share: first + share * total / 100,
            ),
        )
        percent.set_ylabel("% of all gains")
    ax.legend(loc="lower right", frameon=False)
    ax.spines["top"].set_visible(False)
    return ax


def _draw_counts(ax: Axes, curve: GainCurve, y: np.ndarray) -> None:
    """How many clusters there are, at the splits that found one; not all where these are many."""
    founding = np.flatnonzero(curve.founds)
    every = -(-len(founding) // 12)
    for place, i in enumerate(founding):
        if (len(founding) - 1 - place) % every == 0:
            ax.annotate(
                str(curve.n_clusters[i]),
                (curve.n_leaves[i], y[i]),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                size=8,
                color=COLOURS[0],
            )
