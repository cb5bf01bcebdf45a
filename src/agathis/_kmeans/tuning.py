"""Tuned constants of kernel KMeans, with what each trades.

Bounds of rounding stay beside the code.
"""

from __future__ import annotations

# Rows up to which a kernel is factored exactly, which takes their cube in time and their square in
# memory. The search and its bounds take kernels of more rows by a feature map, or not at all.
FACTOR_ROWS = 2000
# Components that stand for the kernel beyond: so many, or as many as leave out this fraction of it.
COMPONENTS = 256
LEFT_OUT = 1e-4
# Rows and columns of a square that is made symmetric at a time.
SQUARE = 1024
# How often "similarity" starts again where a cluster was lost, the first start counted.
ATTEMPTS = 10
