from libc.stdint cimport int32_t, uint8_t

from agathis._core.shared.scan cimport scan_clusters, scan_leaf
from agathis._core.shared.category_subsets cimport subset_items


cdef extern from "pairwise/scan.h" nogil:
    enum:
        SUM_WEIGHT
        SUM_CLUSTER
        MOVE_BOTH
        MOVE_KINDS

    ctypedef struct scan_data:
        const int32_t* order
        const uint8_t* cut
        const double* alpha
        int in_order
        const double* within
        Py_ssize_t step
        const double* rows
        Py_ssize_t stride

    ctypedef struct scan_result:
        double gain[MOVE_KINDS]
        double spread[MOVE_KINDS]
        Py_ssize_t first

    size_t scan_work(int32_t n_clusters, Py_ssize_t n)

    void scan_features(
        const scan_leaf* leaf, const scan_clusters* clusters, const scan_data* data,
        Py_ssize_t first, Py_ssize_t n_features, const uint8_t* drawn, double floor,
        double* work, double* best, scan_result* result)

    double scan_subsets(
        const scan_leaf* leaf, const scan_clusters* clusters, const subset_items* items,
        double tolerance, double* work, scan_result* result)
