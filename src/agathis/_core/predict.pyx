# Rows walk down a tree.
import numpy as np

from cython cimport floating
from cython.parallel cimport prange
from libc.stdint cimport int32_t

cdef double SMALL_WORK = 100_000.0


# `step` is in bytes, and need not be a whole number of values.
cdef Py_ssize_t leaf_of_row(
    const floating* row, Py_ssize_t step, const int32_t* left, const int32_t* right,
    const int32_t* feature, const double* threshold,
) noexcept nogil:
    cdef Py_ssize_t node = 0
    cdef floating value
    while left[node] >= 0:
        value = (<const floating*>(<const char*>row + feature[node] * step))[0]
        node = left[node] if value <= threshold[node] else right[node]
    return node


def apply(
    const floating[:, :] X, const int32_t[::1] left, const int32_t[::1] right,
    const int32_t[::1] feature, const double[::1] threshold, double depth, int threads,
):
    """The leaf of each row; X in any layout, read where it lies."""
    cdef Py_ssize_t i, n = X.shape[0]
    cdef Py_ssize_t step = X.strides[1]
    cdef Py_ssize_t[::1] leaf = np.empty(n, dtype=np.intp)
    if n * depth < SMALL_WORK:
        threads = 1
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        leaf[i] = leaf_of_row(&X[i, 0], step, &left[0], &right[0], &feature[0], &threshold[0])
    return np.asarray(leaf)
