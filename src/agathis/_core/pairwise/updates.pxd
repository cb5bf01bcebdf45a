from libc.stdint cimport int32_t


cdef extern from "pairwise/loops.h" nogil:
    enum:
        PAIR_ROWS
        PAIR_COLUMNS

    void pairs_before(
        const double* const* rows, const double* row_half, const double* row_weight,
        const int32_t* row_ranks, const double* half, const double* weight,
        const int32_t* ranks, Py_ssize_t n, Py_ssize_t n_features,
        double* before, double* total, double* absolute)

    void pairs_between(
        const double* const* rows, const double* row_half, const double* row_weight,
        const int32_t* row_ranks, const int32_t* ids, const double* half, const double* weight,
        const int32_t* ranks, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t n_features,
        double* row_sums, double* column_sums)

    void pairs_add(
        const double* const* rows, const double* row_half, const double* row_weight,
        const double* half, Py_ssize_t n, double* sums)
