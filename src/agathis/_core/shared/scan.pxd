from libc.stdint cimport int32_t


cdef extern from "shared/scan.h" nogil:
    enum:
        SCAN_LANES

    ctypedef struct scan_clusters:
        int32_t count
        const double* kernel_sum
        const double* size
        const double* share
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
