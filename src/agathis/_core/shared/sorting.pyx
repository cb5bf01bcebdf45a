# Samples in the order of each feature.
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.stdint cimport int32_t, uint8_t

cdef extern from "shared/sort_loops.h" nogil:
    size_t sort_work(Py_ssize_t n)
    void sort_order(
        const double* values, Py_ssize_t n, void* work, int32_t* order, uint8_t* cut)

# Fewer values than this are sorted by one thread.
cdef double SMALL_SORT = 100_000.0
# So few are sorted faster by comparing them.
cdef Py_ssize_t FEW = 600


def sort_features(const double[:, ::1] values, int threads):
    """The order of the samples along each feature, and where a threshold fits.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        Finite.
    threads : int

    Returns
    -------
    order : ndarray of int32, of shape (n_features, n_samples)
        From the lowest value to the highest, equal ones as they stand.
    cut : ndarray of uint8, of the same shape
        1 where the value is less than the next one in the order.
    """
    cdef Py_ssize_t f, d = values.shape[0], n = values.shape[1]
    cdef int32_t[:, ::1] order = np.empty((d, n), dtype=np.int32)
    cdef uint8_t[:, ::1] cut = np.zeros((d, n), dtype=np.uint8)
    cdef uint8_t[:, ::1] work
    if n < FEW:
        whole = np.asarray(values)
        places = np.argsort(whole, axis=1, kind="stable")
        np.asarray(order)[:] = places
        ordered = np.take_along_axis(whole, places, axis=1)
        np.less(ordered[:, :-1], ordered[:, 1:], out=np.asarray(cut)[:, :-1].view(bool))
        return np.asarray(order), np.asarray(cut)
    if <double>n * d <= SMALL_SORT:
        threads = 1
    work = np.empty((threads, sort_work(n)), dtype=np.uint8)
    with nogil, parallel(num_threads=threads):
        for f in prange(d, schedule="dynamic"):
            sort_order(&values[f, 0], n, &work[threadid(), 0], &order[f, 0], &cut[f, 0])
    return np.asarray(order), np.asarray(cut)
