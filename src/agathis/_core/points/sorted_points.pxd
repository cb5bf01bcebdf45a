from agathis._core.points.leaves cimport LeafTable, point_grain, point_samples
from agathis._core.shared.sorted cimport SortedSamples


# Sorted samples that are points.
cdef class SortedPoints(SortedSamples):
    cdef point_grain grain
    cdef bint gathers
    cdef const double[:, ::1] phi       # [i, .] points, padded
    cdef const double[::1] weight

    cdef point_samples view(self, Py_ssize_t leaf_index, Py_ssize_t f) noexcept nogil
    cdef gather(self, Py_ssize_t leaf_index, LeafTable table)
