"""Tuned constants of the suggestion of a number of clusters, with what each trades.

How often the suggestion meets the number of classes of labelled tables is measured by
``benchmarks/panel.py --suggest``.
"""

from __future__ import annotations

# --- Work: rows and repeats, so that a suggestion takes seconds. More of either varies less.
# Of more rows a sample is looked at.
MANY = 10_000
ROWS_FOR_SILHOUETTE = 2000
# Rows of the samples for stability and chance: small trees are grown in moments.
ROWS = 1000
# Random halvings, and tables without clusters that tell what chance gives.
HALVINGS = 6
CLOUDS = 3

# --- Trees: a tree has the fewest leaves that make this fraction of the gains of one with ample
# leaves, so many for each cluster.
SHARE_OF_GAINS = 0.99
AMPLE = 4

# --- Differences that count.
# Silhouettes above chance that are nearer than that are as clear: a wider bound suggests fewer
# clusters.
AS_CLEAR = 0.05
# A stability that is lower by that much is another one: a narrower bound leaves fewer candidates.
AS_STABLE = 0.2
# Below it clusters are hardly apart.
WEAK = 0.25
# Below it halves of the rows hardly agree.
SHAKY = 0.5
