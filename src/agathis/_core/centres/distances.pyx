# Squared distances of rows to centres, and one step of KMeans.
import numpy as np

from cython.parallel cimport prange


cdef extern from "centres/loops.h" nogil:
    enum:
        CENTRE_PAD
        CENTRE_BLOCK

    void centre_distances(
        const double* x, Py_ssize_t n, Py_ssize_t d, const double* centre, Py_ssize_t width,
        double* out)


# Less work than this is done by one thread.
cdef double SMALL_WORK = 200_000.0


def padded_columns(centres):
    """The centres as columns, filled up with zeros to a width that suits the compiled loops."""
    cdef Py_ssize_t n_centres = len(centres)
    cdef Py_ssize_t width = (n_centres + CENTRE_PAD - 1) // CENTRE_PAD * CENTRE_PAD
    columns = np.zeros((np.shape(centres)[1], width))
    columns[:, :n_centres] = np.transpose(centres)
    return columns


def distances(const double[:, ::1] X, centres, int threads):
    """Squared distances of rows to centres, (n_samples, width).

    They are sums of squared differences, so that a row on a centre is at distance 0. Columns
    are added up to a width that suits the compiled loops; they mean nothing.
    """
    cdef double[:, ::1] turned = padded_columns(centres)
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], width = turned.shape[1], block, begin
    cdef double[:, ::1] out = np.empty((n, width))
    cdef Py_ssize_t n_blocks = (n + CENTRE_BLOCK - 1) // CENTRE_BLOCK
    if <double>n * d * width < SMALL_WORK:
        threads = 1
    for block in prange(n_blocks, nogil=True, num_threads=threads, schedule="static"):
        begin = block * CENTRE_BLOCK
        centre_distances(
            &X[begin, 0], min(n - begin, CENTRE_BLOCK), d, &turned[0, 0], width, &out[begin, 0])
    return np.asarray(out)


def nearest(const double[:, ::1] X, const double[::1] weight, centres):
    """The nearest centre of each row, the first of equally near ones.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
    sums : ndarray of shape (n_centres, n_components)
        Weighted sums of the rows of each centre, added up in their order.
    sizes : ndarray of shape (n_centres,)
        The weights of these.
    """
    cdef double[:, ::1] turned = padded_columns(centres)
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], n_centres = len(centres)
    cdef Py_ssize_t block, begin, i, j, k, best, some, width = turned.shape[1]
    cdef double[:, ::1] near = np.empty((CENTRE_BLOCK, width))
    cdef double[:, ::1] sums = np.zeros((n_centres, d))
    cdef double[::1] sizes = np.zeros(n_centres)
    cdef Py_ssize_t[::1] labels = np.empty(n, dtype=np.intp)
    with nogil:
        for block in range((n + CENTRE_BLOCK - 1) // CENTRE_BLOCK):
            begin = block * CENTRE_BLOCK
            some = min(n - begin, CENTRE_BLOCK)
            centre_distances(&X[begin, 0], some, d, &turned[0, 0], width, &near[0, 0])
            for i in range(some):
                best = 0
                for k in range(1, n_centres):
                    if near[i, k] < near[i, best]:
                        best = k
                labels[begin + i] = best
                sizes[best] += weight[begin + i]
                for j in range(d):
                    sums[best, j] += weight[begin + i] * X[begin + i, j]
    return np.asarray(labels), np.asarray(sums), np.asarray(sizes)
