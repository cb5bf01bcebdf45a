"""Tuned constants of the engines, with what each trades.

They decide time and memory, and between exact thresholds and bins which engine grows the tree.
Measured times are in ``benchmarks/RESULTS.md``. Bounds of rounding (``protocol``, ``leading``,
``grid``) are no choice and stay beside the code.
"""

from __future__ import annotations

# --- Choice of an engine.
# Rows up to which ``engine="auto"`` looks at every threshold where the kernel has features. Beyond,
# 255 bins of a feature are much faster, and thresholds lie between bins.
EXACT_ROWS = 100_000
# Components of points up to which tables of their sums are kept, and not prefix sums recomputed.
# Seconds of one processor of a very busy machine for 4,000 rows, ten clusters, 40 leaves, the data
# of ``wide_rows`` in ``benchmarks/scale.py`` with other numbers of columns: 0.29 (tables) with 64
# columns and 0.52 (prefix sums) with 65; 0.85 and 1.00 with 128, 0.87 (prefix sums) with 129.
NARROW = 128
# Leaves that memory is estimated for where there may be any number: most of many are small.
TYPICAL_LEAVES = 40

# --- Exact thresholds on points.
# Clusters up to which a leaf is asked about each of them sooner than its points are looked at.
MANY_CLUSTERS = 16
# Numbers that tables may hold for every sample of small leaves to have a row of its own: memory for
# time.
FINE_TABLES = 2**25

# --- Bounds on wide points: a feature is searched exactly where its bound allows a better split.
# Bounds are used from so many times as many components as they look at.
WIDE = 3
# Features that are looked at, and whose kernel sums are made exact, at a time; then twice as many.
# More at a time are fewer passes, and more that are made exact in vain.
SEEN_TOGETHER, EXACT_TOGETHER = 16, 2
# Samples of a leaf from which on a repeated search looks only at features whose bounds allow it,
# where these are one of so many.
RENEWED, FEW = 64, 8
# Steps of power iteration towards the leading directions, from those of the leaf that was split and
# from anywhere: tighter bounds for more products.
STEPS, FIRST_STEPS = 1, 3
# The same towards the largest eigenvalue, and how far above what they find it is looked for first.
EIGENVALUE_STEPS, MARGIN = 8, 1.1
