"""Tuned constants of kernel values and feature maps.

Bounds of rounding (``positive.RANK``, ``rbf.ROUNDINGS`` and others) are defined beside the code.
"""

from __future__ import annotations

# --- Kernel values.
# Bytes of a block of kernel rows; scikit-learn needs about the same again to compute one.
BLOCK_BYTES = 8 * 2**20
# Operations (kernel values times features) per block, between which interrupts are handled.
STEPS_AT_ONCE = 2e8

# --- Squared distances of the rbf kernel.
# Up to this number of columns, differences of rows are as fast as inner products: for 2,000 rows
# 0.7 times the time with 2 to 4 columns, 0.9 with 8, 1.2 with 16, 1.6 with 32.
NARROW = 16
# From this fraction of pairs, it is faster to compute all differences.
MANY = 1 / 8
# Maximum size of an array of differences.
AT_ONCE = 2**20

# --- Feature maps.
# The fraction of the centred kernel that a map may leave out without a warning.
RESIDUAL_LIMIT = 0.1
# The fraction of the centred kernel below which no more components are added.
MAP_TOL = 1e-3
# Maximum number of sampled rows to fit a map, and of bytes of their Cholesky factor.
ROWS_TO_FIT = 20_000
FACTOR_BYTES = 2**29
# Pivots sampled at a time, for matrix products.
DRAWN_AT_ONCE = 32
# Kernel values per block, which fit into the cache.
VALUES_AT_ONCE = 2**17
# Columns per block of a triangular matrix, to skip most zeros below the diagonal.
COLUMNS_AT_ONCE = 64
