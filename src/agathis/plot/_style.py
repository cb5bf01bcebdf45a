"""Constants of the plots: sizes, colours, and the maximum numbers of what is drawn."""

from __future__ import annotations

from typing import Any

#: For every text that may contain a name: names are never parsed as formulas.
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
GREY = "#666666"
#: The maximum number of lines of a wrapped name.
MAX_LINES = 3

# plot_clusters
#: The maximum number of points that a vector image draws individually.
VECTOR_POINTS = 5_000
#: The edge of a point, so that a light one is visible on its light region.
OUTLINE = (0.0, 0.0, 0.0, 0.6)
#: The width and height of a cluster number, in points.
NUMBER_SIZE = (17.0, 15.0)
#: The maximum number of characters of a name in the legend, and of an axis.
LEGEND_WIDTH, AXIS_WIDTH = 28, 60
#: The maximum number of clusters in a legend of one column.
LEGEND_ROWS = 16

# plot_profile
#: The maximum number of characters of a feature name, and of a line of a cluster name.
FEATURE_WIDTH, CLUSTER_WIDTH = 36, 12
#: Row height relative to the font size, and height of the clusters' colours in rows.
ROW, HEAD = 2.0, 0.4
#: Standard deviations at which colours are saturated.
SATURATION = 2.0
LOW, MIDDLE, HIGH = "#2166AC", "#F7F7F7", "#B35806"
UNKNOWN = "#E0E0E0"

# plot_tree, in units of the font size
#: Line height, padding of a box, strip at its foot, space between label and box.
LINE, PADDING, STRIP, LABEL_GAP = 1.3, 0.5, 0.45, 0.12
#: Space between siblings, space between depths, margin.
SIBLING_GAP, DEPTH_GAP, MARGIN = 0.8, 1.9, 0.6
#: The maximum number of characters per line.
TREE_WIDTH = 22
#: The minimum and maximum size of a new figure in inches; the root should be on top if the tree
#: fits on a page of this size.
MIN_SIZE, MAX_SIZE, PAGE_SIZE = (3.0, 2.0), (80.0, 80.0), (14.0, 14.0)

#: Font size of a new figure in points, and the maximum of a tree on given axes.
POINTS, POINTS_ON_AXES = 9.0, 11.0
