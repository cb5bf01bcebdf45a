from libc.stdint cimport int32_t, uint8_t


cdef extern from "shared/scan.h" nogil:
    enum:
        SCAN_LANES
        SCAN_PAD
        SCAN_BOTH
        SCAN_KINDS
        STOCK_WEIGHT
        STOCK_LEAF
        STOCK_CLUSTER

    ctypedef struct scan_clusters:
        int32_t count
        const double* stock
        const double* size
        const double* share
        const double* inv
        const double* back
        Py_ssize_t n
        const int32_t* id

    ctypedef struct scan_leaf:
        Py_ssize_t n
        int32_t own
        double weight
        const double* cross
        double leave_all
        double open_one
        double open_two
        double min_leaf

    ctypedef struct scan_data:
        const int32_t* order
        const uint8_t* cut
        const double* alpha
        Py_ssize_t step
        const double* rows
        Py_ssize_t stride

    ctypedef struct scan_result:
        double gain[SCAN_KINDS]
        double spread[SCAN_KINDS]
        Py_ssize_t first

    size_t scan_work(int32_t n_clusters, Py_ssize_t n)

    void scan_features(
        const scan_leaf* leaf, const scan_clusters* clusters, const scan_data* data,
        Py_ssize_t first, Py_ssize_t n_features, const uint8_t* drawn, double floor,
        double* work, double* best, double* targets, scan_result* result)
