from agathis._core.shared.sorted cimport SortedSamples

# What no cut is worth; and the share of two sums of the same numbers that they may differ by.
cdef double NONE, SMALL_SHARE


cdef class CentreSplits:
    cdef SortedSamples rows
    cdef const double[:, ::1] values        # [f, i]; the last is i itself
    cdef const double[::1] row_weight
    cdef readonly object centres, weight
    cdef readonly Py_ssize_t n_leaves
    cdef Py_ssize_t n_features, n_samples
    cdef bint alike                         # all weights are 1
    cdef int threads

    cdef Py_ssize_t count_to(
        self, Py_ssize_t leaf, Py_ssize_t f, double value, bint equal) noexcept nogil
    cdef int threads_for(self, Py_ssize_t leaf, double times)


cdef first_minimum(values, slack)
