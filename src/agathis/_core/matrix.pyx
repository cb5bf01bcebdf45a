# One look over a kernel matrix that a user gives: finite, symmetric, how large.
import numpy as np

from cython.parallel cimport prange
from libc.math cimport fabs, fmax, isfinite

cdef enum:
    TILE = 64


cdef void look_over(
    const double[:, ::1] matrix, Py_ssize_t first, double* largest, double* apart, double* bad,
) noexcept nogil:
    cdef Py_ssize_t n = matrix.shape[0], i, j, tile, column
    cdef Py_ssize_t stop = min(first + TILE, n)
    cdef double top = 0.0, worst = 0.0, sum_of_all = 0.0
    for tile in range((n - first + TILE - 1) // TILE):
        column = first + tile * TILE
        for i in range(first, stop):
            for j in range(max(column, i), min(column + TILE, n)):
                top = fmax(top, fabs(matrix[i, j]))
                worst = fmax(worst, fabs(matrix[i, j] - matrix[j, i]))
                # fmax passes over NaN; a sum of zeros does not, nor over inf * 0.
                sum_of_all += 0.0 * matrix[i, j] + 0.0 * matrix[j, i]
    largest[0], apart[0], bad[0] = top, worst, sum_of_all


def inspect(const double[:, ::1] matrix, int threads):
    """Largest absolute value, largest |K - K.T|, and whether all is finite, in one reading."""
    cdef Py_ssize_t tile, tiles = (matrix.shape[0] + TILE - 1) // TILE
    cdef double[:, ::1] seen = np.zeros((3, tiles))
    if matrix.shape[0] < 256:
        threads = 1
    for tile in prange(tiles, nogil=True, num_threads=threads, schedule="dynamic"):
        look_over(matrix, tile * TILE, &seen[0, tile], &seen[1, tile], &seen[2, tile])
    largest, apart, bad = np.asarray(seen)
    return float(largest.max()), float(apart.max()), bool(np.all(bad == 0.0))
