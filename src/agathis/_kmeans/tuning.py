"""Tuned constants of kernel KMeans.

Bounds of rounding are defined beside the code.
"""

from __future__ import annotations

# The maximum number of rows for an exact factor of the kernel matrix, which takes cubic time and
# quadratic memory. Searches and bounds use a feature map for more rows, or no factor.
FACTOR_ROWS = 2000
# Maximum rank of a low-rank factor, and the fraction of the kernel that it may leave out.
COMPONENTS = 256
LEFT_OUT = 1e-4
# Block size for making a matrix symmetric.
SQUARE = 1024
# Starts of "similarity" until no cluster becomes empty.
ATTEMPTS = 10
