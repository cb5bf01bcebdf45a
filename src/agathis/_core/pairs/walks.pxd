from libc.stdint cimport int32_t


cdef extern from "pairs/walk_loops.h" nogil:
    enum:
        WALK_QUADS
        WALK_LEADING
        WALK_AHEAD

    ctypedef struct walk:
        const int32_t* ids
        const double* weight
        Py_ssize_t n

    void walk_part(const walk* way, const double* part, int n_quads, double* dots)

    void walk_close(const walk* way, const double* half, double* dots)

    ctypedef struct walk_sample:
        double half, tail, kept

    ctypedef struct walk_left_out:
        double largest, rounded, weight, tail

    void walk_leading(
        const walk* way, const float* points, const walk_sample* samples,
        const walk_left_out* out, double* dots)
