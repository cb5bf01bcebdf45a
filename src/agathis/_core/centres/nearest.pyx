# One step of KMeans: the nearest centre of each row, and the sums of the rows of each centre.
import numpy as np

from agathis._core.centres.distances cimport CENTRE_BLOCK, CENTRE_PAD, centre_distances


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
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], n_centres = len(centres)
    cdef Py_ssize_t width = (n_centres + CENTRE_PAD - 1) // CENTRE_PAD * CENTRE_PAD
    cdef Py_ssize_t block, begin, i, j, k, best, some
    cdef double[:, ::1] turned = np.zeros((d, width)), near = np.empty((CENTRE_BLOCK, width))
    cdef double[:, ::1] sums = np.zeros((n_centres, d))
    cdef double[::1] sizes = np.zeros(n_centres)
    cdef Py_ssize_t[::1] labels = np.empty(n, dtype=np.intp)
    np.asarray(turned)[:, :n_centres] = np.asarray(centres).T
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
