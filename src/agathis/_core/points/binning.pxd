from cython cimport floating
from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t


cdef extern from "points/bin_loops.h" nogil:
    enum:
        BIN_MISSING
        BIN_EDGES
        BIN_COUNT

    ctypedef struct data_rows:
        const void* values
        int single
        Py_ssize_t stride

    void bins_of(
        const data_rows* rows, Py_ssize_t n, Py_ssize_t n_features, const double* edges,
        const int32_t* steps, uint8_t* bin)

    ctypedef struct point_grid:
        const double* origin
        const double* gap
        const double* steps
        double ratio

    void points_of(
        const data_rows* rows, const int32_t* ids, Py_ssize_t n, Py_ssize_t ahead,
        const point_grid* grid, const double* weight, Py_ssize_t n_components, Py_ssize_t width,
        double* most, int64_t* out)
    void points_weigh(
        const int64_t* points, Py_ssize_t n, Py_ssize_t width, uint64_t* high, uint64_t* low)

    void bins_take(
        const uint8_t* bin, Py_ssize_t stride, const int32_t* ids, Py_ssize_t n,
        Py_ssize_t ahead, Py_ssize_t n_features, uint8_t* out)
    void bins_add(
        const int64_t* points, Py_ssize_t width, const uint8_t* bin, const int64_t* weight,
        Py_ssize_t n, int64_t* sum, int64_t* count, int64_t* total)

    int look_over_rows(
        const data_rows* rows, Py_ssize_t n, Py_ssize_t n_features, int64_t* missing)


cdef inline data_rows rows_from(
    const floating* values, Py_ssize_t stride
) noexcept nogil:
    cdef data_rows rows
    rows.values, rows.single, rows.stride = values, floating is float, stride
    return rows
