"""Plots of clustering trees.

Each plot has two functions: one returns plain data, the other draws it with matplotlib (``pip
install "agathis[plot]"``). The data functions need no matplotlib; they are in ``_rules`` and
exported here too. This package only draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._utils.lazy import lazy

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
    "cluster_points": "agathis._rules.points",
    "cluster_profile": "agathis._rules.profile",
    "cluster_style": "agathis._rules.colours",
    "gain_curve": "agathis._rules.gain_curve",
    "layout_tree": "agathis._rules.tree_layout",
    "plot_clusters": "agathis.plot._clusters",
    "plot_gains": "agathis.plot._gains",
    "plot_profile": "agathis.plot._profile",
    "plot_tree": "agathis.plot._tree",
}

if TYPE_CHECKING:
    from agathis._rules.colours import cluster_style
    from agathis._rules.gain_curve import gain_curve
    from agathis._rules.points import cluster_points
    from agathis._rules.profile import cluster_profile
    from agathis._rules.tree_layout import layout_tree
    from agathis.plot._clusters import plot_clusters
    from agathis.plot._gains import plot_gains
    from agathis.plot._profile import plot_profile
    from agathis.plot._tree import plot_tree

__getattr__, __dir__ = lazy(__name__, _HOMES)
