"""Plots of clustering trees.

Each plot has two functions: one returns plain data, the other draws it with matplotlib (``pip
install "agathis[plot]"``). The data functions need no matplotlib; they are in ``_describe`` and
exported here too. This package only draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._support.lazy import lazy

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

# Imported on first use.
_HOMES = {
    "cluster_points": "agathis._describe.points",
    "cluster_profile": "agathis._describe.profile",
    "cluster_style": "agathis._describe.colours",
    "gain_curve": "agathis._describe.gains",
    "layout_tree": "agathis._describe.layout",
    "plot_clusters": "agathis.plot._clusters",
    "plot_gains": "agathis.plot._gains",
    "plot_profile": "agathis.plot._profile",
    "plot_tree": "agathis.plot._tree",
}

if TYPE_CHECKING:
    from agathis._describe.colours import cluster_style
    from agathis._describe.gains import gain_curve
    from agathis._describe.layout import layout_tree
    from agathis._describe.points import cluster_points
    from agathis._describe.profile import cluster_profile
    from agathis.plot._clusters import plot_clusters
    from agathis.plot._gains import plot_gains
    from agathis.plot._profile import plot_profile
    from agathis.plot._tree import plot_tree

__getattr__, __dir__ = lazy(__name__, _HOMES)
