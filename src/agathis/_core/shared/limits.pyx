# The limits of a tree: the record of limits.h as a NumPy dtype.
import numpy as np

from libc.stdint cimport INT32_MAX

#: In the place of a number of splits or leaves where there is no limit.
UNLIMITED = INT32_MAX
#: ``tree_limits`` of limits.h, member by member.
LIMITS = np.dtype([
    ("min_split", np.float64),
    ("min_leaf", np.float64),
    ("max_depth", np.int32),
    ("max_leaves", np.int32),
], align=True)
if LIMITS.itemsize != sizeof(tree_limits):
    raise ImportError(
        f"tree_limits has {sizeof(tree_limits)} bytes, and LIMITS has {LIMITS.itemsize}.")

cdef tree_limits NO_LIMITS
NO_LIMITS.min_split = NO_LIMITS.min_leaf = 0.0
NO_LIMITS.max_depth = NO_LIMITS.max_leaves = INT32_MAX


cdef const tree_limits* limits_from(const tree_limits[::1] limits) except NULL:
    """The limits in an array of one record; ``None`` is none of them."""
    if limits is None:
        return &NO_LIMITS
    if limits.shape[0] != 1:
        raise ValueError(f"limits are one record, and these are {limits.shape[0]}.")
    return &limits[0]
