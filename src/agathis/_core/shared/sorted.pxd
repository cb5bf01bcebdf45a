from libc.stdint cimport int32_t, uint8_t

from agathis._core.points.leaves cimport point_samples


# Samples sorted along each feature; those of a leaf stand together.
cdef class SortedSamples:
    cdef readonly Py_ssize_t n_samples, n_features, few
    cdef const double[:, ::1] values    # [f, i]
    cdef const double[:, ::1] phi       # [i, .] points, padded
    cdef const double[::1] weight
    cdef int32_t[:, ::1] order          # [f, position]
    cdef uint8_t[:, ::1] cut            # [f, position] a threshold fits after it
    cdef Py_ssize_t[::1] start, stop    # [slot]
    cdef int threads

    cdef point_samples view(self, Py_ssize_t slot, Py_ssize_t f) noexcept nogil
