"""Tuned constants of the evidence, with what each trades; ``benchmarks/evidence.py`` measures."""

from __future__ import annotations

# Larger tables are sampled.
MAX_ROWS = 10_000
# Random halvings; an odd number, so that the median is one of them.
HALVINGS = 11
# The maximum number of groups that a half is split into.
MAX_GROUPS = 8
# Splits that fewer rows of the other half reach are not tested.
MIN_ROWS = 20
# Copies with permuted categories: the smallest p-value, 1 / (1 + COPIES), has to be significant
# after the correction for 7 splits, two tests and the median. A test ends when so many copies are
# as far from one mode as the rows.
COPIES, ENOUGH_COPIES = 799, 10
# More rows of a node are sampled for the comparison with copies, which bounds its time.
ROWS_OF_COPIES = 400
# A split of a repeat is the same as a split of the model if its children share this fraction.
JACCARD = 0.8
# Quantiles of the neighbours of the threshold over the repeats.
INTERVAL = (0.05, 0.95)
# Variances within the children are at least this fraction of the largest one.
LEAST_VARIANCE = 0.01
# The fraction of values that have to be multiples of a recorded step.
ON_STEP = 0.95
