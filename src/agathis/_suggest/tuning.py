"""Tuned constants of the suggestion of a number of clusters, with what each trades.

How often the suggestion meets the number of classes of labelled tables is measured by
``benchmarks/panel.py --suggest``.
"""

from __future__ import annotations

# --- Work: rows and repeats, so that a suggestion takes seconds. More of either varies less.
# Larger tables are sampled.
MANY = 10_000
ROWS_FOR_SILHOUETTE = 2000
# Rows of the samples for stability and chance.
ROWS = 1000
# Random halvings, and tables without clusters for the chance level.
HALVINGS = 6
CLOUDS = 3

# --- Trees: the minimum number of leaves that makes this fraction of the gains of a tree with ample
# leaves, this many per cluster.
SHARE_OF_GAINS = 0.99
AMPLE = 4

# --- Significant differences.
# Separations that differ by less are equal: a wider bound suggests fewer clusters.
AS_CLEAR = 0.05
# Stabilities that differ by less are equal: a narrower bound leaves fewer candidates.
AS_STABLE = 0.2
# Below it clusters are hardly separated.
WEAK = 0.25
# Below it halves of the rows hardly agree.
SHAKY = 0.5
