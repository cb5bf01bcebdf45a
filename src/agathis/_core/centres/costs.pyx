# What rows cost with each of some centres: squared distances.
import numpy as np

from cython.parallel cimport prange

from agathis._core.centres.distances cimport CENTRE_BLOCK, CENTRE_PAD, centre_distances


# Less work than this is done by one thread.
cdef double SMALL_WORK = 200_000.0


def distances(const double[:, ::1] X, centres, int threads):
    """Squared distances of rows to centres, (n_samples, width).

    They are sums of squared differences, so that a row on a centre is at distance 0. Columns
    are added up to a width that suits the compiled loops; they mean nothing.
    """
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], n_centres = len(centres), block, begin
    cdef Py_ssize_t width = (n_centres + CENTRE_PAD - 1) // CENTRE_PAD * CENTRE_PAD
    cdef double[:, ::1] turned = np.zeros((d, width)), out = np.empty((n, width))
    np.asarray(turned)[:, :n_centres] = np.asarray(centres).T
    cdef Py_ssize_t n_blocks = (n + CENTRE_BLOCK - 1) // CENTRE_BLOCK
    if <double>n * d * width < SMALL_WORK:
        threads = 1
    for block in prange(n_blocks, nogil=True, num_threads=threads, schedule="static"):
        begin = block * CENTRE_BLOCK
        centre_distances(
            &X[begin, 0], min(n - begin, CENTRE_BLOCK), d, &turned[0, 0], width, &out[begin, 0])
    return np.asarray(out)
