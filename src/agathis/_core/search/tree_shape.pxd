from libc.stdint cimport int32_t, int64_t


cdef class TreeShape:
    cdef readonly int capacity, n_leaves
    # by node; of leaves their cluster, and how many rows they have
    cdef int32_t[::1] left, right, parent, cluster, depth
    cdef int64_t[::1] count
    cdef double[::1] weight
    cdef int32_t[::1] listed            # of `list_under`

    cdef Py_ssize_t list_under(self, Py_ssize_t node) noexcept nogil
    cdef void deepen(self, Py_ssize_t node) noexcept
    cdef void free_below(self, Py_ssize_t node) noexcept
