"""Tuned constants of kernel values and feature maps, with what each trades.

Bounds of rounding (``positive.RANK``, ``rbf.ROUNDINGS`` and others) stay beside the code.
"""

from __future__ import annotations

# --- Kernel values.
# Bytes of a block of kernel rows; scikit-learn needs about as much again to compute one.
BLOCK_BYTES = 8 * 2**20
# Steps (kernel values times features) at a time: an interrupt is seen in between.
STEPS_AT_ONCE = 2e8

# --- Squared distances of the rbf kernel.
# Columns up to which differences of rows are as fast as inner products: for 2,000 rows 0.7 times
# the time with 2 to 4 columns, 0.9 with 8, 1.2 with 16, 1.6 with 32.
NARROW = 16
# The fraction of all pairs from which on it is quicker to take all differences.
MANY = 1 / 8
# Numbers that the differences of rows may fill at a time.
AT_ONCE = 2**20

# --- Feature maps.
# The fraction of the centred kernel that may be left out without a warning.
RESIDUAL_LIMIT = 0.1
# The fraction below which no more components are added to the map of a fit: more follow the kernel
# closer, and make every row longer.
MAP_TOL = 1e-3
# Rows of the sample that a map is found from, and that a number of components is tried on; and the
# most bytes of their Cholesky factor.
ROWS_TO_FIT = 20_000
ROWS_TO_TRY = 2_000
FACTOR_BYTES = 2**29
# Pivots drawn at a time: enough for matrix products.
DRAWN_AT_ONCE = 32
# Kernel values at a time: they stay in the cache while they are exponentiated and multiplied.
VALUES_AT_ONCE = 2**17
# Columns of a triangular matrix at a time: most of the zeros below them are not multiplied.
COLUMNS_AT_ONCE = 64
