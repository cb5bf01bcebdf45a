from libc.stdint cimport int32_t, int64_t, uint8_t


cdef extern from "points/bin_loops.h" nogil:
    enum:
        BIN_MISSING
        BIN_EDGES
        BIN_COUNT

    void bins_of_floats(
        const float* x, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t n_features,
        const float* edges, const int32_t* steps, uint8_t* bin)
    void bins_of_doubles(
        const double* x, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t n_features,
        const double* edges, const int32_t* steps, uint8_t* bin)

    double points_of_floats(
        const float* x, Py_ssize_t stride, const int32_t* ids, Py_ssize_t n, Py_ssize_t ahead,
        const double* origin, const double* gap, const double* weight, Py_ssize_t n_components,
        Py_ssize_t width, bint squares, double* out)
    double points_of_doubles(
        const double* x, Py_ssize_t stride, const int32_t* ids, Py_ssize_t n, Py_ssize_t ahead,
        const double* origin, const double* gap, const double* weight, Py_ssize_t n_components,
        Py_ssize_t width, bint squares, double* out)

    void bins_take(
        const uint8_t* bin, Py_ssize_t stride, const int32_t* ids, Py_ssize_t n,
        Py_ssize_t ahead, Py_ssize_t n_features, uint8_t* out)
    void bins_add(
        const double* points, Py_ssize_t width, const uint8_t* bin, const double* weight,
        Py_ssize_t n, double* sum, double* count, double* total)

    int look_over_floats(
        const float* x, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t n_features, int64_t* missing)
    int look_over_doubles(
        const double* x, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t n_features, int64_t* missing)
