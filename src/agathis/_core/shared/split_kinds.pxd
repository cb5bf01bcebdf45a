from libc.stdint cimport int32_t, uint8_t

from agathis._core.shared.category_subsets cimport subset_items
from agathis._core.shared.scan cimport scan_clusters, scan_leaf


cdef class Choice:
    cdef double limit, gain
    cdef int move
    cdef int32_t left, right

    cdef void offer(self, double gain, int move, int32_t left, int32_t right) noexcept


# What a cut of a leaf is: |L|, sigma(L^2), sigma(R^2), and sigma(L x C_k) for each cluster.
cdef struct Cut:
    double weight, self_left, self_right
    const double* cross_left

cdef Choice best_move(
    const scan_leaf* leaf, const scan_clusters* clusters, const Cut* cut, double tolerance)

cdef Choice subset_move(
    const scan_leaf* leaf, const scan_clusters* clusters, const subset_items* items,
    const uint8_t[::1] right, double tolerance)
