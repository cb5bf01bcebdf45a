# The arrays that the modules of this package share. `i` is a sample, `f` a feature, `leaf_index` a
# leaf, `k` a cluster. Samples in the order of each feature are those of sorted.pxd.
from libc.stdint cimport int32_t, uint8_t

from agathis._core.shared.sorted cimport SortedSamples


cdef class State(SortedSamples):
    cdef readonly int32_t max_clusters, n_clusters
    cdef readonly Py_ssize_t n_leaves
    cdef readonly bint positive     # the kernel is known to be (conditionally) positive
    cdef double largest_weight

    cdef bint prefix_scanned        # kernel sums along features come from prefix_scans.pyx
    cdef int32_t[:, ::1] rank       # [f, i] place in the order of f at the root, never changed
    # [f, i] sum of w_i w_j k(i, j), j in i's leaf before i in f; if prefix_scanned, in f's order.
    cdef double[:, ::1] alpha
    cdef double[::1] within         # [i] kernel sum with its leaf
    cdef double[:, ::1] rows        # [i, .] weight, kernel sum with each cluster
    cdef const double[::1] weight, half   # [i]; half is k(i, i) / 2
    cdef int32_t[::1] leaf_of       # [i] its leaf

    cdef int32_t[::1] cluster       # [leaf]
    cdef double[::1] leaf_weight, leaf_self
    cdef double[:, ::1] best        # [leaf, f] best gain at the last search
    cdef double[:, ::1] kind_gain   # [leaf, kind] the same by kind of move (pairwise/scan.h)
    cdef double[:, ::1] kind_spread
    cdef double[:, ::1] kind_slack  # [leaf, kind] what may have come on top since
    cdef double[::1] gain, bound    # [leaf] best gain at the last search; not more than this now
    cdef uint8_t[::1] partial       # [leaf] not every subset was looked at: bounds do not hold

    cdef double[::1] kernel_sum, size, share
    cdef int32_t[::1] leaves_in     # [k] leaves of the cluster

    cdef bint founding(self) noexcept nogil
    cdef int threads_for(self, double work) noexcept nogil
    cdef double alpha_at(self, Py_ssize_t f, Py_ssize_t position) noexcept nogil
