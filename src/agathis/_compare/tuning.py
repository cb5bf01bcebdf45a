"""Tuned constants of comparisons and of the recommendation."""

from __future__ import annotations

# --- Work.
# The default fraction of rows per run. Smaller samples differ more.
SHARE = 0.8
# The default maximum of values in all runs, less than a minute on two cores.
CELLS = 2_000_000
# Runs are not reduced below this number of rows.
FEWEST = 2000

# --- Recommendation. Larger values prefer shorter rules over lower costs.
# Relative difference up to which a cost is close to the lowest.
NEAR = 0.05
# Difference of conditions up to which rules are as short.
AS_SHORT = 0.25
# Relative difference up to which costs are equal in practice.
SAME = 0.005
# Standard errors up to which a paired difference is not significant.
BY_CHANCE = 2.0
# Relative cost above which trees have too few leaves to follow KMeans.
FAR = 1.25
