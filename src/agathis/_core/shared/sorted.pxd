from libc.stdint cimport int32_t, uint8_t


# Samples sorted along each feature; those of a leaf stand together.
cdef class SortedSamples:
    cdef readonly Py_ssize_t n_samples, n_features
    cdef readonly int threads
    cdef const double[:, ::1] values    # [f, i] the data, feature by feature
    cdef int32_t[:, ::1] order          # [f, position] samples, sorted by f within each leaf
    cdef uint8_t[:, ::1] cut            # [f, position] a threshold fits after it
    cdef Py_ssize_t[::1] start, stop    # [leaf] the positions of a leaf, in every feature
