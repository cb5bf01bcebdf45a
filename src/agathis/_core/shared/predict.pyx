# Rows walk down a tree.
from cython cimport floating
from cython.parallel cimport prange
from libc.stdint cimport int32_t, uint8_t

cdef double SMALL_WORK = 100_000.0


# `step` is in bytes, and need not be a whole number of values.
cdef Py_ssize_t leaf_of_row(
    const floating* row, Py_ssize_t step, const int32_t* left, const int32_t* right,
    const int32_t* feature, const double* threshold, const uint8_t* missing_left,
) noexcept nogil:
    cdef Py_ssize_t node = 0
    cdef floating value
    while left[node] >= 0:
        value = (<const floating*>(<const char*>row + feature[node] * step))[0]
        if value <= threshold[node]:
            node = left[node]
        elif value != value and missing_left[node]:
            node = left[node]
        else:
            node = right[node]
    return node


def walk(
    const floating[:, :] X, const int32_t[::1] left, const int32_t[::1] right,
    const int32_t[::1] feature, const double[::1] threshold, const uint8_t[::1] missing_left,
    const int32_t[::1] answer, int32_t[::1] out, double depth, int threads,
):
    """Write ``answer`` of the leaf of each row; X in any layout, read where it lies."""
    cdef Py_ssize_t i, n = X.shape[0]
    cdef Py_ssize_t step = X.strides[1]
    if n * depth < SMALL_WORK:
        threads = 1
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        out[i] = answer[leaf_of_row(
            &X[i, 0], step, &left[0], &right[0], &feature[0], &threshold[0], &missing_left[0])]
