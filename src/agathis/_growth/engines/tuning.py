"""Tuned constants of the engines, with what each trades.

They trade time for memory, and select between exact thresholds and bins. Measured times are in
``benchmarks/RESULTS.md``. Bounds of rounding errors (``protocol``, ``principal_directions``,
``grid``) are beside the code.
"""

from __future__ import annotations

# --- Choice of an engine.
# Rows up to which ``engine="auto"`` evaluates every threshold if the kernel has features. Beyond,
# 255 bins of a feature are much faster, and thresholds lie between bins.
EXACT_ROWS = 100_000
# Components of points up to which tables of sums are stored instead of recomputing prefix sums.
# Seconds of one processor of a very busy machine for 4,000 rows, ten clusters, 40 leaves, the data
# of ``wide_rows`` in ``benchmarks/scale.py`` with other numbers of columns: 0.29 (tables) with 64
# columns and 0.52 (prefix sums) with 65; 0.85 and 1.00 with 128, 0.87 (prefix sums) with 129.
NARROW = 128
# The number of leaves for the memory estimate, as most of many leaves are small.
TYPICAL_LEAVES = 40

# --- Exact thresholds on points.
# Clusters up to which the gain is evaluated for each of them, before the points of a leaf are read.
MANY_CLUSTERS = 16
# The maximum size of tables with one row per sample of small leaves: memory for time.
FINE_TABLES = 2**25

# --- Bounds on wide points: a feature is searched exactly where its bound allows a better split.
# Bounds are used from this multiple of the number of leading components: of fewer components exact
# sums along all features take no longer.
WIDE = 8
# Features made exact at a time; doubled after each pass. More at a time mean fewer passes, and more
# unnecessary exact sums.
EXACT_TOGETHER = 2
# Steps of power iteration for the leading directions, from those of the parent and from random
# ones: more steps give tighter bounds.
STEPS, FIRST_STEPS = 1, 3
# Lanczos steps for the largest eigenvalue, and the factor of their result for the first bound.
EIGENVALUE_STEPS, MARGIN = 8, 1.1
