from libc.stdint cimport int32_t, uint8_t

from agathis._core.points.leaves cimport PointState
from agathis._core.points.views cimport Views
from agathis._core.shared.category_subsets cimport subset_items


# The items of all sources in one leaf (shared/category_subsets.h), one source after another.
cdef class LeafItems:
    cdef int32_t[::1] first         # [g] the first item of a source, and where the last ends
    cdef int32_t[::1] categories    # [g]
    cdef uint8_t[::1] misses        # [g] whether the last item is of missing values
    cdef int32_t[::1] code          # [item]
    cdef double[::1] weight, samples
    cdef double[:, ::1] sum         # [item, .]
    cdef double[::1] kernel_sum          # source by source, [item, item]
    cdef Py_ssize_t[::1] kernel_sum_first    # [g]

    cdef subset_items view(self, Py_ssize_t source) noexcept nogil
    cdef void crosses(
        self, PointState s, Py_ssize_t source, int32_t n_clusters, double* cross) noexcept nogil


cdef class PointCategories:
    cdef readonly Py_ssize_t count  # sources
    cdef readonly list leaves       # [leaf]
    cdef double[:, ::1] best        # [leaf, g] best gain at the last search


cdef double search_subsets(
    PointState s, Views views, const int32_t[::1] leaf_indices, PointCategories categories,
    const uint8_t[:, ::1] drawn, double tolerance,
) except? -1.0
