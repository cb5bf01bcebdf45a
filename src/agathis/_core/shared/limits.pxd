from libc.stdint cimport int32_t


cdef extern from "shared/limits.h" nogil:
    ctypedef struct tree_limits:
        double min_split
        double min_leaf
        int32_t max_depth
        int32_t max_leaves


cdef const tree_limits* limits_from(const tree_limits[::1] limits) except NULL
