# One look over a kernel matrix that a user gives: finite, symmetric, how large.
import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange


cdef extern from "pairwise/matrix_loops.h" nogil:
    enum:
        MATRIX_TILE

    void matrix_look_over(
        const double* matrix, Py_ssize_t n, Py_ssize_t first, double* seen)


# Values looked at before an interrupt is heard.
cdef double VALUES_AT_ONCE = 2e8


def inspect(const double[:, ::1] matrix, int threads):
    """Largest absolute value, largest |K - K.T|, and whether all is finite, in one reading."""
    cdef Py_ssize_t n = matrix.shape[0], tile, tiles = (n + MATRIX_TILE - 1) // MATRIX_TILE
    cdef Py_ssize_t first = 0, stop
    cdef double[:, ::1] seen = np.zeros((tiles, 3))
    if n < 256:
        threads = 1
    while first < tiles:
        stop = min(tiles, first + 1 + <Py_ssize_t>(VALUES_AT_ONCE / n / MATRIX_TILE))
        for tile in prange(first, stop, nogil=True, num_threads=threads, schedule="dynamic"):
            matrix_look_over(&matrix[0, 0], n, tile * MATRIX_TILE, &seen[tile, 0])
        PyErr_CheckSignals()
        first = stop
    largest, apart, bad = np.asarray(seen).T
    return float(largest.max()), float(apart.max()), not bad.any()
