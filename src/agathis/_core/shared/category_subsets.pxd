from libc.stdint cimport int32_t, uint8_t

from agathis._core.shared.scan cimport scan_clusters, scan_leaf


cdef extern from "shared/category_subsets.h" nogil:
    enum:
        SUBSET_EXACT

    ctypedef struct subset_items:
        int32_t count
        int32_t categories
        int missing
        const double* weight
        const double* samples
        const double* cross
        const double* kernel_sum

    ctypedef void (*subset_seen)(
        const scan_leaf* leaf, const void* tile, Py_ssize_t length, void* context)

    size_t subset_work(int32_t n_clusters, int32_t n_items)

    double subset_search(
        const scan_leaf* leaf, const scan_clusters* clusters, const subset_items* items,
        int32_t exact, double floor, double tolerance, double* work, subset_seen seen,
        void* context, uint8_t* right)


cdef uint8_t[::1] first_subset(
    const scan_leaf* leaf, const scan_clusters* clusters, const subset_items* items, double floor,
    double tolerance)
