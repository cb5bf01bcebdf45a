"""Pictures of clustering trees.

Each picture comes in two parts: a plain data function that says what is to be seen, and a
function that draws it with matplotlib (``pip install agathis[plot]``). The data functions need
no matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._lazy import lazy

__all__ = [
    "cluster_points",
    "cluster_profile",
    "cluster_style",
    "gain_curve",
    "layout_tree",
    "plot_clusters",
    "plot_gains",
    "plot_profile",
    "plot_tree",
]

# Imported when first asked for.
_HOMES = {
    "cluster_points": "agathis.plot._points",
    "cluster_profile": "agathis.plot.profile",
    "cluster_style": "agathis.plot._colours",
    "gain_curve": "agathis.plot.gains",
    "layout_tree": "agathis.plot._layout",
    "plot_clusters": "agathis.plot.clusters",
    "plot_gains": "agathis.plot.gains",
    "plot_profile": "agathis.plot.profile",
    "plot_tree": "agathis.plot.tree",
}

if TYPE_CHECKING:
    from agathis.plot._colours import cluster_style
    from agathis.plot._layout import layout_tree
    from agathis.plot._points import cluster_points
    from agathis.plot.clusters import plot_clusters
    from agathis.plot.gains import gain_curve, plot_gains
    from agathis.plot.profile import cluster_profile, plot_profile
    from agathis.plot.tree import plot_tree

__getattr__, __dir__ = lazy(__name__, _HOMES)
