from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from agathis._core.search.tree_shape cimport TreeShape


cdef extern from "search/rows.h":
    enum:
        CUT_NONE
        CUT_COLUMN
        CUT_SOURCE
        CUT_PAIR
        IDENTIFIER_WORDS
        MAX_GROUP_CATEGORIES

    ctypedef struct search_rows:
        Py_ssize_t n, columns, width, sources
        const double* point
        const double* weight
        const int32_t* order
        const int32_t* place
        const int32_t* rank
        const int32_t* present
        const int32_t* category
        const int32_t* n_categories
        const double* value

    ctypedef struct search_condition:
        int32_t kind, column, other, cut, missing_left
        double a, b, threshold
        uint64_t* right

    ctypedef struct split_candidate:
        double gain
        int32_t side, target
        search_condition asks

    bint goes_left(const search_rows* rows, const search_condition* asks, int32_t row) nogil


cdef const search_condition* condition_from(const uint8_t[::1] asks) except NULL


cdef class MutableTree(TreeShape):
    cdef readonly object rows           # SearchRows, kept for what the pointers point to
    cdef search_rows view
    cdef readonly int max_leaves, max_clusters
    cdef readonly int64_t work          # numbers that were looked at
    cdef readonly int threads
    # by node
    cdef int64_t[::1] version
    cdef double[:, ::1] sum
    cdef uint8_t[:, ::1] asks
    # by cluster
    cdef double[:, ::1] cluster_sum, mean
    cdef double[::1] size, kernel_sum, share, square
    cdef int32_t[::1] leaves_in
    cdef int64_t[::1] cluster_version
    # by row
    cdef int32_t[::1] leaf
    cdef int64_t clock
    cdef readonly object arrays
    # scratch
    cdef uint8_t[::1] under, touched
    cdef int32_t[::1] ids, way_left, way_right, to_left, to_right
    cdef double[::1] change
    cdef double[:, ::1] shift, old_sum
    cdef double[::1] shift_size, old_size
    cdef double[::1] new_weight
    cdef int64_t[::1] new_count
    cdef uint64_t[:, ::1] fields
    cdef int32_t[:, ::1] places

    cdef search_condition* condition(self, Py_ssize_t node) noexcept nogil
    cdef Py_ssize_t rows_under(self, Py_ssize_t node) noexcept nogil
    cdef int32_t descend(self, Py_ssize_t node, int32_t row) noexcept nogil
    cdef void resum(self, Py_ssize_t m) noexcept nogil
    cdef void refresh(self) noexcept nogil
    cdef void clear_shift(self) noexcept nogil
    cdef void shift_row(self, int32_t row, int32_t source, int32_t target) noexcept nogil
    cdef double shift_gain(self) noexcept nogil
    cdef void drop_empty(self, Py_ssize_t node) noexcept
    cdef Py_ssize_t replace(self, Py_ssize_t node, Py_ssize_t heir) noexcept
