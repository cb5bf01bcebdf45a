"""Plot of the objective by number of leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._rules.colours import COLOURS
from agathis._rules.gain_curve import GainCurve, gain_curve
from agathis._trees.tree import Tree
from agathis.plot._canvas import canvas
from agathis.plot._style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_gains(model: BaseEstimator | Pipeline | Tree, *, ax: Axes | None = None) -> Axes:
    """Plot the objective against the number of leaves.

    Where the curve is flat, further leaves explain little more. Squares are splits that add a
    cluster, with the number of clusters from there on. The axis on the right is the fraction of
    all gains. A Kauri tree with fewer leaves is the first part of one with more, so the
    plot also shows the effect of ``max_leaf_nodes``.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.
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
    y = curve.cumulative if curve.objective is None else curve.objective
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
    """Annotate the number of clusters at splits that add one; not all of them if many."""
    founding = np.flatnonzero(curve.founds)
    every = -(-len(founding) // 12)
    for rank, i in enumerate(founding):
        if (len(founding) - 1 - rank) % every == 0:
            ax.annotate(
                str(curve.n_clusters[i]),
                (curve.n_leaves[i], y[i]),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                size=8,
                color=COLOURS[0],
            )
