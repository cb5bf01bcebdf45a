from libc.stdint cimport int32_t


cdef extern from "pairwise/prefix_scan_loops.h" nogil:
    enum:
        PREFIX_SCAN_QUADS
        PREFIX_SCAN_LEADING
        PREFIX_SCAN_AHEAD

    ctypedef struct scan:
        const int32_t* ids
        const double* weight
        Py_ssize_t n

    void prefix_scan_part(const scan* way, const double* part, int n_quads, double* dots)

    void prefix_scan_close(const scan* way, const double* half, double* dots)

    ctypedef struct prefix_scan_sample:
        double half, tail, kept

    ctypedef struct prefix_scan_left_out:
        double largest, rounded, weight, tail

    void prefix_scan_leading(
        const scan* way, const float* points, const prefix_scan_sample* samples,
        const prefix_scan_left_out* out, double* dots)
