"""Plots of clustering trees.

Each plot has two functions: one returns plain data, the other draws it with matplotlib (``pip
install "agathis[plot]"``). The data functions need no matplotlib; they are in ``_rules`` and
exported here too. This package only draws.
"""

from agathis._rules.colours import cluster_style
from agathis._rules.gain_curve import gain_curve
from agathis._rules.profile import cluster_profile
from agathis._rules.projection import cluster_points
from agathis._rules.tree_layout import layout_tree
from agathis.plot._clusters import plot_clusters
from agathis.plot._gains import plot_gains
from agathis.plot._profile import plot_profile
from agathis.plot._tree import plot_tree

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


def __dir__() -> list[str]:
    return __all__
